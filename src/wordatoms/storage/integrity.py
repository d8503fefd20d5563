"""Check that the files of a model are the ones that were written, by size and checksum.

The manifest records both for each file. When a model is opened, all sizes and the checksums of small files are compared
(milliseconds); checksums of large files are compared on request, and before anything is built on them. Whether the
content makes sense is checked by the code that loads it.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

SMALL = 1 << 20
"""Files up to this size (bytes) are always compared by checksum."""
Recorded = Mapping[str, Any]


class Checked(NamedTuple):
    """A checked file and its fault, if any."""

    stage: str
    name: str
    n_bytes: int
    fault: str | None
    read: bool
    """Whether the checksum was compared as well."""


def fingerprint(path: Path) -> dict[str, Any]:
    """Return the size and checksum of a file."""
    with path.open("rb") as file:
        return {"n_bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def check_recorded(files: Mapping[str, Any]) -> None:
    """Raise if the file entries of a manifest are malformed, for instance name a file outside the model."""
    for name, recorded in files.items():
        if Path(name).name != name or name in ("", "..", "manifest.json") or not name.isprintable():
            raise ValueError(f"'{name}' is not a valid file name")
        if not isinstance(recorded["n_bytes"], int) or not isinstance(recorded.get("sha256", ""), str):
            raise TypeError(f"the size or checksum of '{name}' has the wrong type")


@dataclass(frozen=True)
class FileChecker:
    """Compares files with the manifest; a file that was found valid is read again only after it changed."""

    folder: Path
    _valid: dict[str, tuple[object, ...]] = field(default_factory=dict)

    def check(self, stage: str, files: Mapping[str, Recorded], *, thorough: bool) -> Iterable[Checked]:
        """Check each file; `thorough` compares the checksums of large files as well."""
        for name, recorded in files.items():
            reads = "sha256" in recorded and (thorough or recorded["n_bytes"] <= SMALL)
            yield Checked(stage, name, recorded["n_bytes"], self._find_fault(name, recorded, reads=reads), reads)

    def remember(self, files: Mapping[str, Recorded]) -> None:
        """Mark files as valid whose fingerprints were just taken."""
        for name, recorded in files.items():
            self._valid[name] = _state((self.folder / name).stat(), recorded)

    def _find_fault(self, name: str, recorded: Recorded, *, reads: bool) -> str | None:
        try:
            found = (self.folder / name).stat()
            if not stat.S_ISREG(found.st_mode):
                return "is not a regular file"
            if found.st_size != recorded["n_bytes"]:
                return f"has {found.st_size:,} bytes instead of {recorded['n_bytes']:,}"
            if reads and self._valid.get(name) != _state(found, recorded):
                if fingerprint(self.folder / name)["sha256"] != recorded["sha256"]:
                    return "is damaged (checksum mismatch)"
                self._valid[name] = _state(found, recorded)
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror or error})"
        return None


class FileState(NamedTuple):
    """What changes when a file does."""

    inode: int
    n_bytes: int
    changed: int
    """Nanoseconds."""


def file_state(path: Path | str) -> FileState | None:
    """The state of a file; None if there is none."""
    with suppress(OSError):
        found = os.stat(path)  # noqa: PTH116  every query asks for all files many times; a Path takes longer
        return FileState(found.st_ino, found.st_size, found.st_mtime_ns)
    return None


def _state(found: os.stat_result, recorded: Recorded) -> tuple[object, ...]:
    return recorded.get("sha256"), found.st_ino, found.st_size, found.st_mtime_ns

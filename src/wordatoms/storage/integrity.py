"""Whether the files of a model are those that were written: there, of their size, with their content.

The manifest tells size and checksum of each file. Sizes are compared whenever a model is opened, and so are the
checksums of small files, which takes milliseconds; those of large files when asked for, and before anything is built
on them. Left out: whether what a file says makes sense, which whoever loads it checks.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

SMALL = 1 << 20
"""Files of up to so many bytes are read whole to check them; the larger ones of a model are the bulk of it."""
Recorded = Mapping[str, Any]


class Checked(NamedTuple):
    """A file that was looked at, and what is wrong with it, if anything is."""

    stage: str
    name: str
    n_bytes: int
    fault: str | None
    read: bool
    """Whether the content was compared, too."""


def fingerprint(path: Path) -> dict[str, Any]:
    """Size and checksum of a file."""
    with path.open("rb") as file:
        return {"n_bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


def check_recorded(files: Mapping[str, Any]) -> None:
    """Refuse what no manifest of ours says about files: it may have been damaged, or made to do damage."""
    for name, recorded in files.items():
        if Path(name).name != name or name in ("", "..", "manifest.json") or not name.isprintable():
            raise ValueError(f"'{name}' is no name of a file of the model")
        if not isinstance(recorded["n_bytes"], int) or not isinstance(recorded.get("sha256", ""), str):
            raise TypeError(f"size or checksum of '{name}' is not of its kind")


@dataclass(frozen=True)
class FileChecker:
    """Compares files with what is recorded of them; a file that was found whole is read again only once it changed."""

    folder: Path
    _whole: dict[str, tuple[object, ...]] = field(default_factory=dict)

    def check(self, stage: str, files: Mapping[str, Recorded], *, thorough: bool) -> Iterable[Checked]:
        for name, recorded in files.items():
            reads = "sha256" in recorded and (thorough or recorded["n_bytes"] <= SMALL)
            yield Checked(stage, name, recorded["n_bytes"], self._fault(name, recorded, reads=reads), reads)

    def remember(self, files: Mapping[str, Recorded]) -> None:
        """Take files as whole of which the fingerprints were just taken."""
        for name, recorded in files.items():
            self._whole[name] = _state((self.folder / name).stat(), recorded)

    def _fault(self, name: str, recorded: Recorded, *, reads: bool) -> str | None:
        try:
            found = (self.folder / name).stat()
            if not stat.S_ISREG(found.st_mode):
                return "is no file"
            if found.st_size != recorded["n_bytes"]:
                return f"has {found.st_size:,} bytes instead of {recorded['n_bytes']:,}"
            if reads and self._whole.get(name) != _state(found, recorded):
                if fingerprint(self.folder / name)["sha256"] != recorded["sha256"]:
                    return "does not hold what was written"
                self._whole[name] = _state(found, recorded)
        except FileNotFoundError:
            return "is missing"
        except OSError as error:
            return f"cannot be read ({error.strerror or error})"
        return None


def _state(found: os.stat_result, recorded: Recorded) -> tuple[object, ...]:
    return recorded.get("sha256"), found.st_ino, found.st_size, found.st_mtime_ns

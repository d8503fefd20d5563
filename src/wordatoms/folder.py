"""The folder of a model: its manifest, the stages that are done, and the place for work in progress.

`manifest.json` tells how every stage was made: settings, inputs with their hashes, seconds, files with their
checksums. A stage that the manifest shows done with the same settings is skipped; with other settings it is refused
unless forced. Work in progress lives in `.work`, held by one process at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import IO, Any

from wordatoms.errors import ModelError
from wordatoms.shipped import ENGLISH
from wordatoms.store import spill_folder, write_json

FORMAT = 1
STAGES = {
    "import": ["count", "embed", "map", "atomize", "tune"],
    "count": ["import", "embed", "map", "atomize", "tune"],
    "embed": ["import", "map", "atomize", "tune"],
    "map": ["tune"],
    "atomize": ["tune"],
    "tune": [],
}
"""Each stage with those that are no longer valid when it is made anew."""
Settings = Mapping[str, Any]
Make = Callable[[Callable[[], None]], list[str]]


class ModelFolder:
    """A model's folder on disk."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path)
        if create:
            self._create()
        elif not (self.path / "manifest.json").is_file():
            raise ModelError(
                f"{self.path} is not a model folder (it has no manifest.json); pass the folder of a model."
            )
        self.manifest = self._read_manifest()

    def __repr__(self) -> str:
        return f"ModelFolder({str(self.path)!r}, stages: {', '.join(self.stages) or 'none'})"

    def _create(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise ModelError(f"{self.path} is a file; pass a folder for the model.")
        strangers = self.path.is_dir() and any(self.path.iterdir()) and not (self.path / "manifest.json").exists()
        if strangers and not (self.path / ".work").exists():
            raise ModelError(f"{self.path} holds other files and no model; pass a new or empty folder.")

    def _read_manifest(self) -> dict[str, Any]:
        path = self.path / "manifest.json"
        if not path.exists():
            return {"format": FORMAT, "stages": {}}
        try:
            manifest: dict[str, Any] = json.loads(path.read_bytes())
            known = manifest["format"] <= FORMAT
            for record in manifest["stages"].values() if known else ():
                _check_record(record)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{path} is damaged ({error}); train the model again into a new folder.") from error
        if not known:
            raise ModelError(
                f"{path} has format {manifest['format']}, newer than this program knows; upgrade wordatoms."
            )
        return manifest

    @property
    def stages(self) -> dict[str, Any]:
        stages: dict[str, Any] = self.manifest["stages"]
        return stages

    @property
    def work(self) -> Path:
        """The folder for work in progress."""
        return self.path / ".work"

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold the folder for this process alone; what is left in `.work` and unfinished goes away."""
        if self.path.resolve() == ENGLISH.resolve():
            raise ModelError(f"{self.path} came with the program and is not changed; copy it, and change the copy.")
        self.work.mkdir(parents=True, exist_ok=True)
        with _locked(self.work / "lock", self.path):
            self._clear_leftovers()
            self.manifest = self._read_manifest()  # another process may have worked here until now
            try:
                yield
            finally:
                self._tidy()

    def _clear_leftovers(self) -> None:
        """What a killed process was writing."""
        for stale in self.work.glob(".spill-*"):
            shutil.rmtree(stale, ignore_errors=True)
        for stale in (*self.path.glob(".*.part"), *self.work.rglob(".*.part")):
            stale.unlink(missing_ok=True)

    def _tidy(self) -> None:
        """Leave no empty folders behind; a checkpoint stays."""
        if all(path.name == "lock" for path in self.work.iterdir()):
            shutil.rmtree(self.work, ignore_errors=True)
        with suppress(OSError):  # not empty, as a rule
            self.path.rmdir()

    def is_done(self, stage: str, settings: Settings, *, force: bool = False) -> bool:
        """Whether a stage is there with these settings; other settings are an error unless forced."""
        record = self.stages.get(stage)
        if force:
            return False
        if self._is_of_another_kind(stage):
            raise ModelError(f"{self.path} holds another kind of model; pass --force to replace it, or another folder.")
        if record is None:
            return False
        wanted = json.loads(json.dumps(settings))
        if record["settings"] == wanted:
            return all(_is_whole(self.path / name, file) for name, file in record["files"].items())
        changed = sorted(key for key in record["settings"] | wanted if record["settings"].get(key) != wanted.get(key))
        changed = ["method"] if "method" in changed else changed  # the others follow from it
        raise ModelError(
            f"{self.path} was made with {_describe(record['settings'], changed)}, you ask for "
            f"{_describe(wanted, changed)}; pass --force to make it again, or another folder."
        )

    def _is_of_another_kind(self, stage: str) -> bool:
        """Whether a model of imported vectors is to be trained, or the reverse."""
        return ("import" in self.stages and stage in ("count", "embed")) or (
            stage == "import" and not {"count", "embed"}.isdisjoint(self.stages)
        )

    def build(self, stage: str, settings: Settings, make: Make, **facts: Any) -> None:
        """Make a stage anew and write it, with further facts, into the manifest.

        `make` is given a function to call before it changes the first file of the folder, and returns the names of its
        files: what was there stays valid until then.
        """

        def forget() -> None:
            for name in self._replaced_by(stage):
                self.stages.pop(name, None)
            if (self.path / "manifest.json").exists():
                write_json(self.path / "manifest.json", self.manifest)

        started = perf_counter()
        files = make(forget)
        self.stages[stage] = {
            "settings": dict(settings),
            **facts,
            "seconds": round(perf_counter() - started, 2),
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "program": _program(),
            "peak_memory": peak_memory(),
            "files": {name: fingerprint(self.path / name) for name in files},
        }
        write_json(self.path / "manifest.json", self.manifest)

    def _replaced_by(self, stage: str) -> list[str]:
        atoms_of_induced = self.stages.get("atomize", {}).get("settings", {}).get("vectors") == "induced"
        return [stage, *STAGES[stage], *(["atomize"] if stage == "map" and atoms_of_induced else [])]

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder in which the files of a stage are written before those of the old one go."""
        with spill_folder(self.work) as path:
            yield path

    def install(self, staged: Path, stage: str, forget: Callable[[], None]) -> list[str]:
        """Put the staged files of a stage where they belong, in place of its old ones; their names."""
        names = sorted(path.name for path in staged.iterdir())
        outdated = set(self.stages.get(stage, {}).get("files", {})) - set(names)
        forget()
        for name in names:
            (staged / name).replace(self.path / name)
        for name in outdated:
            (self.path / name).unlink(missing_ok=True)
        return names

    def share(self, stage: str, path: Path | str) -> ModelFolder:
        """Another model that has one stage of this one; its files are linked, not copied, where the disk allows."""
        record = self.require(stage, "make it first.")
        if self.manifest.get("compact"):
            raise ModelError(f"{self.path} is compact and keeps no counts; pass the model that it was made from.")
        other = ModelFolder(path, create=True)
        with other.working():
            if stage not in other.stages and not other.stages:
                self._link_files(record["files"], other)
                other.stages[stage] = record
                write_json(other.path / "manifest.json", other.manifest)
            elif other.stages.get(stage, {}).get("settings") != record["settings"]:
                raise ModelError(f"{other.path} holds another model than {self.path}; pass a new folder.")
        return other

    def _link_files(self, names: Iterable[str], other: ModelFolder) -> None:
        for name in names:
            (other.path / name).unlink(missing_ok=True)
            try:
                (other.path / name).hardlink_to(self.path / name)
            except OSError:
                shutil.copyfile(self.path / name, other.path / name)

    def require(self, stage: str, advice: str) -> dict[str, Any]:
        """The record of a stage, or a sentence on how to get it."""
        if stage not in self.stages:
            raise ModelError(f"{self.path} has no '{stage}' stage yet; {advice}")
        record: dict[str, Any] = self.stages[stage]
        return record


def _is_whole(path: Path, file: Any) -> bool:
    """Whether a file is there with the size that was recorded."""
    with suppress(OSError, TypeError, KeyError):
        return bool(path.stat().st_size == file["n_bytes"])
    return False


def _check_record(record: Any) -> None:
    needed = {"settings": dict, "files": dict, "program": str}
    for name, kind in {**needed, "seconds": int | float, "made": str}.items():  # the last two not in a compact model
        if (name in needed or name in record) and not isinstance(record[name], kind):
            raise TypeError(f"'{name}' is not of its kind")


def _describe(settings: Settings, names: list[str]) -> str:
    parts = []
    for name in names:
        value = json.dumps(settings.get(name), ensure_ascii=False)
        parts.append(f"{name} {value}" if len(value) <= 60 else f"other {name}")
    return ", ".join(parts)


def peak_memory() -> int | None:
    """The most bytes this process has held so far, where the system tells."""
    with suppress(OSError, StopIteration):  # Linux; its getrusage would count the process that started this one
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _program() -> str:
    from wordatoms import __version__

    return f"wordatoms {__version__}"


def fingerprint(path: Path) -> dict[str, Any]:
    """Size and checksum of a file."""
    with path.open("rb") as file:
        return {"n_bytes": path.stat().st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}


@contextmanager
def _locked(path: Path, folder: Path) -> Iterator[None]:
    """Hold a file lock, which the system frees even after kill -9."""
    with path.open("w") as file:
        # The one who held it may have removed the file that we opened, and somebody else made a new one.
        if not _try_lock(file) or not path.exists() or not os.path.samestat(os.fstat(file.fileno()), path.stat()):
            raise ModelError(f"another process is working in {folder}; wait for it, or pass another folder.")
        yield


def _try_lock(file: IO[str]) -> bool:
    try:
        import fcntl
    except ImportError:  # not on this system: nobody is kept out
        return True
    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False

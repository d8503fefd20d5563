"""The folder of a model: its manifest, its finished stages, and work in progress.

`manifest.json` records how each stage was made: settings, inputs with their hashes, seconds, and files with their
checksums. A stage that is recorded with the same settings and intact files is skipped; with other settings it is
refused unless forced. Work in progress is kept in `.work`, which one process at a time may hold.

A process may die at any moment, so the manifest lists a stage only while all its files are complete: when stages are
replaced, they are removed from the manifest before the first file changes and added after the last.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from wordatoms.errors import ModelError
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.files import LARGEST_READ, SPILL, clear_parts, copy_file, spill_folder, sync_folder, write_json
from wordatoms.storage.integrity import Checked, FileChecker, FileState, check_recorded, file_state, fingerprint
from wordatoms.storage.locks import defer_interrupts, lock_work_folder
from wordatoms.storage.untrusted import read_bytes, read_json, refuse_links

MANIFEST = "manifest.json"
FORMAT = 1
LARGEST_MANIFEST = 1 << 29
"""Bytes; a manifest lists every file of a text, twice."""
CHECKSUM = "checksum"
"""Key of the checksum over all other content; manifests of older models have none."""
STAGES = {
    "import": ["count", "embed", "map", "atomize", "observe", "phrases", "tune"],
    "count": ["import", "embed", "map", "atomize", "observe", "phrases", "tune"],
    "embed": ["import", "map", "atomize", "observe", "phrases", "tune"],
    "map": ["observe", "phrases", "tune"],
    "atomize": ["observe", "phrases", "tune"],
    "observe": [],
    "phrases": [],
    "tune": [],
}
"""Each stage with the stages that become invalid when it is made again."""
INPUTS = {
    "import": [],
    "count": [],
    "embed": ["count"],
    "map": ["import", "count", "embed"],
    "atomize": ["import", "count", "embed"],
    "observe": ["import", "count", "embed", "map", "atomize"],
    "phrases": ["import", "count", "embed", "map", "atomize"],
    "tune": ["import", "count", "embed", "map", "atomize"],
}
"""Each stage with the stages that it reads, where the model has them."""
PROGRESS = {
    "count": ["parts/words-*", "parts/pairs-*"],
    "embed": ["*.npz", "lines"],
    "map": ["parts"],
    "atomize": ["atoms"],
    "observe": ["parts/occurrences-*"],
    "phrases": ["parts/words-*", "parts/occurrences-*"],
}
"""Files that a stage keeps in `.work` until it is done, to resume from after an interruption."""
ITEMS = "items"
"""The kind of a model whose rows are texts; models of words record no kind."""
Settings = Mapping[str, Any]
Make = Callable[[Callable[[], None]], list[str]]


class ModelFolder:
    """A model's folder on disk."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path)
        is_model = (self.path / MANIFEST).is_file()
        if create:
            self._check_new()
        elif not is_model and self.work.is_dir():
            raise ModelError(f"{self.path} is an unfinished model with no finished stage; run the same command again.")
        elif not is_model:
            raise ModelError(f"{self.path} is not a model folder (it has no {MANIFEST}); pass the folder of a model.")
        self.manifest = read_manifest(self.path)
        self._checker = FileChecker(self.path)
        self._opened = self._states()
        self._compared: bytes | None = None
        """The bytes of the manifest that `check_unchanged` found in order."""

    def __repr__(self) -> str:
        return f"ModelFolder({str(self.path)!r}, stages: {', '.join(self.stages) or 'none'})"

    def _check_new(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise ModelError(f"{self.path} is a file; pass a folder for the model.")
        has_files = self.path.is_dir() and any(self.path.iterdir())
        if has_files and not (self.path / MANIFEST).exists() and not self.work.exists():
            raise ModelError(f"{self.path} contains other files and no model; pass a new or empty folder.")

    @property
    def stages(self) -> dict[str, Any]:
        """The records of the finished stages, by name."""
        stages: dict[str, Any] = self.manifest["stages"]
        return stages

    @property
    def has_items(self) -> bool:
        """Whether the rows of the vectors are items, such as sentences or documents, and not words."""
        return bool(self.stages.get("import", {}).get("settings", {}).get("kind") == ITEMS)

    def require_words(self) -> None:
        """Raise for a model of items, which has no words to ask about."""
        if self.has_items:
            raise ModelError(
                f"{self.path} is a model of items, not of words; ask it with wordatoms atoms, code, nearest or explore."
            )

    @property
    def work(self) -> Path:
        """The folder for work in progress."""
        return self.path / ".work"

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold the folder for this process alone, and remove temporary files before and after."""
        if self.path.resolve() == ENGLISH.resolve():
            raise ModelError(f"{self.path} is the bundled model and is read-only; copy it, and change the copy.")
        refuse_links(self.path, self.work)
        new = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            with lock_work_folder(self.work) as held:
                if not held:
                    raise ModelError(f"another process is working in {self.path}; wait for it, or pass another folder.")
                for folder in new:  # so that a power cut cannot lose the folder with a finished model in it
                    sync_folder(folder.parent)
                self._clear_leftovers()
                self.manifest = read_manifest(self.path)  # another process may have worked here until now
                try:
                    yield
                finally:
                    with defer_interrupts():
                        self._clear_leftovers()
        except OSError as error:
            if self._is_about_work(error):
                error.filename = str(self.path)  # the name that the user knows
            raise
        finally:
            _remove_empty(self.work, *new)

    def _is_about_work(self, error: OSError) -> bool:
        if error.filename is None:
            return error.errno in (errno.ENOSPC, errno.EDQUOT)
        return Path(str(error.filename)).resolve().is_relative_to(self.work.resolve())

    def _clear_leftovers(self) -> None:
        """Remove what killed processes were writing; checkpoints stay."""
        for stale in chain(self.path.glob(f"{SPILL}*"), self.work.glob(f"{SPILL}*")):
            shutil.rmtree(stale, ignore_errors=True)
        for folder in (self.path, self.work, *filter(Path.is_dir, self.work.rglob("*"))):
            clear_parts(folder)
        _remove_empty(*sorted(filter(Path.is_dir, self.work.rglob("*")), reverse=True))

    def is_done(self, stage: str, settings: Settings, *, force: bool = False) -> bool:
        """Whether a stage is finished with these settings and its files are intact.

        Other settings, or another kind of model, are an error unless forced.
        """
        if force:
            return False
        others = {"import": {"count", "embed"}, "count": {"import"}, "embed": {"import"}}.get(stage, set())
        if not others.isdisjoint(self.stages):
            raise ModelError(
                f"{self.path} contains another kind of model; pass --force to replace it, or another folder."
            )
        if stage not in self.stages:
            return False
        made, wanted = self.stages[stage]["settings"], json.loads(json.dumps(settings))
        if made == wanted:
            done = not any(file.fault for file in self.check_files(stage, thorough=True))
            if done:
                self._forget_progress(stage)  # the process that finished it may have died just before
            return done
        changed = sorted(key for key in made | wanted if made.get(key) != wanted.get(key))
        changed = ["method"] if "method" in changed else changed  # the others follow from it
        before, now = _describe(made, changed), _describe(wanted, changed)
        difference = f"{before} than you ask for" if before == now else f"{before}, you ask for {now}"
        raise ModelError(f"{self.path} was made with {difference}; pass --force to make it again, or another folder.")

    # --- Integrity

    def check_files(self, *stages: str, thorough: bool = False) -> list[Checked]:
        """Check all files of some stages (all by default); `thorough` compares checksums of large files as well."""
        records = {stage: record for stage, record in self.stages.items() if stage in (stages or self.stages)}
        found = (self._checker.check(stage, record["files"], thorough=thorough) for stage, record in records.items())
        return list(chain.from_iterable(found))

    def check(self, *stages: str, thorough: bool = False) -> None:
        """Raise if a file of some stages (all by default) is missing or damaged."""
        broken = [file for file in self.check_files(*stages, thorough=thorough) if file.fault]
        if not broken:
            return
        if (now := read_manifest(self.path)) != self.manifest:  # another process replaced a stage in the meantime
            self.manifest, self._opened = now, self._states()
            self.check(*stages, thorough=thorough)
            return
        more = f" (and {len(broken) - 1} more)" if len(broken) > 1 else ""
        raise ModelError(f"{self.path / broken[0].name} {broken[0].fault}{more}; {self._advice(broken[0].stage)}")

    def check_unchanged(self) -> None:
        """Raise if another process replaced a stage, or any file, since this folder was opened."""
        if self._states() != self._opened or not self._has_known_stages():
            raise self._changed()

    def _has_known_stages(self) -> bool:
        """Whether the stages of this folder are in the manifest on disk, parsed again only if it changed."""
        content = _manifest_bytes(self.path)
        if content is None or content != self._compared:
            now, known = read_manifest(self.path)["stages"], json.loads(json.dumps(self.stages))  # tuples become lists
            if any(now.get(stage) != record for stage, record in known.items()):
                return False
            self._compared = content if content == _manifest_bytes(self.path) else None  # it may have changed meanwhile
        return True

    def check_mapped(self) -> None:
        """Raise if a file that is memory-mapped was overwritten or cut short; replaced or deleted files stay mapped."""
        for name, state in self._opened.items():
            if state and state.n_bytes > LARGEST_READ:
                now = file_state(self.path / name)
                if now and now.inode == state.inode and now != state:
                    raise self._changed()

    def _changed(self) -> ModelError:
        return ModelError(f"{self.path} was changed by another process since it was opened; open it again.")

    def _states(self) -> dict[str, FileState | None]:
        names, folder = chain.from_iterable(record["files"] for record in self.stages.values()), str(self.path)
        return {name: file_state(os.path.join(folder, name)) for name in names}  # noqa: PTH118  Path takes longer

    def check_inputs(self, stage: str, settings: Settings) -> None:
        """Raise if a file that a stage reads is missing or damaged."""
        also = ["map"] if settings.get("vectors") == "induced" else []
        if inputs := [name for name in (*INPUTS[stage], *also) if name in self.stages]:
            self.check(*inputs, thorough=True)

    def _advice(self, stage: str) -> str:
        """Say what to do about a damaged file."""
        if self.path.resolve() == ENGLISH.resolve():
            return "reinstall wordatoms."
        if self.manifest.get("compact"):
            return "copy or export the model again."
        others = "" if stage in ("import", "tune") else " (or train)"
        return f"run wordatoms {stage}{others} again with the same options to replace damaged files."

    # --- Making stages

    def build(self, stage: str, settings: Settings, make: Make, **facts: Any) -> None:
        """Make a stage and record it, with further facts, in the manifest.

        `make` receives a function to call before it changes the first file of the folder, and returns the names of the
        stage's files. The previous files stay valid until that call.
        """
        self.check_inputs(stage, settings)
        started = perf_counter()
        names = make(lambda: self._forget(self._replaced_by(stage)))
        files = {name: fingerprint(self.path / name) for name in names}
        self._checker.remember(files)
        self.stages[stage] = {
            "settings": dict(settings),
            **facts,
            "seconds": round(perf_counter() - started, 2),
            "made": datetime.now(UTC).isoformat(timespec="seconds"),
            "program": _program(),
            "peak_memory": peak_memory(),
            "files": files,
        }
        self._finish()
        self._forget_progress(stage)

    def _forget_progress(self, stage: str) -> None:
        for path in chain.from_iterable(map(self.work.glob, PROGRESS.get(stage, ()))):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def _forget(self, stages: Iterable[str]) -> None:
        """Remove stages from the manifest; their files are listed as outdated until they are replaced or deleted."""
        dropped = [self.stages.pop(stage)["files"] for stage in list(stages) if stage in self.stages]
        self.manifest["outdated"] = sorted({*self.manifest.get("outdated", ()), *chain.from_iterable(dropped)})
        write_manifest(self.path, self.manifest)

    def _finish(self) -> None:
        """Delete outdated files that no stage uses, and write the manifest."""
        needed = set(chain.from_iterable(record["files"] for record in self.stages.values()))
        for name in set(self.manifest.pop("outdated", ())) - needed:
            (self.path / name).unlink(missing_ok=True)
        write_manifest(self.path, self.manifest)
        self._opened = self._states()

    def _replaced_by(self, stage: str) -> list[str]:
        atoms_of_induced = self.stages.get("atomize", {}).get("settings", {}).get("vectors") == "induced"
        return [stage, *STAGES[stage], *(["atomize"] if stage == "map" and atoms_of_induced else [])]

    def staging(self) -> AbstractContextManager[Path]:
        """Create a folder for the new files of a stage, while the old ones are still in place."""
        return spill_folder(self.work)

    def install(self, staged: Path, forget: Callable[[], None]) -> list[str]:
        """Move the staged files of a stage to their places, replacing the old ones, and return their names."""
        names = sorted(path.name for path in staged.iterdir())
        forget()
        for name in names:
            (staged / name).replace(self.path / name)
        sync_folder(self.path)  # before the manifest says that they are there
        return names

    def install_model(self, staged: Path, manifest: Mapping[str, Any]) -> None:
        """Replace the whole model by a staged one; Ctrl-C is deferred until this is done."""
        with defer_interrupts():
            self.install(staged, lambda: self._forget(self.stages))
            self.manifest = {**manifest, "outdated": self.manifest["outdated"]}
            self._finish()

    def share(self, stage: str, path: Path | str) -> ModelFolder:
        """Start another model from one stage of this one; its files are hard links where the disk allows."""
        record = self.require(stage, "make it first.")
        if self.manifest.get("compact"):
            raise ModelError(f"{self.path} is compact and has no counts; pass the model that it was made from.")
        other = ModelFolder(path, create=True)
        with other.working():
            if not other.stages:
                self.check(stage, thorough=True)
                other._forget(())  # from now on it is a model folder, even after a kill
                try:
                    self._link_files(record["files"], other)
                    self.check_unchanged()
                except BaseException:
                    for name in (*record["files"], MANIFEST):
                        (other.path / name).unlink(missing_ok=True)
                    raise
                other.stages[stage] = record
                other._finish()
            elif other.stages.get(stage, {}).get("settings") != record["settings"]:
                raise ModelError(f"{other.path} is another model than {self.path}; pass a new folder.")
        return other

    def _link_files(self, names: Iterable[str], other: ModelFolder) -> None:
        for name in names:
            (other.path / name).unlink(missing_ok=True)
            try:
                (other.path / name).hardlink_to(self.path / name)
            except OSError:
                copy_file(self.path / name, other.path / name)

    def require(self, stage: str, advice: str) -> dict[str, Any]:
        """Return the record of a stage, or raise with advice on how to make it."""
        if stage not in self.stages:
            raise ModelError(f"{self.path} has no '{stage}' stage yet; {advice}")
        record: dict[str, Any] = self.stages[stage]
        return record


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        with suppress(OSError):  # usually because it is not empty
            folder.rmdir()


def _describe(settings: Settings, names: list[str]) -> str:
    parts = []
    for name in names:
        value = json.dumps(settings.get(name), ensure_ascii=False)
        parts.append(f"{name} {value}" if len(value) <= 60 else f"other {name}")
    return ", ".join(parts)


def peak_memory() -> int | None:
    """Return the peak resident memory of this process in bytes, where the system reports it."""
    with suppress(OSError, StopIteration):  # Linux, where getrusage includes the parent process before exec
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


# --- The manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and check the manifest of a folder; without a file, return that of a model without stages."""
    path = folder / MANIFEST
    try:
        manifest: dict[str, Any] = read_json(path, LARGEST_MANIFEST)
        known = manifest["format"] <= FORMAT
        if known:
            _check_manifest(manifest)
    except FileNotFoundError:
        return {"format": FORMAT, "stages": {}}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is damaged ({error}); train the model again into a new folder.") from error
    if not known:
        raise ModelError(f"{path} has format {manifest['format']}, newer than this program knows; upgrade wordatoms.")
    return manifest


def _manifest_bytes(folder: Path) -> bytes | None:
    """Return the manifest of a folder as it is on disk; None if it cannot be read, which `read_manifest` explains."""
    with suppress(OSError, ValueError):
        return read_bytes(folder / MANIFEST, LARGEST_MANIFEST)
    return None


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest of a folder with its checksum."""
    write_json(folder / MANIFEST, {**manifest, CHECKSUM: _checksum(manifest)})


def _check_manifest(manifest: dict[str, Any]) -> None:
    """Raise unless a manifest is well-formed and matches its checksum, which is removed."""
    recorded = manifest.pop(CHECKSUM, None)
    if recorded is not None and recorded != _checksum(manifest):
        raise ValueError("checksum mismatch")
    for record in manifest["stages"].values():
        _check_record(record)
    if not all(isinstance(name, str) and Path(name).name == name for name in manifest.get("outdated", ())):
        raise ValueError("'outdated' is not a list of file names")


def _checksum(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _check_record(record: Any) -> None:
    needed = {"settings": dict, "files": dict, "program": str}
    for name, kind in {**needed, "seconds": int | float, "made": str}.items():  # compact models lack the last two
        if (name in needed or name in record) and not isinstance(record[name], kind):
            raise TypeError(f"'{name}' has the wrong type")
    check_recorded(record["files"])

"""The folder of a model: its manifest, the stages that are done, and the place for work in progress.

`manifest.json` tells how every stage was made: settings, inputs with their hashes, seconds, files with their
checksums. A stage that the manifest shows done with the same settings, and whose files are whole, is skipped; with
other settings it is refused unless forced. Work in progress lives in `.work`, held by one process at a time.

A process may die at any moment. So the manifest names a stage only while all its files are there: the stages that are
made anew leave it before the first of their files changes, and come back after the last.
"""

from __future__ import annotations

import errno
import json
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

from wordatoms.errors import ModelError
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.files import clear_parts, clear_spills, spill_folder
from wordatoms.storage.integrity import Checked, FileChecker, fingerprint
from wordatoms.storage.locks import defer_interrupts, lock_work_folder
from wordatoms.storage.manifest import FILE as MANIFEST
from wordatoms.storage.manifest import read_manifest, write_manifest
from wordatoms.storage.untrusted import refuse_links

STAGES = {
    "import": ["count", "embed", "map", "atomize", "tune"],
    "count": ["import", "embed", "map", "atomize", "tune"],
    "embed": ["import", "map", "atomize", "tune"],
    "map": ["tune"],
    "atomize": ["tune"],
    "tune": [],
}
"""Each stage with those that are no longer valid when it is made anew."""
INPUTS = {
    "import": [],
    "count": [],
    "embed": ["count"],
    "map": ["import", "count", "embed"],
    "atomize": ["import", "count", "embed"],
    "tune": ["import", "count", "embed", "map", "atomize"],
}
"""Each stage with those it is built on, where the model has them."""
PROGRESS = {
    "count": ["parts/words-*", "parts/pairs-*"],
    "embed": ["*.npz", "lines"],
    "map": ["parts"],
    "atomize": ["atoms"],
}
"""What a stage keeps in `.work` until it is done, so that it can go on after an interruption."""
Settings = Mapping[str, Any]
Make = Callable[[Callable[[], None]], list[str]]


class ModelFolder:
    """A model's folder on disk."""

    def __init__(self, path: Path | str, *, create: bool = False) -> None:
        self.path = Path(path)
        if create:
            self._create()
        elif not (self.path / MANIFEST).is_file():
            raise ModelError(self._say_what_it_is())
        self.manifest = read_manifest(self.path)
        self._checker = FileChecker(self.path)

    def __repr__(self) -> str:
        return f"ModelFolder({str(self.path)!r}, stages: {', '.join(self.stages) or 'none'})"

    def _say_what_it_is(self) -> str:
        if self.work.is_dir():
            return f"{self.path} holds the beginnings of a model and no finished stage; run the same command again."
        return f"{self.path} is not a model folder (it has no manifest.json); pass the folder of a model."

    def _create(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise ModelError(f"{self.path} is a file; pass a folder for the model.")
        strangers = self.path.is_dir() and any(self.path.iterdir()) and not (self.path / MANIFEST).exists()
        if strangers and not self.work.exists():
            raise ModelError(f"{self.path} holds other files and no model; pass a new or empty folder.")

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
        refuse_links(self.path, self.work)
        new = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            with lock_work_folder(self.work) as held:
                if not held:
                    raise ModelError(f"another process is working in {self.path}; wait for it, or pass another folder.")
                self._clear_leftovers()
                self.manifest = read_manifest(self.path)  # another process may have worked here until now
                try:
                    yield
                finally:
                    with defer_interrupts():
                        self._clear_leftovers()
        except OSError as error:
            if _is_full(error) if error.filename is None else _is_below(error.filename, self.work):
                error.filename = str(self.path)  # the name that the user knows
            raise
        finally:
            _remove_empty(self.work, *new)

    def _clear_leftovers(self) -> None:
        """What a process that died was writing; a checkpoint stays."""
        clear_spills(self.path)
        clear_spills(self.work)
        for folder in (self.path, self.work, *filter(Path.is_dir, self.work.rglob("*"))):
            clear_parts(folder)
        _remove_empty(*sorted(filter(Path.is_dir, self.work.rglob("*")), reverse=True))

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
            done = not any(file.fault for file in self.check_files(stage, thorough=True))
            if done:
                self._forget_progress(stage)  # whoever made it may have died just before
            return done
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

    # --- whether the files are those that were written

    def check_files(self, *stages: str, thorough: bool = False) -> list[Checked]:
        """All files of some stages, or of all, each with what is wrong with it; `thorough` reads large ones, too."""
        records = {stage: record for stage, record in self.stages.items() if stage in (stages or self.stages)}
        found = (self._checker.check(stage, record["files"], thorough=thorough) for stage, record in records.items())
        return list(chain.from_iterable(found))

    def check(self, *stages: str, thorough: bool = False) -> None:
        """Raise where a file is not as it was written."""
        broken = [file for file in self.check_files(*stages, thorough=thorough) if file.fault]
        if not broken:
            return
        if (now := read_manifest(self.path)) != self.manifest:  # somebody made a stage anew as we were looking
            self.manifest = now
            self.check(*stages, thorough=thorough)
            return
        more = f" (and {len(broken) - 1} more like it)" if len(broken) > 1 else ""
        raise ModelError(f"{self.path / broken[0].name} {broken[0].fault}{more}; {self._advice(broken[0].stage)}")

    def check_unchanged(self) -> None:
        """Raise where another process has made anew what was there when this folder was opened."""
        now = read_manifest(self.path)["stages"]
        if any(now.get(stage) != record for stage, record in self.stages.items()):
            raise ModelError(f"{self.path} was changed by another process since it was opened; open it again.")

    def check_inputs(self, stage: str, settings: Settings) -> None:
        """Raise where a file that a stage is built on is not as it was written."""
        also = ["map"] if settings.get("vectors") == "induced" else []
        if inputs := [name for name in (*INPUTS[stage], *also) if name in self.stages]:
            self.check(*inputs, thorough=True)

    def _advice(self, stage: str) -> str:
        """What to do about a broken file."""
        if self.path.resolve() == ENGLISH.resolve():
            return "install wordatoms again."
        if self.manifest.get("compact"):
            return "copy the model again from where it came from, or export it again."
        others = "" if stage in ("import", "tune") else " (or train)"
        return f"run wordatoms {stage}{others} again as before, which makes anew what is broken."

    # --- making

    def build(self, stage: str, settings: Settings, make: Make, **facts: Any) -> None:
        """Make a stage anew and write it, with further facts, into the manifest.

        `make` is given a function to call before it changes the first file of the folder, and returns the names of its
        files: what was there stays valid until then.
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
        """Take stages out of the manifest, which remembers their files until these are replaced or gone."""
        dropped = [self.stages.pop(stage)["files"] for stage in list(stages) if stage in self.stages]
        self.manifest["outdated"] = sorted({*self.manifest.get("outdated", ()), *chain.from_iterable(dropped)})
        write_manifest(self.path, self.manifest)

    def _finish(self) -> None:
        """Remove what no stage needs any more, and write the manifest."""
        needed = set(chain.from_iterable(record["files"] for record in self.stages.values()))
        for name in set(self.manifest.pop("outdated", ())) - needed:
            (self.path / name).unlink(missing_ok=True)
        write_manifest(self.path, self.manifest)

    def _replaced_by(self, stage: str) -> list[str]:
        atoms_of_induced = self.stages.get("atomize", {}).get("settings", {}).get("vectors") == "induced"
        return [stage, *STAGES[stage], *(["atomize"] if stage == "map" and atoms_of_induced else [])]

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """A folder in which the files of a stage are written before those of the old one go."""
        with spill_folder(self.work) as path:
            yield path

    def install(self, staged: Path, forget: Callable[[], None]) -> list[str]:
        """Put the staged files of a stage where they belong, in place of its old ones; their names."""
        names = sorted(path.name for path in staged.iterdir())
        forget()
        for name in names:
            (staged / name).replace(self.path / name)
        return names

    def install_model(self, staged: Path, manifest: Mapping[str, Any]) -> None:
        """Put a whole model in place of the one that is there; Ctrl-C waits until it stands."""
        with defer_interrupts():
            self.install(staged, lambda: self._forget(self.stages))
            self.manifest = {**manifest, "outdated": self.manifest["outdated"]}
            self._finish()

    def share(self, stage: str, path: Path | str) -> ModelFolder:
        """Another model that has one stage of this one; its files are linked, not copied, where the disk allows."""
        record = self.require(stage, "make it first.")
        if self.manifest.get("compact"):
            raise ModelError(f"{self.path} is compact and keeps no counts; pass the model that it was made from.")
        other = ModelFolder(path, create=True)
        with other.working():
            if not other.stages:
                self.check(stage, thorough=True)
                other._forget(())  # from now on it is a model's folder, whatever happens
                self._link_files(record["files"], other)
                other.stages[stage] = record
                other._finish()
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


def _is_below(path: object, folder: Path) -> bool:
    return Path(str(path)).resolve().is_relative_to(folder.resolve())


def _is_full(error: OSError) -> bool:
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def _remove_empty(*folders: Path) -> None:
    for folder in folders:
        with suppress(OSError):  # not empty, as a rule
            folder.rmdir()


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

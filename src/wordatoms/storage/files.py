"""Files that appear whole or not at all, arrays without pickle, and the checkpoints of trainers."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wordatoms.errors import ModelError
from wordatoms.storage.locks import (
    CAN_LOCK,
    defer_interrupts,
    lock_folder,
    open_locked,
    remove_abandoned,
    remove_locked,
)
from wordatoms.storage.untrusted import is_plain_zip, open_array

Array = NDArray[Any]
SPILL = ".spill-"
"""How the names of folders for intermediate results begin."""
UNFINISHED = ".unfinished"


@contextmanager
def write_atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when everything is on disk."""
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    part, opened = _open_part(path)
    with opened as file:  # locked until it is closed
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if CAN_LOCK:
                part.replace(path)
        except BaseException as error:
            remove_locked(part, file)
            if isinstance(error, OSError) and error.errno and error.filename in (None, str(part)):
                error.filename = str(path)  # the name that the user knows
            raise
    if not CAN_LOCK:  # on such a system only a closed file can be renamed
        part.replace(path)


def _open_part(path: Path) -> tuple[Path, IO[bytes]]:
    """What becomes the file. Its name stays the same, so that what a killed process left is taken over, not left."""
    part = path.with_name(f".{path.name}.part")
    try:
        while (file := open_locked(part)) is None:  # two are writing the same file; the last one wins
            part = path.with_name(f".{path.name}.{uuid4().hex}.part")
        return part, file
    except OSError as error:
        error.filename = str(path)
        raise


def write_json(path: Path, value: object) -> None:
    with write_atomic(path) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def save_array(path: Path, array: Array) -> None:
    with write_atomic(path) as file:
        try:
            np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        except OSError as error:
            if error.errno is None:  # numpy says only how much it could write
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
            raise


def load_array(path: Path, *, mmap: bool = True) -> Array:
    """An array of a model folder, memory-mapped and read-only unless asked otherwise."""
    try:
        array = open_array(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; make that stage of the model again, with --force.") from None
    except (ValueError, OSError) as error:
        raise ModelError(
            f"{path} is not a readable array ({error}); make that stage of the model again, with --force."
        ) from error
    # Still on disk; numpy's class for maps makes every small slice slower.
    return array.view(np.ndarray) if mmap else np.array(array)


class Saved(NamedTuple):
    """What a checkpoint holds: the number of finished steps and the arrays to go on from."""

    step: int
    arrays: dict[str, Array]


@dataclass(frozen=True)
class Checkpoint:
    """One file that always holds the last finished step of a trainer.

    `settings` describe the run; a file left by a run with other settings is ignored. Scalars go in as
    0-dimensional arrays.
    """

    path: Path
    settings: Mapping[str, object]

    def save(self, step: int, arrays: Mapping[str, Array]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        key = {"settings": np.array(self._key()), "names": np.array(sorted(arrays))}
        everything: dict[str, Any] = {"step": np.array(step), **key, **arrays}
        with write_atomic(self.path) as file:
            np.savez(file, allow_pickle=False, **everything)

    def load(self) -> Saved | None:
        try:
            if not is_plain_zip(self.path):
                return None
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            step, key, names = (arrays.pop(name) for name in ("step", "settings", "names"))
            return Saved(int(step), arrays) if str(key) == self._key() and names.tolist() == sorted(arrays) else None
        except Exception:  # whatever is wrong with the file, the run can start again without it
            return None

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)

    def _key(self) -> str:
        return json.dumps(dict(self.settings), sort_keys=True, default=str)


@dataclass(frozen=True)
class ArrayFile:
    """A one-dimensional array on disk of which slices are read as they are asked for.

    Unlike a memory map it never adds to the resident memory more than the slice.
    """

    path: Path
    dtype: np.dtype[Any]
    length: int

    HEADER_BYTES = 128

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, part: slice) -> Array:
        start, stop, _ = part.indices(self.length)
        offset = self.HEADER_BYTES + start * self.dtype.itemsize
        return np.fromfile(self.path, self.dtype, count=max(stop - start, 0), offset=offset)


class ArrayWriter:
    """Writes a one-dimensional `.npy` file piece by piece, without knowing its length beforehand."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), 0
        self._file = path.open("wb")
        self._file.write(bytes(ArrayFile.HEADER_BYTES))

    def append(self, array: Array) -> None:
        try:
            self._file.write(np.ascontiguousarray(array, self.dtype).data)
        except OSError as error:
            error.filename = str(self.path)  # it tells which disk is full
            raise
        self.length += len(array)

    def close(self) -> ArrayFile:
        header = f"{{'descr': '{self.dtype.str}', 'fortran_order': False, 'shape': ({self.length},), }}"
        prefix = np.lib.format.magic(1, 0) + (ArrayFile.HEADER_BYTES - 10).to_bytes(2, "little")
        self._file.seek(0)
        self._file.write(prefix + header.ljust(ArrayFile.HEADER_BYTES - 11).encode() + b"\n")
        self._file.close()
        return ArrayFile(self.path, self.dtype, self.length)


def sync_file(path: Path) -> None:
    """A machine may die too, and what tells of a file must not outlive it."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def spill_array(array: Array, folder: Path | None) -> Array | ArrayFile:
    """The array, or its twin on disk where there is a folder for it."""
    if folder is None:
        return array
    writer = ArrayWriter(folder / f"{uuid4().hex}.npy", array.dtype)
    writer.append(array)
    return writer.close()


@contextmanager
def spill_folder(parent: Path | None) -> Iterator[Path]:
    """A folder for intermediate results, below the given one (they may be large) or the system's, gone afterwards."""
    path = Path(mkdtemp(prefix=SPILL, dir=parent))
    try:
        yield path
    finally:
        with defer_interrupts():
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def staging_folder(path: Path) -> Iterator[Path]:
    """A new folder beside a path, to be renamed to it when all is in; gone afterwards where it was not.

    What a killed process left under such a name goes first.
    """
    path = path.absolute()
    for stale in path.parent.glob(f".{escape(path.name)}.*{UNFINISHED}"):
        with lock_folder(stale) as abandoned:
            if abandoned:
                shutil.rmtree(stale, ignore_errors=True)
    work = Path(mkdtemp(prefix=f".{path.name}.", suffix=UNFINISHED, dir=path.parent))
    with lock_folder(work):
        try:
            yield work
        finally:
            with defer_interrupts():
                shutil.rmtree(work, ignore_errors=True)


def clear_spills(folder: Path) -> None:
    """Remove the intermediate results of a killed process, where no other is at work."""
    for stale in folder.glob(f"{SPILL}*"):
        shutil.rmtree(stale, ignore_errors=True)


def clear_parts(folder: Path) -> None:
    """Remove the files that killed processes were writing into a folder."""
    for part in folder.glob(".*.part"):
        remove_abandoned(part)

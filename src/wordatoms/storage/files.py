"""Atomic writes, arrays without pickle, intermediate results on disk, and checkpoints of trainers."""

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
"""Prefix of the names of folders for intermediate results."""
UNFINISHED = ".unfinished"


@contextmanager
def write_atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that gets its name only when it is complete and on disk."""
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
    if not CAN_LOCK:  # such systems cannot rename an open file
        part.replace(path)


def _open_part(path: Path) -> tuple[Path, IO[bytes]]:
    """Open the file to be renamed. Its name is fixed, so that the next writer reuses what a killed process left."""
    part = path.with_name(f".{path.name}.part")
    try:
        while (file := open_locked(part)) is None:  # another process writes the same file; the last one wins
            part = path.with_name(f".{path.name}.{uuid4().hex}.part")
        return part, file
    except OSError as error:
        error.filename = str(path)
        raise


def write_json(path: Path, value: object) -> None:
    """Write a JSON file atomically."""
    with write_atomic(path) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def save_array(path: Path, array: Array) -> None:
    """Write an .npy file atomically."""
    with write_atomic(path) as file:
        try:
            np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        except OSError as error:
            if error.errno is None:  # numpy only reports how many items it could write
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
            raise


def load_array(path: Path, *, mmap: bool = True) -> Array:
    """Load an array of a model folder, memory-mapped and read-only by default."""
    try:
        array = open_array(path)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; run that stage of the model again with --force.") from None
    except (ValueError, OSError) as error:
        raise ModelError(
            f"{path} is not a readable array ({error}); run that stage of the model again with --force."
        ) from error
    # The view is still memory-mapped; slicing numpy's memmap class is slower.
    return array.view(np.ndarray) if mmap else np.array(array)


class Saved(NamedTuple):
    """Content of a checkpoint: the number of finished steps and the arrays to resume from."""

    step: int
    arrays: dict[str, Array]


@dataclass(frozen=True)
class Checkpoint:
    """A file with the state of a trainer after its last finished step.

    `settings` identify the run; a file written with other settings is ignored. Scalars are stored as 0-dimensional
    arrays.
    """

    path: Path
    settings: Mapping[str, object]

    def save(self, step: int, arrays: Mapping[str, Array]) -> None:
        """Write the state after a step, replacing the previous one."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        key = {"settings": np.array(self._key()), "names": np.array(sorted(arrays))}
        everything: dict[str, Any] = {"step": np.array(step), **key, **arrays}
        with write_atomic(self.path) as file:
            np.savez(file, allow_pickle=False, **everything)

    def load(self) -> Saved | None:
        """Read the state; None if there is none for these settings or the file is damaged."""
        try:
            if not is_plain_zip(self.path):
                return None
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            step, key, names = (arrays.pop(name) for name in ("step", "settings", "names"))
            return Saved(int(step), arrays) if str(key) == self._key() and names.tolist() == sorted(arrays) else None
        except Exception:  # whatever is wrong with the file, the run can start without it
            return None

    def remove(self) -> None:
        """Delete the file if it exists."""
        self.path.unlink(missing_ok=True)

    def _key(self) -> str:
        return json.dumps(dict(self.settings), sort_keys=True, default=str)


@dataclass(frozen=True)
class ArrayFile:
    """A one-dimensional array on disk whose slices are read on demand.

    Unlike a memory map, it adds no more than the slice to resident memory.
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
    """Writes a one-dimensional `.npy` file in pieces; the length need not be known in advance."""

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), 0
        self._file = path.open("wb")
        self._write_header()

    def append(self, array: Array) -> None:
        """Write the next piece."""
        try:
            self._file.write(np.ascontiguousarray(array, self.dtype).data)
        except OSError as error:
            error.filename = str(self.path)  # tells which disk is full
            raise
        self.length += len(array)

    def close(self) -> ArrayFile:
        """Write the final header and close the file."""
        self._file.seek(0)
        self._write_header()
        self._file.close()
        return ArrayFile(self.path, self.dtype, self.length)

    def _write_header(self) -> None:
        # numpy pads the header of any one-dimensional array to HEADER_BYTES, so that the length can be filled in.
        facts = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length,)}
        np.lib.format.write_array_header_1_0(self._file, facts)


def sync_file(path: Path) -> None:
    """Force a file to disk, so that an entry that refers to it cannot outlive it in a power cut."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def spill_array(array: Array, folder: Path | None) -> Array | ArrayFile:
    """Write an array to a file in the folder; without a folder, return it unchanged."""
    if folder is None:
        return array
    writer = ArrayWriter(folder / f"{uuid4().hex}.npy", array.dtype)
    writer.append(array)
    return writer.close()


@contextmanager
def spill_folder(parent: Path | None) -> Iterator[Path]:
    """Create a folder for intermediate results, below `parent` or the system's, and remove it afterwards."""
    path = Path(mkdtemp(prefix=SPILL, dir=parent))
    try:
        yield path
    finally:
        with defer_interrupts():
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def staging_folder(path: Path) -> Iterator[Path]:
    """Create a folder next to `path`, to be renamed to it when complete; otherwise it is removed afterwards.

    Staging folders that killed processes left are removed first.
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


def clear_parts(folder: Path) -> None:
    """Remove the files that killed processes were writing into a folder."""
    for part in folder.glob(".*.part"):
        remove_abandoned(part)

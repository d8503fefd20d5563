"""Files that appear whole or not at all, arrays without pickle, and the checkpoints of trainers."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, NamedTuple
from uuid import uuid4
from zipfile import BadZipFile

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wordatoms.errors import ModelError

Array = NDArray[Any]


@contextmanager
def write_whole(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its name only when everything is on disk."""
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.filename == str(part):
            error.filename = str(path)  # the name that the user knows
        raise


def write_json(path: Path, value: object) -> None:
    with write_whole(path) as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n")


def save_array(path: Path, array: Array) -> None:
    with write_whole(path) as file:
        try:
            np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
        except OSError as error:
            if error.errno is None:  # numpy says only how much it could write
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
            raise


def load_array(path: Path, *, mmap: bool = True) -> Array:
    """An array of a model folder, memory-mapped and read-only unless asked otherwise."""
    try:
        array: Array = np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; make that stage of the model again, with --force.") from None
    except (ValueError, EOFError, OSError) as error:
        raise ModelError(
            f"{path} is not a readable array ({error}); make that stage of the model again, with --force."
        ) from error
    return array.view(np.ndarray)  # still on disk; numpy's class for maps makes every small slice slower


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, waiting for whoever holds it; the system frees it even after kill -9."""
    try:
        import fcntl
    except ImportError:  # not on this system: nobody is kept out
        yield
        return
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
        everything: dict[str, Any] = {"step": np.array(step), "settings": np.array(self._key()), **arrays}
        with write_whole(self.path) as file:
            np.savez(file, allow_pickle=False, **everything)

    def load(self) -> Saved | None:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
        except (OSError, ValueError, EOFError, BadZipFile, KeyError):
            return None
        if str(arrays.pop("settings", "")) != self._key():
            return None
        return Saved(int(arrays.pop("step")), arrays)

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
        self._file.write(np.ascontiguousarray(array, self.dtype).data)
        self.length += len(array)

    def close(self) -> ArrayFile:
        header = f"{{'descr': '{self.dtype.str}', 'fortran_order': False, 'shape': ({self.length},), }}"
        prefix = np.lib.format.magic(1, 0) + (ArrayFile.HEADER_BYTES - 10).to_bytes(2, "little")
        self._file.seek(0)
        self._file.write(prefix + header.ljust(ArrayFile.HEADER_BYTES - 11).encode() + b"\n")
        self._file.close()
        return ArrayFile(self.path, self.dtype, self.length)


def spilled(array: Array, folder: Path | None) -> Array | ArrayFile:
    """The array, or its twin on disk where there is a folder for it."""
    if folder is None:
        return array
    writer = ArrayWriter(folder / f"{uuid4().hex}.npy", array.dtype)
    writer.append(array)
    return writer.close()


@contextmanager
def spill_folder(parent: Path | None) -> Iterator[Path]:
    """A folder for intermediate results, below the given one (they may be large) or the system's, gone afterwards."""
    with TemporaryDirectory(prefix=".spill-", dir=parent, ignore_cleanup_errors=True) as name:
        yield Path(name)

"""Atomic writes, arrays without pickle, intermediate results on disk, and checkpoints of trainers.

Every query loads this module, to read; what only writing needs is imported where it is used.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import escape
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wordatoms.errors import InputError, ModelError
from wordatoms.storage.locks import (
    IS_UNIX,
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
PART = ".part"
COPY_BYTES = 1 << 20
LARGEST_READ = 1 << 28
"""Bytes of an array that is read into memory."""
MOST_SINGLE_ROWS = 100
"""Rows that `StoredRows` reads one by one; for more, it loads all."""


@contextmanager
def write_atomic(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing that gets its name only when it is complete and on disk."""
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            yield device
        return
    opened: IO[bytes] | None = None
    with errors_about(path):
        try:
            with defer_interrupts():
                part, opened = _open_part(path)
            with opened as file:  # locked until it is closed
                try:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                    if IS_UNIX:
                        part.replace(path)
                        sync_folder(path.parent)
                except BaseException:
                    remove_locked(part, file)
                    raise
        except KeyboardInterrupt:  # it may have come just after the file was made
            if opened is not None:
                opened.close()
            remove_abandoned(part_of(path))
            raise
        if not IS_UNIX:  # such systems cannot rename an open file
            part.replace(path)


@contextmanager
def errors_about(path: Path) -> Iterator[None]:
    """Let errors of the operating system name this file or folder, not none or a temporary one."""
    try:
        yield
    except OSError as error:
        found = Path(str(error.filename)) if error.filename is not None else None
        if error.errno and (found is None or found.suffix == PART or UNFINISHED in str(found)):
            error.filename = str(path)
        raise


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to disk, so that a power cut cannot lose a file that was finished before it."""
    if IS_UNIX:  # elsewhere a folder cannot be opened
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        except OSError as error:
            if error.errno != errno.EINVAL:  # a file system that cannot
                raise
        finally:
            os.close(number)


def copy_file(source: Path, target: Path) -> None:
    """Copy the content of a file atomically; an error in writing names the copy."""
    with source.open("rb") as original, write_atomic(target) as copy:
        shutil.copyfileobj(original, copy, COPY_BYTES)


@contextmanager
def write_together(first: Path, last: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """Open two files that belong together; a reader never finds one of them new and the other old.

    Both are complete on disk before either gets its name. `last` is removed before `first` is replaced, so a process
    killed between the two leaves no `last`, and the old files stay if the disk is full.
    """
    last = last.resolve()
    with ExitStack() as until_done, write_atomic(last) as last_file, write_atomic(first) as first_file:
        yield first_file, last_file
        for file in (first_file, last_file):
            file.flush()
            if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                os.fsync(file.fileno())
        until_done.enter_context(defer_interrupts())
        if last.is_file():
            last.unlink()


def _open_part(path: Path) -> tuple[Path, IO[bytes]]:
    """Open the file to be renamed. Its name is fixed, so that the next writer reuses what a killed process left."""
    from uuid import uuid4

    part = part_of(path)
    while (file := open_locked(part)) is None:  # another process writes the same file; the last one wins
        part = path.with_name(f".{path.name}.{uuid4().hex}{PART}")
    return part, file


def part_of(path: Path) -> Path:
    """The file that becomes `path` when it is complete; one that nobody is writing was left by a killed process."""
    return path.with_name(f".{path.name}{PART}")


def write_json(path: Path, value: object) -> None:
    """Write a JSON file atomically."""
    with write_atomic(path) as file:
        file.write(json_bytes(value))


def json_bytes(value: object) -> bytes:
    """Format a value as JSON; numbers must be finite."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def save_array(path: Path, array: Array) -> None:
    """Write an .npy file atomically."""
    with write_atomic(path) as file:
        write_array(file, array, path)


def write_array(file: IO[bytes], array: Array, path: Path) -> None:
    """Write an array in numpy's format into an open file of this path."""
    try:
        np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)
    except OSError as error:
        if error.errno is None:  # numpy only reports how many items it could write
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        raise


def load_array(path: Path) -> Array:
    """Load an array of a model folder, read-only.

    It is read into memory, so that it stays what it was if the file is changed or cut short. Only arrays of more than
    `LARGEST_READ` bytes are memory-mapped; `ModelFolder.check_mapped` tells whether they changed.
    """
    return _open(path, mapped=False)


def load_rows_of(path: Path, rows: Sequence[int]) -> Array:
    """Load some rows of a two-dimensional array of a model folder without reading the others."""
    try:
        mapped = open_array(path)
        if mapped.ndim != 2 or not mapped.flags.c_contiguous or not all(0 <= row < len(mapped) for row in rows):
            raise ValueError(f"it has no such rows: its shape is {mapped.shape}")
        width, size = mapped.shape[1], mapped.itemsize
        read = [np.fromfile(path, mapped.dtype, width, offset=mapped.offset + row * width * size) for row in rows]
        return np.stack(read) if read else np.empty((0, width), mapped.dtype)
    except (ValueError, OSError) as error:
        raise ModelError(
            f"{path} is not a readable array ({error}); run that stage of the model again with --force."
        ) from error


class StoredRows:
    """A two-dimensional array of a model folder, of which a query needs few rows: only these are read.

    Many rows at once, or a slice, load the whole array.

    Parameters
    ----------
    path : Path
        An .npy file.
    check : callable
        Called after each reading; raises if the folder has changed since it was opened.
    """

    def __init__(self, path: Path, check: Callable[[], None]) -> None:
        array = map_array(path)
        if array.ndim != 2 or not array.flags.c_contiguous:
            raise ModelError(f"{path} is not a table of rows; run that stage of the model again with --force.")
        self.shape, self.dtype = array.shape, array.dtype
        self._path, self._check = path, check

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: Sequence[int] | Array | slice) -> Array:
        if isinstance(rows, slice) or len(rows) > MOST_SINGLE_ROWS or "_all" in self.__dict__:
            return np.asarray(self._all[rows])
        try:
            return load_rows_of(self._path, [*map(int, rows)])
        finally:  # rows of another model may be read without an error
            self._check()

    @cached_property
    def _all(self) -> Array:
        try:
            return load_array(self._path)
        finally:
            self._check()


def map_array(path: Path) -> Array:
    """Memory-map an array of a model folder, read-only: for what training reads, which may be larger than memory."""
    return _open(path, mapped=True)


def _open(path: Path, *, mapped: bool) -> Array:
    try:
        array = open_array(path)
        # The view is still memory-mapped; slicing numpy's memmap class is slower.
        return array.view(np.ndarray) if mapped or array.nbytes > LARGEST_READ else _read(path, array)
    except FileNotFoundError:
        raise ModelError(f"{path} is missing; run that stage of the model again with --force.") from None
    except (ValueError, OSError) as error:
        raise ModelError(
            f"{path} is not a readable array ({error}); run that stage of the model again with --force."
        ) from error


def _read(path: Path, mapped: np.memmap[Any, Any]) -> Array:
    """Read what is mapped, without touching the map: that would end the process if the file was cut short."""
    order: Any = "C" if mapped.flags.c_contiguous else "F"
    read = np.fromfile(path, mapped.dtype, mapped.size, offset=mapped.offset).reshape(mapped.shape, order=order)
    read.flags.writeable = False
    return read


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
        from zipfile import ZipFile

        self.path.parent.mkdir(parents=True, exist_ok=True)
        key = {"settings": np.array(self._key()), "names": np.array(sorted(arrays))}
        everything: dict[str, Any] = {"step": np.array(step), **key, **arrays}
        with write_atomic(self.path) as file, ZipFile(file, "w") as archive:
            for name, array in everything.items():  # np.savez of numpy 1.26 knows no allow_pickle
                with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)

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
    """Writes a `.npy` file in pieces; the length need not be known in advance.

    The array has one dimension, or two if the length of a row is given.
    """

    def __init__(self, path: Path, dtype: DTypeLike, row_shape: tuple[int, ...] = ()) -> None:
        self.path, self.dtype, self.row_shape, self.length = path, np.dtype(dtype), row_shape, 0
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
        # numpy pads the header (of one dimension to HEADER_BYTES), so that the length can be filled in.
        facts = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length, *self.row_shape)}
        np.lib.format.write_array_header_1_0(self._file, facts)


def release_pages(array: Array) -> None:
    """Let the system take back the pages of a memory-mapped array that were read; of other arrays, do nothing.

    The array stays usable. Without this, a pass over a mapped file makes the process as large as the file.
    """
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):  # not on every system
        base.madvise(mmap.MADV_DONTNEED)


def sync_file(path: Path) -> None:
    """Force a file to disk, so that an entry that refers to it cannot outlive it in a power cut."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def spill_array(array: Array, folder: Path | None) -> Array | ArrayFile:
    """Write an array to a file in the folder; without a folder, return it unchanged."""
    if folder is None:
        return array
    from uuid import uuid4

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
    # without locks of folders it cannot be told which of them is still written to
    for stale in path.parent.glob(f".{escape(path.name)}.*{UNFINISHED}") if IS_UNIX else ():
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


@contextmanager
def new_folder(
    folder: Path, marker: str, *, force: bool = False, is_ours: Callable[[str], bool] | None = None
) -> Iterator[Path]:
    """Create a temporary folder next to the final one, renamed at the end.

    The final one may exist if it is empty or if the same was written already: a kill may have come just after that.
    With `force` it may be any folder with the file `marker`, by which such folders are known, if `is_ours` says so of
    the names of all its files.
    """
    is_known = (folder / marker).is_file()
    taken = InputError(f"{folder} exists and is not empty; pass a new folder, or remove it first.")
    if folder.exists() and not _is_empty(folder) and not is_known:
        raise taken
    if force and is_known and is_ours is not None:
        strange = sorted(path.name for path in folder.iterdir() if not is_ours(path.name))
        if strange:
            raise InputError(f"{folder} also holds {strange[0]}, which would be lost; move it, or pass a new folder.")
    if not folder.absolute().parent.is_dir():
        raise InputError(f"the folder {folder.absolute().parent} does not exist; create it first.")
    with errors_about(folder), staging_folder(folder) as work:
        work.chmod(0o755)  # mkdtemp makes it private
        yield work
        if folder.exists() and not _is_empty(folder):
            if _are_same(work, folder):
                return
            if not (is_known and force):
                raise taken
        with defer_interrupts(), staging_folder(folder) as old:
            if folder.exists():
                folder.absolute().rename(old / "replaced")
            work.rename(folder.absolute())
            sync_folder(folder.absolute().parent)


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _are_same(first: Path, second: Path) -> bool:
    """Whether two folders have the same files with the same content."""
    import filecmp

    names = [{path.relative_to(folder) for path in folder.rglob("*")} for folder in (first, second)]
    return names[0] == names[1] and all(
        filecmp.cmp(first / name, second / name, shallow=False) for name in names[0] if (first / name).is_file()
    )


def clear_parts(folder: Path) -> None:
    """Remove the files that killed processes were writing into a folder."""
    for part in folder.glob(f".*{PART}"):
        remove_abandoned(part)

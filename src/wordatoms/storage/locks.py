"""Locks between processes, and blocks that Ctrl-C does not interrupt.

The operating system releases the locks when a process dies, even after kill -9. Unix locks whole files and folders;
Windows a byte of a file, no folder, and it neither removes nor renames a file that is open.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:
    msvcrt = None  # type: ignore[assignment]

IS_UNIX = fcntl is not None
"""Whether folders can be opened and locked, and open files renamed and removed."""
LOCK = "lock"
LOCKED_BYTE = 1 << 30
"""The byte that is locked on Windows: others can neither read nor write it, so it is far behind the lock files' end."""
WAIT_SECONDS = 0.05
"""Time between two attempts to take a lock, where the system cannot wait for it."""
ATTEMPTS = 1000
"""Attempts to take a lock whose file another process is removing."""


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a lock file, waiting until it is free."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        while fcntl is None and not _try_lock(file):
            time.sleep(WAIT_SECONDS)
        yield


@contextmanager
def lock_work_folder(folder: Path) -> Iterator[bool]:
    """Create a folder and hold it by a lock file in it; yields False if another process holds it.

    On exit the lock file is removed, and the folder too if it is empty.
    """
    file = _take(folder)
    try:
        yield file is not None
    finally:
        if file is not None:
            with file, suppress(OSError):
                if not IS_UNIX:
                    file.close()  # an open file stays; that of another who takes it now does, too
                (folder / LOCK).unlink(missing_ok=True)  # while we hold it, so that it is not the file of another
                folder.rmdir()


def _take(folder: Path) -> IO[str] | None:
    """Lock the lock file of a folder; None if another process holds it.

    The previous holder may remove the file after we opened it, or the folder after we made it; then we try again.
    """
    for _ in range(ATTEMPTS):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = (folder / LOCK).open("w")
        except (FileNotFoundError, FileExistsError):
            if folder.is_file():
                raise
            continue
        except PermissionError:
            if IS_UNIX or not folder.is_dir():
                raise
            time.sleep(WAIT_SECONDS)  # Windows is removing the file
            continue
        if _try_lock(file) and _is_still_there(folder / LOCK, file):
            return file
        gone = not _is_still_there(folder / LOCK, file)
        file.close()
        if not gone:
            return None
    return None


def open_locked(path: Path) -> IO[bytes] | None:
    """Open a file for writing, emptied and locked until it is closed; None if another process is writing it."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(path, flags, 0o666), "wb")
    if _try_lock(file) and _is_still_there(path, file):
        file.truncate(0)
        return file
    file.close()
    return None


def remove_locked(path: Path, file: IO[bytes]) -> None:
    """Remove a file opened by `open_locked`, if the path still leads to it."""
    with suppress(OSError):
        if _is_still_there(path, file):
            if not IS_UNIX:
                file.close()
            path.unlink()


def remove_abandoned(path: Path) -> None:
    """Remove a file created by `open_locked`, unless another process is writing it."""
    with suppress(OSError), path.open("rb") as file:
        if _try_lock(file):
            if not IS_UNIX:
                file.close()
            path.unlink(missing_ok=True)


@contextmanager
def lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder itself, without a file in it; yields False if another process holds it (only on Unix)."""
    if not IS_UNIX:
        yield True
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        yield _try_lock(number)
    finally:
        os.close(number)


def _try_lock(file: IO[Any] | int) -> bool:
    if fcntl is None:
        return _try_lock_byte(file if isinstance(file, int) else file.fileno())
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _try_lock_byte(number: int) -> bool:
    module: Any = msvcrt  # type checkers know it on Windows only
    if module is None:
        return True
    try:
        position = os.lseek(number, 0, os.SEEK_CUR)
        os.lseek(number, LOCKED_BYTE, os.SEEK_SET)
        try:
            module.locking(number, module.LK_NBLCK, 1)
        finally:
            os.lseek(number, position, os.SEEK_SET)
    except OSError as error:
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # others: a file system without locks
    return True


def _is_still_there(path: Path, file: IO[Any]) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the block, for clean-up that takes a moment."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if received:
            signal.raise_signal(received[0])

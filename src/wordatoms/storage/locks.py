"""Locks between processes, and blocks that Ctrl-C does not interrupt.

The operating system releases the locks when a process dies, even after kill -9. Where it has no such locks, none is
taken.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import IO, Any

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

CAN_LOCK = fcntl is not None
LOCK = "lock"
ATTEMPTS = 1000
"""Attempts to take a lock whose file another process is removing."""


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold a lock file, waiting until it is free."""
    with path.open("w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
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
            path.unlink()


def remove_abandoned(path: Path) -> None:
    """Remove a file created by `open_locked`, unless another process is writing it."""
    with suppress(OSError), path.open("rb") as file:
        if _try_lock(file):
            path.unlink(missing_ok=True)


@contextmanager
def lock_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder itself, without a file in it; yields False if another process holds it."""
    if not CAN_LOCK:
        yield True
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        yield _try_lock(number)
    finally:
        os.close(number)


def _try_lock(file: IO[Any] | int) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
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

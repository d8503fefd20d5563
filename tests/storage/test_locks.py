"""One process at a time, whatever happens to the lock file; Ctrl-C waits where it must."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from wordatoms.storage.locks import defer_interrupts, lock_work_folder, open_locked, remove_abandoned

RACE = """
import os, sys
from pathlib import Path
from wordatoms.storage.locks import lock_work_folder
folder, inside, n_held = Path(sys.argv[1]), Path(sys.argv[2]), 0
for _ in range(300):
    with lock_work_folder(folder) as held:
        if held:
            os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails where another one is inside
            inside.unlink()
            n_held += 1
print(n_held)
"""

WINDOWS = """
import errno, fcntl, os, sys, types

def locking(number, _mode, n_bytes):
    try:
        unix.lockf(number, unix.LOCK_EX | unix.LOCK_NB, n_bytes, os.lseek(number, 0, os.SEEK_CUR))
    except OSError as error:
        raise PermissionError(errno.EACCES, "Permission denied") from error

unix, sys.modules["fcntl"] = fcntl, None
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
"""
"""The locks of Windows on Unix, without what Windows refuses to do with open files."""
HOLD = """
from pathlib import Path
from wordatoms.storage.locks import file_lock, lock_work_folder, open_locked
folder, part = Path(sys.argv[1]), Path(sys.argv[2])
with lock_work_folder(folder) as held:
    file = open_locked(part)
    print(held, file is not None, flush=True)
    with file_lock(folder.with_name("waits")) if len(sys.argv) == 3 else open(os.devnull):
        sys.stdin.readline()
    if file:
        file.write(b"done")
        file.close()
"""


def test_processes_that_come_and_go_at_the_same_moment(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACE, str(tmp_path / "deep" / "held"), str(tmp_path / "inside")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    for process in processes:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
        assert int(out) > 0
    assert not (tmp_path / "deep" / "held").exists()


def test_windows_locks_a_byte(tmp_path: Path) -> None:
    paths = [str(tmp_path / "held"), str(tmp_path / "file.part")]
    command = [sys.executable, "-c", WINDOWS + HOLD, *paths]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "True True\n"
        second = subprocess.run([*command, "does not wait"], input="\n", capture_output=True, text=True)
        assert second.stdout == "False False\n", second.stderr
        waiting = subprocess.Popen(
            [sys.executable, "-c", WINDOWS + HOLD, *(path + "2" for path in paths)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(2)
        first.stdin.write("\n")
        first.stdin.flush()
        assert waiting.wait(60) == 0
    assert (tmp_path / "file.part").read_bytes() == b"done"
    assert not (tmp_path / "held").exists()


def test_the_folder_stays_where_something_is_in_it(tmp_path: Path) -> None:
    with lock_work_folder(tmp_path / "held") as held, lock_work_folder(tmp_path / "held") as again:
        assert (held, again) == (True, False)
        (tmp_path / "held" / "checkpoint").touch()
    assert [path.name for path in (tmp_path / "held").iterdir()] == ["checkpoint"]


def test_a_file_that_somebody_writes_is_not_abandoned(tmp_path: Path) -> None:
    path = tmp_path / "file.part"
    file = open_locked(path)
    assert file is not None
    with file:
        assert open_locked(path) is None
        remove_abandoned(path)
        assert path.exists()
    remove_abandoned(path)
    assert not path.exists()
    remove_abandoned(path)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "file.part").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic links"):
        open_locked(tmp_path / "file.part")
    assert (tmp_path / "precious").read_text() == "mine"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_wait_until_the_end(number: signal.Signals) -> None:
    class Came(Exception):
        pass

    def come(_number: int, _frame: object) -> None:
        raise Came

    before, steps = signal.signal(number, come), []
    try:
        with pytest.raises(Came), defer_interrupts():
            os.kill(os.getpid(), number)
            steps.append("after the signal")
        assert signal.getsignal(number) is come
    finally:
        signal.signal(number, before)
    assert steps == ["after the signal"]


def test_another_thread_is_undisturbed_as_it_is() -> None:
    done = []

    def work() -> None:
        with defer_interrupts():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done

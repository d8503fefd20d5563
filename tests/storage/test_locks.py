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


def test_processes_that_come_and_go_at_the_same_moment(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RACE, str(tmp_path / "deep" / "held"), str(tmp_path / "inside")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    for process in processes:
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors.decode()
        assert int(out) > 0
    assert not (tmp_path / "deep" / "held").exists()


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

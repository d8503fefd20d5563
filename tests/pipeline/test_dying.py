"""A full disk, a read-only folder, Ctrl-C, two at once: one sentence each, nothing half done, and on from there."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import wordatoms as wa
from commands import fails, run
from wordatoms.errors import ModelError
from wordatoms.pipeline.atomize import AtomSettings
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.storage.folder import ModelFolder, read_manifest

TEXT = Path(__file__).parents[1] / "data" / "small.txt"
OPTIONS = ("--min-count", "2", "--dim", "5", "--atoms", "10", "--restarts", "1", "--iterations", "2", "--threads", "1")
INTERRUPTED = "wordatoms: interrupted; finished stages and checkpoints are kept; run the same command to resume.\n"


def train(folder: Path) -> None:
    atoms = AtomSettings(n_atoms=10, n_restarts=1, n_iterations=2)
    settings = CountSettings(min_count=2)
    wa.train([TEXT], folder, settings=settings, parameters={"dim": 5}, atom_settings=atoms, run=Run(threads=1))


def content(folder: Path) -> dict[str, object]:
    """All files, hidden ones too; of the manifest only what does not differ from run to run."""
    files: dict[str, object] = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    stages = read_manifest(folder)["stages"]
    kept = {stage: [record["settings"], record["files"]] for stage, record in stages.items()}
    return {**files, "manifest.json": kept}


def leftovers(folder: Path) -> list[str]:
    """What nobody should leave behind: files half written, and empty folders."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.name.startswith(".spill-") or path.name.endswith(".part") or (path.is_dir() and not any(path.iterdir()))
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "model"
    train(folder)
    return folder


# --- a full disk


@pytest.mark.parametrize("n_written", [0, 3, 9, 20, 38])
def test_a_disk_that_is_full_from_some_file_on(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_written: int
) -> None:
    n_calls, sync = 0, os.fsync

    def fill(file: int) -> None:
        nonlocal n_calls
        n_calls += 1
        if n_calls > n_written:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(file)

    monkeypatch.setattr(os, "fsync", fill)
    with pytest.raises(OSError, match="No space left") as caught:
        train(tmp_path / "new" / "model")
    assert caught.value.filename.startswith(str(tmp_path / "new" / "model"))
    assert ".work" not in caught.value.filename
    monkeypatch.undo()
    assert not leftovers(tmp_path)
    if (tmp_path / "new" / "model" / "manifest.json").exists():
        ModelFolder(tmp_path / "new" / "model").check(thorough=True)
    else:
        with pytest.raises(ModelError, match=r"no finished stage; run the same|is not a model folder"):
            wa.load(tmp_path / "new" / "model")
    train(tmp_path / "new" / "model")
    assert content(tmp_path / "new" / "model") == content(whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_small_disk(small_disk: Path, whole: Path) -> None:
    message = fails(run("train", TEXT, "-o", small_disk / "model", *OPTIONS, "--quiet"))
    assert "the disk is full; free some space" in message
    assert not leftovers(small_disk)
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    train(small_disk / "model")
    assert content(small_disk / "model") == content(whole)


def test_a_read_only_disk(small_disk: Path, whole: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=20m", str(small_disk)], check=True)
    shutil.copytree(whole, small_disk / "model")
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert "the disk is read-only" in fails(run("train", TEXT, "-o", small_disk / "new", *OPTIONS, "--quiet"))
    assert "the disk is read-only" in fails(run("atomize", small_disk / "model", "--force", "--quiet"))
    assert run("senses", "tie", "--model", small_disk / "model").returncode == 0
    assert run("info", small_disk / "model", "--verify").returncode == 0


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(PermissionError) as caught:
        train(tmp_path / "model")
    assert caught.value.filename == str(tmp_path / "model")


# --- Ctrl-C


def interrupted_at_import(module: str, number: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`wordatoms` with Ctrl-C at the moment when it loads a module."""
    program = f"""
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.{number})
sys.meta_path.insert(0, Interrupt())
signal.signal(signal.SIGINT, signal.default_int_handler)
from wordatoms.cli import main
main()
"""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("module", "number"),
    [
        ("click", "SIGINT"),
        ("wordatoms.cli.root", "SIGTERM"),
        ("numpy", "SIGINT"),
        ("wordatoms.pipeline", "SIGINT"),
        ("numba", "SIGTERM"),
        ("wordatoms.atoms.ksvd", "SIGINT"),
    ],
)
def test_ctrl_c_while_the_program_is_loaded(tmp_path: Path, module: str, number: str) -> None:
    done = interrupted_at_import(module, number, "train", TEXT, "-o", tmp_path / "new" / "model", *OPTIONS, "--quiet")
    assert (done.returncode, done.stderr) == (130, INTERRUPTED)
    assert not leftovers(tmp_path)


def test_ctrl_c_at_many_moments_leaves_nothing_half_done(whole: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordatoms", "train", str(TEXT), "-o", str(tmp_path / "m"), *OPTIONS, "--quiet"]
    for tenths in (8, 11, 14, 18):
        with subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, _interrupt)
        ) as process:
            time.sleep(tenths / 10)
            process.send_signal(signal.SIGINT)
            message = process.communicate(timeout=60)[1]
        assert (process.returncode, message) in [(130, INTERRUPTED), (0, "")]
        assert not leftovers(tmp_path)
    train(tmp_path / "m")
    assert content(tmp_path / "m") == content(whole)


_interrupt = signal.default_int_handler
"""What a shell starts in the background does not listen, and its children neither."""


# --- two at once


def test_two_trainings_into_one_folder_at_the_same_moment(whole: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "wordatoms", "train", str(TEXT), "-o", str(tmp_path / "m"), *OPTIONS, "--quiet"]
    both = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ends = [(process.communicate(timeout=120)[1], process.returncode) for process in both]
    assert (("", 0)) in ends
    for message, code in ends:
        assert (message, code) == ("", 0) or (code == 1 and "another process is working in" in message)
    train(tmp_path / "m")
    assert content(tmp_path / "m") == content(whole)


def test_questions_while_the_model_is_made_anew(whole: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(whole, tmp_path / "model")
    command = [sys.executable, "-m", "wordatoms", "train", str(TEXT), "-o", str(copy), *OPTIONS, "--quiet", "--force"]
    n_answers = 0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            try:
                assert wa.load(copy, verify=True).senses("tie") is not None
                n_answers += 1
            except ModelError as error:
                assert any(reason in str(error) for reason in ("yet; run", "changed by another process"))  # noqa: PT017
    assert process.returncode == 0
    assert n_answers
    assert content(copy) == content(whole)

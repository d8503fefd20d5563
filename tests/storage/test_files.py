"""Files appear whole or not at all; arrays and checkpoints come back as they were."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import pytest

from wordatoms.errors import ModelError
from wordatoms.storage import files
from wordatoms.storage.files import (
    ArrayWriter,
    Checkpoint,
    StoredRows,
    clear_parts,
    load_array,
    save_array,
    spill_folder,
    staging_folder,
    write_atomic,
)


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), write_atomic(path) as file:
        file.write(b"new")
        raise RuntimeError
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for content in (b"one", b"two"):
        with write_atomic(tmp_path / "link") as file:
            file.write(content)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"two"


def test_device_is_written_to_and_not_replaced() -> None:
    with write_atomic(Path("/dev/null")) as file:
        file.write(b"x")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("pieces", [[], [[1, 2, 3]], [[1], [], [2, 3]]])
def test_array_written_in_pieces_is_an_ordinary_npy_file(tmp_path: Path, pieces: list[list[int]]) -> None:
    writer = ArrayWriter(tmp_path / "a.npy", np.int64)
    for piece in pieces:
        writer.append(np.array(piece, np.int64))
    file = writer.close()
    expected = [number for piece in pieces for number in piece]
    assert np.load(tmp_path / "a.npy").tolist() == expected
    assert file[1:3].tolist() == expected[1:3]
    assert file[:].tolist() == expected


@pytest.mark.parametrize("content", [b"", b"not an array", b"\x93NUMPY\x01\x00v\x00{'descr': '|O'"])
def test_broken_array_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"a\.npy"):
        load_array(path)


def test_pickled_array_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match=r"a\.npy"):
        load_array(tmp_path / "a.npy")


def test_missing_array_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="missing"):
        load_array(tmp_path / "a.npy")


def test_checkpoint_had_an_array_too_many_with_old_versions_of_numpy(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", {})
    checkpoint.save(1, {"x": np.arange(3)})
    with np.load(checkpoint.path, allow_pickle=False) as file:
        assert sorted(file.files) == ["names", "settings", "step", "x"]
    with pytest.raises(ValueError):
        checkpoint.save(2, {"x": np.array([object()])})
    assert checkpoint.load().step == 1  # type: ignore[union-attr]


def test_checkpoint_returns_what_was_saved(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "deep" / "c.npz", {"dim": 3})
    assert checkpoint.load() is None
    checkpoint.save(4, {"x": np.arange(3)})
    saved = checkpoint.load()
    assert saved is not None
    assert saved.step == 4
    assert saved.arrays["x"].tolist() == [0, 1, 2]
    assert Checkpoint(checkpoint.path, {"dim": 4}).load() is None
    checkpoint.remove()
    assert checkpoint.load() is None


def test_damaged_checkpoint_is_ignored(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", {})
    checkpoint.save(1, {"x": np.arange(1000)})
    content = checkpoint.path.read_bytes()
    for damaged in (b"", content[:100], content[: len(content) // 2], b"x" + content[1:]):
        checkpoint.path.write_bytes(damaged)
        assert checkpoint.load() is None


def test_spill_folder_goes_away_on_error(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), spill_folder(tmp_path) as folder:
        save_array(folder / "a.npy", np.zeros(3))
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_was_writing_is_taken_over(tmp_path: Path) -> None:
    (tmp_path / ".file.part").write_bytes(b"much more than is written now")
    with write_atomic(tmp_path / "file") as file:
        file.write(b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_two_who_write_the_same_file(tmp_path: Path) -> None:
    with write_atomic(tmp_path / "file") as first:
        first.write(b"first")
        with write_atomic(tmp_path / "file") as second:
            second.write(b"second")
            clear_parts(tmp_path)  # as a training does when it starts
        assert (tmp_path / "file").read_bytes() == b"second"
    assert (tmp_path / "file").read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_disk_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space") as caught, write_atomic(tmp_path / "file"):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(tmp_path / "file")


def test_a_checkpoint_with_a_flipped_bit_is_ignored_or_the_same(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "c.npz", {"dim": 3})
    checkpoint.save(4, {"x": np.arange(30.0), "y": np.array(2)})
    whole = checkpoint.path.read_bytes()
    for place in range(len(whole)):
        content = bytearray(whole)
        content[place] ^= 1 << place % 8
        checkpoint.path.write_bytes(content)
        saved = checkpoint.load()
        assert saved is None or (saved.step, saved.arrays["x"].tolist(), int(saved.arrays["y"])) == (4, [*range(30)], 2)


def test_a_folder_takes_its_name_when_all_is_in(tmp_path: Path) -> None:
    (tmp_path / ".site.killed.unfinished").mkdir()
    (tmp_path / ".site.killed.unfinished" / "page").touch()
    with staging_folder(tmp_path / "site") as work, staging_folder(tmp_path / "site") as other:
        assert work.exists(), "somebody else is at work there"
        (work / "page").touch()
        assert other != work
        work.rename(tmp_path / "site")
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["site", "site/page"]


def test_interrupt_just_after_a_file_was_made_left_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_part = files._open_part

    def interrupted(path: Path) -> object:
        made = open_part(path)
        assert made[0].exists()
        signal.raise_signal(signal.SIGINT)
        return made

    monkeypatch.setattr(files, "_open_part", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored in a background job
    try:
        with pytest.raises(KeyboardInterrupt), write_atomic(tmp_path / "file"):
            pass
    finally:
        signal.signal(signal.SIGINT, before)
    assert not list(tmp_path.iterdir())


def test_rows_on_disk_are_those_of_the_array(tmp_path: Path) -> None:
    array, checks = np.arange(900, dtype=np.int16).reshape(300, 3), []
    save_array(tmp_path / "a.npy", array)
    rows = StoredRows(tmp_path / "a.npy", lambda: checks.append(1))
    assert (len(rows), rows.shape, rows.dtype) == (300, (300, 3), np.int16)
    assert not checks
    np.testing.assert_array_equal(rows[[7, 0, 7]], array[[7, 0, 7]])
    assert len(checks) == 1
    np.testing.assert_array_equal(rows[np.arange(299)], array[:299])
    np.testing.assert_array_equal(rows[2:5], array[2:5])
    np.testing.assert_array_equal(rows[[7, -1]], array[[7, -1]])
    assert len(checks) == 2  # all were loaded once


def test_rows_of_a_file_that_is_gone_are_not_read(tmp_path: Path) -> None:
    def changed() -> None:
        raise ModelError("changed")

    save_array(tmp_path / "a.npy", np.zeros((300, 3)))
    rows = StoredRows(tmp_path / "a.npy", changed)
    (tmp_path / "a.npy").unlink()
    for wanted in ([1], slice(None)):
        with pytest.raises(ModelError, match="changed"):
            rows[wanted]


@pytest.mark.parametrize("array", [np.zeros(()), np.zeros(3), np.asfortranarray(np.zeros((3, 2)))])
def test_what_is_no_table_of_rows_is_refused(array: np.ndarray, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ModelError, match="is not a table of rows"):
        StoredRows(tmp_path / "a.npy", lambda: None)

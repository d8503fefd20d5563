"""A full disk ends in a sentence that names the file that could not be written, and leaves nothing behind."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from invoking import invoke
from planted import planted_model
from wordatoms.cli import _describe
from wordatoms.storage import files

FULL = "the disk is full"


class _FullDisk(io.FileIO):
    """A file on a disk with no space left."""

    def write(self, _data: Any, /) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def fill(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def full() -> None:
        monkeypatch.setattr(files, "open_locked", lambda path: io.BufferedWriter(_FullDisk(path, "w")))

    return full


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_model(tmp_path_factory.mktemp("planted") / "model").path


def sentence_of(*arguments: str | Path) -> str:
    with pytest.raises(OSError) as caught:
        invoke(*map(str, arguments))
    return _describe(caught.value)


@pytest.mark.parametrize("format", ["word2vec", "word2vec-binary", "npy", "glove"])
def test_full_disk_of_an_export_had_no_name(model: Path, tmp_path: Path, fill: Callable[[], None], format: str) -> None:
    fill()
    sentence = sentence_of("export", model, "-o", tmp_path / "x.npy", "--format", format)
    assert sentence.startswith((f"{tmp_path / 'x.npy'}: {FULL}", f"{tmp_path / 'x.words'}: {FULL}"))
    assert not list(tmp_path.iterdir())


def test_full_disk_of_a_table_had_no_name(model: Path, tmp_path: Path, fill: Callable[[], None]) -> None:
    (tmp_path / "text.txt").write_text("d3w1 d3w2 d4w1 d4w2 d3w4\n" * 9)
    fill()
    sentence = sentence_of("topics", tmp_path / "text.txt", "--model", model, "-o", tmp_path / "table.csv", "--quiet")
    assert sentence.startswith(f"{tmp_path / 'table.csv'}: {FULL}")
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_full_disk_of_an_exported_site_had_no_name(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_path: Path, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    sentence = sentence_of("explore", "--model", model, "--export", tmp_path / "site", "--quiet")
    assert sentence.startswith(f"{tmp_path / 'site'}: {FULL}")
    assert not list(tmp_path.iterdir())


def test_full_disk_of_a_second_model_named_the_first_and_left_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Path(__file__).parents[1] / "data" / "small.txt"
    invoke("count", text, "-o", tmp_path / "first", "--min-count", "2", "--quiet")

    def other_disk(_path: Path, _target: Path) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    def copy(_source: Any, target: IO[bytes], _n_bytes: int) -> None:
        target.write(b"the first half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "hardlink_to", other_disk)
    monkeypatch.setattr("wordatoms.storage.files.shutil.copyfileobj", copy)
    sentence = sentence_of("embed", tmp_path / "first", "-o", tmp_path / "second", "--dim", "4", "--quiet")
    assert sentence.startswith(f"{tmp_path / 'second'}")
    assert FULL in sentence
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_full_disk_of_an_import_blamed_the_file_that_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vectors.txt").write_text("tie 1 0\nsuit 0 1\n")

    def full(self: files.ArrayWriter, _array: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    monkeypatch.setattr(files.ArrayWriter, "append", full)
    sentence = sentence_of("import", tmp_path / "vectors.txt", "-o", tmp_path / "model")
    assert sentence.startswith(f"{tmp_path / 'model'}: {FULL}")
    assert [path.name for path in tmp_path.iterdir()] == ["vectors.txt"]

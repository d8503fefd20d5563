"""Documents from files, lines and tables."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from samples import COMPRESSORS, every_compression, write
from wordatoms.errors import InputError
from wordatoms.text.documents import read_column, read_files, read_lines


def test_one_document_per_file(tmp_path: Path) -> None:
    write(tmp_path / "b.txt", "Zwei\nZeilen ä".encode())
    write(tmp_path / "a.txt", b"")
    names, texts = zip(*read_files([tmp_path]), strict=True)
    assert [Path(name).name for name in names] == ["a.txt", "b.txt"]
    assert texts == ("", "Zwei\nZeilen ä\n")


@every_compression
def test_one_document_per_line(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "lines", COMPRESSORS[compression](b"one\n\n two \nthree"))
    assert list(read_lines([path])) == [(f"{path}:1", "one"), (f"{path}:3", " two "), (f"{path}:4", "three")]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one\ntwo\n")))
    assert list(read_lines(["-"])) == [("standard input:1", "one"), ("standard input:2", "two")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.4\0", "looks like a PDF document"),
        (b"<mediawiki xml:lang='en'>", "is a MediaWiki dump"),
        (b"fine\nb\xff", "is not valid UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = write(tmp_path / "file", content)
    for read in (read_files, read_lines):
        with pytest.raises(InputError, match=message):
            list(read([path]))


def test_broken_text_is_read_over_on_request(tmp_path: Path) -> None:
    path = write(tmp_path / "file", b"a\xffb")
    assert list(read_lines([path], replace_invalid=True)) == [(f"{path}:1", "a�b")]
    assert list(read_files([path], replace_invalid=True)) == [(str(path), "a�b\n")]


def test_missing_file() -> None:
    for reading in (read_files(["nowhere.txt"]), read_column(["nowhere.csv"], "text")):
        with pytest.raises(InputError, match="does not exist"):
            list(reading)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".CSV", ".csv.gz"])
def test_rows_of_a_table(tmp_path: Path, suffix: str) -> None:
    separator = "\t" if suffix == ".tsv" else ","
    rows = [["who", "text", "n"], ["A", '"x, ""y""\nz"', "1"], ["B", "NA", ""], ["C", "", "3"]]
    content = "\n".join(separator.join(row) for row in rows).encode()
    path = write(tmp_path / f"table{suffix}", COMPRESSORS["gzip"](content) if suffix.endswith("gz") else content)
    expected = ['x, "y"\nz', "NA", ""]
    assert list(read_column([path], "text", names="who")) == list(zip("ABC", expected, strict=True))
    assert list(read_column([path], "text")) == [(f"{path}:{row}", text) for row, text in enumerate(expected, 1)]


def test_rows_of_a_parquet_table(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.parquet"
    pandas.DataFrame({"who": [7, 8], "text": ["x", None]}).to_parquet(path)
    assert list(read_column([path], "text", names="who")) == [("7", "x"), ("8", "")]

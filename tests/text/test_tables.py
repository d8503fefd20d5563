"""Columns of CSV, TSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import COMPRESSORS, every_compression, write
from wordatoms.errors import InputError, MissingExtraError
from wordatoms.text import shards, tables
from wordatoms.text.tables import Row, Table, find_text_column, open_table, table_kind

SUFFIXES = {"": "", "gzip": ".gz", "bzip2": ".bz2", "xz": ".xz", "zstd": ".zst"}


def rows_of(path: Path, *columns: str, replace_invalid: bool = False) -> list[Row]:
    return list(open_table(path, replace_invalid=replace_invalid).rows(columns))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.csv", "csv"),
        ("A.CSV.GZ", "csv"),
        ("a.tab", "tsv"),
        ("s3://bucket/a.tsv.zst", "tsv"),
        ("x.y.jsonl.bz2", "jsonl"),
        ("a.ndjson.xz", "jsonl"),
        ("a.parquet", "parquet"),
        ("a.csv.txt", ""),
        ("csv", ""),
        ("a.json", ""),
        ("-", ""),
    ],
)
def test_the_name_says_what_is_a_table(name: str, kind: str) -> None:
    assert table_kind(name) == kind


@every_compression
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "ndjson"])
def test_columns_of_a_table(tmp_path: Path, kind: str, compression: str) -> None:
    if "json" in kind:
        content = b'{"who": 7, "text": "x, \\"y\\"\\nz"}\n\n{"text": null, "who": "B"}\n{"who": 1.50}'
    else:
        separator = {"csv": ",", "tsv": "\t"}[kind]
        content = separator.join(["who", "text"]).encode() + b"\r\n\r\n"
        content += separator.join(["7", '"x, ""y""\nz"']).encode() + b"\r\n" + separator.join(["B", "NA"]).encode()
    path = write(tmp_path / f"table.{kind}{SUFFIXES[compression]}", COMPRESSORS[compression](content))
    assert open_table(path).column_names() == ["who", "text"]
    expected: list[Row] = [('x, "y"\nz', "7"), (None, "B"), (None, "1.50")]
    assert rows_of(path, "text", "who") == (expected if "json" in kind else [expected[0], ("NA", "B")])


def test_columns_of_a_parquet_table(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    columns = {"who": [7, 8, 9], "text": ["x", None, b"y".decode()], "at": [1.5, float("nan"), None], "many": [[1]] * 3}
    parquet.write_table(pa.table(columns), path)
    assert open_table(path).column_names() == ["who", "text", "at", "many"]
    assert rows_of(path, "at", "text", "who") == [("1.5", "x", "7"), (None, None, "8"), (None, "y", "9")]
    with pytest.raises(InputError, match="its columns are who, text, at, many"):
        rows_of(path, "nope")
    with pytest.raises(InputError, match=r"row 1 of .* has a list in the column 'many'"):
        rows_of(path, "many")
    with pytest.raises(InputError, match="cannot be read"):
        rows_of(write(tmp_path / "broken.parquet", b"no parquet at all"), "text")
    with pytest.raises(InputError, match="inside a gzip file; decompress it first"):
        rows_of(write(tmp_path / "x.parquet.gz", COMPRESSORS["gzip"](path.read_bytes())), "text")


def test_a_parquet_table_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    path = write(tmp_path / "x.parquet", b"PAR1")
    with pytest.raises(MissingExtraError, match=r'pip install ".*\[parquet\]"'):
        rows_of(path, "text")


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), max_size=5), end=st.sampled_from(["\n", "\r\n"]))
def test_what_pythons_csv_writes_is_read_again(
    rows: list[tuple[str, str]], end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *rows])
    path = write(folder / "written.csv", buffer.getvalue().encode())
    assert rows_of(path, "a", "b") == rows
    lines = "".join(json.dumps({"a": a, "b": b}) + end for a, b in rows) or '{"a": 1, "b": 2}'
    assert rows_of(write(folder / "written.jsonl", lines.encode()), "a", "b") == (rows or [("1", "2")])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbfa,text\n1,x\n", ["x"]),  # a byte-order mark
        (b'\xef\xbb\xbf"text",a\nx,1', ["x"]),
        (b"a;text\n1;x, y\n", ["x, y"]),  # as European spreadsheets write it
        (b"text\nx\n\ny\n", ["x", "y"]),  # one column, a blank line
        (b"a,text\r1,x\r2,y\r", ["x", "y"]),  # line ends of old Macs
        (b'a,text\n1,"x\ry\r\nz"\n', ["x\ry\r\nz"]),
        (b"a, text \n1,x\n", ["x"]),
        (b"b,b,text\n1,2,x\n", ["x"]),  # other columns may share a name
        (b"a,text\n", []),  # only a header
        ("a,text\n1,x\u2028y\x0bz\n".encode(), ["x\u2028y\x0bz"]),
        (b"a,text\n1," + b"x" * (10 << 20) + b"\n", ["x" * (10 << 20)]),
    ],
)
def test_tables_that_are_read_sensibly(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    assert [text for (text,) in rows_of(write(tmp_path / "a.csv", content), "text")] == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "a.csv is empty; a table begins with the names of its columns"),
        ("a.csv", b"\n\n", "a.csv is empty"),
        ("a.csv", b"who,what\n1,2\n", "has no column 'text'; its columns are who, what"),
        ("a.csv", b"text,text\n1,2\n", "has 2 columns named 'text'; rename one"),
        ("a.csv", b"text,b\n1,2\n3,4,5\n", "in line 3 of .* has 3 cells where the header has 2"),
        ("a.csv", b"text,b\n1,2\n3\n", "in line 3 of .* has 1 cells where the header has 2"),
        ("a.csv", b'text,b\n1,2\n"3\n4\n5,6\n', "begins in line 3 of .* has a quote that is never closed"),
        ("a.csv", b'text,b\n1,2\n"3" 4,5\n', "line 3 of .* has a quote inside a cell that begins with one"),
        ("a.csv", b"text\nx\nb\xe9b\n", "line 3 of .* is not valid UTF-8: its byte 2 is 0xe9"),
        ("a.csv", b"text\nx\na\0b\n", "line 3 of .* contains a NUL byte"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\0\0", "looks like a PNG image"),
        ("a.tsv", "text\tb\n1\t2\n".encode("utf-16"), "iconv -f UTF-16 -t UTF-8 converts it"),
        ("a.jsonl", b"\n", "a.jsonl is empty"),
        ("a.jsonl", b'{"text": "x"}\n[1]\n', "line 2 of .* is no JSON object but a list"),
        ("a.jsonl", b'{"text": "x"}\n\n{"text": \n', r"line 3 of .* is not JSON \(Expecting value\)"),
        ("a.jsonl", b'{"text": "x"}\n{"text": ["y"]}\n', "line 2 of .* has a list in the column 'text'"),
        ("a.jsonl", b'{"text": "a\\u0000b"}\n', "line 1 of .* contains a NUL character"),
        ("a.jsonl", b'{"text": "x"}\n' + b"[" * 100_000, r"line 2 of .* is not JSON \(it is nested too deep\)"),
        ("a.ndjson", b"date,text\n1,2\n", "line 1 of .* is not JSON"),
        ("a.xlsx", b"", r"is not a table, whose name ends in \.csv"),
    ],
)
def test_tables_that_are_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rows_of(write(tmp_path / name, content), "text")


def test_broken_bytes_are_replaced_on_request(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b"text\nb\xe9b\n")
    assert rows_of(path, "text", replace_invalid=True) == [("b\ufffdb",)]


def test_values_of_json_that_are_no_texts(tmp_path: Path) -> None:
    content = b'{"a": NaN}\n{"a": true}\n{"a": 12345678901234567890}\n{"a": "\\ud83d!"}\n{"a": "\\ud83d\\ude00"}\n{}\n'
    cells = [cell for (cell,) in rows_of(write(tmp_path / "a.jsonl", content), "a")]
    assert cells == [None, "true", "12345678901234567890", "\ufffd!", "\U0001f600", None]


def test_a_table_without_a_named_column_lists_its_columns(tmp_path: Path) -> None:
    wide = ",".join(f"c{number}" for number in range(30)).encode()
    for content, listed in ((b"date,text\n", "has the text: date, text."), (wide, "c18, c19 and 10 more.")):
        assert str(open_table(write(tmp_path / "a.csv", content)).no_column()).endswith(listed)


def test_a_row_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LARGEST_ROW", 1000)
    for content in (b'text\nx\n"' + b"y\n" * 1000, b"text\nx\n" + b"y" * 1001, b"text\nx\n" + b"y" * 1001 + b"\nz"):
        with pytest.raises(InputError, match=r"begins in line 3 of .* is too long"):
            rows_of(write(tmp_path / "a.csv", content), "text")
    assert len(rows_of(write(tmp_path / "a.csv", b"text\n" + b"y\n" * 2000), "text")) == 2000


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(InputError, match="is a pipe or device"):
        open_table(tmp_path / "a.csv")


def test_progress_comes_to_the_end(tmp_path: Path) -> None:
    seen: list[int] = []
    path = write(tmp_path / "a.csv", b"text\nx\ny\n")
    assert len(list(Table(str(path), "csv").rows(["text"], on_read=seen.append))) == 2
    assert seen[-1] == path.stat().st_size


# --- The column as text


def plain_text(path: Path, column: str, **options: bool) -> bytes:
    found = find_text_column(str(path), column, **options)
    assert found
    return b"".join(found.plain_text())


def test_a_cell_with_line_breaks_is_several_paragraphs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", b'a,text\n1,"x\r\n\r\n y\rz\n"\n2,\n3,  \n4,last\n')
    assert plain_text(path, "text") == b"x\n y\nz\nlast\n"
    found = find_text_column(str(path), "text")
    assert found
    assert found.find_rows({1, 3, 4}, "a") == {1: (1, "1"), 3: (1, "1"), 4: (4, "4")}
    assert found.find_rows({2}) == {2: (1, None)}
    assert found.find_rows(set()) == {}


def test_long_lines_are_cut_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "MAX_PARAGRAPH_BYTES", 16)
    long = "one two three four " + "ä" * 30 + " five"
    path = write(tmp_path / "a.jsonl", json.dumps({"text": long}).encode())
    copy = write(tmp_path / "copy.txt", plain_text(path, "text"))
    read = b"".join(shards.read_blocks(shards.Shard(str(copy)), block_bytes=16))
    assert read == copy.read_bytes()
    assert max(map(len, read.splitlines())) < 16
    assert read.replace(b"\n", b"").replace(b" ", b"").decode() == long.replace(" ", "")


@settings(max_examples=60, deadline=None)
@given(cells=st.lists(CELL, max_size=6))
def test_rows_of_lines(cells: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    content = "".join(json.dumps({"text": cell, "id": number}) + "\n" for number, cell in enumerate(["first", *cells]))
    path = write(tmp_path_factory.getbasetemp() / "lines.jsonl", content.encode())
    found = find_text_column(str(path), "text")
    assert found
    lines = b"".join(found.plain_text()).decode().removesuffix("\n").split("\n")
    rows = found.find_rows(range(1, len(lines) + 1), "id")
    assert len(rows) == len(lines)
    for number, line in enumerate(lines, 1):
        row, name = rows[number]
        assert name == str(row - 1)
        assert line in ["first", *cells][row - 1].replace("\r", "\n").split("\n")

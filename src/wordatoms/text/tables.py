"""Read columns of tables: CSV, TSV, JSON lines and Parquet.

The name of a file says whether it is a table (`table_kind`), before the suffix of a compression: `news.csv.gz`. `Table`
reads the names of its columns and the cells of some columns, row by row, and `TextColumn` the plain text of one.
Memory is bounded by the largest row.

A table is read strictly, because what is guessed wrongly would be learned as words: rows with more or fewer cells than
the header, quotes that are not closed, and lines that are no JSON objects are refused with the number of the line. The
cells of a .csv file are separated by commas, or by semicolons or tabs if these give more columns.

Left out: tables without a header, spreadsheets, JSON that is not one object per line, and values inside lists.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from wordatoms.errors import InputError, require_extra
from wordatoms.text.compression import recognise_compression
from wordatoms.text.files import (
    HEAD_BYTES,
    binary_kind,
    file_errors,
    is_address,
    is_regular,
    not_text,
    open_file,
    printable,
)
from wordatoms.text.shards import Shard, cut_paragraph, open_text, read_head
from wordatoms.text.wikiextractor import FIELDS, article_name, unescape

LARGEST_ROW = 1 << 25
"""Bytes of one row of CSV or JSON lines; a row that is longer has a quote that is not closed."""
FEW_ROWS = 16
"""Rows of a Parquet table read at once; a small file may contain a large text in each of a million rows."""
LARGEST_RATIO = 200
"""Maximum ratio of decompressed to compressed size of a large Parquet table; for text it is about ten."""
SEEN_AS_LARGE = 1 << 26
N_OBJECTS = 100
"""JSON lines from which the names of the columns are taken."""
MOST_LISTED, LONGEST_NAME = 20, 60
"""Columns listed in a message, and characters of their names."""
KINDS = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
SEPARATORS = {"csv": ",;\t", "tsv": "\t"}

Row = tuple[str | None, ...]
"""The cells of the wanted columns; None for a value that is missing."""
OnRead = Callable[[int], None]
"""Called with the number of bytes on disk read so far."""


def table_kind(path: str | Path) -> str:
    """Return the kind of table that the name of a file promises: csv, tsv, jsonl, parquet, or "" for none."""
    name = str(path).lower()
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return KINDS.get(os.path.splitext(name)[1], "")  # noqa: PTH122 - it may be an address


@dataclass(frozen=True)
class Table:
    """A table that can be read more than once.

    Attributes
    ----------
    path : str
        A file or address.
    kind : {"csv", "tsv", "jsonl", "parquet"}
        How it is written; `table_kind` tells it from the name of a file.
    origin : str, default ""
        The name of the table in messages, if not the path.
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from wordatoms.text.tables import open_table
    >>> path = Path(tempfile.mkdtemp()) / "news.csv"
    >>> _ = path.write_text('date,text\\n2020-01-01,"Rain, then a spring day"\\n')
    >>> table = open_table(path)
    >>> table.column_names()
    ['date', 'text']
    >>> list(table.rows(["text", "date"]))
    [('Rain, then a spring day', '2020-01-01')]
    """

    path: str
    kind: str
    origin: str = ""
    replace_invalid: bool = False

    @property
    def name(self) -> str:
        """The name of the table in messages."""
        return self.origin or printable(self.path)

    def column_names(self) -> list[str]:
        """Return the names of the columns; of JSON lines, those in the first 100 objects.

        Returns
        -------
        list of str
        """
        if self.kind == "parquet":
            with self.opened_parquet() as file:
                return list(file.schema_arrow.names)
        with self.opened_lines() as lines:
            if self.kind != "jsonl":
                return self._header(self._cells(lines))
            objects = list(islice(self._objects(lines), N_OBJECTS))
        if not objects:
            raise InputError(f"{self.name} is empty; a table of JSON lines has one object per line.")
        return list(dict.fromkeys(key for each in objects for key in each))

    def first_fields(self) -> set[str]:
        """Return the names in the first object of JSON lines.

        Returns
        -------
        set of str
        """
        with self.opened_lines() as lines:
            return set(next(self._objects(lines), {}))

    def check_columns(self, columns: Sequence[str]) -> None:
        """Raise for columns that the table does not have, or has twice; the message lists those that it has.

        Parameters
        ----------
        columns : sequence of str
            Names of columns.
        """
        self._check(columns, self.column_names())

    def rows(self, columns: Sequence[str], *, on_read: OnRead | None = None) -> Iterator[Row]:
        """Yield the cells of some columns, row by row.

        Parameters
        ----------
        columns : sequence of str
            Names of columns, in any order.
        on_read : callable, optional
            Called now and then with the number of bytes on disk read so far.

        Yields
        ------
        tuple of (str or None)
            One cell for each column: its text, or None if the value is missing (null, NaN or left out); an empty cell
            of CSV is an empty text.
        """
        if self.kind == "parquet":
            return self._parquet_rows(columns)
        return (self._json_rows if self.kind == "jsonl" else self._csv_rows)(columns, on_read or (lambda _: None))

    def no_column(self) -> InputError:
        """Return the error for a table whose column of text was not named."""
        return InputError(
            f"{self.name} is a table; say with --column (in Python column=…) which of its columns has the text: "
            f"{_listed(self.column_names())}."
        )

    def _check(self, columns: Sequence[str], there: Sequence[str]) -> None:
        numbers = Counter(there)
        for column in columns:
            if not numbers[column]:
                raise InputError(f"{self.name} has no column {column!r}; its columns are {_listed(there)}.")
            if numbers[column] > 1:
                raise InputError(f"{self.name} has {numbers[column]} columns named {column!r}; rename one of them.")

    # --- Lines

    @contextmanager
    def opened_lines(self) -> Iterator[_Lines]:
        """Open the lines of a file that is plain text, decompressed."""
        head = read_head(Shard(self.path, origin=self.name), HEAD_BYTES)
        shard = Shard(self.path, recognise_compression(head), origin=self.name)
        if kind := binary_kind(read_head(shard, HEAD_BYTES)):
            raise not_text(self.name, kind)
        with closing(open_text(shard)) as stream:
            yield _Lines(stream.n_disk_bytes, io.BufferedReader(stream, 1 << 18), self.name, self.replace_invalid)

    # --- CSV

    def _csv_rows(self, columns: Sequence[str], on_read: OnRead) -> Iterator[Row]:
        with self.opened_lines() as lines:
            cells = self._cells(lines)
            header = self._header(cells)
            self._check(columns, header)
            places = [header.index(column) for column in columns]
            for row in cells:
                if len(row) != len(header):
                    raise InputError(
                        f"the row that ends in line {lines.number:,} of {self.name} has {len(row):,} cells where the "
                        f"header has {len(header):,}; put cells that contain separators or line breaks in quotes."
                    )
                yield tuple([row[place] for place in places])
                on_read(lines.n_disk_bytes())

    def _cells(self, lines: _Lines) -> Iterator[list[str]]:
        """Yield the cells of each row that is not blank."""
        # The limit holds for the whole process; raising it to what is bounded here hurts nobody.
        csv.field_size_limit(max(csv.field_size_limit(), LARGEST_ROW))
        first = next(lines, "")
        separator = max(SEPARATORS[self.kind], key=lambda mark: len(next(csv.reader([first], delimiter=mark), [])))
        lines.put_back(first)
        reader = csv.reader(lines, delimiter=separator, strict=True)
        while True:
            lines.begin_row()
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if lines.is_at_end:
                    raise InputError(
                        f"the row that begins in line {lines.first:,} of {self.name} has a quote that is never closed; "
                        "close it."
                    ) from error
                raise InputError(
                    f"line {lines.number:,} of {self.name} has a quote inside a cell that begins with one; write it "
                    "twice."
                ) from error
            if row:
                yield row

    def _header(self, cells: Iterator[list[str]]) -> list[str]:
        header = next(cells, None)
        if header is None:
            raise InputError(f"{self.name} is empty; a table begins with the names of its columns.")
        return [name.strip() for name in header]

    # --- JSON lines

    def _json_rows(self, columns: Sequence[str], on_read: OnRead) -> Iterator[Row]:
        self.check_columns(columns)
        with self.opened_lines() as lines:
            for each in self._objects(lines):
                yield tuple([self._json_text(each.get(column), column, lines.number) for column in columns])
                on_read(lines.n_disk_bytes())

    def _objects(self, lines: _Lines) -> Iterator[dict[str, Any]]:
        for line in lines:
            lines.begin_row()
            if not line.strip():
                continue
            try:
                # Numbers stay as they are written; NaN and Infinity are missing values.
                found = json.loads(line, parse_int=str, parse_float=str, parse_constant=lambda _: None)
            except (ValueError, RecursionError) as error:
                reason = str(error).partition(": line")[0] if isinstance(error, ValueError) else "it is nested too deep"
                raise InputError(
                    f"line {lines.number:,} of {self.name} is not JSON ({reason}); write one object per line."
                ) from error
            if not isinstance(found, dict):
                raise InputError(
                    f"line {lines.number:,} of {self.name} is no JSON object but a {type(found).__name__}; write one "
                    "object per line."
                )
            yield found

    def _json_text(self, value: Any, column: str, number: int) -> str | None:
        if value is None:
            return None
        if isinstance(value, bool):
            return "true" if value else "false"
        if not isinstance(value, str):
            raise InputError(
                f"line {number:,} of {self.name} has a {type(value).__name__} in the column {column!r}, not a text."
            )
        if "\0" in value:
            raise InputError(f"line {number:,} of {self.name} contains a NUL character; remove it.")
        return _whole_characters(value)

    # --- Parquet

    @contextmanager
    def opened_parquet(self) -> Iterator[Any]:
        """Open a Parquet table with pyarrow; what is wrong with it becomes an `InputError` that names the file.

        Yields
        ------
        pyarrow.parquet.ParquetFile
        """
        parquet = require_extra("pyarrow.parquet", "parquet")
        if compression := recognise_compression(read_head(Shard(self.path, origin=self.name), HEAD_BYTES)):
            raise InputError(f"{self.name} is a Parquet table inside a {compression} file; decompress it first.")
        with file_errors(self.name), self._readable():
            # Memory-mapped, because otherwise pyarrow allocates the size that a page announces before it reads it.
            options = {"pre_buffer": False} if is_address(self.path) else {"pre_buffer": False, "memory_map": True}
            with parquet.ParquetFile(open_file(self.path) if is_address(self.path) else self.path, **options) as file:
                yield file

    def _parquet_rows(self, columns: Sequence[str]) -> Iterator[Row]:
        with self.opened_parquet() as file:
            self._check(columns, list(file.schema_arrow.names))
            self.refuse_bomb(file.metadata)
            number = 0
            for batch in file.iter_batches(batch_size=FEW_ROWS, columns=list(dict.fromkeys(columns))):
                cells = [batch.column(column) for column in columns]
                for place in range(batch.num_rows):
                    number += 1
                    # One by one: the values of a batch may be one large text many times.
                    yield tuple(
                        [
                            self._parquet_text(values[place].as_py(), column, number)
                            for column, values in zip(columns, cells, strict=True)
                        ]
                    )

    def _parquet_text(self, value: Any, column: str, number: int) -> str | None:
        if value is None or value != value:  # NaN
            return None
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace" if self.replace_invalid else "strict")
        if isinstance(value, list | dict):
            raise InputError(
                f"row {number:,} of {self.name} has a {type(value).__name__} in the column {column!r}, not a text."
            )
        text = str(value)
        if "\0" in text:
            raise InputError(f"row {number:,} of {self.name} contains a NUL character; remove it.")
        return text

    def refuse_bomb(self, metadata: Any) -> None:
        """Raise if a part of a table is out of proportion when decompressed.

        Only row groups are checked: pyarrow aborts the process if the metadata of a column is damaged.
        """
        most = max(SEEN_AS_LARGE, LARGEST_RATIO * Shard(self.path, origin=self.name).n_bytes)
        for number in range(metadata.num_row_groups):
            if (size := metadata.row_group(number).total_byte_size) > most:
                raise InputError(
                    f"{self.name} decompresses to {size:,} bytes, more than {LARGEST_RATIO} times its size; convert it "
                    "to .csv if you trust it."
                )

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn the errors of pyarrow into an `InputError` that names the file."""
        try:
            yield
        except (InputError, OSError):
            raise
        except (ValueError, TypeError, LookupError, OverflowError, NotImplementedError, MemoryError) as error:
            reason = str(error).strip().split("\n")[0].rstrip(".")
            raise InputError(f"{self.name} cannot be read as a table ({reason}); check the file.") from error


def open_table(path: str | Path, *, replace_invalid: bool = False) -> Table:
    """Return the table at a path or address whose name says that it is one; raise for other names.

    Parameters
    ----------
    path : str or Path
        A .csv, .tsv, .jsonl, .ndjson or .parquet file; all but Parquet may be compressed.
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.

    Returns
    -------
    Table

    Examples
    --------
    >>> from wordatoms.text.tables import open_table
    >>> open_table("news.jsonl.zst").column_names()  # doctest: +SKIP
    ['date', 'text']
    """
    if not table_kind(path):
        raise no_table(_shown_name(str(path)))
    refuse_pipe(str(path))
    return Table(str(path), table_kind(path), replace_invalid=replace_invalid)


def read_text_lines(path: str | Path, *, replace_invalid: bool = False) -> Iterator[str]:
    """Yield every line of a text file without its end, blank lines too; the file may be compressed.

    Parameters
    ----------
    path : str or Path
        A file or address.
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.

    Yields
    ------
    str

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from wordatoms.text.tables import read_text_lines
    >>> path = Path(tempfile.mkdtemp()) / "titles.txt"
    >>> _ = path.write_text("Rain\\n\\nA spring day\\n")
    >>> list(read_text_lines(path))
    ['Rain', '', 'A spring day']
    """
    with Table(str(path), "", replace_invalid=replace_invalid).opened_lines() as lines:
        for line in lines:
            lines.begin_row()
            yield line.rstrip("\r\n")


def refuse_pipe(path: str) -> None:
    """Raise for a table that can be read only once."""
    if not is_regular(path):
        raise InputError(
            f"{printable(path)} is a pipe or device, and a table is read more than once; save it to a file."
        )


def no_table(name: str) -> InputError:
    """Return the error for a column of a file that is no table."""
    return InputError(
        f"{name} is not a table, whose name ends in .csv, .tsv, .jsonl, .ndjson or .parquet; name the file so, "
        "or leave out the column."
    )


def _shown_name(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


# --- The column with the text


@dataclass(frozen=True)
class TextColumn:
    """The column of a table that has the text, as paragraphs."""

    table: Table
    column: str
    is_extracted: bool = False
    """Articles of WikiExtractor as JSON."""

    def texts(self, names: str | None = None) -> Iterator[tuple[str, str | None]]:
        """Yield the text of each row, and its name from another column; articles have names without one."""
        if self.is_extracted and not names:
            for text, number, title in self.table.rows([self.column, "id", "title"]):
                yield unescape(text or ""), article_name(number, title)
            return
        for text, *name in self.table.rows([self.column, *([names] if names else [])]):
            yield unescape(text or "") if self.is_extracted else text or "", name[0] if name else None

    def plain_text(self, *, on_read: OnRead | None = None) -> Generator[bytes, None, None]:
        """Yield the paragraphs of each row, one per line; a cell with line breaks is several paragraphs."""
        for (text,) in self.table.rows([self.column], on_read=on_read):
            if text:
                yield b"".join(self._paragraphs(text))

    def find_rows(self, lines: Collection[int], names: str | None = None) -> dict[int, tuple[int, str | None]]:
        """Return the row, from 1, of each of some lines of the plain text, and its name from another column."""
        found: dict[int, tuple[int, str | None]] = {}
        n_lines, last = 0, max(lines, default=0)
        for number, (text, *name) in enumerate(self.table.rows([self.column, *([names] if names else [])]), 1):
            n_before, n_lines = n_lines, n_lines + sum(1 for _ in self._paragraphs(text or ""))
            found |= {
                line: (number, name[0] if name else None) for line in range(n_before + 1, n_lines + 1) if line in lines
            }
            if n_lines >= last:
                break
        return found

    def _paragraphs(self, text: str) -> Iterator[bytes]:
        for line in _LINE_BREAK.split(unescape(text) if self.is_extracted else text):
            if line and not line.isspace():
                yield from cut_paragraph(line.encode())


def find_text_column(
    path: str, column: str | None, *, origin: str = "", head: bytes = b"", replace_invalid: bool = False
) -> TextColumn | None:
    """Return the column of a table that has the text, or None for a file that is no table.

    A table is refused if no column was named, and a column if the file is no table. The articles of WikiExtractor as
    JSON are a table whose column has a name, even if the file has another name; `head` are the first bytes of its text.
    """
    name = origin or _shown_name(path)
    kind = table_kind(name)
    if kind:
        refuse_pipe(path)
    table = Table(path, kind or "jsonl", name, replace_invalid)
    is_extracted = table.kind == "jsonl" and (bool(kind) or head.lstrip()[:1] == b"{") and _has_articles(table)
    if not kind and not is_extracted:
        if column:
            raise no_table(name)
        return None
    if not column:
        if not is_extracted:
            raise table.no_column()
        column = "text"
    table.check_columns([column])
    return TextColumn(table, column, is_extracted)


def _has_articles(table: Table) -> bool:
    try:
        return table.first_fields() >= FIELDS
    except InputError:
        return False


def _listed(columns: Sequence[str]) -> str:
    shown = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in columns[:MOST_LISTED]]
    return ", ".join(shown) + (f" and {len(columns) - MOST_LISTED:,} more" if len(columns) > MOST_LISTED else "")


_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE_BREAK = re.compile(r"\r\n?|\n")
_OLD_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


def _whole_characters(text: str) -> str:
    r"""Replace halves of characters, which JSON can spell (\ud83d) and no file can hold."""
    return _SURROGATE.sub("\ufffd", text)


class _Lines(Iterator[str]):
    """The lines of a table, each with its end, and the number of the current one."""

    def __init__(
        self, n_disk_bytes: Callable[[], int], file: io.BufferedReader, name: str, replace_invalid: bool
    ) -> None:
        self.n_disk_bytes = n_disk_bytes
        self._file, self._name = file, name
        self._errors = "replace" if replace_invalid else "strict"
        self._waiting: list[str] = []
        self.number = 0
        self.first = 1
        """Where the current row begins."""
        self.is_at_end = False
        self._n_bytes = 0

    def begin_row(self) -> None:
        self.first, self._n_bytes = self.number + 1, 0

    def put_back(self, line: str) -> None:
        """Make the first line the next one again."""
        if line:
            self._waiting.append(line)
            self.number -= 1

    def __next__(self) -> str:
        if self._waiting:
            self.number += 1
            return self._waiting.pop()
        line = self._file.readline(LARGEST_ROW + 1 - self._n_bytes)
        if not line:
            self.is_at_end = True
            raise StopIteration
        self.number += 1
        self._n_bytes += len(line)
        text = self._checked(line)
        if "\r" in text and text.find("\r") < len(text.rstrip("\r\n")):  # line ends of old Macs
            first, *others = _OLD_LINE.findall(text)
            self._waiting += reversed(others)
            return str(first)
        return text

    def _checked(self, line: bytes) -> str:
        if self._n_bytes > LARGEST_ROW:
            raise InputError(
                f"the row that begins in line {self.first:,} of {self._name} is too long (more than {LARGEST_ROW:,} "
                "bytes); check its quotes."
            )
        if b"\0" in line:
            raise InputError(f"line {self.number:,} of {self._name} contains a NUL byte; remove it.")
        if self.number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        try:
            return line.decode("utf-8", self._errors)
        except UnicodeDecodeError as error:
            raise InputError(
                f"line {self.number:,} of {self._name} is not valid UTF-8: its byte {error.start + 1:,} is "
                f"0x{line[error.start]:02x}; convert the file (iconv -f LATIN1 -t UTF-8 if it is Latin-1) or pass "
                "--replace-invalid (in Python replace_invalid=True) to replace it."
            ) from None

"""Reading the files with one text per line, or per row of a table, that commands are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordatoms.errors import InputError
from wordatoms.text.files import standard_input
from wordatoms.text.tables import find_text_column, table_kind

if TYPE_CHECKING:
    from wordatoms.contexts.usages import Usage
    from wordatoms.documents.periods import Period
    from wordatoms.text.tokenizer import Tokenizer

LONGEST_LINE = 4 << 20
"""Bytes; the file may be a device that never ends."""


def read_lines(path: str, column: str | None = None, *, blank: bool = False) -> list[str]:
    """Read the lines of a file or a column of a table, with `blank` also blank ones; there must be one that is not."""
    with open_lines(path, column) as lines:
        found = [line for line in lines if blank or line.strip()]
    if not any(line.strip() for line in found):
        raise InputError(f"{path} contains no contexts; write one per line.")
    return found


def read_names(path: str, column: str, names: str) -> list[str | None]:
    """Read the names of the rows of a table; `column` is the one with the text."""
    found = find_text_column(path, column)
    return [name for _, name in found.texts(names)] if found else []


def marked_places(texts: Iterable[str], marks: str, tokenizer: Tokenizer) -> Iterator[tuple[int, Usage]]:
    """Yield the places between marks, each with the number of its text, from 0."""
    from wordatoms.contexts.usages import marked_usages

    for number, text in enumerate(texts):
        for usage in marked_usages(text, marks, tokenizer):
            yield number, usage


@contextmanager
def open_lines(path: str, column: str | None = None) -> Iterator[Iterator[str]]:
    """Iterate over the lines of a file or of standard input, without their line ends, or over a column of a table."""
    if column or table_kind(path):
        table = find_text_column(path, column)
        yield (text for text, _ in table.texts()) if table else iter(())
        return
    with nullcontext(standard_input()) if path == "-" else Path(path).open("rb") as file:
        lines = iter(lambda: file.readline(LONGEST_LINE + 1), b"")
        yield (_decode(line, path, number) for number, line in enumerate(lines, 1))


def _decode(line: bytes, path: str, number: int) -> str:
    if len(line) > LONGEST_LINE or b"\0" in line:
        fault = "contains a NUL byte" if b"\0" in line else f"has more than {LONGEST_LINE:,} bytes"
        raise InputError(f"line {number:,} of {path} {fault}; pass one text per line.")
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"line {number:,} of {path} is not UTF-8 text (byte {error.start:,}); pass one text per line."
        ) from None


@dataclass
class GivenDocuments:
    """The documents of a command; their groups and periods are gathered while they are read.

    `given` has the options `column`, `names`, `by`, `time`, `time_format`, `lines` and `replace_invalid`.
    """

    sources: tuple[str, ...]
    given: Mapping[str, Any]
    groups: list[str | None] = field(default_factory=list)
    periods: list[Period | None] = field(default_factory=list)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        from wordatoms.text import documents

        replace_invalid = self.given["replace_invalid"]
        if self.given["column"]:
            found = self._rows()
        else:
            read = documents.read_lines if self.given["lines"] else documents.read_files
            found = read(self.sources, replace_invalid=replace_invalid)
        yield from found

    def _rows(self) -> Iterator[tuple[str, str]]:
        from wordatoms.documents.periods import find_period
        from wordatoms.text.files import find_files
        from wordatoms.text.tables import open_table

        given = self.given
        date, period = given["time"] or (None, "month")
        wanted = [given["column"], given["names"] or given["column"], given["by"], date]
        for path in find_files(self.sources):
            table = open_table(path, replace_invalid=given["replace_invalid"])
            for number, row in enumerate(table.rows([each or given["column"] for each in wanted]), 1):
                text, name, group, time = row
                self.groups.append(group)
                if date is not None:
                    where = f"row {number:,} of {table.name}"
                    self.periods.append(find_period(time, period, form=given["time_format"], where=where))
                yield name if given["names"] and name else f"{table.name}:{number}", text or ""

"""Read documents from files: one per file, one per line, one per row of a table, or one per article of WikiExtractor.

Files may be compressed; tables are those of `wordatoms.text.tables`. Everything is streamed, and memory is bounded for
any input: a document, or a row of a table, that is too large is refused.

Left out: word processor formats and MediaWiki dumps. A line beyond 4 MiB is several documents. pyarrow itself
decompresses a page, at most 2 GiB, at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from wordatoms.errors import InputError
from wordatoms.storage.files import write_atomic
from wordatoms.text.compression import recognise_compression
from wordatoms.text.files import (
    HEAD_BYTES,
    find_files,
    is_dump,
    is_regular,
    printable,
    read_stream,
    refuse_binary,
    within_disk,
)
from wordatoms.text.shards import Shard, read_blocks, read_head
from wordatoms.text.tables import TextColumn, find_text_column, table_kind
from wordatoms.text.wikiextractor import is_extracted, read_articles

LARGEST_DOCUMENT = 1 << 27
"""Bytes, for a file that is one document."""

Named = tuple[str, str]
"""The name and the text of a document."""


def read_files(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """Yield one document per file; sources are files, folders, patterns, or "-" for standard input.

    Each article in the output of WikiExtractor is a document, named by its number and title.
    """
    for path in find_files(sources):
        with _opened(path, replace_invalid) as text:
            if isinstance(text, TextColumn):
                yield from ((name or text.table.name, article) for article, name in text.texts())
            elif text.is_extracted:
                articles = read_articles(_lines(replace(text, is_extracted=False)), longest=LARGEST_DOCUMENT)
                yield from ((name or text.name, article) for name, article in articles)
            else:
                yield text.name, "".join(_short_enough(read_blocks(text), text.name))


def read_lines(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """Yield one document per non-blank line, named `file:line`."""
    for path in find_files(sources):
        with _opened(path, replace_invalid) as text:
            if isinstance(text, TextColumn):
                raise text.table.no_column()
            for number, line in enumerate(_lines(text), 1):
                if line.strip():
                    yield f"{text.name}:{number}", line


def read_column(
    sources: Sequence[str | Path], column: str, *, names: str | None = None, replace_invalid: bool = False
) -> Iterator[Named]:
    """Yield one document per row of tables: the text from one column, the name from another or `file:row`."""
    for path in find_files(sources):
        with _opened(path, replace_invalid, column) as found:
            if isinstance(found, TextColumn):
                for number, (text, name) in enumerate(found.texts(names), 1):
                    yield name or f"{found.table.name}:{number}", text


def _short_enough(blocks: Iterable[bytes], name: str) -> Iterator[str]:
    n_bytes = 0
    for block in blocks:
        n_bytes += len(block)
        if n_bytes > LARGEST_DOCUMENT:
            raise InputError(f"{name} is longer than {LARGEST_DOCUMENT:,} bytes; split it into several documents.")
        yield block.decode()


def _lines(text: Shard) -> Iterator[str]:
    for block in read_blocks(text):
        yield from block.decode().removesuffix("\n").split("\n")


@contextmanager
def _opened(path: str, replace_invalid: bool, column: str | None = None) -> Iterator[Shard | TextColumn]:
    """Yield the text of a file, or the column of a table; what is neither is refused."""
    name = "standard input" if path == "-" else printable(path)
    with _readable(path, name) as readable:
        head = read_head(Shard(readable, origin=name), HEAD_BYTES)
        text = Shard(readable, recognise_compression(head), replace_invalid=replace_invalid, origin=name)
        head = read_head(text, HEAD_BYTES)
        if not table_kind(path):
            refuse_binary(head, name)
        found = find_text_column(readable, column, origin=name, head=head, replace_invalid=replace_invalid)
        if not found and is_dump(head):
            raise InputError(f"{name} is a MediaWiki dump, not documents; pass its articles as files or lines of text.")
        yield found or replace(text, is_extracted=is_extracted(head))


@contextmanager
def _readable(path: str, name: str) -> Iterator[str]:
    """Yield a path that can be read twice: data from a pipe is copied."""
    if path != "-" and is_regular(path):
        yield path
        return
    with TemporaryDirectory(prefix="wordatoms-") as folder:
        copy = Path(folder, "stream")
        with write_atomic(copy) as file:
            file.writelines(within_disk(read_stream(path, name), Path(folder), name))
        yield str(copy)

"""Read documents from files: one per file, one per line, or one per row of a table.

Files may be compressed; tables are those of `wordatoms.text.tables`. Everything is streamed, and memory is bounded for
any input: a document, or a row of a table, that is too large is refused.

Left out: word processor formats and MediaWiki dumps. A line beyond 4 MiB is several documents. pyarrow itself
decompresses a page, at most 2 GiB, at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
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
from wordatoms.text.tables import open_table

LARGEST_DOCUMENT = 1 << 27
"""Bytes, for a file that is one document."""

Named = tuple[str, str]
"""The name and the text of a document."""


def read_files(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """Yield one document per file; sources are files, folders, patterns, or "-" for standard input."""
    for path in find_files(sources):
        yield _name(path), "".join(_short_enough(_blocks(path, replace_invalid), _name(path)))


def read_lines(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """Yield one document per non-blank line, named `file:line`."""
    for path in find_files(sources):
        name, number = _name(path), 0
        for block in _blocks(path, replace_invalid):
            for line in block.decode().removesuffix("\n").split("\n"):
                number += 1
                if line.strip():
                    yield f"{name}:{number}", line


def read_column(
    sources: Sequence[str | Path], column: str, *, names: str | None = None, replace_invalid: bool = False
) -> Iterator[Named]:
    """Yield one document per row of tables: the text from one column, the name from another or `file:row`."""
    wanted = [column, *([names] if names else [])]
    for path in find_files(sources):
        table = open_table(path, replace_invalid=replace_invalid)
        for number, (text, *called) in enumerate(table.rows(wanted), 1):
            yield called[0] if called and called[0] else f"{table.name}:{number}", text or ""


def _name(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


# --- Text


def _short_enough(blocks: Iterable[bytes], name: str) -> Iterator[str]:
    n_bytes = 0
    for block in blocks:
        n_bytes += len(block)
        if n_bytes > LARGEST_DOCUMENT:
            raise InputError(f"{name} is longer than {LARGEST_DOCUMENT:,} bytes; split it into several documents.")
        yield block.decode()


def _blocks(path: str, replace_invalid: bool) -> Iterator[bytes]:
    name = _name(path)
    with _readable(path, name) as readable:
        head = read_head(Shard(readable, origin=name), HEAD_BYTES)
        shard = Shard(readable, recognise_compression(head), replace_invalid=replace_invalid, origin=name)
        head = read_head(shard, HEAD_BYTES)
        refuse_binary(head, name)
        if is_dump(head):
            raise InputError(f"{name} is a MediaWiki dump, not documents; pass its articles as files or lines of text.")
        yield from read_blocks(shard)


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

"""Documents from files: one per file, one per line, or one per row of a table.

Files may be compressed as any text here; tables are CSV or TSV (read by pandas) and Parquet (by pyarrow). Everything is
read as it is asked for, never all at once.

Left out: formats of word processors, MediaWiki dumps, and lines beyond 4 MiB, which are several documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordatoms.compression import recognise_compression
from wordatoms.errors import InputError, require_extra
from wordatoms.filekinds import is_dump, refuse_binary
from wordatoms.files import blaming, find_files, is_regular, printable, standard_input
from wordatoms.shards import Shard, read_blocks, read_head

HEAD_BYTES = 1 << 16
ROWS_AT_ONCE = 1000
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

Named = tuple[str, str]
"""The name of a document, and its text."""


def read_files(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """One document per file: files, folders, patterns, or "-" for standard input."""
    for path in find_files(sources):
        yield _name(path), "".join(block.decode() for block in _blocks(path, replace_invalid))


def read_lines(sources: Sequence[str | Path], *, replace_invalid: bool = False) -> Iterator[Named]:
    """One document per line that is not blank, called `file:line`."""
    for path in find_files(sources):
        name, number = _name(path), 0
        for block in _blocks(path, replace_invalid):
            for line in block.decode().removesuffix("\n").split("\n"):
                number += 1
                if line.strip():
                    yield f"{name}:{number}", line


def read_column(sources: Sequence[str | Path], column: str, *, names: str | None = None) -> Iterator[Named]:
    """One document per row of tables: the text in one column, the name in another or `file:row`."""
    for path in find_files(sources):
        source, number = _name(path), 0
        for texts, called in _columns(path, column, names):
            for text, name in zip(texts, called, strict=True):
                number += 1
                yield f"{source}:{number}" if name is None else str(name), "" if text is None else str(text)


def _name(path: str) -> str:
    return "standard input" if path == "-" else printable(path)


# Text


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
    """A file that can be read twice: what comes through a pipe is copied."""
    if path != "-" and is_regular(path):
        yield path
        return
    with TemporaryDirectory(prefix="wordatoms-") as folder:
        copy = Path(folder, "stream")
        with blaming(name):
            copy.write_bytes(standard_input().read() if path == "-" else Path(path).read_bytes())
        yield str(copy)


# Tables


def _columns(path: str, column: str, names: str | None) -> Iterator[tuple[list[Any], list[Any]]]:
    """The texts and the names of some rows at a time."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    wanted = list(dict.fromkeys([column, *([names] if names else [])]))
    if suffixes[-1:] == [".parquet"]:
        chunks = _parquet_chunks(path, wanted)
    elif separator := next((SEPARATORS[suffix] for suffix in suffixes[-2:] if suffix in SEPARATORS), None):
        chunks = _csv_chunks(path, wanted, separator)
    else:
        raise InputError(f"{_name(path)} is no table that can be read; pass .csv, .tsv or .parquet files.")
    for chunk in chunks:
        texts = chunk[column]
        yield texts, chunk[names] if names else [None] * len(texts)


def _csv_chunks(path: str, wanted: list[str], separator: str) -> Iterator[dict[str, list[Any]]]:
    pandas = require_extra("pandas", "pandas")
    with blaming(_name(path)), _reading_table(path):
        _check_columns(path, wanted, list(pandas.read_csv(path, sep=separator, nrows=0, encoding="utf-8").columns))
        reader = pandas.read_csv(
            path,
            sep=separator,
            usecols=wanted,
            dtype=str,
            keep_default_na=False,
            chunksize=ROWS_AT_ONCE,
            encoding="utf-8",
        )
        with reader:
            for chunk in reader:
                yield {name: chunk[name].tolist() for name in wanted}


def _parquet_chunks(path: str, wanted: list[str]) -> Iterator[dict[str, list[Any]]]:
    parquet = require_extra("pyarrow.parquet", "parquet")
    with blaming(_name(path)), _reading_table(path), parquet.ParquetFile(path) as file:
        _check_columns(path, wanted, list(file.schema_arrow.names))
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=wanted):
            yield batch.to_pydict()


@contextmanager
def _reading_table(path: str) -> Iterator[None]:
    """One sentence for whatever the readers of tables say; both of theirs are ValueErrors."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise InputError(f"{_name(path)} cannot be read as a table ({reason}); check the file.") from error


def _check_columns(path: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    for column in wanted:
        if column not in there:
            listed = ", ".join(there[:20])
            raise InputError(f"{_name(path)} has no column {column!r}; its columns are {listed}.")

"""Read documents from files: one per file, one per line, or one per row of a table.

Files may be compressed; tables are CSV or TSV (read with pandas) or Parquet (with pyarrow). Everything is streamed, and
memory is bounded for any input: a document, or some rows of a table, that are too large are refused.

Left out: word processor formats and MediaWiki dumps. A line beyond 4 MiB is several documents. pyarrow itself
decompresses a page, at most 2 GiB, at once.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from wordatoms.errors import InputError, require_extra
from wordatoms.storage.files import write_atomic
from wordatoms.text.compression import recognise_compression
from wordatoms.text.files import (
    HEAD_BYTES,
    file_errors,
    find_files,
    is_dump,
    is_regular,
    printable,
    read_stream,
    refuse_binary,
    within_disk,
)
from wordatoms.text.shards import Shard, TextStream, open_text, read_blocks, read_head

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

LARGEST_DOCUMENT = 1 << 27
"""Bytes, for a file that is one document."""
ROWS_AT_ONCE = 200
LARGEST_ROWS = 1 << 28
"""Bytes, for `ROWS_AT_ONCE` rows of a table."""
FEW_ROWS = 16
"""Rows of a Parquet table read at once; a small file may contain a large text in each of a million rows."""
LARGEST_RATIO = 200
"""Maximum ratio of decompressed to compressed size of a large Parquet table; for text it is about ten."""
SEEN_AS_LARGE = 1 << 26
SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}

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


def read_column(sources: Sequence[str | Path], column: str, *, names: str | None = None) -> Iterator[Named]:
    """Yield one document per row of tables: the text from one column, the name from another or `file:row`."""
    for path in find_files(sources):
        source, number = _name(path), 0
        for texts, called in _columns(path, column, names):
            for text, name in zip(texts, called, strict=True):
                number += 1
                yield f"{source}:{number}" if name is None else str(name), "" if text is None else str(text)


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


# --- Tables


def _columns(path: str, column: str, names: str | None) -> Iterator[tuple[Iterable[Any], Iterable[Any]]]:
    """Yield the texts and names of some rows at a time."""
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    wanted = list(dict.fromkeys([column, *([names] if names else [])]))
    if suffixes[-1:] == [".parquet"]:
        chunks = _parquet_chunks(path, wanted)
    elif separator := next((SEPARATORS[suffix] for suffix in suffixes[-2:] if suffix in SEPARATORS), None):
        chunks = _csv_chunks(path, wanted, separator)
    else:
        raise InputError(f"{_name(path)} is not a supported table; pass .csv, .tsv or .parquet files.")
    for chunk in chunks:
        texts = chunk[column]
        yield texts, chunk[names] if names else [None] * len(texts)


class _Metered(io.RawIOBase):
    """The text of a table, with a limit on the bytes that some rows may take."""

    def __init__(self, text: TextStream, name: str) -> None:
        self._text, self._name = text, name
        self.renew()

    def renew(self) -> None:
        self._n_left = LARGEST_ROWS

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        n_bytes = self._text.readinto(buffer) or 0
        self._n_left -= n_bytes
        if self._n_left < 0:
            raise InputError(
                f"{self._name} has rows that are too long (more than {LARGEST_ROWS:,} bytes); check its quotes."
            )
        return n_bytes


@contextmanager
def _opened(path: str) -> Iterator[_Metered]:
    name = _name(path)
    compression = recognise_compression(read_head(Shard(path, origin=name), HEAD_BYTES))
    with closing(open_text(Shard(path, compression, origin=name))) as text:
        yield _Metered(text, name)


def _csv_chunks(path: str, wanted: list[str], separator: str) -> Iterator[Mapping[str, Sequence[Any]]]:
    read_csv = require_extra("pandas", "pandas").read_csv
    options: dict[str, Any] = {"sep": separator, "encoding": "utf-8"}
    with file_errors(_name(path)), _reading_table(path):
        with _opened(path) as text:
            _check_columns(path, wanted, list(read_csv(io.BufferedReader(text), nrows=0, **options).columns))
        options |= {"usecols": wanted, "dtype": str, "keep_default_na": False, "chunksize": ROWS_AT_ONCE}
        with _opened(path) as text, read_csv(io.BufferedReader(text), **options) as reader:
            for chunk in reader:
                text.renew()
                yield {name: chunk[name].tolist() for name in wanted}


def _parquet_chunks(path: str, wanted: list[str]) -> Iterator[Mapping[str, Sequence[Any]]]:
    parquet = require_extra("pyarrow.parquet", "parquet")
    with file_errors(_name(path)), _reading_table(path):
        _check_columns(path, wanted, list(parquet.read_schema(path).names))
        # Memory-mapped, because otherwise pyarrow allocates the size that a page announces before it reads it.
        with parquet.ParquetFile(path, memory_map=True, pre_buffer=False) as file:
            _refuse_bomb(path, file.metadata)
            for batch in file.iter_batches(batch_size=FEW_ROWS, columns=wanted):
                yield {name: _Values(batch.column(name), path) for name in wanted}


class _Values(Sequence[Any]):
    """The values of a pyarrow column, each converted when it is accessed."""

    def __init__(self, column: Any, path: str) -> None:
        self._column, self._path = column, path

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, row: Any) -> Any:
        return self._column[row].as_py()

    def __iter__(self) -> Iterator[Any]:
        for value in self._column:
            with _reading_table(self._path):
                converted = value.as_py()
            yield converted


def _refuse_bomb(path: str, metadata: Any) -> None:
    """Raise if a part of a table is out of proportion when decompressed.

    Only row groups are checked: pyarrow aborts the process if the metadata of a column is damaged.
    """
    most = max(SEEN_AS_LARGE, LARGEST_RATIO * Path(path).stat().st_size)
    for number in range(metadata.num_row_groups):
        if (size := metadata.row_group(number).total_byte_size) > most:
            raise InputError(
                f"{_name(path)} decompresses to {size:,} bytes, more than {LARGEST_RATIO} times its size; convert it "
                "to .csv if you trust it."
            )


@contextmanager
def _reading_table(path: str) -> Iterator[None]:
    """Turn the errors of the table readers into an `InputError` that names the file."""
    try:
        yield
    except (InputError, OSError):
        raise
    except (ValueError, TypeError, LookupError, OverflowError, NotImplementedError, MemoryError) as error:
        reason = str(error).strip().split("\n")[0].rstrip(".")
        raise InputError(f"{_name(path)} cannot be read as a table ({reason}); check the file.") from error


def _check_columns(path: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    for column in wanted:
        if column not in there:
            listed = ", ".join(there[:20])
            raise InputError(f"{_name(path)} has no column {column!r}; its columns are {listed}.")

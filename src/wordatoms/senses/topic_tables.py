"""Tables of topics as files: CSV, TSV or Parquet, long or wide, whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from wordatoms.errors import InputError, require_extra
from wordatoms.senses.topics import Row, Topics
from wordatoms.storage.files import write_atomic

SEPARATORS = {".csv": ",", ".tsv": "\t"}
PARQUET = ".parquet"


def check_table(path: Path, *, force: bool = False) -> None:
    """Say before any work what would keep a table from being written."""
    suffix = path.suffix.lower()
    if suffix not in (*SEPARATORS, PARQUET):
        raise InputError(f"{path} is no kind of table that can be written; end its name in .csv, .tsv or .parquet.")
    if path.exists() and not force:
        raise InputError(f"{path} is there already; pass --force (in Python force=True) to replace it.")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first.")
    if suffix == PARQUET:
        require_extra("pandas", "parquet")
        require_extra("pyarrow", "parquet")


def write_table(
    topics: Topics, path: Path | str, *, wide: bool = False, min_share: float = 0.0, force: bool = False
) -> None:
    """Write the long table (a row for each document and atom), or the `wide` one (documents by atoms)."""
    path = Path(path)
    check_table(path, force=force)
    if not 0 <= min_share <= 1:
        raise InputError(f"min_share is {min_share}; pass a share from 0 to 1.")
    with write_atomic(path) as file:
        if path.suffix.lower() == PARQUET:
            frame = topics.to_frame(wide=wide, min_share=min_share)
            (frame.reset_index() if wide else frame).to_parquet(file, engine="pyarrow", index=False)
            return
        header: Sequence[str] = ["document", "n_words", *topics.columns()] if wide else Row._fields
        rows = _wide_rows(topics) if wide else topics.rows(min_share=min_share)
        _write_rows(file, SEPARATORS[path.suffix.lower()], header, rows)


def _write_rows(file: IO[bytes], separator: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    text = io.TextIOWrapper(file, "utf-8", errors="backslashreplace", newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in rows)
    text.detach()  # flushes, and leaves the closing to the owner


def _wide_rows(topics: Topics) -> Iterator[list[Any]]:
    for row, name in enumerate(topics.documents):
        yield [name, int(topics.n_words[row]), *topics.distribution(row)[topics.shown].tolist()]

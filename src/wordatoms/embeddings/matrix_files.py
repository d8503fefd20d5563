"""Matrices of numbers in .npy, .safetensors and .parquet files, a row per vector, read some rows at a time.

An .npy file is one matrix; a .safetensors file has one or several tensors, a .parquet file a column whose values are
lists of numbers. Numbers of any real type become float32, also bfloat16. No file is ever read whole: arrays are
memory-mapped, tables are read in batches.

Left out: the words of the rows (`wordatoms.embeddings.vector_files`) and their texts (`wordatoms.embeddings.items`);
tables with a column for each dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import to_single
from wordatoms.errors import InputError, VectorFileError, require_extra
from wordatoms.storage.files import release_pages
from wordatoms.storage.safetensors import BFLOAT16, from_bfloat16, is_safetensors, map_safetensors
from wordatoms.storage.untrusted import open_array
from wordatoms.text.tables import Table

N_HEAD = 16
"""Bytes from which a format is recognised."""
ROWS_AT_ONCE = 4096
"""Rows of a block; few enough for the block of a large dimension to take little memory."""
MOST_LISTED = 10
"""Names listed in a message."""

Block = NDArray[np.float32]


def matrix_kind(head: bytes) -> str:
    """Return the format that the first bytes of a file show: npy, safetensors, parquet, or "" for none of them."""
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    return "safetensors" if is_safetensors(head) else ""


@dataclass(frozen=True)
class MatrixFile:
    """A matrix in a file, checked as far as its header goes."""

    path: Path
    kind: str
    n_rows: int
    dim: int
    _read: Callable[[], Iterator[Block]]

    def blocks(self) -> Iterator[Block]:
        """Yield the rows as float32, some at a time; a row that is not finite is an error that names it."""
        return finite_blocks(self._read(), str(self.path))


def open_matrix(path: Path | str, name: str | None = None) -> MatrixFile:
    """Open a file with a matrix.

    Parameters
    ----------
    path : Path or str
        An .npy, .safetensors or .parquet file, which is recognised by its content.
    name : str, optional
        Name of the tensor of a .safetensors file, or of the column with the vectors of a .parquet file; needed if there
        are several.

    Returns
    -------
    MatrixFile

    Raises
    ------
    VectorFileError
        If the file cannot be read, or does not hold one matrix of real numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from wordatoms.embeddings.matrix_files import open_matrix
    >>> path = Path(tempfile.mkdtemp()) / "vectors.npy"
    >>> np.save(path, np.eye(3, 5, dtype=np.float16))
    >>> matrix = open_matrix(path)
    >>> matrix.n_rows, matrix.dim, next(matrix.blocks()).dtype
    (3, 5, dtype('float32'))
    """
    path = Path(path)
    openers = {"npy": _open_npy, "safetensors": _open_safetensors, "parquet": _open_parquet}
    if not path.is_file():
        raise VectorFileError(f"{path} is no file; pass a file of vectors.")
    with path.open("rb") as file:
        kind = matrix_kind(file.read(N_HEAD))
    if not kind:
        raise VectorFileError(f"{path} is neither an .npy nor a .safetensors nor a .parquet file; convert the vectors.")
    return openers[kind](path, name)


def finite_blocks(blocks: Iterable[Block], name: str) -> Iterator[Block]:
    """Yield blocks of rows, and raise for a row that is not finite."""
    first = 0
    for block in blocks:
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            raise VectorFileError(
                f"row {first + int(np.argmin(finite)):,} of {name} (the first is row 0) holds NaN, infinity or a "
                "number too large for float32; leave the row out or repair it."
            )
        first += len(block)
        yield block


# --- arrays


def _open_npy(path: Path, name: str | None) -> MatrixFile:
    if name is not None:
        raise InputError(f"{path} holds one array, which has no name; leave out the name '{name[:60]}'.")
    try:
        return _of_array(path, "npy", open_array(path))
    except (OSError, ValueError) as error:
        raise VectorFileError(f"{path} is not a valid .npy array ({error}); write it again.") from error


def _open_safetensors(path: Path, name: str | None) -> MatrixFile:
    try:
        arrays = map_safetensors(path)
    except (OSError, ValueError) as error:
        raise VectorFileError(f"{path} is not a valid .safetensors file ({error}); write it again.") from error
    return _of_array(path, "safetensors", arrays[_choose(path, "tensor", arrays, name)])


def _of_array(path: Path, kind: str, array: NDArray[Any]) -> MatrixFile:
    if array.ndim != 2 or 0 in array.shape:
        raise VectorFileError(f"{path} has an array of shape {array.shape}; expected a matrix with a row per vector.")
    if array.dtype != BFLOAT16:
        try:
            to_single(array[:0])
        except InputError as error:
            raise VectorFileError(f"{path}: {error}") from error
    n_rows, dim = array.shape
    return MatrixFile(path, kind, n_rows, dim, partial(_array_blocks, array))


def _array_blocks(array: NDArray[Any]) -> Iterator[Block]:
    for start in range(0, len(array), ROWS_AT_ONCE):
        rows = array[start : start + ROWS_AT_ONCE]
        # copied, because the pages of the mapped rows are given back
        yield from_bfloat16(rows) if array.dtype == BFLOAT16 else to_single(np.array(rows))
        release_pages(array)


# --- Parquet


def _open_parquet(path: Path, name: str | None) -> MatrixFile:
    table = Table(str(path), "parquet")
    with table.opened_parquet() as file:
        table.refuse_bomb(file.metadata)
        columns = {field.name: field for field in file.schema_arrow if _is_vector(field.type)}
        if name is not None:
            table.check_columns([name])
        column = _choose(path, "column of lists of numbers", columns, name)
        n_rows = file.metadata.num_rows
        first = next(file.iter_batches(batch_size=1, columns=[column]), None)
        value = first.column(0)[0].as_py() if first is not None and first.num_rows else None
    if not value:
        raise VectorFileError(f"{path} has no vector in the first row of the column '{column}'; repair the table.")
    return MatrixFile(path, "parquet", n_rows, len(value), partial(_column_blocks, table, column, len(value)))


def _is_vector(kind: Any) -> bool:
    """Whether a type of Arrow is a list of numbers."""
    types = require_extra("pyarrow.types", "parquet")
    if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
        return False
    return bool(types.is_integer(kind.value_type) or types.is_floating(kind.value_type))


def _column_blocks(table: Table, column: str, dim: int) -> Iterator[Block]:
    number, compute = 0, require_extra("pyarrow.compute", "parquet")
    with table.opened_parquet() as file:
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=[column]):
            values = batch.column(0)
            lengths = np.asarray(compute.list_value_length(values).fill_null(-1))
            if (lengths != dim).any():
                row = int(np.argmax(lengths != dim))
                found = f"{lengths[row]} numbers" if lengths[row] >= 0 else "no vector"
                raise VectorFileError(
                    f"row {number + row:,} of {table.path} (the first is row 0) has {found} in the column '{column}'; "
                    f"the rows before have {dim}."
                )
            numbers = values.flatten().to_numpy(zero_copy_only=False)  # a missing number becomes NaN
            yield to_single(numbers).reshape(-1, dim)
            number += len(lengths)


def _choose(path: Path, what: str, found: Mapping[str, Any], name: str | None) -> str:
    """Return the name of the tensor or column to read."""
    listed = ", ".join(list(found)[:MOST_LISTED]) + (", …" if len(found) > MOST_LISTED else "")
    if name is not None and name not in found:
        raise VectorFileError(f"{path} has no {what} named '{name[:60]}'; there is {listed or 'none'}.")
    if name is None and len(found) != 1:
        advice = f"say with --array (in Python array=…) which: {listed}" if found else "pass a file that has one"
        kinds = what.replace(" ", "s ", 1) if " " in what else f"{what}s"  # "columns of lists of numbers", "tensors"
        raise VectorFileError(f"{path} has {len(found) or 'no'} {kinds if len(found) > 1 else what}; {advice}.")
    return name if name is not None else next(iter(found))

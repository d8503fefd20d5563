from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from wordatoms.embeddings.matrix_files import ROWS_AT_ONCE, open_matrix
from wordatoms.errors import InputError, VectorFileError
from wordatoms.storage.safetensors import write_safetensors

X = np.random.default_rng(0).normal(size=(ROWS_AT_ONCE + 10, 6)).astype(np.float32)


def read(path: Path, name: str | None = None) -> NDArray[np.float32]:
    matrix = open_matrix(path, name)
    rows = np.concatenate(list(matrix.blocks()))
    assert rows.shape == (matrix.n_rows, matrix.dim)
    return rows


def write(path: Path, array: NDArray[np.generic]) -> Path:
    if path.suffix == ".npy":
        np.save(path, array)
    elif path.suffix == ".safetensors":
        write_safetensors(path, {"vectors": array}, {})
    else:
        pq.write_table(pa.table({"title": ["x"] * len(array), "vectors": list(array)}), path, row_group_size=1500)
    return path


@pytest.mark.parametrize("suffix", [".npy", ".safetensors", ".parquet"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint16, np.int64])
def test_every_format_and_type_reads_as_float32(tmp_path: Path, suffix: str, dtype: type[np.generic]) -> None:
    array = (X * 10).round().clip(0, 100).astype(dtype)
    np.testing.assert_array_equal(read(write(tmp_path / f"x{suffix}", array)), array.astype(np.float32))


def test_fortran_order(tmp_path: Path) -> None:
    np.testing.assert_array_equal(read(write(tmp_path / "x.npy", np.asfortranarray(X))), X)


def test_bfloat16_is_the_upper_half_of_float32(tmp_path: Path) -> None:
    halves = (X.view(np.uint32) >> 16).astype("<u2")
    write_safetensors(tmp_path / "x.safetensors", {"states": halves}, {})
    content = (tmp_path / "x.safetensors").read_bytes().replace(b'"dtype":"U16"', b'"dtype":"BF16"', 1)
    n_head = int.from_bytes(content[:8], "little") + 1
    (tmp_path / "x.safetensors").write_bytes(n_head.to_bytes(8, "little") + content[8:])
    np.testing.assert_array_equal(read(tmp_path / "x.safetensors"), (X.view(np.uint32) & 0xFFFF0000).view(np.float32))


def test_fixed_size_and_large_lists(tmp_path: Path) -> None:
    flat = pa.array(X.reshape(-1))
    fixed = pa.FixedSizeListArray.from_arrays(flat, 6)
    pq.write_table(pa.table({"fixed": fixed, "large": fixed.cast(pa.large_list(pa.float32()))}), tmp_path / "x.parquet")
    np.testing.assert_array_equal(read(tmp_path / "x.parquet", "fixed"), X)
    np.testing.assert_array_equal(read(tmp_path / "x.parquet", "large"), X)
    with pytest.raises(VectorFileError, match=r"has 2 columns of lists of numbers; say with --array .* fixed, large"):
        open_matrix(tmp_path / "x.parquet")


@pytest.mark.parametrize("suffix", [".npy", ".safetensors", ".parquet"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_row_that_is_not_finite_is_named(tmp_path: Path, suffix: str, number: float) -> None:
    array = X.copy()
    array[ROWS_AT_ONCE + 3, 2] = number
    path = write(tmp_path / f"x{suffix}", array)
    with pytest.raises(VectorFileError, match=r"row 4,099 of .* \(the first is row 0\) holds NaN"):
        read(path)


def test_numbers_beyond_float32_are_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match=r"row 1 of .* too large for float32"):
        read(write(tmp_path / "x.npy", np.array([[1.0], [1e39]])))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(5), r"shape \(5,\)"),
        (np.zeros((2, 3, 4)), r"shape \(2, 3, 4\)"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        (np.zeros((2, 3), complex), "complex128"),
        (np.array([["a", "b"]]), "not numbers"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(tmp_path: Path, array: NDArray[np.generic], message: str) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(VectorFileError, match=message):
        open_matrix(tmp_path / "x.npy")


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1, "a"]], object), allow_pickle=True)
    with pytest.raises(VectorFileError, match=r"not a valid .npy array"):
        open_matrix(tmp_path / "x.npy")


@pytest.mark.parametrize("suffix", [".npy", ".safetensors", ".parquet"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff" * 40, b"plain text\n"])
def test_damaged_files_are_one_sentence(tmp_path: Path, suffix: str, content: bytes) -> None:
    (tmp_path / f"x{suffix}").write_bytes(content)
    with pytest.raises(InputError) as failure:
        read(tmp_path / f"x{suffix}")
    assert "\n" not in str(failure.value)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[1.0, 2.0], [3.0]], "row 1 of .* has 1 numbers in the column 'v'; the rows before have 2"),
        ([[1.0, 2.0], None], "row 1 of .* has no vector"),
        ([None, [1.0, 2.0]], "no vector in the first row"),
        ([[1.0, 2.0], [3.0, None]], "row 1 of .* holds NaN"),
    ],
)
def test_ragged_and_missing_vectors_are_named(tmp_path: Path, rows: list[list[float] | None], message: str) -> None:
    pq.write_table(pa.table({"v": pa.array(rows, pa.list_(pa.float64()))}), tmp_path / "x.parquet")
    with pytest.raises(VectorFileError, match=message):
        read(tmp_path / "x.parquet")


def test_names_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="no tensor named 'b'; there is vectors"):
        open_matrix(write(tmp_path / "x.safetensors", X), "b")
    with pytest.raises(InputError, match="no column 'b'"):
        open_matrix(write(tmp_path / "x.parquet", X), "b")
    with pytest.raises(InputError, match="one array, which has no name"):
        open_matrix(write(tmp_path / "x.npy", X), "b")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(VectorFileError, match="neither an"):
        open_matrix(tmp_path / "x.csv")
    with pytest.raises(VectorFileError, match="is no file"):
        open_matrix(tmp_path / "missing.npy")

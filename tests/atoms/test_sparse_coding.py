"""Sparse codes: against naive pursuits, in any precision, memory order and number of threads; saved and loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from naive_ksvd import naive_code, naive_nonnegative_code, planted, random_atoms
from wordatoms.atoms.sparse_coding import ROWS_PER_BLOCK, SparseCodes, sparse_code
from wordatoms.errors import InputError, ModelError

TWINS = {False: naive_code, True: naive_nonnegative_code}
both_signs = pytest.mark.parametrize("nonnegative", [False, True])


def rows_and_atoms(n_rows: int, n_atoms: int, dim: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return np.random.default_rng(seed).normal(size=(n_rows, dim)), random_atoms(n_atoms, dim, seed + 1)


def dense(codes: SparseCodes) -> np.ndarray:
    return codes.to_csr().toarray()


@both_signs
@settings(max_examples=60, deadline=None)
@given(
    shape=st.tuples(st.integers(1, 20), st.integers(1, 150), st.integers(1, 12)),
    sparsity=st.integers(1, 8),
    seed=st.integers(0, 1000),
)
def test_codes_equal_the_naive_ones(nonnegative: bool, shape: tuple[int, int, int], sparsity: int, seed: int) -> None:
    rows, atoms = rows_and_atoms(*shape, seed=seed)
    sparsity = min(sparsity, len(atoms), max(1, rows.shape[1] - 1))  # dim atoms leave nothing but rounding errors
    codes = sparse_code(rows, atoms, sparsity=sparsity, nonnegative=nonnegative, threads=1)
    expected = [TWINS[nonnegative](row, atoms, sparsity) for row in rows]
    np.testing.assert_allclose(dense(codes), expected, atol=1e-8 * np.abs(expected).max() + 1e-9)


@both_signs
def test_codes_in_single_precision(nonnegative: bool) -> None:
    rows, atoms = rows_and_atoms(200, 60, 30)
    codes = sparse_code(rows.astype(np.float32), atoms, sparsity=4, nonnegative=nonnegative)
    assert codes.weights.dtype == np.float32
    expected = np.array([TWINS[nonnegative](row, atoms, 4) for row in rows])
    np.testing.assert_allclose(dense(codes), expected, atol=1e-4)


@both_signs
@pytest.mark.parametrize("noise", [1e-3, 1e-6, 0])
def test_atoms_nearer_than_the_gram_matrix_is_exact_are_told_apart(nonnegative: bool, noise: float) -> None:
    rng = np.random.default_rng(0)
    centres = np.repeat(random_atoms(10, 30, 1), 40, axis=0)
    atoms = centres + 1e-4 * rng.normal(size=centres.shape)  # cosines of a cluster differ by less than 1 / ONE
    atoms /= np.linalg.norm(atoms, axis=1, keepdims=True)
    rows = sum(rng.uniform(1, 2, (60, 1)) * atoms[rng.permutation(400)[:60]] for _ in range(3))
    rows = rows + noise * rng.normal(size=rows.shape)
    codes = dense(sparse_code(rows, atoms, sparsity=3, nonnegative=nonnegative))
    for row, code in zip(rows, codes, strict=True):
        naive = TWINS[nonnegative](row, atoms, 3)
        assert np.linalg.norm(row - code @ atoms) == pytest.approx(
            np.linalg.norm(row - naive @ atoms), rel=1e-6, abs=1e-9
        )


@both_signs
def test_codes_have_the_promised_form(nonnegative: bool) -> None:
    rows, atoms = rows_and_atoms(300, 40, 8)
    codes = sparse_code(rows, atoms, sparsity=5, nonnegative=nonnegative)
    sizes = np.abs(codes.weights)
    assert (np.diff(sizes, axis=1) <= 0).all()
    assert ((codes.atoms < 0) == (sizes == 0)).all()
    assert all(len(set(used[used >= 0])) == (used >= 0).sum() for used in codes.atoms)
    assert not nonnegative or codes.weights.min() >= 0


def test_each_row_has_its_own_sparsity() -> None:
    rows, atoms = rows_and_atoms(600, 50, 20)
    limits = np.random.default_rng(2).integers(1, 7, len(rows))
    codes = sparse_code(rows, atoms, sparsity=limits)
    assert codes.sparsity == limits.max()
    assert ((codes.atoms >= 0).sum(axis=1) == limits).all()
    some = np.flatnonzero(limits == 3)
    np.testing.assert_allclose(dense(codes[some]), dense(sparse_code(rows[some], atoms, sparsity=3)), atol=1e-12)


def test_planted_codes_are_found() -> None:
    rows, atoms = planted(100, 50, 60, 3)
    codes = sparse_code(rows, atoms, sparsity=10)
    np.testing.assert_allclose(codes.decode(atoms), rows, atol=1e-10)
    assert np.median((codes.atoms >= 0).sum(axis=1)) == 3  # a row that is fitted takes no more atoms


def test_atoms_of_any_length() -> None:
    rows, atoms = rows_and_atoms(50, 30, 10)
    lengths = np.linspace(0.1, 9, 30)
    longer = sparse_code(rows, atoms * lengths[:, None], sparsity=4)
    np.testing.assert_allclose(dense(longer) * lengths, dense(sparse_code(rows, atoms, sparsity=4)), atol=1e-9)


def test_zero_rows_and_zero_atoms_stay_out() -> None:
    rows, atoms = rows_and_atoms(5, 6, 10)
    rows[2], atoms[4] = 0, 0
    codes = sparse_code(rows, atoms, sparsity=6)
    assert (codes.atoms[2] == -1).all()
    assert 4 not in codes.atoms


def test_ties_go_to_the_first_atom() -> None:
    atoms = np.repeat(random_atoms(3, 5, 0), 100, axis=0)
    codes = sparse_code(atoms[[250]], atoms, sparsity=3)
    assert codes.atoms.tolist() == [[200, -1, -1]]


@both_signs
def test_same_bytes_with_any_number_of_threads(nonnegative: bool) -> None:
    rows, atoms = rows_and_atoms(3 * ROWS_PER_BLOCK + 7, 300, 20)
    results = [
        sparse_code(rows.astype(np.float32), atoms, nonnegative=nonnegative, threads=threads) for threads in (1, 2, 3)
    ]
    for result in results[1:]:
        assert result.atoms.tobytes() == results[0].atoms.tobytes()
        assert result.weights.tobytes() == results[0].weights.tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_order_and_home_of_the_input_do_not_matter(tmp_path: Path, dtype: Any) -> None:
    rows, atoms = (array.astype(dtype) for array in rows_and_atoms(ROWS_PER_BLOCK + 50, 40, 9))
    expected = sparse_code(rows, atoms)
    np.save(tmp_path / "rows.npy", rows)
    for same in (np.asfortranarray(rows), np.load(tmp_path / "rows.npy", mmap_mode="r"), np.repeat(rows, 2, 0)[::2]):
        assert sparse_code(same, np.asfortranarray(atoms)).weights.tobytes() == expected.weights.tobytes()


def test_integers_and_half_precision_are_converted() -> None:
    rows = np.random.default_rng(0).integers(-5, 5, (20, 6))
    atoms = random_atoms(10, 6, 0)
    assert sparse_code(rows, atoms).weights.dtype == np.float64
    assert sparse_code(rows.astype(np.float16), atoms).weights.dtype == np.float32
    np.testing.assert_array_equal(dense(sparse_code(rows, atoms)), dense(sparse_code(rows.astype(float), atoms)))


def test_more_atoms_than_dimensions_end_at_an_exact_fit() -> None:
    rows, atoms = rows_and_atoms(30, 20, 4)
    codes = sparse_code(rows, atoms, sparsity=20)
    np.testing.assert_allclose(codes.decode(atoms), rows, atol=1e-9)
    assert (codes.atoms >= 0).sum(axis=1).max() <= 5


ROWS, ATOMS = rows_and_atoms(10, 8, 4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": np.where(np.arange(4) == 1, np.nan, ROWS)}, "row 0 of X holds NaN or infinity"),
        ({"X": ROWS[0]}, r"X has the shape \(4,\)"),
        ({"X": ROWS[:0]}, r"X has the shape \(0, 4\)"),
        ({"X": ROWS * 1j}, "X holds complex128; pass real numbers"),
        ({"X": [["a"]]}, "pass real numbers"),
        ({"X": csr_matrix(ROWS)}, "X is a sparse matrix; pass a dense array"),
        ({"X": ROWS[:, :3]}, "X has 3 dimensions but the atoms have 4"),
        ({"X": (ROWS * 1e20).astype(np.float32)}, "scale it to between"),
        ({"atom_vectors": ATOMS[:0]}, r"atom_vectors has the shape \(0, 4\)"),
        ({"sparsity": 12}, "sparsity is 12 but there are only 8 atoms; pass a sparsity of 8 or less"),
        ({"sparsity": 0}, "sparsity is 0; pass 1 or more"),
        ({"sparsity": 2.5}, "sparsity is float64"),
        ({"sparsity": [1, 2]}, r"sparsity is int64 of shape \(2,\)"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_bad_input_is_refused(changes: dict[str, Any], message: str) -> None:
    arguments = {"X": ROWS, "atom_vectors": ATOMS, "sparsity": 2, **changes}
    with pytest.raises(InputError, match=message):
        sparse_code(arguments.pop("X"), arguments.pop("atom_vectors"), **arguments)


def test_codes_as_matrix_rows_and_frame() -> None:
    codes = sparse_code(ROWS, ATOMS, sparsity=3)
    assert len(codes) == 10
    assert repr(codes) == "SparseCodes(10 rows, up to 3 of 8 atoms)"
    np.testing.assert_allclose(dense(codes) @ ATOMS, codes.decode(ATOMS))
    np.testing.assert_array_equal(codes[-1].atoms, codes.atoms[-1:])
    np.testing.assert_array_equal(codes[[3, 1]].weights, codes.weights[[3, 1]])
    np.testing.assert_array_equal(codes[2:4].weights, codes.weights[2:4])
    with pytest.raises(IndexError):
        codes[10]
    with pytest.raises(InputError, match="over 8 atoms, but 7 vectors"):
        codes.decode(ATOMS[:7])


def test_codes_as_a_frame() -> None:
    pytest.importorskip("pandas")
    codes = sparse_code(ROWS, ATOMS, sparsity=3)
    frame = codes.to_frame()
    assert list(frame.columns) == ["row", "atom", "weight"]
    back = csr_matrix((frame["weight"], (frame["row"], frame["atom"])), shape=(10, 8))
    np.testing.assert_array_equal(back.toarray(), dense(codes))


def test_saved_codes_are_loaded_as_they_were(tmp_path: Path) -> None:
    codes = sparse_code(ROWS, ATOMS, sparsity=3)
    codes.save(tmp_path / "model", "word")
    loaded = SparseCodes.load(tmp_path / "model", "word", n_atoms=8)
    np.testing.assert_array_equal(loaded.atoms, codes.atoms)
    np.testing.assert_array_equal(loaded.weights, codes.weights)


@pytest.mark.parametrize(
    ("atoms", "weights"),
    [
        (np.zeros((2, 3), np.int32), np.zeros((3, 2))),
        (np.zeros((2, 3), np.int64), np.zeros((2, 3))),
        (np.full((2, 3), 8, np.int32), np.ones((2, 3))),
        (np.full((2, 3), -2, np.int32), np.zeros((2, 3))),
        (np.full((2, 3), -1, np.int32), np.ones((2, 3))),
        (np.zeros((2, 3), np.int32), np.full((2, 3), np.nan)),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, atoms: np.ndarray, weights: np.ndarray) -> None:
    np.save(tmp_path / "codes-atoms.npy", atoms)
    np.save(tmp_path / "codes-weights.npy", weights)
    with pytest.raises(ModelError, match="holds no usable codes"):
        SparseCodes.load(tmp_path, n_atoms=8)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"codes-atoms\.npy is missing"):
        SparseCodes.load(tmp_path, n_atoms=8)

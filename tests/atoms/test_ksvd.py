"""k-SVD: against a naive twin, on planted dictionaries, an error that only replacements raise, awkward data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from naive_ksvd import naive_update, planted, random_atoms
from wordatoms.atoms import ksvd as ksvd_module
from wordatoms.atoms.ksvd import Fit, KSVDResult, ksvd
from wordatoms.atoms.sparse_coding import ROWS_PER_BLOCK, checked_limits, sparse_code
from wordatoms.errors import InputError
from wordatoms.kernels.pursuit import ONE

both_signs = pytest.mark.parametrize("nonnegative", [False, True])
both_precisions = pytest.mark.parametrize("dtype", [np.float32, np.float64])


def word_like_rows(n_rows: int, dim: int, seed: int = 0) -> np.ndarray:
    """Rows of uneven length with a common direction, as word vectors have."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_rows, dim)) + rng.normal(size=dim)
    return rows * rng.uniform(0.1, 3, (n_rows, 1))


def begin(rows: np.ndarray, n_atoms: int, sparsity: int, *, nonnegative: bool = False) -> Fit:
    """A fit with its first codes."""
    vectors = random_atoms(n_atoms, rows.shape[1], 5).astype(rows.dtype)
    fit = Fit.begin(rows, vectors, checked_limits(sparsity, len(rows), n_atoms), nonnegative, 1)
    fit.improve_codes(fit.coder())
    return fit


def scaled_rows(fit: Fit) -> np.ndarray:
    """What the codes of a fit stand for."""
    return fit.scaled_rows(slice(None))


def dense_codes(fit: Fit) -> np.ndarray:
    codes = np.zeros((len(fit.rows), len(fit.vectors)))
    rows, slots = np.nonzero(fit.atoms >= 0)
    codes[rows, fit.atoms[rows, slots]] = fit.weights[rows, slots]
    return codes


def squared_error(fit: Fit) -> float:
    """From codes and atoms alone, whatever residuals the fit keeps."""
    return float(((scaled_rows(fit) - dense_codes(fit) @ fit.vectors) ** 2).sum())


def relative_error(rows: np.ndarray, result: KSVDResult) -> float:
    return float(((rows - result.codes.decode(result.atoms)) ** 2).sum() / (rows**2).sum())


# --- the two steps


@both_signs
def test_atom_step_equals_the_naive_one(nonnegative: bool) -> None:
    fit = begin(word_like_rows(300, 12), 30, 4, nonnegative=nonnegative)
    codes, atoms = dense_codes(fit), fit.vectors.copy()
    naive_update(scaled_rows(fit), codes, atoms, nonnegative=nonnegative)
    fit.improve_atoms()
    np.testing.assert_allclose(fit.vectors, atoms, atol=1e-10)
    np.testing.assert_allclose(dense_codes(fit), codes, atol=1e-10)
    np.testing.assert_allclose(fit.residuals, scaled_rows(fit) - codes @ atoms, atol=1e-10)


@both_signs
@settings(max_examples=25, deadline=None)
@given(n_rows=st.integers(5, 80), n_atoms=st.integers(4, 30), sparsity=st.integers(1, 4), seed=st.integers(0, 99))
def test_neither_step_raises_the_error(nonnegative: bool, n_rows: int, n_atoms: int, sparsity: int, seed: int) -> None:
    fit = begin(word_like_rows(n_rows, 6, seed), n_atoms, sparsity, nonnegative=nonnegative)
    errors = [squared_error(fit)]
    for _ in range(4):
        fit.improve_atoms()
        errors.append(squared_error(fit))
        fit.improve_codes(fit.coder())
        errors.append(squared_error(fit))
        assert squared_error(fit) == pytest.approx(fit.losses.sum())
    assert (np.diff(errors) <= 1e-9 * fit.total).all()


def test_only_replacements_raise_the_error() -> None:
    result = ksvd(word_like_rows(150, 10), n_atoms=60, sparsity=2, n_iterations=12)
    rises = np.diff(result.errors) > 1e-12
    assert result.n_replaced.any()
    assert not rises[result.n_replaced[1:] == 0].any()
    assert result.n_replaced[-1] == 0


def test_only_rounding_raised_the_error_of_rows_that_fit_exactly() -> None:
    rows = np.random.default_rng(0).normal(size=(80, 4)).astype(np.float32)
    eps = float(np.finfo(np.float32).eps)
    for seed in range(16):
        result = ksvd(rows, n_atoms=79, sparsity=4, n_iterations=8, random_state=seed, threads=1)
        rises = np.diff(result.errors)[result.n_replaced[1:] == 0]
        assert (rises <= eps * result.errors[0] + 4 * eps**2).all()


# --- replacements


def test_unused_and_duplicate_atoms_become_the_worst_rows() -> None:
    rows = np.vstack([word_like_rows(400, 10), 50 * random_atoms(3, 10, 9)])
    fit = begin(rows, 20, 2)
    fit.vectors[7] = fit.vectors[3]
    fit.improve_atoms()
    fit.vectors[7] = -fit.vectors[3]
    fit.residuals = scaled_rows(fit) - dense_codes(fit) @ fit.vectors
    worst = np.argsort(-(fit.residuals**2).sum(axis=1), kind="stable")
    places = ksvd_module.Places.find(fit.atoms, fit.weights, len(fit.vectors))
    n_users = np.diff(places.starts)
    expected = set(np.flatnonzero(n_users < ksvd_module.FEWEST_USERS)) | {7 if n_users[7] <= n_users[3] else 3}
    coder = fit.coder()
    assert fit.replace_atoms(places, coder) == len(expected)
    for atom, row in zip(sorted(expected), worst, strict=False):
        np.testing.assert_allclose(fit.vectors[atom], rows[row] / np.linalg.norm(rows[row]))
        assert not dense_codes(fit)[:, atom].any()
    np.testing.assert_allclose(coder.gram / ONE, fit.vectors @ fit.vectors.T, atol=0.5 / ONE)
    np.testing.assert_allclose(fit.residuals, scaled_rows(fit) - dense_codes(fit) @ fit.vectors, atol=1e-10)


def test_rows_that_fit_perfectly_replace_nothing() -> None:
    rows = np.repeat(random_atoms(5, 8, 0), 20, axis=0)
    result = ksvd(rows, n_atoms=12, sparsity=2, n_iterations=5)
    assert result.n_replaced[1:].sum() == 0
    assert result.error < 1e-12


# --- planted truth


@both_signs
@both_precisions
def test_planted_atoms_come_back(nonnegative: bool, dtype: Any) -> None:
    rows, atoms = planted(2500, 32, 24, 3, nonnegative=nonnegative, noise=0.01)
    result = ksvd(rows.astype(dtype), n_atoms=40, sparsity=3, n_iterations=40, nonnegative=nonnegative)
    cosines = atoms @ result.atoms.T
    found = (cosines if nonnegative else np.abs(cosines)).max(axis=1)
    assert result.atoms.dtype == result.codes.weights.dtype == dtype
    assert (found > 0.98).mean() >= 0.9
    assert np.median(found) > 0.999


def test_planted_atoms_as_start_stay() -> None:
    rows, atoms = planted(400, 20, 100, 2)
    result = ksvd(rows, n_atoms=20, sparsity=2, n_iterations=3, start=5 * atoms)
    assert result.error < 1e-12
    np.testing.assert_allclose(np.abs((result.atoms * atoms).sum(axis=1)), 1)


def test_sparsity_one_is_a_clustering_by_direction() -> None:
    """Each row goes to the atom of the largest |inner product|; an atom is the leading direction of its rows."""
    rows = word_like_rows(600, 6)
    result = ksvd(rows, n_atoms=8, sparsity=1, n_iterations=200)
    products = rows @ result.atoms.T
    np.testing.assert_array_equal(result.codes.atoms[:, 0], np.abs(products).argmax(axis=1))
    np.testing.assert_allclose(result.codes.weights[:, 0], products[np.arange(600), result.codes.atoms[:, 0]])
    for atom, vector in enumerate(result.atoms):
        members = rows[result.codes.atoms[:, 0] == atom]
        leading = np.linalg.svd(members)[2][0]
        assert abs(leading @ vector) > 1 - 1e-6


# --- the result


@both_signs
@both_precisions
def test_result_agrees_with_itself(nonnegative: bool, dtype: Any) -> None:
    rows = word_like_rows(700, 12).astype(dtype)
    reports: list[tuple[int, float, float]] = []
    result = ksvd(
        rows,
        n_atoms=30,
        sparsity=4,
        n_iterations=6,
        nonnegative=nonnegative,
        callback=lambda *report: reports.append(report),
    )
    np.testing.assert_allclose(np.linalg.norm(result.atoms, axis=1), 1, rtol=1e-5)
    assert relative_error(rows, result) == pytest.approx(result.error, rel=1e-4)
    assert np.asarray(result.codes.to_csr().sum(axis=0)).min() >= -1e-4
    assert (np.diff(result.codes.to_csr().indptr) <= 4).all()
    assert not nonnegative or result.codes.weights.min() >= 0
    assert [report[0] for report in reports] == [1, 2, 3, 4, 5, 6]
    assert [report[1] for report in reports] == result.errors.tolist()
    assert len(result) == 30
    assert "30 atoms, 6 iterations" in repr(result)


@pytest.mark.parametrize("options", [{}, {"keep_codes": True}], ids=str)
def test_codes_are_no_worse_than_a_pursuit(options: dict[str, Any]) -> None:
    rows = word_like_rows(300, 10)
    result = ksvd(rows, n_atoms=40, sparsity=3, n_iterations=5, **options)
    assert relative_error(rows, result) == pytest.approx(result.error)
    pursuit = sparse_code(rows, result.atoms, sparsity=3).decode(result.atoms)
    assert result.error <= ((rows - pursuit) ** 2).sum() / (rows**2).sum() + 1e-12


def test_each_row_has_its_own_sparsity() -> None:
    rows = word_like_rows(300, 10)
    limits = np.random.default_rng(0).integers(1, 5, 300)
    result = ksvd(rows, n_atoms=20, sparsity=limits, n_iterations=4)
    assert ((result.codes.atoms >= 0).sum(axis=1) <= limits).all()


def test_history_as_a_frame() -> None:
    pytest.importorskip("pandas")
    frame = ksvd(word_like_rows(50, 5), n_atoms=6, sparsity=2, n_iterations=3).to_frame()
    assert list(frame.index) == [1, 2, 3]
    assert list(frame.columns) == ["error", "n_replaced", "seconds"]


# --- the same bytes


@both_signs
@both_precisions
def test_same_bytes_with_any_number_of_threads(nonnegative: bool, dtype: Any) -> None:
    rows = word_like_rows(3 * ROWS_PER_BLOCK + 11, 20).astype(dtype)
    runs = [ksvd(rows, n_atoms=150, n_iterations=3, nonnegative=nonnegative, threads=threads) for threads in (1, 2, 3)]
    for run in runs[1:]:
        assert run.atoms.tobytes() == runs[0].atoms.tobytes()
        assert run.codes.weights.tobytes() == runs[0].codes.weights.tobytes()
        assert run.codes.atoms.tobytes() == runs[0].codes.atoms.tobytes()
        assert run.errors.tobytes() == runs[0].errors.tobytes()


@both_precisions
def test_order_and_home_of_the_input_do_not_matter(tmp_path: Path, dtype: Any) -> None:
    rows = word_like_rows(ROWS_PER_BLOCK + 40, 9).astype(dtype)
    np.save(tmp_path / "rows.npy", rows)
    expected = ksvd(rows, n_atoms=30, sparsity=3, n_iterations=2)
    for same in (np.asfortranarray(rows), np.load(tmp_path / "rows.npy", mmap_mode="r")):
        assert ksvd(same, n_atoms=30, sparsity=3, n_iterations=2).atoms.tobytes() == expected.atoms.tobytes()


def test_input_is_left_as_it_was() -> None:
    rows = word_like_rows(100, 5)
    before = rows.copy()
    start = rows[:8].copy()
    ksvd(rows, n_atoms=8, sparsity=2, n_iterations=3, start=start)
    np.testing.assert_array_equal(rows, before)
    np.testing.assert_array_equal(start, before[:8])


# --- awkward data


@both_signs
@pytest.mark.parametrize(
    ("dtype", "exponents"), [(np.float32, [-49, -40, 30, 47]), (np.float64, [-490, -330, 330, 490])], ids=str
)
def test_large_and_small_numbers_left_the_atoms_unfitted(nonnegative: bool, dtype: Any, exponents: list[int]) -> None:
    """All sizes that the check lets pass give the same atoms, to the last bit if they differ by a power of two."""
    rows = np.random.default_rng(0).standard_normal((50, 6)).astype(dtype)
    options: dict[str, Any] = {"n_atoms": 5, "sparsity": 2, "nonnegative": nonnegative, "threads": 1}
    expected = ksvd(rows, **options)
    for exponent in exponents:
        result = ksvd(np.ldexp(rows, exponent), **options)
        assert result.atoms.tobytes() == expected.atoms.tobytes()
        assert result.errors.tobytes() == expected.errors.tobytes()
        assert result.codes.weights.tobytes() == np.ldexp(expected.codes.weights, exponent).tobytes()


@pytest.mark.parametrize(("dtype", "scale"), [(np.float32, 1e9), (np.float32, 1e-14), (np.float64, 1e100)])
def test_the_error_depended_on_the_scale(dtype: Any, scale: float) -> None:
    rows = np.random.default_rng(0).standard_normal((50, 6)).astype(dtype)
    errors = [ksvd(factor * rows, n_atoms=5, sparsity=3, threads=1).error for factor in (dtype(1), dtype(scale))]
    assert errors[1] == pytest.approx(errors[0], rel=0.05)


def test_a_tiny_row_made_an_atom_of_nan() -> None:
    rows = word_like_rows(8, 4)
    rows[3] = 1e-170
    assert np.isfinite(ksvd(rows, n_atoms=8, sparsity=2, n_iterations=2).atoms).all()


def test_more_atoms_than_rows_fit_exactly() -> None:
    rows = word_like_rows(10, 6)
    result = ksvd(rows, n_atoms=25, sparsity=2, n_iterations=3)
    assert result.atoms.shape == (25, 6)
    assert result.error < 1e-12


def test_zero_rows_have_empty_codes() -> None:
    rows = word_like_rows(60, 5)
    rows[::3] = 0
    result = ksvd(rows, n_atoms=8, sparsity=2, n_iterations=3)
    assert (result.codes.atoms[::3] == -1).all()
    assert np.isfinite(result.atoms).all()


def test_nothing_but_zeros() -> None:
    result = ksvd(np.zeros((10, 3)), n_atoms=4, sparsity=2, n_iterations=2)
    assert result.error == 0
    np.testing.assert_allclose(np.linalg.norm(result.atoms, axis=1), 1)


def test_constant_rows_need_one_atom() -> None:
    result = ksvd(np.full((30, 4), 2.5), n_atoms=5, sparsity=2, n_iterations=3)
    assert result.error < 1e-12
    assert (result.codes.atoms[:, 1] == -1).all()


def test_one_row_and_one_dimension() -> None:
    assert ksvd(np.array([[3.0]]), n_atoms=1, sparsity=1).codes.weights.tolist() == [[3.0]]


def test_an_interrupt_ends_the_run() -> None:
    def interrupt(iteration: int, _error: float, _seconds: float) -> None:
        if iteration == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ksvd(word_like_rows(100, 5), n_atoms=8, sparsity=2, callback=interrupt)


ROWS = word_like_rows(20, 4)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (np.where(ROWS > 0, np.nan, ROWS), {}, "of X holds NaN or infinity"),
        (np.where(np.arange(20)[:, None] == 7, np.inf, ROWS), {}, "row 7 of X holds NaN or infinity"),
        (ROWS[0], {}, "X has the shape"),
        (ROWS[:0], {}, "X has the shape"),
        (ROWS + 0j, {}, "pass real numbers"),
        (csr_matrix(ROWS), {}, "X is a sparse matrix"),
        (ROWS, {"n_atoms": 0}, "n_atoms is 0"),
        (ROWS, {"n_atoms": 2.5}, r"n_atoms is 2\.5"),
        (ROWS, {"n_atoms": True}, "n_atoms is True; pass an integer of 1 or more"),
        (ROWS, {"n_iterations": 0}, "n_iterations is 0"),
        (ROWS, {"random_state": -1}, "random_state is -1; pass an integer of 0 or more"),
        (ROWS, {"random_state": 1.5}, r"random_state is 1\.5"),
        (ROWS, {"random_state": None}, "random_state is None"),
        ([[1.0, 2.0], [3.0]], {}, "X is no array .* pass numbers, in rows of one length"),
        (ROWS, {"sparsity": [[1], [2, 3]]}, "sparsity is no array"),
        (ROWS, {"sparsity": 7}, "sparsity is 7 but there are only 6 atoms"),
        (ROWS, {"start": ROWS[:5]}, r"start has the shape \(5, 4\); pass 6 atoms of 4 dimensions"),
        (ROWS, {"start": np.zeros((6, 4))}, "start holds an atom of zeros"),
    ],
)
def test_bad_input_is_refused(rows: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ksvd(rows, **{"n_atoms": 6, "sparsity": 2, **options})

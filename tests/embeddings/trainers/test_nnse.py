"""NNSE: codes against a naive twin, a planted dictionary, an objective that never rises, resuming."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_nnse import naive_codes, naive_objective, planted_factors
from naive_pmi import block_matrix, counts_of, random_matrix
from wordatoms.embeddings.trainers import nnse
from wordatoms.embeddings.trainers.nnse import Factors, improve, relative_objective, start_factors, train_nnse
from wordatoms.errors import DivergedError, InputError
from wordatoms.kernels.nonnegative import descend
from wordatoms.progress import TrainingReport
from wordatoms.storage.files import Checkpoint


def random_problem(n_words: int, dim: int, svd_dim: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    vectors, dictionary = rng.normal(size=(n_words, svd_dim)), rng.normal(size=(dim, svd_dim))
    dictionary /= np.linalg.norm(dictionary, axis=1, keepdims=True)
    return vectors, dictionary


def run_descend(
    vectors: np.ndarray, dictionary: np.ndarray, penalty: float, codes: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    products, gram = (array.astype(np.float32) for array in (vectors @ dictionary.T, dictionary @ dictionary.T))
    codes = np.zeros(products.shape, np.float32) if codes is None else codes
    gains = np.empty(len(vectors))
    descend(products, gram, np.float32(penalty), 3000, 1e-7, codes, gains)
    return codes, gains


@pytest.mark.parametrize("penalty", [0.05, 0.2, 1.0])
def test_codes_against_the_naive_ones(penalty: float) -> None:
    vectors, dictionary = random_problem(20, 7, 9, seed=1)
    codes, _ = run_descend(vectors, dictionary, penalty)
    np.testing.assert_allclose(codes, naive_codes(vectors, dictionary, penalty), atol=1e-4)


@settings(max_examples=50, deadline=None)
@given(
    dim=st.integers(1, 20),
    svd_dim=st.integers(1, 12),
    penalty=st.floats(0.01, 3.0),
    seed=st.integers(0, 999),
    warm=st.booleans(),
)
def test_codes_are_best_and_gains_exact(dim: int, svd_dim: int, penalty: float, seed: int, warm: bool) -> None:
    vectors, dictionary = random_problem(5, dim, svd_dim, seed)
    start = np.random.default_rng(seed).exponential(size=(5, dim)).astype(np.float32) if warm else None
    codes, gains = run_descend(vectors, dictionary, penalty, start)
    slopes = 2 * (vectors - codes @ dictionary) @ dictionary.T - penalty
    assert (codes >= 0).all()
    flat = 2e-3 * max(1, codes.max())  # in single precision
    assert (slopes < flat).all()
    assert (np.abs(slopes[codes > 0]) < flat).all()
    objective = naive_objective(vectors, codes, dictionary, penalty)
    scale = (vectors**2).sum() + (codes**2).sum()  # gains are sums in single precision of numbers of that size
    assert (vectors**2).sum() - gains.sum() == pytest.approx(objective, abs=1e-4 * max(1, scale))


def test_an_atom_of_length_zero_is_never_used() -> None:
    vectors, dictionary = random_problem(6, 4, 5, seed=2)
    dictionary[2] = 0
    codes, _ = run_descend(vectors, dictionary, 0.1)
    assert (codes[:, 2] == 0).all()
    assert np.isfinite(codes).all()


def test_the_objective_never_rises() -> None:
    codes, atoms = planted_factors(300, 20, 15, n_active=3)
    noise = np.random.default_rng(1).normal(scale=0.1, size=(300, 15))
    factors = start_factors((codes @ atoms + noise).astype(np.float32), dim=25, random_state=0)
    before = np.inf
    for step in range(40):
        factors = improve(factors, 0.1, threads=1)
        after = naive_objective(*(array.astype(float) for array in factors[:3]), 0.1)
        assert relative_objective(factors, step) * 300 == pytest.approx(after, rel=1e-4)
        assert after <= before * (1 + 1e-6)
        assert np.linalg.norm(factors.dictionary, axis=1).max() <= 1 + 1e-6
        before = after


def test_planted_factors_come_back() -> None:
    codes, atoms = planted_factors(1500, 12, 20, n_active=2)
    factors = start_factors((codes @ atoms).astype(np.float32), dim=12, random_state=0)
    for _ in range(60):
        factors = improve(factors, 0.02, threads=1)
    found = factors.dictionary / np.linalg.norm(factors.dictionary, axis=1, keepdims=True)
    match = (atoms @ found.T).argmax(axis=1)
    assert sorted(match) == list(range(12))
    assert ((atoms * found[match]).sum(axis=1) > 0.99).all()
    assert ((factors.codes[:, match] > 0.05) == (codes > 0)).mean() > 0.98


def test_an_unused_row_starts_again_from_the_word_fitted_worst() -> None:
    vectors = np.eye(4, dtype=np.float32)
    codes = np.zeros((4, 2), np.float32)
    codes[0, 0] = 1
    factors = Factors(vectors, codes, vectors[:2].copy(), np.array([0.0, 0.2, 0.9, 0.4]))
    np.testing.assert_array_equal(nnse._better_dictionary(factors, threads=1), vectors[[0, 2]])


def test_planted_groups_become_dimensions() -> None:
    sizes = (12, 9, 6, 5)
    embeddings = train_nnse(counts_of(block_matrix(sizes)), dim=4, svd_dim=4)
    groups = np.repeat(np.arange(4), sizes)
    used = [np.flatnonzero(embeddings.vectors[groups == group].max(axis=0)).tolist() for group in range(4)]
    assert sorted(used) == [[0], [1], [2], [3]]
    assert (embeddings.vectors >= 0).all()
    assert embeddings.method == "nnse"
    assert embeddings.state["dictionary"].shape == (4, 4)


def test_a_higher_penalty_leaves_more_zeros() -> None:
    counts = counts_of(random_matrix(60))
    zeros = [(train_nnse(counts, dim=10, sparsity_penalty=price).vectors == 0).mean() for price in (0.02, 0.5)]
    assert 0.2 < zeros[0] < zeros[1] < 1


def test_reports_run_over_both_stages() -> None:
    reports: list[TrainingReport] = []
    train_nnse(counts_of(random_matrix(40)), dim=5, iterations=7, svd_dim=10, callback=reports.append)
    n_svd = reports[0].n_steps - 7
    assert [report.step for report in reports] == list(range(1, n_svd + 8))
    losses = [report.loss for report in reports[n_svd:]]
    assert all(later <= earlier * (1 + 1e-6) for earlier, later in pairwise(losses))


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nnse, "ROWS_PER_TASK", 16)
    counts = counts_of(random_matrix(90))
    one, many = (train_nnse(counts, dim=9, threads=threads) for threads in (1, 3))
    assert one.vectors.tobytes() == many.vectors.tobytes()
    assert one.state["dictionary"].tobytes() == many.state["dictionary"].tobytes()


class Interrupted(Exception):
    """Stands for a run that ends at a chosen step."""


@pytest.mark.parametrize("last_step", [4, 15, 18, 22])
def test_an_interrupted_run_goes_on_to_the_same_bytes(tmp_path: Path, last_step: int) -> None:
    counts = counts_of(random_matrix(70))
    checkpoint = Checkpoint(tmp_path / "nnse.npz", {})

    def interrupt(report: TrainingReport) -> None:
        if report.step == last_step:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_nnse(counts, dim=10, iterations=12, svd_dim=15, checkpoint=checkpoint, callback=interrupt)
    steps: list[int] = []
    resumed = train_nnse(
        counts, dim=10, iterations=12, svd_dim=15, checkpoint=checkpoint, callback=lambda r: steps.append(r.step)
    )
    assert last_step - nnse.ITERATIONS_PER_SAVE < steps[0] <= last_step + 1
    assert steps[-1] == 27
    whole = train_nnse(counts, dim=10, iterations=12, svd_dim=15)
    assert resumed.vectors.tobytes() == whole.vectors.tobytes()


def test_undefined_numbers_are_refused() -> None:
    factors = start_factors(np.eye(4, dtype=np.float32), dim=2, random_state=0)
    with pytest.raises(DivergedError, match="at step 3"):
        relative_objective(factors._replace(losses=np.full(4, np.nan)), 3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dim": 0}, "dim is 0 but there are 12 words"),
        ({"dim": 13}, "dim is 13 but there are 12 words; pass a dim from 1 to 12"),
        ({"sparsity_penalty": -1.0}, r"sparsity_penalty is -1\.0"),
        ({"sparsity_penalty": 2.0}, r"sparsity_penalty is 2\.0"),
        ({"iterations": 0}, "iterations is 0"),
        ({"svd_dim": 0}, "svd_dim is 0"),
        ({"context_power": 2.0}, r"context_power is 2\.0"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_bad_parameters(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train_nnse(counts_of(random_matrix(12)), **{"dim": 3, **parameters})


def test_too_few_words_with_a_vector() -> None:
    counts = np.zeros((6, 6), np.int64)
    counts[:4, :4] = block_matrix((2, 2))
    with pytest.raises(InputError, match="only 4 words have a positive PMI"):
        train_nnse(counts_of(counts), dim=5)

"""PMI: the matrix and its products against dense twins, the SVD against numpy's, planted groups, resuming."""

from __future__ import annotations

import signal
import subprocess
import sys
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_pmi import block_matrix, counts_of, naive_ppmi, random_matrix
from wordatoms.embeddings.trainers import pmi
from wordatoms.embeddings.trainers.pmi import PmiMatrix, decompose, plan_svd, train_pmi
from wordatoms.errors import InputError
from wordatoms.progress import TrainingReport
from wordatoms.storage.files import Checkpoint


def to_dense(matrix: PmiMatrix) -> np.ndarray:
    return matrix.times(np.eye(matrix.n_rows, dtype=np.float32))


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pmi, "ROWS_PER_TASK", 7)
    monkeypatch.setattr(pmi, "ROWS_PER_SUM", 16)


@settings(max_examples=40, deadline=None)
@given(
    n_words=st.integers(1, 30),
    seed=st.integers(0, 99),
    density=st.sampled_from([0.05, 0.5, 1.0]),
    power=st.sampled_from([0.0, 0.75, 1.0]),
    shift=st.sampled_from([0.0, 0.7, -1.0]),
    rows_per_task=st.integers(1, 12),
)
def test_matrix_against_the_naive_one(
    n_words: int, seed: int, density: float, power: float, shift: float, rows_per_task: int
) -> None:
    counts = random_matrix(n_words, seed, density)
    counts[0, 0] += 2  # never without any pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pmi, "ROWS_PER_TASK", rows_per_task)
        matrix = PmiMatrix.build(counts_of(counts), power, shift, threads=2)
        expected = naive_ppmi(counts, power, shift)
        np.testing.assert_allclose(to_dense(matrix), expected, atol=1e-5)
        np.testing.assert_allclose(to_dense(matrix.transposed), expected.T, atol=1e-5)
        assert matrix.squared_norm() == pytest.approx((expected**2).sum(), rel=1e-5, abs=1e-5)


def test_columns_are_sorted_and_nothing_useless_is_stored() -> None:
    counts = random_matrix(40)
    matrix = PmiMatrix.build(counts_of(counts), 0.75, 0.0, threads=1)
    useful = naive_ppmi(counts, 0.75, 0.0)
    rows = np.split(matrix.indices, matrix.indptr[1:-1])
    for i, columns in enumerate(rows):
        assert columns.tolist() == np.flatnonzero((useful[i] > 0) | (useful[:, i] > 0)).tolist()


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("width", [1, 3, 16, 33])
def test_products_against_dense_ones(width: int) -> None:
    counts = random_matrix(50)
    block = np.random.default_rng(0).normal(size=(50, width)).astype(np.float32)
    matrix = PmiMatrix.build(counts_of(counts), 0.75, 0.0, threads=1)
    expected = naive_ppmi(counts, 0.75, 0.0)
    np.testing.assert_allclose(matrix.times(block), expected @ block, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(matrix.transposed.times(block), expected.T @ block, rtol=1e-4, atol=1e-4)


def test_the_unit_of_the_counts_does_not_matter() -> None:
    counts = random_matrix(20)
    plain, scaled = (train_pmi(counts_of(counts * unit, unit), dim=5).vectors for unit in (1, 2520))
    np.testing.assert_allclose(plain, scaled, atol=1e-4)


@pytest.mark.usefixtures("small_blocks")
def test_a_basis_of_the_whole_space_gives_the_exact_svd() -> None:
    counts = random_matrix(40)
    dense = naive_ppmi(counts, 0.75, 0.0)
    svd = decompose(PmiMatrix.build(counts_of(counts), 0.75, 0.0, 2), plan_svd(40, 10, 6, 4.0))
    left, values, right = np.linalg.svd(dense)
    np.testing.assert_allclose(svd.singular_values, values[:10], rtol=1e-5)
    best = (left[:, :10] * values[:10]) @ right[:10]
    np.testing.assert_allclose((svd.left * svd.singular_values) @ svd.right.T, best, atol=2e-4)


def test_a_small_basis_comes_near_the_exact_svd() -> None:
    counts = random_matrix(200, density=0.6)
    exact = np.linalg.svd(naive_ppmi(counts, 0.75, 0.0), compute_uv=False)[:20]
    svd = decompose(PmiMatrix.build(counts_of(counts), 0.75, 0.0, 1), plan_svd(200, 20, 15, 4.0))
    assert (svd.singular_values <= exact * (1 + 1e-5)).all()
    assert (svd.singular_values >= exact * 0.98).all()
    np.testing.assert_allclose(svd.left.T @ svd.left, np.eye(20), atol=1e-4)
    np.testing.assert_allclose(svd.right.T @ svd.right, np.eye(20), atol=1e-4)


def test_each_vector_has_its_largest_entry_above_zero() -> None:
    svd = decompose(PmiMatrix.build(counts_of(random_matrix(30)), 0.75, 0.0, 1), plan_svd(30, 8, 4, 2.0))
    assert (svd.left.max(axis=0) == np.abs(svd.left).max(axis=0)).all()


def test_planted_groups_come_back() -> None:
    sizes = (8, 5, 3)
    embeddings = train_pmi(counts_of(block_matrix(sizes)), dim=3, context_power=1.0, singular_power=1.0)
    sums = np.repeat(sizes, sizes)
    expected = sorted((n * log(sum(n**2 for n in sizes) / n**2) for n in sizes), reverse=True)
    np.testing.assert_allclose(embeddings.state["singular_values"], expected, rtol=1e-5)
    same_group = sums[:, None] == sums[None, :]
    unit = embeddings.vectors / np.linalg.norm(embeddings.vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(unit @ unit.T, same_group, atol=1e-5)


def test_more_dimensions_than_the_matrix_has_are_zero() -> None:
    embeddings = train_pmi(counts_of(block_matrix((8, 5, 3))), dim=12, context_power=1.0)
    assert np.isfinite(embeddings.vectors).all()
    assert (embeddings.state["singular_values"][3:] == 0).all()
    assert (embeddings.vectors[:, 3:] == 0).all()


def test_the_basis_stays_orthonormal_when_the_matrix_is_exhausted() -> None:
    matrix = PmiMatrix.build(counts_of(block_matrix((8, 5, 3))), 1.0, 0.0, 1)
    basis = pmi._load_basis(None)
    for _ in range(8):
        basis = pmi._extend(matrix, basis, 2, random_state=0)
    columns = np.hstack(basis.columns)
    np.testing.assert_allclose(columns.T @ columns, np.eye(16), atol=1e-5)


def test_vectors_and_contexts_rebuild_the_matrix() -> None:
    counts = random_matrix(25)
    embeddings = train_pmi(counts_of(counts), dim=25)
    rebuilt = embeddings.vectors @ embeddings.state["context"].T
    np.testing.assert_allclose(rebuilt, naive_ppmi(counts, 0.75, 0.0), atol=1e-4)
    assert embeddings.method == "pmi"
    assert embeddings.words[:2] == ("w000", "w001")


def test_the_loss_is_the_share_of_the_norm_not_captured() -> None:
    counts = random_matrix(60)
    reports: list[TrainingReport] = []
    embeddings = train_pmi(counts_of(counts), dim=6, callback=reports.append)
    losses = [report.loss for report in reports]
    assert [report.step for report in reports] == list(range(1, reports[0].n_steps + 1))
    assert losses == sorted(losses, reverse=True)
    captured = (embeddings.state["singular_values"].astype(float) ** 2).sum()
    assert losses[-1] == pytest.approx(1 - captured / (naive_ppmi(counts, 0.75, 0.0) ** 2).sum(), abs=1e-5)


@pytest.mark.usefixtures("small_blocks")
def test_any_number_of_threads_gives_the_same_bytes() -> None:
    counts = counts_of(random_matrix(90))
    one, many = (train_pmi(counts, dim=9, threads=threads) for threads in (1, 3))
    other_seed = train_pmi(counts, dim=9, random_state=1, oversampling=1.0)
    assert one.vectors.tobytes() == many.vectors.tobytes() != other_seed.vectors.tobytes()
    assert one.state["context"].tobytes() == many.state["context"].tobytes()


KILLED = """
import os, signal, sys
from pathlib import Path
from naive_pmi import counts_of, random_matrix
from wordatoms.storage.files import Checkpoint
from wordatoms.embeddings.trainers.pmi import train_pmi

def kill(report):
    if report.step == 6:
        os.kill(os.getpid(), signal.SIGKILL)

train_pmi(counts_of(random_matrix(70)), dim=10, checkpoint=Checkpoint(Path(sys.argv[1]), {}), callback=kill)
"""


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "pmi.npz"
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGKILL
    reports: list[TrainingReport] = []
    counts = counts_of(random_matrix(70))
    resumed = train_pmi(counts, dim=10, checkpoint=Checkpoint(path, {}), callback=reports.append)
    whole = train_pmi(counts, dim=10)
    assert reports[0].step == 7
    assert resumed.vectors.tobytes() == whole.vectors.tobytes()
    assert resumed.state["context"].tobytes() == whole.state["context"].tobytes()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dim": 0}, "dim is 0 but there are 12 words; pass a dim from 1 to 12"),
        ({"dim": 13}, "dim is 13 but there are 12 words"),
        ({"iterations": 0}, "iterations is 0"),
        ({"oversampling": 0.5}, r"oversampling 0\.5"),
        ({"context_power": 1.5}, r"context_power is 1\.5"),
        ({"singular_power": float("nan")}, "singular_power is nan"),
        ({"shift": float("inf")}, "shift is inf"),
        ({"shift": 50.0}, "all PMI is zero"),
        ({"threads": 0}, "threads is 0"),
    ],
)
def test_bad_parameters(parameters: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train_pmi(counts_of(random_matrix(12)), **{"dim": 3, **parameters})


def test_counts_without_pairs() -> None:
    with pytest.raises(InputError, match="no pair of words"):
        train_pmi(counts_of(np.zeros((4, 4), np.int64)), dim=2)

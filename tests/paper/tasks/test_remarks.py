from __future__ import annotations

import numpy as np
import pytest

from planted import DIM, N_ATOMS, N_PLAIN, planted_atoms
from wordatoms.atoms.atoms import Atoms, describe_atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.tasks.remarks.evaluate import (
    RemarksResult,
    distance_from_identity,
    evaluate_remarks,
    identity_test,
    squared_sums,
)


def planted_windows(n_windows: int = 400, n_discourses: int = 3) -> np.ndarray:
    """Windows of 21 words, each word from one of a few atoms that the window is about."""
    rng = np.random.default_rng(2)
    about = np.array([rng.choice(N_ATOMS, n_discourses, replace=False) for _ in range(n_windows)])
    topics = np.take_along_axis(about, rng.integers(n_discourses, size=(n_windows, 21)), axis=1)
    return (topics * N_PLAIN + rng.integers(N_PLAIN, size=topics.shape)).astype(np.int32)


@pytest.fixture(scope="module")
def result() -> RemarksResult:
    vectors = planted_atoms().astype(np.float32)
    noise = np.random.default_rng(3).normal(scale=0.1, size=(N_ATOMS * N_PLAIN, DIM))
    embeddings = Embeddings([f"w{row}" for row in range(len(noise))], np.repeat(vectors, N_PLAIN, axis=0) + noise)
    atoms: Atoms = describe_atoms(embeddings, vectors, sparse_code(embeddings.unit_vectors, vectors, sparsity=2))
    induced_map = InducedMap(np.eye(DIM, dtype=np.float32), vectors[0], planted_windows())
    return evaluate_remarks(embeddings, atoms, induced_map)


def test_windows_about_three_atoms_need_three(result: RemarksResult) -> None:
    assert result.n_needed == 3
    assert max(step.cosine for step in result.steps) > result.cosine_without_atoms
    explained = [step.explained for step in result.steps]
    assert explained == sorted(explained)


def test_nearer_discourses_have_more_words_in_common(result: RemarksResult) -> None:
    shares = [each.in_common for each in result.likeness]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5


def test_coefficients_of_planted_words_are_positive_and_of_random_ones_even(result: RemarksResult) -> None:
    assert result.nonnegative > 0.7
    assert result.nonnegative_random == pytest.approx(0.5, abs=0.06)


def test_identity_map_is_a_multiple_of_the_identity(result: RemarksResult) -> None:
    assert result.identity.distance_map == 0
    assert result.identity.cosine_map == pytest.approx(1)
    assert 0 < result.identity.distance < 1
    assert 0 < result.identity.cosine < 1


def test_identity_test_against_planted_covariances() -> None:
    normal = np.random.default_rng(0).normal(size=(20_000, DIM))
    induced_map = InducedMap(np.eye(DIM, dtype=np.float32), np.eye(DIM, dtype=np.float32)[0], planted_windows(5))
    words = [f"w{row}" for row in range(len(normal))]
    even = identity_test(Embeddings(words, normal), induced_map)
    assert even.distance < 0.05
    assert even.cosine > 0.999
    scales = np.linspace(0.2, 3, DIM)
    uneven = identity_test(Embeddings(words, normal * scales), induced_map)
    naive = [v @ (v * scales) / np.linalg.norm(v) / np.linalg.norm(v * scales) for v in normal]
    assert uneven.cosine == pytest.approx(np.mean(naive), abs=0.01)
    assert uneven.distance == pytest.approx(np.linalg.norm(scales - scales.mean()) / np.linalg.norm(scales), abs=0.02)


def test_squared_coefficients_are_bounded_by_the_squared_length(result: RemarksResult) -> None:
    assert result.bound.within > 0.95
    assert 0 < result.bound.mean <= result.bound.largest
    assert result.bound.bounded <= result.bound.within
    assert 0 <= result.bound.bounded_nearest <= 1
    assert result.bound.mean_nearest > 0


def test_squared_sums_of_known_codes() -> None:
    vectors = np.eye(4, dtype=np.float32)[:3]
    codes = sparse_code(vectors, np.eye(4, dtype=np.float32), sparsity=2)
    atoms = describe_atoms(Embeddings(list("abc"), vectors), np.eye(4, dtype=np.float32), codes)
    found = squared_sums(vectors, atoms, np.random.default_rng(0))
    assert (found.bounded, found.within, found.mean, found.largest, found.bounded_nearest) == (1, 1, 1, 1, 1)


def test_result_tells_the_paper_beside_ours(result: RemarksResult) -> None:
    assert len(result.rows()) == 8
    content = result.to_json()
    assert set(content) == {"scores", "baselines", "paper", "verdict", "items"}
    assert sum(content["items"]["windows_by_best_n_atoms"]) == len(result.n_best)


def test_distance_from_identity() -> None:
    assert distance_from_identity(3 * np.eye(4)) == 0
    assert distance_from_identity(np.diag([1.0, -1.0])) == 1
    assert distance_from_identity(np.zeros((2, 2))) == 0

"""k-means by inner product, against every way to put a few rows together, and the choice of k."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from naive_posterior import best_sum, naive_k_means, product, sum_of_products, unit
from wordatoms.errors import InputError
from wordatoms.senses.clustering import MOST_CLUSTERS, closeness, cluster_vectors

eighths = st.integers(-16, 16).map(lambda number: number / 8)
tables = arrays(np.float64, st.tuples(st.integers(0, 9), st.integers(1, 4)), elements=eighths)
few = settings(max_examples=40)
ks = st.one_of(st.integers(1, 12), st.just("auto"))


def planted(sizes: list[int], *, noise: float = 0.1, dim: int = 8) -> tuple[NDArray[np.float64], list[int]]:
    """Rows around so many axes, and the axis of each; shuffled."""
    rng = np.random.default_rng(4)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return np.eye(dim)[truth] + rng.normal(scale=noise, size=(len(truth), dim)), truth.tolist()


def as_sets(labels: list[int]) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(np.array(labels) == label).tolist()) for label in labels}


# --- against naive twins


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_best_of_all_partitions(k: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(8, 3)) + np.array([1, 0, 0])
    labels = cluster_vectors(rows, k, n_starts=40)
    assert sum_of_products(rows, labels.tolist()) == pytest.approx(best_sum(rows, k))


@few
@given(tables.filter(lambda rows: len(rows) >= 2), st.data())
def test_many_starts_are_no_worse_than_a_plain_run(rows: NDArray[np.float64], data: st.DataObject) -> None:
    first = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=2, max_size=2, unique=True))
    labels = cluster_vectors(rows, 2, n_starts=60)
    assert sum_of_products(rows, labels.tolist()) >= naive_k_means(rows, first) - 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_means_as_centres_do_as_well_as_plain_runs_from_all_pairs(seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(7, 3)) + np.array([1, 0, 0])
    plain = max(naive_k_means(rows, pair, means=True) for pair in permutations(range(7), 2))
    labels = cluster_vectors(rows, 2, centres="means", n_starts=80)
    centres = np.stack([rows[labels == cluster].mean(axis=0) for cluster in range(labels.max() + 1)])
    assert (rows @ centres.T).max(axis=1).sum() == pytest.approx(plain)


# --- planted clusters


@pytest.mark.parametrize("sizes", [[9], [20, 7], [12, 11, 10], [8, 8, 8, 8]])
@pytest.mark.parametrize("k", [None, "auto"])
def test_planted_clusters_are_found(sizes: list[int], k: str | None) -> None:
    rows, truth = planted(sizes)
    labels = cluster_vectors(rows, len(sizes) if k is None else "auto").tolist()
    assert as_sets(labels) == as_sets(truth)


def test_a_larger_gain_gives_fewer_clusters() -> None:
    rows, _ = planted([10, 10, 10])
    numbers = [int(cluster_vectors(rows, "auto", least_gain=gain).max()) + 1 for gain in (0.0, 0.035, 0.9)]
    assert numbers[1:] == [3, 1]
    assert 3 <= numbers[0] <= MOST_CLUSTERS


def test_lengths_count_in_the_assignment_to_centres() -> None:
    """One long row outweighs several short ones where k-means has one cluster less than directions."""
    rows = np.array([[9.0, 0, 0], [0, 1, 0], [0, 0.9, 0.1], [0, 0, 1]])
    assert as_sets(cluster_vectors(rows, 2).tolist()) == {frozenset({0}), frozenset({1, 2, 3})}


# --- properties


@few
@given(tables, ks, st.integers(0, 3))
def test_numbers_from_0_by_falling_size(rows: NDArray[np.float64], k: int | str, seed: int) -> None:
    labels = cluster_vectors(rows, k, random_state=seed)  # type: ignore[arg-type]
    assert labels.shape == (len(rows),)
    assert labels.dtype == np.intp
    sizes = np.bincount(labels)
    assert (sizes > 0).all()
    assert (np.diff(sizes) <= 0).all()
    assert len(sizes) <= min(MOST_CLUSTERS if k == "auto" else int(k), len(rows))
    firsts = [int(np.argmax(labels == label)) for label in range(len(sizes))]
    assert all(firsts[i] < firsts[i + 1] for i in range(len(sizes) - 1) if sizes[i] == sizes[i + 1])


@few
@given(tables, ks, st.integers(0, 3))
def test_same_bytes_for_the_same_seed(rows: NDArray[np.float64], k: int | str, seed: int) -> None:
    first, second = (cluster_vectors(rows, k, random_state=seed).tobytes() for _ in range(2))  # type: ignore[arg-type]
    assert first == second


@few
@given(tables.filter(lambda rows: len(rows) > 0), st.integers(1, 4))
def test_equal_rows_stay_together(rows: NDArray[np.float64], k: int) -> None:
    labels = cluster_vectors(np.concatenate([rows, rows]), k)
    assert labels[: len(rows)].tolist() == labels[len(rows) :].tolist()


def test_order_of_rows_is_the_order_of_labels() -> None:
    rows, _ = planted([9, 6, 3])
    order = np.random.default_rng(1).permutation(len(rows))
    labels, shuffled = cluster_vectors(rows, 3), cluster_vectors(rows[order], 3)
    assert labels[order].tolist() == shuffled.tolist()


def test_more_clusters_than_rows() -> None:
    assert sorted(cluster_vectors(np.eye(3), 10).tolist()) == [0, 1, 2]
    assert cluster_vectors(np.ones((4, 2)), 3).tolist() == [0, 0, 0, 0]
    assert cluster_vectors(np.ones((1, 2)), "auto").tolist() == [0]


def test_zero_rows_and_no_rows() -> None:
    assert cluster_vectors(np.zeros((3, 2)), 2).tolist() == [0, 0, 0]
    assert cluster_vectors(np.zeros((3, 2)), "auto").tolist() == [0, 0, 0]
    assert cluster_vectors(np.zeros((0, 2)), 2).shape == (0,)
    assert len(cluster_vectors([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 2)) == 3


@given(tables.filter(lambda rows: len(rows) > 0), st.integers(1, 4))
def test_closeness_is_the_cosine_with_the_own_centre(rows: NDArray[np.float64], k: int) -> None:
    labels = cluster_vectors(rows, k)
    units = np.array([unit(row) for row in rows.tolist()])
    for row, label, found in zip(units, labels, closeness(rows, labels).tolist(), strict=True):
        assert found == pytest.approx(product(row, unit(units[labels == label].sum(axis=0).tolist())), abs=1e-6)


# --- bad input


@pytest.mark.parametrize("k", [0, -1, 1.5, "many", None, True])
def test_number_of_clusters_is_checked(k: object) -> None:
    with pytest.raises(InputError, match=r"^k is .*; pass 1 cluster or more, or auto\.$"):
        cluster_vectors(np.eye(3), k)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"n_starts": 0}, {"least_gain": math.nan}, {"least_gain": -1.0}])
def test_starts_and_gain_are_checked(given: dict[str, float]) -> None:
    with pytest.raises(InputError, match="pass 1 start or more, and a gain from 0 up"):
        cluster_vectors(np.eye(3), "auto", **given)


@pytest.mark.parametrize("vectors", [np.ones(3), np.ones((2, 2, 2)), [[math.nan, 1]], [[math.inf, 1]]])
def test_vectors_are_checked(vectors: object) -> None:
    with pytest.raises(InputError, match="pass a table of numbers"):
        cluster_vectors(vectors, 2)  # type: ignore[arg-type]

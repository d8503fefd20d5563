"""Clusters by merging: planted groups of very different sizes, and a twin written with loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from wordatoms.errors import InputError
from wordatoms.senses import merging
from wordatoms.senses.merging import NEIGHBOUR_SHARE, draw_together, merge_clusters


def planted(sizes: tuple[int, ...], noise: float = 0.12, seed: int = 0) -> tuple[NDArray[np.float64], list[int]]:
    """Rows around as many random directions, and the direction of each."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    directions = np.linalg.qr(rng.normal(size=(20, len(sizes))))[0].T
    return directions[labels] + noise * rng.normal(size=(len(labels), 20)), labels.tolist()


@pytest.mark.parametrize("sizes", [(30, 30), (60, 12, 5), (25, 20, 15, 10)])
def test_planted_groups_are_found_whatever_their_sizes(sizes: tuple[int, ...]) -> None:
    rows, labels = planted(sizes)
    assert merge_clusters(rows, len(sizes)).tolist() == labels
    assert merge_clusters(rows, "auto").tolist() == labels


def test_one_group_is_one_cluster() -> None:
    rows, _ = planted((40,))
    assert set(merge_clusters(rows, "auto").tolist()) == {0}


def test_rows_are_drawn_together_as_by_the_twin() -> None:
    rows, _ = planted((15, 9))
    units = [row / np.linalg.norm(row) for row in rows]
    expected = []
    for one in units:
        near = sorted(units, key=lambda other: -float(one @ other))[: merging.N_NEIGHBOURS]
        weights = [max(float(one @ other), 0.0) for other in near]
        mean = sum(weight * other for weight, other in zip(weights, near, strict=True)) / sum(weights)
        drawn = (1 - NEIGHBOUR_SHARE) * one + NEIGHBOUR_SHARE * mean
        expected.append(drawn / np.linalg.norm(drawn))
    np.testing.assert_allclose(draw_together(rows), expected, atol=1e-9)


def test_many_rows_are_clustered_by_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "MOST_MERGED", 60)
    rows, labels = planted((300, 120, 80))
    assert merge_clusters(rows, 3, random_state=1).tolist() == labels


@given(n=st.integers(0, 12), k=st.integers(1, 14), seed=st.integers(0, 9))
def test_never_more_clusters_than_asked_for_and_largest_first(n: int, k: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(n, 3))
    rows[: n // 3] = 0
    sizes = np.bincount(merge_clusters(rows, k)).tolist()
    assert len(sizes) <= min(k, n)
    assert sizes == sorted(sizes, reverse=True)


def test_what_is_no_table_of_numbers_is_refused() -> None:
    with pytest.raises(InputError, match="not finite"):
        merge_clusters(np.array([[np.nan]]), 2)
    with pytest.raises(InputError, match="k is 0"):
        merge_clusters(np.eye(3), 0)

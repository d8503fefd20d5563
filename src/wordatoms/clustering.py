"""Clusters of contexts: k-means that assigns by inner product (Section 6.1), and how many there are.

Rows are vectors of contexts; a centre is the direction of the sum of its rows, and a row belongs to the centre with
which its inner product is largest. Of several starts the one with the largest sum of inner products is kept. With
k = "auto" clusters are added as long as they explain more than they would in a cloud of points without clusters
(`choose_k`). Left out: which vectors a word's contexts have (`wordatoms.posterior`).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError

N_STARTS = 10
N_ITERATIONS = 50
MOST_CLUSTERS = 6
"""Of an automatic choice."""
N_REFERENCES = 8

Labels = NDArray[np.intp]


def cluster_vectors(
    vectors: NDArray[Any], k: int | Literal["auto"], *, n_starts: int = N_STARTS, random_state: int = 0
) -> Labels:
    """The cluster of each row, (n,): numbers from 0, the largest cluster first."""
    rows = np.ascontiguousarray(vectors, np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError(f"the vectors have shape {rows.shape} or are not finite; pass a table of numbers.")
    if k != "auto" and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise InputError(f"k is {k!r}; pass 1 cluster or more, or auto.")
    if not len(rows):
        return np.zeros(0, np.intp)
    n_clusters = choose_k(rows, random_state=random_state) if k == "auto" else min(int(k), len(rows))
    return _by_size(_k_means(rows, n_clusters, n_starts, np.random.default_rng(random_state))[0])


def choose_k(vectors: NDArray[Any], *, most: int = MOST_CLUSTERS, random_state: int = 0) -> int:
    """A number of clusters, 1 to `most`: the gap statistic (Tibshirani, Walther and Hastie, 2001).

    What k clusters explain of the rows is compared with what they explain of clouds with the same mean and covariance
    and no clusters; taken is the smallest k whose advantage is as good as that of k + 1.
    """
    rows = np.asarray(vectors, np.float64)
    rng = np.random.default_rng(random_state)
    ks = range(1, min(most, len(rows) - 1) + 1)
    if len(ks) < 2:
        return 1
    ours = np.array([_unexplained(rows, k, rng) for k in ks])
    clouds = [_cloud(rows, rng) for _ in range(N_REFERENCES)]
    theirs = np.array([[_unexplained(cloud, k, rng) for k in ks] for cloud in clouds])
    gaps, errors = theirs.mean(axis=0) - ours, theirs.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    good = np.flatnonzero(gaps[:-1] >= gaps[1:] - errors[1:])
    return int(ks[good[0]]) if len(good) else int(ks[-1])


def _unexplained(rows: NDArray[np.float64], k: int, rng: np.random.Generator) -> float:
    """The logarithm of what k clusters leave of the rows' length, each row at length 1."""
    unit = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    explained = _k_means(unit, k, 3, rng)[1] / len(unit)
    return float(np.log(max(1 - explained, 1e-9)))


def _cloud(rows: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Points from a normal distribution with the mean and covariance of the rows."""
    centred = rows - rows.mean(axis=0)
    noise = rng.normal(size=(len(rows), len(rows)))
    return np.asarray(rows.mean(axis=0) + noise @ centred / np.sqrt(len(rows)))


def _k_means(rows: NDArray[np.float64], k: int, n_starts: int, rng: np.random.Generator) -> tuple[Labels, float]:
    """The best of several starts, and its sum of inner products."""
    runs = [_one_run(rows, k, rng) for _ in range(n_starts if k > 1 else 1)]
    return max(runs, key=lambda run: run[1])


def _one_run(rows: NDArray[np.float64], k: int, rng: np.random.Generator) -> tuple[Labels, float]:
    centres = _first_centres(rows, k, rng)
    labels: Labels = np.full(len(rows), -1, np.intp)
    for _ in range(N_ITERATIONS):
        products = rows @ centres.T
        assigned = products.argmax(axis=1)
        if (assigned == labels).all():
            break
        labels = assigned
        centres = _directions(np.stack([rows[labels == cluster].sum(axis=0) for cluster in range(k)]), centres)
    return labels, float((rows @ centres.T).max(axis=1).sum())


def _first_centres(rows: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows far from each other: each further one is drawn in proportion to what the others leave of it."""
    lengths = np.linalg.norm(rows, axis=1)
    chosen = [int(rng.integers(len(rows)))]
    while len(chosen) < k:
        directions = _directions(rows[chosen], rows[chosen])
        left = np.maximum(lengths - (rows @ directions.T).max(axis=1), 0) + 1e-12
        chosen.append(int(rng.choice(len(rows), p=left / left.sum())))
    return _directions(rows[chosen], rows[chosen])


def _directions(sums: NDArray[np.float64], otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums at length 1; an empty cluster keeps the centre it had."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1), otherwise)


def _by_size(labels: Labels) -> Labels:
    """The same clusters numbered by falling size, then by their first row; those without rows left out."""
    clusters, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    ranks = np.empty(len(clusters), np.intp)
    ranks[np.lexsort([first, -sizes])] = np.arange(len(clusters))
    return ranks[np.searchsorted(clusters, labels)]

"""Clusters of contexts: k-means that assigns by inner product (Section 6.1), the choice of k, and scores.

Rows are vectors of contexts, and a row belongs to the centre with which its inner product is largest. A centre is the
direction of the sum of its rows or, as in the paper, which changes only the assignment of k-means, their mean. Of
several starts the one with the largest sum of inner products is kept. With k = "auto", clusters are added as long as
they bring the rows enough nearer to their centres. The scores are those of SemEval-2010 task 14: V-measure and the
paired F-score.

Left out: the vectors of a word's contexts (`wordatoms.senses.posterior`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.errors import InputError

N_STARTS = 10
N_ITERATIONS = 50
MOST_CLUSTERS = 6
"""Maximum number of clusters of an automatic choice."""
LEAST_GAIN = 0.04
"""Minimum gain in mean cosine with the centres for which a further cluster is added."""

Labels = NDArray[np.intp]
Centres = Literal["directions", "means"]
Centre = Callable[[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]
"""Makes centres (k, dim) of the sums of their rows, the numbers of rows (k,) and the centres before."""


def cluster_vectors(
    vectors: NDArray[Any],
    k: int | Literal["auto"],
    *,
    centres: Centres = "directions",
    n_starts: int = N_STARTS,
    least_gain: float = LEAST_GAIN,
    random_state: int = 0,
) -> Labels:
    """Return the cluster of each row, (n,): numbers from 0, largest cluster first."""
    rows = check_clustering(vectors, k)
    if centres not in get_args(Centres):
        raise InputError(f"centres is {centres!r}; pass one of {', '.join(get_args(Centres))}.")
    if n_starts < 1 or not least_gain >= 0:
        raise InputError(
            f"n_starts is {n_starts}, least_gain {least_gain}; pass 1 start or more, and a gain from 0 up."
        )
    if not len(rows):
        return np.zeros(0, np.intp)
    k_means = partial(_k_means, n_starts=n_starts, rng=np.random.default_rng(random_state), centre=CENTRES[centres])
    if k == "auto":
        return number_by_size(_add_clusters(rows, least_gain, k_means))
    return number_by_size(k_means(rows, min(int(k), len(rows)))[0])


def check_clustering(vectors: NDArray[Any], k: int | Literal["auto"]) -> NDArray[np.float64]:
    """Return the rows to be clustered; raise unless they are a table of numbers and k is a number or "auto"."""
    rows = np.ascontiguousarray(vectors, np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InputError(f"the vectors have shape {rows.shape} or are not finite; pass a table of numbers.")
    if k != "auto" and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise InputError(f"k is {k!r}; pass 1 cluster or more, or auto.")
    return rows


def _add_clusters(
    rows: NDArray[np.float64], least_gain: float, k_means: Callable[[NDArray[np.float64], int], tuple[Labels, float]]
) -> Labels:
    """Add clusters as long as the mean cosine of the rows with their centres rises by `least_gain` or more."""
    best, cosine = k_means(rows, 1)[0], _mean_cosine(rows, np.zeros(len(rows), np.intp))
    for k in range(2, min(MOST_CLUSTERS, len(rows)) + 1):
        labels, _ = k_means(rows, k)
        if _mean_cosine(rows, labels) < cosine + least_gain:
            break
        best, cosine = labels, _mean_cosine(rows, labels)
    return best


def _mean_cosine(rows: NDArray[np.float64], labels: Labels) -> float:
    return float(closeness(rows, labels).mean())


def closeness(vectors: NDArray[Any], labels: Labels) -> NDArray[np.float64]:
    """Return the cosine of each row with the mean direction of its cluster, (n,)."""
    rows = np.asarray(vectors, np.float64)
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    cosines = np.zeros(len(rows))
    for cluster in np.unique(labels):
        members = labels == cluster
        total = units[members].sum(axis=0)
        cosines[members] = units[members] @ total / (np.linalg.norm(total) or 1.0)
    return cosines


def _k_means(
    rows: NDArray[np.float64], k: int, *, n_starts: int, rng: np.random.Generator, centre: Centre
) -> tuple[Labels, float]:
    """Return the labels of the best of several starts, and its sum of inner products."""
    runs = [_one_run(rows, k, rng, centre) for _ in range(n_starts if k > 1 else 1)]
    return max(runs, key=lambda run: run[1])


def _one_run(rows: NDArray[np.float64], k: int, rng: np.random.Generator, centre: Centre) -> tuple[Labels, float]:
    first = rows[_first_rows(rows, k, rng)]
    centres = centre(first, np.ones(k), first)
    labels: Labels = np.full(len(rows), -1, np.intp)
    for _ in range(N_ITERATIONS):
        products = rows @ centres.T
        assigned = products.argmax(axis=1)
        if (assigned == labels).all():
            break
        labels = assigned
        sums = np.stack([rows[labels == cluster].sum(axis=0) for cluster in range(k)])
        centres = centre(sums, np.bincount(labels, minlength=k).astype(np.float64), centres)
    return labels, float((rows @ centres.T).max(axis=1).sum())


def _first_rows(rows: NDArray[np.float64], k: int, rng: np.random.Generator) -> list[int]:
    """Choose rows far from each other: each next one is drawn in proportion to its distance from the others."""
    lengths = np.linalg.norm(rows, axis=1)
    chosen = [int(rng.integers(len(rows)))]
    while len(chosen) < k:
        directions = _directions(rows[chosen], np.ones(len(chosen)), rows[chosen])
        left = np.maximum(lengths - (rows @ directions.T).max(axis=1), 0) + 1e-12
        chosen.append(int(rng.choice(len(rows), p=left / left.sum())))
    return chosen


def _directions(
    sums: NDArray[np.float64], _sizes: NDArray[np.float64], before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return sums at length 1; an empty cluster keeps the centre it had."""
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1), before)


def _means(sums: NDArray[np.float64], sizes: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums divided by the number of rows; an empty cluster keeps the centre it had."""
    return np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], before)


CENTRES: dict[Centres, Centre] = {"directions": _directions, "means": _means}


def number_by_size(labels: Labels) -> Labels:
    """Number the clusters by falling size, then by their first row; clusters without rows are dropped."""
    clusters, first, sizes = np.unique(labels, return_index=True, return_counts=True)
    ranks = np.empty(len(clusters), np.intp)
    ranks[np.lexsort([first, -sizes])] = np.arange(len(clusters))
    return ranks[np.searchsorted(clusters, labels)]


# --- scores


def v_measure(senses: ArrayLike, clusters: ArrayLike) -> float:
    """Return the harmonic mean of homogeneity and completeness."""
    from sklearn.metrics import v_measure_score

    return float(v_measure_score(senses, clusters))


def paired_f_score(senses: ArrayLike, clusters: ArrayLike) -> float:
    """Return F over the pairs of instances in one cluster.

    An instance that is alone in its cluster makes a pair with itself, which reproduces the official figures exactly.
    """
    from sklearn.metrics.cluster import pair_confusion_matrix

    (_, only_cluster), (only_sense, both) = (pair_confusion_matrix(senses, clusters) // 2).tolist()
    alone_sense, alone_cluster = _alone(senses), _alone(clusters)
    n_common = both + np.count_nonzero(alone_sense & alone_cluster)
    n_of_either = 2 * both + only_cluster + only_sense + np.count_nonzero(alone_sense) + np.count_nonzero(alone_cluster)
    return float(2 * n_common / n_of_either)


def _alone(labels: ArrayLike) -> NDArray[np.bool_]:
    """Return which instances have a label that no other instance has."""
    _, numbers, counts = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = counts[numbers] == 1
    return alone

"""Clusters of usages by merging: average linkage on usages that were drawn towards their neighbours.

Each row first moves towards the mean of its nearest rows, weighted by cosine; then the two clusters with the largest
mean cosine are merged, again and again. In contrast to k-means the clusters may have very different sizes, as senses
do, and nothing depends on a random start. With k = "auto", merging ends where it would cost much more than before:
at `CUT` of the mean distance of the last three merges, but never while clusters are nearer than `LEAST_DISTANCE`.

Beyond `MOST_MERGED` rows, a sample is clustered and every other row joins the cluster whose mean is nearest.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.parallel import one_blas_thread
from wordatoms.senses.clustering import Labels, check_clustering, number_by_size
from wordatoms.senses.posterior import to_unit

N_NEIGHBOURS = 10
NEIGHBOUR_SHARE = 0.7
"""Share of the mean of its neighbours in the place of a row."""
CUT = 0.9
N_LAST = 3
LEAST_DISTANCE = 0.65
MOST_MERGED = 3000


def merge_clusters(vectors: NDArray[Any], k: int | Literal["auto"], *, random_state: int = 0) -> Labels:
    """Return the cluster of each row, (n,): numbers from 0, largest cluster first."""
    rows = check_clustering(vectors, k)
    if len(rows) > MOST_MERGED:
        return _merge_sample(rows, k, random_state)
    return number_by_size(_merge(rows, k))


def _merge(rows: NDArray[np.float64], k: int | Literal["auto"]) -> Labels:
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(rows) < 2:
        return np.zeros(len(rows), np.intp)
    units = draw_together(rows)
    with one_blas_thread():
        distances = np.maximum(1 - (units @ units.T)[np.triu_indices(len(units), 1)], 0)
    tree = linkage(distances, "average")
    if k == "auto":
        least = max(CUT * float(tree[-N_LAST:, 2].mean()), LEAST_DISTANCE)
        return np.asarray(fcluster(tree, least, "distance"), np.intp)
    return np.asarray(fcluster(tree, min(int(k), len(rows)), "maxclust"), np.intp)


def draw_together(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each row at length 1, drawn towards the rows near to it."""
    units = _unit(rows)
    n_near = min(N_NEIGHBOURS, len(units))
    with one_blas_thread():
        cosines = units @ units.T
        np.fill_diagonal(cosines, 1.0)
        least = np.partition(cosines, len(units) - n_near, axis=1)[:, len(units) - n_near, None]
        weights = np.where(cosines >= least, np.maximum(cosines, 0), 0)
        means = weights @ units / np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    return _unit((1 - NEIGHBOUR_SHARE) * units + NEIGHBOUR_SHARE * means)


def _merge_sample(rows: NDArray[np.float64], k: int | Literal["auto"], random_state: int) -> Labels:
    chosen = np.sort(np.random.default_rng(random_state).choice(len(rows), MOST_MERGED, replace=False))
    labels = number_by_size(_merge(rows[chosen], k))
    units = _unit(rows)
    means = np.stack([units[chosen[labels == cluster]].mean(axis=0) for cluster in range(labels.max() + 1)])
    with one_blas_thread():
        found = (units @ to_unit(means).T).argmax(axis=1)
    found[chosen] = labels
    return number_by_size(found)


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))

"""Obvious twins of the Gaussian walk: integrals over discourses on a grid, all windows one by one, loops over words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from wordatoms.paper.tasks.walk.data import GaussianWalk

Floats = NDArray[np.float64]


def discourse_grid(covariance: Floats, n_nodes: int = 40) -> Iterator[tuple[Floats, float]]:
    """Discourses and weights that integrate over N(0, covariance), by Gauss and Hermite."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(n_nodes)
    root = np.linalg.cholesky(covariance)
    for chosen in product(range(n_nodes), repeat=len(covariance)):
        yield root @ nodes[list(chosen)], float(np.prod(weights[list(chosen)] / weights.sum()))


def p_words(walk: GaussianWalk, discourse: Floats) -> Floats:
    weights = np.exp(walk.vectors @ discourse)
    return weights / weights.sum()


def naive_expected(walk: GaussianWalk) -> tuple[Floats, Floats]:
    """p(w), and the mean vector of another word from the same discourse as w."""
    p, sums = np.zeros(len(walk)), np.zeros_like(walk.vectors)
    for discourse, weight in discourse_grid(walk.covariance):
        p_given = p_words(walk, discourse)
        p += weight * p_given
        sums += weight * np.outer(p_given, p_given @ walk.vectors)
    return p, sums / p[:, None]


def naive_window_means(walk: GaussianWalk) -> Floats:
    """The expected mean of the window around an occurrence of each word, itself included, over all possible windows."""
    grid = [(p_words(walk, discourse), weight) for discourse, weight in discourse_grid(walk.covariance)]
    occurrences, sums = np.zeros(len(walk)), np.zeros_like(walk.vectors)
    for window in map(list, product(range(len(walk)), repeat=walk.window)):
        p_window = sum(weight * p[window].prod() for p, weight in grid)
        for word in window:
            occurrences[word] += p_window
            sums[word] += p_window * walk.vectors[window].mean(axis=0)
    return sums / occurrences[:, None]


def naive_contexts(
    windows: NDArray[np.int32], vectors: Floats, hidden: set[int]
) -> tuple[list[int], Floats, list[int]]:
    """Occurrences, sums and numbers of neighbours that are not hidden, by position."""
    counts, sums, n_neighbours = [0] * len(vectors), np.zeros_like(vectors), [0] * len(vectors)
    for window in windows.tolist():
        for place, word in enumerate(window):
            counts[word] += 1
            for neighbour in window[:place] + window[place + 1 :]:
                if neighbour not in hidden:
                    sums[word] += vectors[neighbour]
                    n_neighbours[word] += 1
    return counts, sums, n_neighbours


def even_walk(n_words: int, *, variance: float, discourse_variance: float, window: int) -> GaussianWalk:
    """One dimension, and a vocabulary at even quantiles of N(0, variance): as good as an endless one."""
    quantiles = norm.ppf((np.arange(n_words) + 0.5) / n_words)
    return GaussianWalk(np.sqrt(variance) * quantiles[:, None], np.array([[discourse_variance]]), variance, window)

"""Tests of whether shares of topics go with something known of the documents, such as a group or a date.

If they do not, the documents could have exchanged their groups or dates. The statistic is the sum over documents of
share times number, the number being 1 in the group and 0 outside, or the period; over all permutations it has a known
mean, variance and third moment. p is the two-sided tail of the distribution of Pearson's type III (a shifted gamma)
with these moments, or of the normal one where that is larger. Tests by t are wrong here: most topics are in few
documents, so shares are skewed, and by chance a group without a topic has variance 0.

q are p adjusted after Benjamini and Hochberg, weighted (Genovese, Roeder and Wasserman 2006): the weight of a test is
the number of documents that have the topic, which permutations do not change. Without weights, the many topics that are
in too few documents to show anything would hide the few that are in many.

Left out: the exact permutation test, which takes millions of permutations to reach the p that thousands of topics need.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.special import gammainc, gammaincc, ndtr

LEAST_SKEW = 1e-4
"""Below it, the gamma distribution is normal."""

Floats = NDArray[np.float64]


def permutation_p(shares: csr_matrix, numbers: Floats) -> Floats:
    """Return the two-sided p of each column of shares, given a number of each row; NaN where nothing varies."""
    n = len(numbers)
    if n < 3:
        return np.full(shares.shape[1], np.nan)
    centred = numbers - numbers.mean()
    first, second, third = (np.asarray(shares.power(power).sum(axis=0)).ravel() for power in (1, 2, 3))
    means = first / n
    squares = second - n * means**2
    cubes = third - 3 * means * second + 3 * means**2 * first - n * means**3
    with np.errstate(invalid="ignore", divide="ignore"):
        varies = squares > 1e-12 * second
        variance = np.where(varies, (centred @ centred) * squares / (n - 1), np.nan)
        skew = n * (centred**3).sum() * cubes / ((n - 1) * (n - 2)) / variance**1.5
        z = np.asarray(shares.T @ centred) / np.sqrt(variance)
    z, skew = np.where(skew < 0, -z, z), np.maximum(np.abs(skew), LEAST_SKEW)
    shape = 4 / skew**2
    place = np.maximum(shape + z * np.sqrt(shape), 0)
    upper = np.maximum(gammaincc(shape, place), ndtr(-z))
    lower = np.maximum(gammainc(shape, place), ndtr(z))
    return np.where(np.isfinite(z), np.minimum(2 * np.minimum(upper, lower), 1), np.nan)


def adjusted(p: Floats, weights: Floats) -> Floats:
    """Return q for each p, given positive weights, whose size does not matter."""
    if not len(p):
        return p
    weighted = np.minimum(p * weights.mean() / weights, 1)
    order = np.argsort(weighted, kind="stable")
    bounds = weighted[order] * len(p) / np.arange(1, len(p) + 1)
    q = np.empty(len(p))
    q[order] = np.minimum(np.minimum.accumulate(bounds[::-1])[::-1], 1)
    return q

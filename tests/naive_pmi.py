"""Obvious twins of the PMI trainer: dense matrices, one entry after the other."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.vocabulary import Vocabulary


def counts_of(matrix: NDArray[np.int64], unit: int = 1) -> Counts:
    """Counts from a dense symmetric matrix."""
    n_words = len(matrix)
    columns = [[j for j in range(i, n_words) if matrix[i, j]] for i in range(n_words)]
    return Counts(
        vocabulary=Vocabulary(tuple(f"w{i:03d}" for i in range(n_words)), matrix.sum(axis=1), int(matrix.sum())),
        indptr=np.cumsum([0] + [len(row) for row in columns]).astype(np.int64),
        indices=np.array([j for row in columns for j in row], dtype=np.int32),
        values=np.array([matrix[i, j] for i in range(n_words) for j in columns[i]], dtype=np.int64),
        window=5,
        weighting="flat",
        unit=unit,
    )


def random_matrix(n_words: int, seed: int = 0, density: float = 0.5) -> NDArray[np.int64]:
    """A symmetric matrix of counts, larger for the first words, with zeros."""
    rng = np.random.default_rng(seed)
    size = 1 / np.arange(1, n_words + 1)
    counts = rng.poisson(200 * np.outer(size, size) * rng.lognormal(size=(n_words, n_words)) + 1)
    upper = np.triu(counts * (rng.random((n_words, n_words)) < density))
    return (upper + upper.T).astype(np.int64)


def block_matrix(sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Words of one group always stand together, words of different groups never."""
    groups = np.repeat(np.arange(len(sizes)), sizes)
    return (groups[:, None] == groups[None, :]).astype(np.int64) * 60


def naive_ppmi(counts: NDArray[np.int64], context_power: float, shift: float) -> NDArray[np.float64]:
    sums = counts.sum(axis=1)
    q = np.array([float(total) ** context_power if total else 0.0 for total in sums])
    q /= q.sum()
    ppmi = np.zeros(counts.shape)
    for i, j in zip(*np.nonzero(counts), strict=True):
        p_pair, p_word = counts[i, j] / counts.sum(), sums[i] / counts.sum()
        ppmi[i, j] = max(0.0, log(p_pair / (p_word * q[j])) - shift)
    return ppmi

"""The dimensions of NNSE as senses (Murphy, Talukdar and Mitchell 2012): non-negative, sparse, and readable.

A word's senses are its heaviest dimensions. In a context a dimension d has the probability

    p(d | c, w) ∝ w_d · (c_d + smoothing / dim)

where w_d is its weight in the word (the mean of all known forms, weighted by count) and c_d its share of the context,
an idf-weighted mean of the context words' non-negative vectors. Without a context, p is proportional to w_d.

The vector of a sense is the unit vector of its dimension; in another space, it is the mean of the words that are
heaviest in the dimension. The authors propose neither: they show that the dimensions can be read as senses. No windows
are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import SIF
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.baselines.inventory import (
    Competitor,
    ContextMeans,
    Floats,
    Rows,
    WordSenses,
    check_at_least_one,
    form_rows,
    idf_weights,
    single_sense,
)
from wordatoms.senses.posterior import to_unit

N_HEAVIEST = 30
"""Words that represent a dimension in another space."""


@dataclass(frozen=True, eq=False, repr=False)
class NonNegative(Competitor):
    """Dimensions as senses."""

    smoothing: float

    def _p_filled(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        means = self.reader.means(contexts).astype(np.float64)
        shares = means / np.maximum(means.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        p = senses.shares * (shares @ senses.centres.T + self.smoothing / means.shape[1])
        return np.asarray(p / p.sum(axis=1, keepdims=True))


def learn_nnse(
    sif: SIF,
    words: Sequence[str],
    *,
    n_senses: int = 5,
    window: int = 10,
    smoothing: float = 1.0,
    space: Embeddings | None = None,
) -> NonNegative:
    """Take the heaviest dimensions of each word as its senses; the vectors of `sif` are those of NNSE.

    With a `space`, the vectors of the senses are placed in that space.
    """
    check_at_least_one(n_senses=n_senses, window=window)
    embeddings = sif.embeddings
    if (embeddings.vectors < 0).any():
        raise InputError("the vectors have negative numbers; pass NNSE vectors.")
    if not smoothing > 0:
        raise InputError(f"smoothing is {smoothing}; pass a number above 0.")
    vectors = np.eye(embeddings.dim, dtype=np.float32) if space is None else dimension_vectors(embeddings, space)
    reader = ContextMeans(embeddings, idf_weights(sif), window, embeddings.vectors)
    learned = {word: _heaviest(pooled_vector(word, embeddings), n_senses, vectors) for word in words}
    return NonNegative(reader, learned, smoothing)


def pooled_vector(word: str, embeddings: Embeddings) -> NDArray[np.float64]:
    """The mean vector of a word's known forms, weighted by count, (dim,)."""
    rows = form_rows(word, embeddings)
    counts = np.ones(len(rows)) if embeddings.counts is None else np.maximum(embeddings.counts[rows], 1)
    return np.asarray(counts @ embeddings.vectors[rows].astype(np.float64) / counts.sum())


def _heaviest(weights: NDArray[np.float64], n_senses: int, vectors: Floats) -> WordSenses:
    """The heaviest dimensions as senses; a word with a zero vector has a single sense, zero."""
    heaviest = np.argsort(-weights, kind="stable")[:n_senses]
    heaviest = heaviest[weights[heaviest] > 0]
    if not len(heaviest):
        return single_sense(np.zeros(vectors.shape[1], np.float32))
    directions = np.eye(len(weights), dtype=np.float32)[heaviest]
    return WordSenses(vectors[heaviest], directions, weights[heaviest] / weights[heaviest].sum())


def dimension_vectors(embeddings: Embeddings, space: Embeddings) -> Floats:
    """Each dimension as the weighted mean of its heaviest words in another space, (n_dimensions, dim)."""
    found = np.zeros((embeddings.dim, space.dim))
    for dimension, weights in enumerate(embeddings.vectors.T):
        rows = np.argsort(-weights, kind="stable")[:N_HEAVIEST]
        units = to_unit(space.lookup([embeddings.words[row] for row in rows], missing="zero"))
        found[dimension] = weights[rows] @ units
    return to_unit(found)

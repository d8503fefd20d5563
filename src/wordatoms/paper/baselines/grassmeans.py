"""K-Grassmeans (Mu, Bhat and Viswanath 2017): a context is a subspace, a sense a line where many of them meet.

The subspace of a context is spanned by the first three principal directions, not centred, of the vectors of its
words, without function words. K-Grassmeans looks for k unit vectors that maximise Σ ‖projection on the subspace‖² over
the contexts, each counted for the vector with the largest projection. The best vector of a cluster is the first
eigenvector of the sum of its projections. A power step from the previous vector moves towards it and never lowers the
sum, so one step between two assignments is enough. The best of several random starts is kept. The probability of a
sense decreases as exp(−distance) between its line and the subspace, as in the authors' soft decoding.

Simplified: function words are those with p(w) above a threshold, and a context is a window instead of a sentence. The
authors retrain the vectors on a text with marked senses; an `InducedMap` does that by Theorem 1 (see
`retrained_vectors`). Without one the vectors are the lines, with the sign that points towards the context words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF
from wordatoms.contexts.windows import WordWindows
from wordatoms.paper.baselines.inventory import (
    BLOCK_CONTEXTS,
    Competitor,
    ContextMeans,
    Floats,
    Rows,
    WordSenses,
    check_at_least_one,
    learn_words,
    one_hot,
    retrained_vectors,
    words_first,
)
from wordatoms.senses.posterior import softmax, to_unit

RANK = 3
"""Dimension of the subspace of a context."""
FUNCTION_WORD = 1e-3
"""Words with a larger p(w), about a hundred, are function words."""
N_STARTS = 3
N_ITERATIONS = 100
COARSE, FINE = 1e-3, 1e-4
"""Relative gain below which the iterations stop: from each random start, and from the best result."""
SMALLEST_VALUE = 1e-5
"""Least squared singular value of a context's directions, as a share of the first."""


@dataclass(frozen=True, eq=False, repr=False)
class Grassmeans(Competitor):
    """Lines where contexts meet, as senses."""

    def _p_filled(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        projections = squared_projections(context_bases(contexts, self.reader.vectors), senses.centres)
        return softmax(-np.sqrt(np.maximum(1 - projections, 0)).astype(np.float64))


def learn_grassmeans(
    sif: SIF,
    windows: WordWindows,
    words: Sequence[str],
    *,
    n_senses: int = 5,
    window: int = 10,
    function_word: float = FUNCTION_WORD,
    induced_map: InducedMap | None = None,
    random_state: int = 0,
    threads: int = 1,
) -> Grassmeans:
    """Find the lines of each word; words with p(w) above `function_word` are left out of contexts."""
    check_at_least_one(n_senses=n_senses, window=window)
    embeddings = sif.embeddings
    reader = ContextMeans(embeddings, (sif.p_word <= function_word).astype(np.float32), window, embeddings.vectors)

    def learn(sample: NDArray[np.int32], _: Floats, rng: np.random.Generator) -> WordSenses | None:
        contexts = reader.of_windows(sample)
        bases = context_bases(contexts, reader.vectors)
        usable = bases.any(axis=(1, 2))
        if not usable.any():
            return None
        lines = meeting_lines(bases[usable], n_senses, rng)
        p = one_hot(lines.nearest)
        sums = p.T @ reader.means(contexts[usable])
        turned = lines.directions * np.where((lines.directions * sums).sum(axis=1) < 0, -1, 1)[:, None]
        vectors = turned.astype(np.float32)
        if induced_map is not None:
            vectors = retrained_vectors(p, sample[usable], sif, induced_map)
        return WordSenses(vectors, lines.directions, p.mean(axis=0))

    learned = learn_words(
        words, learn, embeddings=embeddings, windows=windows, random_state=random_state, threads=threads
    )
    return Grassmeans(reader, learned)


def context_bases(contexts: Rows, vectors: Floats) -> Floats:
    """Orthonormal rows that span each context's subspace, (n, RANK, dim); zero rows where it has fewer words."""
    bases = np.zeros((len(contexts), RANK, vectors.shape[1]), np.float32)
    packed = words_first(contexts)  # so that empty columns can be cut off
    for start in range(0, len(contexts), BLOCK_CONTEXTS):
        block = packed[start : start + BLOCK_CONTEXTS]
        width = max(int((block >= 0).sum(axis=1).max(initial=0)), RANK)
        bases[start : start + BLOCK_CONTEXTS] = _bases(block[:, :width], vectors)
    return bases


def _bases(contexts: Rows, vectors: Floats) -> Floats:
    """The first right singular vectors of each context's words, computed from their inner products."""
    if contexts.shape[1] < RANK:
        contexts = np.pad(contexts, ((0, 0), (0, RANK - contexts.shape[1])), constant_values=-1)
    members = np.where((contexts >= 0)[..., None], vectors[contexts], np.float32(0))
    values, directions = np.linalg.eigh((members @ members.transpose(0, 2, 1)).astype(np.float64))
    values, directions = values[:, -RANK:], directions[..., -RANK:]
    kept = values > SMALLEST_VALUE * values[:, -1:]
    scales = np.where(kept & (values > 0), 1 / np.sqrt(np.where(values > 0, values, 1)), 0)
    weights = (directions * scales[:, None]).transpose(0, 2, 1).astype(np.float32)
    return np.asarray(weights @ members)


def squared_projections(bases: Floats, directions: Floats) -> Floats:
    """‖projection of each direction on each context's subspace‖², (n, k)."""
    parts = bases.reshape(-1, bases.shape[2]) @ directions.T
    return np.asarray((parts * parts).reshape(len(bases), RANK, -1).sum(axis=1))


class Lines(NamedTuple):
    """Directions in which subspaces meet."""

    directions: Floats
    """Unit vectors, (k, dim)."""
    nearest: NDArray[np.intp]
    """The number of the direction nearest to each context, (n,)."""
    fit: float
    """Mean squared projection."""


def meeting_lines(bases: Floats, n_lines: int, rng: np.random.Generator) -> Lines:
    """K-Grassmeans from several starts; returns at most `n_lines` lines, each with at least one context."""
    starts = [rng.choice(len(bases), min(n_lines, len(bases)), replace=False) for _ in range(N_STARTS)]
    # the first principal direction of a context is a better start than a random direction
    found = [_lines_from(bases, bases[start, RANK - 1], COARSE) for start in starts]
    best = max(found, key=lambda lines: lines.fit)
    return _lines_from(bases, best.directions, FINE)


def _lines_from(bases: Floats, directions: Floats, enough: float) -> Lines:
    """Power steps until the relative gain in mean squared projection is below `enough`."""
    fit = -np.inf
    for _ in range(N_ITERATIONS):
        lines, directions = power_step(bases, directions)
        if lines.fit <= fit * (1 + enough):
            break
        fit = lines.fit
    return lines


def power_step(bases: Floats, directions: Floats) -> tuple[Lines, Floats]:
    """Assign contexts to directions, then move each towards the first eigenvector of its projections' sum."""
    flat = bases.reshape(-1, bases.shape[2])
    parts = (flat @ directions.T).reshape(len(bases), RANK, -1)
    projections = (parts * parts).sum(axis=1)
    used, nearest = np.unique(projections.argmax(axis=1), return_inverse=True)
    own = np.where(nearest[:, None, None] == np.arange(len(used)), parts[..., used], 0)
    lines = Lines(directions[used], nearest, float(projections.max(axis=1).mean(dtype=np.float64)))
    return lines, to_unit(own.reshape(len(flat), -1).T @ flat)

"""Prototypes: the contexts of a word clustered by direction, each cluster a sense.

A context is the idf-weighted mean of the vectors of its words. Two of the paper's competitors differ only in
parameters:

- `REISINGER_MOONEY` (Reisinger and Mooney 2010): a mixture of von Mises-Fisher distributions with one concentration
  for all, ten words on each side; the probability of a sense is the posterior of the mixture.
- `HUANG` (Huang, Socher, Manning and Ng 2012): spherical k-means, five words on each side; the probability of a sense
  is inversely proportional to the distance from its centre.

Simplified: the authors of the first use sparse word counts, those of the second train their own vectors; here both use
the same vectors as all other methods. Huang et al. then retrain on the text with marked senses; an `InducedMap` does
that by Theorem 1 (see `retrained_vectors`). Without one the vectors are the centres.
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
    Competitor,
    ContextMeans,
    Floats,
    Rows,
    WordSenses,
    check_at_least_one,
    idf_weights,
    learn_words,
    one_hot,
    p_by_distance,
    retrained_vectors,
)
from wordatoms.senses.clustering import cluster_vectors
from wordatoms.senses.posterior import softmax, to_unit

N_STARTS = 3
N_ITERATIONS = 50
ENOUGH = 1e-5
"""Relative change of the mean cosine below which the mixture has converged."""
SMALLEST_SPREAD = 1e-6
SMALLEST_SIZE = 1e-3
"""Clusters with a smaller sum of probabilities are dropped."""


@dataclass(frozen=True)
class PrototypeSettings:
    n_senses: int = 10
    window: int = 10
    """Words on each side."""
    mixture: bool = True
    """Whether a context may belong to several clusters."""

    def __post_init__(self) -> None:
        check_at_least_one(n_senses=self.n_senses, window=self.window)


REISINGER_MOONEY = PrototypeSettings(n_senses=10, window=10, mixture=True)
HUANG = PrototypeSettings(n_senses=10, window=5, mixture=False)


@dataclass(frozen=True, eq=False, repr=False)
class Prototypes(Competitor):
    """Clusters of contexts as senses. The centres of a mixture are scaled by its concentration."""

    settings: PrototypeSettings

    def _p_filled(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        means = self.reader.means(contexts)
        if not self.settings.mixture:
            return p_by_distance(means, senses.centres)
        return softmax((to_unit(means) @ senses.centres.T).astype(np.float64) + np.log(senses.shares))


def learn_prototypes(
    sif: SIF,
    windows: WordWindows,
    words: Sequence[str],
    settings: PrototypeSettings = HUANG,
    *,
    induced_map: InducedMap | None = None,
    random_state: int = 0,
    threads: int = 1,
) -> Prototypes:
    """Cluster the windows of each word."""
    embeddings = sif.embeddings
    reader = ContextMeans(embeddings, idf_weights(sif), settings.window, embeddings.vectors)

    def learn(sample: NDArray[np.int32], _: Floats, rng: np.random.Generator) -> WordSenses | None:
        units = to_unit(reader.means(reader.of_windows(sample)))
        usable = units.any(axis=1)
        if not usable.any():
            return None
        clusters = cluster_directions(units[usable], settings.n_senses, rng)
        if settings.mixture:
            clusters = soften(units[usable], clusters)
        vectors = clusters.centres
        if induced_map is not None:
            vectors = retrained_vectors(clusters.p, sample[usable], sif, induced_map)
        return WordSenses(vectors, clusters.centres * np.float32(clusters.concentration), clusters.shares)

    learned = learn_words(
        words, learn, embeddings=embeddings, windows=windows, random_state=random_state, threads=threads
    )
    return Prototypes(reader, learned, settings)


class Clusters(NamedTuple):
    """Directions, and the probability with which each vector belongs to each."""

    centres: Floats
    """Unit vectors, (k, dim)."""
    p: NDArray[np.float64]
    """(n, k); rows sum to 1."""
    fit: float
    """Mean cosine between the vectors and their centres, weighted by `p`."""
    concentration: float = 1.0

    @property
    def shares(self) -> NDArray[np.float64]:
        return np.asarray(self.p.mean(axis=0))


def cluster_directions(units: Floats, n_clusters: int, rng: np.random.Generator) -> Clusters:
    """Spherical k-means; returns at most `n_clusters` clusters, none empty."""
    labels = cluster_vectors(units, n_clusters, n_starts=N_STARTS, random_state=int(rng.integers(1 << 32)))
    p = one_hot(labels)
    sums = p.T.astype(np.float32) @ units
    return Clusters(to_unit(sums), p, mean_cosine(sums, len(units)))


def mean_cosine(sums: Floats, n: int) -> float:
    """The mean cosine of n unit vectors with the directions of their clusters, given the sum of each cluster."""
    return float(np.linalg.norm(sums, axis=1).sum(dtype=np.float64) / n)


def soften(units: Floats, clusters: Clusters) -> Clusters:
    """Expectation-maximisation of a mixture of von Mises-Fisher distributions with one concentration for all."""
    dim = units.shape[1]
    for _ in range(N_ITERATIONS):
        before, p = clusters.fit, clusters.p
        sums = p.T.astype(np.float32) @ units
        fit = mean_cosine(sums, len(units))
        concentration = fit * (dim - fit**2) / max(1 - fit**2, SMALLEST_SPREAD)
        p = softmax(concentration * (units @ to_unit(sums).T) + np.log(clusters.shares))
        kept = p.sum(axis=0) > SMALLEST_SIZE
        p = p[:, kept] / p[:, kept].sum(axis=1, keepdims=True)
        clusters = Clusters(to_unit(sums)[kept], p, fit, concentration)
        if abs(fit - before) <= ENOUGH * before:
            break
    return clusters

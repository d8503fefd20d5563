"""The paper's own ablation of Table 8, from the comments in its source: which vectors should atoms be learned from?

For word vectors, induced vectors A·u_w and average contexts u_w without A: the cosine of the vectors, their cosine
after whitening, and u_c over atoms that one run of k-SVD learns from these vectors. Contexts are read as in the paper:
mapped by A for word and induced vectors, and without A for average contexts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.ksvd import KSVDCallback, ksvd
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import PAPER_SETTINGS
from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import UnknownWordError
from wordatoms.paper.tasks.scws.evaluate import Method
from wordatoms.paper.tasks.scws.methods import cosine_method, cosine_of
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import Posterior, Weights, make_posterior, to_unit


class Kind(NamedTuple):
    """Vectors to learn atoms from, and the map from contexts to their space."""

    name: str
    vectors: NDArray[np.float32]
    induced_map: InducedMap


def ablation_methods(
    model: SenseModel,
    *,
    n_atoms: int = 2000,
    sparsity: int = 5,
    n_iterations: int = 25,
    random_state: int = 0,
    threads: int | None = None,
    callback: Callable[[str], KSVDCallback] | None = None,
) -> list[Method]:
    """Three methods for each kind of vectors."""
    settings = replace(PAPER_SETTINGS, scale=model.reading.scale)
    methods: list[Method] = []
    for kind in _kinds(model):
        learned = ksvd(
            to_unit(kind.vectors),
            n_atoms=min(n_atoms, len(kind.vectors) // 4),
            sparsity=sparsity,
            n_iterations=n_iterations,
            random_state=random_state,
            threads=threads,
            callback=callback(kind.name) if callback else None,
        )
        posterior = make_posterior(model.embeddings, kind.induced_map, learned.atoms, settings)
        place = _Place(model, posterior, learned.codes)
        embeddings = replace(model.embeddings, vectors=kind.vectors, state={})
        methods += [
            cosine_method(f"cosine of {kind.name} vectors", embeddings),
            cosine_method(f"cosine of {kind.name} vectors, whitened", _whitened(embeddings)),
            Method(f"u_c, atoms of {kind.name} vectors", "ours", cosine_of(place)),
        ]
    return methods


def _kinds(model: SenseModel) -> list[Kind]:
    learned, contexts = model.induced_map, ContextAverages.load(model.path)
    unchanged = replace(learned, matrix=np.eye(len(learned), dtype=np.float32))
    return [
        Kind("word", np.asarray(model.embeddings.vectors), learned),
        Kind("induced", learned.induced_vectors(contexts), learned),
        Kind("average context", np.asarray(contexts.averages), unchanged),
    ]


@dataclass(frozen=True)
class _Place:
    """u_c of a word in a usage, over newly learned atoms."""

    model: SenseModel
    posterior: Posterior
    codes: SparseCodes

    def __call__(self, word: str, usage: Usage) -> NDArray[np.float32]:
        contexts = self.model.context_vectors(word, [usage], self.posterior)
        return np.asarray(self.posterior.sense_means(self._weights(word), contexts)[0])

    def _weights(self, word: str) -> Weights:
        """The atoms of all known forms, weighted by the counts of the forms."""
        embeddings = self.model.embeddings
        rows = [int(row) for row in embeddings.find_rows(self.model.forms(word.lower())) if row >= 0]
        counts = np.ones(len(embeddings)) if embeddings.counts is None else embeddings.counts
        pooled: dict[int, float] = {}
        for row in rows:
            for atom, weight in self.codes.positive(row).items():
                pooled[atom] = pooled.get(atom, 0.0) + weight * float(counts[row])
        if not pooled:
            raise UnknownWordError(word, embeddings.words)
        return pooled


def _whitened(embeddings: Embeddings) -> Embeddings:
    """The vectors transformed to mean zero and identity covariance."""
    centred = embeddings.vectors.astype(np.float64) - embeddings.vectors.mean(axis=0, dtype=np.float64)
    values, directions = np.linalg.eigh(centred.T @ centred / len(centred))
    scales = 1 / np.sqrt(np.maximum(values, values.max() * 1e-6))
    return replace(embeddings, vectors=((centred @ directions) * scales).astype(np.float32), state={})

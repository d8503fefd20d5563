"""The cosine between a sentence and an atom: the length of the atom's projection on what the sentence is about.

What a sentence is about is the best approximation of low rank to the vectors of its words, their first principal
directions, not centred (see `wordatoms.senses.sentences`). They are found from the small matrix of inner products
between the
words, for all sentences of equal length at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import SIF, p_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import ModelError
from wordatoms.senses.model import SenseModel

NO_DIRECTION = 1e-10
"""A principal value this small, of the largest one, is rounding: there are fewer words than directions."""


@dataclass(frozen=True, eq=False)
class SentenceScorer:
    """Compares sentences with some atoms."""

    embeddings: Embeddings
    """What the atoms were learned from."""
    weights: NDArray[np.float32]
    """Of each word, (n_words,)."""
    atoms: NDArray[np.float64]
    """(n_atoms, dim), each of length 1."""
    rank: int

    @classmethod
    def of_model(cls, model: SenseModel, atoms: Sequence[int], *, a: float, rank: int) -> SentenceScorer:
        """For some atoms of a model; `a` is that of SIF."""
        embeddings = model.learned_from
        if embeddings.dim != model.atoms.dim:
            raise ModelError(
                f"{model.path} disagrees with itself: vectors of {embeddings.dim} dimensions but atoms of "
                f"{model.atoms.dim}; make the atoms again."
            )
        weights = SIF(embeddings, p_words(embeddings), a).weights
        return cls(embeddings, weights, model.atoms.vectors[list(atoms)].astype(np.float64), rank)

    def scores(self, sentences: Sequence[NDArray[np.int32]]) -> NDArray[np.float64]:
        """Of sentences, given as rows of their words, for each atom, (n_sentences, n_atoms)."""
        lengths = np.array([len(rows) for rows in sentences], np.int64)
        scores = np.zeros((len(sentences), len(self.atoms)))
        for length in np.unique(lengths):
            places = np.flatnonzero(lengths == length).tolist()
            scores[places] = self._scores(np.stack([sentences[place] for place in places]))
        return scores

    def _scores(self, rows: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same for sentences of equal length, (n, length).

        If V = U·S·Wᵀ are the vectors of a sentence, the parts of an atom along the directions W are S⁻¹·Uᵀ·(V·atom).
        """
        vectors = self.weights[rows][..., None] * self.embeddings.vectors[rows].astype(np.float64)
        squares, directions = np.linalg.eigh(vectors @ vectors.transpose(0, 2, 1))
        squares, directions = squares[:, -self.rank :], directions[:, :, -self.rank :]
        parts = directions.transpose(0, 2, 1) @ (vectors @ self.atoms.T)
        is_real = squares > NO_DIRECTION * squares[:, -1:]
        inverse = np.divide(1.0, squares, out=np.zeros_like(squares), where=is_real)
        return np.asarray(np.minimum(np.sqrt((parts * parts * inverse[..., None]).sum(axis=1)), 1.0))

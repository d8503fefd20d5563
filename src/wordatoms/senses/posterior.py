"""The posterior over the atoms of a word in a context: p(a|c,w) ∝ p(a|w) · p(a|c) / p(a) (Section 6.1).

p(a|w) is proportional to the weight of the atom in the word, p(a|c) to exp(κ ⟨v_a, v_c⟩) with v_c the vector of the
context at length 1, and p(a) is the mean of p(a|c) over random contexts, where p(a|c) sums to 1 over all atoms. From it
come u_c = Σ p(a|c,w) v_a and the vector of the word in its context.

To cluster the contexts of one word, each context is also represented by its products with the atoms of the word,
√p(a|w) ⟨v_a, v_c⟩, before the exponential discards all but the best atom, and with a smaller weight by its whole vector
(`Posterior.views`).

Left out: how contexts become vectors (`wordatoms.contexts.reader`), and which atoms a word has
(`wordatoms.senses.model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import ContextReader, ReadingSettings, make_reader
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.parallel import one_blas_thread

if TYPE_CHECKING:
    from wordatoms.contexts.induced_map import InducedMap

N_SAMPLES = 2000
"""Random contexts behind p(a): its error is then a few per cent, far below the variation of p(a|c)."""

Weights = Mapping[int, float]
"""The atoms of a word and their weights, all positive."""


@dataclass(frozen=True, eq=False)
class Posterior:
    """Weighs the senses of words in contexts."""

    reader: ContextReader
    atoms: NDArray[np.float32]
    """(n_atoms, dim), each of length 1."""
    log_p_atoms: NDArray[np.float64]
    """log p(a), (n_atoms,)."""

    @property
    def settings(self) -> ReadingSettings:
        return self.reader.settings

    def p_senses(self, weights: Weights, contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return p(a|c,w) of a word's atoms in each context (n, dim): (n, n_senses); p(a|w) in an empty context."""
        atoms, prior = _prior(weights)
        return softmax(np.log(prior) + self._evidence(atoms, contexts))

    def p_senses_of_each(self, weights: Sequence[Weights], contexts: NDArray[np.float32]) -> list[dict[int, float]]:
        """Return p(a|c,w) by atom for many words in one context each (n, dim), by one matrix product."""
        atoms = sorted({atom for each in weights for atom in each})
        place = {atom: number for number, atom in enumerate(atoms)}
        priors = np.zeros((len(weights), len(atoms)))
        for row, each in zip(priors, weights, strict=True):
            row[[place[atom] for atom in each]] = list(each.values())
        with np.errstate(divide="ignore"):  # an atom that a word does not have has probability 0
            p_senses = softmax(np.log(priors) + self._evidence(atoms, contexts))
        return [{atom: float(row[place[atom]]) for atom in each} for row, each in zip(p_senses, weights, strict=True)]

    def _evidence(self, atoms: list[int], contexts: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return log p(a|c) − log p(a) of some atoms in each context, up to a constant: (n, len(atoms))."""
        products = self.settings.scale * _products(to_unit(contexts), self.atoms[atoms]).astype(np.float64)
        has_words = np.asarray(contexts.any(axis=1))[:, None]
        return np.where(has_words, products - self.log_p_atoms[atoms], 0)

    def sense_means(self, weights: Weights, contexts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return u_c of each context, (n, dim)."""
        p_senses, atoms = self.p_senses(weights, contexts), self.atoms[_prior(weights)[0]]
        return np.asarray(_products(p_senses, atoms.T), np.float32)

    def views(self, weights: Weights, contexts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return each context as its products with the word's atoms and, with less weight, whole: (n, senses + dim)."""
        atoms, prior = _prior(weights)
        units = to_unit(contexts)
        seen = np.sqrt(prior) * _products(units, self.atoms[atoms])
        return np.concatenate([seen, self.settings.rest * units], axis=1).astype(np.float32)

    def in_context(
        self, vector: NDArray[np.float32] | None, weights: Weights, contexts: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Return the vector of a word in each context, (n, dim): its own, u_c and the context's, each at length 1.

        A word without a vector gets the context's, because the map takes contexts to the vectors of their words.
        """
        around = to_unit(contexts)
        if vector is None:
            return around
        meant = to_unit(self.sense_means(weights, contexts)) if weights else np.zeros_like(around)
        own = to_unit(vector[None])
        settings = self.settings
        return np.asarray(own + settings.sense_share * meant + settings.context_share * around, np.float32)

    def pulls(
        self, window: NDArray[np.int32], context: NDArray[np.float32], weights: Weights, atom: int
    ) -> NDArray[np.float32]:
        """Return how far each word of a window pulls towards one sense and away from the others, (2 * window,).

        In units of log p: the words' shares in κ ⟨v_a − v_others, v_c⟩, with the others weighted by p(a|w). `context`
        is the vector of the window.
        """
        return self.pulls_of_each(window, context, weights, [atom])[:, 0]

    def pulls_of_each(
        self, window: NDArray[np.int32], context: NDArray[np.float32], weights: Weights, atoms: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return the pulls towards each of several senses, (2 * window, len(atoms))."""
        directions = np.stack([self._direction(weights, atom) for atom in atoms])
        length = float(np.linalg.norm(context)) or 1.0
        return np.asarray(self.reader.shares(window, directions) * (self.settings.scale / length), np.float32)

    def _direction(self, weights: Weights, atom: int) -> NDArray[np.float32]:
        """Return the direction from the other senses of a word to one of them."""
        others = {other: weight for other, weight in weights.items() if other != atom}
        return np.asarray(self.atoms[atom] - (_mean_atom(self.atoms, others) if others else 0), np.float32)


def make_posterior(
    embeddings: Embeddings, induced_map: InducedMap, atoms: NDArray[np.float32], settings: ReadingSettings
) -> Posterior:
    """Return a posterior with p(a) from the random windows that are stored with the map."""
    _check_alike(embeddings, induced_map, atoms)
    reader = make_reader(embeddings, induced_map, settings)
    contexts = reader.vectors(without_targets(induced_map.windows[:N_SAMPLES]))
    contexts = contexts[contexts.any(axis=1)]
    if not len(contexts):
        raise InputError("the map has no random windows with known words; run `wordatoms map --force` with more text.")
    p_given_context = softmax(settings.scale * _products(to_unit(contexts), atoms).astype(np.float64))
    tiny = np.finfo(np.float64).tiny
    return Posterior(reader, atoms, np.log(np.maximum(p_given_context.mean(axis=0), tiny)))


def _check_alike(embeddings: Embeddings, induced_map: InducedMap, atoms: NDArray[np.float32]) -> None:
    if not (embeddings.dim == len(induced_map) == atoms.shape[1]):
        raise ModelError(
            f"the vectors have {embeddings.dim} dimensions, the map {len(induced_map)}, the atoms {atoms.shape[1]}; "
            "run `wordatoms map --force` and `wordatoms atomize --force`."
        )
    if induced_map.windows.max(initial=-1) >= len(embeddings):
        raise ModelError(
            f"the windows of the map go beyond the {len(embeddings):,} words; run `wordatoms map --force`."
        )


def _products(rows: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Return the inner products of rows, (n, m); the same bytes on any number of threads."""
    with one_blas_thread():
        return np.asarray(rows @ others.T)


def softmax(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows of probabilities."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def to_unit(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Return rows of length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _prior(weights: Weights) -> tuple[list[int], NDArray[np.float64]]:
    """Return the atoms of a word, and p(a|w) of each."""
    if not weights:
        raise InputError("the word has no atom with a positive weight, so it has no senses here; pass another word.")
    numbers = np.array(list(weights.values()), np.float64)
    return list(weights), numbers / numbers.sum()


def _mean_atom(atoms: NDArray[np.float32], weights: Weights) -> NDArray[np.float32]:
    rows, prior = _prior(weights)
    return np.asarray(prior @ atoms[rows], np.float32)

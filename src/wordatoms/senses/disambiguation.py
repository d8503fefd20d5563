"""Which sense of a word is meant in a text, and which words of the text decide it.

Each occurrence of the word in any form gets the posterior of Section 6.1 over the atoms of the word and its forms. The
vector of a context is a sum over its words, so each word has a share in the decision: how much it adds to the evidence
for the likeliest sense, compared with the other senses of the word.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage, find_usages
from wordatoms.senses.posterior import Posterior, Weights
from wordatoms.senses.results import Disambiguation, Meaning, Pull
from wordatoms.text.tokenizer import Tokenizer

Place = tuple[NDArray[np.int32], NDArray[np.float32]]
"""The rows of the words around a usage, and the vector of this context."""


class UsagesRead(NamedTuple):
    """What the contexts of usages say about the senses of a word."""

    windows: NDArray[np.int32]
    contexts: NDArray[np.float32]
    """The vector of each context as the senses are compared with it, (n, dim)."""
    p_senses: NDArray[np.float64]
    """The probability of each sense, and last that of none of them, (n, n_senses + 1)."""
    tells_nothing: NDArray[np.bool_]
    """Whether each context is too short or too empty to tell, (n,)."""

    @property
    def is_clear(self) -> NDArray[np.bool_]:
        """Whether each context shows a sense: it tells something, and "none of these" is not likelier, (n,)."""
        return np.asarray(~self.tells_nothing & (self.p_senses[:, :-1].max(axis=1) >= self.p_senses[:, -1]))


@dataclass(frozen=True, eq=False)
class Disambiguator:
    """Finds the sense of one word in its occurrences."""

    word: str
    forms: Container[str]
    """Forms in which the word occurs; they are no part of its contexts."""
    posterior: Posterior
    weights: Weights
    meanings: Mapping[int, Meaning]
    """Label and nearest words of each atom; the probabilities are filled in here."""
    tokenizer: Tokenizer

    def answer_texts(self, texts: Sequence[str | Usage], *, n_deciding: int = 5) -> list[list[Disambiguation]]:
        """Return, for each text, the answers for all occurrences of the word in it."""
        found = [find_usages(self.word, text, self.tokenizer, forms=self.forms) for text in texts]
        answers = iter(self.answer_usages([usage for usages in found for usage in usages], n_deciding=n_deciding))
        return [[next(answers) for _ in usages] for usages in found]

    def answer_usages(self, usages: Sequence[Usage], *, n_deciding: int = 5) -> list[Disambiguation]:
        """Return an answer for each usage."""
        windows, contexts, p_senses, _ = self.read(usages)
        places = zip(windows, contexts, strict=True)
        return [
            self._answer(usage, place, p[:-1], n_deciding)
            for usage, place, p in zip(usages, places, p_senses, strict=True)
        ]

    def read(self, usages: Sequence[Usage]) -> UsagesRead:
        """Return what the contexts of usages say; there is always a sense, and no context is too short."""
        reader = self.posterior.reader
        windows = reader.windows(usages, self.forms)
        contexts = reader.vectors(windows)
        p_senses = self.posterior.p_senses(self.weights, contexts)
        never = np.zeros(len(usages), np.bool_)
        return UsagesRead(windows, contexts, np.pad(p_senses, ((0, 0), (0, 1))), never)

    @property
    def senses_read(self) -> tuple[Meaning, ...]:
        """The senses in the order in which `read` has their probabilities."""
        return tuple(self.meanings[atom] for atom in self.weights)

    def _answer(self, usage: Usage, place: Place, p_senses: NDArray[np.float64], n_deciding: int) -> Disambiguation:
        atoms = list(self.weights)
        ranked = np.argsort(-p_senses, kind="stable").tolist()
        return Disambiguation(
            self.word,
            usage.form,
            usage.position,
            tuple(replace(self.meanings[atoms[k]], probability=float(p_senses[k])) for k in ranked),
            self._deciding(place, atoms[ranked[0]])[:n_deciding] if len(atoms) > 1 else (),
            int((place[0] >= 0).sum()),
        )

    def _deciding(self, place: Place, atom: int) -> tuple[Pull, ...]:
        """Return the words that speak for an atom, strongest first, each once."""
        window, context = place
        pulls = self.posterior.pulls(window, context, self.weights, atom)
        return words_for(window, pulls, self.posterior.reader.embeddings.words)


def words_for(window: NDArray[np.int32], pulls: NDArray[np.float32], words: Sequence[str]) -> tuple[Pull, ...]:
    """Return the words of a window with positive pulls, strongest first, each once."""
    total: dict[str, float] = {}
    for row, pull in zip(window.tolist(), pulls.tolist(), strict=True):
        if row >= 0:
            total[words[row]] = total.get(words[row], 0.0) + pull
    for_it = [Pull(word, pull) for word, pull in total.items() if pull > 0]
    return tuple(sorted(for_it, key=lambda pull: -pull.pull))

"""Answers about a text: the likeliest sense of every word, and how its context decides the sense of one word.

The posterior of Section 6.1 (`wordatoms.senses.posterior`), for all words of the text at once. The forms of a word are
no part of its own context. The pull of a context word towards a sense is its share in log p of this sense against the
other senses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.explorer.answers import BAD_REQUEST, ApiError
from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.explorer.words import WordAnswers
from wordatoms.senses.posterior import Weights
from wordatoms.senses.reading import CutText, function_words
from wordatoms.senses.results import Meaning

N_MEANINGS = 12
N_NEAREST = 8
N_CACHED_FORMS = 20_000


class TokenSense(NamedTuple):
    """The likeliest sense of a word of the text."""

    atom: int
    label: str
    probability: float


class TextToken(NamedTuple):
    """A word of the text, its place in UTF-16 code units, and its likeliest sense."""

    text: str
    start: int
    end: int
    word: str | None
    n_senses: int
    best: TokenSense | None


class TextPage(NamedTuple):
    """A text in Unicode normal form C, and its words."""

    text: str
    tokens: list[TextToken]


@dataclass(frozen=True)
class TokenMeaning(Meaning):
    """A sense in its context, and its probability without the context."""

    prior: float = 0.0


class ContextPull(NamedTuple):
    """A context word, and its pull towards each atom, in log p."""

    token: int
    word: str
    pulls: dict[int, float]


class MeaningPage(NamedTuple):
    """One word of a text: its senses there, and the pulls of its context words."""

    word: str
    form: str
    token: int
    meanings: list[TokenMeaning]
    pulls: list[ContextPull]


class TextAnswers:
    """Answers about texts, by one model."""

    def __init__(self, words: WordAnswers) -> None:
        self.words, self.model = words, words.model
        self._own_forms = lru_cache(N_CACHED_FORMS)(self._find_own_forms)
        self._function_words = function_words(self.model)

    def learn(self, word: str) -> None:
        """Cache what is needed whenever a text contains this word."""
        self.words.weights(word)
        self._own_forms(word)

    def sentence(self, text: str) -> TextPage:
        """The words of a text, each with its likeliest sense."""
        cut = CutText.of(text, self.model)
        offsets = utf16_offsets(cut.text)
        known, stamp = (word for word in cut.places if word in self.model.embeddings), self.words.stamp
        weights = {word: self.words.weights(word, stamp=stamp) for word in known}
        best = self._likeliest(cut, weights)
        tokens = [
            TextToken(
                cut.text[start:end],
                offsets[start],
                offsets[end],
                word if word in weights else None,
                len(weights.get(word, ())),
                best.get(token),
            )
            for token, (start, end, word) in enumerate(cut.spans)
        ]
        return TextPage(cut.text, tokens)

    def _likeliest(self, cut: CutText, weights: Mapping[str, Weights]) -> dict[int, TokenSense]:
        """The likeliest sense of each word that has senses, except function words: *the* occurs in every discourse."""
        is_target = [weights.get(span.word) and span.word not in self._function_words for span in cut.spans]
        targets = [token for token, wanted in enumerate(is_target) if wanted]
        if not targets:
            return {}
        contexts = self._contexts(cut, targets)
        chances = self.model.posterior.p_senses_of_each([weights[cut.spans[token].word] for token in targets], contexts)
        notes, found = self.words.notes, {}
        for token, of_atoms in zip(targets, chances, strict=True):
            atom = max(of_atoms, key=of_atoms.__getitem__)
            found[token] = TokenSense(atom, self.model.label(atom, notes), of_atoms[atom])
        return found

    def _contexts(self, cut: CutText, targets: Sequence[int]) -> NDArray[np.float32]:
        windows = np.array([cut.rows_at(self._around(cut, token)) for token in targets])
        return self.model.posterior.reader.vectors(windows)

    def _around(self, cut: CutText, token: int) -> NDArray[np.intp]:
        return cut.around(token, self._own_forms(cut.spans[token].word), self.model.reading.window)

    def meaning(self, text: str, token: int) -> MeaningPage:
        """The senses of one word of a text, and how each context word pulls towards them."""
        cut = CutText.of(text, self.model)
        if not token < len(cut.spans):
            sentence = f"the text has {len(cut.spans)} words, so there is no token {token}; tokens are counted from 0."
            raise ApiError(BAD_REQUEST, sentence)
        word = self.words.spell(cut.spans[token].word)
        weights, context = self.words.weights(word), self._contexts(cut, [token])
        chances = self.model.posterior.p_senses_of_each([weights], context)[0] if weights else {}
        shown = sorted(chances.items(), key=lambda pair: -pair[1])[:N_MEANINGS]
        return MeaningPage(
            word,
            cut.spans[token].word,
            token,
            self._meanings(weights, shown),
            self._pulls(cut, token, context[0], weights, [atom for atom, _ in shown]),
        )

    def _meanings(self, weights: Weights, chances: Sequence[tuple[int, float]]) -> list[TokenMeaning]:
        model, notes, total = self.model, self.words.notes, sum(weights.values())
        return [
            TokenMeaning(
                atom,
                probability,
                model.label(atom, notes),
                model.nearest_words(atom, N_NEAREST),
                prior=weights[atom] / total,
            )
            for atom, probability in chances
        ]

    def _pulls(
        self, cut: CutText, token: int, context: NDArray[np.float32], weights: Weights, atoms: Sequence[int]
    ) -> list[ContextPull]:
        if not atoms:
            return []
        places = self._around(cut, token)
        pulls = self.model.posterior.pulls_of_each(cut.rows_at(places), context, weights, atoms).tolist()
        return [
            ContextPull(place, cut.spans[place].word, dict(zip(atoms, of_word, strict=True)))
            for place, of_word in zip(places.tolist(), pulls, strict=True)
            if place >= 0
        ]

    def _find_own_forms(self, word: str) -> frozenset[str]:
        """A phrase such as new_york, which is several tokens, has no other forms."""
        tokens = self.model.tokenizer.tokens(word)
        return frozenset({word, *(self.model.usage_forms(word) if len(tokens) == 1 else ())})

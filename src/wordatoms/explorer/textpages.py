"""Answers on a text: the likeliest sense of every word in it, and what the words around one of them say about it.

The posterior of Section 6.1 (`wordatoms.senses.posterior`) for all words of the text at once. A word's own forms are
no part
of its context. The pull of a context word towards a sense is its share in log p for this sense against the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import target_forms
from wordatoms.explorer.refusals import BAD_REQUEST, Refusal
from wordatoms.explorer.text_spans import Span, find_spans, normal_form, utf16_offsets
from wordatoms.explorer.wordpages import Answer, WordPages, rounded
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import Weights

FUNCTION_WORDS = 500
"""The most frequent word in so many (100 of 50,000) is taken for a function word: nobody asks for its senses."""
N_MEANINGS = 12
N_NEAREST = 8
N_KEPT_FORMS = 20_000


@dataclass(frozen=True, eq=False)
class CutText:
    """A text cut into words."""

    text: str
    spans: Sequence[Span]
    rows: NDArray[np.intp]
    """Of its words, -1 for unknown ones."""

    @classmethod
    def of(cls, text: str, model: SenseModel) -> CutText:
        text = normal_form(text)
        spans = find_spans(text, model.tokenizer)
        return cls(text, spans, model.embeddings.find_rows([span.word for span in spans]))

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        """Where each word stands."""
        found: dict[str, list[int]] = {}
        for place, span in enumerate(self.spans):
            found.setdefault(span.word, []).append(place)
        return found

    def around(self, token: int, own: Iterable[str], window: int) -> NDArray[np.intp]:
        """The numbers of the known words around one, without its own forms, -1 for none, (2 * window,)."""
        is_context = self.rows >= 0
        is_context[[place for form in own for place in self.places.get(form, ())]] = False
        known = np.flatnonzero(is_context)
        first = int(known.searchsorted(token))
        left, right = known[max(first - window, 0) : first], known[first : first + window]
        places = np.full(2 * window, -1)
        places[window - len(left) : window] = left
        places[window : window + len(right)] = right
        return places

    def rows_at(self, places: NDArray[np.intp]) -> NDArray[np.int32]:
        return np.where(places >= 0, self.rows[places], -1).astype(np.int32)


class TextPages:
    """What one model answers about texts."""

    def __init__(self, pages: WordPages) -> None:
        self.pages, self.model = pages, pages.model
        self._own_forms = lru_cache(N_KEPT_FORMS)(self._find_own_forms)
        self._function_words = frozenset(self.model.words[: len(self.model.words) // FUNCTION_WORDS])

    def learn(self, word: str) -> None:
        """Keep what is needed of a word whenever it stands in a text."""
        self.pages.weights(word)
        self._own_forms(word)

    def sentence(self, text: str) -> Answer:
        """The words of a text, each with its likeliest sense."""
        cut = CutText.of(text, self.model)
        offsets = utf16_offsets(cut.text)
        known, stamp = (word for word in cut.places if word in self.model.embeddings), self.pages.stamp
        weights = {word: self.pages.weights(word, stamp=stamp) for word in known}
        best = self._likeliest(cut, weights)
        return {
            "text": cut.text,
            "tokens": [
                {
                    "text": cut.text[start:end],
                    "start": offsets[start],
                    "end": offsets[end],
                    "word": word if word in weights else None,
                    "n_senses": len(weights.get(word, ())),
                    "best": best.get(token),
                }
                for token, (start, end, word) in enumerate(cut.spans)
            ],
        }

    def _likeliest(self, cut: CutText, weights: Mapping[str, Weights]) -> dict[int, Answer]:
        """The likeliest sense of each word that has any, function words left out: *the* stands in every discourse."""
        is_target = [weights.get(span.word) and span.word not in self._function_words for span in cut.spans]
        targets = [token for token, wanted in enumerate(is_target) if wanted]
        if not targets:
            return {}
        contexts = self._contexts(cut, targets)
        chances = self.model.posterior.p_senses_of_each([weights[cut.spans[token].word] for token in targets], contexts)
        notes = self.pages.notes
        found = {}
        for token, of_atoms in zip(targets, chances, strict=True):
            atom = max(of_atoms, key=of_atoms.__getitem__)
            label = self.model.label(atom, notes)
            found[token] = {"atom": atom, "label": label, "probability": rounded(of_atoms[atom])}
        return found

    def _contexts(self, cut: CutText, targets: Sequence[int]) -> NDArray[np.float32]:
        windows = np.array([cut.rows_at(self._around(cut, token)) for token in targets])
        return self.model.posterior.reader.vectors(windows)

    def _around(self, cut: CutText, token: int) -> NDArray[np.intp]:
        return cut.around(token, self._own_forms(cut.spans[token].word), self.model.reading.window)

    def meaning(self, text: str, token: int) -> Answer:
        """The senses of one word of a text, and how each word around it pulls towards them."""
        cut = CutText.of(text, self.model)
        if not token < len(cut.spans):
            sentence = f"the text has {len(cut.spans)} words; token {token} is not among them, from 0."
            raise Refusal(BAD_REQUEST, sentence)
        word = self.pages.spell(cut.spans[token].word)
        weights, context = self.pages.weights(word), self._contexts(cut, [token])
        chances = self.model.posterior.p_senses_of_each([weights], context)[0] if weights else {}
        shown = sorted(chances.items(), key=lambda pair: -pair[1])[:N_MEANINGS]
        return {
            "word": word,
            "form": cut.spans[token].word,
            "token": token,
            "meanings": self._meanings(word, shown),
            "pulls": self._pulls(cut, token, context[0], weights, atoms=[atom for atom, _ in shown]),
        }

    def _meanings(self, word: str, chances: Sequence[tuple[int, float]]) -> list[Answer]:
        weights, notes = self.pages.weights(word), self.pages.notes
        total = sum(weights.values())
        return [
            {
                "atom": atom,
                "label": self.model.label(atom, notes),
                "probability": rounded(probability),
                "prior": rounded(weights[atom] / total),
                "nearest": [near.word for near in self.model.nearest_words(atom, N_NEAREST)],
            }
            for atom, probability in chances
        ]

    def _pulls(
        self, cut: CutText, token: int, context: NDArray[np.float32], weights: Weights, *, atoms: Sequence[int]
    ) -> list[Answer]:
        places = self._around(cut, token)
        window = cut.rows_at(places)
        if not atoms:
            return []
        pulls = self.model.posterior.pulls_of_each(window, context, weights, atoms).tolist()
        names = [str(atom) for atom in atoms]
        return [
            {
                "token": around,
                "word": cut.spans[around].word,
                "pulls": {name: rounded(pull) for name, pull in zip(names, pulls[slot], strict=True)},
            }
            for slot, around in enumerate(places.tolist())
            if around >= 0
        ]

    def _find_own_forms(self, word: str) -> frozenset[str]:
        """A phrase such as new_york, which is several tokens, has no other forms."""
        tokens = self.model.tokenizer.tokens(word)
        return frozenset({word, *(target_forms(word, self.model.tokenizer) if len(tokens) == 1 else ())})

"""The likeliest sense of every word of a text.

The posterior of Section 6.1 (`wordatoms.senses.posterior`), for all words of the text at once. The forms of a word are
no part of its own context. Function words get no sense: *the* occurs in every discourse.

Left out: the words that decide (`wordatoms.senses.disambiguation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import places_around
from wordatoms.senses.frames import Framed, Results, Row, flat_row
from wordatoms.senses.results import Meaning
from wordatoms.text.spans import Span, find_spans, normal_form

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel

FUNCTION_WORDS = 500
"""One word in this many, the most frequent ones (100 of 50,000), counts as a function word and gets no sense."""


@dataclass(frozen=True, repr=False)
class TextWord(Framed):
    """A word of a text with its likeliest sense; see `SenseModel.read`.

    Attributes
    ----------
    text : str
        The word as it is written.
    start, end : int
        Its first character in the text in Unicode normal form C, and the one after its last.
    word : str or None
        The word as the model spells it; None if it is unknown.
    n_senses : int
        Number of its senses.
    sense : Meaning or None
        The likeliest sense; None for a function word, and for a word without senses.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().read("She wore a silk tie.")[4].sense.label
    'cloth and stockings'
    """

    text: str
    start: int
    end: int
    word: str | None
    n_senses: int
    sense: Meaning | None

    def _table_rows(self) -> list[Row]:
        """Return the one row of the table."""
        row = flat_row(replace(self, sense=None))
        del row["sense"]
        empty = dict.fromkeys(("atom", "probability", "label", "nearest"))
        return [{**row, **(flat_row(self.sense) if self.sense else empty)}]


@dataclass(frozen=True, eq=False)
class CutText:
    """A text cut into words."""

    text: str
    spans: Sequence[Span]
    rows: NDArray[np.intp]
    """The row of each word, -1 if it is unknown."""

    @classmethod
    def of(cls, text: str, model: SenseModel) -> CutText:
        text = normal_form(text)
        spans = find_spans(text, model.tokenizer)
        return cls(text, spans, model.embeddings.find_rows([span.word for span in spans]))

    @cached_property
    def places(self) -> Mapping[str, list[int]]:
        """The positions of each word."""
        found: dict[str, list[int]] = {}
        for place, span in enumerate(self.spans):
            found.setdefault(span.word, []).append(place)
        return found

    def around(self, token: int, own: Iterable[str], window: int) -> NDArray[np.intp]:
        """Positions of the known words around one, without its own forms, -1 for none, (2 * window,)."""
        is_context = self.rows >= 0
        is_context[[place for form in own for place in self.places.get(form, ())]] = False
        return places_around(np.flatnonzero(is_context), token, 1, window)

    def rows_at(self, places: NDArray[np.intp]) -> NDArray[np.int32]:
        return np.where(places >= 0, self.rows[places], -1).astype(np.int32)


def function_words(model: SenseModel) -> frozenset[str]:
    """Return the most frequent words, which get no sense."""
    return frozenset(model.words[: len(model.words) // FUNCTION_WORDS])


def read_text(model: SenseModel, text: str, *, n_nearest: int = 10) -> Results[TextWord]:
    """Return the words of a text, each with its likeliest sense; see `SenseModel.read`."""
    cut, notes, skipped = CutText.of(text, model), model.notes, function_words(model)
    weights = {word: model.sense_weights(word, notes=notes) for word in cut.places if word in model.embeddings}
    targets = [at for at, span in enumerate(cut.spans) if weights.get(span.word) and span.word not in skipped]
    found: dict[int, Meaning] = {}
    if targets:
        own = {cut.spans[at].word: [*model.usage_forms(cut.spans[at].word)] for at in targets}
        places = [cut.around(at, own[cut.spans[at].word], model.reading.window) for at in targets]
        contexts = model.posterior.reader.vectors(np.array([cut.rows_at(each) for each in places]))
        chances = model.posterior.p_senses_of_each([weights[cut.spans[at].word] for at in targets], contexts)
        for at, of_atoms in zip(targets, chances, strict=True):
            atom = max(of_atoms, key=of_atoms.__getitem__)
            label, nearest = model.label(atom, notes), model.nearest_words(atom, n_nearest)
            found[at] = Meaning(atom, of_atoms[atom], label, nearest)
    return Results(
        TextWord(
            cut.text[start:end],
            start,
            end,
            word if word in weights else None,
            len(weights.get(word, ())),
            found.get(at),
        )
        for at, (start, end, word) in enumerate(cut.spans)
    )

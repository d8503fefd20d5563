"""The likeliest sense of every word of a text.

Each word is read as `SenseModel.disambiguate` reads it: by its uses where the model has them, else by the posterior of
Section 6.1. Function words get no sense: *the* occurs in every discourse.

Left out: the words that decide (`wordatoms.senses.disambiguation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage, places_around
from wordatoms.senses.frames import Framed, Results, Row, flat_row
from wordatoms.senses.results import Disambiguation, Meaning
from wordatoms.text.spans import Span, find_spans, normal_form

if TYPE_CHECKING:
    from wordatoms.senses.model import Method, SenseModel

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
    verdict : str
        The answer in words: the label of this sense, "none of these" or "not enough context"; empty without a sense.
    p_none : float
        Probability that none of the known senses is meant; 0 if the senses are those of the code.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().read("She poured a glass of port.")[5].verdict
    'alcoholic drinks'
    """

    text: str
    start: int
    end: int
    word: str | None
    n_senses: int
    sense: Meaning | None
    verdict: str = ""
    p_none: float = 0.0

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


def read_text(model: SenseModel, text: str, *, method: Method = "auto", n_nearest: int = 10) -> Results[TextWord]:
    """Return the words of a text, each with its likeliest sense; see `SenseModel.read`."""
    cut, skipped = CutText.of(text, model), function_words(model)
    tokens = [span.word for span in cut.spans]
    found: dict[int, Disambiguation] = {}
    n_senses: dict[str, int] = {}
    for word, places in cut.places.items():
        disambiguator = (
            model.disambiguator(word, method=method, n_nearest=n_nearest) if word in model.embeddings else None
        )
        if disambiguator is not None:
            n_senses[word] = len(disambiguator.meanings)
            if word not in skipped:
                answers = disambiguator.answer_usages([Usage(tokens, place) for place in places], n_deciding=0)
                found.update(zip(places, answers, strict=True))
    return Results(
        TextWord(
            cut.text[start:end],
            start,
            end,
            word if cut.rows[at] >= 0 else None,
            n_senses.get(word, 0),
            found[at].sense if at in found else None,
            found[at].verdict if at in found else "",
            found[at].p_none if at in found else 0.0,
        )
        for at, (start, end, word) in enumerate(cut.spans)
    )

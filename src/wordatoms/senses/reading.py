"""The likeliest sense of every word of a text.

Each word is read as `SenseModel.disambiguate` reads it: by its uses where the model has them, else by the posterior of
Section 6.1. Function words get no sense: *the* occurs in every discourse.

Left out: the words that decide (`wordatoms.senses.disambiguation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import TextTokens, Usage, places_around
from wordatoms.senses.frames import Framed, Results, Row, flat_row
from wordatoms.senses.results import Disambiguation, Meaning
from wordatoms.text.spans import Span, find_spans, normal_form
from wordatoms.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from wordatoms.senses.by_use import UseDisambiguator
    from wordatoms.senses.disambiguation import Disambiguator
    from wordatoms.senses.model import Method, SenseModel


FUNCTION_WORDS = 500
"""One word in this many, the most frequent ones (100 of 50,000), counts as a function word and gets no sense."""
MOST_KEPT = 8192
"""Words that a `TokenReader` keeps prepared."""


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
    'wine'
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
    tokenizer: Tokenizer

    @classmethod
    def of(cls, text: str, model: SenseModel) -> CutText:
        text = normal_form(text)
        spans = find_spans(text, model.tokenizer)
        return cls(text, spans, model.embeddings.find_rows([span.word for span in spans]), model.tokenizer)

    @cached_property
    def tokens(self) -> TextTokens:
        """The words as the model spells them."""
        return TextTokens(self.text, self.tokenizer, [span.word for span in self.spans])

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


class WordReading(NamedTuple):
    """What was read at one place of a text."""

    meanings: Sequence[Meaning]
    """The senses of the word, in no order; their probabilities are the next attribute."""
    probabilities: NDArray[np.float64]
    """(n_senses,)."""
    p_none: float
    is_clear: bool
    """Whether the context tells something, and "none of these" is not likelier than every sense."""
    context: NDArray[np.float32]
    """The vector of the context as the senses are compared with it, (dim,)."""


class TokenReader:
    """Finds the senses of every word in many texts at once.

    What was prepared for a word is kept for later texts.

    Parameters
    ----------
    model : SenseModel
    method : {"auto", "uses", "code"}, default "auto"
        See `SenseModel.senses`.
    n_nearest : int, default 10
        Nearest words of each sense.
    """

    def __init__(self, model: SenseModel, *, method: Method = "auto", n_nearest: int = 10) -> None:
        self.model = model
        self.skipped = function_words(model)
        self.find = lru_cache(MOST_KEPT)(partial(_find, model, method=method, n_nearest=n_nearest))

    def n_senses(self, word: str) -> int:
        """Return the number of senses of a word, also of a function word."""
        found = self.find(word)
        return len(found.meanings) if found else 0

    def answers(self, texts: Sequence[Sequence[str]]) -> list[dict[int, Disambiguation]]:
        """Return, for each text given as its words, the answer for each place that has one."""
        found: list[dict[int, Disambiguation]] = [{} for _ in texts]
        for disambiguator, numbers, usages in self._words(texts):
            answers = disambiguator.answer_usages(usages, n_deciding=0)
            for number, usage, answer in zip(numbers, usages, answers, strict=True):
                found[number][usage.position] = answer
        return found

    def read(self, texts: Sequence[Sequence[str]]) -> list[dict[int, WordReading]]:
        """Return the same in numbers, which is several times as fast."""
        found: list[dict[int, WordReading]] = [{} for _ in texts]
        for disambiguator, numbers, usages in self._words(texts):
            read, meanings = disambiguator.read(usages), disambiguator.senses_read
            p_none, is_clear = read.p_senses[:, -1].tolist(), read.is_clear.tolist()
            for at, (number, usage) in enumerate(zip(numbers, usages, strict=True)):
                found[number][usage.position] = WordReading(
                    meanings, read.p_senses[at, :-1], p_none[at], is_clear[at], read.contexts[at]
                )
        return found

    def _words(
        self, texts: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Disambiguator | UseDisambiguator, list[int], list[Usage]]]:
        """Yield what reads each word that has senses, with its occurrences and the numbers of their texts."""
        places: dict[str, tuple[list[int], list[Usage]]] = {}
        for number, tokens in enumerate(texts):
            for place, word in enumerate(tokens):
                if word not in self.skipped:
                    numbers, usages = places.setdefault(word, ([], []))
                    numbers.append(number)
                    usages.append(Usage(tokens, place))
        for word, (numbers, usages) in places.items():
            if (disambiguator := self.find(word)) is not None:
                yield disambiguator, numbers, usages


def _find(model: SenseModel, word: str, *, method: Method, n_nearest: int) -> Disambiguator | UseDisambiguator | None:
    return model.disambiguator(word, method=method, n_nearest=n_nearest) if word in model.embeddings else None


def read_text(model: SenseModel, text: str, *, method: Method = "auto", n_nearest: int = 10) -> Results[TextWord]:
    """Return the words of a text, each with its likeliest sense; see `SenseModel.read`."""
    cut, reader = CutText.of(text, model), TokenReader(model, method=method, n_nearest=n_nearest)
    (found,) = reader.answers([cut.tokens])
    return Results(
        TextWord(
            cut.text[start:end],
            start,
            end,
            word if cut.rows[at] >= 0 else None,
            reader.n_senses(word),
            found[at].sense if at in found else None,
            found[at].verdict if at in found else "",
            found[at].p_none if at in found else 0.0,
        )
        for at, (start, end, word) in enumerate(cut.spans)
    )

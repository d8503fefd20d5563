"""Usages of a word: its occurrences in a text in any inflected form or at a given place, and the words around it.

Left out: which sense is meant (`wordatoms.senses.disambiguation`).
"""

from __future__ import annotations

import operator
from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, TargetForms
from wordatoms.errors import InputError, require_several, require_string
from wordatoms.text.spans import Passage, Span, find_spans, normal_form
from wordatoms.text.tokenizer import Tokenizer


class Place(NamedTuple):
    """Where a word was found: the line that begins at a byte of a file's text."""

    file: int
    """Number of the file in the text."""
    offset: int
    """Bytes of (decompressed) text before the line."""


class TextTokens(list[str]):
    """The tokens of a text, which know where they are in it.

    Whoever reads a text by other pieces than tokens, as an encoder does, needs the text itself.
    """

    def __init__(self, text: str, tokenizer: Tokenizer, tokens: Iterable[str] | None = None) -> None:
        super().__init__(tokenizer.tokens(text) if tokens is None else tokens)
        self._written, self._tokenizer = text, tokenizer

    @cached_property
    def text(self) -> str:
        """The text in normal form."""
        return normal_form(self._written)

    @cached_property
    def spans(self) -> list[Span]:
        """The place of each token in the text."""
        return find_spans(self.text, self._tokenizer)


class Usage(NamedTuple):
    """One occurrence of a word in a text; whatever takes texts takes usages, too.

    Attributes
    ----------
    tokens : sequence of str
        The words of the text.
    position : int
        Number of the first token of the word, from 0.
    length : int, default 1
        Number of tokens of the word: 2 for *New York*.

    Examples
    --------
    >>> import wordatoms as wa
    >>> usage = wa.Usage.from_text("He lit the match slowly.", span=(11, 16))
    >>> usage.form, usage.position
    ('match', 3)
    """

    tokens: Sequence[str]
    position: int
    length: int = 1

    @property
    def form(self) -> str:
        """The word as it is written there."""
        return " ".join(self.tokens[self.position : self.position + self.length])

    @property
    def passage(self) -> Passage:
        """The text with the characters of the word; for tokens without a text, the tokens with spaces between them."""
        tokens, last = self.tokens, self.position + self.length - 1
        if isinstance(tokens, TextTokens):
            return Passage(tokens.text, tokens.spans[self.position].start, tokens.spans[last].end)
        start = sum(map(len, tokens[: self.position])) + self.position
        return Passage(" ".join(tokens), start, start + len(self.form))

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        span: tuple[int, int] | None = None,
        token: int | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> Usage:
        """Return the usage at a place of a text, given by its characters or by the number of its token.

        Parameters
        ----------
        text : str
        span : (int, int), optional
            First character of the word and the one after its last, from 0. A part of a word stands for the whole word.
        token : int, optional
            Number of the token, from 0; instead of `span`.
        tokenizer : Tokenizer, optional
            Splits the text; pass `model.tokenizer` for a model that keeps case or has phrases.

        Returns
        -------
        Usage

        Raises
        ------
        InputError
            If there is no word at this place.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.Usage.from_text("A tie is a tie.", token=4).position
        4
        """
        require_string(text, "the text")
        if (span is None) == (token is None):
            raise InputError("the place of the word is not clear; pass either a span of characters or a token.")
        tokenizer = tokenizer or Tokenizer()
        if span is None:
            return cls.from_tokens(TextTokens(text, tokenizer), token)  # type: ignore[arg-type]
        start, end = _check_span(span, text)
        tokens = TextTokens(text, tokenizer)
        inside = [number for number, each in enumerate(tokens.spans) if each.start < end and each.end > start]
        if not inside:
            raise InputError(
                f"no word of the text is in its characters {span[0]} to {span[1]}; pass the span of a word."
            )
        return cls(tokens, inside[0], len(inside))

    @classmethod
    def from_tokens(cls, tokens: Sequence[str], position: int, length: int = 1) -> Usage:
        """Return the usage at a place of a text that is already tokenized.

        Parameters
        ----------
        tokens : sequence of str
            Words as the model spells them, usually in lower case.
        position : int
            Number of the first token of the word, from 0.
        length : int, default 1
            Number of its tokens.

        Returns
        -------
        Usage

        Raises
        ------
        InputError
            If there is no such token.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.Usage.from_tokens(["in", "new", "york"], 1, 2).form
        'new york'
        """
        require_several(tokens, "the tokens", "words")
        if not (isinstance(position, int | np.integer) and isinstance(length, int | np.integer)):
            raise InputError(f"the token is {position!r} and its length {length!r}; pass whole numbers.")
        if not (position >= 0 and length >= 1 and position + length <= len(tokens)):
            raise InputError(
                f"the text has {len(tokens):,} tokens, so there is none at {position}"
                + (f" with a length of {length}" if length != 1 else "")
                + "; tokens are counted from 0."
            )
        return cls(tokens, int(position), int(length))

    @classmethod
    def from_marked(cls, text: str, marks: str = "[]", *, tokenizer: Tokenizer | None = None) -> Usage:
        """Return the usage that is marked in a text: "He lit the [match] slowly."

        Parameters
        ----------
        text : str
            A text with one marked word.
        marks : str, default "[]"
            What stands before the word, followed by what stands after it, of the same length: "[]", "**", "<<>>".
        tokenizer : Tokenizer, optional
            Splits the text; pass `model.tokenizer` for a model that keeps case or has phrases.

        Returns
        -------
        Usage

        Raises
        ------
        InputError
            If not exactly one word is marked.

        Examples
        --------
        >>> import wordatoms as wa
        >>> wa.Usage.from_marked("She ties a *tie*.", "**").position
        3
        """
        found = marked_usages(text, marks, tokenizer or Tokenizer())
        if len(found) != 1:
            raise InputError(f"{len(found)} words are marked by {marks!r} in {text[:60]!r}; mark one.")
        return found[0]


def _check_span(span: tuple[int, int], text: str) -> tuple[int, int]:
    """Return a span of characters as one of the text in normal form."""
    try:
        start, end = map(operator.index, span)
    except (TypeError, ValueError):
        raise InputError(f"the span is {span!r}; pass two whole numbers, such as (11, 16).") from None
    if not 0 <= start < end <= len(text):
        raise InputError(f"the span is ({start}, {end}), but the text has the characters 0 to {len(text)}.")
    return len(normal_form(text[:start])), len(normal_form(text[:end]))


def marked_usages(text: str, marks: str, tokenizer: Tokenizer) -> list[Usage]:
    """Return all words of a text that stand between marks; the marks themselves are no part of the text."""
    before, after = split_marks(marks)
    head, *rest = require_string(text, "the text").split(before, 1)
    pieces, spans = [head], []
    while rest:
        word, closed, tail = rest[0].partition(after)
        if not closed:
            raise InputError(f"the mark {before!r} has no {after!r} after it in {text[:60]!r}; write both.")
        start = sum(map(len, pieces))
        spans.append((start, start + len(word)))
        head, *rest = tail.split(before, 1)
        pieces += [word, head]
    plain = "".join(pieces)
    return [Usage.from_text(plain, span=span, tokenizer=tokenizer) for span in spans]


def split_marks(marks: str) -> tuple[str, str]:
    """Return the mark before a word and the mark after it, which are given as one string: "[]"."""
    half = len(require_string(marks, "the mark")) // 2
    before, after = marks[:half], marks[half:]
    if not half or len(before) != len(after) or any(letter.isalnum() or letter.isspace() for letter in marks):
        raise InputError(
            f"the marks are {marks!r}; pass what stands before a word and what stands after it, as in '[]'."
        )
    return before, after


class SenseInventory(Protocol):
    """Senses of words as vectors and their probabilities in a usage; the paper's method and its competitors are one."""

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """Return the vectors of a word's senses, (n_senses, dim), at least one; an unknown word raises."""
        ...

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """Return the probability of each sense in each usage, (n_usages, n_senses); rows sum to 1."""
        ...


def find_usages(
    word: str, text: str | Usage, tokenizer: Tokenizer, *, forms: Container[str] | None = None
) -> list[Usage]:
    """Find all occurrences of a word in a text, in the given `forms`; by default, those of an English word.

    Several words, such as *New York*, are found as they are. A usage in place of the text is the only one.
    """
    if isinstance(text, Usage):
        return [text]
    tokens, target = TextTokens(require_string(text, "a text"), tokenizer), target_tokens(word, tokenizer)
    if len(target) > 1:
        n = len(target)
        return [Usage(tokens, at, n) for at in range(len(tokens) - n + 1) if tokens[at : at + n] == target]
    wanted = target_forms(word, tokenizer) if forms is None else forms
    return [Usage(tokens, position) for position, token in enumerate(tokens) if token in wanted]


def target_tokens(word: str, tokenizer: Tokenizer) -> list[str]:
    """Return the tokens of a word or phrase; at least one."""
    tokens = tokenizer.tokens(require_string(word, "the word", "pass one word as a string"))
    if not tokens:
        raise InputError(f"{word!r} has no word in it; pass a word, or words with spaces between them.")
    return tokens


def places_around(known: NDArray[np.intp], position: int, length: int, window: int) -> NDArray[np.intp]:
    """Return the `window` known places before and after a target, -1 for none, (2 * window,); `known` places rise."""
    first, last = known.searchsorted([position, position + length]).tolist()
    left, right = known[max(first - window, 0) : first], known[last : last + window]
    around = np.full(2 * window, -1, np.intp)
    around[window - len(left) : window] = left
    around[window : window + len(right)] = right
    return around


def target_forms(
    word: str,
    tokenizer: Tokenizer,
    *,
    known: Iterable[str] = (),
    vocabulary: Container[str] = (),
    language: str = DEFAULT_LANGUAGE,
) -> TargetForms:
    """Return the forms in which a word can occur; `known` ones are those of the vocabulary."""
    tokens = target_tokens(word, tokenizer)
    if len(tokens) != 1:
        raise InputError(f"{word!r} is not one word; pass a single word.")
    return TargetForms(tokens[0], frozenset([tokens[0], *known]), language, vocabulary)

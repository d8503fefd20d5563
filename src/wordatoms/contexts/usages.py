"""Usages of a word: its occurrences in a text in any inflected form, and the words around a place.

Left out: which sense is meant (`wordatoms.senses.disambiguation`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.inflection import inflected_forms
from wordatoms.errors import InputError
from wordatoms.text.tokenizer import Tokenizer


class Usage(NamedTuple):
    """One occurrence of a word in a text."""

    tokens: Sequence[str]
    position: int
    """Position of the first token."""
    length: int = 1
    """Number of tokens of the word."""

    @property
    def form(self) -> str:
        """The word as it is written there."""
        return " ".join(self.tokens[self.position : self.position + self.length])


class SenseInventory(Protocol):
    """Senses of words as vectors and their probabilities in a usage; the paper's method and its competitors are one."""

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """Return the vectors of a word's senses, (n_senses, dim), at least one; an unknown word raises."""
        ...

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """Return the probability of each sense in each usage, (n_usages, n_senses); rows sum to 1."""
        ...


def find_usages(word: str, text: str, tokenizer: Tokenizer, *, forms: Container[str] | None = None) -> list[Usage]:
    """Find all occurrences of a word in a text, in any inflected form or in the given `forms` only."""
    wanted = target_forms(word, tokenizer) if forms is None else forms
    tokens = tokenizer.tokens(text)
    return [Usage(tokens, position) for position, token in enumerate(tokens) if token in wanted]


def places_around(known: NDArray[np.intp], position: int, length: int, window: int) -> NDArray[np.intp]:
    """Return the `window` known places before and after a target, -1 for none, (2 * window,); `known` places rise."""
    first, last = known.searchsorted([position, position + length]).tolist()
    left, right = known[max(first - window, 0) : first], known[last : last + window]
    around = np.full(2 * window, -1, np.intp)
    around[window - len(left) : window] = left
    around[window : window + len(right)] = right
    return around


def target_forms(word: str, tokenizer: Tokenizer) -> frozenset[str]:
    """Return the forms in which a word can occur, as the tokenizer spells them: bank, banks, bank's, banking, …"""
    tokens = tokenizer.tokens(word)
    if len(tokens) != 1:
        raise InputError(f"{word!r} is not one word; pass a single word.")
    forms = inflected_forms(tokens[0])
    return frozenset(spelling for form in forms for spelling in _spellings(form, tokenizer))


def _spellings(form: str, tokenizer: Tokenizer) -> Iterator[str]:
    """Yield a form with and without a genitive and, if case is kept, at the start of a sentence."""
    cases = (form, form.capitalize()) if tokenizer.keep_case else (form,)
    for case in cases:
        for spelling in (case, f"{case}'s"):
            if len(tokens := tokenizer.tokens(spelling)) == 1:
                yield tokens[0]

"""Usages of a word: where it stands in a text, in whichever form; and what tells its senses apart there.

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
    """Of its first token."""
    length: int = 1
    """Tokens that the word consists of."""

    @property
    def form(self) -> str:
        """The word as it stands there."""
        return " ".join(self.tokens[self.position : self.position + self.length])


class SenseInventory(Protocol):
    """Senses of words as vectors, and their probabilities in a usage: what the paper's method and others have alike."""

    def sense_vectors(self, word: str) -> NDArray[np.float32]:
        """(n_senses, dim), at least one; an unknown word raises."""
        ...

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """The probability of each sense in each usage, (n_usages, n_senses); rows sum to 1."""
        ...


def find_usages(word: str, text: str, tokenizer: Tokenizer, *, forms: Container[str] | None = None) -> list[Usage]:
    """All occurrences of a word in a text, in any inflected form (or only in these `forms`)."""
    wanted = target_forms(word, tokenizer) if forms is None else forms
    tokens = tokenizer.tokens(text)
    return [Usage(tokens, position) for position, token in enumerate(tokens) if token in wanted]


def target_forms(word: str, tokenizer: Tokenizer) -> frozenset[str]:
    """The forms in which a word may stand in a text, as the tokenizer spells them: bank, banks, bank's, banking …"""
    tokens = tokenizer.tokens(word)
    if len(tokens) != 1:
        raise InputError(f"{word!r} is not one word; pass a single word.")
    forms = inflected_forms(tokens[0])
    return frozenset(spelling for form in forms for spelling in _spellings(form, tokenizer))


def _spellings(form: str, tokenizer: Tokenizer) -> Iterator[str]:
    """With and without a genitive, and where case is kept, at the start of a sentence."""
    cases = (form, form.capitalize()) if tokenizer.keep_case else (form,)
    for case in cases:
        for spelling in (case, f"{case}'s"):
            if len(tokens := tokenizer.tokens(spelling)) == 1:
                yield tokens[0]

"""Examples of senses by use: sentences that come with the model, or quotations from its text.

A model may bring sentences written for its senses (`wordatoms.atoms.names`). Others are quoted from its text
(`wordatoms.senses.quotations`), which a query does not load if the model stores no places in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordatoms.senses.frames import Framed

if TYPE_CHECKING:
    from wordatoms.senses.by_use import UseAnswers


@dataclass(frozen=True, repr=False)
class Example(Framed):
    """A quotation that shows a sense by use; see `SenseModel.examples`.

    Attributes
    ----------
    word : str
    sense : int
        Number of the sense among all senses by use of the model.
    atom : int
        The atom that names the sense; -1 for none.
    text : str
        The words around the occurrence, in Unicode normal form C; "…" where the line goes on.
    start, end : int
        First character of the word in the text, and the one after its last.
    source : str
        Path of the file; empty for a sentence that comes with the model.
    offset : int
        Bytes of (decompressed) text before the line; -1 for a sentence that comes with the model.
    probability : float or None
        Probability of the sense in this line; None for a sentence that comes with the model.

    Examples
    --------
    >>> from wordatoms.senses.examples import Example
    >>> example = Example("tie", 12, -1, "…in a tie after…", 6, 9, "news.txt", 2048, 0.9)
    >>> example.text[example.start : example.end]
    'tie'
    """

    word: str
    sense: int
    atom: int
    text: str
    start: int
    end: int
    source: str
    offset: int
    probability: float | None


def find_examples(answers: UseAnswers, word: str, *, n: int, forms: bool) -> Iterator[Example]:
    """Yield at most `n` examples of each sense of a known word, in the order of its senses."""
    written = list(_written(answers, word, forms=forms))
    yield from written
    if not any(use.places for uses in answers.forms(word, pooled=forms).values() for use in uses):
        return
    from wordatoms.senses.quotations import find_quotations

    known = {example.sense for example in written}
    yield from (each for each in find_quotations(answers, word, n=n, forms=forms) if each.sense not in known)


def _written(answers: UseAnswers, word: str, *, forms: bool) -> Iterator[Example]:
    """Yield the sentences that come with the model for the senses of a word."""
    names = answers.model.parts.atom_names
    if names.uses != answers.uses.fingerprint:
        return
    for sense, (use, _) in answers.pool(answers.forms(word, pooled=forms), word).items():
        if sense in names.senses and (place := find_word(*names.senses[sense])):
            yield Example(word, sense, use.atom, names.senses[sense].sentence, *place, "", -1, None)


def find_word(word: str, sentence: str) -> tuple[int, int] | None:
    """Return the first character of a word in a sentence, and the one after its last."""
    found = re.search(rf"\b{re.escape(word)}\b", sentence, re.IGNORECASE)
    return found.span() if found else None

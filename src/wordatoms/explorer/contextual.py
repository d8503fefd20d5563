"""Answers about atoms of contextual vectors: each beside the discourse atoms that its occurrences have."""

from __future__ import annotations

from typing import NamedTuple

from wordatoms.explorer.text_spans import utf16_offsets
from wordatoms.explorer.words import WordAnswers
from wordatoms.senses.contextual_atoms import (
    Agreement,
    Coincidence,
    ContextualAtom,
    ContextualAtoms,
    ContextualExample,
    Share,
)

N_NEAREST = 8


class BesideAtom(NamedTuple):
    """A discourse atom beside a contextual one: its share of the occurrences, how much that is, its nearest words."""

    atom: int
    label: str
    n: int
    share: float
    lift: float
    nearest: list[str]


class ContextualPlace(NamedTuple):
    """An occurrence that shows a contextual atom; `start` and `end` are in UTF-16 code units."""

    word: str
    text: str
    start: int
    end: int
    sense: str


class BesideAtoms(NamedTuple):
    """A contextual atom: its words and occurrences on one side, discourse atoms on the other."""

    number: int
    n_occurrences: int
    n_words: int
    words: list[Share]
    examples: list[ContextualPlace]
    coincides: list[BesideAtom]


class ContextualPage(NamedTuple):
    """All contextual atoms of an encoder, by falling number of occurrences, with the figures of the whole."""

    encoder: str
    words: list[str]
    n_occurrences: int
    n_told: int
    by_word: float
    by_sense: float
    explained: float
    same_word: Agreement
    different_words: Agreement
    atoms: list[BesideAtoms]


class ContextualAnswers:
    """Answers about the contextual atoms that an explorer was started with."""

    def __init__(self, words: WordAnswers, found: ContextualAtoms) -> None:
        self.words, self.found = words, found

    def page(self) -> ContextualPage:
        """All contextual atoms beside discourse atoms, which have the names they have now."""
        found = self.found
        return ContextualPage(
            found.encoder,
            list(found.words),
            found.n_occurrences,
            found.n_told,
            found.by_word,
            found.by_sense,
            found.explained,
            found.same_word,
            found.different_words,
            [self._beside(each) for each in found.atoms],
        )

    def _beside(self, atom: ContextualAtom) -> BesideAtoms:
        examples, atoms = [_place(each) for each in atom.examples], [self._atom(each) for each in atom.coincides]
        return BesideAtoms(atom.number, atom.n_occurrences, atom.n_words, list(atom.words), examples, atoms)

    def _atom(self, each: Coincidence) -> BesideAtom:
        model = self.words.model
        nearest = [near.word for near in model.nearest_words(each.atom, N_NEAREST)]
        return BesideAtom(each.atom, model.label(each.atom, self.words.notes), each.n, each.share, each.lift, nearest)


def _place(example: ContextualExample) -> ContextualPlace:
    units = utf16_offsets(example.text)
    return ContextualPlace(example.word, example.text, units[example.start], units[example.end], example.sense)

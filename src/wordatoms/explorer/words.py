"""Answers about the words and atoms of one model: senses, nearest words, the map, search.

Everything is read off the model (`wordatoms.senses.model`); what the page asks for at every key stroke comes from an
index (`wordatoms.explorer.lookup`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from wordatoms.atoms.layout import Layout, lay_out
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import ModelError, UnknownWordError
from wordatoms.explorer.answers import unknown_word
from wordatoms.explorer.cache import locked_cached_property
from wordatoms.explorer.lookup import NearestWords, PrefixIndex, SpellingIndex
from wordatoms.explorer.quotations import Quote
from wordatoms.senses.annotations import FILE as NOTES_FILE
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import LIGHTEST, AtomMatch, AtomView, Sense

N_NEAREST = 12
"""Nearest words shown for a word and for each sense; twice as many for an atom."""
N_LINKED = 12
N_ATOM_WORDS = 40
N_NEIGHBOURS = 10
N_FOUND = 50
"""Maximum atoms in the result of a search."""
MOST_SENSES = 30
N_CACHED = 20_000


@dataclass(frozen=True)
class WordForm:
    """An inflected form, its count, and the atoms in its code with their weights."""

    form: str
    count: int | None
    atoms: list[tuple[int, float]]


@dataclass(frozen=True)
class WordSense(Sense):
    """A sense with its heaviest meta-atom (id, label) and, once they are found, sentences of the corpus."""

    meta: tuple[int, str] | None = None
    sentences: list[Quote] | None = None


@dataclass(frozen=True)
class WordPage:
    """A word: its forms, its senses, the nearest words, and the cosine of its vector with the sum of its atoms."""

    word: str
    count: int | None
    rank: int
    forms: list[WordForm]
    senses: list[WordSense]
    nearest: list[Neighbour]
    explained: float


@dataclass(frozen=True)
class AtomPage(AtomView):
    """An atom, and whether its label was given by a person."""

    named: bool = False


class AtomMap(NamedTuple):
    """All atoms (x, y, meta-atom or -1, number of words, label), the labels of the meta-atoms, the hidden atoms."""

    atoms: list[tuple[float, float, int, int, str]]
    metas: list[str]
    hidden: list[int]


class WordAnswers:
    """Answers about the words and atoms of one model."""

    def __init__(self, model: SenseModel) -> None:
        self.model = model
        self.nearest_words = NearestWords(model.embeddings, model.neighbours)
        self._notes_path = model.notes_folder / NOTES_FILE
        self.forms: Callable[[str], tuple[str, ...]] = lru_cache(N_CACHED)(model.forms)
        self._read_notes: Callable[[int], Notes] = lru_cache(1)(lambda _stamp: model.notes)
        self._weights: Callable[[str, bool, int], dict[int, float]] = lru_cache(N_CACHED)(self._sense_weights)

    # --- computed once

    @locked_cached_property
    def prefixes(self) -> PrefixIndex:
        return PrefixIndex(self.model.words)

    @locked_cached_property
    def spellings(self) -> SpellingIndex:
        return SpellingIndex(self.model.words)

    @locked_cached_property
    def layout(self) -> Layout:
        """The map of the atoms; computed here, in some seconds, for a model that does not store it."""
        try:
            return self.model.layout
        except ModelError:
            return lay_out(self.model.atoms.vectors)

    @locked_cached_property
    def meta_atoms(self) -> MetaAtoms | None:
        try:
            return self.model.meta_atoms
        except ModelError:
            return None

    @property
    def stamp(self) -> int:
        """Changes whenever a person names or hides an atom; cached answers are then out of date."""
        try:
            return os.stat(self._notes_path).st_mtime_ns  # noqa: PTH116 (called for every word: twice as fast as pathlib)
        except OSError:
            return 0

    @property
    def notes(self) -> Notes:
        """The annotations of the model, read again when they have changed."""
        return self._read_notes(self.stamp)

    # --- words

    def spell(self, word: str) -> str:
        """A word as the model spells it; an unknown word raises an error with suggestions."""
        known = self.model.find_spelling(word)
        if known is None:
            raise unknown_word(word, len(self.model.words), self.spellings.suggest(word.lower()))
        return known

    def complete(self, prefix: str, n: int) -> list[str]:
        return self.prefixes.complete(prefix, n) or self.prefixes.complete(prefix.lower(), n)

    def weights(self, word: str, *, forms: bool = True, stamp: int | None = None) -> Mapping[int, float]:
        """The atoms of a word that are worth showing, the heaviest first; for many words, pass the stamp."""
        return self._weights(word, forms, self.stamp if stamp is None else stamp)

    def _sense_weights(self, word: str, forms: bool, _stamp: int) -> dict[int, float]:
        found = self.model.sense_weights(word, forms=forms, notes=self.notes)
        heavy = {atom: weight for atom, weight in found.items() if weight >= LIGHTEST} or found
        return dict(list(heavy.items())[:MOST_SENSES])

    def word(self, word: str, *, forms: bool = False, quotes: Mapping[int, list[Quote]] | None = None) -> WordPage:
        """A word; with `forms`, its senses are those of all its inflected forms."""
        word = self.spell(word)
        weights = self.weights(word, forms=forms)
        senses = self.model.senses(word, forms=forms, method="code", n_nearest=N_NEAREST, n_linked=N_LINKED)
        return WordPage(
            word,
            self.count(word),
            self.model.row(word) + 1,
            [WordForm(form, self.count(form), self._code(form)) for form in self.forms(word)],
            [self._word_sense(sense, weights[sense.atom], quotes) for sense in senses if sense.atom in weights],
            self.nearest_words.of(word, N_NEAREST),
            self.explained(word),
        )

    def _word_sense(self, sense: Sense, weight: float, quotes: Mapping[int, list[Quote]] | None) -> WordSense:
        meta = next(((meta, label) for meta, _, label in self.metas(sense.atom)), None)
        sentences = None if quotes is None else quotes.get(sense.atom, [])
        return WordSense(**{**vars(sense), "weight": weight}, meta=meta, sentences=sentences)

    def _code(self, word: str) -> list[tuple[int, float]]:
        return list(self.model.atoms.codes.positive(self.model.row(word)).items())

    def find_nearest(self, word: str) -> list[Neighbour]:
        """The nearest words of a word; none if it is unknown."""
        spelling = self.model.find_spelling(word)
        return self.nearest_words.of(spelling, N_NEAREST) if spelling else []

    def count(self, word: str) -> int | None:
        counts = self.model.embeddings.counts
        return None if counts is None else int(counts[self.model.row(word)])

    def explained(self, word: str) -> float:
        """The cosine of a word's vector with the sum of its atoms."""
        vector, codes, row = self.model.learned_from[word], self.model.atoms.codes, self.model.row(word)
        numbers = codes.atoms[row]
        total = codes.weights[row][numbers >= 0] @ self.model.atoms.vectors[numbers[numbers >= 0]]
        length = float(np.linalg.norm(total) * np.linalg.norm(vector))
        return float(total @ vector) / length if length else 0.0

    # --- atoms

    def metas(self, atom: int) -> tuple[tuple[int, float, str], ...]:
        """The meta-atoms of an atom: id, weight, label; none if the model has no meta-atoms."""
        metas = self.meta_atoms
        return tuple((meta, weight, metas.labels[meta]) for meta, weight in metas.of_atom(atom)) if metas else ()

    def atom(self, atom: int) -> AtomPage:
        model, notes = self.model, self.notes
        return AtomPage(
            atom,
            model.label(atom, notes),
            model.nearest_words(atom, 2 * N_NEAREST),
            int(model.atoms.n_words[atom]),
            model.linked_words(atom, N_ATOM_WORDS),
            tuple((near, cos, model.label(near, notes)) for near, cos in model.atoms.neighbours(atom, N_NEIGHBOURS)),
            self.metas(atom),
            atom in notes.hidden,
            model.parts.atom_names.examples.get(atom),
            model.is_named(atom, notes),
        )

    def atoms(self) -> AtomMap:
        """The map of all atoms."""
        model, notes, metas = self.model, self.notes, self.meta_atoms
        homes = metas.codes.atoms[:, 0].tolist() if metas else [-1] * len(model.atoms)
        rows = zip(self.layout.tolist(), homes, model.atoms.n_words.tolist(), strict=True)
        return AtomMap(
            [(x, y, home, n_words, model.label(atom, notes)) for atom, ((x, y), home, n_words) in enumerate(rows)],
            list(metas.labels) if metas else [],
            sorted(notes.hidden),
        )

    def search(self, text: str) -> list[AtomMatch]:
        """Atoms by name, word or label, each with the reason it was found; none if nothing matches."""
        try:
            return self.model.search(text, notes=self.notes)[:N_FOUND]
        except UnknownWordError:
            return []

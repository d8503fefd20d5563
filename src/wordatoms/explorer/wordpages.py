"""Answers on the words and atoms of one model, as plain dictionaries: senses, near words, the map, search.

Everything is read off the model (`wordatoms.senses.model`); what the page asks for at every step comes from an index
(`wordatoms.explorer.lookup`). Numbers are rounded to what a page shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from wordatoms.atoms.layout import Layout, lay_out
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import ModelError, UnknownWordError
from wordatoms.explorer.lookup import Beginnings, Spellings
from wordatoms.explorer.nearwords import NearWords
from wordatoms.explorer.once import made_once
from wordatoms.explorer.refusals import unknown_word
from wordatoms.senses.annotations import FILE as NOTES_FILE
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import LIGHTEST, to_json

Answer = dict[str, Any]

N_NEAREST = 12
"""Near words shown of a word, of an atom and of a sense."""
N_LINKED = 12
N_ATOM_WORDS = 40
N_NEIGHBOURS = 10
N_FOUND = 50
"""Atoms that a search shows."""
MOST_SENSES = 30
N_KEPT_WEIGHTS = 20_000


class WordPages:
    """What one model answers about its words and atoms."""

    def __init__(self, model: SenseModel) -> None:
        self.model = model
        self.near_words = NearWords(model.embeddings, model.neighbours)
        self._notes_path = model.notes_folder / NOTES_FILE
        self.forms: Callable[[str], tuple[str, ...]] = lru_cache(N_KEPT_WEIGHTS)(model.forms)
        self._read_notes: Callable[[int], Notes] = lru_cache(1)(lambda _stamp: model.notes)
        self._weights: Callable[[str, bool, int], dict[int, float]] = lru_cache(N_KEPT_WEIGHTS)(self._sense_weights)

    # --- what is made once

    @made_once
    def beginnings(self) -> Beginnings:
        return Beginnings(self.model.words)

    @made_once
    def spellings(self) -> Spellings:
        return Spellings(self.model.words)

    @made_once
    def layout(self) -> Layout:
        """The map of the atoms; models made before there was one get it here, which takes some seconds."""
        try:
            return self.model.layout
        except ModelError:
            return lay_out(self.model.atoms.vectors)

    @made_once
    def meta_atoms(self) -> MetaAtoms | None:
        try:
            return self.model.meta_atoms
        except ModelError:
            return None

    @property
    def stamp(self) -> int:
        """Changes whenever a person names or hides an atom; answers from before are forgotten then."""
        try:
            return os.stat(self._notes_path).st_mtime_ns  # noqa: PTH116 (asked for every word: half the time of pathlib's)
        except OSError:
            return 0

    @property
    def notes(self) -> Notes:
        """What a person added, read again when it has changed."""
        return self._read_notes(self.stamp)

    # --- words

    def spell(self, word: str) -> str:
        """A word as the model spells it; an unknown one is refused with suggestions."""
        known = self.model.find_spelling(word)
        if known is None:
            raise unknown_word(word, len(self.model.words), self.spellings.suggest(word.lower()))
        return known

    def complete(self, beginning: str, n: int) -> Answer:
        found = self.beginnings.complete(beginning, n)
        lower = beginning.lower()
        return {"words": found or (self.beginnings.complete(lower, n) if lower != beginning else [])}

    def weights(self, word: str, *, forms: bool = True, stamp: int | None = None) -> dict[int, float]:
        """The atoms of a word that are worth showing, the heaviest first; who asks for many looks at the stamp once."""
        return self._weights(word, forms, self.stamp if stamp is None else stamp)

    def _sense_weights(self, word: str, forms: bool, _stamp: int) -> dict[int, float]:
        found = self.model.sense_weights(word, forms=forms, notes=self.notes)
        heavy = {atom: weight for atom, weight in found.items() if weight >= LIGHTEST} or found
        return dict(list(heavy.items())[:MOST_SENSES])

    def word(self, word: str, *, forms: bool = False) -> Answer:
        """Everything about one word; with `forms` the senses are those of all its forms."""
        word = self.spell(word)
        codes = self._form_codes(word)
        pooled = codes if forms else {word: codes[word]}
        notes = self.notes
        return {
            "word": word,
            "count": self.count(word),
            "rank": self.model.row(word) + 1,
            "forms": [self._form(form, code) for form, code in codes.items()],
            "senses": [
                self._sense(atom, weight, pooled, notes) for atom, weight in self.weights(word, forms=forms).items()
            ],
            "nearest": as_near(self.near_words.of(word, N_NEAREST)),
            "explained": self.explained(word),
        }

    def find_near(self, word: str) -> list[Neighbour]:
        """The nearest words of a word; none of an unknown one."""
        spelling = self.model.find_spelling(word)
        return self.near_words.of(spelling, N_NEAREST) if spelling else []

    def count(self, word: str) -> int | None:
        counts = self.model.embeddings.counts
        return None if counts is None else int(counts[self.model.row(word)])

    def _form_codes(self, word: str) -> dict[str, dict[int, float]]:
        return {form: self.model.atoms.codes.positive(self.model.row(form)) for form in self.forms(word)}

    def _form(self, form: str, code: Mapping[int, float]) -> Answer:
        return {"form": form, "count": self.count(form), "atoms": pairs(code.items())}

    def _sense(self, atom: int, weight: float, codes: Mapping[str, Mapping[int, float]], notes: Notes) -> Answer:
        return {
            "atom": atom,
            "weight": rounded(weight),
            **self._named(atom, notes),
            "nearest": as_near(self.model.nearest_words(atom, N_NEAREST)),
            "linked": self._linked(atom, N_LINKED, leave_out=codes),
            "forms": {form: rounded(code[atom]) for form, code in codes.items() if atom in code},
            "meta": next(([meta, label] for meta, label, _ in self.meta(atom)), None),
        }

    def _named(self, atom: int, notes: Notes) -> Answer:
        return {"label": self.model.label(atom, notes), "named": atom in notes.names}

    def _linked(self, atom: int, n: int, *, leave_out: Iterable[str] = ()) -> list[Answer]:
        linked = self.model.linked_words(atom, n, leave_out=leave_out)
        return [{"word": link.word, "weight": rounded(link.weight)} for link in linked]

    def explained(self, word: str) -> float:
        """The cosine of a word's vector and the sum of its atoms."""
        vector, codes, row = self.model.learned_from[word], self.model.atoms.codes, self.model.row(word)
        numbers = codes.atoms[row]
        total = codes.weights[row][numbers >= 0] @ self.model.atoms.vectors[numbers[numbers >= 0]]
        length = float(np.linalg.norm(total) * np.linalg.norm(vector))
        return rounded(float(total @ vector) / length) if length else 0.0

    # --- atoms

    def meta(self, atom: int) -> list[list[Any]]:
        """The meta-atoms that an atom is made of: id, label, weight."""
        metas = self.meta_atoms
        return [[meta, metas.labels[meta], rounded(w)] for meta, w in metas.of_atom(atom)] if metas else []

    def atom(self, atom: int) -> Answer:
        model, notes = self.model, self.notes
        model.atoms.check_id(atom)
        return {
            "atom": atom,
            **self._named(atom, notes),
            "nearest": as_near(model.nearest_words(atom, N_NEAREST * 2)),
            "words": self._linked(atom, N_ATOM_WORDS),
            "neighbours": [
                {"atom": near, "cosine": rounded(cosine), "label": model.label(near, notes)}
                for near, cosine in model.atoms.neighbours(atom, N_NEIGHBOURS)
            ],
            "meta": [[meta, weight, label] for meta, label, weight in self.meta(atom)],
            "n_words": int(model.atoms.n_words[atom]),
            "hidden": atom in notes.hidden,
        }

    def atoms(self) -> Answer:
        """The whole map in little space: [x, y, meta-atom, words, label] of each atom."""
        model, notes, metas = self.model, self.notes, self.meta_atoms
        homes = metas.codes.atoms[:, 0].tolist() if metas else [-1] * len(model.atoms)
        rows = zip(self.layout.tolist(), homes, model.atoms.n_words.tolist(), strict=True)
        return {
            "atoms": [
                [rounded(x), rounded(y), home, n_words, model.label(atom, notes)]
                for atom, ((x, y), home, n_words) in enumerate(rows)
            ],
            "metas": list(metas.labels) if metas else [],
            "hidden": sorted(notes.hidden),
        }

    def search(self, text: str) -> Answer:
        """Find atoms by name, word or label, each with the reason it was found."""
        try:
            found = self.model.search(text, notes=self.notes)
        except UnknownWordError:
            found = []
        return {"atoms": to_json(found[:N_FOUND])}


def rounded(number: float) -> float:
    return round(number, 4)


def pairs(items: Iterable[tuple[int, float]]) -> list[list[float]]:
    return [[number, rounded(weight)] for number, weight in items]


def as_near(nearest: Iterable[Neighbour]) -> list[Answer]:
    return [{"word": near.word, "similarity": rounded(near.similarity)} for near in nearest]

"""The senses of a word, read off its atoms: what a trained model answers.

Section 5 of the paper: every atom with a positive weight in the code of a word is one of its senses; other words whose
code has the same atom carry a linked sense. Inflected forms may be pooled, each with its share of the occurrences. In
the semi-automatic mode a person looks at the closest atoms of a word and picks those that are senses; picks, names and
hidden atoms are kept in the model's folder and count from then on.

Parts of a model are loaded when a question needs them, and neither numba nor scikit-learn is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordatoms.atoms import Atoms
from wordatoms.embeddings import Embeddings, Neighbour, load_words
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.folder import ModelFolder
from wordatoms.forms import inflected_forms
from wordatoms.metaatoms import MetaAtoms
from wordatoms.notes import Notes, change_notes
from wordatoms.wordlists import WordList


class Link(NamedTuple):
    """A word that shares an atom, and the weight of the atom in its code."""

    word: str
    weight: float


@dataclass(frozen=True)
class Sense:
    """One sense of a word."""

    word: str
    atom: int
    weight: float
    """The atom's coefficient in the unit vector of the word; with forms, the mean over all occurrences."""
    label: str
    """The name a person gave the atom, or one made of its nearest words."""
    nearest: tuple[Neighbour, ...]
    """The words nearest to the atom."""
    linked: tuple[Link, ...]
    """Other words with a sense in this atom, the heaviest first."""
    forms: Mapping[str, float]
    """The weight of the atom in each form of the word that has it."""
    picked: bool = False
    """Whether a person chose it."""
    named: bool = False
    """Whether a person gave the label."""


@dataclass(frozen=True)
class Candidate:
    """An atom close to a word, for a person to accept as a sense or not."""

    atom: int
    similarity: float
    """Its cosine with the word."""
    weight: float | None
    """Its coefficient where the code of the word has it."""
    label: str
    nearest: tuple[Neighbour, ...]
    picked: bool
    named: bool


@dataclass(frozen=True)
class AtomView:
    """Everything about one atom."""

    atom: int
    label: str
    nearest: tuple[Neighbour, ...]
    n_words: int
    """How many words have a sense in it."""
    words: tuple[Link, ...]
    """The heaviest of them."""
    neighbours: tuple[tuple[int, float, str], ...]
    """The nearest atoms: id, cosine, label."""
    meta: tuple[tuple[int, float, str], ...]
    """The meta-atoms it is made of: id, weight, label."""
    hidden: bool


class SenseModel:
    """A model's folder, ready for questions; see `wordatoms.load`."""

    def __init__(self, path: Path | str) -> None:
        self.folder = ModelFolder(path)
        self.path = self.folder.path

    def __repr__(self) -> str:
        return f"SenseModel({str(self.path)!r}, {len(self.words):,} words, {len(self.atoms):,} atoms)"

    # --- its parts

    @cached_property
    def _word_list(self) -> WordList:
        return load_words(self.path)

    @property
    def words(self) -> tuple[str, ...]:
        """By falling count wherever the model was trained here."""
        return self._word_list.words

    @cached_property
    def embeddings(self) -> Embeddings:
        return Embeddings.load(self.path)

    @cached_property
    def _learned_from(self) -> Embeddings:
        """The vectors that the atoms were learned from: those of the words, or the induced ones."""
        settings = self.folder.stages.get("atomize", {}).get("settings", {})
        return load_vectors(self.path, str(settings.get("vectors", "word")))

    @cached_property
    def atoms(self) -> Atoms:
        atoms = Atoms.load(self.path)
        if len(atoms.codes) != len(self.words):
            raise ModelError(
                f"{self.path} disagrees with itself: {len(self.words):,} words but codes of {len(atoms.codes):,}; "
                "make the atoms again."
            )
        return atoms

    def _closest(self, word: str, n: int) -> list[tuple[int, float]]:
        vectors = self._learned_from
        if vectors.dim != self.atoms.dim:
            raise ModelError(
                f"{self.path} disagrees with itself: vectors of {vectors.dim} dimensions but atoms of "
                f"{self.atoms.dim}; make the atoms again."
            )
        return self.atoms.closest(vectors[word], n)

    @cached_property
    def meta_atoms(self) -> MetaAtoms:
        return MetaAtoms.load(self.path, len(self.atoms))

    @property
    def notes(self) -> Notes:
        """What a person added: read anew each time, because another process may have changed it."""
        return Notes.load(self.path, self.atoms.fingerprint, len(self.atoms))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    def row(self, word: str) -> int:
        """The row of a word; an unknown one raises with the nearest spellings."""
        if word in self._rows:
            return self._rows[word]
        if word.lower() in self._rows:
            return self._rows[word.lower()]
        raise UnknownWordError(word, self.words)

    # --- senses

    def senses(self, word: str, *, forms: bool = False, n_nearest: int = 10, n_linked: int = 10) -> list[Sense]:
        """The senses of a word, the heaviest first.

        With `forms` those of its inflected forms too, each weighted by its share of the occurrences. Where a person
        picked atoms for the word, these are its senses, and forms add none.
        """
        word = self.words[self.row(word)]
        notes = self.notes
        if word in notes.picks:
            weights = {word: self._fitted_weights(word, notes.picks[word])}
        else:
            weights = {form: self._weights(form) for form in (self.forms(word) if forms else [word])}
        pooled = self._pool(weights)
        left = sorted((atom for atom in pooled if atom not in notes.hidden), key=lambda atom: (-pooled[atom], atom))
        return [
            Sense(
                word,
                atom,
                pooled[atom],
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                self.linked_words(atom, n_linked, leave_out=weights),
                {form: found[atom] for form, found in weights.items() if atom in found},
                picked=word in notes.picks,
                named=atom in notes.names,
            )
            for atom in left
        ]

    def forms(self, word: str) -> tuple[str, ...]:
        """The word and its inflected forms that the model knows."""
        return inflected_forms(word, self._rows)

    def candidates(self, word: str, n: int = 20, *, n_nearest: int = 10) -> list[Candidate]:
        """The atoms closest to a word, from which a person may pick its senses; hidden ones are left out."""
        word = self.words[self.row(word)]
        notes, weights = self.notes, self._weights(word, negative=True)
        return [
            Candidate(
                atom,
                cosine,
                weights.get(atom),
                self.label(atom, notes),
                self.nearest_words(atom, n_nearest),
                atom in notes.picks.get(word, ()),
                atom in notes.names,
            )
            for atom, cosine in self._closest(word, n + len(notes.hidden))
            if atom not in notes.hidden
        ][:n]

    def _weights(self, word: str, *, negative: bool = False) -> dict[int, float]:
        """The atoms in the code of a word."""
        row = self._rows[word]
        pairs = zip(self.atoms.codes.atoms[row].tolist(), self.atoms.codes.weights[row].tolist(), strict=True)
        return {atom: weight for atom, weight in pairs if weight > 0 or (negative and atom >= 0)}

    def _fitted_weights(self, word: str, atoms: tuple[int, ...]) -> dict[int, float]:
        """The weights with which the picked atoms come nearest to the word."""
        vector = self._learned_from[word].astype(np.float64)
        vectors = self.atoms.vectors[list(atoms)].astype(np.float64)
        weights = np.linalg.lstsq(vectors.T, vector / (np.linalg.norm(vector) or 1.0), rcond=None)[0]
        return dict(zip(atoms, weights.tolist(), strict=True))

    def _pool(self, weights: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
        counts = self._word_list.counts
        occurrences = {form: 1 if counts is None else int(counts[self._rows[form]]) for form in weights}
        total = sum(occurrences.values()) or 1
        pooled: dict[int, float] = {}
        for form, found in weights.items():
            for atom, weight in found.items():
                pooled[atom] = pooled.get(atom, 0.0) + weight * occurrences[form] / total
        return pooled

    # --- atoms

    def atom(self, atom: int, *, n: int = 10) -> AtomView:
        """One atom with its nearest words, the words it is a sense of, its neighbours and its meta-atoms."""
        self.atoms.check_id(atom)
        notes = self.notes
        return AtomView(
            atom,
            self.label(atom, notes),
            self.nearest_words(atom, n),
            int(self.atoms.n_words[atom]),
            self.linked_words(atom, n),
            tuple((near, cosine, self.label(near, notes)) for near, cosine in self.atoms.neighbours(atom, n)),
            tuple((meta, weight, self.meta_atoms.labels[meta]) for meta, weight in self.meta_atoms.of_atom(atom)),
            atom in notes.hidden,
        )

    def search(self, text: str) -> list[int]:
        """The atoms with the text in a name a person gave, then those that the word belongs to."""
        notes, word = self.notes, text if text in self._rows else text.lower()
        named = [atom for atom, name in sorted(notes.names.items()) if text.lower() in name.lower()]
        found = self.atoms.containing(self._rows[word]) if word in self._rows else []
        if not named and word not in self._rows:
            raise UnknownWordError(text, self.words)
        return list(dict.fromkeys([*named, *found]))

    def label(self, atom: int, notes: Notes | None = None) -> str:
        """The name a person gave an atom, or the one made of its nearest words."""
        self.atoms.check_id(atom)
        names = (notes or self.notes).names
        return names.get(atom, self.atoms.labels[atom])

    def nearest_words(self, atom: int, n: int = 10) -> tuple[Neighbour, ...]:
        """The words nearest to an atom; beyond those stored with it, by a search over all words."""
        self.atoms.check_id(atom)
        if n > self.atoms.nearest.shape[1]:
            return tuple(self._learned_from.nearest(self.atoms.vectors[atom], n))
        rows, cosines = self.atoms.nearest[atom, :n].tolist(), self.atoms.cosines[atom, :n].tolist()
        return tuple(Neighbour(self.words[row], cosine) for row, cosine in zip(rows, cosines, strict=True))

    def linked_words(self, atom: int, n: int = 10, *, leave_out: Iterable[str] = ()) -> tuple[Link, ...]:
        """The words with a sense in an atom, the heaviest first."""
        unwanted = {self._rows[word] for word in leave_out}
        rows, weights = self.atoms.carriers(atom)
        pairs = [
            (row, weight) for row, weight in zip(rows.tolist(), weights.tolist(), strict=True) if row not in unwanted
        ]
        return tuple(Link(self.words[row], weight) for row, weight in pairs[:n])

    # --- what a person adds

    def pick(self, word: str, atoms: Iterable[int]) -> None:
        """Keep these atoms as the senses of a word; none at all takes the picks back."""
        word, chosen = self.words[self.row(word)], tuple(map(self.atoms.check_id, dict.fromkeys(atoms)))

        def change(notes: Notes) -> Notes:
            for atom in set(chosen) & notes.hidden:
                raise InputError(f"atom {atom} is hidden; unhide it first: wordatoms atoms {atom} --unhide")
            others = {key: value for key, value in notes.picks.items() if key != word}
            return replace(notes, picks={**others, word: chosen} if chosen else others)

        self._change(change)

    def name(self, atom: int, name: str) -> None:
        """Give an atom a name of one's own; an empty one takes it back."""
        self.atoms.check_id(atom)
        if "\n" in name or len(name) > 200:
            raise InputError("the name of an atom is one line of at most 200 characters; pass a shorter one.")

        def change(notes: Notes) -> Notes:
            others = {key: value for key, value in notes.names.items() if key != atom}
            return replace(notes, names={**others, atom: name} if name else others)

        self._change(change)

    def hide(self, atom: int, *, hidden: bool = True) -> None:
        """Leave an atom out of all senses, or take it in again."""
        self.atoms.check_id(atom)
        self._change(lambda notes: replace(notes, hidden=notes.hidden - {atom} | ({atom} if hidden else set())))

    def _change(self, change: Callable[[Notes], Notes]) -> None:
        change_notes(self.path, self.atoms.fingerprint, len(self.atoms), change)


def load_vectors(path: Path, vectors: str) -> Embeddings:
    """The word vectors of a model, or its induced ones."""
    embeddings = Embeddings.load(path)
    if vectors == "word":
        return embeddings
    from wordatoms.inducedmap import load_induced_vectors

    return replace(embeddings, vectors=load_induced_vectors(path), state={})


def load(path: Path | str) -> SenseModel:
    """Open the folder of a model."""
    return SenseModel(path)

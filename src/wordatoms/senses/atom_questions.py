"""What a model knows about its atoms: their words, neighbours and names.

Section 5 of the paper: the content of an atom is read off its nearest words. A person may name atoms and hide them;
that is kept in the model's folder and counts from then on. Left out: the senses of words (`wordatoms.senses.model`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.senses.annotations import Notes, change_notes
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.results import AtomView, Link


class AtomQuestions(ModelParts):
    """Questions about atoms, and what a person adds to them."""

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
            return tuple(self.learned_from.nearest(self.atoms.vectors[atom], n))
        rows, cosines = self.atoms.nearest[atom, :n].tolist(), self.atoms.cosines[atom, :n].tolist()
        return tuple(Neighbour(self.words[row], cosine) for row, cosine in zip(rows, cosines, strict=True))

    def linked_words(self, atom: int, n: int = 10, *, leave_out: Iterable[str] = ()) -> tuple[Link, ...]:
        """The words with a sense in an atom, the heaviest first."""
        unwanted = {self._rows[word] for word in leave_out}
        rows, weights = (part[: n + len(unwanted)].tolist() for part in self.atoms.carriers(atom))
        pairs = [(row, weight) for row, weight in zip(rows, weights, strict=True) if row not in unwanted]
        return tuple(Link(self.words[row], weight) for row, weight in pairs[:n])

    # --- what a person adds

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
        change_notes(self.notes_folder, self.atoms.fingerprint, len(self.atoms), change)

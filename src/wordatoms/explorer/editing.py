"""Notes of a person, made in the page: names of atoms, hidden atoms, and the atoms picked as the senses of a word.

Only with `wordatoms explore --edit`. Every change can be undone while the program runs; what undoing restores is what
the notes said just before the change, for that atom or word alone.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from wordatoms.errors import InputError
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import Candidate

N_CANDIDATES = 20
N_NEAREST = 8
MOST_UNDONE = 100


class Edited(NamedTuple):
    """What was changed, in one sentence, and how many changes can be undone."""

    done: str
    n_undo: int


class CandidatesPage(NamedTuple):
    """The atoms closest to a word; `is_picked` if a person picked its senses."""

    word: str
    is_picked: bool
    candidates: list[Candidate]


class Editor:
    """Changes the notes on one model."""

    def __init__(self, model: SenseModel) -> None:
        self._model = model
        self._undo: deque[Callable[[], str]] = deque(maxlen=MOST_UNDONE)
        self._lock = threading.Lock()

    def candidates(self, word: str) -> CandidatesPage:
        model = self._model
        word = model.words[model.row(word)]
        found = model.candidates(word, N_CANDIDATES, n_nearest=N_NEAREST)
        return CandidatesPage(word, word in model.notes.picks, list(found))

    def name(self, atom: int, name: str) -> Edited:
        """Give an atom a name; an empty one restores its label."""
        return self._change(partial(self._name, atom, name.strip()))

    def hide(self, atom: int, *, hidden: bool) -> Edited:
        return self._change(partial(self._hide, atom, hidden))

    def pick(self, word: str, atoms: Sequence[int]) -> Edited:
        """Keep these atoms as the senses of a word; none at all restores the automatic ones."""
        return self._change(partial(self._pick, self._model.words[self._model.row(word)], tuple(atoms)))

    def undo(self) -> Edited:
        """Undo the latest change."""
        with self._lock:
            if not self._undo:
                raise InputError("there is nothing to undo.")
            undo = self._undo.pop()
            try:
                done = undo()
            except BaseException:
                self._undo.append(undo)  # to be tried again
                raise
            self._undo.pop()  # what would undo the undoing
            return Edited(f"Undone. {done}", len(self._undo))

    def _change(self, change: Callable[[], str]) -> Edited:
        with self._lock:
            done = change()
            return Edited(done, len(self._undo))

    # each makes a change, remembers how to undo it, and says what it did

    def _name(self, atom: int, name: str) -> str:
        before = self._model.notes.names.get(atom, "")
        self._model.name(atom, name)
        self._undo.append(partial(self._name, atom, before))
        return f"Atom {atom} is called “{self._model.label(atom)}”."

    def _hide(self, atom: int, hidden: bool) -> str:
        before = atom in self._model.notes.hidden
        self._model.hide(atom, hidden=hidden)
        self._undo.append(partial(self._hide, atom, before))
        return f"Atom {atom} is {'hidden' if hidden else 'shown'}."

    def _pick(self, word: str, atoms: tuple[int, ...]) -> str:
        before = self._model.notes.picks.get(word, ())
        atoms = tuple(dict.fromkeys(atoms))
        self._model.pick(word, atoms)
        self._undo.append(partial(self._pick, word, before))
        n = f"{len(atoms)} picked {'atom' if len(atoms) == 1 else 'atoms'}"
        return f"The senses of “{word}” are {n if atoms else 'the automatic ones'}."

"""Notes of a person on a model: names for atoms, hidden atoms, and the atoms picked as the senses of a word.

In the paper's semi-automatic mode (Section 5) a person picks the senses of a word from its closest atoms. Notes are in
`notes.json` in the model folder and belong to one set of atoms, given by its fingerprint; notes on other atoms are
ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from wordatoms.errors import ModelError
from wordatoms.storage.files import write_json
from wordatoms.storage.locks import file_lock
from wordatoms.storage.untrusted import read_json, refuse_link

FILE = "notes.json"


@dataclass(frozen=True)
class Notes:
    """Notes on the atoms with the fingerprint `atoms`; atoms are given by their ids."""

    atoms: str = ""
    names: Mapping[int, str] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    picks: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The atoms picked as the senses of a word."""

    def save(self, folder: Path) -> None:
        write_json(folder / FILE, {**asdict(self), "hidden": sorted(self.hidden)})

    @classmethod
    def load(cls, folder: Path, atoms: str, n_atoms: int) -> Notes:
        """Load the notes on these atoms; empty if there are none."""
        try:
            found = _read(folder / FILE)
        except FileNotFoundError:
            return cls(atoms)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{folder / FILE} is damaged ({error}); repair or remove it.") from error
        if found.atoms != atoms:
            return cls(atoms)
        for atom in (*found.names, *found.hidden, *chain.from_iterable(found.picks.values())):
            if not 0 <= atom < n_atoms:
                raise ModelError(
                    f"{folder / FILE} names atom {atom}, but there are {n_atoms} atoms; repair or remove it."
                )
        return found


def _read(path: Path) -> Notes:
    content: dict[str, Any] = read_json(path)
    return Notes(
        str(content["atoms"]),
        {int(atom): str(name) for atom, name in content["names"].items()},
        frozenset(map(int, content["hidden"])),
        {str(word): tuple(map(int, atoms)) for word, atoms in content["picks"].items() if atoms},
    )


def change_notes(folder: Path, atoms: str, n_atoms: int, change: Callable[[Notes], Notes]) -> None:
    """Read, change and write the notes, one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / f".{FILE}.lock"
    for path in (lock, folder / FILE):
        refuse_link(path)
    with file_lock(lock):
        change(Notes.load(folder, atoms, n_atoms)).save(folder)


def set_aside(folder: Path, atoms: str) -> Path | None:
    """Rename notes on other atoms than these, and damaged ones; return their new path."""
    path = folder / FILE
    try:
        if _read(path).atoms == atoms:
            return None
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError):
        pass  # damaged notes are kept too: a person may want to repair them
    number = 1
    while (aside := folder / f"notes-{number}.json").exists():
        number += 1
    return path.rename(aside)

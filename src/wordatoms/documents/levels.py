"""Topics as their reader wants them: every atom, the meta-atoms, the regions, or a merge of one's own.

A merge says which atoms make up which topic. It is a mapping or a file with one atom per line, a tab, and the name of
its topic; atoms are given by number or by name. An empty name, or `-`, leaves the atom out, as if it were hidden. The
line of `*` is for all atoms that are not listed; without it they make up one topic, `other`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from wordatoms.errors import InputError, require_extra
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import Topics
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame

LEVELS = ("atoms", "meta", "regions")
OTHER, REST = "other", "*"
LEFT_OUT = ("", "-")
"""Names of topics that leave an atom out."""
LARGEST_MERGE = 1 << 24
"""Bytes of a file."""

Level = str | Path | Mapping[Any, str]
"""The name of a level, a merge, or the path of a file with a merge."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicMap:
    """Which topic each atom belongs to."""

    kind: str
    """What a topic is: "atom", "meta-atom", "region" or "topic"."""
    ids: NDArray[np.int64]
    """The number of each topic: of an atom, a meta-atom or a region, or its place in a merge."""
    names: tuple[str, ...]
    """The names of the topics, all different."""
    of_atom: NDArray[np.int64]
    """The place of each atom's topic in `ids` and `names`, (n_atoms,); -1 for atoms that are left out."""

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"TopicMap({len(self):,} topics of {np.count_nonzero(self.of_atom >= 0):,} atoms)"

    @property
    def left_out(self) -> list[int]:
        """The atoms that belong to no topic."""
        return np.flatnonzero(self.of_atom < 0).tolist()

    def atoms_of(self, topic: int) -> list[int]:
        """The atoms of the topic at one place."""
        return np.flatnonzero(self.of_atom == topic).tolist()


@dataclass(frozen=True, eq=False, repr=False)
class TopicShares(Tabular):
    """Documents by topics: what share of each document is about what."""

    documents: tuple[str, ...]
    topics: TopicMap
    matrix: csr_matrix
    """Shares, (n_documents, n_topics); the row of a document sums to 1, or is empty if it has no known word."""
    n_words: NDArray[np.int64]
    """Known words of each document, (n_documents,)."""

    def __len__(self) -> int:
        return len(self.documents)

    def __repr__(self) -> str:
        return f"TopicShares({len(self):,} documents, {len(self.topics):,} topics)"

    def to_frame(self) -> DataFrame:
        """Convert to a table.

        Returns
        -------
        pandas.DataFrame
            A line per document and topic with a share in it: document, topic, name, share.
        """
        entries = self.matrix.tocoo()
        columns = {
            "document": [self.documents[row] for row in entries.row.tolist()],
            "topic": self.topics.ids[entries.col],
            "name": [self.topics.names[column] for column in entries.col.tolist()],
            "share": entries.data,
        }
        return require_extra("pandas", "pandas").DataFrame(columns)


def merge_shares(found: Topics, topics: TopicMap) -> TopicShares:
    """Add up the shares of the atoms that make up each topic."""
    columns = topics.of_atom[found.atoms]
    matrix = csr_matrix((found.shares, columns, found.starts), shape=(len(found), len(topics)), copy=True)
    matrix.sum_duplicates()
    return TopicShares(found.documents, topics, matrix, found.n_words)


def find_topics(model: SenseModel, level: Level = "atoms") -> TopicMap:
    """Return the topics of a level, or of a merge; hidden atoms belong to none."""
    if isinstance(level, Mapping):
        return _merged(model, list(level.items()), "the merge")
    if not isinstance(level, str | Path):
        raise InputError(f"level is of type {type(level).__name__}; pass {', '.join(LEVELS)}, a mapping, or a file.")
    if level not in LEVELS:
        return _merged(model, *_read_merge(level))
    hidden, n_atoms = model.notes.hidden, len(model.atoms)
    of_atom = np.full(n_atoms, -1, np.int64)
    if level == "atoms":
        shown = np.array([atom for atom in range(n_atoms) if atom not in hidden], np.int64)
        of_atom[shown] = np.arange(len(shown))
        labels = [model.label(atom, model.notes) for atom in shown.tolist()]
        return TopicMap("atom", shown, _distinct(labels, shown, "atom"), of_atom)
    kind, labels, homes = _groups(model, str(level))
    of_atom[:] = np.where(homes >= 0, homes, len(labels))
    of_atom[list(hidden)] = -1
    if (of_atom == len(labels)).any():
        labels = [*labels, OTHER]
    ids = np.arange(len(labels))
    return TopicMap(kind, ids, _distinct(labels, ids, kind), of_atom)


def _groups(model: SenseModel, level: str) -> tuple[str, list[str], NDArray[np.intp]]:
    """Return what the groups of atoms of a level are called, their names, and the group of each atom; -1 for none."""
    meta_atoms = model.meta_atoms
    if level == "meta":
        codes = meta_atoms.codes
        return "meta-atom", list(meta_atoms.labels), np.where(codes.weights[:, 0] > 0, codes.atoms[:, 0], -1)
    if not meta_atoms.regions:
        raise InputError(f"{model.path} has no regions; take the level meta or atoms, or a merge of your own.")
    return "region", [region.name for region in meta_atoms.regions], meta_atoms.atom_regions


# --- merges


def _read_merge(path: str | Path) -> tuple[list[tuple[str, str]], str]:
    """Read the lines of a merge: atom, tab, name of its topic; `#` begins a comment."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"'{path}' is neither a level ({', '.join(LEVELS)}) nor the file of a merge.")
    if path.stat().st_size > LARGEST_MERGE:
        raise InputError(f"{path} is larger than {LARGEST_MERGE:,} bytes; a merge has one short line per atom.")
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; write one atom, a tab and a topic per line.") from None
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        atom, tab, topic = line.partition("\t")
        if not tab:
            raise InputError(f"line {number:,} of {path} has no tab; write one atom, a tab and a topic per line.")
        pairs.append((atom, topic.partition("\t")[0]))
    return pairs, str(path)


def _merged(model: SenseModel, pairs: Sequence[tuple[Any, str]], where: str) -> TopicMap:
    notes, n_atoms = model.notes, len(model.atoms)
    numbers = {model.label(atom, notes).casefold(): atom for atom in range(n_atoms)}
    named: dict[int, str] = {}
    rest = OTHER
    for given, name in pairs:
        topic = "" if name is None else str(name).strip()
        if str(given).strip() == REST:
            rest = topic
            continue
        atom = _find_atom(given, numbers, n_atoms, where)
        if named.setdefault(atom, topic) != topic:
            raise InputError(f"{where} puts atom {atom} into '{named[atom]}' and into '{topic}'; choose one of them.")
    wanted = [named.get(atom, rest) if atom not in notes.hidden else "" for atom in range(n_atoms)]
    listed = dict.fromkeys([*named.values(), rest])
    names = [name for name in listed if name not in LEFT_OUT and name in wanted]
    if not names:
        raise InputError(f"{where} leaves out all atoms; name a topic for some of them.")
    if not named:
        raise InputError(f"{where} gives no atom a topic; write one atom, a tab and a topic per line.")
    places = {name: place for place, name in enumerate(names)}
    of_atom = np.array([places.get(name, -1) for name in wanted], np.int64)
    return TopicMap("topic", np.arange(len(names)), tuple(names), of_atom)


def _find_atom(given: Any, numbers: Mapping[str, int], n_atoms: int, where: str) -> int:
    """Return the atom with a number or a name; `atom 12` and `atom 12: its label` are understood too."""
    text = str(given).strip()
    atom = numbers.get(text.casefold())
    if atom is None:
        digits = text.removeprefix("atom ").partition(":")[0].strip()
        atom = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else -1
    if not 0 <= atom < n_atoms:
        raise InputError(
            f"{where} names the atom '{text}', but there is none of that number (0 to {n_atoms - 1}) or name."
        )
    return atom


def _distinct(labels: Sequence[str], ids: NDArray[np.int64], kind: str) -> tuple[str, ...]:
    """Return names that are all different: those that recur get their numbers."""
    n_of = Counter(labels)
    return tuple(
        label if n_of[label] == 1 else f"{label} ({kind} {number})"
        for label, number in zip(labels, ids.tolist(), strict=True)
    )

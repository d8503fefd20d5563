"""Answers of a model: senses, candidates, atoms, and the meanings of a word in a text; all of them as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Neighbour

LIGHTEST = 0.005
"""Atoms of a smaller weight, from rare forms of a word, are no senses worth showing."""


def to_json(result: Any) -> Any:
    """Return a result in types that JSON has: dataclasses and named tuples become dicts, other tuples lists."""
    if is_dataclass(result):
        return {field.name: to_json(getattr(result, field.name)) for field in fields(result)}
    if hasattr(result, "_asdict"):
        return to_json(result._asdict())
    if isinstance(result, Mapping):
        return {str(key): to_json(value) for key, value in result.items()}
    return [to_json(value) for value in result] if isinstance(result, list | tuple) else result


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


class AtomMatch(NamedTuple):
    """An atom that a search found."""

    atom: int
    label: str
    """The name a person gave the atom, or its label."""
    why: str
    """Why it was found, such as "a sense of jazz (0.71)"."""


@dataclass(frozen=True)
class Meaning:
    """A sense of a word as it is meant in one place, with its probability there."""

    atom: int
    probability: float
    label: str
    nearest: tuple[Neighbour, ...]


class Pull(NamedTuple):
    """A word of the context, and how far it speaks for the likeliest sense (in log p), against it if negative."""

    word: str
    pull: float


@dataclass(frozen=True)
class Disambiguation:
    """Which sense of a word is meant in one place of a text."""

    word: str
    form: str
    """The word as it stands there."""
    position: int
    """Of the place, in tokens."""
    meanings: tuple[Meaning, ...]
    """All senses, the likeliest first."""
    deciding: tuple[Pull, ...]
    """The words of the context that speak most for the likeliest sense."""
    n_known: int
    """Known words of the context; without any, the probabilities are those of the word alone."""

    @property
    def sense(self) -> Meaning:
        """The likeliest."""
        return self.meanings[0]


@dataclass(frozen=True, eq=False)
class UsageClusters:
    """The usages of a word in some texts, put together by sense."""

    word: str
    texts: tuple[int, ...]
    """The number of the text of each usage, from 0."""
    usages: tuple[Usage, ...]
    labels: tuple[int, ...]
    """The cluster of each usage; cluster 0 is the largest."""
    p_senses: NDArray[np.float64]
    """(n_usages, n_senses)."""
    atoms: tuple[int, ...]
    """Of the senses."""
    closeness: tuple[float, ...]
    """The cosine of each usage with the centre of its cluster."""

    def __len__(self) -> int:
        """The number of clusters."""
        return max(self.labels) + 1

    def members(self, cluster: int) -> list[int]:
        """Usages of a cluster, by number."""
        return [number for number, label in enumerate(self.labels) if label == cluster]

    def typical(self, cluster: int, n: int = 3) -> list[int]:
        """The usages nearest to the centre of a cluster."""
        return sorted(self.members(cluster), key=lambda number: -self.closeness[number])[:n]

    def senses(self, cluster: int) -> list[tuple[int, float]]:
        """The atoms that are meant in a cluster, with their mean probability, the likeliest first."""
        means = self.p_senses[self.members(cluster)].mean(axis=0)
        return [(self.atoms[k], float(means[k])) for k in np.argsort(-means, kind="stable")]

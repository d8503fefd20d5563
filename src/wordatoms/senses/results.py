"""Answers of a model: senses, candidates, atoms, and the meanings of a word in a text; all of them as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.names import AtomExample
from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.senses.frames import Framed, Row, flat_row

LIGHTEST = 0.005
"""Atoms of a smaller weight, from rare forms of a word, are not worth showing."""
LIGHTEST_SHARE = 0.03
"""Senses by use with a smaller share are often only a subject that the word was used in, …"""
LIGHTEST_LISTED = 0.01
"""… unless a list names them."""
NONE_OF_THESE: Final = "none of these"
NOT_ENOUGH_CONTEXT: Final = "not enough context"
"""Verdicts on a word in a text, where no sense is the answer."""


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


@dataclass(frozen=True, repr=False)
class Sense(Framed):
    """One sense of a word: what its occurrences show, or an atom with a positive weight in its code.

    Attributes
    ----------
    word : str
    atom : int
        Id of the atom; -1 for a sense by use without a near atom.
    weight : float
        Coefficient of the atom in the unit vector of the word; with forms, the mean over all occurrences. 0 if the
        code of the word lacks the atom.
    label : str
        The name of the sense in the list it is from; otherwise that of the atom, which a person gave or which is made
        of its nearest words.
    nearest : tuple of Neighbour
        The words nearest to the sense, or to the atom.
    linked : tuple of Link
        Other words with a sense in this atom, heaviest first.
    forms : mapping of str to float
        Share, or weight of the atom, in each form of the word that has the sense.
    picked : bool
        Whether a person picked this sense.
    named : bool
        Whether a person gave the label.
    share : float or None
        Share of the uses of the word; None for a sense from its code.
    n_occurrences : int
        Occurrences in this sense among those read.
    is_general : bool
        Whether the sense is used about any subject.
    sense : int or None
        Number of the sense among all senses by use of the model.
    atom_label : str
        The name or label of the atom.
    listed : bool
        Whether the sense is from a list of known senses, which gave the label.

    Examples
    --------
    >>> import wordatoms as wa
    >>> sense = wa.load().senses("tie")[1]
    >>> sense.atom, sense.label, [link.word for link in sense.linked[:2]]
    (110, 'necktie', ['pantaloons', 'corduroy'])
    """

    word: str
    atom: int
    weight: float
    label: str
    nearest: tuple[Neighbour, ...]
    linked: tuple[Link, ...]
    forms: Mapping[str, float]
    picked: bool = False
    named: bool = False
    share: float | None = None
    n_occurrences: int = 0
    is_general: bool = False
    sense: int | None = None
    atom_label: str = ""
    listed: bool = False

    @property
    def is_minor(self) -> bool:
        """Whether the sense is too rare to be shown among the others, unless a person picked it."""
        if self.picked:
            return False
        if self.share is None:
            return self.weight < LIGHTEST
        return self.share < (LIGHTEST_LISTED if self.listed else LIGHTEST_SHARE)


@dataclass(frozen=True, repr=False)
class Candidate(Framed):
    """An atom close to a word, which a person may pick as a sense; see `SenseModel.candidates`.

    Attributes
    ----------
    atom : int
        Id of the atom.
    similarity : float
        Cosine of the atom and the word.
    weight : float or None
        Coefficient of the atom in the code of the word; None if the code does not have it.
    label : str
        The name a person gave the atom, or a label made of its nearest words.
    nearest : tuple of Neighbour
        The words nearest to the atom.
    picked : bool
        Whether a person picked the atom for this word.
    named : bool
        Whether a person gave the label.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().candidates("tie", 1)[0].label
    'ropes and knots'
    """

    atom: int
    similarity: float
    weight: float | None
    label: str
    nearest: tuple[Neighbour, ...]
    picked: bool
    named: bool


@dataclass(frozen=True, repr=False)
class AtomView(Framed):
    """Everything about one atom; see `SenseModel.atom`.

    Attributes
    ----------
    atom : int
        Id of the atom.
    label : str
        The name a person gave the atom, or a label made of its nearest words.
    nearest : tuple of Neighbour
        The words nearest to the atom.
    n_words : int
        Number of words that have a sense in the atom.
    words : tuple of Link
        The heaviest of them.
    neighbours : tuple of (int, float, str)
        The nearest atoms: id, cosine, label.
    meta : tuple of (int, float, str)
        The meta-atoms in its code: id, weight, label.
    hidden : bool
        Whether a person hid the atom.
    example : AtomExample, optional
        A word and a sentence with it that come with the model.
    named_after : str
        The model that the name was carried over from; empty for other labels.
    texts : tuple of str
        In a model of items, the texts of the nearest ones, cut to 1,000 characters.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().atom(873).n_words
    132
    """

    atom: int
    label: str
    nearest: tuple[Neighbour, ...]
    n_words: int
    words: tuple[Link, ...]
    neighbours: tuple[tuple[int, float, str], ...]
    meta: tuple[tuple[int, float, str], ...]
    hidden: bool
    example: AtomExample | None = None
    named_after: str = ""
    texts: tuple[str, ...] = ()


class AtomMatch(NamedTuple):
    """An atom found by `SenseModel.search`."""

    atom: int
    label: str
    """The name a person gave the atom, or a label made of its nearest words."""
    why: str
    """Why the atom was found, such as "a sense of jazz (0.71)"."""


@dataclass(frozen=True, repr=False)
class Meaning(Framed):
    """A sense of a word with its probability in one place of a text.

    Attributes
    ----------
    atom : int
        Id of the atom; -1 for a sense by use without a near atom.
    probability : float
        p(a|c,w).
    label : str
        The name of the sense in the list it is from; otherwise that of the atom, which a person gave or which is made
        of its nearest words.
    nearest : tuple of Neighbour
        The words nearest to the sense, or to the atom.
    share : float or None
        Share of the uses of the word; None for a sense from its code.
    sense : int or None
        Number of the sense among all senses by use of the model.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().disambiguate("tie", "The match ended in a tie.")[0].meanings[0].atom
    1539
    """

    atom: int
    probability: float
    label: str
    nearest: tuple[Neighbour, ...]
    share: float | None = None
    sense: int | None = None


class Pull(NamedTuple):
    """A word of the context and how far it speaks for the likeliest sense, in log p; negative is against it."""

    word: str
    pull: float


@dataclass(frozen=True, repr=False)
class Disambiguation(Framed):
    """Which sense of a word is meant in one place of a text; see `SenseModel.disambiguate`.

    Attributes
    ----------
    word : str
    form : str
        The word as it is written in the text.
    position : int
        Number of its token, from 0.
    meanings : tuple of Meaning
        All senses, likeliest first.
    deciding : tuple of Pull
        The words of the context that speak most for the likeliest sense.
    n_known : int
        Number of known words in the context; if 0, the probabilities are those of the word alone.
    p_none : float
        Probability that none of the known senses is meant; 0 if the senses are those of the code.
    tells_nothing : bool
        Whether the context is too short or too empty to tell; the probabilities are then the shares of the uses.

    Examples
    --------
    >>> import wordatoms as wa
    >>> found = wa.load().disambiguate("tie", "The match ended in a tie.")[0]
    >>> found.form, found.position, found.sense.label
    ('tie', 5, 'draw, equal score')
    """

    word: str
    form: str
    position: int
    meanings: tuple[Meaning, ...]
    deciding: tuple[Pull, ...]
    n_known: int
    p_none: float = 0.0
    tells_nothing: bool = False

    @property
    def verdict(self) -> str:
        """The answer in words: the label of the likeliest sense, "none of these" or "not enough context"."""
        if self.tells_nothing:
            return NOT_ENOUGH_CONTEXT
        return NONE_OF_THESE if self.p_none > self.sense.probability else self.sense.label

    @property
    def sense(self) -> Meaning:
        """The likeliest sense."""
        return self.meanings[0]

    def _table_rows(self) -> list[Row]:
        """Return a row for each sense, likeliest first."""
        own = {"word": self.word, "form": self.form, "position": self.position, "n_known": self.n_known}
        return [flat_row(meaning, **own) for meaning in self.meanings]


@dataclass(frozen=True, eq=False, repr=False)
class UsageClusters(Framed):
    """The usages of a word in texts, clustered by sense; see `SenseModel.cluster`.

    Attributes
    ----------
    word : str
    texts : tuple of int
        Number of the text of each usage, from 0.
    usages : tuple of Usage
    labels : tuple of int
        Cluster of each usage; cluster 0 is the largest.
    p_senses : ndarray of shape (n_usages, n_senses)
        Probability of each sense in each usage.
    meanings : tuple of Meaning
        The senses, (n_senses,); their probabilities are in `p_senses`.
    closeness : tuple of float
        Cosine of each usage with the centre of its cluster.

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["a silk tie and a shirt", "a striped tie with a jacket", "the match ended in a tie"]
    >>> found = wa.load().cluster("tie", texts, k=2)
    >>> len(found), found.members(0), found.senses(0)[0].atom
    (2, [0, 1], 110)
    """

    word: str
    texts: tuple[int, ...]
    usages: tuple[Usage, ...]
    labels: tuple[int, ...]
    p_senses: NDArray[np.float64]
    meanings: tuple[Meaning, ...]
    closeness: tuple[float, ...]

    def __len__(self) -> int:
        """Return the number of clusters."""
        return max(self.labels) + 1

    def _table_rows(self) -> list[Row]:
        """Return a row for each usage: its text, place and form, its cluster, and the likeliest sense."""
        best = self.p_senses.argmax(axis=1).tolist()
        return [
            {
                "word": self.word,
                "text": self.texts[number],
                "position": usage.position,
                "form": usage.form,
                "cluster": self.labels[number],
                "closeness": self.closeness[number],
                "atom": self.meanings[best[number]].atom,
                "sense": self.meanings[best[number]].label,
                "probability": float(self.p_senses[number, best[number]]),
            }
            for number, usage in enumerate(self.usages)
        ]

    def members(self, cluster: int) -> list[int]:
        """Return the numbers of the usages in a cluster.

        Parameters
        ----------
        cluster : int

        Returns
        -------
        list of int
        """
        return [number for number, label in enumerate(self.labels) if label == cluster]

    def typical(self, cluster: int, n: int = 3) -> list[int]:
        """Return the numbers of the usages nearest to the centre of a cluster.

        Parameters
        ----------
        cluster : int
        n : int, default 3

        Returns
        -------
        list of int
        """
        return sorted(self.members(cluster), key=lambda number: -self.closeness[number])[:n]

    def senses(self, cluster: int) -> list[Meaning]:
        """Return the senses that are meant in a cluster with their mean probabilities, likeliest first.

        Parameters
        ----------
        cluster : int

        Returns
        -------
        list of Meaning
        """
        means = self.p_senses[self.members(cluster)].mean(axis=0)
        return [replace(self.meanings[k], probability=float(means[k])) for k in np.argsort(-means, kind="stable")]

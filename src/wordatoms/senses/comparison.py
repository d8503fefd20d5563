"""The senses of one word in two models: which correspond, and which only one of the models has.

Not in the paper. Atoms of two models lie in different spaces, and lists of their nearest words share few words even if
they mean the same (*river, rhine, danube* and *river's, tributaries, upstream*). So each atom is carried over into the
other space as the sum of the vectors that its nearest words have there, weighted by their cosines. The similarity of
two atoms is the mean of two cosines: each atom carried over, compared with the other in its own space. Senses are
paired one to one, most similar first. Senses by use are compared in the same way, with their vectors in place of atoms;
one model may have senses by use and the other not.

Left out: senses that split in two (the second half stays unpaired), and models without common words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.frames import Framed, Row, cell
from wordatoms.senses.model import Method, SenseModel
from wordatoms.senses.posterior import to_unit

LEAST_ALIKE = 0.5
"""Less similar atoms are no pair: one in a hundred of all pairs of atoms of two English models is above 0.4, while half
of the atoms have a counterpart above 0.8."""
N_CARRYING = 20
"""Nearest words by which an atom is carried over."""


class ComparedSense(NamedTuple):
    """A sense of the word in one model."""

    atom: int
    """-1 for a sense by use without a near atom."""
    weight: float
    label: str
    named: bool
    """Whether a person gave the label."""
    nearest: tuple[Neighbour, ...]
    """The words nearest to the sense in its own model."""
    share: float | None = None
    """Share of the uses of the word; None for a sense from its code."""
    sense: int | None = None
    """Number of the sense among all senses by use of the model."""

    @property
    def key(self) -> int:
        """What identifies the sense in its model: its number, or its atom."""
        return self.atom if self.sense is None else self.sense


class Pair(NamedTuple):
    """Two corresponding senses, or one without a counterpart."""

    first: int | None
    """The sense of the first model: its number, or its atom for a sense from the code."""
    second: int | None
    """The sense of the second model."""
    similarity: float | None
    """From -1 to 1; None for a sense without a counterpart."""


@dataclass(frozen=True, repr=False)
class Comparison(Framed):
    """A word in two models; see `compare_senses`."""

    word: str
    known: tuple[bool, bool]
    """Whether each model has the word."""
    senses: tuple[tuple[ComparedSense, ...], tuple[ComparedSense, ...]]
    """In each model, the one with the largest share, or the heaviest one, first."""
    pairs: tuple[Pair, ...]
    """Most similar first, then senses of the first model only, then of the second only."""
    nearest: tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]
    """The words nearest to the word itself in each model; empty if not asked for."""

    def _table_rows(self) -> list[Row]:
        """Return a row for each pair of senses: atom, share, weight, label and nearest words in each model."""
        first, second = ({sense.key: sense for sense in senses} for senses in self.senses)
        sides = ((first, "1"), (second, "2"))
        return [
            {
                "word": self.word,
                "similarity": pair.similarity,
                **{
                    f"{name}{side}": cell(getattr(senses[key], name)) if key is not None else None
                    for (senses, side), key in zip(sides, pair[:2], strict=True)
                    for name in ("atom", "share", "weight", "label", "nearest")
                },
            }
            for pair in self.pairs
        ]


def compare_senses(
    model1: SenseModel,
    model2: SenseModel,
    word: str,
    *,
    forms: bool = False,
    method: Method = "auto",
    n_nearest: int = 10,
    n_near_words: int = 0,
    least_alike: float = LEAST_ALIKE,
) -> Comparison:
    """Pair the senses of a word in two models.

    A word that one of the models does not have has no senses there.

    Parameters
    ----------
    model1, model2 : SenseModel
    word : str
    forms : bool, default False
        Include the senses of inflected forms.
    method : {"auto", "uses", "code"}, default "auto"
        Senses by use or the paper's senses; "auto" takes in each model the uses where it has them.
    n_nearest : int, default 10
        Nearest words of each sense.
    n_near_words : int, default 0
        Words nearest to the word itself.
    least_alike : float, default 0.5
        Minimum similarity of a pair.

    Returns
    -------
    Comparison

    Raises
    ------
    UnknownWordError
        If neither model has the word.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> found = wa.compare_senses(model, model, "tie")
    >>> found.pairs[0].first == found.pairs[0].second
    True
    """
    if n_nearest < 1 or n_near_words < 0:
        raise InputError(f"n_nearest is {n_nearest} and n_near_words {n_near_words}; pass 1 and 0 or more.")
    models = (model1, model2)
    spellings = tuple(model.find_spelling(word) for model in models)
    if not any(spellings):
        raise UnknownWordError(word, model1.words)
    senses1, senses2 = (
        _senses(model, spelling, forms, method, n_nearest) for model, spelling in zip(models, spellings, strict=True)
    )
    likeness = _likeness(_directions(model1, senses1), _directions(model2, senses2))
    near1, near2 = (
        tuple(model.near_words(spelling, n_near_words)) if spelling and n_near_words else ()
        for model, spelling in zip(models, spellings, strict=True)
    )
    return Comparison(
        spellings[0] or spellings[1] or word,
        (spellings[0] is not None, spellings[1] is not None),
        (senses1, senses2),
        tuple(_pairs(senses1, senses2, likeness, least_alike)),
        (near1, near2),
    )


def _senses(
    model: SenseModel, word: str | None, forms: bool, method: Method, n_nearest: int
) -> tuple[ComparedSense, ...]:
    if word is None:
        return ()
    return tuple(
        ComparedSense(sense.atom, sense.weight, sense.label, sense.named, sense.nearest, sense.share, sense.sense)
        for sense in model.senses(word, forms=forms, method=method, n_nearest=n_nearest, n_linked=0)
        if not sense.is_minor
    )


def _pairs(
    senses1: Sequence[ComparedSense],
    senses2: Sequence[ComparedSense],
    likeness: NDArray[np.float64],
    least_alike: float,
) -> Iterator[Pair]:
    left1, left2 = dict.fromkeys(range(len(senses1))), dict.fromkeys(range(len(senses2)))
    for place in np.argsort(-likeness, axis=None, kind="stable").tolist():
        i, j = divmod(place, len(senses2))
        if i in left1 and j in left2 and likeness[i, j] >= least_alike:
            del left1[i], left2[j]
            yield Pair(senses1[i].key, senses2[j].key, float(likeness[i, j]))
    yield from (Pair(senses1[i].key, None, None) for i in left1)
    yield from (Pair(None, senses2[j].key, None) for j in left2)


# --- senses of two spaces


class _Directions(NamedTuple):
    """Senses in the space of their model, and the words that carry them over into another."""

    space: Embeddings
    vectors: NDArray[np.float32]
    """Each of length 1, (n, dim)."""
    words: list[list[str]]
    """The nearest words of each, equally many."""
    cosines: NDArray[np.float32]
    """(n, n_words)."""


def atom_likeness(
    model1: SenseModel, atoms1: Sequence[int], model2: SenseModel, atoms2: Sequence[int]
) -> NDArray[np.float64]:
    """Return the similarity of atoms of two models, (n1, n2), from -1 to 1; 0 if none of their words are shared."""
    return _likeness(_atom_directions(model1, atoms1), _atom_directions(model2, atoms2))


def _likeness(first: _Directions, second: _Directions) -> NDArray[np.float64]:
    with one_blas_thread():
        there = _carried_over(first, second.space) @ second.vectors.T
        back = first.vectors @ _carried_over(second, first.space).T
    return np.asarray((there + back) / 2, np.float64)


def _directions(model: SenseModel, senses: Sequence[ComparedSense]) -> _Directions:
    numbers = [sense.sense for sense in senses if sense.sense is not None]
    if model.uses is None or not numbers:
        return _atom_directions(model, [sense.atom for sense in senses])
    space, vectors = model.embeddings, model.uses.vectors(numbers)
    near = model.uses.nearest[numbers, :N_CARRYING]
    units = to_unit(space.vectors[near.ravel()]).reshape(*near.shape, space.dim)
    cosines = np.asarray((units @ vectors[:, :, None])[..., 0], np.float32)
    return _Directions(space, vectors, [[model.words[row] for row in rows] for rows in near.tolist()], cosines)


def _atom_directions(model: SenseModel, atoms: Sequence[int]) -> _Directions:
    near = model.atoms.nearest[list(atoms), :N_CARRYING]
    return _Directions(
        model.learned_from,
        model.atoms.vectors[list(atoms)],
        [[model.words[row] for row in rows] for rows in near.tolist()],
        model.atoms.cosines[list(atoms), :N_CARRYING],
    )


def _carried_over(source: _Directions, space: Embeddings) -> NDArray[np.float32]:
    """Return the directions of some senses' nearest words in another model, (n, dim)."""
    words = [word for each in source.words for word in each]
    vectors = to_unit(space.lookup(words, missing="zero")).reshape(*source.cosines.shape, space.dim)
    return to_unit((source.cosines[:, None] @ vectors)[:, 0])

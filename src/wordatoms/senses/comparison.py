"""The senses of one word in two models: which correspond, and which only one of the models has.

Not in the paper. Atoms of two models lie in different spaces, and lists of their nearest words share few words even if
they mean the same (*river, rhine, danube* and *river's, tributaries, upstream*). So each atom is carried over into the
other space as the sum of the vectors that its nearest words have there, weighted by their cosines. The similarity of
two atoms is the mean of two cosines: each atom carried over, compared with the other in its own space. Senses are
paired one to one, most similar first.

Left out: senses that split in two (the second half stays unpaired), and models without common words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.frames import Framed, Row, cell
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import to_unit
from wordatoms.senses.results import LIGHTEST

LEAST_ALIKE = 0.5
"""Less similar atoms are no pair: one in a hundred of all pairs of atoms of two English models is above 0.4, while half
of the atoms have a counterpart above 0.8."""
N_CARRYING = 20
"""Nearest words by which an atom is carried over."""


class ComparedSense(NamedTuple):
    """A sense of the word in one model."""

    atom: int
    weight: float
    label: str
    named: bool
    """Whether a person gave the label."""
    nearest: tuple[Neighbour, ...]
    """The words nearest to the atom in its own model."""


class Pair(NamedTuple):
    """Two corresponding senses, or one without a counterpart."""

    first: int | None
    """Atom of the first model."""
    second: int | None
    """Atom of the second model."""
    similarity: float | None
    """From -1 to 1; None for a sense without a counterpart."""


@dataclass(frozen=True)
class Comparison(Framed):
    """A word in two models; see `compare_senses`."""

    word: str
    known: tuple[bool, bool]
    """Whether each model has the word."""
    senses: tuple[tuple[ComparedSense, ...], tuple[ComparedSense, ...]]
    """In each model, heaviest first."""
    pairs: tuple[Pair, ...]
    """Most similar first, then senses of the first model only, then of the second only."""
    nearest: tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]
    """The words nearest to the word itself in each model; empty if not asked for."""

    def _table_rows(self) -> list[Row]:
        """Return a row for each pair of senses: atom, weight, label and nearest words in each model."""
        first, second = ({sense.atom: sense for sense in senses} for senses in self.senses)
        sides = ((first, "1"), (second, "2"))
        return [
            {
                "word": self.word,
                "similarity": pair.similarity,
                **{
                    f"{name}{side}": cell(getattr(senses[atom], name)) if atom is not None else None
                    for (senses, side), atom in zip(sides, pair[:2], strict=True)
                    for name in ("atom", "weight", "label", "nearest")
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
    n_nearest : int, default 10
        Nearest words of each atom.
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
        _senses(model, spelling, forms, n_nearest) for model, spelling in zip(models, spellings, strict=True)
    )
    likeness = atom_likeness(model1, [sense.atom for sense in senses1], model2, [sense.atom for sense in senses2])
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


def _senses(model: SenseModel, word: str | None, forms: bool, n_nearest: int) -> tuple[ComparedSense, ...]:
    if word is None:
        return ()
    notes = model.notes
    weights = model.sense_weights(word, forms=forms, notes=notes)
    return tuple(
        ComparedSense(
            atom, weight, model.label(atom, notes), model.is_named(atom, notes), model.nearest_words(atom, n_nearest)
        )
        for atom, weight in weights.items()
        if weight >= LIGHTEST or word in notes.picks
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
            yield Pair(senses1[i].atom, senses2[j].atom, float(likeness[i, j]))
    yield from (Pair(senses1[i].atom, None, None) for i in left1)
    yield from (Pair(None, senses2[j].atom, None) for j in left2)


# --- atoms of two spaces


def atom_likeness(
    model1: SenseModel, atoms1: Sequence[int], model2: SenseModel, atoms2: Sequence[int]
) -> NDArray[np.float64]:
    """Return the similarity of atoms of two models, (n1, n2), from -1 to 1; 0 if none of their words are shared."""
    vectors1, vectors2 = model1.atoms.vectors[list(atoms1)], model2.atoms.vectors[list(atoms2)]
    with one_blas_thread():
        there = _carried_over(model1, atoms1, model2) @ vectors2.T
        back = vectors1 @ _carried_over(model2, atoms2, model1).T
    return np.asarray((there + back) / 2, np.float64)


def _carried_over(source: SenseModel, atoms: Sequence[int], target: SenseModel) -> NDArray[np.float32]:
    """Return the directions of some atoms' nearest words in another model, (n, dim)."""
    space = target.learned_from
    near = source.atoms.nearest[list(atoms), :N_CARRYING]
    cosines = source.atoms.cosines[list(atoms), :N_CARRYING]
    words = [source.words[row] for row in near.ravel().tolist()]
    vectors = to_unit(space.lookup(words, missing="zero")).reshape(*near.shape, space.dim)
    return to_unit((cosines[:, None] @ vectors)[:, 0])

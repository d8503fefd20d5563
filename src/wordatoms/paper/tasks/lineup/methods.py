"""Algorithm 1 of the paper, which solves the police lineup, and the methods it is compared with.

U are the atoms of the word and of its inflected forms, five of each (all atoms of the code, of either sign: the paper
says five). For each atom a in U the senses L are ranked by

    score(a, L) = s(a, L) − s_A^L + s(w, L) − s_V^L,        s(x, L) = ⟨v_x, v_L⟩,

where v_L is the SIF vector of the eight words of L, s_A^L the mean of s(a, L) over all atoms and s_V^L that of s(w, L)
over all words. The two best senses become candidates, each with its largest score; the t best candidates are returned.
There may be fewer than t: then the algorithm, taken literally, returns these, though it promises t; `fill=True` adds
the other senses by their largest score. The scores are linear in v_L, so those of all words are one matrix product.

Choices that the paper leaves open: word vectors are scaled to length 1, as atoms are, and as words are when they are
coded; v_L is the mean of such vectors, and the common direction is kept. Our own variants are
`unit_lists`, in which v_L has length 1 too, so that lists of similar words have no advantage over mixed ones, and
`context_method`. Any other method takes the test in the same way (`inventory_method`): its sense vectors, scaled to
length 1, take the place of the atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.usages import SenseInventory
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.paper.tasks.lineup.data import Lineups, Testbed
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.model import SenseModel
from wordatoms.senses.parts import load_vectors
from wordatoms.senses.posterior import to_unit

ENTERING = 2
"""Number of senses that become candidates for each atom."""
Scores = NDArray[np.float32]
Lists = Sequence[Sequence[str]]


# Methods


@dataclass(frozen=True, eq=False)
class VectorMethod:
    """Algorithm 1 with any vectors for the senses of a word."""

    sif: SIF
    """Computes the vectors of lists of words; its embedding has the word vectors."""
    sense_vectors: Callable[[str], NDArray[np.float32]]
    """Returns U of a word, (n, dim); nothing is returned for a word whose U is empty."""
    mean_sense: NDArray[np.floating[Any]]
    """The mean vector of all senses of all words, (dim,)."""
    n_entering: int | None = ENTERING
    """Number of senses that become candidates for each vector; None for all."""
    remove_common: bool = False
    read_lists: Callable[[Lists], NDArray[np.float32]] | None = None
    """Computes the vectors of lists, (n, dim), instead of the SIF."""
    has_unit_lists: bool = False
    """Whether the vectors of lists are scaled to length 1."""

    def score_all(self, testbed: Testbed) -> list[Scores | None]:
        """score(a, L) of the vectors of each word for all senses of the testbed; None for an unknown word."""
        embeddings = self.sif.embeddings
        known = [word for word in testbed if word in embeddings]
        if not known:
            return [None] * len(testbed)
        lists = self._list_vectors([sense.related for sense in testbed.senses])
        of_words = embeddings.lookup(known) - embeddings.vectors.mean(axis=0, dtype=np.float64)
        of_senses = [self.sense_vectors(word) for word in known]
        queries = np.concatenate(
            [senses - self.mean_sense + word for senses, word in zip(of_senses, of_words, strict=True)]
        )
        with one_blas_thread():
            products = queries.astype(np.float32) @ lists.T
        parts = np.split(products, np.cumsum([len(senses) for senses in of_senses])[:-1])
        found = dict(zip(known, parts, strict=True))
        return [found.get(word) for word in testbed]

    def _list_vectors(self, lists: Lists) -> NDArray[np.float32]:
        if self.read_lists:
            vectors = self.read_lists(lists)
        else:
            vectors = self.sif.vectors(lists, remove_common=self.remove_common).vectors
        return to_unit(vectors) if self.has_unit_lists else vectors


def atoms_method(
    model: SenseModel, *, vectors: str | None = None, unit: bool = True, remove_common: bool = False
) -> VectorMethod:
    """The paper's method with the atoms of a model.

    `vectors` is "word" or "induced", by default the kind that the atoms were learned from; `unit` scales them to
    length 1.
    """
    sif = lineup_sif(model, vectors=vectors, unit=unit)
    atoms = model.atoms

    def own_atoms(word: str) -> NDArray[np.float32]:
        found = np.unique(atoms.codes.atoms[[model.row(form) for form in model.forms(word)]])
        return np.asarray(atoms.vectors[found[found >= 0]])

    return VectorMethod(sif, own_atoms, atoms.vectors.mean(axis=0, dtype=np.float64), remove_common=remove_common)


def unit_lists(method: VectorMethod) -> VectorMethod:
    """The same method with lists as vectors of length 1."""
    return replace(method, has_unit_lists=True)


def context_method(model: SenseModel, **choices: Any) -> VectorMethod:
    """The paper's method (`atoms_method`) with lists read as contexts, as if the eight words surrounded the word.

    A maps contexts to the space of words and atoms, so the vector of a list is A·v_L, scaled to length 1, where v_L is
    computed with the SIF settings of A.
    """
    induced_map = model.induced_map
    sif = induced_map.sif(model.embeddings)

    def read(lists: Lists) -> NDArray[np.float32]:
        return to_unit(induced_map.apply(sif.vectors(lists).vectors))

    return replace(atoms_method(model, **choices), read_lists=read)


def uses_method(model: SenseModel, *, with_atoms: bool = False, **choices: Any) -> VectorMethod:
    """Senses by use in place of atoms, or beside them, with lists read as single contexts of the observed model."""
    uses, reader, of_atoms = model.uses, model.parts.uses_reader, atoms_method(model, **choices)
    assert uses is not None

    def own_senses(word: str) -> NDArray[np.float32]:
        found = {use.sense for form in model.forms(word) for use in uses.of(model.row(form))}
        senses = uses.vectors(sorted(found))
        return np.concatenate([senses, of_atoms.sense_vectors(word)]) if with_atoms else np.asarray(senses)

    def read(lists: Lists) -> NDArray[np.float32]:
        sif = SIF(model.embeddings, p_words(model.embeddings), uses.reading.a)
        return to_unit(sif.vectors(lists).vectors @ reader.matrix.T)

    mean = uses.vectors().mean(axis=0, dtype=np.float64)
    return replace(of_atoms, sense_vectors=own_senses, mean_sense=mean, read_lists=read)


def word_method(sif: SIF, *, remove_common: bool = False) -> VectorMethod:
    """The word's own vector in place of atoms, and every sense a candidate; shows what the atoms add."""
    embeddings = sif.embeddings
    mean = embeddings.vectors.mean(axis=0, dtype=np.float64)
    return VectorMethod(sif, lambda word: embeddings[word][None], mean, n_entering=None, remove_common=remove_common)


def inventory_method(
    inventory: SenseInventory, sif: SIF, words: Sequence[str], *, remove_common: bool = False
) -> VectorMethod:
    """The senses of another method, scaled to length 1; the mean is over the senses of `words`."""

    def units(word: str) -> NDArray[np.float32]:
        try:
            return to_unit(inventory.sense_vectors(word))
        except UnknownWordError:  # its vocabulary may differ from that of the SIF
            return np.zeros((0, sif.embeddings.dim), np.float32)

    senses = np.concatenate([np.zeros((0, sif.embeddings.dim), np.float32), *map(units, words)])
    if not len(senses):
        raise InputError(f"none of the {len(words)} words is known; pass some that are.")
    return VectorMethod(sif, units, senses.mean(axis=0, dtype=np.float64), remove_common=remove_common)


def lineup_sif(model: SenseModel, *, vectors: str | None = None, unit: bool = True) -> SIF:
    """The SIF for words and lists of words, with `a` and the common direction of the model's map."""
    kind = vectors or str(model.folder.stages.get("atomize", {}).get("settings", {}).get("vectors", "word"))
    embeddings = load_vectors(model.path, kind)
    if unit:
        embeddings = replace(embeddings, vectors=embeddings.unit_vectors, state={})
    if "map" not in model.folder.stages:
        return SIF(embeddings, p_words(embeddings), DEFAULT_A)
    return InducedMap.load(model.path).sif(embeddings)


# Algorithm 1


def rank_senses(scores: Scores, n_entering: int | None = ENTERING, *, fill: bool = False) -> NDArray[np.intp]:
    """The indices of the candidates in a lineup, the best first, from scores (n_vectors, n).

    With `fill`, the other senses follow, by their largest score.
    """
    if not len(scores):
        return np.zeros(0, np.intp)
    enters = np.zeros(scores.shape, np.bool_)
    np.put_along_axis(enters, np.argsort(-scores, axis=1, kind="stable")[:, :n_entering], True, axis=1)
    best = np.where(enters, scores, -np.inf).max(axis=0)
    is_candidate = np.isfinite(best)
    if fill:
        return np.lexsort((-np.where(is_candidate, best, scores.max(axis=0)), ~is_candidate))
    return np.argsort(-best, kind="stable")[: is_candidate.sum()]


def answer_lineups(
    scores: Sequence[Scores | None],
    testbed: Testbed,
    lineups: Lineups,
    n_entering: int | None = ENTERING,
    *,
    fill: bool = False,
) -> NDArray[np.intp]:
    """The candidates of each lineup as indices in the testbed, the best first, then -1, (n_lineups, n)."""
    answers = np.full(lineups.senses.shape, -1)
    for answer, word, senses in zip(answers, lineups.words, lineups.senses, strict=True):
        of_word = scores[testbed.number(word)]
        if of_word is not None:
            ranked = rank_senses(of_word[:, senses], n_entering, fill=fill)
            answer[: len(ranked)] = senses[ranked]
    return answers

"""The methods of Table 7: contexts put together through atoms, without them, and by the paper's competitors.

- *ours* puts together contexts as the atoms of the word see them, with some of the context as a whole
  (`Posterior.views`), with a fixed and with an automatic number of clusters;
- *u_c* is the paper's method: the posterior mean of the atoms, once with contexts read as the model was tuned to, once
  as the paper reads them (ten words on each side through A), the scale being the tuned one;
- *contexts without atoms*, read in both ways, say what the atoms add;
- competitors put a usage where their likeliest sense is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import PAPER_SETTINGS
from wordatoms.contexts.usages import SenseInventory
from wordatoms.errors import UnknownWordError
from wordatoms.paper.tasks.wsi.data import WsiWord
from wordatoms.paper.tasks.wsi.evaluate import KS, Method, method_name
from wordatoms.senses.clustering import cluster_vectors
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import Posterior, Weights, to_unit

OURS, AS_PAPER, NO_ATOMS = "ours", "u_c, contexts as in the paper", "contexts without atoms"
Represent = Callable[[Weights, NDArray[np.float32]], NDArray[np.float32]]


def our_methods(model: SenseModel, *, ks: Sequence[int] = KS, random_state: int = 0) -> list[Method]:
    """All that a model has to offer, the default first."""
    tuned, paper = model.posterior, model.make_posterior(replace(PAPER_SETTINGS, scale=model.reading.scale))
    contexts_tuned, contexts_paper = _Contexts(model, tuned), _Contexts(model, paper)
    kinds: dict[str, tuple[_Contexts, Represent]] = {
        OURS: (contexts_tuned, tuned.views),
        "u_c": (contexts_tuned, tuned.sense_means),
        AS_PAPER: (contexts_paper, paper.sense_means),
        NO_ATOMS: (contexts_tuned, _as_they_are),
        "contexts through A without atoms": (contexts_paper, _as_they_are),
    }
    made = [
        Method(method_name(name, k), "ours", _clusterer(contexts, represent, k, random_state), k)
        for name, (contexts, represent) in kinds.items()
        for k in ks
    ]
    by_itself = _clusterer(contexts_tuned, tuned.views, "auto", random_state)
    automatic = Method(method_name(OURS, "auto"), "ours", by_itself)
    return [*made[: len(ks)], automatic, *made[len(ks) :]]


def competing_methods(inventories: Mapping[str, SenseInventory]) -> list[Method]:
    """Usages by their likeliest sense; all together where the word is unknown."""
    return [Method(name, "competitor", _likeliest(inventory)) for name, inventory in inventories.items()]


class _Contexts:
    """The contexts of words, each word read once for all numbers of clusters."""

    def __init__(self, model: SenseModel, posterior: Posterior) -> None:
        self.model, self.posterior = model, posterior
        self._known: dict[str, tuple[Weights, NDArray[np.float32]]] = {}

    def of(self, word: WsiWord) -> tuple[Weights, NDArray[np.float32]]:
        if word.name not in self._known:
            vectors = self.model.context_vectors(word.lemma, word.usages, self.posterior)
            self._known[word.name] = self.model.sense_weights(word.lemma), vectors
        return self._known[word.name]

    @property
    def least_gain(self) -> float:
        return self.posterior.settings.least_gain


def _clusterer(
    contexts: _Contexts, represent: Represent, k: int | Literal["auto"], random_state: int
) -> Callable[[WsiWord], NDArray[np.intp]]:
    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            weights, vectors = contexts.of(word)
        except UnknownWordError:
            return np.zeros(len(word), np.intp)
        found = represent(weights, vectors)
        return cluster_vectors(found, k, least_gain=contexts.least_gain, random_state=random_state)

    return cluster


def _likeliest(inventory: SenseInventory) -> Callable[[WsiWord], NDArray[np.intp]]:
    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            return np.asarray(inventory.p_senses(word.lemma, word.usages).argmax(axis=1))
        except UnknownWordError:
            return np.zeros(len(word), np.intp)

    return cluster


def _as_they_are(_weights: Weights, contexts: NDArray[np.float32]) -> NDArray[np.float32]:
    return to_unit(contexts)

"""The methods of Table 7: contexts clustered with atoms, without them, and by the paper's competitors.

- *ours* clusters contexts by their products with the atoms of the word, with some weight on the whole context
  (`Posterior.views`), into a fixed and into an automatic number of clusters;
- *u_c* is the paper's method: the posterior mean of the atoms, with contexts read with the tuned settings of the model,
  and as in the paper (ten words on each side, mapped by A), with the tuned scale;
- *contexts without atoms*, read in both ways, show what the atoms add;
- competitors assign a usage to its most probable sense.
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
    """All methods that use a model, the default first."""
    tuned, paper = model.posterior, model.make_posterior(replace(PAPER_SETTINGS, scale=model.reading.scale))
    contexts_tuned, contexts_paper = _Contexts(model, tuned), _Contexts(model, paper)
    kinds: dict[str, tuple[_Contexts, Represent]] = {
        OURS: (contexts_tuned, tuned.views),
        "u_c": (contexts_tuned, tuned.sense_means),
        AS_PAPER: (contexts_paper, paper.sense_means),
        NO_ATOMS: (contexts_tuned, lambda _weights, vectors: to_unit(vectors)),
        "contexts through A without atoms": (contexts_paper, lambda _weights, vectors: to_unit(vectors)),
    }
    made = [
        Method(method_name(name, k), "ours", _clusterer(contexts, represent, k, random_state), k)
        for name, (contexts, represent) in kinds.items()
        for k in ks
    ]
    automatic = Method(method_name(OURS, "auto"), "ours", _clusterer(contexts_tuned, tuned.views, "auto", random_state))
    return [*made[: len(ks)], automatic, *made[len(ks) :]]


def competing_methods(inventories: Mapping[str, SenseInventory]) -> list[Method]:
    """Each competitor assigns usages to their most probable sense; those of an unknown word form one cluster."""
    return [Method(name, "competitor", _likeliest(inventory)) for name, inventory in inventories.items()]


class _Contexts:
    """The contexts of words; each word is read once for all numbers of clusters."""

    def __init__(self, model: SenseModel, posterior: Posterior) -> None:
        self.model, self.posterior = model, posterior
        self._known: dict[str, tuple[Weights, NDArray[np.float32]]] = {}

    def of(self, word: WsiWord) -> tuple[Weights, NDArray[np.float32]]:
        if word.name not in self._known:
            vectors = self.model.context_vectors(word.lemma, word.usages, self.posterior)
            self._known[word.name] = self.model.sense_weights(word.lemma), vectors
        return self._known[word.name]


def _clusterer(
    contexts: _Contexts, represent: Represent, k: int | Literal["auto"], random_state: int
) -> Callable[[WsiWord], NDArray[np.intp]]:
    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            weights, vectors = contexts.of(word)
        except UnknownWordError:
            return np.zeros(len(word), np.intp)
        least_gain = contexts.posterior.settings.least_gain
        return cluster_vectors(represent(weights, vectors), k, least_gain=least_gain, random_state=random_state)

    return cluster


def _likeliest(inventory: SenseInventory) -> Callable[[WsiWord], NDArray[np.intp]]:
    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            return np.asarray(inventory.p_senses(word.lemma, word.usages).argmax(axis=1))
        except UnknownWordError:
            return np.zeros(len(word), np.intp)

    return cluster

"""The methods of Table 7: contexts clustered with atoms, without them, and by the paper's competitors.

- *ours* clusters contexts by their products with the atoms of the word, with some weight on the whole context
  (`Posterior.views`), into a fixed and into an automatic number of clusters; *ours, by use* clusters them with the mean
  of the senses by use that they call up;
- *paper's method* clusters u_c, the posterior mean of the atoms, with contexts read as in the paper (the SIF vector of
  ten words on each side, mapped by A) and the tuned scale κ, by k-means with means as centres; *paper's method, κ = 1*
  has the posterior as it is printed, *paper's method, plain mean* the plain mean of the words in place of the SIF
  vector, and *u_c* our centres of length 1;
- *u_c, tuned* are the same vectors with contexts read with all tuned settings of the model;
- *ours with the encoder* clusters our view and that of an encoder that reads along by merging, as
  `SenseModel.cluster` does; *encoder alone* and *ours, merged* have one of the two views;
- *contexts without atoms*, read in both ways, show what the atoms add;
- competitors assign a usage to its most probable sense.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import PAPER_SETTINGS
from wordatoms.contexts.usages import SenseInventory
from wordatoms.errors import UnknownWordError
from wordatoms.paper.tasks.base import BY_PAPER, Role
from wordatoms.paper.tasks.wsi.data import WsiWord
from wordatoms.paper.tasks.wsi.evaluate import KS, Method, method_name
from wordatoms.senses.clustering import Centres, cluster_vectors
from wordatoms.senses.merging import merge_clusters
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import Posterior, Weights, to_unit

OURS, AS_PAPER, NO_ATOMS = "ours", "paper's method", "contexts without atoms"
BY_USE, AS_PRINTED = "ours, by use", "paper's method, κ = 1"
BOTH, ENCODER_ALONE, MERGED = "ours with the encoder", "encoder alone", "ours, merged"
OURS_PLAIN, AS_PAPER_PLAIN, AS_PAPER_NO_ATOMS = (
    "ours, plain mean",
    "paper's method, plain mean",
    "paper's method without atoms",
)
Represent = Callable[[Weights, NDArray[np.float32]], NDArray[np.float32]]


class Kind(NamedTuple):
    """A method before the number of clusters is chosen."""

    name: str
    role: Role
    contexts: _Contexts
    represent: Represent
    centres: Centres = "directions"
    automatic: bool = False
    """Whether the number of clusters is also chosen automatically."""
    merged: bool = False
    """Whether clusters are made by merging instead of k-means."""

    def methods(self, ks: Sequence[int], random_state: int) -> list[Method]:
        sizes: list[int | Literal["auto"]] = [*ks, "auto"] if self.automatic else [*ks]
        return [
            Method(method_name(self.name, k), self.role, _clusterer(self, k, random_state), None if k == "auto" else k)
            for k in sizes
        ]


def our_methods(
    model: SenseModel, *, ks: Sequence[int] = KS, random_state: int = 0, paper_scale: float | None = None
) -> list[Method]:
    """All methods that use a model, the default first; the paper's has the tuned scale unless another is given."""
    as_paper = replace(PAPER_SETTINGS, scale=paper_scale or model.reading.scale)
    plain = (replace(model.reading, a=math.inf), replace(as_paper, a=math.inf))
    tuned, paper, printed, tuned_plain, paper_plain = (
        _Contexts(model, model.make_posterior(each))
        for each in (model.reading, as_paper, replace(as_paper, scale=1.0), *plain)
    )
    by_use = [Kind(BY_USE, "ours", _UseContexts(model, tuned.posterior), _as_it_is, automatic=True)]
    kinds = [
        Kind(OURS, "ours", tuned, tuned.posterior.views, automatic=True),
        *(by_use if model.uses else []),
        *_with_encoder(model, tuned),
        Kind(NO_ATOMS, "ours", tuned, _only_contexts, automatic=True),
        Kind(OURS_PLAIN, "ours", tuned_plain, tuned_plain.posterior.views),
        Kind(AS_PAPER, BY_PAPER, paper, paper.posterior.sense_means, "means"),
        Kind(AS_PRINTED, BY_PAPER, printed, printed.posterior.sense_means, "means"),
        Kind(AS_PAPER_NO_ATOMS, BY_PAPER, paper, _only_contexts, "means"),
        Kind(AS_PAPER_PLAIN, BY_PAPER, paper_plain, paper_plain.posterior.sense_means, "means"),
        Kind("u_c", "ours", paper, paper.posterior.sense_means),
        Kind("u_c, tuned", "ours", tuned, tuned.posterior.sense_means),
    ]
    return [method for kind in kinds for method in kind.methods(ks, random_state)]


def _with_encoder(model: SenseModel, tuned: _Contexts) -> list[Kind]:
    """The encoder that reads along with a model, with it and by itself, and what merging alone does."""
    if model.second_eye is None:
        return []
    both, alone = (_EncoderContexts(model, tuned.posterior, alone=alone) for alone in (False, True))
    return [
        Kind(BOTH, "ours", both, _as_it_is, automatic=True, merged=True),
        Kind(ENCODER_ALONE, "ours", alone, _as_it_is, automatic=True, merged=True),
        Kind(MERGED, "ours", tuned, tuned.posterior.views, automatic=True, merged=True),
    ]


def _as_it_is(_weights: Weights, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return vectors


def _only_contexts(_weights: Weights, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return to_unit(vectors)


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


class _UseContexts(_Contexts):
    """The contexts of words with their senses by use."""

    def of(self, word: WsiWord) -> tuple[Weights, NDArray[np.float32]]:
        if word.name not in self._known:
            self._known[word.name] = {}, self.model.views(word.lemma, word.usages, method="uses")
        return self._known[word.name]


class _EncoderContexts(_Contexts):
    """The views of an encoder, with ours or alone."""

    def __init__(self, model: SenseModel, posterior: Posterior, *, alone: bool) -> None:
        super().__init__(model, posterior)
        self.alone = alone

    def of(self, word: WsiWord) -> tuple[Weights, NDArray[np.float32]]:
        if word.name not in self._known:
            eye, usages = self.model.second_eye, word.usages
            assert eye is not None
            views = eye.views(usages) if self.alone else eye.joint_views(self.model.views(word.lemma, usages), usages)
            self._known[word.name] = {}, views
        return self._known[word.name]


def _clusterer(kind: Kind, k: int | Literal["auto"], random_state: int) -> Callable[[WsiWord], NDArray[np.intp]]:
    least_gain = kind.contexts.posterior.settings.least_gain

    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            represented = kind.represent(*kind.contexts.of(word))
        except UnknownWordError:
            return np.zeros(len(word), np.intp)
        if kind.merged:
            return merge_clusters(represented, k, random_state=random_state)
        return cluster_vectors(represented, k, centres=kind.centres, least_gain=least_gain, random_state=random_state)

    return cluster


def _likeliest(inventory: SenseInventory) -> Callable[[WsiWord], NDArray[np.intp]]:
    def cluster(word: WsiWord) -> NDArray[np.intp]:
        try:
            return np.asarray(inventory.p_senses(word.lemma, word.usages).argmax(axis=1))
        except UnknownWordError:
            return np.zeros(len(word), np.intp)

    return cluster

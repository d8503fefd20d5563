"""The methods of Table 8: the similarity of two words in context, with atoms, without, and by the competitors.

- *ours* is `SenseModel.similarity`: the cosine of the words' vectors in their contexts, and for the same word twice its
  mean with the probability that it has the same sense; an unknown word is represented by its context alone, so that
  all pairs are answered; *ours, by code*, which is *ours* for a model without senses by use, compares vectors in
  context (`Posterior.in_context`) for all pairs; *without atoms* omits u_c from these vectors;
- *paper's method* is the inner product of the posterior means of the atoms, u_c, with contexts read as in the paper
  and the tuned scale κ (*κ = 1*: the posterior as it is printed); *u_c* has cosines, and *u_c, tuned* contexts read
  with all tuned settings of the model;
- *context* compares only the contexts, *cosine* only the words;
- competitors compare senses in the two usual ways: the mean over all pairs of senses, weighted by probability
  (AvgSimC), or the most probable sense of each word (MaxSimC).

Left out: atoms learned from other vectors (`wordatoms.paper.tasks.scws.ablation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import PAPER_SETTINGS
from wordatoms.contexts.usages import SenseInventory, Usage
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import UnknownWordError
from wordatoms.paper.tasks.base import BY_PAPER
from wordatoms.paper.tasks.datasets import find_rows
from wordatoms.paper.tasks.scws.evaluate import Method, ScwsPair
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import Posterior, to_unit

OURS, BY_CODE, AS_PAPER = "ours", "ours, by code", "paper's method"
BOTH, ENCODER_ALONE = "ours with the encoder", "encoder alone"
Place = Callable[[str, Usage], NDArray[np.float32]]
"""Returns the vector of a word in a usage; an unknown word raises."""


def our_methods(model: SenseModel, *, paper_scale: float | None = None) -> list[Method]:
    """All methods that use a model's atoms, the default first; the paper's has the tuned scale or `paper_scale`."""
    as_paper = replace(PAPER_SETTINGS, scale=paper_scale or model.reading.scale)
    tuned, paper = model.posterior, model.make_posterior(as_paper)
    printed = model.make_posterior(replace(as_paper, scale=1.0))
    without_atoms = model.make_posterior(replace(model.reading, sense_share=0.0))

    def context(word: str, usage: Usage) -> NDArray[np.float32]:
        return np.asarray(model.context_vectors(word, [usage])[0])

    def with_model(chosen: SenseModel) -> Callable[[ScwsPair], float | None]:
        return lambda pair: chosen.similarity(pair.word1, pair.word2, context1=pair.usage1, context2=pair.usage2)

    return [
        *([] if model.uses is None else [Method(OURS, "ours", with_model(model.without_encoder()))]),
        Method(OURS if model.uses is None else BY_CODE, "ours", cosine_of(in_context(model, tuned))),
        *_with_encoder(model, with_model(model)),
        Method("ours without atoms", "ours", cosine_of(in_context(model, without_atoms))),
        Method(AS_PAPER, BY_PAPER, product_of(sense_mean(model, paper))),
        Method("paper's method, κ = 1", BY_PAPER, product_of(sense_mean(model, printed))),
        Method("u_c", "ours", cosine_of(sense_mean(model, paper))),
        Method("u_c, tuned", "ours", cosine_of(sense_mean(model, tuned))),
        Method("context", "baseline", cosine_of(context)),
    ]


def _with_encoder(model: SenseModel, both: Callable[[ScwsPair], float | None]) -> list[Method]:
    """The encoder that reads along with a model, with it and by itself."""
    eye = model.second_eye
    if eye is None:
        return []
    alone = Method(ENCODER_ALONE, "ours", lambda pair: eye.similarity(pair.usage1, pair.usage2))
    return [Method(BOTH, "ours", both), alone]


def in_context(model: SenseModel, posterior: Posterior) -> Place:
    """The vector of a word in a usage; an unknown word gets the vector of its context."""
    return lambda word, usage: np.asarray(model.vectors_in_context(word, [usage], posterior)[0])


def sense_mean(model: SenseModel, posterior: Posterior) -> Place:
    """u_c of a word in a usage."""
    weights = lru_cache(maxsize=None)(model.sense_weights)

    def place(word: str, usage: Usage) -> NDArray[np.float32]:
        return np.asarray(posterior.sense_means(weights(word), model.context_vectors(word, [usage], posterior))[0])

    return place


def cosine_method(name: str, embeddings: Embeddings) -> Method:
    """The cosine of two words, regardless of context."""
    units = to_unit(embeddings.vectors)

    def similarity(pair: ScwsPair) -> float | None:
        rows = find_rows(embeddings, [pair.word1, pair.word2])
        return float(units[rows[0]] @ units[rows[1]]) if rows.min() >= 0 else None

    return Method(name, "baseline", similarity)


def competing_methods(inventories: Mapping[str, SenseInventory]) -> list[Method]:
    return [
        Method(f"{name}, {kind}", "competitor", _by_senses(inventory, average=kind == "AvgSimC"))
        for name, inventory in inventories.items()
        for kind in ("AvgSimC", "MaxSimC")
    ]


def cosine_of(place: Place) -> Callable[[ScwsPair], float | None]:
    """The cosine of two words in their contexts; None if one is unknown."""

    def unit(word: str, usage: Usage) -> NDArray[np.float32]:
        return np.asarray(to_unit(place(word, usage)[None])[0])

    return product_of(unit)


def product_of(place: Place) -> Callable[[ScwsPair], float | None]:
    """The inner product of two words in their contexts; None if one is unknown or has no direction."""

    def similarity(pair: ScwsPair) -> float | None:
        try:
            first, second = place(pair.word1, pair.usage1), place(pair.word2, pair.usage2)
        except UnknownWordError:
            return None
        return float(first @ second) if first.any() and second.any() else None

    return similarity


def _by_senses(inventory: SenseInventory, *, average: bool) -> Callable[[ScwsPair], float | None]:
    def similarity(pair: ScwsPair) -> float | None:
        word1, word2 = pair.word1.lower(), pair.word2.lower()  # words are learned in lower case
        try:
            cosines = to_unit(inventory.sense_vectors(word1)) @ to_unit(inventory.sense_vectors(word2)).T
            first = inventory.p_senses(word1, [pair.usage1])[0]
            second = inventory.p_senses(word2, [pair.usage2])[0]
        except UnknownWordError:
            return None
        return float(first @ cosines @ second) if average else float(cosines[first.argmax(), second.argmax()])

    return similarity

"""Vectors for the senses of a new or rare word: its contexts are clustered by sense, and each cluster has a vector.

A vector that is induced from all contexts of a word (Section 4) is a sum over its senses. Where the contexts fall into
clusters (`SenseModel.cluster`, with an encoder if one reads along), each cluster has an induced vector of its own: A
times the mean of its SIF vectors. A context without a known word says nothing and is left out.

Left out: texts without the word, which may be contexts as a whole in `SenseModel.induce`; they have no place to read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import find_contexts
from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, require_texts
from wordatoms.senses.frames import Framed, Results

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel


@dataclass(frozen=True, eq=False, repr=False)
class InducedSense(Framed):
    """One sense of a new or rare word; see `SenseModel.induce_senses`.

    Attributes
    ----------
    word : str
    n_contexts : int
    texts : tuple of int
        Numbers of the texts of its contexts, from 0, the most typical one first.
    nearest : tuple of Neighbour
        The words nearest to its vector.
    vector : ndarray of shape (dim,)

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["a cup of blorp with milk", "hot blorp and sugar", "the blorp left the harbour"]
    >>> first, second = wa.load().induce_senses("blorp", texts, k=2)
    >>> first.n_contexts, sorted(first.texts), second.texts
    (2, [0, 1], (2,))
    """

    word: str
    n_contexts: int
    texts: tuple[int, ...]
    nearest: tuple[Neighbour, ...]
    vector: NDArray[np.float32]


def induce_senses(
    model: SenseModel,
    word: str,
    texts: Iterable[str | Usage],
    k: int | Literal["auto"],
    *,
    n_nearest: int,
    include_target: bool,
    random_state: int,
) -> Results[InducedSense]:
    """Return the senses of a word with induced vectors; see `SenseModel.induce_senses`."""
    places = [
        (number, usage) for number, text in enumerate(require_texts(texts)) for usage in model.usages(word, [text])
    ]
    learned = model.induced_map
    sif, inside = learned.sif(model.embeddings, model.tokenizer), include_target or learned.include_target
    usages = [usage for _, usage in places]
    contexts = find_contexts(word, usages, sif, window=learned.window, include_target=inside)
    known = [number for number, context in enumerate(contexts) if context]
    if not places:
        raise InputError(f"no text has {word!r}; pass texts with the word and words around it.")
    if not known:
        raise InputError(f"no context of {word!r} has a known word; pass texts with the word and words around it.")
    clusters = model.cluster(word, [usages[number] for number in known], k, random_state=random_state)
    found = Results[InducedSense]()
    for cluster in range(len(clusters)):
        members = clusters.members(cluster)
        vector = learned.induce(sif, [contexts[known[member]] for member in members])
        typical = (places[known[member]][0] for member in clusters.typical(cluster, len(members)))
        nearest = tuple(model.embeddings.nearest(vector, n_nearest))
        found.append(InducedSense(clusters.word, len(members), tuple(dict.fromkeys(typical)), nearest, vector))
    return found

"""Labels of atoms: three words that tell a reader what an atom is about.

The words nearest to an atom are often rare: *postseason, clinching, mvp*. A label takes, of the stored nearest words,
those with the largest product of cosine and the root of log frequency, one form of each word. Numbers, genitives, very
frequent words, and words that no dictionary knows or only as names are passed over, unless most of the nearest words
are of this kind: an atom of surnames is labelled by surnames. Of such labels for the atoms of the bundled English
model, 60% share a word with the name that people gave the atom; of the first three nearest words, 49% do.

Left out: names that people gave (`wordatoms.atoms.names`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings

N_LABEL_WORDS = 3
SAME_STEM = 0.7
"""Two words are taken for forms of one word if their common prefix is at least this share of the longer one."""
FUNCTION_WORDS = 500
"""One word in this many, the most frequent ones, is passed over."""
LEAST_SHARE = 1 / 3
"""If a smaller share of the nearest words are common ones, rare words and names are what the atom is about."""
FREQUENCY_POWER = 0.5

IsCommon = Callable[[str], bool]
"""Tells whether a word is one of a dictionary and no name."""


def make_labels(
    embeddings: Embeddings,
    nearest: NDArray[np.int32],
    cosines: NDArray[np.float32],
    is_common: IsCommon = lambda _: True,
) -> tuple[str, ...]:
    """Return the labels of atoms, from the rows of their nearest words and the cosines of these."""
    words = {row: embeddings.words[row] for row in np.unique(nearest).tolist()}
    frequent = _most_frequent(embeddings.counts)
    usable = {row for row, word in words.items() if row not in frequent and _is_plain(word)}
    common = {row for row in usable if is_common(words[row])}
    scores = cosines * _frequency_weights(embeddings.counts, nearest)
    labels = []
    for near, order in zip(nearest.tolist(), np.argsort(-scores, axis=1, kind="stable").tolist(), strict=True):
        found = [near[place] for place in order if near[place] in common]
        first = found if len(found) >= LEAST_SHARE * len(near) else [row for row in near if row in usable]
        labels.append(make_label([words[row] for row in dict.fromkeys([*first, *near])]))
    return tuple(labels)


def make_label(words: Sequence[str]) -> str:
    """Join the first of some words, one form of each: *trousers, blouse, waistcoat*."""
    chosen: list[str] = []
    for word in words:
        if len(chosen) < N_LABEL_WORDS and not any(_same_stem(word, other) for other in chosen):
            chosen.append(word)
    return ", ".join(chosen)


def _same_stem(word: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return shared >= SAME_STEM * max(len(word), len(other))


def _is_plain(word: str) -> bool:
    """Whether a word is no number, no genitive and no abbreviation of one or two letters."""
    return not any(letter.isdigit() or letter in "'’" for letter in word) and not (word.isascii() and len(word) < 3)


def _most_frequent(counts: NDArray[np.int64] | None) -> set[int]:
    if counts is None:
        return set()
    return set(np.argsort(-counts, kind="stable")[: len(counts) // FUNCTION_WORDS].tolist())


def _frequency_weights(counts: NDArray[np.int64] | None, nearest: NDArray[np.int32]) -> NDArray[np.float64]:
    if counts is None:
        return np.ones(nearest.shape)
    return np.asarray(np.log1p(counts[nearest].astype(np.float64)) ** FREQUENCY_POWER)

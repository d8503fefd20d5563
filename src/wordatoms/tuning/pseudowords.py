"""Labelled contexts without annotation: pseudowords, each two words written as one.

A pseudoword joins two unrelated words of similar frequency. Its average context is that of both words together, so by
Theorem 1 its vector is A times the weighted mean of theirs, without any training; its code over the atoms follows. A
text that the model has not seen then has many contexts of a word with two known senses.

Left out: pseudowords as a test of Theorem 2, which need trained vectors (`wordatoms.paper.tasks.pseudowords.evaluate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.contexts.windows import WordWindows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.senses.posterior import Weights, to_unit

N_CONTEXTS = 40
"""Contexts of each of the two words."""
LEAST_LETTERS = 3
MOST_FREQUENT_SHARE = 1e-3
"""More frequent words are function words without clear senses."""
MOST_RATIO = 1.5
"""Maximum ratio of the frequencies of the two words."""
MOST_COSINE = 0.15
"""Maximum cosine of the two words; more similar words are related."""


class Pseudoword(NamedTuple):
    """Two words treated as one."""

    rows: tuple[int, int]
    windows: NDArray[np.int32]
    """Contexts of the first, then as many of the second, (2 * n, 2 * window), without the two words."""
    vector: NDArray[np.float32]
    """The induced vector."""


@dataclass(frozen=True, eq=False)
class PseudowordSet:
    """Pseudowords with their contexts."""

    pseudowords: tuple[Pseudoword, ...]

    def __len__(self) -> int:
        return len(self.pseudowords)

    def halves(self) -> tuple[PseudowordSet, PseudowordSet]:
        """Return every other pseudoword to choose by, and the rest to check with."""
        return PseudowordSet(self.pseudowords[::2]), PseudowordSet(self.pseudowords[1::2])

    def weights(self, atoms: Atoms) -> list[Weights]:
        """Return the atoms of each pseudoword, coded as the words were."""
        vectors = to_unit(np.stack([each.vector for each in self.pseudowords]))
        codes = sparse_code(vectors, atoms.vectors, sparsity=atoms.codes.sparsity, threads=1)
        return [codes.positive(row) or {0: 1.0} for row in range(len(codes))]  # without senses, any atom


def candidate_words(embeddings: Embeddings, n_words: int, *, random_state: int = 0) -> NDArray[np.int64]:
    """Draw the rows of random words to make pseudowords of, in rising order."""
    counts = _counts(embeddings)
    if n_words < 2:
        raise InputError(f"n_words is {n_words}; pass 2 words or more to make pseudowords of.")
    total = int(embeddings.n_tokens or counts.sum())
    shaped = np.array([word.isalpha() and len(word) >= LEAST_LETTERS for word in embeddings.words])
    eligible = np.flatnonzero(shaped & (counts > 0) & (counts <= MOST_FREQUENT_SHARE * total))
    rng = np.random.default_rng(random_state)
    p = counts[eligible] ** 0.5  # between uniform over words and uniform over occurrences
    n_drawn = min(n_words, len(eligible))
    return (
        np.sort(rng.choice(eligible, n_drawn, replace=False, p=p / p.sum())).astype(np.int64) if n_drawn else eligible
    )


def draw_pseudowords(
    embeddings: Embeddings,
    contexts: ContextAverages,
    induced_map: InducedMap,
    windows: WordWindows,
    *,
    n_pseudowords: int,
    n_contexts: int = N_CONTEXTS,
    random_state: int = 0,
) -> PseudowordSet:
    """Draw random pseudowords of words with enough windows; no word is in two of them."""
    _counts(embeddings)
    if n_pseudowords < 2:
        raise InputError(f"n_pseudowords is {n_pseudowords}; pass 2 or more.")
    usable = [int(row) for row in windows.targets if len(windows.of(row)) >= n_contexts]
    pairs = _pair_up(embeddings, usable, n_pseudowords, np.random.default_rng(random_state))
    if len(pairs) < 2:
        raise InputError(
            f"the text gives {len(pairs)} pseudowords: {len(usable):,} words have {n_contexts} contexts in it, and two "
            "unrelated words of similar frequency make one; pass a longer text."
        )
    made = [
        Pseudoword(pair, _joint_windows(windows, pair, n_contexts), _joint_vector(contexts, induced_map, pair))
        for pair in pairs
    ]
    return PseudowordSet(tuple(made))


def _counts(embeddings: Embeddings) -> NDArray[np.int64]:
    if embeddings.counts is None:
        raise InputError("the model's vectors come without counts, and pseudowords need them; train a model from text.")
    return embeddings.counts


def _pair_up(
    embeddings: Embeddings, rows: Sequence[int], n_pairs: int, rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Return random pairs of unrelated words of similar frequency."""
    counts, units = np.asarray(embeddings.counts), to_unit(embeddings.vectors[list(rows)])
    free = np.ones(len(rows), np.bool_)
    pairs: list[tuple[int, int]] = []
    for first in rng.permutation(len(rows)).tolist():
        if len(pairs) == n_pairs:
            break
        if not free[first]:
            continue
        ratios = counts[list(rows)] / counts[rows[first]]
        fits = free & (ratios < MOST_RATIO) & (ratios > 1 / MOST_RATIO) & (units @ units[first] < MOST_COSINE)
        if fits.any():
            second = int(rng.choice(np.flatnonzero(fits)))
            free[[first, second]] = False
            pairs.append((rows[first], rows[second]))
    return pairs


def _joint_windows(windows: WordWindows, pair: tuple[int, int], n_contexts: int) -> NDArray[np.int32]:
    """Return contexts of both words, without the words themselves."""
    around = without_targets(np.concatenate([windows.of(row)[:n_contexts] for row in pair]))
    return np.where(np.isin(around, pair), -1, around).astype(np.int32)


def _joint_vector(contexts: ContextAverages, induced_map: InducedMap, pair: tuple[int, int]) -> NDArray[np.float32]:
    numbers = contexts.n_contexts[list(pair)].astype(np.float64)
    average = numbers @ contexts.averages[list(pair)] / max(numbers.sum(), 1)
    return induced_map.apply(average)

"""Occurrences of phrases → their senses by use, found as those of words; each phrase is a family of its own.

Phrases stand in rows after those of all words. Left out: which phrases, and their occurrences
(`wordatoms.pipeline.phrases`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.contexts.occurrences import Occurrences, WordOccurrences
from wordatoms.contexts.reader import make_reader
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.pipeline.observe import collect_uses
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.families import N_EXAMPLES, FamilySenses, MemberUses, Observer
from wordatoms.senses.inventory import Inventory
from wordatoms.senses.listed import UNLISTED_SIMILAR, ListReader
from wordatoms.senses.observing import N_RANDOM, learn_background
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.uses import SenseUses


def wanted_of_words(counts: NDArray[np.int64], n_most: int) -> int:
    """Return the count by which all words are sampled alike, so that twice `N_RANDOM` random contexts remain."""
    return max(1, int(counts.sum()) * n_most // (2 * N_RANDOM))


@dataclass(frozen=True, eq=False)
class PhraseOccurrences(Occurrences):
    """Occurrences of words, and of some of the phrases that were sampled.

    Phrases are no part of contexts, nor are the words of a phrase part of its own, as in questions about a phrase.
    """

    sampled: Sequence[int]
    """The place of each phrase among those sampled."""
    own_words: Sequence[Sequence[int]]
    """The rows of the words of each phrase."""
    n_vocabulary: int
    """The number of words."""
    width: int
    """Words on each side that are kept."""

    def of(self, row: int) -> WordOccurrences:
        """Return the occurrences of a word, or of the phrase in this row."""
        phrase = row - self.n_vocabulary
        found = super().of(row if phrase < 0 else self.n_vocabulary + self.sampled[phrase])
        windows = narrowed(found.windows, self.width)
        unwanted = (windows >= self.n_vocabulary) | np.isin(windows, () if phrase < 0 else self.own_words[phrase])
        return found._replace(windows=np.where(unwanted, -1, windows).astype(np.int32))


def narrowed(windows: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    """Return the `width` words on each side of windows without their middle, (n, 2 * width)."""
    middle = windows.shape[1] // 2
    return windows[:, middle - width : middle + width]


def find_phrase_uses(
    parts: ModelParts,
    sample: PhraseOccurrences,
    phrases: Sequence[str],
    vectors: NDArray[np.float32],
    counts: Sequence[int],
    codes: SparseCodes,
    *,
    inventory: Inventory | None = None,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> SenseUses:
    """Find the senses of phrases, given with their vectors, counts and codes; those that an inventory lists."""
    words = parts.embeddings
    assert words.counts is not None
    both = Embeddings(
        (*words.words, *phrases), np.concatenate([words.vectors, vectors]), np.concatenate([words.counts, counts])
    )
    reader, atoms = make_reader(both, parts.induced_map, parts.reading), np.asarray(parts.atoms.vectors, np.float32)
    families = [(row,) for row in range(len(words), len(both))]
    with one_blas_thread():
        background = learn_background(reader, atoms, sample, random_state=random_state)
        rows = {phrase: len(words) + number for number, phrase in enumerate(phrases)}
        observer = Observer(
            reader,
            sample,
            background,
            lambda row: codes.positive(row - len(words)),
            ListReader(inventory or Inventory(()), both.words, {**parts.rows, **rows}, reader, background.mean),
            UNLISTED_SIMILAR if inventory else None,
        )
        found = run_threads(observer.observe, families, run.n_threads)
        none = _without_senses(len(words), words.dim)
        return collect_uses(
            [none, *found], [tuple(range(len(words))), *families], reader, background, run, n_nearest_among=len(words)
        )


def _without_senses(n_words: int, dim: int) -> FamilySenses:
    """Return a family of all words, in place of their senses, which the model has already."""
    nothing, examples = np.zeros(0, np.int32), np.zeros((0, N_EXAMPLES, 2), np.int64)
    shares = np.zeros(0, np.float32)
    members = tuple(MemberUses(row, nothing, shares, nothing, 0, examples) for row in range(n_words))
    return FamilySenses(np.zeros((0, dim), np.float32), nothing, np.zeros(0, np.bool_), (), members)

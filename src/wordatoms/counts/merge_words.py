"""Merge words: the vocabulary, counts and text that would result if two words were written as one.

A pseudoword (Section 4.2, test 1) stands for every occurrence of either of two words. Its co-occurrences are sums of
theirs, so the counts of the merged text follow exactly from the original counts, without reading the text again. The
other words keep their order, and each pseudoword is placed by its count.

Left out: merging more than two words, and words outside the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.errors import InputError
from wordatoms.storage.files import Array, write_atomic

JOINT = "+"
"""Joins the two words in the name of a pseudoword; no token contains it."""
ROWS_PER_BLOCK = 1024
"""Rows of the counts processed at a time."""


@dataclass(frozen=True, eq=False)
class Merging:
    """Pairs of words to merge; each row of `pairs`, shape (n_pairs, 2), is two rows of the vocabulary."""

    vocabulary: Vocabulary
    pairs: NDArray[np.intp]

    def __post_init__(self) -> None:
        pairs = np.asarray(self.pairs, np.intp).reshape(-1, 2)
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < len(self.vocabulary):
            raise InputError(f"a pair has a row outside the {len(self.vocabulary):,} words; pass rows of words.")
        rows, n_uses = np.unique(pairs, return_counts=True)
        if (n_uses > 1).any():
            word = self.vocabulary.words[rows[n_uses.argmax()]]
            raise InputError(f"'{word}' occurs {n_uses.max()} times in the pairs; use each word at most once.")
        object.__setattr__(self, "pairs", pairs)

    def __len__(self) -> int:
        """Number of pseudowords."""
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Merging({len(self):,} pairs of {len(self.vocabulary):,} words)"

    @cached_property
    def pseudowords(self) -> tuple[str, ...]:
        """The names of the pairs, in order."""
        words = self.vocabulary.words
        names = tuple(JOINT.join((words[one], words[other])) for one, other in self.pairs)
        for name in names:
            if name in self.vocabulary:
                raise InputError(f"'{name}' is already a word of the text; merge other words.")
        return names

    @cached_property
    def is_merged(self) -> NDArray[np.bool_]:
        """Whether each word of the vocabulary is in a pair, (n_words,)."""
        return np.isin(np.arange(len(self.vocabulary)), self.pairs)

    @cached_property
    def new_vocabulary(self) -> Vocabulary:
        """The vocabulary of the merged text."""
        left = np.flatnonzero(~self.is_merged)
        words = [self.vocabulary.words[row] for row in left] + list(self.pseudowords)
        counts = np.concatenate([self.vocabulary.counts[left], self.vocabulary.counts[self.pairs].sum(axis=1)])
        order = sorted(range(len(words)), key=lambda row: (-counts[row], words[row]))
        return Vocabulary(tuple(words[row] for row in order), counts[order], self.vocabulary.n_tokens)

    @cached_property
    def new_rows(self) -> NDArray[np.int32]:
        """The row of each word, or of its pseudoword, in the new vocabulary, (n_words,)."""
        names = dict(zip(self.pairs.ravel().tolist(), np.repeat(self.pseudowords, 2).tolist(), strict=True))
        new = self.new_vocabulary
        return np.array([new[names.get(row, word)] for row, word in enumerate(self.vocabulary.words)], np.int32)

    @cached_property
    def is_pseudoword(self) -> NDArray[np.bool_]:
        """Whether each word of the new vocabulary is a pseudoword, (n_new_words,)."""
        return np.isin(np.arange(len(self.new_vocabulary)), self.new_rows[self.pairs])


def draw_pairs(vocabulary: Vocabulary, n_pairs: int, *, min_count: int = 1, random_state: int = 0) -> Merging:
    """Draw random disjoint pairs of words, the more frequent word first."""
    eligible = np.flatnonzero(vocabulary.counts >= min_count)
    most = len(eligible) // 2
    if n_pairs < 1:
        raise InputError(f"n_pairs is {n_pairs}; pass 1 or more.")
    if n_pairs > most:
        raise InputError(
            f"n_pairs is {n_pairs:,}, but {len(eligible):,} words occur {min_count:,} times or more, "
            f"enough for {most:,}; pass {'fewer pairs' if most else 'a larger vocabulary'} or a lower min_count."
        )
    drawn = np.random.default_rng(random_state).permutation(eligible)[: 2 * n_pairs]
    return Merging(vocabulary, np.sort(drawn.reshape(n_pairs, 2), axis=1))


def merge_counts(counts: Counts, merging: Merging, *, pseudowords_only: bool = False) -> Counts:
    """Return the counts of the merged text; `pseudowords_only` drops pairs of two unmerged words."""
    from scipy.sparse import coo_array

    if merging.vocabulary.words != counts.vocabulary.words:
        raise InputError("the words to merge are from another vocabulary; pass that of the counts.")
    cells = [_moved_cells(block, merging) for block in _cell_blocks(counts, merging, pseudowords_only=pseudowords_only)]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    shape = (len(merging.new_vocabulary),) * 2
    upper = coo_array((values, (rows, columns)), shape=shape).tocsr()  # sums equal cells, as integers
    upper.sort_indices()
    return Counts(
        merging.new_vocabulary,
        upper.indptr.astype(np.int64),
        upper.indices.astype(np.int32),
        upper.data,
        counts.window,
        counts.weighting,
        counts.unit,
    )


def _cell_blocks(
    counts: Counts, merging: Merging, *, pseudowords_only: bool
) -> Iterator[tuple[Array, Array, NDArray[np.int64]]]:
    """Yield rows, columns and values of the cells, some rows at a time."""
    for first in range(0, len(counts), ROWS_PER_BLOCK):
        indptr = counts.indptr[first : first + ROWS_PER_BLOCK + 1]
        rows = np.repeat(np.arange(first, first + len(indptr) - 1, dtype=np.int32), np.diff(indptr))
        columns, values = counts.indices[indptr[0] : indptr[-1]], counts.values[indptr[0] : indptr[-1]]
        if pseudowords_only:
            kept = np.flatnonzero(merging.is_merged[rows] | merging.is_merged[columns])
            rows, columns, values = rows[kept], columns[kept], values[kept]
        yield rows, columns, values


def _moved_cells(cells: tuple[Array, Array, NDArray[np.int64]], merging: Merging) -> tuple[Array, Array, Array]:
    """Return the cells at their new positions in the upper triangle.

    A cell stands for itself and its mirror image; when its two words are merged, both fall on the diagonal.
    """
    rows, columns, values = cells
    new_rows, new_columns = merging.new_rows[rows], merging.new_rows[columns]
    is_doubled = (new_rows == new_columns) & (rows != columns)
    return np.minimum(new_rows, new_columns), np.maximum(new_rows, new_columns), np.where(is_doubled, 2, 1) * values


def merge_lines(lines: Path, merging: Merging, to: Path) -> None:
    """Copy a text of words separated by spaces, replacing merged words by their pseudowords."""
    words = merging.vocabulary.words
    pairs = zip(merging.pairs, merging.pseudowords, strict=True)
    names = {words[row].encode(): name.encode() for pair, name in pairs for row in pair}
    with lines.open("rb") as file, write_atomic(to) as out:
        for line in file:
            out.write(b" ".join([names.get(word, word) for word in line.split()]) + b"\n")

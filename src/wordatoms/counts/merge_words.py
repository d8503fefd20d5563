"""Merging words: the vocabulary, the counts and the text that there would be if two words were written as one.

A pseudoword (Section 4.2 of the paper, test 1) stands for every occurrence of either of two words. Its co-occurrences
are sums of theirs, so the counts of the changed text follow exactly from those of the text, without reading it again.
A merged word leaves the order of the others as it was and is itself put where its count belongs.

Left out: merging more than two words into one, and words of the text that are not in the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
"""Between the two words in the name of a pseudoword; no token of running text holds it."""
ROWS_PER_BLOCK = 1024
"""Rows of the counts that are looked through at a time."""


@dataclass(frozen=True, eq=False)
class Merging:
    """Which words of a vocabulary become one: each row of `pairs` is two of its rows, (n_pairs, 2)."""

    vocabulary: Vocabulary
    pairs: NDArray[np.intp]

    def __post_init__(self) -> None:
        pairs = np.asarray(self.pairs, np.intp).reshape(-1, 2)
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < len(self.vocabulary):
            raise InputError(f"a pair names a row outside the {len(self.vocabulary):,} words; pass rows of words.")
        rows, n_uses = np.unique(pairs, return_counts=True)
        if (n_uses > 1).any():
            word = self.vocabulary.words[rows[n_uses.argmax()]]
            raise InputError(f"'{word}' is to be merged {n_uses.max()} times; put each word into one pair at most.")
        object.__setattr__(self, "pairs", pairs)

    def __len__(self) -> int:
        """Number of pseudowords."""
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"Merging({len(self):,} pairs of {len(self.vocabulary):,} words)"

    @cached_property
    def pseudowords(self) -> tuple[str, ...]:
        """The name of each pair, in order."""
        words = self.vocabulary.words
        names = tuple(JOINT.join((words[one], words[other])) for one, other in self.pairs)
        for name in names:
            if name in self.vocabulary:
                raise InputError(f"'{name}' is a word of the text already; merge other words.")
        return names

    @cached_property
    def is_merged(self) -> NDArray[np.bool_]:
        """Whether each word of the vocabulary is in a pair, (n_words,)."""
        return np.isin(np.arange(len(self.vocabulary)), self.pairs)

    @cached_property
    def new_vocabulary(self) -> Vocabulary:
        """The vocabulary of the changed text."""
        left = np.flatnonzero(~self.is_merged)
        words = [self.vocabulary.words[row] for row in left] + list(self.pseudowords)
        counts = np.concatenate([self.vocabulary.counts[left], self.vocabulary.counts[self.pairs].sum(axis=1)])
        order = sorted(range(len(words)), key=lambda row: (-counts[row], words[row]))
        return Vocabulary(tuple(words[row] for row in order), counts[order], self.vocabulary.n_tokens)

    @cached_property
    def new_rows(self) -> NDArray[np.int32]:
        """Where each word of the vocabulary, or its pseudoword, is in the new one, (n_words,)."""
        names = dict(zip(self.pairs.ravel().tolist(), np.repeat(self.pseudowords, 2).tolist(), strict=True))
        new = self.new_vocabulary
        return np.array([new[names.get(row, word)] for row, word in enumerate(self.vocabulary.words)], np.int32)

    @cached_property
    def is_pseudoword(self) -> NDArray[np.bool_]:
        """Whether each word of the new vocabulary is a pseudoword, (n_new_words,)."""
        return np.isin(np.arange(len(self.new_vocabulary)), self.new_rows[self.pairs])


def draw_pairs(vocabulary: Vocabulary, n_pairs: int, *, min_count: int = 1, random_state: int = 0) -> Merging:
    """Random pairs of words, the more frequent first, no word in two of them."""
    eligible = np.flatnonzero(vocabulary.counts >= min_count)
    most = len(eligible) // 2
    if n_pairs < 1:
        raise InputError(f"n_pairs is {n_pairs}; pass 1 or more.")
    if n_pairs > most:
        raise InputError(
            f"{n_pairs:,} pairs are asked for, but {len(eligible):,} words occur {min_count:,} times or more, "
            f"enough for {most:,}; pass {'fewer pairs' if most else 'a larger vocabulary'} or a lower min_count."
        )
    drawn = np.random.default_rng(random_state).permutation(eligible)[: 2 * n_pairs]
    return Merging(vocabulary, np.sort(drawn.reshape(n_pairs, 2), axis=1))


def merge_counts(counts: Counts, merging: Merging, *, pseudowords_only: bool = False) -> Counts:
    """The counts of the changed text; with `pseudowords_only`, without the pairs of two words that stay as they are."""
    from scipy.sparse import coo_array

    if merging.vocabulary.words != counts.vocabulary.words:
        raise InputError("the words to merge are rows of another vocabulary; pass that of the counts.")
    cells = [_moved_cells(block, merging) for block in _cell_blocks(counts, merging, pseudowords_only=pseudowords_only)]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    shape = (len(merging.new_vocabulary),) * 2
    upper = coo_array((values, (rows, columns)), shape=shape).tocsr()  # adds up what falls on one cell, in integers
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
    """Rows, columns and values of the cells, some rows at a time."""
    for first in range(0, len(counts), ROWS_PER_BLOCK):
        indptr = counts.indptr[first : first + ROWS_PER_BLOCK + 1]
        rows = np.repeat(np.arange(first, first + len(indptr) - 1, dtype=np.int32), np.diff(indptr))
        columns, values = counts.indices[indptr[0] : indptr[-1]], counts.values[indptr[0] : indptr[-1]]
        if pseudowords_only:
            kept = np.flatnonzero(merging.is_merged[rows] | merging.is_merged[columns])
            rows, columns, values = rows[kept], columns[kept], values[kept]
        yield rows, columns, values


def _moved_cells(cells: tuple[Array, Array, NDArray[np.int64]], merging: Merging) -> tuple[Array, Array, Array]:
    """The cells at their new places in the upper triangle.

    A cell stands for itself and its mirror image. Where two words become one, both fall on the diagonal.
    """
    rows, columns, values = cells
    new_rows, new_columns = merging.new_rows[rows], merging.new_rows[columns]
    is_doubled = (new_rows == new_columns) & (rows != columns)
    return np.minimum(new_rows, new_columns), np.maximum(new_rows, new_columns), np.where(is_doubled, 2, 1) * values


def merge_lines(lines: Path, merging: Merging, to: Path) -> None:
    """Write a text of words between spaces again, with pseudowords in place of the merged words."""
    names = _byte_names(merging.vocabulary.words, merging)
    with lines.open("rb") as file, write_atomic(to) as out:
        for line in file:
            out.write(b" ".join([names.get(word, word) for word in line.split()]) + b"\n")


def _byte_names(words: Sequence[str], merging: Merging) -> dict[bytes, bytes]:
    return {
        words[row].encode(): name.encode()
        for pair, name in zip(merging.pairs, merging.pseudowords, strict=True)
        for row in pair
    }

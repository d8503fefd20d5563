"""Pairs of words cut into blocks that share no word, so that threads can train on them in parallel.

Threads that race for the same vectors make every run different. Here the words are dealt to a fixed number of groups,
and the pairs are cut into blocks by the groups of their two words. As in a round-robin tournament, each group meets
each group once per epoch, and the blocks of a round share no group. So the result depends on the seed only, not on the
number of threads, and a block touches few enough vectors to keep them in the cache.

Words are dealt in turn by decreasing count, for blocks of equal size. The rows of a group and the partners of a row are
shuffled once; in the order of the counts the loss decreases more slowly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.kernels import factor
from wordatoms.kernels.factor import WIDTH, Layout, Pairs, Side, Triangle, Weighting
from wordatoms.parallel import run_threads

Result = TypeVar("Result")
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Pairing = tuple[int, int]
"""Two groups that meet."""

MOST_GROUPS = 64
"""Up to half as many blocks run in parallel."""
WORDS_PER_GROUP = 64
"""Minimum words per group; a small vocabulary has fewer groups."""
WORDS_PER_TASK = 256
FLOATS_PER_LINE = 16
"""Float32 numbers per cache line. Each vector in training starts at one, so that no two vectors share a line and
vector instructions load aligned data."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of a vocabulary, those of each word cut into segments by the group of the partner.

    Vectors in training are stored as rows, those of a group together. Each group starts with a padding row, the partner
    in pairs of weight 0.
    """

    layout: Layout
    group_starts: NDArray[np.int64]
    """First row of each group, and the number of rows, shape (n_groups + 1,)."""
    bounds: NDArray[np.int64]
    """Bounds of the segments, by group of the partner and then row of the word, shape (n_groups * n_rows + 1,)."""
    pairs: Pairs
    n_pairs: int
    moments: NDArray[np.float64]
    """Σ f, Σ f·log X and Σ f·(log X)²."""

    @property
    def n_groups(self) -> int:
        return len(self.group_starts) - 1

    @property
    def n_rows(self) -> int:
        return int(self.group_starts[-1])

    def rows(self, group: int) -> slice:
        return slice(int(self.group_starts[group]), int(self.group_starts[group + 1]))

    def side(self, group: int, vectors: Floats, squares: Floats) -> Side:
        return Side(vectors[self.rows(group)], squares[self.rows(group)])

    def segments(self, left: int, right: int) -> NDArray[np.int64]:
        """Bounds of the segments of one group of words with partners in another."""
        rows, offset = self.rows(left), right * self.n_rows
        return self.bounds[offset + rows.start : offset + rows.stop + 1]

    def rounds(self) -> list[list[Pairing]]:
        """The rounds of the tournament, without pairings of groups that have no pairs."""

        def have_pairs(one: int, other: int) -> bool:
            bounds = (self.segments(one, other), self.segments(other, one))
            return any(segments[0] < segments[-1] for segments in bounds)

        met = [[groups for groups in pairings if have_pairs(*groups)] for pairings in tournament(self.n_groups)]
        return [pairings for pairings in met if pairings]

    def spread(self, values: Floats, *, padding: float = 0.0) -> Floats:
        """Arrange values of words, (n_words,), as rows in training."""
        rows = np.full(self.n_rows, padding, np.float32)
        rows[self.layout.row] = values
        return rows

    def spread_vectors(self, vectors: Floats) -> Floats:
        """Arrange vectors of words, (n_words, dim), as rows in training, padded with zeros to whole cache lines."""
        dim = vectors.shape[1]
        rows = _aligned_zeros(self.n_rows, ceil(dim / FLOATS_PER_LINE) * FLOATS_PER_LINE)
        rows[self.layout.row, :dim] = vectors
        return rows

    def gather(self, rows: Floats) -> Floats:
        """The values of words, (n_words, …), from rows in training."""
        return rows[self.layout.row]


def tournament(n_groups: int) -> list[list[Pairing]]:
    """Rounds in which each group meets itself first and then every other group once; `n_groups` is even."""
    first, *others = range(n_groups)
    rounds = [[(group, group) for group in range(n_groups)]]
    for turn in range(len(others)):  # the circle method: one group stays, the others move on by one
        circle = [first, *others[turn:], *others[:turn]]
        half = len(circle) // 2
        rounds.append(list(zip(circle[:half], reversed(circle[half:]), strict=True)))
    return rounds


def _aligned_zeros(n_rows: int, width: int) -> Floats:
    """Zeros that start at a cache line, which numpy does not guarantee."""
    buffer = np.zeros((n_rows + 1) * width, np.float32)
    start = -(buffer.ctypes.data // buffer.itemsize) % FLOATS_PER_LINE
    return buffer[start : start + n_rows * width].reshape(n_rows, width)


def cut_pairs(
    counts: Counts,
    weighting: Weighting,
    *,
    min_value: float,
    self_pairs: bool,
    is_fixed: Mask,
    random_state: int,
    threads: int,
) -> Blocks:
    """Sort pairs into blocks, without pairs below `min_value`, of two fixed words or, optionally, of a word with
    itself."""
    triangle = Triangle(
        indptr=np.asarray(counts.indptr),
        indices=np.asarray(counts.indices),
        values=np.asarray(counts.values),
        unit=float(counts.unit),
        least=min_value * counts.unit,
        fixed=is_fixed,
        self_pairs=self_pairs,
    )
    layout, group_starts = _deal_words(len(counts), random_state)

    def by_words(kernel: Callable[..., Result], *arguments: object) -> list[Result]:
        def run(first: int) -> Result:
            return kernel(first, min(first + WORDS_PER_TASK, len(counts)), triangle, layout, *arguments)

        return run_threads(run, range(0, len(counts), WORDS_PER_TASK), threads)

    # two passes over the counts: the sizes of all segments first, then the pairs in place, without a second copy
    sizes = np.zeros((len(group_starts) - 1, group_starts[-1]), np.int64)
    by_words(factor.count_segments, sizes)
    bounds = np.concatenate([[0], np.cumsum(-(-sizes // WIDTH) * WIDTH)])
    n_slots = int(bounds[-1])
    # partners are rows within a group: 16 bits nearly always suffice, and the pairs are most of the memory
    place_type = np.uint16 if layout.place.max() <= np.iinfo(np.uint16).max else np.uint32
    # zeros are padding: pairs with row 0 of weight 0
    pairs = Pairs(np.zeros(n_slots, place_type), np.zeros(n_slots, np.float32), np.zeros(n_slots, np.float32))
    moments = by_words(factor.fill_segments, weighting, random_state, bounds[:-1].reshape(sizes.shape), pairs)
    return Blocks(layout, group_starts, bounds, pairs, int(sizes.sum()), np.sum(moments, axis=0))


def _deal_words(n_words: int, random_state: int) -> tuple[Layout, NDArray[np.int64]]:
    """Deal the words to groups; return where each word is stored, and where the groups start."""
    n_groups = 2 * min(max(n_words // (2 * WORDS_PER_GROUP), 1), MOST_GROUPS // 2)
    rng = np.random.default_rng(random_state)
    group = np.arange(n_words, dtype=np.int32) % n_groups
    place = np.empty(n_words, np.int32)
    for first in range(n_groups):
        members = place[first::n_groups]
        members[:] = 1 + rng.permutation(len(members))
    group_starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups) + 1)])
    return Layout(group, place, (group_starts[group] + place).astype(np.int32)), group_starts

"""Pairs of words cut into blocks that share no word, so that threads can train on them side by side.

Threads that race for the same vectors make every run different. Here the words are dealt to a fixed number of groups,
and the pairs cut into blocks by the groups of their two words. As in a round-robin tournament, each group meets each
group once in an epoch, and the blocks of a round share no group. So the result depends on the seed alone and not on the
number of threads, and a block touches few enough vectors to keep them near the processor.

Words are dealt in turn by falling count, for blocks of equal size. The rows of a group and the partners of a row are
shuffled once; in the order of the counts the loss falls more slowly.
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
"""Half as many blocks can run side by side."""
WORDS_PER_GROUP = 64
"""A small vocabulary has fewer groups rather than smaller ones."""
WORDS_PER_TASK = 256
FLOATS_PER_LINE = 16
"""Single-precision numbers in a cache line; every vector in training begins with one."""


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of a vocabulary, those of each word cut into segments by the group of the partner.

    Vectors in training stand in rows, those of a group together; each group begins with a row that is nobody's.
    """

    layout: Layout
    group_starts: NDArray[np.int64]
    """First row of each group, and the number of rows, (n_groups + 1,)."""
    bounds: NDArray[np.int64]
    """Where segments begin and end, by group of the partner and then row of the word, (n_groups * n_rows + 1,)."""
    pairs: Pairs
    n_pairs: int
    moments: NDArray[np.float64]
    """Σ f, Σ f·log X and Σ f·(log X)², (3,)."""

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
        """Bounds of the segments of the words of one group with partners in another."""
        rows, offset = self.rows(left), right * self.n_rows
        return self.bounds[offset + rows.start : offset + rows.stop + 1]

    def rounds(self) -> list[list[Pairing]]:
        """The rounds of the tournament, without groups that have no pairs with each other."""
        met = [
            [pairing for pairing in pairings if self._have_pairs(*pairing)] for pairings in tournament(self.n_groups)
        ]
        return [pairings for pairings in met if pairings]

    def _have_pairs(self, one: int, other: int) -> bool:
        bounds = (self.segments(one, other), self.segments(other, one))
        return any(segments[0] < segments[-1] for segments in bounds)

    def spread(self, values: Floats, *, nobody: float = 0.0) -> Floats:
        """Values of words, (n_words,), as rows in training."""
        rows = np.full(self.n_rows, nobody, np.float32)
        rows[self.layout.row] = values
        return rows

    def spread_vectors(self, vectors: Floats) -> Floats:
        """Vectors of words, (n_words, dim), as rows in training, filled up with zeros to whole cache lines."""
        dim = vectors.shape[1]
        rows = _aligned_zeros(self.n_rows, ceil(dim / FLOATS_PER_LINE) * FLOATS_PER_LINE)
        rows[self.layout.row, :dim] = vectors
        return rows

    def gather(self, rows: Floats) -> Floats:
        """The values of words, (n_words, …), out of rows in training."""
        return rows[self.layout.row]


def tournament(n_groups: int) -> list[list[Pairing]]:
    """Rounds in which each group meets each other group once, and itself in the first; `n_groups` is even."""
    first, *others = range(n_groups)
    rounds = [[(group, group) for group in range(n_groups)]]
    for turn in range(len(others)):
        circle = [first, *others[turn:], *others[:turn]]
        half = len(circle) // 2
        rounds.append(list(zip(circle[:half], reversed(circle[half:]), strict=True)))
    return rounds


def _aligned_zeros(n_rows: int, width: int) -> Floats:
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
    """Sort pairs into blocks, without those below `min_value`, of two fixed words or of a word with itself."""
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

    sizes = np.zeros((len(group_starts) - 1, group_starts[-1]), np.int64)
    by_words(factor.count_segments, sizes)
    bounds = np.concatenate([[0], np.cumsum(-(-sizes // WIDTH) * WIDTH)])
    pairs = _no_pairs(int(bounds[-1]), int(layout.place.max()))
    moments = by_words(factor.fill_segments, weighting, random_state, bounds[:-1].reshape(sizes.shape), pairs)
    return Blocks(layout, group_starts, bounds, pairs, int(sizes.sum()), np.sum(moments, axis=0))


def _no_pairs(length: int, last_place: int) -> Pairs:
    """Pairs with nobody, of no weight."""
    place_type = np.uint16 if last_place <= np.iinfo(np.uint16).max else np.uint32
    return Pairs(np.zeros(length, place_type), np.zeros(length, np.float32), np.zeros(length, np.float32))


def _deal_words(n_words: int, random_state: int) -> tuple[Layout, NDArray[np.int64]]:
    """Where each word is in training, and where the groups start."""
    n_groups = 2 * min(max(n_words // (2 * WORDS_PER_GROUP), 1), MOST_GROUPS // 2)
    rng = np.random.default_rng(random_state)
    group = np.arange(n_words, dtype=np.int32) % n_groups
    place = np.empty(n_words, np.int32)
    for first in range(n_groups):
        members = place[first::n_groups]
        members[:] = 1 + rng.permutation(len(members))
    group_starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups) + 1)])
    return Layout(group, place, (group_starts[group] + place).astype(np.int32)), group_starts

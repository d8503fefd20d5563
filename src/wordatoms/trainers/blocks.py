"""What SN and GloVe share: pairs cut into blocks that share no word, and the epochs over them.

Threads that race for the same vectors make every run different. Here the words are dealt to a fixed number of groups,
and the pairs cut into blocks by the groups of their two words. As in a round-robin tournament, each group meets each
group once in an epoch; the blocks of a round share no group and run side by side. What all blocks share is constant
within a round. So the result depends on the seed alone and not on the number of threads, and a block touches few enough
vectors to keep them near the processor.

Words are dealt in turn by falling count, for blocks of equal size. The rows of a group and the partners of a row are
shuffled once and the rounds in each epoch; in the order of the counts the loss falls more slowly. Steps shrink linearly
to nothing over the epochs.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from time import monotonic, perf_counter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts import Counts
from wordatoms.embeddings import Embeddings
from wordatoms.errors import DivergedError, InputError
from wordatoms.kernels import factor
from wordatoms.kernels.factor import WIDTH, Layout, Pairs, Side, Triangle, Weighting
from wordatoms.parallel import run_threads
from wordatoms.progress import TrainingCallback, TrainingReport
from wordatoms.store import Array, Checkpoint
from wordatoms.vocabulary import Vocabulary

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Round = list[tuple[int, int]]
Sums = tuple[float, ...]
"""What a block adds up, the loss first."""

MOST_GROUPS = 64
"""Half as many blocks can run side by side."""
WORDS_PER_GROUP = 16
"""A small vocabulary has fewer groups rather than smaller ones."""
WORDS_PER_TASK = 256
FLOATS_PER_LINE = 16
"""Single-precision numbers in a cache line; rows of vectors begin with a line."""
SECONDS_BETWEEN_CHECKPOINTS = 30.0
DIVERGED = 2.0
"""A loss this many times the lowest so far will not come back."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Blocks:
    """The pairs of a vocabulary, those of each word cut into segments by the group of the partner.

    The vectors in training stand in rows by group; each group begins with a row that is nobody's.
    """

    layout: Layout
    group_starts: NDArray[np.int64]
    """First row of each group, and the number of rows, (n_groups + 1,)."""
    bounds: NDArray[np.int64]
    """Segments by group of the partner, then by row of the word: begin and end of each, (n_groups * n_rows + 1,)."""
    pairs: Pairs
    n_pairs: int
    moments: NDArray[np.float64]
    """Σ f, Σ f·log X, Σ f·(log X)², (3,)."""

    @property
    def n_groups(self) -> int:
        return len(self.group_starts) - 1

    @property
    def n_rows(self) -> int:
        return int(self.group_starts[-1])

    def rows(self, group: int) -> slice:
        return slice(self.group_starts[group], self.group_starts[group + 1])

    def segments(self, left: int, right: int) -> NDArray[np.int64]:
        """The bounds of the segments of the words of one group with partners in another."""
        rows = self.rows(left)
        offset = right * self.n_rows
        return self.bounds[offset + rows.start : offset + rows.stop + 1]

    def side(self, group: int, vectors: Floats, squares: Floats) -> Side:
        return Side(vectors[self.rows(group)], squares[self.rows(group)])

    def spread(self, values: Array, nobody: float = 0.0) -> Floats:
        """Values of words, (n_words, …), as rows in training; vectors get zeros up to full cache lines."""
        width = values.shape[1:] and (ceil(values.shape[1] / FLOATS_PER_LINE) * FLOATS_PER_LINE,)
        rows = _aligned_empty((self.n_rows, *width))
        rows[...] = nobody
        rows[(self.layout.row, *map(slice, values.shape[1:]))] = values
        return rows

    def gather(self, rows: Floats, width: int | None = None) -> Floats:
        """The values of words, (n_words, …), out of rows in training."""
        values = rows[self.layout.row]
        return values if width is None else values[:, :width]

    def tournament(self) -> list[Round]:
        """Rounds in which each group meets each other once, and itself in the first."""
        first, *others = range(self.n_groups)
        rounds = [[(group, group) for group in range(self.n_groups)]]
        for turn in range(len(others)):
            circle = [first, *others[turn:], *others[:turn]]
            half = len(circle) // 2
            rounds.append(list(zip(circle[:half], reversed(circle[half:]), strict=True)))
        return rounds


def _aligned_empty(shape: tuple[int, ...]) -> Floats:
    buffer = np.empty(int(np.prod(shape)) + FLOATS_PER_LINE, np.float32)
    start = -buffer.ctypes.data // buffer.itemsize % FLOATS_PER_LINE
    return buffer[start : start + int(np.prod(shape))].reshape(shape)


def cut_pairs(
    counts: Counts,
    weighting: Weighting,
    *,
    min_value: float,
    fixed: Mask,
    self_pairs: bool,
    random_state: int,
    threads: int,
) -> Blocks:
    """Sort the pairs of counts into blocks, without those below `min_value` and those of two fixed words."""
    arrays = (np.asarray(array) for array in (counts.indptr, counts.indices, counts.values))
    triangle = Triangle(
        *arrays, unit=float(counts.unit), least=min_value * counts.unit, fixed=fixed, self_pairs=self_pairs
    )
    layout, group_starts = _deal_words(len(counts), random_state)
    n_groups, n_rows = len(group_starts) - 1, int(group_starts[-1])
    tasks = range(0, len(counts), WORDS_PER_TASK)

    def stop(first: int) -> int:
        return min(first + WORDS_PER_TASK, len(counts))

    sizes = np.zeros((n_groups, n_rows), np.int64)
    run_threads(lambda first: factor.count_segments(first, stop(first), triangle, layout, sizes), tasks, threads)
    bounds = np.concatenate([[0], np.cumsum(-(-sizes // WIDTH) * WIDTH)])
    starts, pairs = bounds[:-1].reshape(sizes.shape), _no_pairs(bounds[-1], int(layout.place.max(initial=0)))
    fill = (triangle, layout, weighting, random_state, starts, pairs)
    moments = run_threads(lambda first: factor.fill_segments(first, stop(first), *fill), tasks, threads)
    return Blocks(layout, group_starts, bounds, pairs, int(sizes.sum()), np.sum(moments, axis=0))


def _no_pairs(length: int, last_place: int) -> Pairs:
    """Pairs of nobody, without weight."""
    place_type = np.uint16 if last_place <= np.iinfo(np.uint16).max else np.uint32
    return Pairs(np.zeros(length, place_type), np.zeros(length, np.float32), np.zeros(length, np.float32))


def _deal_words(n_words: int, random_state: int) -> tuple[Layout, NDArray[np.int64]]:
    n_groups = 2 * min(max(n_words // (2 * WORDS_PER_GROUP), 1), MOST_GROUPS // 2)
    rng = np.random.default_rng(random_state)
    group = np.arange(n_words, dtype=np.int32) % n_groups
    place = np.empty(n_words, np.int32)
    for members in (place[first::n_groups] for first in range(n_groups)):
        members[:] = 1 + rng.permutation(len(members))
    group_starts = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups) + 1)])
    row = (group_starts[group] + place).astype(np.int32)
    return Layout(group, place, row), group_starts


class Factors(Protocol):
    """Vectors in training, as the epochs see them."""

    @property
    def arrays(self) -> Mapping[str, Array]:
        """All that training changes, in place."""

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> Sums:
        """One pass over the pairs of two groups."""

    def end_round(self, sums: Sequence[Sums], progress: float) -> None:
        """Move what all blocks share; `progress` goes from 0 to 1 over the epochs."""


class Plan(NamedTuple):
    """How to train."""

    epochs: int
    learning_rate: float
    random_state: int
    threads: int
    checkpoint: Checkpoint | None
    callback: TrainingCallback | None


def run_epochs(factors: Factors, blocks: Blocks, plan: Plan) -> None:
    """Train, going on from the checkpoint where there is one."""
    lowest = np.array(inf)
    arrays = {**factors.arrays, "lowest_loss": lowest}
    saved_at = monotonic()
    for epoch in range(_resume(arrays, plan.checkpoint), plan.epochs):
        started = perf_counter()
        loss = _run_epoch(factors, blocks, plan, epoch) / blocks.n_pairs
        _check_loss(loss, float(lowest), epoch, plan)
        lowest[...] = min(lowest, loss)
        if plan.checkpoint and monotonic() - saved_at >= SECONDS_BETWEEN_CHECKPOINTS:
            plan.checkpoint.save(epoch + 1, arrays)
            saved_at = monotonic()
        if plan.callback:
            plan.callback(TrainingReport(epoch + 1, plan.epochs, loss, perf_counter() - started))


def _resume(arrays: Mapping[str, Array], checkpoint: Checkpoint | None) -> int:
    """Take up the arrays of the checkpoint; the number of epochs they have behind them."""
    saved = checkpoint.load() if checkpoint else None
    if saved is None:
        return 0
    if any(name not in saved.arrays or saved.arrays[name].shape != array.shape for name, array in arrays.items()):
        log.warning("the checkpoint does not fit these counts and settings; training starts from the beginning")
        return 0
    for name, array in arrays.items():
        array[...] = saved.arrays[name]
    return saved.step


def _run_epoch(factors: Factors, blocks: Blocks, plan: Plan, epoch: int) -> float:
    rounds = blocks.tournament()
    order = np.random.default_rng([plan.random_state, epoch]).permutation(len(rounds))
    loss = 0.0
    for turn, chosen in enumerate(order):
        progress = (epoch + turn / len(rounds)) / plan.epochs
        sums = run_round(factors, blocks, rounds[chosen], plan.learning_rate * (1 - progress), plan.threads)
        factors.end_round(sums, progress)
        loss += sum(block[0] for block in sums)
    return loss


def run_round(factors: Factors, blocks: Blocks, pairings: Round, rate: float, threads: int) -> list[Sums]:
    """Run the blocks of a round side by side."""

    def run(groups: tuple[int, int]) -> Sums:
        directions = {groups, groups[::-1]}
        return np.sum([factors.step(blocks, left, right, rate) for left, right in sorted(directions)], axis=0)

    return run_threads(run, pairings, threads)


def _check_loss(loss: float, lowest: float, epoch: int, plan: Plan) -> None:
    if not loss <= DIVERGED * lowest:  # NaN is not
        raise DivergedError(
            f"the loss went from {lowest:.4g} to {loss:.4g} in epoch {epoch + 1} of {plan.epochs}; "
            f"pass a learning_rate below {plan.learning_rate:g}, such as {plan.learning_rate / 4:g}."
        )

"""The training that SN and GloVe share: its start, the epochs over blocks of pairs, and when to stop with an error.

In each round of an epoch, blocks that share no word run in parallel (`wordatoms.embeddings.trainers.blocks`); what they
do share is constant until the round is over. The order of the rounds changes from epoch to epoch. Steps are AdaGrad's,
times a factor that decreases linearly to 0 over the epochs. Everything random comes from the seed, so a training
that continues from a checkpoint ends in the same bytes as an uninterrupted one.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import inf, sqrt
from time import monotonic, perf_counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.blocks import Blocks, Floats, Mask, Pairing, cut_pairs
from wordatoms.errors import DivergedError, InputError
from wordatoms.kernels.factor import Weighting
from wordatoms.parallel import resolve_threads, run_threads
from wordatoms.progress import TrainingCallback, TrainingReport
from wordatoms.storage.files import Array, Checkpoint

Sums = NDArray[np.float64]
"""Sums over the pairs of a block, the loss first."""

FIRST_SQUARE = 0.1
"""Initial value of AdaGrad's accumulators per dimension; small, so that words with few pairs move as well."""
SECONDS_BETWEEN_CHECKPOINTS = 30.0
WORST_START = 50.0
"""Largest loss during training, as a multiple of the easy one; SN starts at 17 times the loss of a constant."""
DIVERGED = 2.0
"""A training must not end with a loss above this multiple of its lowest loss…"""
NEGLIGIBLE = 0.1
"""…unless the loss is below this share of the easy one."""
ENOUGH_EPOCHS = 10
"""After this many epochs a bad loss is an error; before, more epochs may help and there is only a warning."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, kw_only=True)
class Job:
    """The checked parameters of a training, and the values that it starts from."""

    counts: Counts
    dim: int
    epochs: int
    learning_rate: float
    min_value: float
    self_pairs: bool
    random_state: int
    threads: int | None
    start: Embeddings | None
    fixed: Collection[str] | Mask | None
    checkpoint: Checkpoint | None
    callback: TrainingCallback | None

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Job:
        """Pick the shared parameters from those of a trainer (its `locals()`)."""
        return cls(**{field.name: parameters[field.name] for field in fields(cls)})

    def __post_init__(self) -> None:
        if self.counts.n_pairs == 0:
            raise InputError("the counts have no pair of words; count a longer text or keep more words.")
        for name, least in (("dim", 1), ("epochs", 1), ("min_value", 0)):
            if not getattr(self, name) >= least:
                raise InputError(f"{name} is {getattr(self, name)}; pass {least} or more.")
        if not 0 < self.learning_rate < inf:
            raise InputError(f"learning_rate is {self.learning_rate}; pass a positive number, such as 0.3.")
        if self.start is not None and self.start.dim != self.dim:
            raise InputError(f"start has {self.start.dim} dimensions and dim is {self.dim}; pass dim={self.start.dim}.")

    @property
    def words(self) -> tuple[str, ...]:
        return self.counts.vocabulary.words

    @property
    def rate(self) -> float:
        """The step size of a vector; an accumulator for all dimensions is `dim` times as large as one for each."""
        return self.learning_rate * sqrt(self.dim)

    @cached_property
    def n_threads(self) -> int:
        return resolve_threads(self.threads)

    @cached_property
    def start_rows(self) -> NDArray[np.intp]:
        """The row of each word in `start`, -1 for missing words, shape (n_words,)."""
        if self.start is None:
            return np.full(len(self.words), -1)
        rows = self.start.find_rows(self.words)
        if not (rows >= 0).any():
            raise InputError(f"start has none of the {len(rows):,} words of the counts; pass vectors of these words.")
        return rows

    @cached_property
    def is_fixed(self) -> Mask:
        """Mask of the words that are held fixed, shape (n_words,)."""
        mask = np.zeros(len(self.words), bool) if self.fixed is None else self._mask_of(self.fixed)
        missing = np.flatnonzero(mask & (self.start_rows < 0))
        if len(missing):
            raise InputError(
                f"'{self.words[missing[0]]}' and {len(missing) - 1:,} more words are fixed, but start has no vectors "
                "for them; pass a start that has them, or do not fix them."
            )
        return mask

    def _mask_of(self, fixed: Collection[str] | Mask) -> Mask:
        if isinstance(fixed, np.ndarray):
            if fixed.dtype != np.bool_ or fixed.shape != (len(self.words),):
                raise InputError(
                    f"fixed has type {fixed.dtype} and shape {fixed.shape}; pass words, or a bool for each of the "
                    f"{len(self.words):,} words."
                )
            return fixed
        unknown = sorted(word for word in fixed if word not in self.counts.vocabulary)
        if unknown:
            raise InputError(
                f"{len(unknown):,} of the fixed words, such as '{unknown[0]}', are not in the vocabulary of the "
                "counts; leave them out."
            )
        return np.isin(np.arange(len(self.words)), [self.counts.vocabulary[word] for word in fixed])

    def state(self, method: str) -> Mapping[str, Array]:
        """The training state of `start` if it was trained by the same method."""
        return self.start.state if self.start is not None and self.start.method == method else {}

    def begin(self, fresh: Array, given: Array | None) -> Floats:
        """Initial values of all words, (n_words, …): those given for the words of `start`, fresh ones for others."""
        values = fresh.astype(np.float32)
        if given is not None:
            known = self.start_rows >= 0
            values[known] = given[self.start_rows[known]]
        return values

    def random_vectors(self, n_sets: int) -> list[Floats]:
        """Random initial vectors, uniform in ±0.5 / (dim + 1)."""
        rng = np.random.default_rng(self.random_state)
        shape = (len(self.words), self.dim)
        return [(rng.random(shape, np.float32) - np.float32(0.5)) / np.float32(self.dim + 1) for _ in range(n_sets)]

    def first_squares(self) -> Floats:
        return np.full(len(self.words), FIRST_SQUARE * self.dim, np.float32)

    def hold(self, squares: Floats) -> Floats:
        """Give fixed words an infinite accumulator: their steps are 0 then, and the kernels need no test."""
        return np.where(self.is_fixed, np.float32(inf), squares)

    def keep(self, after: Floats, before: Floats) -> Floats:
        """The trained values, with the exact old values of fixed words."""
        after[self.is_fixed] = before[self.is_fixed]
        return after

    def embeddings(self, vectors: Floats, state: Mapping[str, Array], method: str) -> Embeddings:
        vocabulary = self.counts.vocabulary
        return Embeddings(vocabulary.words, vectors, vocabulary.counts, state, method, vocabulary.n_tokens)

    def cut(self, weighting: Weighting) -> Blocks:
        blocks = cut_pairs(
            self.counts,
            weighting,
            min_value=self.min_value,
            self_pairs=self.self_pairs,
            is_fixed=self.is_fixed,
            random_state=self.random_state,
            threads=self.n_threads,
        )
        if blocks.n_pairs == 0:
            raise InputError(
                f"none of the {self.counts.n_pairs:,} pairs is left to train on: {self.is_fixed.sum():,} of "
                f"{len(self.words):,} words are fixed and min_value is {self.min_value:g}; fix fewer or lower it."
            )
        return blocks


class Factors(Protocol):
    """The vectors of a method in training."""

    @property
    def arrays(self) -> Mapping[str, Array]:
        """The arrays that training changes in place."""

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> Sequence[float]:
        """Run one pass over the pairs of one group with partners in another; return sums, the loss first."""

    def end_round(self, sums: Sums, progress: float) -> None:
        """Update what all blocks share; `progress` goes from 0 to 1 over the epochs."""


def run_epochs(factors: Factors, blocks: Blocks, job: Job) -> None:
    """Train, from the checkpoint if there is one."""
    lowest = np.array(inf)
    arrays = {**factors.arrays, "lowest_loss": lowest}
    saved_at = monotonic()
    for epoch in range(_resume(arrays, job.checkpoint), job.epochs):
        started = perf_counter()
        loss = _run_epoch(factors, blocks, job, epoch) / blocks.n_pairs
        _check_loss(loss, float(lowest), _easy_loss(blocks), epoch, job)
        lowest[...] = min(lowest, loss)
        # by time, not by epoch: a checkpoint may take longer to write than an epoch of a small text
        if job.checkpoint and monotonic() - saved_at >= SECONDS_BETWEEN_CHECKPOINTS:
            job.checkpoint.save(epoch + 1, arrays)
            saved_at = monotonic()
        if job.callback:
            job.callback(TrainingReport(epoch + 1, job.epochs, loss, perf_counter() - started))


def _easy_loss(blocks: Blocks) -> float:
    """A loss that is easy to reach: that of the best constant, plus an error of 1 in every logarithm."""
    weights, total, squares = blocks.moments / blocks.n_pairs
    return float(squares - total * total / weights + weights)


def _check_loss(loss: float, lowest: float, easy: float, epoch: int, job: Job) -> None:
    """Raise if the training diverges, or ends with a bad loss after enough epochs."""
    ends_badly = epoch + 1 == job.epochs and loss > min(easy, max(DIVERGED * lowest, NEGLIGIBLE * easy))
    if not loss <= WORST_START * easy or (ends_badly and job.epochs >= ENOUGH_EPOCHS):  # also true for NaN
        raise DivergedError(
            f"the loss is {loss:.4g} after epoch {epoch + 1} of {job.epochs}, where {min(lowest, easy):.4g} is easy to "
            f"reach; pass a learning_rate below {job.learning_rate:g}, such as {job.learning_rate / 4:g}."
        )
    if ends_badly:
        log.warning("the loss is still %.4g, where %.4g is easy to reach; train for more epochs", loss, easy)


def _resume(arrays: Mapping[str, Array], checkpoint: Checkpoint | None) -> int:
    """Restore the arrays from the checkpoint; return the number of finished epochs."""
    saved = checkpoint.load() if checkpoint else None
    if saved is None:
        return 0
    if any(name not in saved.arrays or saved.arrays[name].shape != array.shape for name, array in arrays.items()):
        log.warning("the checkpoint does not fit these counts; training starts over")
        return 0
    for name, array in arrays.items():
        array[...] = saved.arrays[name]
    return saved.step


def _run_epoch(factors: Factors, blocks: Blocks, job: Job, epoch: int) -> float:
    rounds = blocks.rounds()
    # seeded by epoch, so that a resumed training draws the same order
    order = np.random.default_rng([job.random_state, epoch]).permutation(len(rounds))
    loss = 0.0
    for turn, chosen in enumerate(order):
        progress = (epoch + turn / len(rounds)) / job.epochs
        sums = run_round(factors, blocks, rounds[chosen], job.rate * (1 - progress), job.n_threads)
        factors.end_round(sums, progress)
        loss += sums[0]
    return loss


def run_round(factors: Factors, blocks: Blocks, pairings: Sequence[Pairing], rate: float, threads: int) -> Sums:
    """Run the blocks of a round in parallel; return their sums, added in a fixed order."""

    def run(groups: Pairing) -> Sums:
        directions = dict.fromkeys((groups, groups[::-1]))  # only one if a group meets itself
        return _add([np.array(factors.step(blocks, left, right, rate)) for left, right in directions])

    return _add(run_threads(run, pairings, threads))


def _add(sums: Sequence[Sums]) -> Sums:
    total: Sums = np.sum(sums, axis=0)
    return total

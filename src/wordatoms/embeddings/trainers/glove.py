"""GloVe (Pennington, Socher and Manning 2014), a baseline of the paper.

    minimise  Σ f(X_ij)·(⟨w_i, c_j⟩ + a_i + b_j − log X_ij)²    over all i ≠ j with X_ij > 0

with a word vector w and a context vector c per word, a bias for each of them, and f = min(1, (X / x_max)^alpha). The
resulting vectors are the sums w + c. A pair i < j of the counts stands for (i, j) and (j, i): it trains w_i with c_j
and w_j with c_i.

As in `wordatoms.embeddings.trainers.sn`, AdaGrad keeps one accumulator per vector, here with its bias as one more
dimension, and pairs of a word with itself are left out by default.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import inf, log
from typing import NamedTuple

import numpy as np

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.blocks import Blocks, Floats, Mask
from wordatoms.embeddings.trainers.epochs import Job, Sums, run_epochs
from wordatoms.errors import InputError
from wordatoms.kernels import factor
from wordatoms.kernels.factor import Weighting
from wordatoms.progress import TrainingCallback
from wordatoms.storage.files import Array, Checkpoint


def train_glove(
    counts: Counts,
    *,
    dim: int = 300,
    epochs: int = 25,
    learning_rate: float = 0.3,
    x_max: float = 100.0,
    alpha: float = 0.75,
    min_value: float = 0.0,
    self_pairs: bool = False,
    random_state: int = 0,
    threads: int | None = None,
    start: Embeddings | None = None,
    fixed: Collection[str] | Mask | None = None,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Train vectors whose inner products fit the logarithms of co-occurrences, up to biases.

    The reported loss is the mean of f·(⟨w_i, c_j⟩ + a_i + b_j − log X_ij)² over the pairs in both directions, as met
    during the epoch.

    Parameters
    ----------
    min_value
        Pairs with a smaller X are left out.
    self_pairs
        Whether to train on the pairs of a word with itself.
    start
        Vectors to continue from, with all of their state if they are GloVe's own; others are taken as the sums w + c.
        Missing words start at random.
    fixed
        Words, or a mask over the vocabulary, whose vectors and biases in `start` are held fixed.

    Returns
    -------
    Embeddings with the state "word" and "context", (n_words, dim), their biases "word_bias" and "context_bias", and
    AdaGrad's accumulators "word_squares" and "context_squares", (n_words,).
    """
    job = Job.from_parameters(locals())
    if not 0 < x_max < inf or not 0 <= alpha < inf:
        raise InputError(f"x_max is {x_max} and alpha {alpha}; pass positive numbers, such as 100 and 0.75.")
    return _train(job, Weighting(log(x_max), alpha, of_self=0.5))  # a pair of a word with itself is trained on twice


class VectorSet(NamedTuple):
    """The word or the context vectors of all words, or their rows in training."""

    vectors: Floats
    biases: Floats
    squares: Floats

    def named(self, name: str) -> dict[str, Floats]:
        return {name: self.vectors, f"{name}_bias": self.biases, f"{name}_squares": self.squares}


@dataclass(frozen=True, eq=False)
class GloveFactors:
    """Word and context vectors in training."""

    words: VectorSet
    contexts: VectorSet

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {**self.words.named("word"), **self.contexts.named("context")}

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> tuple[float]:
        loss = _step(blocks, left, right, self.words, self.contexts, rate)
        loss += _step(blocks, left, right, self.contexts, self.words, rate)
        return (loss / 2,)

    def end_round(self, sums: Sums, progress: float) -> None:
        """Do nothing: blocks share no parameters."""


def _step(blocks: Blocks, left: int, right: int, lefts: VectorSet, rights: VectorSet, rate: float) -> float:
    loss: float = factor.step_glove(
        blocks.side(left, lefts.vectors, lefts.squares),
        blocks.side(right, rights.vectors, rights.squares),
        lefts.biases[blocks.rows(left)],
        rights.biases[blocks.rows(right)],
        blocks.segments(left, right),
        blocks.pairs,
        np.float32(rate),
    )
    return loss


def _train(job: Job, weighting: Weighting) -> Embeddings:
    blocks = job.cut(weighting)
    weights, total, _ = blocks.moments
    first = [
        _first_set(job, name, fresh, total / weights)
        for name, fresh in zip(("word", "context"), job.random_vectors(2), strict=True)
    ]
    factors = GloveFactors(*(_spread(job, blocks, vectors) for vectors in first))
    run_epochs(factors, blocks, job)
    words, contexts = (
        _gather(job, blocks, trained, before)
        for trained, before in zip((factors.words, factors.contexts), first, strict=True)
    )
    state = {**words.named("word"), **contexts.named("context")}
    return job.embeddings(words.vectors + contexts.vectors, state, "glove")


def _first_set(job: Job, name: str, fresh: Floats, mean_log: float) -> VectorSet:
    # biases start at half of the mean logarithm each, which the vectors then need not explain
    state = job.state("glove")
    half = None if job.start is None else job.start.vectors / 2
    return VectorSet(
        job.begin(fresh, state.get(name, half)),
        job.begin(np.full(len(fresh), mean_log / 2), state.get(f"{name}_bias")),
        job.begin(job.first_squares(), state.get(f"{name}_squares")),
    )


def _spread(job: Job, blocks: Blocks, values: VectorSet) -> VectorSet:
    squares = blocks.spread(job.hold(values.squares), padding=1.0)
    return VectorSet(blocks.spread_vectors(values.vectors), blocks.spread(values.biases), squares)


def _gather(job: Job, blocks: Blocks, trained: VectorSet, before: VectorSet) -> VectorSet:
    rows = (blocks.gather(trained.vectors[:, : job.dim]), blocks.gather(trained.biases), blocks.gather(trained.squares))
    return VectorSet(*(job.keep(after, old) for after, old in zip(rows, before, strict=True)))

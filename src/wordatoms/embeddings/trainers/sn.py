"""SN ("squared norm"), the embedding of the paper's authors (Arora et al. 2016), behind all of the paper's results.

    minimise  Σ f(X_ij)·(‖v_i + v_j‖² + C − log X_ij)²    over the pairs i < j with X_ij > 0

with one vector per word and one constant C, and f = min(1, (X / 100)^0.75) as in the authors' program or
f = min(X, 100) / 100 as in their article.

AdaGrad keeps one accumulator per vector instead of one per number. A step then needs only the length of the gradient,
which follows from the loss, so a pair costs several times less; and the result does not depend on the choice of axes.

C starts well below the logarithms, because norms are never negative, and stays there until the vectors have grown; then
it moves after each round, halfway to the optimum of that round. With small gradient steps it would lag behind for many
epochs, and all vectors with it.

Left out by default: pairs of a word with itself. A word follows itself far more rarely than ‖2v‖² predicts, and fitting
that harms all other pairs.

SN has no biases, so a vector must hold the frequency of its word too, and any two frequent words are near each other.
The direction along which vectors change with log frequency can be removed after training (`remove_frequency`): the
projection on it is kept in the state, so that training can continue from the complete vectors (`complete_vectors`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.blocks import Blocks, Floats, Mask
from wordatoms.embeddings.trainers.epochs import Job, Sums, run_epochs, run_round
from wordatoms.errors import InputError
from wordatoms.kernels import factor
from wordatoms.kernels.factor import Weighting
from wordatoms.parallel import one_blas_thread
from wordatoms.progress import TrainingCallback
from wordatoms.storage.files import Array, Checkpoint

WEIGHTINGS = {"program": Weighting(log(100), 0.75, of_self=1.0), "article": Weighting(log(100), 1.0, of_self=1.0)}
DEVIATIONS_BELOW = 4.0
"""C starts this many weighted standard deviations below the weighted mean of log X."""
DIRECTION, ALONG = "frequency_direction", "along_frequency"
"""Names of the state of vectors whose direction of log frequency was removed."""
WAIT = 0.25
"""Share of the epochs before C starts to move."""


def train_sn(
    counts: Counts,
    *,
    dim: int = 300,
    epochs: int = 25,
    learning_rate: float = 0.3,
    weighting: str = "program",
    min_value: float = 0.0,
    self_pairs: bool = False,
    remove_frequency: bool = False,
    random_state: int = 0,
    threads: int | None = None,
    start: Embeddings | None = None,
    fixed: Collection[str] | Mask | None = None,
    fix_constant: bool = False,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Train vectors such that the squared norms of their sums fit the logarithms of co-occurrences.

    The reported loss is the mean of f·(‖v_i + v_j‖² + C − log X_ij)² over the pairs, as met during the epoch.

    Parameters
    ----------
    weighting
        "program" for f = min(1, (X / 100)^0.75), "article" for f = min(X, 100) / 100.
    min_value
        Pairs with a smaller X are left out.
    self_pairs
        Whether to train on the pairs of a word with itself.
    remove_frequency
        Whether to remove the direction of log frequency from the trained vectors; that of `start` if it has one.
    start
        Vectors to continue from, with C and the accumulators if they are SN's own. Missing words start at random.
    fixed
        Words, or a mask over the vocabulary, whose vectors in `start` are held fixed.
    fix_constant
        Whether C is held fixed, too.

    Returns
    -------
    Embeddings with the state "constant", the C of the formula, and "squares", (n_words,), AdaGrad's accumulators; if
    the direction of log frequency was removed, also "frequency_direction", (dim,), and "along_frequency", (n_words,),
    the projections on it.
    """
    direction = None if start is None else start.state.get(DIRECTION)
    start = None if start is None else complete_vectors(start)
    job = Job.from_parameters(locals())
    if weighting not in WEIGHTINGS:
        raise InputError(f"weighting is '{weighting}'; pass {' or '.join(WEIGHTINGS)}.")
    trained = _train(job, WEIGHTINGS[weighting], WAIT if not fix_constant else 1.0)
    return without_frequency(trained, direction) if remove_frequency else trained


def without_frequency(embeddings: Embeddings, direction: Array | None = None) -> Embeddings:
    """Remove a direction, by default that of log frequency, from vectors; the state keeps what is removed.

    The direction is the covariance of the vectors with the logarithms of the counts, so without it no direction of the
    vectors is correlated with log frequency.
    """
    vectors = embeddings.vectors.astype(np.float64)
    if direction is None:
        logs = np.log(np.maximum(np.asarray(embeddings.counts), 1))
        with one_blas_thread():
            direction = (logs - logs.mean()) @ (vectors - vectors.mean(axis=0))
        length = float(np.linalg.norm(direction))
        if length == 0:
            return embeddings  # all counts are equal
        direction = direction / length
    along = vectors @ direction
    state = {**embeddings.state, DIRECTION: direction.astype(np.float32), ALONG: along.astype(np.float32)}
    kept = (vectors - along[:, None] * direction).astype(np.float32)
    return replace(embeddings, vectors=kept, state=state)


def complete_vectors(embeddings: Embeddings) -> Embeddings:
    """Undo `without_frequency`, if it was applied: the vectors that SN's objective is about."""
    if DIRECTION not in embeddings.state:
        return embeddings
    state = dict(embeddings.state)
    direction, along = state.pop(DIRECTION), state.pop(ALONG)
    return replace(embeddings, vectors=embeddings.vectors + np.outer(along, direction), state=state)


def _train(job: Job, weighting: Weighting, wait: float) -> Embeddings:
    given = job.state("sn")
    (fresh,) = job.random_vectors(1)
    vectors = job.begin(fresh, None if job.start is None else job.start.vectors)
    squares = job.begin(job.first_squares(), given.get("squares"))
    blocks = job.cut(weighting)
    # the accumulator of a padding row is 1 and not 0, by which its step would be divided
    rows, row_squares = blocks.spread_vectors(vectors), blocks.spread(job.hold(squares), padding=1.0)
    factors = SnFactors(rows, row_squares, np.zeros(()), wait)
    factors.constant[...] = given["constant"] if "constant" in given else _first_constant(job, blocks, factors)
    run_epochs(factors, blocks, job)
    state: dict[str, Array] = {"constant": factors.constant, "squares": job.keep(blocks.gather(row_squares), squares)}
    return job.embeddings(job.keep(blocks.gather(rows[:, : job.dim]), vectors), state, "sn")


@dataclass(frozen=True, eq=False)
class SnFactors:
    """Vectors and C in training."""

    vectors: Floats
    squares: Floats
    constant: NDArray[np.float64]
    wait: float
    """Share of the epochs before C starts to move."""

    @property
    def arrays(self) -> Mapping[str, Array]:
        return {"vectors": self.vectors, "squares": self.squares, "constant": self.constant}

    def step(self, blocks: Blocks, left: int, right: int, rate: float) -> tuple[float, float, float]:
        sums: tuple[float, float, float] = factor.step_sn(
            blocks.side(left, self.vectors, self.squares),
            blocks.side(right, self.vectors, self.squares),
            blocks.segments(left, right),
            blocks.pairs,
            np.float32(self.constant),
            np.float32(rate),
        )
        return sums

    def end_round(self, sums: Sums, progress: float) -> None:
        _, pulls, weights = sums
        if progress >= self.wait and weights > 0:
            # Σ f·e / Σ f is the distance of C from the optimum over this round
            self.constant[...] -= pulls / weights / 2


def _first_constant(job: Job, blocks: Blocks, factors: SnFactors) -> float:
    """C for vectors without one: the optimum for given vectors, far below log X for random ones."""
    if job.start is None:
        _, mean, square = blocks.moments / blocks.moments[0]
        return float(mean - DEVIATIONS_BELOW * sqrt(max(square - mean * mean, 0.0)))
    # a pass with learning rate 0 measures Σ f·e with C = 0; it only changes accumulators, so it gets its own
    at_rest = replace(factors, squares=np.ones_like(factors.squares))
    sums = [run_round(at_rest, blocks, pairings, 0.0, job.n_threads) for pairings in blocks.rounds()]
    _, pulls, weights = np.sum(sums, axis=0)
    return float(-pulls / weights)

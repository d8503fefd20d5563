"""The theorems of Section 2 on texts drawn from their own model, where the truth is known.

Theorem 1: the average context vector u_w, mapped by the A that Σ prescribes, is compared with the vector v_w from
which the words were drawn; and the least-squares A of Section 4.1, fitted to the text, is compared with that A. Both
are done with the target word in its window, as the paper states the theorem, and without it.
Theorem 2: pairs of words, the senses, are merged into one word; A·u of that word is compared with α v₁ + β v₂, with the
shares α, β of the senses in the text. The vectors of merged words are unknown, so they do not count as neighbours.
The partition function: how much Z_c varies around Z·exp(σ²‖c‖²/2).

The error that remains in an infinite text comes from the finite vocabulary (the ≈ of the theorems) and is estimated
separately. SIF weights and trained embeddings are left out: the vectors are those of the generative model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.paper.tasks.walk.data import (
    BLOCK_WINDOWS,
    PAIR_STREAM,
    Contexts,
    Floats,
    GaussianWalk,
    Partition,
    expected_contexts,
    stream_generator,
    sum_contexts,
)

Rows = NDArray[np.intp]

LENGTH_RATIO = 4
"""The length of each text relative to the one before."""
FEWEST_PAIRS = 2
"""One baseline uses the senses of another pair."""
N_DISCOURSES = 50_000
"""Discourses over which an endless text is averaged."""
STATEMENTS = {
    "theorem1_left_out": "A·u against v, target left out",
    "theorem1_in_window": "A·u against v, target in window",
    "matrix_left_out": "fitted A against A, target left out",
    "matrix_in_window": "fitted A against A, target in window",
    "theorem2": "A·u against αv₁ + βv₂ (Theorem 2)",
    "partition": "Z_c against Z·exp(σ²‖c‖²/2)",
}
PAPER = {
    "theorem1": "v_w ≈ A u_w with A = n (Σ⁻¹ + 2I) (Σ⁻¹ + 2nI)⁻¹; no figures",
    "theorem2": "‖v_w − (α v₁ + β v₂)‖ → 0 with α = f₁/(f₁ + f₂), β = f₂/(f₁ + f₂); no figures",
    "partition": "Z_c ≈ Z exp(‖c‖²); no figures",
}


class Fit(NamedTuple):
    """How close estimates are to the truth, as means over words or pairs."""

    relative_error: float
    """Length of the difference over the length of the truth."""
    cosine: float | None = None


Fits = tuple[Fit, dict[str, Fit]]
"""The fit of a statement, and those of its baselines."""


@dataclass(frozen=True)
class Measure:
    """One statement, tested on one length of text."""

    statement: str
    n_tokens: int | None
    """None for an infinite text."""
    fit: Fit
    baselines: dict[str, Fit]

    @property
    def best_baseline(self) -> str:
        return min(self.baselines, key=lambda name: self.baselines[name].relative_error)

    def to_json(self) -> dict[str, Any]:
        baselines = {name: fit._asdict() for name, fit in self.baselines.items()}
        return {"statement": self.statement, "tokens": self.n_tokens, **self.fit._asdict(), "baselines": baselines}


@dataclass(frozen=True)
class WalkSettings:
    n_words: int
    dim: int
    window: int
    variance: float
    trace: float
    """The trace of the covariance of the discourses."""
    spread: float
    """Its largest eigenvalue over its smallest."""
    n_pairs: int
    random_state: int


@dataclass(frozen=True)
class WalkResult(TaskResult):
    settings: WalkSettings
    measures: tuple[Measure, ...]
    """By length of text, the infinite one last."""

    def of(self, statement: str) -> list[Measure]:
        return [measure for measure in self.measures if measure.statement == statement]

    def finite(self, statement: str) -> list[Measure]:
        """The measures on drawn texts; the partition function needs no text and has a single one."""
        return [measure for measure in self.of(statement) if measure.n_tokens] or self.of(statement)

    def rows(self) -> list[dict[str, Any]]:
        return [self._row(measure) for statement in STATEMENTS for measure in self.finite(statement)]

    def _row(self, measure: Measure) -> dict[str, Any]:
        baseline = measure.baselines[measure.best_baseline]
        return {
            "statement": STATEMENTS[measure.statement],
            "tokens": measure.n_tokens,
            **measure.fit._asdict(),
            "endless_text": self.of(measure.statement)[-1].fit.relative_error,
            "best_baseline": measure.best_baseline,
            "its_error": baseline.relative_error,
            "its_cosine": baseline.cosine,
        }

    @property
    def agrees(self) -> bool:
        """On the longest text every statement is better than its baselines, and than on the shortest text."""
        series = [self.finite(statement) for statement in STATEMENTS]
        errors = [(each[0].fit.relative_error, each[-1].fit.relative_error) for each in series]
        baselines = [each[-1].baselines[each[-1].best_baseline].relative_error for each in series]
        return all(last < baseline and last <= first for (first, last), baseline in zip(errors, baselines, strict=True))

    @property
    def verdict(self) -> str:
        last = self.finite("theorem1_left_out")[-1]
        senses = self.finite("theorem2")[-1].fit
        return (
            "The paper proves that both theorems hold in the limit and gives no figures; with "
            f"{last.n_tokens:,} tokens A·u has cosine {last.fit.cosine:.3f} with v (without A "
            f"{last.baselines['no A'].cosine:.3f}), and {senses.cosine:.3f} with the mixture of two senses: "
            + ("agrees." if self.agrees else "not shown by this text; draw more tokens, or take a smaller trace.")
        )

    @property
    def note(self) -> str:
        return f"drew {max(measure.n_tokens or 0 for measure in self.measures):,} tokens"

    def to_json(self) -> dict[str, Any]:
        last = {statement: self.finite(statement)[-1] for statement in STATEMENTS}
        limits = {statement: self.of(statement)[-1].fit.relative_error for statement in STATEMENTS}
        return {
            "settings": asdict(self.settings),
            "scores": {
                name: {"tokens": each.n_tokens, **each.fit._asdict(), "endless_text": limits[name]}
                for name, each in last.items()
            },
            "baselines": {name: each.to_json()["baselines"] for name, each in last.items()},
            "paper": PAPER,
            "verdict": self.verdict,
            "items": [measure.to_json() for measure in self.measures],
        }


def evaluate_walk(
    walk: GaussianWalk,
    *,
    n_tokens: int = 8_000_000,
    n_lengths: int = 5,
    n_pairs: int = 100,
    random_state: int = 0,
    threads: int | None = None,
) -> WalkResult:
    """Test the theorems on texts of growing length, the longest of `n_tokens` (rounded up to whole blocks)."""
    lengths = text_lengths(n_tokens, walk.window, n_lengths)
    pairs = _draw_pairs(len(walk), n_pairs, random_state)
    endless, partition = expected_contexts(walk, N_DISCOURSES, random_state=random_state, threads=threads)
    measures = [
        measure
        for n_blocks, contexts in zip(lengths, _growing_text(walk, lengths, pairs, random_state, threads), strict=True)
        for measure in _measure(walk, *contexts, pairs, n_blocks * block_tokens(walk.window))
    ]
    measures += [*_measure(walk, endless, endless, pairs, None), _measure_partition(walk, partition)]
    return WalkResult(_settings(walk, n_pairs, random_state), tuple(measures))


def block_tokens(window: int) -> int:
    """The tokens of one block; texts are drawn in whole blocks."""
    return BLOCK_WINDOWS * window


def text_lengths(n_tokens: int, window: int, n_lengths: int) -> list[int]:
    """Numbers of blocks, each LENGTH_RATIO times the one before; fewer if the shortest would have none."""
    if n_tokens < 1 or n_lengths < 1:
        raise InputError(f"n_tokens is {n_tokens} and n_lengths is {n_lengths}; pass 1 or more of each.")
    n_blocks = -(-n_tokens // block_tokens(window))
    return [n_blocks // LENGTH_RATIO**k for k in reversed(range(n_lengths)) if n_blocks >= LENGTH_RATIO**k]


def _settings(walk: GaussianWalk, n_pairs: int, random_state: int) -> WalkSettings:
    eigenvalues = np.linalg.eigvalsh(walk.covariance)
    trace, spread = float(eigenvalues.sum()), float(eigenvalues[-1] / eigenvalues[0])
    return WalkSettings(len(walk), walk.dim, walk.window, walk.variance, trace, spread, n_pairs, random_state)


def _draw_pairs(n_words: int, n_pairs: int, random_state: int) -> Rows:
    """Pairs of different words, (n_pairs, 2), no word in two of them."""
    if n_words < 4 * FEWEST_PAIRS:
        raise InputError(f"n_words is {n_words}; pass {4 * FEWEST_PAIRS} or more, because half of them stay unmerged.")
    if not FEWEST_PAIRS <= n_pairs <= n_words // 4:
        raise InputError(f"n_pairs is {n_pairs}; with {n_words:,} words pass 2 to {n_words // 4:,}.")
    words = stream_generator(random_state, PAIR_STREAM).permutation(n_words)
    return words[: 2 * n_pairs].reshape(n_pairs, 2)


def _growing_text(
    walk: GaussianWalk, lengths: list[int], pairs: Rows, random_state: int, threads: int | None
) -> Iterator[tuple[Contexts, Contexts]]:
    """Yield the contexts in texts of these numbers of blocks, each an extension of the one before."""
    options: dict[str, Any] = {"hidden": pairs.ravel(), "random_state": random_state, "threads": threads}
    so_far = None
    for start, stop in pairwise([0, *lengths]):
        added = sum_contexts(walk, range(start, stop), **options)
        so_far = (so_far[0].plus(added[0]), so_far[1].plus(added[1])) if so_far else added
        yield so_far


def _measure(
    walk: GaussianWalk, contexts: Contexts, visible: Contexts, pairs: Rows, n_tokens: int | None
) -> list[Measure]:
    seen = contexts.counts > 0
    vectors, left_out = walk.vectors[seen], contexts.means()[seen]
    in_window = (vectors + (walk.window - 1) * left_out) / walk.window
    without, within = (walk.induced_matrix(target_in_window=given) for given in (False, True))
    with threadpool_limits(1, user_api="blas"):  # the last bits must not depend on how a product is shared
        fits = {
            "theorem1_left_out": _vector_fits(left_out, vectors, without),
            "theorem1_in_window": _vector_fits(in_window, vectors, within),
            "matrix_left_out": _matrix_fits(left_out, vectors, without),
            "matrix_in_window": _matrix_fits(in_window, vectors, within),
            "theorem2": _sense_fits(visible, walk.vectors, without, pairs),
        }
    return [Measure(statement, n_tokens, *fit) for statement, fit in fits.items()]


def _vector_fits(means: Floats, vectors: Floats, matrix: Floats) -> Fits:
    """Compare A·u with v; the baselines are u itself and its best multiple."""
    scalar = _best_scalar(means, vectors)
    baselines = {"no A": compare(means, vectors), "best multiple of u": compare(scalar * means, vectors)}
    return compare(means @ matrix.T, vectors), baselines


def _matrix_fits(means: Floats, vectors: Floats, matrix: Floats) -> Fits:
    """The least-squares A of Section 4.1 against the known one, by the Frobenius norm."""
    fitted = np.asarray(np.linalg.lstsq(means, vectors, rcond=None)[0].T, np.float64)
    multiple = _best_scalar(means, vectors) * np.eye(len(matrix))
    baselines = {"identity": np.eye(len(matrix)), "best multiple of identity": multiple}
    errors = {name: Fit(_relative_frobenius(guess, matrix)) for name, guess in baselines.items()}
    return Fit(_relative_frobenius(fitted, matrix)), errors


def _sense_fits(contexts: Contexts, vectors: Floats, matrix: Floats, pairs: Rows) -> Fits:
    """Compare A·u of two merged words with the mixture of their vectors."""
    pairs = pairs[(contexts.n_neighbours[pairs] > 0).all(axis=1)]
    if len(pairs) < 2:
        raise InputError("fewer than two pairs of senses occur in the shortest text; pass more tokens or more pairs.")
    merged = contexts.grouped(pairs)
    induced = merged.means() @ matrix.T
    shares = contexts.counts[pairs] / merged.counts[:, None]

    def compare_with(senses: Rows, weights: Floats) -> Fit:
        return compare(induced, (weights[:, :, None] * vectors[senses]).sum(axis=1))

    baselines = {
        "random pair of senses": compare_with(np.roll(pairs, 1, axis=0), shares),
        "equal shares": compare_with(pairs, np.full_like(shares, 0.5)),
    }
    return compare_with(pairs, shares), baselines


def _measure_partition(walk: GaussianWalk, partition: Partition) -> Measure:
    """The spread of Z_c around its approximation, and around a constant."""
    fit, baseline = (Fit(partition.relative_spread(coefficient)) for coefficient in (walk.variance / 2, 0.0))
    return Measure("partition", None, fit, {"a constant Z": baseline})


def compare(estimates: Floats, truths: Floats) -> Fit:
    """Means, over rows, of the relative error and of the cosine."""
    lengths = np.linalg.norm(truths, axis=1)
    errors = np.linalg.norm(estimates - truths, axis=1) / lengths
    cosines = (estimates * truths).sum(axis=1) / (np.linalg.norm(estimates, axis=1) * lengths)
    return Fit(float(errors.mean()), float(cosines.mean()))


def _best_scalar(estimates: Floats, truths: Floats) -> float:
    return float((estimates * truths).sum() / (estimates**2).sum())


def _relative_frobenius(estimate: Floats, truth: Floats) -> float:
    return float(np.linalg.norm(estimate - truth) / np.linalg.norm(truth))

"""The Gaussian walk: the generative model of Section 2.1, from which texts with known truths are drawn.

A discourse c is drawn from N(0, Σ), then a window of n words, each with p(w | c) = exp⟨c, v_w⟩ / Z_c. With vectors
v_w drawn from N(0, σ²I), the partition function Z_c is close to Z·exp(σ²‖c‖²/2), which is the paper's Z·exp(‖c‖²)
at σ² = 2. Then c given a word is Gaussian with mean (Σ⁻¹ + σ²I)⁻¹ v_w, and c given a whole window has the mean
(Σ⁻¹ + nσ²I)⁻¹ Σ v_wi. So the average u_w of the vectors around w is taken to v_w by a matrix A (Theorem 1):

    the window with w itself    A = n (Σ⁻¹ + σ²I) (Σ⁻¹ + nσ²I)⁻¹      the paper's A at σ² = 2
    w left out of its window    A = I + Σ⁻¹/σ²                        the words around w have mean σ²·E[c | w]

The averages run over occurrences: a window that holds w twice counts twice. Every window has its own discourse,
as in the paper's proof; the slow drift of the discourse from window to window is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain
from operator import add
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wordatoms.errors import InputError
from wordatoms.parallel import resolve_threads, run_threads

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
Words = NDArray[np.int32]
Result = TypeVar("Result")

BLOCK_WINDOWS = 256
"""Windows that are drawn together, with a seed of their own."""
MAX_PARTS = 32
"""The maximum number of parts in which a text is summed, the same for any number of threads."""
MAX_EXPONENT = 1000.0
"""The largest σ²·tr Σ: far above what the theorems allow, far below an overflow."""
VECTOR_STREAM, TEXT_STREAM, DISCOURSE_STREAM, PAIR_STREAM = range(4)
"""Separate random streams for each kind of draw."""


@dataclass(frozen=True)
class GaussianWalk:
    """The parameters of the model."""

    vectors: Floats
    """(n_words, dim), the v_w."""
    covariance: Floats
    """(dim, dim), the Σ of the discourses."""
    variance: float
    """σ², the variance of each number of a vector."""
    window: int
    """n, the number of words drawn from one discourse."""

    def __post_init__(self) -> None:
        _check_walk(self)

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        return f"GaussianWalk({len(self):,} words, dim {self.dim}, window {self.window})"

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    def induced_matrix(self, *, target_in_window: bool) -> Floats:
        """The A of Theorem 1, (dim, dim): v_w ≈ A u_w."""
        identity, precision = np.eye(self.dim), np.linalg.inv(self.covariance).astype(np.float64)
        if not target_in_window:
            return identity + precision / self.variance
        one, all_words = (precision + k * self.variance * identity for k in (1, self.window))
        return np.asarray(self.window * one @ np.linalg.inv(all_words), np.float64)

    @cached_property
    def float32_vectors(self) -> Weights:
        return self.vectors.astype(np.float32)

    @cached_property
    def spread(self) -> Floats:
        """The Cholesky factor that maps standard normal numbers to discourses."""
        return np.asarray(np.linalg.cholesky(self.covariance), np.float64)


class Contexts(NamedTuple):
    """Sums over the windows around each word, without the word itself."""

    counts: Floats
    """(n_words,) occurrences."""
    sums: Floats
    """(n_words, dim) of the vectors of the neighbours."""
    n_neighbours: Floats
    """(n_words,)"""

    def plus(self, other: Contexts) -> Contexts:
        return Contexts(*map(add, self, other))

    def means(self) -> Floats:
        """The average context vectors, (n_words, dim); NaN for a word without neighbours."""
        with np.errstate(invalid="ignore"):
            return self.sums / self.n_neighbours[:, None]

    def grouped(self, groups: NDArray[np.intp]) -> Contexts:
        """The contexts of pseudowords that each replace several words, `groups` (n_groups, n_senses) rows."""
        return Contexts(*(array[groups].sum(axis=1) for array in self))


class Partition(NamedTuple):
    """The partition function at some discourses."""

    squared_lengths: Floats
    """‖c‖² of each discourse."""
    logarithms: Floats
    """log Z_c of each discourse."""

    def relative_spread(self, coefficient: float) -> float:
        """Standard deviation over mean of Z_c / exp(coefficient·‖c‖²)."""
        logarithms = self.logarithms - coefficient * self.squared_lengths
        ratios = np.exp(logarithms - logarithms.mean())
        return float(ratios.std() / ratios.mean())


def discourse_covariance(dim: int, *, trace: float, spread: float) -> Floats:
    """A diagonal Σ with that trace, its variances falling by equal ratios, the first `spread` times the last."""
    if dim < 1:
        raise InputError(f"dim is {dim}; pass 1 or more.")
    _check_positive("trace", trace)
    if not (np.isfinite(spread) and spread >= 1):
        raise InputError(f"spread is {spread}; pass 1 (all directions alike) or more.")
    variances = np.geomspace(spread, 1, dim)
    return np.diag(trace * variances / variances.sum())


def draw_walk(
    n_words: int, *, covariance: Floats, variance: float = 2.0, window: int = 20, random_state: int = 0
) -> GaussianWalk:
    """A vocabulary whose vectors are drawn from N(0, σ²I), and the given Σ."""
    if n_words < 2:
        raise InputError(f"n_words is {n_words}; pass 2 or more.")
    _check_positive("variance", variance)
    normal = stream_generator(random_state, VECTOR_STREAM).standard_normal((n_words, len(covariance)))
    return GaussianWalk(np.sqrt(variance) * normal, covariance, variance, window)


def draw_windows(walk: GaussianWalk, block: int, *, random_state: int = 0) -> Words:
    """The windows of one block of the text, (BLOCK_WINDOWS, window) rows of words."""
    from wordatoms.kernels.walk import draw_words

    rng = stream_generator(random_state, TEXT_STREAM, block)
    weights, _ = _word_weights(walk, _draw_discourses(walk, rng))
    words = np.empty((BLOCK_WINDOWS, walk.window), np.int32)
    draw_words(weights, rng.random(words.shape), words)
    return words


def sum_contexts(
    walk: GaussianWalk,
    blocks: range,
    *,
    hidden: Sequence[int] | NDArray[np.intp] = (),
    random_state: int = 0,
    threads: int | None = None,
) -> tuple[Contexts, Contexts]:
    """The contexts of every word over some blocks of the text, and those without the hidden words as neighbours."""
    visible = np.ones((len(walk), 1))
    visible[np.asarray(hidden, np.intp)] = 0
    columns = np.hstack([walk.vectors, np.ones_like(visible), walk.vectors * visible, visible])

    def sum_part(part: range) -> tuple[Floats, Floats]:
        return _sum_windows((draw_windows(walk, block, random_state=random_state) for block in part), columns)

    counts, sums = (reduce(add, parts) for parts in zip(*_run_parts(sum_part, blocks, threads), strict=True))
    sums -= counts[:, None] * columns  # each occurrence added its own vector too
    dim = walk.dim
    return (
        Contexts(counts, sums[:, :dim], sums[:, dim]),
        Contexts(counts, sums[:, dim + 1 : -1], sums[:, -1]),
    )


def expected_contexts(
    walk: GaussianWalk, n_discourses: int, *, random_state: int = 0, threads: int | None = None
) -> tuple[Contexts, Partition]:
    """The contexts of an endless text: expectations over the words, averaged over discourses drawn for it.

    The number of discourses is rounded up to whole blocks.
    """
    if n_discourses < 1:
        raise InputError(f"n_discourses is {n_discourses}; pass 1 or more.")

    def expect_part(part: range) -> tuple[Contexts, list[Partition]]:
        contexts, partitions = zip(*(_expect_block(walk, block, random_state) for block in part), strict=True)
        return reduce(Contexts.plus, contexts), list(partitions)

    contexts, partitions = zip(*_run_parts(expect_part, range(-(-n_discourses // BLOCK_WINDOWS)), threads), strict=True)
    columns = zip(*chain.from_iterable(partitions), strict=True)
    return reduce(Contexts.plus, contexts), Partition(*map(np.concatenate, columns))


def _expect_block(walk: GaussianWalk, block: int, random_state: int) -> tuple[Contexts, Partition]:
    discourses = _draw_discourses(walk, stream_generator(random_state, DISCOURSE_STREAM, block))
    weights, highest = _word_weights(walk, discourses)
    totals = weights.sum(axis=1, dtype=np.float64)
    weights /= totals[:, None].astype(np.float32)  # p(w | c)
    sums = weights.T @ (weights @ walk.float32_vectors)
    counts = weights.sum(axis=0, dtype=np.float64)
    partition = Partition((discourses**2).sum(axis=1), highest + np.log(totals))
    return Contexts(counts, sums.astype(np.float64), counts), partition


def _draw_discourses(walk: GaussianWalk, rng: np.random.Generator) -> Floats:
    return rng.standard_normal((BLOCK_WINDOWS, walk.dim)) @ walk.spread.T


def _word_weights(walk: GaussianWalk, discourses: Floats) -> tuple[Weights, Floats]:
    """exp⟨c, v_w⟩ up to a factor of each discourse, (n_discourses, n_words), and the logarithms of these factors."""
    weights = discourses.astype(np.float32) @ walk.float32_vectors.T
    highest = weights.max(axis=1)
    weights -= highest[:, None]
    np.exp(weights, out=weights)
    return weights, highest.astype(np.float64)


def _sum_windows(texts: Iterable[Words], columns: Floats) -> tuple[Floats, Floats]:
    """Occurrences of each word, and the sums of `columns` over the windows of its occurrences."""
    from wordatoms.kernels.walk import add_windows

    counts, sums = np.zeros(len(columns)), np.zeros_like(columns)
    for words in texts:
        counts += np.bincount(words.ravel(), minlength=len(columns))
        add_windows(words, columns, sums)
    return counts, sums


def _run_parts(function: Callable[[range], Result], blocks: range, threads: int | None) -> list[Result]:
    """Cut the blocks into parts, the same for any number of threads, and run a function over them."""
    if not blocks:
        raise InputError("there are no blocks of text to sum; pass at least one.")
    size = -(-len(blocks) // MAX_PARTS)
    parts = [blocks[start : start + size] for start in range(0, len(blocks), size)]
    # one thread for each product: its last bits, and so a word, must not depend on how it is shared
    with threadpool_limits(1, user_api="blas"):
        return run_threads(function, parts, resolve_threads(threads))


def stream_generator(random_state: int, stream: int, block: int = 0) -> np.random.Generator:
    """The random numbers of one kind of draws and one block of the text."""
    if random_state < 0:
        raise InputError(f"random_state is {random_state}; pass 0 or more.")
    return np.random.default_rng([random_state, stream, block])


def _check_positive(name: str, value: float) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InputError(f"{name} is {value}; pass a number above 0.")


def _check_walk(walk: GaussianWalk) -> None:
    _check_positive("variance", walk.variance)
    shape = (walk.vectors.shape[1],) * 2
    if walk.covariance.shape != shape or not np.allclose(walk.covariance, walk.covariance.T):
        raise InputError(f"the covariance has shape {walk.covariance.shape}; pass a symmetric matrix {shape}.")
    if not np.isfinite(walk.covariance).all() or np.linalg.eigvalsh(walk.covariance).min() <= 0:
        raise InputError("the covariance of the discourses is singular; pass one with variances above 0.")
    if walk.window < 2:
        raise InputError(f"window is {walk.window}; pass 2 or more, so that words have neighbours.")
    exponent = walk.variance * float(np.trace(walk.covariance))
    if exponent > MAX_EXPONENT:
        raise InputError(
            f"variance times trace is {exponent:g}; the theorems ask for much less than the logarithm of the "
            f"vocabulary, {np.log(len(walk)):.1f}; pass smaller ones."
        )

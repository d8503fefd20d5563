"""PMI vectors: the truncated SVD of positive pointwise mutual information, a baseline of the paper.

    M[i, j] = max(0, log(p(i, j) / (p(i) · q(j))) − shift),    q(j) ∝ (row sum of j)^context_power

and the vectors are U·S^singular_power from M ≈ U·S·Vᵀ. A context distribution flatter than p (power 0.75) keeps rare
contexts from dominating; singular values to the power 0.5 do the same for the first directions.

The SVD is a block Krylov method: starting from a random block, products with MᵀM span a growing basis, and the best
approximation within the whole basis is taken in the end. Subspace iteration reads the matrix as often but discards all
blocks except the last. M itself is never stored: products are computed from the logarithms of the counts, which are
symmetric and so serve Mᵀ as well.

Left out: PMI without clipping at zero, which is dense; and vectors of words outside the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.kernels import sparse
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.progress import TrainingCallback, TrainingReport
from wordatoms.storage.files import Array, Checkpoint

Dense = NDArray[np.float32]
Kernel = Callable[..., None]

ROWS_PER_TASK = 512
ROWS_PER_SUM = 4096
"""Rows converted to double precision at a time."""
N_SWEEPS = 3
"""Orthogonalising twice is enough; one more, because the first sweep may put in random columns."""
ROUNDING = 1e-6
"""Numbers below this share of the largest are taken for rounding errors."""


def train_pmi(
    counts: Counts,
    *,
    dim: int = 300,
    context_power: float = 0.75,
    singular_power: float = 0.5,
    shift: float = 0.0,
    iterations: int = 15,
    oversampling: float = 4.0,
    random_state: int = 0,
    threads: int | None = None,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Compute vectors from the truncated SVD of the positive PMI matrix.

    The reported loss is the share of the matrix's squared norm that `dim` directions do not capture.

    Parameters
    ----------
    shift
        Subtracted from every PMI before clipping; log(k) resembles skip-gram with k negative samples.
    iterations
        Number of blocks of the basis; each costs one product with the matrix and one with its transpose.
    oversampling
        Columns of the basis per dimension of the result; more is slower and more exact.

    Returns
    -------
    Embeddings with the state "singular_values", (dim,), and "context", (n_words, dim).
    """
    if not np.isfinite(singular_power):
        raise InputError(f"singular_power is {singular_power}; pass a number, such as 0.5.")
    plan = plan_svd(len(counts), dim, iterations, oversampling)
    matrix = PmiMatrix.build(counts, context_power, shift, resolve_threads(threads))
    svd = decompose(matrix, plan, random_state, checkpoint, callback)
    powers = svd.powers(singular_power)
    state = {"singular_values": svd.singular_values, "context": svd.right * powers}
    vocabulary = counts.vocabulary
    return Embeddings(vocabulary.words, svd.left * powers, vocabulary.counts, state, "pmi", vocabulary.n_tokens)


@dataclass(frozen=True, eq=False)
class PmiMatrix:
    """A positive PMI matrix: the logarithms of the counts, and the terms that are subtracted from them."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    logs: Dense
    """Symmetric; stored only where the matrix or its transpose is positive."""
    row_terms: Dense
    column_terms: Dense
    threads: int

    @classmethod
    def build(cls, counts: Counts, context_power: float, shift: float, threads: int) -> PmiMatrix:
        if counts.n_pairs == 0:
            raise InputError("the counts have no pair of words; count a longer text or keep more words.")
        if not 0 <= context_power <= 1:
            raise InputError(f"context_power is {context_power}; pass a number from 0 to 1.")
        if not np.isfinite(shift):
            raise InputError(f"shift is {shift}; pass a finite number, such as 0 or log(5).")
        terms = _log_probabilities(counts, context_power, shift)
        return cls(*_mirror(counts, *terms, threads), *terms, threads)

    @property
    def transposed(self) -> PmiMatrix:
        return replace(self, row_terms=self.column_terms, column_terms=self.row_terms)

    @property
    def n_rows(self) -> int:
        return len(self.row_terms)

    def times(self, dense: Dense) -> Dense:
        """Multiply with a block of columns, (n_rows, width)."""
        out = np.empty_like(dense, order="C")
        self._run(sparse.multiply_rows, np.ascontiguousarray(dense), out)
        return out

    def squared_norm(self) -> float:
        out = np.empty(self.n_rows)
        self._run(sparse.square_rows, out)
        return float(out.sum())

    def _run(self, kernel: Kernel, *arrays: Array) -> None:
        parts = (self.indptr, self.indices, self.logs, self.row_terms, self.column_terms)
        _run_by_rows(kernel, self.n_rows, self.threads, *parts, *arrays)


def _run_by_rows(kernel: Kernel, n_rows: int, threads: int, *arguments: Array | bool) -> None:
    """Run a kernel on blocks of rows in parallel; each row is written by one block only."""

    def run(first: int) -> None:
        kernel(first, min(first + ROWS_PER_TASK, n_rows), *arguments)

    run_threads(run, range(0, n_rows, ROWS_PER_TASK), threads)


def _log_probabilities(counts: Counts, context_power: float, shift: float) -> tuple[Dense, Dense]:
    """The terms that PMI subtracts from log X for rows and columns, up to constants that cancel."""
    # a word without neighbours has no entries, so any finite logarithm will do
    log_sums = np.log(np.maximum(counts.row_sums, 1).astype(np.float64))
    smoothed = context_power * log_sums
    total = np.log(np.exp(smoothed[counts.row_sums > 0]).sum())
    return log_sums.astype(np.float32), (smoothed - total + shift).astype(np.float32)


def _mirror(
    counts: Counts, row_terms: Dense, column_terms: Dense, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], Dense]:
    """Both triangles of log X by rows, without entries whose PMI is positive in neither direction."""
    triangle = [np.asarray(array) for array in (counts.indptr, counts.indices, counts.values)]

    def scan(slots: NDArray[np.int64], indices: NDArray[np.int32], logs: Dense, write: bool) -> None:
        terms = (row_terms, column_terms)
        _run_by_rows(sparse.mirror_rows, len(counts), threads, *triangle, *terms, slots, indices, logs, write)

    sizes = np.zeros(len(counts), np.int64)
    scan(sizes, np.empty(0, np.int32), np.empty(0, np.float32), False)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    indices, logs = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
    scan(indptr[:-1].copy(), indices, logs, True)
    return indptr, indices, logs


class SvdPlan(NamedTuple):
    """The number of singular values wanted, and the widths of the blocks of the basis."""

    rank: int
    widths: tuple[int, ...]


def plan_svd(n_rows: int, rank: int, iterations: int, oversampling: float) -> SvdPlan:
    if not 1 <= rank <= n_rows:
        raise InputError(f"dim is {rank} but there are {n_rows:,} words; pass a dim from 1 to {n_rows}.")
    if iterations < 1 or not oversampling >= 1:
        raise InputError(
            f"iterations is {iterations} and oversampling {oversampling}; pass 1 or more for each of them."
        )
    n_columns = min(n_rows, ceil(rank * oversampling))
    width = ceil(n_columns / iterations)
    return SvdPlan(rank, tuple(min(width, n_columns - start) for start in range(0, n_columns, width)))


class Svd(NamedTuple):
    """M ≈ left · diag(singular_values) · rightᵀ, largest singular values first."""

    left: Dense
    singular_values: Dense
    right: Dense

    def powers(self, power: float) -> Dense:
        """The singular values to a power; zeros stay zero, also for negative powers."""
        out = np.zeros_like(self.singular_values)
        return np.power(self.singular_values, power, out=out, where=self.singular_values > 0)


class Basis(NamedTuple):
    """Blocks of orthonormal columns, their images under the matrix, and the Gram matrix of the images."""

    columns: tuple[Dense, ...]
    images: tuple[Dense, ...]
    gram: NDArray[np.float64]

    def captured(self, rank: int) -> float:
        """Squared norm of the best approximation of this rank within the basis."""
        return float(np.linalg.eigvalsh(self.gram)[-rank:].sum())

    def to_arrays(self) -> dict[str, Array]:
        named = {f"columns{k}": block for k, block in enumerate(self.columns)}
        return named | {f"images{k}": block for k, block in enumerate(self.images)} | {"gram": self.gram}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], n_blocks: int) -> Basis:
        columns, images = (tuple(arrays[f"{name}{k}"] for k in range(n_blocks)) for name in ("columns", "images"))
        return cls(columns, images, arrays["gram"])


def decompose(
    matrix: PmiMatrix,
    plan: SvdPlan,
    random_state: int = 0,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
    *,
    n_steps: int | None = None,
) -> Svd:
    """Compute the truncated SVD from a block Krylov basis; `n_steps` is the length of a longer job, for reports."""
    total = matrix.squared_norm()
    if total == 0:
        raise InputError(
            "no two words occur together more often than by chance, so all PMI is zero; "
            "lower the shift or count a longer text."
        )
    with one_blas_thread():
        basis = _load_basis(checkpoint)
        for step in range(len(basis.columns), len(plan.widths)):
            started = perf_counter()
            basis = _extend(matrix, basis, plan.widths[step], random_state)
            loss = max(0.0, 1 - basis.captured(plan.rank) / total)
            if checkpoint:
                checkpoint.save(step + 1, basis.to_arrays())
            if callback:
                seconds = perf_counter() - started
                callback(TrainingReport(step + 1, n_steps or len(plan.widths), loss, seconds))
        return _best_within(basis, plan.rank)


def _load_basis(checkpoint: Checkpoint | None) -> Basis:
    """The blocks that an interrupted run has finished."""
    saved = checkpoint.load() if checkpoint else None
    return Basis((), (), np.empty((0, 0))) if saved is None else Basis.from_arrays(saved.arrays, saved.step)


def _extend(matrix: PmiMatrix, basis: Basis, width: int, random_state: int) -> Basis:
    """Add a block to the basis: MᵀM times the last one, orthonormalised against all others."""
    rng = np.random.default_rng([random_state, len(basis.images)])  # per block, so that a resumed run draws the same
    shape = (matrix.n_rows, width)
    last = basis.images[-1][:, :width] if basis.images else rng.standard_normal(shape, np.float32)
    block = _orthonormal(matrix.transposed.times(last), basis.columns, rng)
    image = matrix.times(block)
    images = (*basis.images, image)
    # the Gram matrix of the images gives the singular values; its eigenvalues are their squares, hence double precision
    border = np.vstack([_double_product(other, image) for other in images])
    gram = np.block([[basis.gram, border[:-width]], [border.T]])
    return Basis((*basis.columns, block), images, gram)


def _orthonormal(block: Dense, against: tuple[Dense, ...], rng: np.random.Generator) -> Dense:
    """Orthonormal columns that span the block, orthogonal to all columns of `against`.

    Columns that the others span already are replaced by random ones; this happens when the basis contains the whole
    range of the matrix.
    """
    for _ in range(N_SWEEPS):
        largest = np.linalg.norm(block, axis=0).max()
        for others in against:
            block = block - others @ (others.T @ block)
        columns, triangle = np.linalg.qr(block.astype(np.float64))
        block = columns.astype(np.float32)
        lost = np.abs(np.diag(triangle)) <= ROUNDING * largest
        block[:, lost] = rng.standard_normal((len(block), lost.sum()), np.float32)
    return block


def _double_product(left: Dense, right: Dense) -> NDArray[np.float64]:
    """leftᵀ · right in double precision, without a whole copy of either."""
    total = np.zeros((left.shape[1], right.shape[1]))
    for start in range(0, len(left), ROWS_PER_SUM):
        rows = slice(start, start + ROWS_PER_SUM)
        total += left[rows].astype(np.float64).T @ right[rows].astype(np.float64)
    return total


def _best_within(basis: Basis, rank: int) -> Svd:
    """The best approximation of this rank whose rows are in the span of the basis."""
    squares, rotation = np.linalg.eigh(basis.gram)
    values = np.sqrt(np.maximum(squares[::-1][:rank], 0))
    values[values < ROUNDING * values[0]] = 0
    rotation = rotation[:, ::-1][:, :rank]
    inverse = np.divide(1, values, out=np.zeros_like(values), where=values > 0)
    left = _combine(basis.images, rotation * inverse)
    right = _combine(basis.columns, rotation)
    # the sign of a singular vector is arbitrary; fix it, so that it does not depend on the eigenvalue routine
    signs = np.where(left[np.abs(left).argmax(axis=0), np.arange(rank)] < 0, -1, 1).astype(np.float32)
    return Svd(left * signs, values.astype(np.float32), right * signs)


def _combine(blocks: tuple[Dense, ...], weights: NDArray[np.float64]) -> Dense:
    """Multiply the concatenated blocks with a matrix, without concatenating them."""
    total = np.zeros((len(blocks[0]), weights.shape[1]), np.float32)
    start = 0
    for block in blocks:
        stop = start + block.shape[1]
        total += block @ weights[start:stop].astype(np.float32)
        start = stop
    return total

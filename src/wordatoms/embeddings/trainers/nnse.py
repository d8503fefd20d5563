"""NNSE, non-negative sparse embeddings (Murphy, Talukdar and Mitchell 2012), a baseline of the paper.

    minimise  ‖X − A·D‖² + sparsity_penalty · ΣA    over  A ≥ 0  and  ‖D_k‖ ≤ 1

The vectors are the rows of A: sparse and non-negative, so that a dimension reads as a list of words. X is the positive
PMI matrix reduced by its truncated SVD, as in the paper of NNSE, with singular values to the power 0.5. Its rows have
unit length, so that the penalty means the same for frequent and rare words.

A and D are improved in turn: A by coordinate descent from the previous codes, D row by row. Neither can raise the
objective. A row of D that no word uses is replaced by the word that is fitted worst. Left out: the words by documents
matrix that the authors join to the words by words matrix.
"""

from __future__ import annotations

from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.pmi import ROUNDING, Dense, PmiMatrix, decompose, plan_svd
from wordatoms.errors import DivergedError, InputError
from wordatoms.kernels import nonnegative
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.progress import TrainingCallback, TrainingReport
from wordatoms.storage.files import Checkpoint

SVD_ITERATIONS = 15
SVD_OVERSAMPLING = 4.0
SINGULAR_POWER = 0.5
ROWS_PER_TASK = 1024
N_SWEEPS = 20
TOLERANCE = 1e-3
"""Coordinate descent ends when no coefficient moves by more than this share of the largest."""
ITERATIONS_PER_SAVE = 5
"""An iteration takes about as long as writing a checkpoint."""


class Factors(NamedTuple):
    """X ≈ A·D, and the contribution of each word to the objective."""

    vectors: Dense
    """X, (n_words, svd_dim)"""
    codes: Dense
    """A, (n_words, dim)"""
    dictionary: Dense
    """D, (dim, svd_dim)"""
    losses: NDArray[np.float64]


def train_nnse(
    counts: Counts,
    *,
    dim: int = 300,
    sparsity_penalty: float = 0.1,
    iterations: int = 30,
    svd_dim: int = 300,
    context_power: float = 0.75,
    shift: float = 0.0,
    random_state: int = 0,
    threads: int | None = None,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Train non-negative sparse vectors on the positive PMI matrix.

    The first reports are those of the SVD (see `train_pmi`); after that the loss is the objective as a share of ‖X‖².

    Parameters
    ----------
    sparsity_penalty
        Penalty per coefficient: 0.1 leaves about 9 in 10 at zero, 0.3 about 98 in 100, 2 and more leave none.
    svd_dim
        Dimensions of X, at most the number of words.

    Returns
    -------
    Embeddings with the state "dictionary": D, (dim, svd_dim).
    """
    _check_numbers(len(counts), dim, sparsity_penalty, iterations, svd_dim)
    n_threads = resolve_threads(threads)
    plan = plan_svd(len(counts), min(svd_dim, len(counts)), SVD_ITERATIONS, SVD_OVERSAMPLING)
    n_before, n_steps = len(plan.widths), len(plan.widths) + iterations
    done, factors = _load_factors(checkpoint, n_before)
    if factors is None:
        matrix = PmiMatrix.build(counts, context_power, shift, n_threads)
        svd = decompose(matrix, plan, random_state, checkpoint, callback, n_steps=n_steps)
        del matrix  # by far the largest object in memory
        factors = start_factors(svd.left * svd.powers(SINGULAR_POWER), dim, random_state)
    for step in range(done + 1, n_steps + 1):
        started = perf_counter()
        factors = improve(factors, sparsity_penalty, n_threads)
        loss = relative_objective(factors, step)
        if checkpoint and ((step - n_before) % ITERATIONS_PER_SAVE == 0 or step == n_steps):
            checkpoint.save(step, factors._asdict())
        if callback:
            callback(TrainingReport(step, n_steps, loss, perf_counter() - started))
    vocabulary, state = counts.vocabulary, {"dictionary": factors.dictionary}
    return Embeddings(vocabulary.words, factors.codes, vocabulary.counts, state, "nnse", vocabulary.n_tokens)


def _check_numbers(n_words: int, dim: int, sparsity_penalty: float, iterations: int, svd_dim: int) -> None:
    if not 1 <= dim <= n_words:
        raise InputError(f"dim is {dim} but there are {n_words:,} words; pass a dim from 1 to {n_words}.")
    if not 0 <= sparsity_penalty < 2:
        raise InputError(f"sparsity_penalty is {sparsity_penalty}; pass a number from 0 to below 2.")
    for name, value in (("iterations", iterations), ("svd_dim", svd_dim)):
        if value < 1:
            raise InputError(f"{name} is {value}; pass 1 or more.")


def _load_factors(checkpoint: Checkpoint | None, n_before: int) -> tuple[int, Factors | None]:
    """The finished steps of an interrupted run, and its factors if it got beyond the SVD."""
    saved = checkpoint.load() if checkpoint else None
    if saved is None or saved.step <= n_before:
        return n_before, None
    return saved.step, Factors(**saved.arrays)


def start_factors(vectors: Dense, dim: int, random_state: int) -> Factors:
    """Start from a dictionary of words that are far from each other, and zero codes."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    n_candidates = np.count_nonzero(lengths)
    if n_candidates < dim:
        raise InputError(
            f"dim is {dim} but only {n_candidates:,} words have a positive PMI with another; pass a smaller dim."
        )
    unit = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    chosen = _spread_words(unit, dim, np.random.default_rng(random_state))
    codes = np.zeros((len(unit), dim), np.float32)
    return Factors(unit, codes, unit[chosen], _squared_lengths(unit))


def _spread_words(unit: Dense, n_words: int, rng: np.random.Generator) -> list[int]:
    """Draw words one by one, each with a probability that grows with its distance from those drawn (k-means++)."""
    distances = _squared_lengths(unit)
    chosen: list[int] = []
    with one_blas_thread():
        for _ in range(n_words):
            # with fewer different vectors than draws all distances become 0, and any word will do
            weights = distances if distances.any() else np.ones(len(unit))
            chosen.append(int(rng.choice(len(unit), p=weights / weights.sum())))
            to_last = 1 - unit @ unit[chosen[-1]]
            distances = np.where(to_last > ROUNDING, np.minimum(distances, to_last), 0)
    return chosen


def improve(factors: Factors, penalty: float, threads: int) -> Factors:
    """Run one iteration: improve the dictionary for the codes, then the codes for the dictionary."""
    with one_blas_thread():
        if factors.codes.any():
            factors = factors._replace(dictionary=_better_dictionary(factors, threads))
        codes, losses = _better_codes(factors, penalty, threads)
    return factors._replace(codes=codes, losses=losses)


def relative_objective(factors: Factors, step: int) -> float:
    """The objective as a share of ‖X‖², its value with zero codes."""
    loss = float(factors.losses.sum() / _squared_lengths(factors.vectors).sum())
    if not np.isfinite(loss):
        raise DivergedError(f"the NNSE objective is not finite at step {step}; check the counts for damage.")
    return loss


def _squared_lengths(vectors: Dense) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
    return squares


def _row_blocks(n_rows: int) -> list[slice]:
    return [slice(start, start + ROWS_PER_TASK) for start in range(0, n_rows, ROWS_PER_TASK)]


def _better_codes(factors: Factors, penalty: float, threads: int) -> tuple[Dense, NDArray[np.float64]]:
    """Improve the codes; return them with the objective of each word."""
    vectors, codes, dictionary, _ = factors
    codes = codes.copy()
    gains = np.empty(len(vectors))
    gram = dictionary @ dictionary.T

    def run(rows: slice) -> None:
        products = vectors[rows] @ dictionary.T
        nonnegative.descend(products, gram, np.float32(penalty), N_SWEEPS, TOLERANCE, codes[rows], gains[rows])

    run_threads(run, _row_blocks(len(vectors)), threads)
    return codes, _squared_lengths(vectors) - gains


def _better_dictionary(factors: Factors, threads: int) -> Dense:
    """Move each row in turn to its optimum within the unit ball; replace rows that no word uses."""
    # all updates need only Aᵀ·A and Aᵀ·X, which are small
    codes_codes, codes_vectors = _inner_products(factors, threads)
    dictionary = factors.dictionary.astype(np.float64)
    use = np.diag(codes_codes)
    for k in np.flatnonzero(use):
        row = dictionary[k] + (codes_vectors[k] - codes_codes[k] @ dictionary) / use[k]
        dictionary[k] = row / max(1, np.linalg.norm(row))
    unused = np.flatnonzero(use == 0)
    dictionary[unused] = factors.vectors[np.argsort(-factors.losses, kind="stable")[: len(unused)]]
    return dictionary.astype(np.float32)


def _inner_products(factors: Factors, threads: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Aᵀ·A and Aᵀ·X, summed in the order of the blocks, which does not depend on the number of threads."""

    def multiply(rows: slice) -> tuple[Dense, Dense]:
        codes = factors.codes[rows]
        return codes.T @ codes, codes.T @ factors.vectors[rows]

    parts = run_threads(multiply, _row_blocks(len(factors.codes)), threads)
    codes_codes, codes_vectors = (part.astype(np.float64) for part in parts[0])
    for more_codes_codes, more_codes_vectors in parts[1:]:
        codes_codes += more_codes_codes
        codes_vectors += more_codes_vectors
    return codes_codes, codes_vectors

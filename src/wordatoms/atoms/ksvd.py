"""k-SVD: atoms that give every vector as a sum of a few of them (equation (2) and section 5 of the paper).

    minimise  ‖X − C·A‖²    over unit rows of A and rows of C with at most `sparsity` non-zeros

Codes and atoms are improved in turn (Aharon, Elad and Bruckstein 2006; the approximate form of Rubinstein, Zibulevsky
and Elad 2008). Codes come from batch OMP. Each atom makes one power step, a ∝ Eᵀ·g and g = E·a, where g are the weights
of the rows that use it and E is what they are without it; it does so three times in an iteration, each time before
another third of the rows is coded, so that codes come from fresher atoms. Atoms that next to nobody uses, or that are
near copies of others, are replaced by the rows that are fitted worst.

Rounding apart, no iteration raises the error, but for its replacements. A new code may be worse than the old one of the
row: to take it nevertheless is what lets the fit out of dead ends, and the steps of the atoms make up for it. Should
they not, the iteration is taken back and made again with every row keeping the better code. With `keep_codes` all
iterations are made like that; no single step can then raise the error, but it ends a hundredth or two higher, and fewer
atoms come back from another start.

All is computed on X times a power of two that brings its largest number to about 1, for a step multiplies four numbers
of the size of X and would soon leave the range of their precision. Such a factor rounds nothing.

Memory beside the input: the residuals, as large as X, the Gram matrix of the atoms and the sparse codes; no array of
rows by atoms. Left out: restarts and the merging of their atoms, beyond running them (`ksvd_restarts`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import frexp
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.atoms.sparse_coding import (
    Coder,
    Matrix,
    SparseCodes,
    Sparsity,
    check_integers,
    checked_limits,
    checked_matrix,
    empty_codes,
    one_blas_thread,
    ordered_codes,
    row_blocks,
    working_dtype,
    working_rows,
)
from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import resolve_threads, run_threads

KSVDCallback = Callable[[int, float, float], None]
"""Called with the iteration (from 1), its relative error and its seconds."""

FEWEST_USERS = 4
"""An atom in fewer codes is replaced."""
LARGEST_COSINE = 0.99
"""Of two atoms nearer than this one is replaced."""
N_PARTS = 3
"""Parts of the rows; before each is coded the atoms make a step."""
ATOMS_PER_CALL = 64
"""Atoms updated between two chances for Ctrl-C."""


@dataclass(frozen=True, eq=False, repr=False)
class KSVDResult:
    """Atoms, the codes of all rows, and how the error went."""

    atoms: Matrix
    """(n_atoms, dim), of unit length, each turned so that its weights sum to 0 or more."""
    codes: SparseCodes
    errors: NDArray[np.float64]
    """After each iteration: ‖X − C·A‖² as a share of ‖X‖²; the last belongs to `atoms` and `codes`."""
    n_replaced: NDArray[np.int64]
    """Atoms replaced in each iteration; there are none in the last."""
    seconds: NDArray[np.float64]
    """Of each iteration; the coding before the first one counts to it."""

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"KSVDResult({len(self):,} atoms, {len(self.errors)} iterations, relative error {self.error:.4f})"

    @property
    def error(self) -> float:
        return float(self.errors[-1])

    def to_frame(self) -> Any:
        """A `pandas.DataFrame` with one line per iteration: error, n_replaced, seconds."""
        pandas = require_extra("pandas", "pandas")
        history = {"error": self.errors, "n_replaced": self.n_replaced, "seconds": self.seconds}
        return pandas.DataFrame(history, index=pandas.RangeIndex(1, len(self.errors) + 1, name="iteration"))


def ksvd(
    X: ArrayLike,
    *,
    n_atoms: int,
    sparsity: Sparsity = 5,
    n_iterations: int = 25,
    nonnegative: bool = False,
    keep_codes: bool = False,
    random_state: int = 0,
    start: ArrayLike | None = None,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
) -> KSVDResult:
    """Learn `n_atoms` atoms from the rows of X; the same bytes with any number of threads.

    Parameters
    ----------
    X
        (n_rows, dim), any order, also memory-mapped. Single precision is computed in single, all else in double.
    sparsity
        Atoms per row: one number for all rows, or one for each.
    nonnegative
        Keep all weights at 0 or above.
    keep_codes
        Whether a row keeps its old code where the new one is worse in every iteration, or only in the last and where
        the error would rise.
    start
        Atoms to start from, (n_atoms, dim); else random rows of X.
    callback
        Called after each iteration with its number, the relative error and the seconds.
    """
    rows = checked_matrix(X, "X")
    check_integers(1, n_atoms=n_atoms, n_iterations=n_iterations)
    check_integers(0, random_state=random_state)
    limits = checked_limits(sparsity, len(rows), n_atoms)
    vectors = _random_rows(rows, n_atoms, random_state) if start is None else _checked_start(start, rows, n_atoms)
    fit = Fit.begin(rows, vectors, limits, nonnegative, resolve_threads(threads))
    with one_blas_thread():
        return _iterate(fit, n_iterations, keep_codes=keep_codes, callback=callback)


def ksvd_restarts(X: ArrayLike, *, seeds: Iterable[int], **options: Any) -> list[KSVDResult]:
    """`ksvd` from each of several seeds, with the same options."""
    return [ksvd(X, random_state=seed, **options) for seed in seeds]


def _iterate(fit: Fit, n_iterations: int, *, keep_codes: bool, callback: KSVDCallback | None) -> KSVDResult:
    errors, n_replaced, seconds = np.zeros(n_iterations), np.zeros(n_iterations, np.int64), np.zeros(n_iterations)
    for iteration in range(n_iterations):
        started = perf_counter()
        if iteration == 0:
            fit.improve_codes(fit.coder())
        is_last = iteration == n_iterations - 1
        n_replaced[iteration] = _improve(fit, keep=keep_codes or is_last, replace=not is_last)
        errors[iteration], seconds[iteration] = fit.relative_error(), perf_counter() - started
        if callback:
            callback(iteration + 1, float(errors[iteration]), float(seconds[iteration]))
    return KSVDResult(*fit.end(), errors, n_replaced, seconds)


def _improve(fit: Fit, *, keep: bool, replace: bool) -> int:
    """One iteration that does not raise the error but by replacements; how many atoms it replaced."""
    before, saved = fit.relative_error(), fit.save()
    n_replaced = _sweep(fit, keep=keep, replace=replace)
    if fit.relative_error() > before and not n_replaced and not keep:
        fit.restore(saved)
        n_replaced = _sweep(fit, keep=True, replace=replace)
    return n_replaced


def _sweep(fit: Fit, *, keep: bool, replace: bool) -> int:
    """Improve all codes, and the atoms before each part of them; in the last iteration no atom is replaced."""
    n_replaced = 0
    for part in range(N_PARTS):
        places = fit.improve_atoms()
        coder = fit.coder()
        if replace and part == 0:
            n_replaced = fit.replace_atoms(places, coder)
        fit.improve_codes(coder, part=part, n_parts=N_PARTS, keep=keep)
    fit.measure_losses()
    return n_replaced


class Saved(NamedTuple):
    """What an iteration can be taken back to."""

    vectors: Matrix
    atoms: NDArray[np.int32]
    weights: Matrix


class Places(NamedTuple):
    """Where each atom is used: `entries[starts[k]:starts[k + 1]]` are the places of atom k in the flattened codes."""

    starts: NDArray[np.int64]
    entries: NDArray[np.int64]

    def of(self, atom: int) -> NDArray[np.int64]:
        return self.entries[self.starts[atom] : self.starts[atom + 1]]


@dataclass
class Fit:
    """The state of one run; its arrays are changed in place, because nothing of it outlives the run but the result."""

    rows: Matrix
    vectors: Matrix
    limits: NDArray[np.int32]
    nonnegative: bool
    threads: int
    atoms: NDArray[np.int32]
    weights: Matrix
    residuals: Matrix
    losses: NDArray[np.float64]
    """‖residual‖² of each row."""
    total: float
    """‖X‖²"""
    scale: float
    """What X is multiplied with, a power of two; residuals, losses, total and weights belong to the scaled rows."""

    @classmethod
    def begin(cls, rows: Matrix, vectors: Matrix, limits: NDArray[np.int32], nonnegative: bool, threads: int) -> Fit:
        """No codes yet: the residuals are the rows themselves."""
        residuals = np.array(rows, working_dtype(rows), order="C")
        scale = 2.0 ** -frexp(max(residuals.max(), -residuals.min()))[1]
        residuals *= scale
        losses = _squared_lengths(residuals)
        codes = empty_codes(limits, residuals.dtype)
        return cls(rows, vectors, limits, nonnegative, threads, *codes, residuals, losses, float(losses.sum()), scale)

    def scaled_rows(self, block: slice) -> Matrix:
        """A copy of some rows, scaled."""
        scaled: Matrix = working_rows(self.rows[block]) * self.scale
        return scaled

    def relative_error(self) -> float:
        return float(self.losses.sum()) / self.total if self.total else 0.0

    def coder(self) -> Coder:
        return Coder.build(self.vectors, self.nonnegative)

    def improve_codes(self, coder: Coder, *, part: int = 0, n_parts: int = 1, keep: bool = True) -> None:
        """Code one of several parts of the rows anew; with `keep` the old code stays where it is better."""
        from wordatoms.kernels.atomupdate import take_codes

        def improve(block: slice) -> None:
            rows = self.scaled_rows(block)
            new = coder.code(rows, self.limits[block], self.atoms.shape[1])
            state = (self.residuals, self.atoms, self.weights, self.losses)
            take_codes(rows, self.vectors, *new, keep, *(array[block] for array in state))

        run_threads(improve, row_blocks(len(self.rows))[part::n_parts], self.threads)

    def measure_losses(self) -> None:
        """The losses of all rows, some of which were coded before the last step of the atoms."""

        def measure(block: slice) -> None:
            self.losses[block] = _squared_lengths(self.residuals[block])

        run_threads(measure, row_blocks(len(self.rows)), self.threads)

    def save(self) -> Saved:
        return Saved(self.vectors.copy(), self.atoms.copy(), self.weights.copy())

    def restore(self, saved: Saved) -> None:
        """Take atoms and codes back to what they were."""
        from wordatoms.kernels.atomupdate import subtract_codes

        self.vectors[:], self.atoms[:], self.weights[:] = saved

        def restore(block: slice) -> None:
            codes = self.atoms[block], self.weights[block]
            subtract_codes(self.scaled_rows(block), *codes, self.vectors, self.residuals[block])

        run_threads(restore, row_blocks(len(self.rows)), self.threads)
        self.measure_losses()

    def improve_atoms(self) -> Places:
        """One power step for each atom."""
        from wordatoms.kernels.atomupdate import update_atoms

        places, n_atoms = self.places(), len(self.vectors)
        for first in range(0, n_atoms, ATOMS_PER_CALL):
            last = min(first + ATOMS_PER_CALL, n_atoms)
            update_atoms(first, last, *places, self.nonnegative, self.vectors, self.weights, self.residuals)
        return places

    def places(self) -> Places:
        from wordatoms.kernels.atomupdate import group_by_atom

        places = Places(np.zeros(len(self.vectors) + 1, np.int64), np.empty(self.atoms.size, np.int64))
        group_by_atom(self.atoms, self.weights, *places)
        return places

    def replace_atoms(self, places: Places, coder: Coder) -> int:
        """Unused and near-duplicate atoms become the worst-fitted rows; how many did."""
        from wordatoms.kernels.atomupdate import remove_atom

        # counted anew, because a non-negative step leaves some users without weight
        n_users = np.bincount(self.atoms[self.weights != 0], minlength=len(self.vectors))
        superfluous = _superfluous_atoms(coder.gram, n_users)
        worst = self._worst_rows(len(superfluous))
        replaced = superfluous[: len(worst)]
        for atom, row in zip(replaced, worst, strict=True):
            remove_atom(places.of(atom), self.vectors[atom], self.atoms, self.weights, self.residuals)
            self.vectors[atom] = _to_unit(self.scaled_rows(slice(row, row + 1)))[0]
        coder.refresh(replaced)
        return len(replaced)

    def _worst_rows(self, n: int) -> NDArray[np.intp]:
        """The rows with the largest residuals, worst first, leaving out those fitted up to rounding errors."""
        if n == 0:
            return np.empty(0, np.intp)
        losses = _squared_lengths(self.residuals)
        rounding = len(self.rows[0]) * np.finfo(self.vectors.dtype).eps
        order: NDArray[np.intp] = np.argsort(-losses, kind="stable")[:n]
        worse: NDArray[np.intp] = order[losses[order] > rounding**2 * self.total / len(self.rows)]
        return worse

    def end(self) -> tuple[Matrix, SparseCodes]:
        """Atoms and codes as they are handed out."""
        self.turn_atoms()
        self.weights /= self.scale
        return self.vectors, ordered_codes(self.atoms, self.weights, len(self.vectors))

    def turn_atoms(self) -> None:
        """Point each atom so that its weights sum to 0 or more."""
        present = self.atoms >= 0
        sums = np.bincount(self.atoms[present], self.weights[present], len(self.vectors))
        signs = np.where(sums < 0, -1, 1).astype(self.vectors.dtype)
        self.vectors *= signs[:, None]
        self.weights *= signs[self.atoms]


def _superfluous_atoms(gram: Matrix, n_users: NDArray[np.intp]) -> NDArray[np.intp]:
    """Atoms with too few users, and of two near copies the one with fewer."""
    from wordatoms.kernels.atomupdate import mark_near_copies

    superfluous = n_users < FEWEST_USERS
    mark_near_copies(gram, LARGEST_COSINE, n_users, superfluous)
    return np.flatnonzero(superfluous)


def _random_rows(rows: Matrix, n_atoms: int, random_state: int) -> Matrix:
    """Different rows at unit length; where there are too few that are not zero, random directions for the rest."""
    rng = np.random.default_rng(random_state)
    candidates = np.flatnonzero(np.any(rows, axis=1))
    chosen = rng.permutation(candidates)[:n_atoms]
    vectors = rng.standard_normal((n_atoms, rows.shape[1])).astype(working_dtype(rows))
    vectors[: len(chosen)] = rows[chosen]
    return _to_unit(vectors)


def _checked_start(start: ArrayLike, rows: Matrix, n_atoms: int) -> Matrix:
    vectors = checked_matrix(start, "start").astype(working_dtype(rows), order="C")
    if vectors.shape != (n_atoms, rows.shape[1]):
        raise InputError(f"start has the shape {vectors.shape}; pass {n_atoms} atoms of {rows.shape[1]} dimensions.")
    if not np.any(vectors, axis=1).all():
        raise InputError("start holds an atom of zeros; pass atoms with a direction.")
    return _to_unit(vectors)


def _to_unit(vectors: Matrix) -> Matrix:
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled = np.ldexp(vectors.astype(np.float64), -exponents)  # the squares of tiny numbers would be zero
    units: Matrix = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(vectors.dtype)
    return units


def _squared_lengths(vectors: Matrix) -> NDArray[np.float64]:
    squares: NDArray[np.float64] = np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64)
    return squares

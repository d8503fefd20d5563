"""k-SVD: atoms of which every vector is nearly a sum of a few (equation (2) and section 5 of the paper).

    minimise  ‖X − C·A‖²    over unit rows of A and rows of C with at most `sparsity` non-zeros

Codes and atoms are improved in turn (Aharon, Elad and Bruckstein 2006; the approximate form of Rubinstein, Zibulevsky
and Elad 2008). Codes come from batch OMP. Each atom takes one power step, a ∝ Eᵀ·g and g = E·a, where g are the weights
of the rows that use it and E the residuals of these rows without it. It does so three times per iteration, each time
before another third of the rows is coded, so that codes are computed from fresher atoms. Atoms that hardly any row
uses, and near copies of other atoms, are replaced by the rows that are fitted worst.

Up to rounding, only replacements raise the error of an iteration. A new code may be worse than the old code of the row.
Taking it nevertheless is what lets the fit out of local minima, and the atom steps usually make up for it; if they do
not, the iteration is undone and repeated with every row keeping the better code. With `keep_codes` all iterations are
like that: no step can raise the error then, but it ends 0.01 to 0.02 higher, and fewer atoms come back from another
start.

Memory besides the input: the residuals, as large as X, the Gram matrix of the atoms and the sparse codes; no array of
rows by atoms. Left out: several starts and the merging of their atoms (`wordatoms.atoms.learning`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
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
    ordered_codes,
    row_blocks,
    working_dtype,
    working_rows,
)
from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.tabular import Tabular

KSVDCallback = Callable[[int, float, float], None]
"""Called with the iteration (from 1), its relative error and its seconds."""

FEWEST_USERS = 4
"""Atoms with fewer users are replaced: they describe single rows rather than what rows have in common."""
LARGEST_COSINE = 0.99
"""Of two atoms with a larger absolute cosine one is replaced: it adds hardly anything to the other."""
N_PARTS = 3
"""Parts of the rows; the atoms take a step before each part is coded."""
ATOMS_PER_CALL = 64
"""Atoms updated per call of the kernel, which Ctrl-C cannot interrupt."""


@dataclass(frozen=True, eq=False, repr=False)
class KSVDResult(Tabular):
    """The result of `ksvd`: atoms, the codes of all rows, and the history of the error.

    Attributes
    ----------
    atoms : ndarray, shape (n_atoms, dim)
        Unit vectors, each with the sign that makes the sum of its weights non-negative.
    codes : SparseCodes
        The codes of the rows of X.
    errors : ndarray of float64, shape (n_iterations,)
        ‖X − C·A‖² / ‖X‖² after each iteration; the last one belongs to `atoms` and `codes`.
    n_replaced : ndarray of int64, shape (n_iterations,)
        Atoms replaced in each iteration; none in the last.
    seconds : ndarray of float64, shape (n_iterations,)
        Duration of each iteration; the first includes the initial coding.

    Examples
    --------
    >>> import numpy as np
    >>> from wordatoms.atoms.ksvd import ksvd
    >>> ksvd(np.eye(4, dtype=np.float32), n_atoms=4, sparsity=1, n_iterations=2)
    KSVDResult(4 atoms, 2 iterations, relative error 0.0000)
    """

    atoms: Matrix
    codes: SparseCodes
    errors: NDArray[np.float64]
    n_replaced: NDArray[np.int64]
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"KSVDResult({len(self):,} atoms, {len(self.errors)} iterations, relative error {self.error:.4f})"

    @property
    def error(self) -> float:
        """The relative error of the result."""
        return float(self.errors[-1])

    def to_frame(self) -> Any:
        """Convert the history to a table.

        Returns
        -------
        pandas.DataFrame
            A line per iteration: error, n_replaced, seconds.
        """
        pandas = require_extra("pandas", "pandas")
        history = {"error": self.errors, "n_replaced": self.n_replaced, "seconds": self.seconds}
        return pandas.DataFrame(history, index=pandas.RangeIndex(1, len(self.errors) + 1, name="iteration"))


def ksvd(
    X: ArrayLike,
    *,
    n_atoms: int,
    sparsity: Sparsity = 5,
    n_iterations: int = 25,
    tol: float = 0.0,
    nonnegative: bool = False,
    keep_codes: bool = False,
    random_state: int = 0,
    start: ArrayLike | None = None,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
) -> KSVDResult:
    """Learn atoms from the rows of X.

    The same input and seed give the same bytes with any number of threads.

    Parameters
    ----------
    X : array-like, shape (n_rows, dim)
        The rows, in any memory order; may be memory-mapped. Floats of 16 and 32 bits are computed in single precision,
        all other numbers in double precision.
    n_atoms : int
        Number of atoms.
    sparsity : int or ndarray of int, shape (n_rows,), default 5
        Maximum number of atoms per row, for all rows or for each.
    n_iterations : int, default 25
        Maximum number of iterations.
    tol : float, default 0.0
        Stop when an iteration without replacements lowers the error by less than this share of it; one more iteration,
        which only improves, ends the run. With 0 all iterations are run.
    nonnegative : bool, default False
        Allow no negative weights.
    keep_codes : bool, default False
        Keep the old code of a row where the new one is worse, in every iteration; otherwise only in the last one and
        where the error would rise.
    random_state : int, default 0
        Seed for the choice of the first atoms.
    start : array-like, shape (n_atoms, dim), optional
        Atoms to start from, instead of random rows of X.
    threads : int, optional
        Number of threads, by default all cores.
    callback : callable, optional
        Called after each iteration with its number (from 1), the relative error and the seconds.

    Returns
    -------
    KSVDResult

    Raises
    ------
    InputError
        If `X` or `start` is not a finite matrix of the right shape, or a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from wordatoms.atoms.ksvd import ksvd
    >>> X = np.random.default_rng(0).standard_normal((200, 10))
    >>> result = ksvd(X, n_atoms=20, sparsity=3, n_iterations=5)
    >>> result.atoms.shape
    (20, 10)
    >>> bool(result.errors[-1] < result.errors[0])
    True
    """
    rows = checked_matrix(X, "X")
    check_integers(1, n_atoms=n_atoms, n_iterations=n_iterations)
    check_integers(0, random_state=random_state)
    check_tolerance(tol)
    limits = checked_limits(sparsity, len(rows), n_atoms)
    vectors = random_rows(rows, n_atoms, random_state) if start is None else checked_start(start, rows, n_atoms)
    fit = Fit.begin(rows, vectors, limits, nonnegative, resolve_threads(threads))
    with one_blas_thread():
        history = _iterate(fit, n_iterations, tol, keep_codes=keep_codes, callback=callback)
    return history.result(*fit.end())


@dataclass
class History:
    """What each iteration, or pass over the rows, did."""

    callback: KSVDCallback | None
    errors: list[float] = field(default_factory=list)
    n_replaced: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, error: float, n_replaced: int, seconds: float) -> None:
        self.errors.append(error)
        self.n_replaced.append(n_replaced)
        self.seconds.append(seconds)
        if self.callback:
            self.callback(len(self.errors), error, seconds)

    def has_settled(self, tol: float) -> bool:
        """Whether the last iteration replaced no atom and lowered the error by less than `tol` of it."""
        if not tol or len(self.errors) < 2 or self.n_replaced[-1]:
            return False
        return self.errors[-2] - self.errors[-1] < tol * self.errors[-2]

    def result(self, atoms: Matrix, codes: SparseCodes) -> KSVDResult:
        seconds = np.array(self.seconds)
        return KSVDResult(atoms, codes, np.array(self.errors), np.array(self.n_replaced, np.int64), seconds)


def _iterate(fit: Fit, n_iterations: int, tol: float, *, keep_codes: bool, callback: KSVDCallback | None) -> History:
    history = History(callback)
    is_last = False
    while not is_last:
        started = perf_counter()
        if not history.errors:
            fit.improve_codes(fit.coder())
        # The last iteration only improves: a fresh atom or a worse code would have no time to pay off.
        is_last = len(history.errors) == n_iterations - 1 or history.has_settled(tol)
        n_replaced = _improve(fit, keep=keep_codes or is_last, replace=not is_last)
        history.add(fit.relative_error(), n_replaced, perf_counter() - started)
    return history


def _improve(fit: Fit, *, keep: bool, replace: bool) -> int:
    """Run one iteration, which raises the error by replacements only; return the number of replaced atoms."""
    before, saved = fit.relative_error(), fit.save()
    n_replaced = _sweep(fit, keep=keep, replace=replace)
    # A rise after replacements is expected, because new atoms start with no users.
    if fit.relative_error() > before and not n_replaced and not keep:
        fit.restore(saved)
        n_replaced = _sweep(fit, keep=True, replace=replace)
    return n_replaced


def _sweep(fit: Fit, *, keep: bool, replace: bool) -> int:
    """Improve all atoms and the codes of one part of the rows, for each part; return the number of replaced atoms."""
    n_replaced = 0
    for part in range(N_PARTS):
        places = fit.improve_atoms()
        coder = fit.coder()
        if replace and part == 0:
            n_replaced = fit.replace_atoms(places, coder)
        fit.improve_codes(coder, part=part, n_parts=N_PARTS, keep=keep)
    fit.measure_losses()
    return n_replaced


class Places(NamedTuple):
    """Where each atom is used: atom k at the places `entries[starts[k]:starts[k + 1]]` of the flattened codes."""

    starts: NDArray[np.int64]
    entries: NDArray[np.int64]

    @classmethod
    def find(cls, atoms: NDArray[np.int32], weights: Matrix, n_atoms: int) -> Places:
        from wordatoms.kernels.atomupdate import group_by_atom

        places = cls(np.zeros(n_atoms + 1, np.int64), np.empty(atoms.size, np.int64))
        group_by_atom(atoms.ravel(), weights.ravel(), places.starts, np.empty(n_atoms, np.int64), places.entries)
        return places

    def of(self, atom: int) -> NDArray[np.int64]:
        return self.entries[self.starts[atom] : self.starts[atom + 1]]


def step_atoms(
    places: Places, nonnegative: bool, inertia: Matrix, vectors: Matrix, weights: Matrix, residuals: Matrix
) -> Matrix:
    """Take one power step for each atom, in place; return the sum of the squared weights of each before its step."""
    from wordatoms.kernels.atomupdate import update_atoms

    uses, direction = np.zeros(len(vectors), vectors.dtype), np.empty_like(vectors[0])
    state = inertia, direction, uses, vectors, weights, residuals
    for block in row_blocks(len(vectors), ATOMS_PER_CALL):
        update_atoms(block.start, block.stop, *places, nonnegative, *state)
    return uses


def superfluous_atoms(n_users: NDArray[np.int64], gram: NDArray[np.int16]) -> NDArray[np.intp]:
    """The atoms with too few users, and one of any two that are nearly equal."""
    from wordatoms.kernels.atomupdate import mark_near_copies
    from wordatoms.kernels.pursuit import ONE

    marked = n_users < FEWEST_USERS
    mark_near_copies(gram, int(LARGEST_COSINE * ONE), n_users, marked)
    return np.flatnonzero(marked)


@dataclass
class Fit:
    """The state of one run. Its arrays change in place: copies of the residuals would double the memory."""

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
    """A power of two by which X is multiplied, so that its largest number is about 1. A power step multiplies four
    numbers of the size of X, which could leave the range of single precision; and a power of two rounds nothing.
    Residuals, losses, total and weights are those of the scaled rows."""

    @classmethod
    def begin(cls, rows: Matrix, vectors: Matrix, limits: NDArray[np.int32], nonnegative: bool, threads: int) -> Fit:
        """Start without codes, so that the residuals are the rows themselves."""
        residuals = np.array(rows, working_dtype(rows), order="C")
        scale = 2.0 ** -largest_exponent(residuals)
        residuals *= scale
        losses = squared_lengths(residuals)
        codes = empty_codes(limits, residuals.dtype)
        return cls(rows, vectors, limits, nonnegative, threads, *codes, residuals, losses, float(losses.sum()), scale)

    def scaled_rows(self, block: slice) -> Matrix:
        """A scaled copy of some rows."""
        scaled: Matrix = working_rows(self.rows[block]) * self.scale
        return scaled

    def relative_error(self) -> float:
        return float(self.losses.sum()) / self.total if self.total else 0.0

    def coder(self) -> Coder:
        return Coder.build(self.vectors, self.nonnegative, self.threads)

    def improve_codes(self, coder: Coder, *, part: int = 0, n_parts: int = 1, keep: bool = True) -> None:
        """Code one of several parts of the rows again; with `keep`, a better old code stays."""
        from wordatoms.kernels.atomupdate import take_codes

        def improve(block: slice) -> None:
            rows = self.scaled_rows(block)
            new = coder.code(rows, self.limits[block], self.atoms.shape[1])
            state = (self.residuals, self.atoms, self.weights, self.losses)
            take_codes(rows, self.vectors, *new, keep, np.empty_like(rows[0]), *(array[block] for array in state))

        # every n-th block, not a contiguous third: words are sorted by frequency, and parts should be alike
        run_threads(improve, row_blocks(len(self.rows))[part::n_parts], self.threads)

    def measure_losses(self) -> None:
        """Compute the losses of all rows; those of rows coded before the last atom step are out of date."""

        def measure(block: slice) -> None:
            self.losses[block] = squared_lengths(self.residuals[block])

        run_threads(measure, row_blocks(len(self.rows)), self.threads)

    def save(self) -> tuple[Matrix, ...]:
        """The state to which `restore` can return; it computes the residuals, which are too large to copy."""
        return self.vectors.copy(), self.atoms.copy(), self.weights.copy()

    def restore(self, saved: tuple[Matrix, ...]) -> None:
        """Undo an iteration."""
        from wordatoms.kernels.atomupdate import subtract_codes

        self.vectors[:], self.atoms[:], self.weights[:] = saved

        def restore(block: slice) -> None:
            codes = self.atoms[block], self.weights[block]
            subtract_codes(self.scaled_rows(block), *codes, self.vectors, self.residuals[block])

        run_threads(restore, row_blocks(len(self.rows)), self.threads)
        self.measure_losses()

    def improve_atoms(self) -> Places:
        """Take one power step for each atom.

        The atoms are updated one after the other on one thread: each step changes the residuals that the next one
        reads, so any parallel order would give other bytes.
        """
        places = Places.find(self.atoms, self.weights, len(self.vectors))
        inertia = np.zeros(len(self.vectors), self.vectors.dtype)
        step_atoms(places, self.nonnegative, inertia, self.vectors, self.weights, self.residuals)
        return places

    def replace_atoms(self, places: Places, coder: Coder) -> int:
        """Replace superfluous atoms by the rows that are fitted worst; return how many were replaced."""
        from wordatoms.kernels.atomupdate import remove_atom

        # not from `places`: a non-negative step may have set the weights of some users to zero
        n_users = np.bincount(self.atoms[self.weights != 0], minlength=len(self.vectors))
        superfluous = superfluous_atoms(n_users, coder.gram)
        worst = self._worst_rows(len(superfluous))
        replaced = superfluous[: len(worst)]
        for atom, row in zip(replaced, worst, strict=True):
            remove_atom(places.of(atom), self.vectors[atom], self.atoms, self.weights, self.residuals)
            self.vectors[atom] = to_unit(self.scaled_rows(slice(row, row + 1)))[0]
        coder.refresh(replaced)
        return len(replaced)

    def _worst_rows(self, n: int) -> NDArray[np.intp]:
        """The rows with the largest residuals, worst first, without those that are fitted up to rounding errors."""
        if n == 0:
            return np.empty(0, np.intp)
        losses = squared_lengths(self.residuals)
        rounding = len(self.rows[0]) * np.finfo(self.vectors.dtype).eps
        order: NDArray[np.intp] = np.argsort(-losses, kind="stable")[:n]
        worse: NDArray[np.intp] = order[losses[order] > rounding**2 * self.total / len(self.rows)]
        return worse

    def end(self) -> tuple[Matrix, SparseCodes]:
        """The final atoms and codes."""
        # (a, g) and (−a, −g) are the same fit; choose the sign for which most of an atom's weight is positive,
        # because positive weights are senses
        present = self.atoms >= 0
        sums = np.bincount(self.atoms[present], self.weights[present], len(self.vectors))
        signs = np.where(sums < 0, -1, 1).astype(self.vectors.dtype)
        self.vectors *= signs[:, None]
        self.weights *= signs[self.atoms]
        self.weights /= self.scale
        return self.vectors, ordered_codes(self.atoms, self.weights, len(self.vectors))


def random_rows(rows: Matrix, n_atoms: int, random_state: int) -> Matrix:
    """Different random rows at unit length, and random directions if there are too few rows that are not zero."""
    rng = np.random.default_rng(random_state)
    candidates = np.flatnonzero(np.any(rows, axis=1))
    chosen = rng.permutation(candidates)[:n_atoms]
    vectors = rng.standard_normal((n_atoms, rows.shape[1])).astype(working_dtype(rows))
    vectors[: len(chosen)] = rows[chosen]
    return to_unit(vectors)


def checked_start(start: ArrayLike, rows: Matrix, n_atoms: int) -> Matrix:
    vectors = checked_matrix(start, "start").astype(working_dtype(rows), order="C")
    if vectors.shape != (n_atoms, rows.shape[1]):
        raise InputError(f"start has the shape {vectors.shape}; pass {n_atoms} atoms of {rows.shape[1]} dimensions.")
    if not np.any(vectors, axis=1).all():
        raise InputError("start holds an atom of zeros; pass atoms that have a direction.")
    return to_unit(vectors)


def to_unit(vectors: Matrix) -> Matrix:
    # scaled by powers of two, which is exact: the squares of very small numbers would be zero
    _, exponents = np.frexp(np.abs(vectors).max(axis=1, keepdims=True))
    scaled = np.ldexp(vectors.astype(np.float64), -exponents)
    units: Matrix = (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(vectors.dtype)
    return units


def largest_exponent(rows: Matrix) -> int:
    """The power of two just above the largest number."""
    return frexp(max(rows.max(), -rows.min()))[1]


def check_tolerance(tol: object) -> None:
    if isinstance(tol, bool) or not isinstance(tol, int | float | np.number) or not 0 <= tol < 1:
        raise InputError(f"tol is {tol!r}; pass a share of the error from 0 to less than 1, such as 0.001.")


def squared_lengths(vectors: Matrix) -> NDArray[np.float64]:
    from wordatoms.kernels.atomupdate import square_rows

    squares = np.empty(len(vectors))
    square_rows(vectors, squares)
    return squares

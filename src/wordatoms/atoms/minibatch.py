"""k-SVD by mini-batches: atoms of more rows than fit into memory, or of rows that arrive over time.

Each batch is coded with the present atoms, and every atom takes one power step on the rows of the batch that use it,
as in `wordatoms.atoms.ksvd`. What it learned before holds it back: the sum of the squared weights of its earlier users
counts as so many rows that the atom fits exactly. This inertia fades as batches pass, quickly at first and slowly
later, so that early steps are long and the atoms settle. It needs one number per atom, where online dictionary
learning (Mairal, Bach, Ponce and Sapiro 2009) keeps a matrix of atoms by atoms.

Memory besides the input: two copies of a batch and the Gram matrix. Rows are read from the input in short runs, batch
by batch, so that a memory-mapped array is never loaded whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.atoms.ksvd import (
    History,
    KSVDCallback,
    KSVDResult,
    Places,
    check_tolerance,
    checked_start,
    largest_exponent,
    random_rows,
    squared_lengths,
    step_atoms,
    superfluous_atoms,
    to_unit,
)
from wordatoms.atoms.sparse_coding import (
    ROWS_PER_CHECK,
    Coder,
    Matrix,
    SparseCodes,
    check_integers,
    checked_limits,
    checked_matrix,
    empty_codes,
    row_blocks,
    sparse_code,
    working_rows,
)
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.storage.files import Checkpoint

ROWS_PER_RUN = 16
"""Consecutive rows that are read together and stay in one batch: reading a file row by row would be slow."""
FADING = 12
"""After t batches the inertia fades by (1 − 1/t)^12 with each, to 1/e in t / 12 batches."""
LONGEST_MEMORY = 50
"""The inertia fades to 1/e in at most this many batches, so that atoms follow rows that change."""
USERS_PER_CHECK = 100
"""With `partial_fit`, superfluous atoms are replaced whenever the average atom has had this many users."""
SECONDS_PER_SAVE = 30
"""Seconds after which a long pass saves its state."""


class Batch(NamedTuple):
    """What one batch showed."""

    loss: float
    """‖X − C·A‖² of the batch, before the atoms learned from it."""
    total: float
    """‖X‖² of the batch."""

    def plus(self, other: Batch) -> Batch:
        return Batch(self.loss + other.loss, self.total + other.total)

    @property
    def error(self) -> float:
        return self.loss / self.total if self.total else 0.0


NOTHING = Batch(0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Learner:
    """Atoms that learn from one batch after another; each step returns a new state, so that an interrupt harms none."""

    vectors: Matrix
    inertia: Matrix
    """For each atom the faded sum of the squared weights of its users."""
    exponent: int
    """Rows are divided by this power of two, as in k-SVD; the largest of any batch so far."""
    n_batches: int
    n_users: NDArray[np.int64]
    """Users of each atom since superfluous atoms were last replaced."""
    sums: NDArray[np.float64]
    """The sums of their weights."""

    @classmethod
    def begin(cls, vectors: Matrix) -> Learner:
        zeros = np.zeros(len(vectors), vectors.dtype)
        return cls(vectors, zeros, 0, 0, np.zeros(len(vectors), np.int64), np.zeros(len(vectors)))

    @classmethod
    def after(cls, result: KSVDResult) -> Learner:
        """Go on from atoms that were learned from all rows at once, whose inertia is that of these rows."""
        codes, n_atoms = result.codes, len(result.atoms)
        exponent = largest_exponent(codes.weights)
        present = codes.weights != 0
        atoms, weights = codes.atoms[present], codes.weights[present]
        inertia = np.bincount(atoms, np.square(np.ldexp(weights, -exponent)), n_atoms).astype(result.atoms.dtype)
        sums = np.asarray(np.bincount(atoms, weights, n_atoms), np.float64)  # integers if there are none
        return cls(result.atoms, inertia, exponent, FADING * LONGEST_MEMORY, np.zeros(n_atoms, np.int64), sums)

    def learn(
        self, X: Matrix, *, sparsity: int, nonnegative: bool, threads: int, replace_atoms: bool
    ) -> tuple[Learner, Batch, int]:
        """Learn from a batch; return the new state, the error of the batch and the number of replaced atoms."""
        rows = working_rows(X).astype(self.vectors.dtype, copy=False)
        exponent = max(self.exponent, largest_exponent(rows)) if self.n_batches else largest_exponent(rows)
        scale = 2.0**-exponent
        rows = rows * scale
        inertia = np.ldexp(self.inertia, 2 * (self.exponent - exponent)) if self.n_batches else self.inertia
        vectors, residuals = self.vectors.copy(), np.empty_like(rows)
        with one_blas_thread():
            coder = Coder.build(vectors, nonnegative, threads)
            atoms, weights = _code(coder, rows, sparsity, residuals, threads)
        losses = squared_lengths(residuals)
        batch = Batch(float(losses.sum()) / scale**2, float(squared_lengths(rows).sum()) / scale**2)
        present = weights != 0
        n_users = self.n_users + np.bincount(atoms[present], minlength=len(vectors))
        sums = self.sums + np.bincount(atoms[present], weights[present], len(vectors)) / scale
        uses = step_atoms(Places.find(atoms, weights, len(vectors)), nonnegative, inertia, vectors, weights, residuals)
        n_batches = self.n_batches + 1
        inertia = inertia * vectors.dtype.type(_fading(n_batches)) + uses
        learned = Learner(vectors, inertia, exponent, n_batches, n_users, sums)
        n_replaced = learned._replace(rows, losses, coder.gram) if replace_atoms else 0
        if replace_atoms:
            learned = replace(learned, n_users=np.zeros_like(n_users), sums=np.zeros_like(sums))
        return learned, batch, n_replaced

    def turned(self) -> Learner:
        """The state with each atom turned so that its weights since the last replacement add up to a positive sum."""
        signs = np.where(self.sums < 0, -1, 1)
        return replace(self, vectors=self.vectors * signs[:, None].astype(self.vectors.dtype), sums=self.sums * signs)

    def _replace(self, rows: Matrix, losses: NDArray[np.float64], gram: NDArray[np.int16]) -> int:
        """Replace superfluous atoms by the rows that were fitted worst, in place; return how many."""
        superfluous = superfluous_atoms(self.n_users, gram)
        worst = np.argsort(-losses, kind="stable")[: len(superfluous)]
        rounding = rows.shape[1] * np.finfo(rows.dtype).eps
        worst = worst[losses[worst] > rounding**2 * squared_lengths(rows[worst])]
        replaced = superfluous[: len(worst)]
        if len(replaced):
            self.vectors[replaced] = to_unit(rows[worst])
            self.inertia[replaced] = 0
        return len(replaced)


def _code(
    coder: Coder, rows: Matrix, sparsity: int, residuals: Matrix, threads: int
) -> tuple[NDArray[np.int32], Matrix]:
    """Code a batch, and write its residuals."""
    from wordatoms.kernels.atomupdate import subtract_codes

    limits = np.full(len(rows), sparsity, np.int32)
    atoms, weights = empty_codes(limits, rows.dtype)

    def code(block: slice) -> None:
        atoms[block], weights[block] = coder.code(rows[block], limits[block], sparsity)
        subtract_codes(rows[block], atoms[block], weights[block], coder.vectors, residuals[block])

    run_threads(code, row_blocks(len(rows)), threads)
    return atoms, weights


def _fading(n_batches: int) -> float:
    return float((1 - 1 / min(n_batches, FADING * LONGEST_MEMORY)) ** FADING)


def count_batches(n_rows: int, batch_size: int) -> int:
    return min(max(1, round(n_rows / batch_size)), _count_runs(n_rows))


def _count_runs(n_rows: int) -> int:
    return -(-n_rows // ROWS_PER_RUN)


def random_batches(X: Matrix, batch_size: int, rng: np.random.Generator, skip: int = 0) -> Iterator[Matrix]:
    """All rows of X once, in batches of about the same size that are made of random runs of consecutive rows.

    The first `skip` batches are left out, without reading them.
    """
    runs = rng.permutation(_count_runs(len(X)))
    for chosen in np.array_split(runs, count_batches(len(X), batch_size))[skip:]:
        starts = np.sort(chosen) * ROWS_PER_RUN  # a file is read from front to back
        yield np.concatenate([X[start : start + ROWS_PER_RUN] for start in starts])


@dataclass
class Position:
    """How far a run has come: finished passes are in `history`, the other fields are about the present pass."""

    learner: Learner
    history: History
    n_done: int = 0
    """Batches of this pass that are done."""
    seen: Batch = NOTHING
    seconds: float = 0.0

    def add_batch(self, learner: Learner, found: Batch, seconds: float) -> None:
        self.learner, self.seen = learner, self.seen.plus(found)
        self.n_done, self.seconds = self.n_done + 1, self.seconds + seconds

    def end_pass(self, n_replaced: int) -> None:
        self.history.add(self.seen.error, n_replaced, self.seconds)
        self.n_done, self.seen, self.seconds = 0, NOTHING, 0.0

    def save(self, checkpoint: Checkpoint) -> None:
        history = {name: np.array(getattr(self.history, name)) for name in ("errors", "n_replaced", "seconds")}
        present = {"n_done": np.array(self.n_done), "seen": np.array(self.seen), "pass_seconds": np.array(self.seconds)}
        state = {field.name: np.asarray(getattr(self.learner, field.name)) for field in fields(Learner)}
        checkpoint.save(len(self.history.errors), {**state, **history, **present})

    @classmethod
    def load(cls, checkpoint: Checkpoint, callback: KSVDCallback | None) -> Position | None:
        saved = checkpoint.load()
        if saved is None:
            return None
        arrays = saved.arrays
        state: dict[str, Any] = {field.name: arrays[field.name] for field in fields(Learner)}
        state |= {name: int(arrays[name]) for name in ("exponent", "n_batches")}
        learner = Learner(**state)
        history = History(callback, *(arrays[name].tolist() for name in ("errors", "n_replaced", "seconds")))
        return cls(
            learner, history, int(arrays["n_done"]), Batch(*arrays["seen"].tolist()), float(arrays["pass_seconds"])
        )


def learn_in_batches(
    rows: Matrix,
    start: Matrix,
    *,
    sparsity: int,
    batch_size: int,
    n_passes: int,
    tol: float,
    nonnegative: bool,
    random_state: int,
    threads: int,
    callback: KSVDCallback | None,
    checkpoint: str | PathLike[str] | None = None,
) -> tuple[Learner, History]:
    """Pass over the rows several times; see `minibatch_ksvd`."""
    settings: dict[str, Any] = {"sparsity": sparsity, "batch_size": batch_size, "n_passes": n_passes, "tol": tol}
    settings |= {"nonnegative": nonnegative, "random_state": random_state}
    file = None if checkpoint is None else _open_checkpoint(Path(checkpoint), rows, start, settings)
    position = (Position.load(file, callback) if file else None) or Position(Learner.begin(start), History(callback))
    rng = np.random.default_rng(random_state)
    for _ in position.history.errors:
        rng.permutation(_count_runs(len(rows)))  # drawn by a finished pass
    try:
        while len(position.history.errors) < n_passes and not position.history.has_settled(tol):
            batches = random_batches(rows, batch_size, rng, skip=position.n_done)
            _pass_over(
                batches,
                position,
                file,
                n_batches=count_batches(len(rows), batch_size),
                is_last=len(position.history.errors) == n_passes - 1,
                settings={"sparsity": sparsity, "nonnegative": nonnegative, "threads": threads},
            )
    except KeyboardInterrupt:
        if file:
            position.save(file)
        raise
    if file:
        file.remove()
    return position.learner, position.history


def _pass_over(
    batches: Iterator[Matrix],
    position: Position,
    checkpoint: Checkpoint | None,
    *,
    n_batches: int,
    is_last: bool,
    settings: dict[str, Any],
) -> None:
    started, saved, n_replaced = perf_counter(), perf_counter(), 0
    for batch in batches:
        # a fresh atom needs a pass to settle
        replace_atoms = position.n_done == n_batches - 1 and not is_last
        learner, found, n_replaced = position.learner.learn(batch, **settings, replace_atoms=replace_atoms)
        position.add_batch(learner, found, perf_counter() - started)
        started = perf_counter()
        if checkpoint and started - saved > SECONDS_PER_SAVE and position.n_done < n_batches:
            position.save(checkpoint)
            saved = perf_counter()
    position.end_pass(n_replaced)
    if checkpoint and not is_last:
        position.save(checkpoint)


def _open_checkpoint(path: Path, rows: Matrix, start: Matrix, settings: dict[str, Any]) -> Checkpoint:
    """A file that is ignored by runs with other settings, first atoms or rows (by their shape and two samples)."""
    samples = [crc32(some.tobytes()) for some in (start, rows[:ROWS_PER_RUN], rows[-ROWS_PER_RUN:])]
    return Checkpoint(path, {**settings, "shape": rows.shape, "dtype": str(rows.dtype), "samples": samples})


def minibatch_ksvd(
    X: ArrayLike,
    *,
    n_atoms: int,
    sparsity: int = 5,
    batch_size: int = 2048,
    n_passes: int = 8,
    tol: float = 0.0,
    nonnegative: bool = False,
    random_state: int = 0,
    start: ArrayLike | None = None,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> KSVDResult:
    """Learn atoms from the rows of X in mini-batches, for arrays larger than memory and for speed.

    The same input and seed give the same bytes with any number of threads.

    Parameters
    ----------
    X : array-like, shape (n_rows, dim)
        The rows; may be memory-mapped, and is then read batch by batch.
    n_atoms : int
        Number of atoms.
    sparsity : int, default 5
        Maximum number of atoms per row.
    batch_size : int, default 2048
        Approximate number of rows per batch. About twice `n_atoms` is a good choice: every batch computes the Gram
        matrix of the atoms, which costs as much as the products of half as many rows, and a step on few rows is noisy.
    n_passes : int, default 8
        Maximum number of passes over the rows.
    tol : float, default 0.0
        Stop after a pass without replacements that lowers the error by less than this share of it. With 0 all passes
        are run.
    nonnegative : bool, default False
        Allow no negative weights.
    random_state : int, default 0
        Seed for the first atoms and the order of the batches.
    start : array-like, shape (n_atoms, dim), optional
        Atoms to start from, instead of random rows of X.
    threads : int, optional
        Number of threads, by default all cores.
    callback : callable, optional
        Called after each pass with its number (from 1), the relative error and the seconds.
    checkpoint : str or path-like, optional
        A file for the state of the run: it is written after each pass, every half minute in long ones, and on Ctrl-C.
        The same call resumes from it and gives the same bytes as without the interruption. It is removed at the end.

    Returns
    -------
    KSVDResult
        The errors are those of the batches of each pass, each before the atoms learned from it; one more, the last, is
        that of the final atoms and codes.

    Raises
    ------
    InputError
        If `X` or `start` is not a finite matrix of the right shape, or a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from wordatoms.atoms.minibatch import minibatch_ksvd
    >>> X = np.random.default_rng(0).standard_normal((2000, 10))
    >>> result = minibatch_ksvd(X, n_atoms=20, sparsity=3, batch_size=200)
    >>> result.atoms.shape, len(result.errors)
    ((20, 10), 9)
    """
    rows = checked_matrix(X, "X")
    check_integers(1, n_atoms=n_atoms, batch_size=batch_size, n_passes=n_passes, sparsity=sparsity)
    check_integers(0, random_state=random_state)
    check_tolerance(tol)
    checked_limits(sparsity, 1, n_atoms)
    vectors = random_rows(rows, n_atoms, random_state) if start is None else checked_start(start, rows, n_atoms)
    learner, history = learn_in_batches(
        rows,
        vectors,
        sparsity=sparsity,
        batch_size=batch_size,
        n_passes=n_passes,
        tol=tol,
        nonnegative=nonnegative,
        random_state=random_state,
        threads=resolve_threads(threads),
        callback=callback,
        checkpoint=checkpoint,
    )
    started, vectors = perf_counter(), learner.turned().vectors
    codes = sparse_code(rows, vectors, sparsity=sparsity, nonnegative=nonnegative, threads=threads)
    history.callback = None  # which is told of passes only
    history.add(relative_error(rows, vectors, codes), 0, perf_counter() - started)
    return history.result(vectors, codes)


def relative_error(rows: Matrix, vectors: Matrix, codes: SparseCodes) -> float:
    """‖X − C·A‖² / ‖X‖², block by block."""
    from wordatoms.kernels.atomupdate import subtract_codes

    seen = NOTHING
    for block in row_blocks(len(rows), ROWS_PER_CHECK):
        some = working_rows(rows[block])
        left = np.empty_like(some)
        subtract_codes(some, codes.atoms[block], codes.weights[block], vectors.astype(some.dtype, copy=False), left)
        seen = seen.plus(Batch(float(squared_lengths(left).sum()), float(squared_lengths(some).sum())))
    return seen.error

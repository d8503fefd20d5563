"""k-SVD of rows that no machine holds: shards of files, coded where the engine runs, on threads or a Dask cluster.

Every iteration sends the atoms to the shards. A shard codes its rows and returns sums alone: CᵀC and CᵀX of its codes
C and rows X, the error, and the rows that are fitted worst. From the totals each atom takes the power step of
`wordatoms.atoms.ksvd`, a ∝ Eᵀ·g = CᵀX − (CᵀC)·A + ‖g‖²·a, one after the other; only the weights stay as they were
coded. Sums are added in the order of the shards, so the result depends neither on the engine nor on which worker did
what, and a shard whose worker dies is coded again by another one.

What travels per shard: the atoms there, as much back, and the pairs of atoms that occur together in a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.ksvd import KSVDCallback, random_rows, squared_lengths, superfluous_atoms, to_unit
from wordatoms.atoms.sparse_coding import (
    Coder,
    Matrix,
    SparseCodes,
    check_integers,
    checked_matrix,
    row_blocks,
    sparse_code,
    working_dtype,
    working_rows,
)
from wordatoms.errors import InputError
from wordatoms.parallel import run_threads
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Checkpoint

ROWS_PER_SHARD = 16_384
SHARDS_PER_WORKER = 4
"""Shards sent at a time: enough to keep a worker busy, few enough for their sums to fit here."""
WORST_PER_SHARD = 16
"""Rows that each shard offers as new atoms."""
ATOMS_PER_STEP = 64
"""Atoms whose products with all others are computed at a time."""


@dataclass(frozen=True)
class RowShard:
    """Rows `start` to `stop` of a `.npy` file, under a path that is the same on all workers."""

    path: str
    start: int
    stop: int

    def read(self) -> Matrix:
        """The rows, checked, in single or double precision."""
        rows = _open_rows(self.path)[self.start : self.stop]
        try:
            return working_rows(checked_matrix(rows, "X"))
        except InputError as error:
            raise InputError(f"{self.path}, from row {self.start:,}: {error}") from error


@dataclass(frozen=True, eq=False)
class Sums:
    """What the codes C of some rows X say about their atoms."""

    pairs: Any
    """CᵀC, a sparse matrix."""
    products: NDArray[np.float64]
    """CᵀX"""
    n_users: NDArray[np.int64]
    loss: float
    total: float
    worst: Matrix
    """The rows that are fitted worst, and their squared residuals."""
    losses: NDArray[np.float64]

    def plus(self, other: Sums) -> Sums:
        return Sums(
            self.pairs + other.pairs,
            self.products + other.products,
            self.n_users + other.n_users,
            self.loss + other.loss,
            self.total + other.total,
            np.concatenate([self.worst, other.worst]),
            np.concatenate([self.losses, other.losses]),
        )


@dataclass(frozen=True, eq=False)
class ShardCoder:
    """Codes shards over given atoms, on one thread; can be sent to another machine."""

    vectors: Matrix
    sparsity: int
    nonnegative: bool

    def code(self, shard: RowShard) -> SparseCodes:
        """The codes of all rows of a shard."""
        return self._code(shard.read())

    def sums(self, shard: RowShard) -> Sums:
        rows = shard.read()
        codes = self._code(rows)
        residuals = rows - codes.decode(self.vectors)
        losses = squared_lengths(residuals)
        weights = codes.to_csr().astype(np.float64)
        worst = np.argsort(-losses, kind="stable")[:WORST_PER_SHARD]
        return Sums(
            weights.T @ weights,
            np.asarray(weights.T @ rows.astype(np.float64)),
            np.bincount(codes.atoms[codes.weights != 0], minlength=len(self.vectors)),
            float(losses.sum()),
            float(squared_lengths(rows).sum()),
            rows[worst],
            losses[worst],
        )

    def _code(self, rows: Matrix) -> SparseCodes:
        return sparse_code(rows, self.vectors, sparsity=self.sparsity, nonnegative=self.nonnegative, threads=1)


@dataclass(frozen=True, eq=False)
class ShardedResult:
    """The result of `ksvd_on_shards`.

    Attributes
    ----------
    atoms : ndarray, shape (n_atoms, dim)
        Unit vectors.
    errors : ndarray of float64, shape (n_iterations,)
        ‖X − C·A‖² / ‖X‖² of the codes of each iteration, before its atoms took their step.
    n_replaced : ndarray of int64, shape (n_iterations,)
        Atoms replaced in each iteration.
    """

    atoms: Matrix
    errors: NDArray[np.float64]
    n_replaced: NDArray[np.int64]


def ksvd_on_shards(
    paths: Sequence[str | PathLike[str]],
    *,
    n_atoms: int,
    sparsity: int = 5,
    n_iterations: int = 25,
    nonnegative: bool = False,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
    callback: KSVDCallback | None = None,
    checkpoint: str | PathLike[str] | None = None,
) -> ShardedResult:
    """Learn atoms from the rows of several files, with `run.engine` on a Dask cluster.

    The same files and seed give the same bytes with any engine and any number of workers.

    Parameters
    ----------
    paths : sequence of str or path-like
        `.npy` files of matrices of one width and precision, under the same paths on all workers.
    n_atoms : int
        Number of atoms.
    sparsity : int, default 5
        Maximum number of atoms per row.
    n_iterations : int, default 25
        Number of iterations.
    nonnegative : bool, default False
        Allow no negative weights.
    random_state : int, default 0
        Seed for the choice of the first atoms, from the first shard.
    run : Run, default Run()
        Its engine codes the shards.
    callback : callable, optional
        Called after each iteration with its number (from 1), the relative error and the seconds.
    checkpoint : str or path-like, optional
        A file for the atoms after each iteration, from which the same call resumes; it is removed at the end.

    Returns
    -------
    ShardedResult

    Raises
    ------
    InputError
        If a file is no matrix of finite numbers, or a number is out of range.
    EngineError
        If the cluster is gone, or all its workers are.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> from pathlib import Path
    >>> from wordatoms.atoms.shards import ksvd_on_shards
    >>> folder = Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     np.save(folder / f"{k}.npy", np.random.default_rng(k).standard_normal((100, 10)))
    >>> ksvd_on_shards(sorted(folder.glob("*.npy")), n_atoms=20, sparsity=3, n_iterations=3).atoms.shape
    (20, 10)
    """
    check_integers(1, n_atoms=n_atoms, sparsity=sparsity, n_iterations=n_iterations)
    check_integers(0, random_state=random_state)
    shards = find_shards(paths)
    first = shards[0].read()
    if n_atoms > len(first) or sparsity > n_atoms:
        raise InputError(
            f"n_atoms is {n_atoms:,} and sparsity {sparsity:,}, and the first shard has {len(first):,} rows; "
            "pass at most as many atoms as it has rows, and a sparsity of at most the number of atoms."
        )
    vectors = random_rows(first, n_atoms, random_state)
    errors: list[float] = []
    replaced: list[int] = []
    settings: dict[str, object] = {"shards": list(map(str, shards)), "sparsity": sparsity, "nonnegative": nonnegative}
    settings |= {"n_iterations": n_iterations, "start": crc32(vectors.tobytes())}
    file = None if checkpoint is None else Checkpoint(Path(checkpoint), settings)
    if file and (saved := file.load()):
        vectors = saved.arrays["vectors"]
        errors, replaced = saved.arrays["errors"].tolist(), saved.arrays["replaced"].tolist()
    for iteration in range(len(errors) + 1, n_iterations + 1):
        started = perf_counter()
        sums = add_up(ShardCoder(vectors, sparsity, nonnegative).sums, shards, run)
        vectors = step(vectors, sums)
        replaced.append(replace_atoms(vectors, sums) if iteration < n_iterations else 0)
        errors.append(sums.loss / sums.total if sums.total else 0.0)
        if file:
            state = {"vectors": vectors, "errors": np.array(errors), "replaced": np.array(replaced)}
            file.save(iteration, state)
        if callback:
            callback(iteration, errors[-1], perf_counter() - started)
    if file:
        file.remove()
    return ShardedResult(vectors, np.array(errors), np.array(replaced, np.int64))


def code_shards(
    paths: Sequence[str | PathLike[str]],
    atom_vectors: Matrix,
    *,
    sparsity: int = 5,
    nonnegative: bool = False,
    run: Run = DEFAULT_RUN,
) -> Iterator[SparseCodes]:
    """Code the rows of several files, shard by shard in their order; see `wordatoms.sparse_code`.

    Parameters
    ----------
    paths : sequence of str or path-like
        `.npy` files, under the same paths on all workers.
    atom_vectors : ndarray, shape (n_atoms, dim)
        The atoms.
    sparsity : int, default 5
        Maximum number of atoms per row.
    nonnegative : bool, default False
        Allow no negative weights.
    run : Run, default Run()
        Its engine codes the shards.

    Yields
    ------
    SparseCodes
        The codes of up to 16,384 rows.
    """
    coder = ShardCoder(np.asarray(atom_vectors), sparsity, nonnegative)
    return _map(coder.code, find_shards(paths), run)


def find_shards(paths: Sequence[str | PathLike[str]]) -> list[RowShard]:
    """The files in pieces, after a check that their shapes and types agree."""
    if not paths:
        raise InputError("there are no files; pass at least one .npy file of vectors.")
    opened = [(str(path), _open_rows(path)) for path in paths]
    kinds = {(rows.shape[1], working_dtype(rows)) for _, rows in opened}
    if len(kinds) > 1:
        raise InputError("the files differ in the width of their rows or in precision; pass files of one kind.")
    return [
        RowShard(path, block.start, block.stop)
        for path, rows in opened
        for block in row_blocks(len(rows), ROWS_PER_SHARD)
    ]


def _open_rows(path: str | PathLike[str]) -> Matrix:
    try:
        rows: Matrix = np.load(Path(path), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise InputError(
            f"{path} cannot be read as a .npy file ({error}); pass one that every worker finds."
        ) from error
    if not isinstance(rows, np.ndarray) or rows.ndim != 2 or 0 in rows.shape or rows.dtype.kind not in "fiub":
        raise InputError(f"{path} holds no table of numbers; pass one row per vector.")
    return rows


def _map(function: Callable[[RowShard], Any], shards: Sequence[RowShard], run: Run) -> Iterator[Any]:
    """Apply a function to shards in their order, some at a time."""
    n_each = SHARDS_PER_WORKER * (run.engine.n_workers if run.engine else run.n_threads)
    for start in range(0, len(shards), n_each):
        some = shards[start : start + n_each]
        yield from run.engine.map(function, some) if run.engine else run_threads(function, some, run.n_threads)


def add_up(function: Callable[[RowShard], Sums], shards: Sequence[RowShard], run: Run) -> Sums:
    total: Sums = reduce(Sums.plus, _map(function, shards, run))
    return total


def step(vectors: Matrix, sums: Sums) -> Matrix:
    """One power step for each atom in turn; the atoms as they are afterwards."""
    moved = vectors.astype(np.float64)
    for block in row_blocks(len(moved), ATOMS_PER_STEP):
        pairs = sums.pairs[block].toarray()
        left = sums.products[block] - pairs @ moved  # for each atom Rᵀ·g, where R are the residuals
        for i, atom in enumerate(range(block.start, block.stop)):
            use = pairs[i, atom]
            direction = left[i] + use * moved[atom]
            length = np.linalg.norm(direction)
            if use > 0 and length > 0:
                change = direction / length - moved[atom]
                left -= np.outer(pairs[:, atom], change)
                moved[atom] += change
    return to_unit(moved).astype(vectors.dtype)


def replace_atoms(vectors: Matrix, sums: Sums) -> int:
    """Replace superfluous atoms by the rows that were fitted worst, in place; return how many."""
    superfluous = superfluous_atoms(sums.n_users, Coder.build(vectors, nonnegative=False).gram)
    rounding = vectors.shape[1] * np.finfo(vectors.dtype).eps
    worst = np.argsort(-sums.losses, kind="stable")[: len(superfluous)]
    worst = worst[sums.losses[worst] > rounding**2 * squared_lengths(sums.worst[worst])]
    vectors[superfluous[: len(worst)]] = to_unit(sums.worst[worst])
    return len(worst)

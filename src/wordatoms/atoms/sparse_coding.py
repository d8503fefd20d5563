"""Sparse codes: each vector as a weighted sum of a few atoms (equation (2) of the paper), by batch OMP.

`sparse_code` finds codes over given atoms by orthogonal matching pursuit, the coding step of k-SVD: choose the atom
with the largest inner product with the residual, refit the weights of all chosen atoms, repeat. A row whose residual
is down to rounding errors takes no more atoms.

Left out: learning the atoms (`wordatoms.atoms.ksvd`), and L1 penalties instead of a fixed number of atoms.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import local
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.errors import InputError, ModelError, require_extra
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.storage.files import load_array, write_array, write_together
from wordatoms.tabular import Tabular

Matrix = NDArray[Any]
"""A matrix of single or double precision."""
Sparsity = int | NDArray[np.integer[Any]]

ROWS_PER_BLOCK = 256
"""Rows coded at a time: their inner products with 2000 atoms take 2 MB and stay in the cache. The size does not depend
on the number of threads, and neither do the codes: the last bits of a matrix product depend on its shape."""
ATOMS_PER_BLOCK = 128
"""Rows of the Gram matrix computed at a time."""
ROWS_PER_CHECK = 4096
"""Rows whose numbers are checked at a time."""

_memory = local()


@dataclass(frozen=True, eq=False, repr=False)
class SparseCodes(Tabular):
    """The atoms of each row and their weights.

    Parameters
    ----------
    atoms : ndarray of int32, shape (n_rows, sparsity)
        Atoms of each row, largest absolute weight first; -1 where a row has fewer atoms.
    weights : ndarray of float32 or float64, shape (n_rows, sparsity)
        Their weights; 0 where the atom is -1.
    n_atoms : int
        Number of atoms that the codes are over.

    Raises
    ------
    InputError
        If the arrays have wrong types, different shapes or numbers out of range.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> codes = wa.SparseCodes(np.array([[2, 0], [1, -1]], np.int32), np.array([[4.0, 3.0], [2.0, 0.0]]), n_atoms=3)
    >>> codes
    SparseCodes(2 rows, up to 2 of 3 atoms)
    >>> codes.to_csr().toarray()
    array([[3., 0., 4.],
           [0., 2., 0.]])
    """

    atoms: NDArray[np.int32]
    weights: Matrix
    n_atoms: int

    def __post_init__(self) -> None:
        _check_codes(self.atoms, self.weights, self.n_atoms)

    def __len__(self) -> int:
        return len(self.atoms)

    def __repr__(self) -> str:
        return f"SparseCodes({len(self):,} rows, up to {self.sparsity} of {self.n_atoms:,} atoms)"

    def __getitem__(self, rows: Any) -> SparseCodes:
        """The codes of some rows: a slice, a list of rows or a mask; one row gives codes of length 1."""
        chosen: Any = [rows] if isinstance(rows, int | np.integer) else rows
        return SparseCodes(self.atoms[chosen], self.weights[chosen], self.n_atoms)

    @property
    def sparsity(self) -> int:
        """Maximum number of atoms per row."""
        return int(self.atoms.shape[1])

    @property
    def share_positive(self) -> float:
        """Share of the non-zero weights that are positive; 0 if there are none."""
        return float((self.weights > 0).sum() / max((self.weights != 0).sum(), 1))

    def positive(self, row: int) -> dict[int, float]:
        """Return the atoms with a positive weight in one row, largest weight first.

        Parameters
        ----------
        row : int

        Returns
        -------
        dict of int to float
            Atoms and their weights.
        """
        pairs = zip(self.atoms[row].tolist(), self.weights[row].tolist(), strict=True)
        return {atom: weight for atom, weight in pairs if weight > 0}

    def decode(self, atom_vectors: Matrix) -> Matrix:
        """Compute the weighted sums of atoms that the codes stand for.

        Parameters
        ----------
        atom_vectors : ndarray, shape (n_atoms, dim)
            The atoms that the rows were coded with.

        Returns
        -------
        ndarray, shape (n_rows, dim)
        """
        if len(atom_vectors) != self.n_atoms:
            raise InputError(
                f"the codes are over {self.n_atoms:,} atoms, but {len(atom_vectors):,} vectors were given; "
                "pass the atoms that the rows were coded with."
            )
        decoded = np.zeros((len(self), atom_vectors.shape[1]), np.result_type(self.weights, atom_vectors))
        for slot in range(self.sparsity):  # an absent atom, -1, adds the last vector with weight 0
            decoded += self.weights[:, slot, None] * atom_vectors[self.atoms[:, slot]]
        return decoded

    def to_csr(self) -> Any:
        """Convert to a sparse matrix.

        Returns
        -------
        scipy.sparse.csr_matrix, shape (n_rows, n_atoms)
            The weights.
        """
        from scipy.sparse import csr_matrix

        present = self.atoms >= 0
        starts = np.concatenate([[0], np.cumsum(present.sum(axis=1))])
        matrix = csr_matrix((self.weights[present], self.atoms[present], starts), shape=(len(self), self.n_atoms))
        matrix.sort_indices()
        return matrix

    def to_frame(self) -> Any:
        """Convert to a table.

        Returns
        -------
        pandas.DataFrame
            A line per row and atom: row, atom, weight.
        """
        rows, slots = np.nonzero(self.atoms >= 0)
        columns = {"row": rows, "atom": self.atoms[rows, slots], "weight": self.weights[rows, slots]}
        return require_extra("pandas", "pandas").DataFrame(columns)

    def save(self, folder: Path, name: str = "codes") -> None:
        """Write `name-atoms.npy` and `name-weights.npy` into a folder, which is created if necessary.

        Parameters
        ----------
        folder : Path
        name : str, default "codes"
        """
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = (Path(folder) / f"{name}-atoms.npy", Path(folder) / f"{name}-weights.npy")
        with write_together(*paths) as files:
            for file, array, path in zip(files, (self.atoms, self.weights), paths, strict=True):
                write_array(file, array, path)

    @classmethod
    def load(cls, folder: Path, name: str = "codes", *, n_atoms: int) -> SparseCodes:
        """Load codes that `save` wrote.

        Parameters
        ----------
        folder : Path
        name : str, default "codes"
        n_atoms : int
            Number of atoms that the codes are over.

        Returns
        -------
        SparseCodes

        Raises
        ------
        ModelError
            If the files are missing, damaged or inconsistent.
        """
        atoms, weights = (load_array(Path(folder) / f"{name}-{part}.npy") for part in ("atoms", "weights"))
        try:
            return cls(atoms, weights, n_atoms)
        except InputError as error:
            raise ModelError(f"{folder} holds no usable codes '{name}': {error}") from error


def _check_codes(atoms: Matrix, weights: Matrix, n_atoms: int) -> None:
    if atoms.ndim != 2 or atoms.shape != weights.shape:
        raise InputError(
            f"the atoms have the shape {atoms.shape} and the weights {weights.shape}; pass two tables of one shape."
        )
    if atoms.dtype != np.int32 or weights.dtype not in (np.float32, np.float64):
        raise InputError(f"the atoms are {atoms.dtype} and the weights {weights.dtype}; pass int32 and floats.")
    if atoms.size and not -1 <= atoms.min() <= atoms.max() < n_atoms:
        raise InputError(f"atoms run from {atoms.min()} to {atoms.max()}; pass numbers from -1 to {n_atoms - 1}.")
    if not np.isfinite(weights).all() or weights[atoms < 0].any():
        raise InputError("some weights are not finite, or belong to no atom; pass 0 where the atom is -1.")


def sparse_code(
    X: ArrayLike,
    atom_vectors: ArrayLike,
    *,
    sparsity: Sparsity = 5,
    nonnegative: bool = False,
    threads: int | None = None,
) -> SparseCodes:
    """Express each row as a weighted sum of a few atoms, by orthogonal matching pursuit.

    Parameters
    ----------
    X : array-like, shape (n_rows, dim)
        The rows, in any memory order; may be memory-mapped. Floats of 16 and 32 bits are coded in single precision, all
        other numbers in double precision.
    atom_vectors : array-like, shape (n_atoms, dim)
        Atoms of any length; an atom of zeros is never chosen.
    sparsity : int or ndarray of int, shape (n_rows,), default 5
        Maximum number of atoms per row, for all rows or for each.
    nonnegative : bool, default False
        Choose atoms by their largest positive inner product, and allow no negative weights.
    threads : int, optional
        Number of threads, by default all cores. The result does not depend on it.

    Returns
    -------
    SparseCodes

    Raises
    ------
    InputError
        If `X` or the atoms are not finite matrices of the same dimension, or the sparsity is not between 1 and the
        number of atoms.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> codes = wa.sparse_code([[3.0, 0.0, 4.0], [0.0, 2.0, 0.0]], np.eye(3), sparsity=2)
    >>> codes.positive(0)
    {2: 4.0, 0: 3.0}
    """
    rows = checked_matrix(X, "X")
    vectors = _checked_atoms(atom_vectors, rows)
    limits = checked_limits(sparsity, len(rows), len(vectors))
    lengths = np.linalg.norm(vectors, axis=1)
    lengths[lengths == 0] = 1
    atoms, weights = empty_codes(limits, vectors.dtype)

    with one_blas_thread():
        coder = Coder.build(vectors / lengths[:, None], nonnegative, resolve_threads(threads))

        def code_block(block: slice) -> None:
            atoms[block], weights[block] = coder.code(working_rows(rows[block]), limits[block], atoms.shape[1])

        run_threads(code_block, row_blocks(len(rows)), resolve_threads(threads))
    np.divide(weights, lengths[atoms], out=weights)  # absent atoms have weight 0 whatever the length
    return ordered_codes(atoms, weights, len(vectors))


class Coder(NamedTuple):
    """Unit atoms and their Gram matrix, ready to code blocks of rows."""

    vectors: Matrix
    gram: NDArray[np.int16]
    """Inner products of the atoms, in units of 1 / pursuit.ONE."""
    nonnegative: bool

    @classmethod
    def build(cls, vectors: Matrix, nonnegative: bool, threads: int = 1) -> Coder:
        gram = np.empty((len(vectors), len(vectors)), np.int16)

        def multiply(block: slice) -> None:  # the part left of the diagonal; the other one is its mirror image
            gram[block, : block.stop] = _as_units(vectors[block] @ vectors[: block.stop].T)
            gram[: block.stop, block] = gram[block, : block.stop].T

        # longest blocks first, so that no thread waits for another at the end
        run_threads(multiply, row_blocks(len(vectors), ATOMS_PER_BLOCK)[::-1], threads)
        return cls(vectors, gram, nonnegative)

    def refresh(self, atoms: NDArray[np.intp]) -> None:
        """Update the Gram matrix after some of the vectors have changed."""
        self.gram[atoms] = _as_units(self.vectors[atoms] @ self.vectors.T)
        self.gram[:, atoms] = self.gram[atoms].T

    def code(self, rows: Matrix, limits: NDArray[np.int32], width: int) -> tuple[NDArray[np.int32], Matrix]:
        """Atoms and weights of a block of rows, in the order in which the atoms were chosen."""
        from wordatoms.kernels import pursuit

        products = _reused_memory((len(rows), len(self.gram)), rows.dtype)
        np.matmul(rows, self.vectors.T, out=products)
        integer = np.dtype(f"i{products.itemsize}")
        # all bits but the sign: absolute values are compared, unless weights must be non-negative
        mask = np.array(-1 if self.nonnegative else np.iinfo(integer).max, integer)[()]
        n_atoms, dim = self.vectors.shape
        bits, scratch = products.view(integer), pursuit.Scratch.make(n_atoms, dim, products.dtype, integer)
        atoms, weights = np.empty((len(rows), width), np.int32), np.empty((len(rows), width), products.dtype)
        some = rows, products, bits, self.vectors, self.gram, limits, mask, self.nonnegative or None
        pursuit.pursue(*some, pursuit.Support.make(width, products.dtype), scratch, atoms, weights)
        return atoms, weights


def _as_units(cosines: Matrix) -> NDArray[np.int16]:
    from wordatoms.kernels.pursuit import ONE

    np.multiply(cosines, ONE, out=cosines)
    np.rint(cosines, out=cosines)
    return np.clip(cosines, -ONE, ONE, out=cosines).astype(np.int16)


def _reused_memory(shape: tuple[int, int], dtype: Any) -> Matrix:
    """An array that the next call on the same thread overwrites: new memory for every block costs page faults."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if getattr(_memory, "bytes", None) is None or len(_memory.bytes) < size:
        _memory.bytes = np.empty(size, np.uint8)
    reused: Matrix = _memory.bytes[:size].view(dtype).reshape(shape)
    return reused


def row_blocks(n_rows: int, n_each: int = ROWS_PER_BLOCK) -> list[slice]:
    return [slice(start, min(start + n_each, n_rows)) for start in range(0, n_rows, n_each)]


def empty_codes(limits: NDArray[np.int32], dtype: Any) -> tuple[NDArray[np.int32], Matrix]:
    shape = (len(limits), int(limits.max()))
    return np.full(shape, -1, np.int32), np.zeros(shape, dtype)


def ordered_codes(atoms: NDArray[np.int32], weights: Matrix, n_atoms: int) -> SparseCodes:
    """Codes with the largest absolute weight first; the arrays are sorted in place."""
    from wordatoms.kernels.pursuit import order_codes

    order_codes(atoms, weights)
    return SparseCodes(atoms, weights, n_atoms)


# --- checks of X, atoms and sparsity


def checked_matrix(X: ArrayLike, name: str) -> Matrix:
    """Check that X is a finite matrix; it is neither copied nor converted."""
    if hasattr(X, "toarray"):
        raise InputError(f"{name} is a sparse matrix; pass a dense array, such as {name}.toarray().")
    matrix = _as_array(X, name)
    if matrix.dtype.kind not in "fiub":
        raise InputError(f"{name} holds {matrix.dtype}; pass real numbers.")
    if matrix.ndim != 2 or 0 in matrix.shape:
        raise InputError(f"{name} has the shape {matrix.shape}; pass one row per vector, and at least one number.")
    _check_sizes(matrix, name)
    return matrix


def _as_array(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} is no array ({error}); pass numbers, in rows of one length.") from error


def _checked_atoms(atom_vectors: ArrayLike, rows: Matrix) -> Matrix:
    vectors = checked_matrix(atom_vectors, "atom_vectors")
    if rows.shape[1] != vectors.shape[1]:
        raise InputError(
            f"X has {rows.shape[1]} dimensions but the atoms have {vectors.shape[1]}; pass atoms of the same dimension."
        )
    return np.ascontiguousarray(vectors, working_dtype(rows))


def check_integers(least: int, **values: object) -> None:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise InputError(f"{name} is {value!r}; pass an integer of {least} or more.")


def _check_sizes(matrix: Matrix, name: str) -> None:
    """Refuse numbers that are not finite, and those whose squares overflow or vanish in the working precision."""
    largest = 0.0
    for block in row_blocks(len(matrix), ROWS_PER_CHECK):  # a memory-mapped matrix must not be loaded whole
        rows = matrix[block]
        size = max(float(rows.max()), -float(rows.min()))  # NaN if there is one
        if not np.isfinite(size):
            row = block.start + int(np.argmin(np.isfinite(rows).all(axis=1)))
            raise InputError(f"row {row} of {name} holds NaN or infinity; leave the row out or repair it.")
        largest = max(largest, size)
    limit = 1e15 if working_dtype(matrix) is np.float32 else 1e150
    if largest and not 1 / limit <= largest <= limit:
        raise InputError(f"the largest number in {name} is {largest:.1e}; scale it to between {1 / limit} and {limit}.")


def working_dtype(matrix: Matrix) -> Any:
    """Single precision for floats of 16 or 32 bits, double precision for all other numbers."""
    return np.float32 if matrix.dtype in (np.float16, np.float32) else np.float64


def working_rows(rows: Matrix) -> Matrix:
    """A block of rows as the kernels need it: contiguous, in single or double precision."""
    return np.ascontiguousarray(rows, working_dtype(rows))


def checked_limits(sparsity: Sparsity, n_rows: int, n_atoms: int) -> NDArray[np.int32]:
    """The maximum number of atoms of each row, shape (n_rows,)."""
    limits = _as_array(sparsity, "sparsity")
    if limits.dtype.kind not in "iu" or limits.shape not in ((), (n_rows,)):
        raise InputError(
            f"sparsity is {limits.dtype} of shape {limits.shape}; "
            f"pass an integer, or one for each of the {n_rows:,} rows."
        )
    if limits.min() < 1:
        raise InputError(f"sparsity is {limits.min()}; pass 1 or more.")
    if limits.max() > n_atoms:
        raise InputError(
            f"sparsity is {limits.max()} but there are only {n_atoms} atoms; pass a sparsity of {n_atoms} or less."
        )
    return np.full(n_rows, limits, np.int32)

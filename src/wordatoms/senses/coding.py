"""Codes of further vectors over the atoms of a model, with the settings that its own vectors were coded with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.atoms.sparse_coding import SparseCodes, checked_matrix, sparse_code
from wordatoms.embeddings.embeddings import to_single, to_unit
from wordatoms.embeddings.matrix_files import ROWS_AT_ONCE, finite_blocks
from wordatoms.errors import InputError, ModelError
from wordatoms.senses.parts import ModelParts

BLOCK_NUMBERS = 1 << 25
"""Numbers of the rows coded at a time (128 MB)."""
ROWS_PER_UNIT = 256
"""Rows of a block are a multiple of this, so that codes do not depend on where a block ends."""


@dataclass(frozen=True)
class Coding:
    """The atoms, and how rows are coded over them."""

    atoms: NDArray[np.float32]
    sparsity: int
    nonnegative: bool

    @classmethod
    def of_model(cls, parts: ModelParts, sparsity: int | None = None, nonnegative: bool | None = None) -> Coding:
        """Return the coding of a model; what is given takes the place of its settings."""
        settings: dict[str, Any] = parts.folder.stages["atomize"]["settings"]
        most = (settings.get("sparsity_range") or [0, settings.get("sparsity", 5)])[1]
        is_positive = settings.get("nonnegative", False)
        if type(most) is not int or most < 1 or type(is_positive) is not bool:
            raise ModelError(
                f"{parts.path / 'manifest.json'} does not say how vectors are coded; make the atoms again."
            )
        atoms = parts.atoms.vectors
        wanted = min(most, len(atoms)) if sparsity is None else sparsity
        return cls(atoms, wanted, is_positive if nonnegative is None else nonnegative)

    def code(self, vectors: ArrayLike, *, threads: int | None = None) -> SparseCodes:
        """Code the rows of a matrix, scaled to length 1; a memory-mapped one is read some rows at a time."""
        rows = checked_matrix(vectors, "vectors")
        self.check_dim("the rows of vectors", rows.shape[1])
        blocks = (to_single(rows[at : at + ROWS_AT_ONCE]) for at in range(0, len(rows), ROWS_AT_ONCE))
        return self.code_blocks(finite_blocks(blocks, "vectors"), threads=threads)

    def check_dim(self, source: object, dim: int) -> None:
        """Raise for vectors of another dimension than the atoms."""
        if dim != self.atoms.shape[1]:
            raise InputError(
                f"{source} have {dim:,} dimensions but the atoms of this model {self.atoms.shape[1]:,}; pass vectors "
                "that were made like those of the model."
            )

    def code_blocks(self, blocks: Iterable[NDArray[np.float32]], *, threads: int | None = None) -> SparseCodes:
        """Code rows that come in blocks of any length."""
        codes = list(self.codes_of(blocks, threads=threads))
        atoms, weights = (np.concatenate([getattr(each, part) for each in codes]) for part in ("atoms", "weights"))
        return SparseCodes(atoms, weights, len(self.atoms))

    def codes_of(self, blocks: Iterable[NDArray[np.float32]], *, threads: int | None = None) -> Iterator[SparseCodes]:
        """Yield the codes of rows that come in blocks of any length, many rows at a time."""
        n_rows = max(1, BLOCK_NUMBERS // self.atoms.shape[1] // ROWS_PER_UNIT) * ROWS_PER_UNIT
        options: dict[str, Any] = {"sparsity": self.sparsity, "nonnegative": self.nonnegative, "threads": threads}
        for rows in _repacked(map(to_unit, blocks), n_rows):
            yield sparse_code(rows, self.atoms, **options)


def _repacked(blocks: Iterable[NDArray[np.float32]], n_rows: int) -> Iterator[NDArray[np.float32]]:
    """Yield the same rows in blocks of this length; the last one may be shorter."""
    waiting: list[NDArray[np.float32]] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= n_rows:
            rows = np.concatenate(waiting)
            whole = len(rows) // n_rows * n_rows
            yield from (rows[at : at + n_rows] for at in range(0, whole, n_rows))
            waiting = [rows[whole:]]
    if any(map(len, waiting)):
        yield np.concatenate(waiting)

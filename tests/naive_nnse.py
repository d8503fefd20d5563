"""Obvious twins of the NNSE trainer: one word and one coefficient at a time, in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def naive_objective(vectors: Matrix, codes: Matrix, dictionary: Matrix, penalty: float) -> float:
    return float(((vectors - codes @ dictionary) ** 2).sum() + penalty * codes.sum())


def naive_codes(vectors: Matrix, dictionary: Matrix, penalty: float, n_sweeps: int = 3000) -> Matrix:
    """Coordinate descent on the residual itself, for long enough."""
    codes = np.zeros((len(vectors), len(dictionary)))
    for vector, code in zip(vectors, codes, strict=True):
        for _ in range(n_sweeps):
            before = code.copy()
            for k, atom in enumerate(dictionary):
                rest = vector - code @ dictionary + code[k] * atom
                code[k] = max(0.0, (rest @ atom - penalty / 2) / (atom @ atom))
            if np.abs(code - before).max() < 1e-10:
                break
    return codes


def planted_factors(n_words: int, dim: int, svd_dim: int, n_active: int, seed: int = 0) -> tuple[Matrix, Matrix]:
    """Non-negative codes with so many entries per word, and unit atoms."""
    rng = np.random.default_rng(seed)
    atoms = rng.normal(size=(dim, svd_dim))
    codes = np.zeros((n_words, dim))
    for code in codes:
        code[rng.choice(dim, size=n_active, replace=False)] = rng.uniform(0.5, 1.5, size=n_active)
    return codes, atoms / np.linalg.norm(atoms, axis=1, keepdims=True)

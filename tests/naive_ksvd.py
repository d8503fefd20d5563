"""Obvious twins of the pursuit and of k-SVD's atom step, and vectors made from a known dictionary."""

from __future__ import annotations

import numpy as np


def naive_code(x: np.ndarray, atoms: np.ndarray, sparsity: int) -> np.ndarray:
    """Orthogonal matching pursuit that solves least squares at each step; the dense code."""
    chosen: list[int] = []
    code = np.zeros(len(atoms))
    for _ in range(sparsity):
        strengths = np.abs(atoms @ (x - code @ atoms))
        if strengths.max() <= 1e-9 * np.linalg.norm(x):
            break
        chosen.append(int(strengths.argmax()))
        code[chosen] = np.linalg.lstsq(atoms[chosen].T, x, rcond=None)[0]
    return code


def naive_nonnegative_code(x: np.ndarray, atoms: np.ndarray, sparsity: int) -> np.ndarray:
    """Lawson and Hanson's non-negative least squares, stopped as soon as `sparsity` atoms are in use."""
    code = np.zeros(len(atoms))
    for _ in range(3 * sparsity):
        strengths = atoms @ (x - code @ atoms)
        if strengths.max() <= 1e-9 * np.linalg.norm(x):
            break
        code = _fit_positive(x, atoms, code, int(strengths.argmax()))
        if np.count_nonzero(code) == sparsity:
            break
    return code


def _fit_positive(x: np.ndarray, atoms: np.ndarray, code: np.ndarray, new: int) -> np.ndarray:
    chosen = [*np.flatnonzero(code), new]
    while True:
        trial = np.zeros_like(code)
        trial[chosen] = np.linalg.lstsq(atoms[chosen].T, x, rcond=None)[0]
        negative = [atom for atom in chosen if trial[atom] <= 0]
        if not negative:
            return trial
        shares = [code[atom] / (code[atom] - trial[atom]) for atom in negative]
        code = code + min(shares) * (trial - code)
        code[negative[int(np.argmin(shares))]] = 0
        chosen = [atom for atom in chosen if code[atom] > 0]


def naive_update(X: np.ndarray, codes: np.ndarray, atoms: np.ndarray, *, nonnegative: bool = False) -> None:
    """One power step per atom, in place, with dense codes (n_rows, n_atoms)."""
    for k in range(len(atoms)):
        users = np.flatnonzero(codes[:, k])
        weights = codes[users, k]
        without = X[users] - codes[users] @ atoms + np.outer(weights, atoms[k])
        direction = without.T @ weights
        if not direction.any():
            continue
        atoms[k] = direction / np.linalg.norm(direction)
        codes[users, k] = without @ atoms[k]
        if nonnegative:
            codes[users, k] = np.maximum(codes[users, k], 0)


def random_atoms(n_atoms: int, dim: int, seed: int) -> np.ndarray:
    atoms = np.random.default_rng(seed).normal(size=(n_atoms, dim))
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def planted(
    n_rows: int, n_atoms: int, dim: int, sparsity: int, *, seed: int = 0, nonnegative: bool = False, noise: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are sums of `sparsity` random atoms each, and these atoms."""
    rng = np.random.default_rng(seed)
    atoms = random_atoms(n_atoms, dim, seed + 1)
    codes = np.zeros((n_rows, n_atoms))
    for code in codes:
        weights = rng.uniform(1, 2, sparsity) * (1 if nonnegative else rng.choice([-1, 1], sparsity))
        code[rng.choice(n_atoms, sparsity, replace=False)] = weights
    return codes @ atoms + noise * rng.normal(size=(n_rows, dim)), atoms

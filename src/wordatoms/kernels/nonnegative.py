"""Non-negative sparse codes by coordinate descent, from the inner products X·Dᵀ and the Gram matrix D·Dᵀ alone."""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit


@jit
def descend(products, gram, penalty, n_sweeps, tolerance, codes, gains):
    """Reduce ‖x − a·D‖² + penalty·Σa over a ≥ 0 for every row, starting from `codes` and updating them.

    `products` are the rows of X·Dᵀ and `gram` is D·Dᵀ. Sweeps end when no coordinate moved by more than `tolerance` of
    the largest one. `gains` receives the difference between ‖x‖² and the objective.
    """
    n_atoms = len(gram)
    slope = np.empty(n_atoms, np.float32)
    for row in range(len(products)):
        code = codes[row]
        # slope = D·(x − a·D), kept up to date from here on: a coordinate costs work only when it moves
        slope[:] = products[row]
        for k in range(n_atoms):
            if code[k] != 0:
                slope -= code[k] * gram[k]
        for _ in range(n_sweeps):
            if sweep(slope, gram, penalty, code) <= tolerance * np.max(code):
                break
        # ‖x‖² − ‖x − a·D‖² = a·(products + slope); in double precision, because it is subtracted from ‖x‖²
        gain = 0.0
        for k in range(n_atoms):
            gain += np.float64(code[k]) * (np.float64(products[row, k]) + slope[k] - penalty)
        gains[row] = gain


@jit
def sweep(slope, gram, penalty, code):
    """Set each coordinate in turn to its optimum given the others; return the largest change."""
    largest = np.float32(0)
    for k in range(len(gram)):
        if gram[k, k] <= 0:  # an atom of zeros
            continue
        best = max(np.float32(0), code[k] + (slope[k] - penalty / 2) / gram[k, k])
        change = np.float32(best - code[k])
        if change != 0:
            code[k] = best
            for other in range(len(gram)):
                slope[other] -= change * gram[k, other]
            largest = max(largest, abs(change))
    return largest

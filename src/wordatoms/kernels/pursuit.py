"""Batch orthogonal matching pursuit: sparse codes from the inner products X·Dᵀ and the Gram matrix D·Dᵀ alone.

Each step evaluates the inner products of the residual directly, `products − Σ weight · gram[atom]`, instead of updating
them from step to step: the few rows of the Gram matrix stay in the first-level cache, rounding errors do not
accumulate, and all operations are elementwise, so they give the same bits however they are compiled. The Cholesky
factor of the chosen atoms' Gram matrix grows by one row per step, so a step solves its least squares without a new
factorisation.

Atoms must have unit length. Left out: the residuals themselves (see `wordatoms.kernels.atomupdate`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.kernels import jit, jit_fastmath

CHUNK = 128
"""The maximum is found chunk by chunk without its place, which vectorises; the place is searched in one chunk only."""
STEPS_PER_ATOM = 3
"""Limits the steps of non-negative pursuit, which may drop an atom and choose it again."""


class Support(NamedTuple):
    """The atoms chosen for one row, and the least-squares problem on them."""

    chosen: NDArray[np.int32]
    weights: NDArray
    trial: NDArray
    """The least-squares weights, before their signs are checked."""
    factor: NDArray
    """Lower Cholesky factor of the chosen atoms' Gram matrix."""
    forward: NDArray
    """The solution of factor · forward = products of the chosen atoms."""


@jit_fastmath
def dot(left, right):
    total = left[0] * right[0]  # not 0.0, which would make the sum double precision
    for k in range(1, len(left)):
        total += left[k] * right[k]
    return total


@jit
def subtract(vector, weight, row):
    """Subtract in place. (`difference` with `out` as its source would run the slow version for overlapping rows.)"""
    for k in range(len(row)):
        vector[k] -= weight * row[k]


@jit
def subtract_two(vector, weight1, row1, weight2, row2):
    for k in range(len(row1)):
        vector[k] -= weight1 * row1[k] + weight2 * row2[k]


@jit
def difference(source, weight, row, out):
    for k in range(len(source)):
        out[k] = source[k] - weight * row[k]


@jit
def difference_two(source, weight1, row1, weight2, row2, out):
    for k in range(len(source)):
        out[k] = source[k] - (weight1 * row1[k] + weight2 * row2[k])


@jit
def remaining_products(products, gram, support, n, out):
    """The inner products of all atoms with the residual, after `n` atoms were chosen."""
    # two atoms per pass over `out`, which halves its loads and stores
    chosen, weights = support.chosen, support.weights
    if n == 0:
        out[: len(products)] = products
    elif n % 2:
        difference(products, weights[0], gram[chosen[0]], out)
    else:
        difference_two(products, weights[0], gram[chosen[0]], weights[1], gram[chosen[1]], out)
    for i in range(2 - n % 2, n, 2):
        subtract_two(out, weights[i], gram[chosen[i]], weights[i + 1], gram[chosen[i + 1]])


@jit
def largest_bits(bits, mask):
    largest = bits.dtype.type(0)
    for k in range(len(bits)):
        largest = max(largest, bits.dtype.type(bits[k] & mask))  # numba widens the result of &, which is slower
    return largest


@jit
def strongest(bits, mask):
    """The first place of the largest positive number in a table of chunks; 0 if there is none.

    The bits of positive floats, read as integers, have the same order; negative floats give negative integers. With
    the sign bit masked out, the integers order the absolute values. Integers have no NaN, whose handling would keep the
    compiler from vectorising the maximum.
    """
    best, chunk = bits.dtype.type(0), 0
    for i in range(len(bits)):
        largest = largest_bits(bits[i], mask)
        if largest > best:
            best, chunk = largest, i
    place = 0
    while best > 0 and bits[chunk, place] & mask != best:
        place += 1
    return chunk * CHUNK + place


@jit
def append_atom(gram, products, support, n, atom):
    """Append an atom to the `n` chosen ones; return whether it is linearly independent of them."""
    chosen, factor, forward = support.chosen, support.factor, support.forward
    row = factor[n]
    pivot, rest = gram[atom, atom], products[atom]
    for i in range(n):
        value = gram[atom, chosen[i]]
        for k in range(i):
            value -= row[k] * factor[i, k]
        row[i] = value / factor[i, i]
        pivot -= row[i] * row[i]
        rest -= row[i] * forward[i]
    # the pivot is the squared distance of the atom from the span of the chosen ones: rounding errors only?
    if pivot <= 16 * np.finfo(gram.dtype).eps:
        return False
    chosen[n] = atom
    row[n] = np.sqrt(pivot)
    forward[n] = rest / row[n]
    return True


@jit
def solve(support, n):
    """Write the least-squares weights of the `n` chosen atoms to `trial`, by back substitution."""
    trial, factor = support.trial, support.factor
    for i in range(n - 1, -1, -1):
        value = support.forward[i]
        for k in range(i + 1, n):
            value -= factor[k, i] * trial[k]
        trial[i] = value / factor[i, i]


@jit
def step_to_boundary(support, n):
    """Move from `weights` towards `trial` until a weight reaches zero; drop the atoms with weight zero."""
    chosen, weights, trial = support.chosen, support.weights, support.trial
    share, first = weights[0] * 0 + 1, -1  # 1 and 0 in the precision of the weights
    for i in range(n):
        if trial[i] <= 0:
            reach = weights[i] / (weights[i] - trial[i]) if weights[i] > 0 else weights[i] * 0
            if first < 0 or reach < share:
                share, first = reach, i
    kept = 0
    for i in range(n):
        moved = weights[i] + share * (trial[i] - weights[i])
        if i != first and moved > 0:
            chosen[kept], weights[kept] = chosen[i], moved
            kept += 1
    return kept


@jit
def settle_signs(gram, products, support, n):
    """Drop atoms until the least-squares weights of the rest are positive (the inner loop of Lawson and Hanson)."""
    support.weights[n - 1] = 0
    solve(support, n)
    while n > 0 and np.min(support.trial[:n]) <= 0:
        n_kept = step_to_boundary(support, n)
        n = 0  # factorise again from the atoms that are left
        for i in range(n_kept):
            weight = support.weights[i]
            if append_atom(gram, products, support, n, support.chosen[i]):
                support.weights[n] = weight
                n += 1
        solve(support, n)
    return n


@jit
def pursue_row(products, gram, limit, threshold, mask, nonnegative, support, left, bits):
    """Choose up to `limit` atoms for one row; return the number chosen."""
    n = 0
    for _ in range(STEPS_PER_ATOM * limit if nonnegative else limit):
        remaining_products(products, gram, support, n, left)
        atom = strongest(bits, mask)
        strength = left[atom] if nonnegative else abs(left[atom])
        if not strength > threshold or not append_atom(gram, products, support, n, atom):
            break
        n += 1
        if nonnegative:
            n = settle_signs(gram, products, support, n)
        else:
            solve(support, n)
        support.weights[:n] = support.trial[:n]
        if n == limit:
            break
    return n


@jit
def pursue(rows, products, gram, limits, mask, nonnegative, left, bits, atoms, weights):
    """Code each row with at most `limits[row]` atoms.

    Parameters
    ----------
    rows, products, gram
        X, (n_rows, dim); X·Dᵀ, (n_rows, n_atoms); D·Dᵀ.
    mask, left, bits
        The mask for `strongest`; scratch memory for a row of products, zeros up to whole chunks; the same memory as
        integers, (n_chunks, CHUNK).
    atoms, weights
        Output: the codes, -1 and 0 where a row takes fewer atoms.
    """
    width, dtype = atoms.shape[1], gram.dtype
    support = Support(
        np.empty(width, np.int32),
        np.zeros(width, dtype),
        np.zeros(width, dtype),
        np.zeros((width, width), dtype),
        np.zeros(width, dtype),
    )
    rounding = 16 * np.finfo(dtype).eps  # inner products below this share of the row are rounding errors
    for row in range(len(rows)):
        threshold = rounding * np.sqrt(dot(rows[row], rows[row]))
        n = pursue_row(products[row], gram, limits[row], threshold, mask, nonnegative, support, left, bits)
        atoms[row, :n], atoms[row, n:] = support.chosen[:n], -1
        weights[row, :n], weights[row, n:] = support.weights[:n], 0


@jit
def order_codes(atoms, weights):
    """Sort each code by decreasing absolute weight, stably; atoms with weight 0 become absent."""
    for row in range(len(atoms)):
        for slot in range(atoms.shape[1]):  # insertion sort: a handful of entries, chosen nearly in this order
            weight = weights[row, slot]
            atom = atoms[row, slot] if weight != 0 else -1
            place = slot
            while place > 0 and abs(weights[row, place - 1]) < abs(weight):
                atoms[row, place], weights[row, place] = atoms[row, place - 1], weights[row, place - 1]
                place -= 1
            atoms[row, place], weights[row, place] = atom, weight

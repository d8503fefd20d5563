"""Batch orthogonal matching pursuit: sparse codes from the inner products X·Dᵀ and a coarse Gram matrix D·Dᵀ.

Each step evaluates the inner products of the residual directly, `products − Σ weight · gram[atom]`, instead of updating
them from step to step, so that errors do not accumulate. What this costs is the reading of the rows of the Gram matrix,
so the matrix is rounded to integers of 16 bits. The rounding moves an inner product by at most half a unit times the
sum of the absolute weights; where a second atom is within reach of the strongest one, those in question are compared
exactly, by their inner products with the residual itself. So an atom is chosen as if nothing were rounded.

The Cholesky factor of the chosen atoms' Gram matrix, from the vectors themselves, grows by one row per step, so a step
solves its least squares without a new factorisation.

Atoms must have unit length. Left out: the residuals of the codes (see `wordatoms.kernels.atomupdate`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.kernels import jit_fastmath, jit_part, jit_views
from wordatoms.kernels.memory import prefetch_row

CHUNK = 128
"""The maximum is found chunk by chunk without its place, which vectorises; the place is searched in one chunk only."""
TILE = 2048
"""Atoms evaluated at a time: their inner products stay in the first-level cache while weights are applied."""
STEPS_PER_ATOM = 3
"""Limits the steps of non-negative pursuit, which may drop an atom and choose it again."""
ONE = 32767
"""The number that stands for 1 in the Gram matrix."""


class Support(NamedTuple):
    """The atoms chosen for one row, and the least-squares problem on them."""

    chosen: NDArray[np.int32]
    """Atoms, and room for three more, so that four can be read from any place."""
    weights: NDArray
    trial: NDArray
    """The least-squares weights, before their signs are checked."""
    factor: NDArray
    """Lower Cholesky factor of the chosen atoms' Gram matrix."""
    forward: NDArray
    """The solution of factor · forward = products of the chosen atoms."""
    units: NDArray
    """The weights of atoms whose inner products are in units of 1 / ONE."""

    @classmethod
    def make(cls, width: int, dtype: np.dtype) -> Support:
        zeros = [np.zeros(shape, dtype) for shape in (width, width, (width, width), width, width + 3)]
        return cls(np.zeros(width + 3, np.int32), *zeros)


class Scratch(NamedTuple):
    """Memory that every row uses again."""

    left: NDArray
    """The inner products of all atoms with the residual."""
    bits: NDArray
    """The same memory as integers."""
    edge: NDArray
    """One number, to be read as an integer."""
    edge_bits: NDArray
    tops: NDArray
    """The largest of `bits` in each chunk."""
    residual: NDArray

    @classmethod
    def make(cls, n_atoms: int, dim: int, dtype: np.dtype, integer: np.dtype) -> Scratch:
        left, edge = np.empty(n_atoms, dtype), np.empty(1, dtype)
        tops = np.empty(-(-n_atoms // CHUNK), integer)
        return cls(left, left.view(integer), edge, edge.view(integer), tops, np.empty(dim, dtype))


@jit_fastmath
def dot(left, right):
    total = left[0] * right[0]  # not 0.0, which would make the sum double precision
    for k in range(1, len(left)):
        total += left[k] * right[k]
    return total


@jit_part
def copy(source, out):
    """Copy a row. (`out[:] = source` takes seconds to compile: it can broadcast, and complain.)"""
    for k in range(len(out)):
        out[k] = source[k]


@jit_part
def subtract(vector, weight, row):
    """Subtract in place. (`difference` with `out` as its source would run the slow version for overlapping rows.)"""
    for k in range(len(row)):
        vector[k] -= weight * row[k]


# Up to four atoms per pass over the inner products, which saves loads and stores; and each number of atoms has its own
# loop, because a loop over atoms inside the loop over numbers would not be vectorised.


@jit_fastmath
def subtract_1(left, source, w, a):
    for k in range(len(left)):
        left[k] = source[k] - w[0] * a[k]


@jit_fastmath
def subtract_2(left, source, w, a, b):
    for k in range(len(left)):
        left[k] = source[k] - (w[0] * a[k] + w[1] * b[k])


@jit_fastmath
def subtract_3(left, source, w, a, b, c):
    for k in range(len(left)):
        left[k] = source[k] - (w[0] * a[k] + w[1] * b[k] + w[2] * c[k])


@jit_fastmath
def subtract_4(left, source, w, a, b, c, d):
    for k in range(len(left)):
        left[k] = source[k] - (w[0] * a[k] + w[1] * b[k] + w[2] * c[k] + w[3] * d[k])


@jit_fastmath
def subtract_4_in_place(left, w, a, b, c, d):
    for k in range(len(left)):
        left[k] -= w[0] * a[k] + w[1] * b[k] + w[2] * c[k] + w[3] * d[k]


@jit_part
def remaining_products(products, gram, support, n, out):
    """The inner products of all atoms with the residual after `n` atoms were chosen, up to the rounding of `gram`."""
    chosen, weights = support.chosen, support.units
    for i in range(n):
        weights[i] = support.weights[i] / weights.dtype.type(ONE)
    n_first = (n - 1) % 4 + 1
    for start in range(0, len(products), TILE):
        stop = min(start + TILE, len(products))
        left, source, w = out[start:stop], products[start:stop], (weights[0], weights[1], weights[2], weights[3])
        a, b = gram[chosen[0], start:stop], gram[chosen[1], start:stop]
        c, d = gram[chosen[2], start:stop], gram[chosen[3], start:stop]
        if n_first == 1:
            subtract_1(left, source, w, a)
        elif n_first == 2:
            subtract_2(left, source, w, a, b)
        elif n_first == 3:
            subtract_3(left, source, w, a, b, c)
        else:
            subtract_4(left, source, w, a, b, c, d)
        for i in range(n_first, n, 4):
            w = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
            a, b = gram[chosen[i], start:stop], gram[chosen[i + 1], start:stop]
            c, d = gram[chosen[i + 2], start:stop], gram[chosen[i + 3], start:stop]
            subtract_4_in_place(left, w, a, b, c, d)


@jit_part
def largest_bits(bits, mask):
    largest = bits.dtype.type(0)
    for k in range(len(bits)):
        largest = max(largest, bits.dtype.type(bits[k] & mask))  # numba widens the result of &, which is slower
    return largest


@jit_part
def find_tops(bits, mask, tops):
    """Write the largest number of each chunk, or 0 if none is positive; return the chunk with the largest of all.

    The bits of positive floats, read as integers, have the same order; negative floats give negative integers. With
    the sign bit masked out, the integers order the absolute values. Integers have no NaN, whose handling would keep the
    compiler from vectorising the maximum.
    """
    best = 0
    for chunk in range(len(tops)):
        tops[chunk] = largest_bits(bits[chunk * CHUNK : (chunk + 1) * CHUNK], mask)
        if tops[chunk] > tops[best]:
            best = chunk
    return best


@jit_part
def find_place(bits, mask, chunk, top):
    """The first place in a chunk with the number `top`; the first of all if `top` is 0, which no atom has."""
    place = chunk * CHUNK
    while top > 0 and bits[place] & mask != top:
        place += 1
    return place


@jit_part
def strongest_within(row, vectors, support, n, reach, threshold, nonnegative, scratch, best):
    """The atom with the strongest inner product with the residual, of those that come within `reach` of `best`."""
    residual = scratch.residual
    copy(row, residual)
    for i in range(n):
        subtract(residual, support.weights[i], vectors[support.chosen[i]])
    found, strength = 0, best * 0
    if dot(residual, residual) <= threshold**2:
        return found, strength  # no inner product can be larger, and all atoms would have to be compared
    scratch.edge[0] = max(best - reach, best * 0)
    for chunk in range(len(scratch.tops)):
        if scratch.tops[chunk] < scratch.edge_bits[0]:
            continue
        for atom in range(chunk * CHUNK, min((chunk + 1) * CHUNK, len(vectors))):
            near = abs(scratch.left[atom]) if nonnegative is None else scratch.left[atom]
            if near >= best - reach:
                exact = dot(vectors[atom], residual)
                exact = abs(exact) if nonnegative is None else exact
                if exact > strength:
                    found, strength = atom, exact
    return found, strength


@jit_part
def count_from(bits, mask, limit):
    count = 0
    for k in range(len(bits)):
        count += (bits[k] & mask) >= limit
    return count


@jit_part
def is_alone(scratch, mask, chunk, edge):
    """Whether the strongest atom, which is in `chunk`, is the only one that comes up to `edge`."""
    scratch.edge[0] = edge
    limit = scratch.edge_bits[0]
    if count_from(scratch.tops, mask, limit) > 1:
        return False
    return count_from(scratch.bits[chunk * CHUNK : (chunk + 1) * CHUNK], mask, limit) == 1


@jit_part
def choose_atom(row, products, bits, vectors, gram, support, n, threshold, mask, nonnegative, scratch):
    """The atom with the strongest inner product with the residual, and its strength."""
    if n == 0:  # the row itself, of which nothing is rounded
        chunk = find_tops(bits, mask, scratch.tops)
        place = find_place(bits, mask, chunk, scratch.tops[chunk])
        return place, (abs(products[place]) if nonnegative is None else products[place])
    remaining_products(products, gram, support, n, scratch.left)
    chunk = find_tops(scratch.bits, mask, scratch.tops)
    place = find_place(scratch.bits, mask, chunk, scratch.tops[chunk])
    prefetch_row(vectors, place)
    strength = abs(scratch.left[place]) if nonnegative is None else scratch.left[place]
    # both of two may be wrong by half a unit per weight, and by the rounding of the sums, which `threshold` bounds
    reach = 2 * threshold
    for i in range(n):
        reach += abs(support.units[i])
    if strength > threshold + reach and is_alone(scratch, mask, chunk, strength - reach):
        return place, strength
    return strongest_within(row, vectors, support, n, reach, threshold, nonnegative, scratch, strength)


@jit_part
def append_atom(vectors, products, support, n, atom):
    """Append an atom to the `n` chosen ones; return whether it is linearly independent of them."""
    chosen, factor, forward = support.chosen, support.factor, support.forward
    row = factor[n]
    pivot, rest = products[atom] * 0 + 1, products[atom]  # 1 in the precision of the vectors
    for i in range(n):
        value = dot(vectors[atom], vectors[chosen[i]])
        for k in range(i):
            value -= row[k] * factor[i, k]
        row[i] = value / factor[i, i]
        pivot -= row[i] * row[i]
        rest -= row[i] * forward[i]
    # the pivot is the squared distance of the atom from the span of the chosen ones: rounding errors only?
    if pivot <= 16 * np.finfo(vectors.dtype).eps:
        return False
    chosen[n] = atom
    row[n] = np.sqrt(pivot)
    forward[n] = rest / row[n]
    return True


@jit_part
def solve(support, n):
    """Write the least-squares weights of the `n` chosen atoms to `trial`, by back substitution."""
    trial, factor = support.trial, support.factor
    for i in range(n - 1, -1, -1):
        value = support.forward[i]
        for k in range(i + 1, n):
            value -= factor[k, i] * trial[k]
        trial[i] = value / factor[i, i]


@jit_part
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


@jit_part
def has_negative(weights, n):
    found = False
    for i in range(n):
        found |= not weights[i] > 0
    return found


@jit_part
def settle_signs(vectors, products, support, n):
    """Drop atoms until the least-squares weights of the rest are positive (the inner loop of Lawson and Hanson)."""
    support.weights[n - 1] = 0
    solve(support, n)
    while has_negative(support.trial, n):
        n_kept = step_to_boundary(support, n)
        n = np.int64(0)  # factorise again from the atoms that are left
        for i in range(n_kept):
            weight = support.weights[i]
            if append_atom(vectors, products, support, n, np.int64(support.chosen[i])):
                support.weights[n] = weight
                n += 1
        solve(support, n)
    return n


@jit_views
def pursue(rows, products, bits, vectors, gram, limits, mask, nonnegative, support, scratch, atoms, weights):
    """Code each row with at most `limits[row]` atoms.

    Parameters
    ----------
    rows, products, vectors, gram
        X, (n_rows, dim); X·Dᵀ, (n_rows, n_atoms); D, (n_atoms, dim); D·Dᵀ in units of 1 / ONE.
    bits, mask
        The memory of `products` as integers, and the bits of them that are compared.
    nonnegative
        True or, so that nothing is compiled that is not needed, None.
    support, scratch
        Memory for one row.
    atoms, weights
        Output: the codes, -1 and 0 where a row takes fewer atoms.
    """
    for row in range(len(rows)):
        some = rows[row], products[row], bits[row], vectors, gram, support
        limit = limits[row]
        # inner products below this share of the row are rounding errors
        threshold = 16 * np.finfo(vectors.dtype).eps * np.sqrt(dot(rows[row], rows[row]))
        n = np.int64(0)  # the type that it keeps: a literal 0 would be compiled for once more
        n_steps = limit if nonnegative is None else STEPS_PER_ATOM * limit
        for _ in range(n_steps):
            atom, strength = choose_atom(*some, n, threshold, mask, nonnegative, scratch)
            if n + 1 < limit:
                prefetch_row(gram, atom)
            if not strength > threshold or not append_atom(vectors, products[row], support, n, atom):
                break
            n += 1
            if nonnegative is None:
                solve(support, n)
            else:
                n = settle_signs(vectors, products[row], support, n)
            for i in range(n):
                support.weights[i] = support.trial[i]
            if n == limit:
                break
        for i in range(atoms.shape[1]):
            atoms[row, i] = support.chosen[i] if i < n else -1
            weights[row, i] = support.weights[i] if i < n else 0


@jit_views
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

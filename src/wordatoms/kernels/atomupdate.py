"""The loops of k-SVD besides its pursuit: residuals, the choice between codes, and the step of each atom.

Codes are (n_rows, sparsity) arrays of atoms (-1 where absent) and weights; `residuals` are the rows of X minus what
their codes give, kept up to date by every kernel that changes a code or an atom.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit
from wordatoms.kernels.pursuit import dot, subtract


@jit
def square(vector):
    return np.float64(dot(vector, vector))


@jit
def subtract_code(row, atoms, weights, vectors, out):
    """What a code leaves of a row."""
    out[:] = row
    for slot in range(len(atoms)):
        if atoms[slot] >= 0:
            subtract(out, weights[slot], vectors[atoms[slot]])


@jit
def subtract_codes(rows, atoms, weights, vectors, residuals):
    """What the codes leave of all rows."""
    for row in range(len(rows)):
        subtract_code(rows[row], atoms[row], weights[row], vectors, residuals[row])


@jit
def take_codes(rows, vectors, new_atoms, new_weights, keep, residuals, atoms, weights, losses):
    """Give each row its new code, with `keep` only if it leaves less than the old; `losses` receives ‖residual‖²."""
    residual = np.empty(rows.shape[1], rows.dtype)
    for row in range(len(rows)):
        subtract_code(rows[row], new_atoms[row], new_weights[row], vectors, residual)
        losses[row], loss = square(residuals[row]), square(residual)
        if loss < losses[row] or not keep:
            losses[row] = loss
            residuals[row] = residual
            atoms[row], weights[row] = new_atoms[row], new_weights[row]


@jit
def group_by_atom(atoms, weights, starts, entries):
    """The places of the codes (row · sparsity + slot) that use each atom, in rising order.

    Those of atom k are `entries[starts[k]:starts[k + 1]]`; `starts` must come as zeros.
    """
    flat_atoms, flat_weights = atoms.ravel(), weights.ravel()
    for place in range(len(flat_atoms)):
        if flat_weights[place] != 0:
            starts[flat_atoms[place] + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]
    ends = starts[:-1].copy()
    for place in range(len(flat_atoms)):
        if flat_weights[place] != 0:
            k = flat_atoms[place]
            entries[ends[k]] = place
            ends[k] += 1


@jit
def better_direction(vector, weights, residuals, places, direction):
    """Where the rows that use an atom pull it: Eᵀ·g at unit length, E their residuals without the atom.

    Returns whether there is such a direction.
    """
    width = weights.shape[1]
    direction[:] = 0
    use = vector[0] * 0
    for place in places:
        weight = weights[place // width, place % width]
        use += weight * weight
        subtract(direction, -weight, residuals[place // width])
    subtract(direction, -use, vector)
    length = np.sqrt(dot(direction, direction))
    if not length > 0:
        return False
    for k in range(len(direction)):
        direction[k] /= length
    return True


@jit
def exchange(residual, weight, vector, new_weight, new_vector):
    for k in range(len(residual)):
        residual[k] += weight * vector[k] - new_weight * new_vector[k]


@jit
def update_atoms(first, last, starts, entries, nonnegative, vectors, weights, residuals):
    """One power step for each of the atoms `first` to `last`, one after the other, with the weights of its users."""
    width = weights.shape[1]
    direction = np.empty(vectors.shape[1], vectors.dtype)
    for atom in range(first, last):
        vector, places = vectors[atom], entries[starts[atom] : starts[atom + 1]]
        if not better_direction(vector, weights, residuals, places, direction):
            continue
        along = dot(vector, direction)
        for place in places:
            row, slot = place // width, place % width
            weight = weights[row, slot]
            new_weight = dot(residuals[row], direction) + weight * along
            if nonnegative and new_weight < 0:
                new_weight = weight * 0
            exchange(residuals[row], weight, vector, new_weight, direction)
            weights[row, slot] = new_weight
        vector[:] = direction


@jit
def remove_atom(places, vector, atoms, weights, residuals):
    """Take an atom out of the codes that use it."""
    width = weights.shape[1]
    for place in places:
        row, slot = place // width, place % width
        subtract(residuals[row], -weights[row, slot], vector)
        atoms[row, slot], weights[row, slot] = -1, 0


@jit
def mark_near_copies(gram, largest_cosine, n_users, marked):
    """Of two atoms whose cosine is too large either way, mark the one with fewer users, the later one if equal."""
    for one in range(len(gram)):
        for other in range(one + 1, len(gram)):
            if abs(gram[one, other]) > largest_cosine and not (marked[one] or marked[other]):
                marked[one if n_users[one] < n_users[other] else other] = True

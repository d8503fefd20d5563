"""The loops of k-SVD besides its pursuit: residuals, the choice between old and new codes, and the atom steps.

Codes are (n_rows, sparsity) arrays of atoms (-1 where absent) and weights. `residuals` are the rows of X minus the
weighted sums of their codes; every kernel that changes a code or an atom updates them, which is cheaper than
computing them again for each atom.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit_fastmath, jit_part, jit_views
from wordatoms.kernels.memory import prefetch_row
from wordatoms.kernels.pursuit import copy, dot, subtract


@jit_part
def square(vector):
    """‖vector‖², summed in its own precision; double so that sums over rows keep their digits."""
    return np.float64(dot(vector, vector))


@jit_fastmath
def square_exactly(vector):
    """‖vector‖², summed in double precision."""
    total = 0.0
    for k in range(len(vector)):
        total += np.float64(vector[k]) * np.float64(vector[k])
    return total


@jit_views
def square_rows(vectors, squares):
    """Write ‖vector‖² of all rows: errors of successive iterations differ in digits that single precision lacks."""
    for row in range(len(vectors)):
        squares[row] = square_exactly(vectors[row])


@jit_part
def subtract_code(row, atoms, weights, vectors, out):
    """Write the residual of a row to `out`."""
    copy(row, out)
    for slot in range(len(atoms)):
        if atoms[slot] >= 0:
            subtract(out, weights[slot], vectors[atoms[slot]])


@jit_views
def subtract_codes(rows, atoms, weights, vectors, residuals):
    """Write the residuals of all rows."""
    for row in range(len(rows)):
        subtract_code(rows[row], atoms[row], weights[row], vectors, residuals[row])


@jit_views
def take_codes(rows, vectors, new_atoms, new_weights, keep, residual, residuals, atoms, weights, losses):
    """Give each row its new code, or with `keep` the better one; `losses` receives ‖residual‖².

    `residual` is memory for one.
    """
    for row in range(len(rows)):
        subtract_code(rows[row], new_atoms[row], new_weights[row], vectors, residual)
        losses[row], loss = square(residuals[row]), square(residual)
        if loss < losses[row] or not keep:
            losses[row] = loss
            copy(residual, residuals[row])
            copy(new_atoms[row], atoms[row])
            copy(new_weights[row], weights[row])


@jit_views
def group_by_atom(flat_atoms, flat_weights, starts, ends, entries):
    """List the places (row · sparsity + slot) of the codes that use each atom, in increasing order: a counting sort.

    Those of atom k are `entries[starts[k]:starts[k + 1]]`; `starts` must be zeros,
    and `ends` has room for a number per atom.
    """
    for place in range(len(flat_atoms)):
        if flat_weights[place] != 0:
            starts[flat_atoms[place] + 1] += 1
    for k in range(1, len(starts)):
        starts[k] += starts[k - 1]
    for k in range(len(ends)):
        ends[k] = starts[k]
    for place in range(len(flat_atoms)):
        if flat_weights[place] != 0:
            k = flat_atoms[place]
            entries[ends[k]] = place
            ends[k] += 1


@jit_part
def better_direction(vector, inertia, weights, residuals, places, direction):
    """Compute Eᵀ·g + inertia·a at unit length, the direction that fits the users of an atom better.

    E = R + g·aᵀ are the residuals of the users without the atom, so Eᵀ·g = Rᵀ·g + ‖g‖²·a, and E is never formed.
    Return ‖g‖², or 0 if there is no direction.
    """
    width = weights.shape[1]
    for k in range(len(direction)):
        direction[k] = 0
    use = vector[0] * 0  # 0 in the precision of the vectors
    for place in places:
        weight = weights[place // width, place % width]
        use += weight * weight
        subtract(direction, -weight, residuals[place // width])
    subtract(direction, -(use + inertia), vector)
    length = np.sqrt(dot(direction, direction))
    if not length > 0:
        return use * 0
    for k in range(len(direction)):
        direction[k] /= length
    return use


@jit_part
def exchange(residual, weight, vector, new_weight, new_vector):
    for k in range(len(residual)):
        residual[k] += weight * vector[k] - new_weight * new_vector[k]


@jit_views
def update_atoms(first, last, starts, entries, nonnegative, inertia, direction, uses, vectors, weights, residuals):
    """Take one power step for each of the atoms `first` to `last` in turn: new direction, then new weights.

    `inertia` holds an atom back as users with this sum of squared weights would that fit it exactly. `direction` is
    memory for one. `uses` receives the sums of the squared weights before the step.
    """
    width = weights.shape[1]
    for atom in range(first, last):
        vector, places = vectors[atom], entries[starts[atom] : starts[atom + 1]]
        uses[atom] = better_direction(vector, inertia[atom], weights, residuals, places, direction)
        if not uses[atom] > 0:
            continue
        along = dot(vector, direction)
        for i in range(len(places)):
            following = starts[atom + 1] + i  # about as far into the places of the next atom
            if following < starts[-1]:
                prefetch_row(residuals, entries[following] // width)
            row, slot = places[i] // width, places[i] % width
            weight = weights[row, slot]
            new_weight = dot(residuals[row], direction) + weight * along  # E·direction
            if nonnegative and new_weight < 0:
                new_weight = weight * 0
            exchange(residuals[row], weight, vector, new_weight, direction)
            weights[row, slot] = new_weight
        copy(direction, vector)


@jit_views
def remove_atom(places, vector, atoms, weights, residuals):
    """Remove an atom from the codes that use it."""
    width = weights.shape[1]
    for place in places:
        row, slot = place // width, place % width
        subtract(residuals[row], -weights[row, slot], vector)
        atoms[row, slot], weights[row, slot] = -1, 0


@jit_views
def mark_near_copies(gram, largest_cosine, n_users, marked):
    """Mark one of two atoms whose absolute cosine is too large: the one with fewer users, or else the later one."""
    for one in range(len(gram)):
        for other in range(one + 1, len(gram)):
            if abs(np.int32(gram[one, other])) > largest_cosine and not (marked[one] or marked[other]):
                marked[one if n_users[one] < n_users[other] else other] = True

"""The loops of the SN and GloVe trainers: cutting counts into segments, and AdaGrad over one block of pairs.

A segment holds the partners of one word within one group of words, in random order and filled up to a multiple of
four with pairs of no weight. The trainers take four partners at a time, with their gradients at the same point: the
word's vector is then read and written once for all four, and four sums run side by side. No loop over dimensions
writes to more than two rows; with more, the compiler would not vectorise for fear that rows overlap.

A word paired with itself needs no case of its own: its row moves first as the word and then as the partner, by one
half of the gradient each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.kernels import jit, jit_fastmath

f32, u64 = np.float32, np.uint64

WIDTH = 4
"""Partners taken at a time."""


class Triangle(NamedTuple):
    """The counts, and which of them to leave out: values below the least, two fixed words, a word with itself."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.int64]
    unit: float
    least: float
    fixed: NDArray[np.bool_]
    self_pairs: bool


class Layout(NamedTuple):
    """Where each word is in training."""

    group: NDArray[np.int32]
    place: NDArray[np.int32]
    """Within its group; place 0 is nobody's, for the pairs of no weight."""
    row: NDArray[np.int32]
    """Among all rows, those of one group together."""


class Weighting(NamedTuple):
    """f(X) = min(1, (X / cap)^power), times `of_self` for a word with itself."""

    log_cap: float
    power: float
    of_self: float


class Pairs(NamedTuple):
    """The pairs, segment after segment."""

    partner: NDArray[np.unsignedinteger]
    """Its place in its group."""
    target: NDArray[np.float32]
    """log X"""
    weight: NDArray[np.float32]
    """f(X)"""


class Side(NamedTuple):
    """One group of vectors in a block."""

    vectors: NDArray[np.float32]
    squares: NDArray[np.float32]
    """AdaGrad's accumulator of each vector: the sum of its squared gradients so far."""


@jit
def count_segments(first, stop, triangle, layout, sizes):
    """Add up the pairs of the words first…stop in sizes[group of the partner, row of the word]."""
    for word in range(first, stop):
        row = layout.row[word]
        for at in range(triangle.indptr[word], triangle.indptr[word + 1]):
            if _is_kept(triangle, word, at):
                sizes[layout.group[triangle.indices[at]], row] += 1


@jit
def fill_segments(first, stop, triangle, layout, weighting, seed, starts, pairs):
    """Write the pairs of the words first…stop to the segments that start at starts[group, row].

    Returns the weighted moments 0, 1 and 2 of log X. Random places depend on the seed and the word alone.
    """
    moments = np.zeros(3)
    for word in range(first, stop):
        row, random = layout.row[word], _mix(u64(seed) + _mix(u64(word)))
        end = starts[:, row].copy()
        for at in range(triangle.indptr[word], triangle.indptr[word + 1]):
            if not _is_kept(triangle, word, at):
                continue
            other = triangle.indices[at]
            log_x = np.log(triangle.values[at] / triangle.unit)
            f = _weigh(weighting, log_x, word == other)
            group, random = layout.group[other], _mix(random)
            _insert(pairs, starts[group, row], end[group], random, layout.place[other], log_x, f)
            end[group] += 1
            moments[0] += f
            moments[1] += f * log_x
            moments[2] += f * log_x * log_x
    return moments


@jit
def _is_kept(triangle, word, at):
    other = triangle.indices[at]
    if triangle.fixed[word] and triangle.fixed[other]:
        return False
    return triangle.values[at] >= triangle.least and (triangle.self_pairs or word != other)


@jit
def _weigh(weighting, log_x, is_self):
    f = np.exp(min(0.0, weighting.power * (log_x - weighting.log_cap)))
    return f * weighting.of_self if is_self else f


@jit
def _insert(pairs, start, end, random, partner, log_x, f):
    """Put a pair at a random place of start…end and the one that was there at the end."""
    at = start + np.int64((random >> u64(32)) * u64(end + 1 - start) >> u64(32))
    pairs.partner[end], pairs.target[end], pairs.weight[end] = pairs.partner[at], pairs.target[at], pairs.weight[at]
    pairs.partner[at], pairs.target[at], pairs.weight[at] = partner, log_x, f


@jit
def _mix(state):
    """The next state of a 64-bit generator whose bits are well mixed (splitmix64)."""
    state += u64(0x9E3779B97F4A7C15)
    mixed = (state ^ (state >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> u64(27))) * u64(0x94D049BB133111EB)
    return mixed ^ (mixed >> u64(31))


@jit_fastmath
def step_sn(left, right, bounds, pairs, constant, rate):
    """One pass of SN over the pairs of one group of words with partners in another; (loss, Σ f·e, Σ f).

    The objective is f·e² with e = ‖v + u‖² + C − log X: v and u have the same gradient 4·f·e·(v + u). The sums are
    for the caller to move C.
    """
    loss, pulls, weights = 0.0, 0.0, 0.0
    before, norms = np.empty(left.vectors.shape[1], f32), np.empty(WIDTH, f32)
    steps, partner_steps = np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    for row in range(len(left.vectors)):
        v = left.vectors[row]
        for first in range(bounds[row], bounds[row + 1], WIDTH):
            partners = pairs.partner[first : first + WIDTH]
            a, b, c, d = _four_rows(right.vectors, partners)
            _norms_of_sums(v, a, b, c, d, before, norms)
            for k in range(WIDTH):
                f, error = pairs.weight[first + k], norms[k] + constant - pairs.target[first + k]
                loss += f * error * error
                pulls += f * error
                weights += f
                steps[k] = f32(4) * f * error
            _scale_steps(steps, partner_steps, norms, norms, left.squares, row, right.squares, partners, rate)
            _move_along_sums(v, a, b, c, d, steps)
            _move_two_along_sums(a, b, before, partner_steps[0], partner_steps[1])
            _move_two_along_sums(c, d, before, partner_steps[2], partner_steps[3])
    return loss, pulls, weights


@jit_fastmath
def step_glove(left, right, left_bias, right_bias, bounds, pairs, rate):
    """One pass of GloVe over word vectors of one group and context vectors of another (or the reverse); the loss.

    The objective is f·e² with e = ⟨w, c⟩ + b_w + b_c − log X. A bias is one more dimension of its vector: it has
    no accumulator of its own.
    """
    loss = 0.0
    before, products, lengths = np.empty(left.vectors.shape[1], f32), np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    steps, partner_steps, own_length = np.empty(WIDTH, f32), np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    for row in range(len(left.vectors)):
        w = left.vectors[row]
        for first in range(bounds[row], bounds[row + 1], WIDTH):
            partners = pairs.partner[first : first + WIDTH]
            a, b, c, d = _four_rows(right.vectors, partners)
            own_length[:] = _products(w, a, b, c, d, before, products, lengths)
            for k in range(WIDTH):
                error = products[k] + left_bias[row] + right_bias[partners[k]] - pairs.target[first + k]
                steps[k] = f32(2) * pairs.weight[first + k] * error
                loss += pairs.weight[first + k] * error * error
            _scale_steps(steps, partner_steps, lengths, own_length, left.squares, row, right.squares, partners, rate)
            _move_along_rows(w, a, b, c, d, steps)
            _move_two_along_row(a, b, before, partner_steps[0], partner_steps[1])
            _move_two_along_row(c, d, before, partner_steps[2], partner_steps[3])
            for k in range(WIDTH):
                left_bias[row] -= steps[k]
                right_bias[partners[k]] -= partner_steps[k]
    return loss


@jit_fastmath
def _four_rows(rows, at):
    return rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]


@jit_fastmath
def _scale_steps(steps, partner_steps, lengths, partner_lengths, squares, row, partner_squares, partners, rate):
    """AdaGrad with one accumulator for each vector: from the factors of the gradients to those of the steps.

    A gradient is a factor times a direction of the given squared length.
    """
    total = f32(0)
    for k in range(WIDTH):
        square = steps[k] * steps[k]
        total += square * lengths[k]
        partner_squares[partners[k]] += square * partner_lengths[k]
        partner_steps[k] = steps[k] * rate / np.sqrt(partner_squares[partners[k]])
    squares[row] += total
    scale = rate / np.sqrt(squares[row])
    for k in range(WIDTH):
        steps[k] *= scale


@jit_fastmath
def _norms_of_sums(v, a, b, c, d, before, norms):
    """‖v + a‖², …, ‖v + d‖²; v is also kept in `before`."""
    norms_a, norms_b, norms_c, norms_d = f32(0), f32(0), f32(0), f32(0)
    for k in range(len(v)):
        x = v[k]
        before[k] = x
        norms_a += (x + a[k]) * (x + a[k])
        norms_b += (x + b[k]) * (x + b[k])
        norms_c += (x + c[k]) * (x + c[k])
        norms_d += (x + d[k]) * (x + d[k])
    norms[0], norms[1], norms[2], norms[3] = norms_a, norms_b, norms_c, norms_d


@jit_fastmath
def _move_along_sums(v, a, b, c, d, steps):
    step_a, step_b, step_c, step_d = steps[0], steps[1], steps[2], steps[3]
    for k in range(len(v)):
        x = v[k]
        v[k] = x - (step_a * (x + a[k]) + step_b * (x + b[k]) + step_c * (x + c[k]) + step_d * (x + d[k]))


@jit_fastmath
def _move_two_along_sums(a, b, v, step_a, step_b):
    for k in range(len(v)):
        x, y, z = v[k], a[k], b[k]
        a[k] = y - step_a * (x + y)
        b[k] = z - step_b * (x + z)


@jit_fastmath
def _products(w, a, b, c, d, before, products, lengths):
    """⟨w, a⟩, …, ⟨w, d⟩ and the squared lengths with one for the bias, that of w returned; w is kept in `before`."""
    with_a, with_b, with_c, with_d = f32(0), f32(0), f32(0), f32(0)
    length, length_a, length_b, length_c, length_d = f32(1), f32(1), f32(1), f32(1), f32(1)
    for k in range(len(w)):
        x, p, q, r, s = w[k], a[k], b[k], c[k], d[k]
        before[k] = x
        with_a += x * p
        with_b += x * q
        with_c += x * r
        with_d += x * s
        length += x * x
        length_a += p * p
        length_b += q * q
        length_c += r * r
        length_d += s * s
    products[0], products[1], products[2], products[3] = with_a, with_b, with_c, with_d
    lengths[0], lengths[1], lengths[2], lengths[3] = length_a, length_b, length_c, length_d
    return length


@jit_fastmath
def _move_along_rows(w, a, b, c, d, steps):
    step_a, step_b, step_c, step_d = steps[0], steps[1], steps[2], steps[3]
    for k in range(len(w)):
        w[k] -= step_a * a[k] + step_b * b[k] + step_c * c[k] + step_d * d[k]


@jit_fastmath
def _move_two_along_row(a, b, w, step_a, step_b):
    for k in range(len(w)):
        a[k] -= step_a * w[k]
        b[k] -= step_b * w[k]

"""The loops of the SN and GloVe trainers: sorting pairs into segments, and AdaGrad over one block of pairs.

A segment holds the partners of one word within one group of words, in random order, padded with pairs of weight 0 to a
multiple of four. The trainers take four partners at a time, with all gradients at the same point: the word's vector is
then read and written once for four pairs, and four independent sums keep the processor busy.

For a loop that writes to several rows the compiler emits a run-time check that the rows do not overlap and a slow
version in case they do; with too many rows it gives up and emits the slow version only. So no loop over dimensions
writes to more than two rows. And only loops that write nothing may sum in any order (`jit_fastmath`): otherwise the
last bits would depend on which version the addresses of the arrays select.

A word paired with itself needs no special case: its row moves first as the word and then as the partner, by one half of
the gradient each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.kernels import jit, jit_fastmath, mix_bits

f32, u64 = np.float32, np.uint64

WIDTH = 4
"""Partners taken at a time; the kernels below are unrolled for this number."""
LARGEST_STEP = f32(1)
"""Largest step along a direction. Vectors start near zero, where the other limit (see `_capped`) is no limit."""


class Triangle(NamedTuple):
    """The counts, and which pairs to leave out: small values, two fixed words, a word with itself."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.int64]
    unit: float
    least: float
    fixed: NDArray[np.bool_]
    self_pairs: bool


class Layout(NamedTuple):
    """Where each word is stored during training."""

    group: NDArray[np.int32]
    place: NDArray[np.int32]
    """Row within the group, from 1; row 0 of a group is the partner in padding pairs."""
    row: NDArray[np.int32]
    """Row among all rows, those of one group together."""


class Weighting(NamedTuple):
    """f(X) = min(1, (X / cap)^power), multiplied by `of_self` for a word paired with itself."""

    log_cap: float
    power: float
    of_self: float


class Pairs(NamedTuple):
    """The pairs, sorted by segment."""

    partner: NDArray[np.unsignedinteger]
    """Row of the partner within its group."""
    target: NDArray[np.float32]
    """log X"""
    weight: NDArray[np.float32]
    """f(X)"""


class Side(NamedTuple):
    """The vectors of one group of words."""

    vectors: NDArray[np.float32]
    squares: NDArray[np.float32]
    """AdaGrad's accumulator: the sum of squared gradients so far, one number per vector. One per dimension would double
    the memory traffic and require the gradient itself; its squared length follows from the error and known norms."""


@jit
def count_segments(first, stop, triangle, layout, sizes):
    """Count the pairs of the words first…stop into sizes[group of the partner, row of the word]."""
    for word in range(first, stop):
        row = layout.row[word]
        for at in range(triangle.indptr[word], triangle.indptr[word + 1]):
            if _is_kept(triangle, word, at):
                sizes[layout.group[triangle.indices[at]], row] += 1


@jit
def fill_segments(first, stop, triangle, layout, weighting, seed, starts, pairs):
    """Write the pairs of the words first…stop to the segments that start at starts[group, row].

    Returns the weighted moments 0, 1 and 2 of log X.
    """
    moments = np.zeros(3)  # double precision: sums over up to billions of pairs
    for word in range(first, stop):
        # a generator per word, so that the order of pairs does not depend on how words are shared among threads
        row, random = layout.row[word], _next(u64(seed) + _next(u64(word)))
        end = starts[:, row].copy()
        for at in range(triangle.indptr[word], triangle.indptr[word + 1]):
            if not _is_kept(triangle, word, at):
                continue
            other = triangle.indices[at]
            log_x = np.log(triangle.values[at] / triangle.unit)
            f = _weigh(weighting, log_x, word == other)
            group, random = layout.group[other], _next(random)
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
    # (X / cap)^power from the logarithm that is needed anyway
    f = np.exp(min(0.0, weighting.power * (log_x - weighting.log_cap)))
    return f * weighting.of_self if is_self else f


@jit
def _insert(pairs, start, end, random, partner, log_x, f):
    """Put a pair at a random place of start…end, and the pair that was there at the end: a Fisher–Yates shuffle."""
    # multiplying 32 random bits by the range, instead of a modulo, avoids a slow division
    at = start + np.int64((random >> u64(32)) * u64(end + 1 - start) >> u64(32))
    pairs.partner[end], pairs.target[end], pairs.weight[end] = pairs.partner[at], pairs.target[at], pairs.weight[at]
    pairs.partner[at], pairs.target[at], pairs.weight[at] = partner, log_x, f


@jit
def _next(state):
    """The next number of a splitmix64 generator."""
    return mix_bits(state + u64(0x9E3779B97F4A7C15))


@jit
def step_sn(left, right, bounds, pairs, constant, rate):
    """Run one pass of SN over the pairs of one group of words with partners in another; return (loss, Σ f·e, Σ f).

    The objective is f·e² with e = ‖v + u‖² + C − log X: v and u have the same gradient 4·f·e·(v + u). The caller
    moves C by the sums.
    """
    loss, pulls, weights = 0.0, 0.0, 0.0  # double precision, unlike the vectors: sums over all pairs of a block
    before, norms, errors = np.empty(left.vectors.shape[1], f32), np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    steps, partner_steps = np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    for row in range(len(left.vectors)):
        v = left.vectors[row]
        for first in range(bounds[row], bounds[row + 1], WIDTH):
            partners, f = pairs.partner[first : first + WIDTH], pairs.weight[first : first + WIDTH]
            a, b, c, d = _four_rows(right.vectors, partners)
            norms[0], norms[1], norms[2], norms[3] = _norms_of_sums(v, a, b, c, d)
            for k in range(WIDTH):
                errors[k] = norms[k] + constant - pairs.target[first + k]
                loss += f[k] * errors[k] * errors[k]
                pulls += f[k] * errors[k]
                weights += f[k]
            # all steps are chosen before any vector moves: the four gradients belong to one point
            _choose_steps(errors, f, f32(2), rate, norms, left.squares[row : row + 1], steps)
            _choose_partner_steps(errors, f, f32(2), rate, norms, right.squares, partners, partner_steps)
            _copy(v, before)  # partners move relative to the word as it was
            _move_along_sums(v, a, b, c, d, steps)
            _move_two_along_sums(a, b, before, partner_steps[0], partner_steps[1])
            _move_two_along_sums(c, d, before, partner_steps[2], partner_steps[3])
    return loss, pulls, weights


@jit
def step_glove(left, right, left_bias, right_bias, bounds, pairs, rate):
    """Run one pass of GloVe over word vectors of one group and context vectors of another; return the loss.

    The objective is f·e² with e = ⟨w, c⟩ + b_w + b_c − log X. A bias is one more dimension of its vector, so it has no
    accumulator of its own. The caller also passes context vectors as `left` and word vectors as `right`.
    """
    loss = 0.0
    before, errors = np.empty(left.vectors.shape[1], f32), np.empty(WIDTH, f32)
    lengths, own_lengths = np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    steps, partner_steps = np.empty(WIDTH, f32), np.empty(WIDTH, f32)
    for row in range(len(left.vectors)):
        w = left.vectors[row]
        for first in range(bounds[row], bounds[row + 1], WIDTH):
            partners, f = pairs.partner[first : first + WIDTH], pairs.weight[first : first + WIDTH]
            a, b, c, d = _four_rows(right.vectors, partners)
            errors[0], errors[1], errors[2], errors[3] = _products(w, a, b, c, d)
            own_lengths[:], lengths[0], lengths[1], lengths[2], lengths[3] = _lengths(w, a, b, c, d)
            for k in range(WIDTH):
                errors[k] += left_bias[row] + right_bias[partners[k]] - pairs.target[first + k]
                loss += f[k] * errors[k] * errors[k]
            _choose_steps(errors, f, f32(1), rate, lengths, left.squares[row : row + 1], steps)
            _choose_partner_steps(errors, f, f32(1), rate, own_lengths, right.squares, partners, partner_steps)
            _copy(w, before)
            _move_along_rows(w, a, b, c, d, steps)
            _move_two_along_row(a, b, before, partner_steps[0], partner_steps[1])
            _move_two_along_row(c, d, before, partner_steps[2], partner_steps[3])
            for k in range(WIDTH):
                left_bias[row] -= steps[k]
                right_bias[partners[k]] -= partner_steps[k]
    return loss


@jit
def _four_rows(rows, at):
    return rows[at[0]], rows[at[1]], rows[at[2]], rows[at[3]]


@jit
def _copy(row, to):
    for k in range(len(row)):
        to[k] = row[k]


@jit
def _choose_steps(errors, f, slope, rate, lengths, square, steps):
    """Choose AdaGrad's steps of a word along four directions with the given squared lengths.

    A step of 1 along a direction changes e by slope·length, so the gradient is the direction times 2·f·e·slope.
    """
    for k in range(WIDTH):
        steps[k] = f32(2) * f[k] * errors[k] * slope
        square[0] += steps[k] * steps[k] * lengths[k]
    scale = rate / np.sqrt(square[0])  # 0 for a fixed word, whose accumulator is infinite
    for k in range(WIDTH):
        steps[k] = _capped(steps[k] * scale, errors[k], slope * lengths[k])


@jit
def _choose_partner_steps(errors, f, slope, rate, lengths, squares, partners, steps):
    """Choose the steps of four partners, each along its own direction."""
    for k in range(WIDTH):
        gradient, partner = f32(2) * f[k] * errors[k] * slope, partners[k]
        squares[partner] += gradient * gradient * lengths[k]
        steps[k] = _capped(gradient * rate / np.sqrt(squares[partner]), errors[k], slope * lengths[k])


@jit
def _capped(step, error, slope):
    """Limit a step to where it alone would turn the error into its opposite, to first order.

    A longer step would increase the error of its pair, and AdaGrad's first steps can be that long.
    """
    limit = min(LARGEST_STEP, f32(2) * abs(error) / slope)
    return min(max(step, -limit), limit)


@jit_fastmath
def _norms_of_sums(v, a, b, c, d):
    """‖v + a‖², …, ‖v + d‖²"""
    norm_a, norm_b, norm_c, norm_d = f32(0), f32(0), f32(0), f32(0)
    for k in range(len(v)):
        x = v[k]
        norm_a += (x + a[k]) * (x + a[k])
        norm_b += (x + b[k]) * (x + b[k])
        norm_c += (x + c[k]) * (x + c[k])
        norm_d += (x + d[k]) * (x + d[k])
    return norm_a, norm_b, norm_c, norm_d


@jit
def _move_along_sums(v, a, b, c, d, steps):
    step_a, step_b, step_c, step_d = steps[0], steps[1], steps[2], steps[3]
    for k in range(len(v)):
        x = v[k]
        v[k] = x - (step_a * (x + a[k]) + step_b * (x + b[k]) + step_c * (x + c[k]) + step_d * (x + d[k]))


@jit
def _move_two_along_sums(a, b, v, step_a, step_b):
    for k in range(len(v)):
        x, y, z = v[k], a[k], b[k]
        a[k] = y - step_a * (x + y)
        b[k] = z - step_b * (x + z)


@jit_fastmath
def _products(w, a, b, c, d):
    """⟨w, a⟩, …, ⟨w, d⟩"""
    with_a, with_b, with_c, with_d = f32(0), f32(0), f32(0), f32(0)
    for k in range(len(w)):
        x = w[k]
        with_a += x * a[k]
        with_b += x * b[k]
        with_c += x * c[k]
        with_d += x * d[k]
    return with_a, with_b, with_c, with_d


@jit_fastmath
def _lengths(w, a, b, c, d):
    """‖w‖² + 1, ‖a‖² + 1, …, ‖d‖² + 1: the bias of one side multiplies a constant 1 of the other."""
    length_w, length_a, length_b, length_c, length_d = f32(1), f32(1), f32(1), f32(1), f32(1)
    for k in range(len(w)):
        length_w += w[k] * w[k]
        length_a += a[k] * a[k]
        length_b += b[k] * b[k]
        length_c += c[k] * c[k]
        length_d += d[k] * d[k]
    return length_w, length_a, length_b, length_c, length_d


@jit
def _move_along_rows(w, a, b, c, d, steps):
    step_a, step_b, step_c, step_d = steps[0], steps[1], steps[2], steps[3]
    for k in range(len(w)):
        w[k] -= step_a * a[k] + step_b * b[k] + step_c * c[k] + step_d * d[k]


@jit
def _move_two_along_row(a, b, w, step_a, step_b):
    for k in range(len(w)):
        a[k] -= step_a * w[k]
        b[k] -= step_b * w[k]

"""The loops of the SN and GloVe trainers: cutting counts into segments, and AdaGrad over one block of pairs.

A segment holds the partners of one word in one group of words, in random order and filled up with pairs of no
weight to a multiple of four, because the trainers take four partners at a time: the word's vector is read and
written once for all four, and the four chains of additions run side by side. The four gradients are taken at the
same point. Each loop over dimensions writes to one or two rows only: with more, the compiler would need too many
checks whether rows overlap, and would not vectorise.

A word paired with itself needs no case of its own. Its row moves first as the word and then as the partner, which
gives the two equal halves of the gradient.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit, jit_fastmath

f32, u64 = np.float32, np.uint64

WIDTH = 4
"""Partners taken at a time."""


@jit
def count_segments(first_word, stop_word, counts, keep, layout, sizes):
    """Number of kept pairs in each segment, sizes[group of the partner, row of the word]."""
    for word in range(first_word, stop_word):
        row = layout.row[word]
        for at in range(counts.indptr[word], counts.indptr[word + 1]):
            other = counts.indices[at]
            if _kept(counts.values[at], word, other, keep):
                sizes[layout.group[other], row] += 1


@jit
def _kept(value, word, other, keep):
    return value >= keep.least and not (keep.fixed[word] and keep.fixed[other])


@jit
def fill_segments(first_word, stop_word, counts, keep, layout, weighting, seed, bounds, partner, target, weight):
    """Write the pairs of a range of words into their segments; the weighted moments 0, 1 and 2 of log X.

    A pair comes to a random place among those before it, so that each segment ends in random order. The random
    numbers depend on the seed and the word alone.
    """
    n_groups, n_rows = bounds.shape
    moments = np.zeros(3)
    filled = np.empty(n_groups, np.int64)
    for word in range(first_word, stop_word):
        row, random = layout.row[word], _mix(u64(seed) ^ _mix(u64(word)))
        filled[:] = bounds[:, row]
        for at in range(counts.indptr[word], counts.indptr[word + 1]):
            other = counts.indices[at]
            if not _kept(counts.values[at], word, other, keep):
                continue
            group = layout.group[other]
            start, end = bounds[group, row], filled[group]
            filled[group] = end + 1
            random = _mix(random)
            place = start + np.int64((random >> u64(32)) * u64(end + 1 - start) >> u64(32))
            partner[end], target[end], weight[end] = partner[place], target[place], weight[place]
            log_x = np.log(counts.values[at] / counts.unit)
            f = min(1.0, np.exp(weighting.power * (log_x - weighting.log_cap)))
            if word == other:
                f *= weighting.of_self
            partner[place], target[place], weight[place] = layout.place[other], log_x, f
            moments += np.array((f, f * log_x, f * log_x * log_x))
    return moments

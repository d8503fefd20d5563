"""The sliding pass over a text: the mean vector of every window, added to the row of the word in its middle.

A window's sum of vectors changes by two words from place to place, so the pass costs the same whatever the window.
All is integers. `rows` are vectors in fixed point with a row of zeros at the end, for words that neither enter nor
leave; the mean of n words is `sum * reciprocals[n] >> 32`, rounded, where `reciprocals[n]` is 2**30 / n.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit
from wordatoms.kernels.tokens import LINE_END

HALF = np.int64(1 << 31)
SHIFT = np.int64(32)
NO_CONTEXT = np.uint64(0xFFFFFFFFFFFFFFFF)
FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MIX = np.uint64(0x94D049BB133111EB)


@jit
def pack_lines(ids, n_words, stream, ends):
    """The words of the vocabulary without gaps, and where each line that has some ends; the number of lines."""
    end = n_lines = 0
    for number in ids:
        if number == LINE_END:
            if end > (ends[n_lines - 1] if n_lines else 0):
                ends[n_lines] = end
                n_lines += 1
        elif 0 <= number < n_words:
            stream[end] = number
            end += 1
    return n_lines


@jit
def slide_on(window_sum, entering, leaving):
    for column in range(len(window_sum)):
        window_sum[column] += entering[column] - leaving[column]


@jit
def add_mean(sums, window_sum, left_out, reciprocal):
    """Add the mean of a window's words, one of them left out, to a row of sums."""
    for column in range(len(sums)):
        total = np.int64(np.int32(window_sum[column] - left_out[column]))
        sums[column] += (total * np.int64(reciprocal) + HALF) >> SHIFT


@jit
def add_windows(stream, ends, window, rows, reciprocals, outside, inside, n_contexts):
    """Add each window's mean to its middle word's row: in `outside` without that word, in `inside` with it.

    Either may have no rows, then it is left alone. A word alone in its line has no context.
    """
    nothing = rows[len(rows) - 1]
    window_sum = np.empty_like(nothing)
    start = 0
    for end in ends:
        window_sum[:] = 0
        for place in range(start, min(start + window, end)):
            slide_on(window_sum, rows[stream[place]], nothing)
        for place in range(start, end):
            last, before = place + window, place - window - 1
            entering = rows[stream[last]] if last < end else nothing
            leaving = rows[stream[before]] if before >= start else nothing
            slide_on(window_sum, entering, leaving)
            n_around = min(last, end - 1) - max(before + 1, start)
            if n_around:
                word = stream[place]
                n_contexts[word] += 1
                if len(outside):
                    add_mean(outside[word], window_sum, rows[word], reciprocals[n_around])
                if len(inside):
                    add_mean(inside[word], window_sum, nothing, reciprocals[n_around + 1])
        start = end


@jit
def mix(value):
    """A number all of whose bits depend on all bits of the given one."""
    value = (value ^ (value >> np.uint64(30))) * FIRST_MIX
    value = (value ^ (value >> np.uint64(27))) * SECOND_MIX
    return value ^ (value >> np.uint64(31))


@jit
def hash_windows(stream, ends, window, powers, hashes):
    """For each place a number that looks random but depends on nothing but the words of its window, in their order.

    A polynomial over the words, `powers` of an odd base, slides along with the window.
    """
    start = 0
    for end in ends:
        value = np.uint64(0)
        first = stop = start
        for place in range(start, end):
            while stop < min(place + window + 1, end):
                value = value * powers[1] + np.uint64(stream[stop] + 1)
                stop += 1
            if first < place - window:
                value -= np.uint64(stream[first] + 1) * powers[stop - first - 1]
                first += 1
            hashes[place] = mix(mix(value) + np.uint64(place - first)) if stop - first > 1 else NO_CONTEXT
        start = end

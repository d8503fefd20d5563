"""The sliding pass over a text: the mean vector of every window is added to the row of the word in its middle.

From place to place the sum of a window changes by two words, so the cost does not depend on the window size. Everything
is computed in integers, which gives the same sums in any order and so on any number of threads. `rows` are vectors in
fixed point, with a last row of zeros for words that do not enter or leave; the mean of n words is
`sum * reciprocals[n] >> 32`, rounded, where `reciprocals[n]` is 2**30 / n.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit, mix_bits
from wordatoms.kernels.tokens import LINE_END

HALF = np.int64(1 << 31)
SHIFT = np.int64(32)
NO_CONTEXT = np.uint64(0xFFFFFFFFFFFFFFFF)


@jit
def pack_lines(ids, n_words, stream, ends):
    """Pack the words of the vocabulary without gaps, and the end of each non-empty line; return the number of lines."""
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
def number_lines(ids, n_words, numbers):
    """Return in `numbers`, for each line that `pack_lines` keeps, how many lines of the text come before it."""
    n_lines = number = 0
    has_words = False
    for token in ids:
        if token == LINE_END:
            if has_words:
                numbers[n_lines] = number
                n_lines += 1
            has_words = False
            number += 1
        elif 0 <= token < n_words:
            has_words = True
    return n_lines


@jit
def add_weighted(windows, weights, nearness, vectors, sums):
    """Add the vectors of the words of each window, weighted by word and by place, to a row of sums; -1 is no word."""
    for row in range(len(windows)):
        total = sums[row]
        for place in range(windows.shape[1]):
            word = windows[row, place]
            if word >= 0:
                weight = weights[word] * nearness[place]
                vector = vectors[word]
                for column in range(len(total)):
                    total[column] += weight * vector[column]


@jit
def window_means(words, begins, ends, runs, weights, vectors, means):
    """Set each row of `means` to the mean of the weighted vectors of the words of a window.

    Windows that overlap belong to one run, whose first ones are given; begins and ends rise within a run. A sum is the
    difference of two running sums, so the cost does not depend on the size of windows.
    """
    dim = vectors.shape[1]
    total = np.zeros(dim)
    before = np.zeros((len(means), dim))
    for run in range(len(runs)):
        first = runs[run]
        stop = runs[run + 1] if run + 1 < len(runs) else len(means)
        total[:] = 0
        opening = closing = first
        for place in range(begins[first], ends[stop - 1]):
            while opening < stop and begins[opening] == place:
                before[opening] = total
                opening += 1
            weight = weights[words[place]]
            vector = vectors[words[place]]
            for column in range(dim):
                total[column] += weight * vector[column]
            while closing < stop and ends[closing] == place + 1:
                n_words = ends[closing] - begins[closing]
                for column in range(dim):
                    means[closing, column] = (total[column] - before[closing, column]) / n_words
                closing += 1


@jit
def slide_on(window_sum, entering, leaving):
    for column in range(len(window_sum)):
        window_sum[column] += entering[column] - leaving[column]


@jit
def add_mean(sums, window_sum, left_out, reciprocal):
    """Add the mean of a window's words without `left_out` to a row of sums."""
    for column in range(len(sums)):
        # 32 bits suffice for the sum, and 32-bit products to 64 bits vectorise
        total = np.int64(np.int32(window_sum[column] - left_out[column]))
        sums[column] += (total * np.int64(reciprocal) + HALF) >> SHIFT


@jit
def add_windows(stream, ends, window, rows, reciprocals, outside, inside, n_contexts):
    """Add each window's mean to the row of its middle word: in `outside` without that word, in `inside` with it.

    Either array may have no rows, and is then not computed. A word alone in its line has no context.
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
def hash_windows(stream, ends, window, powers, hashes):
    """Hash the words of the window around each place, in their order.

    A rolling hash: a polynomial over the words in an odd base, whose `powers` are given, slides with the window.
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
            hashes[place] = mix_bits(mix_bits(value) + np.uint64(place - first)) if stop - first > 1 else NO_CONTEXT
        start = end

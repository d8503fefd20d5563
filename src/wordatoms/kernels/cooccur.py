"""Co-occurrence counting, one row (word) at a time.

The text is a stream of word numbers in which every line is followed by `window` pads (a pad is the number n_words), so
that no window crosses a line and the inner loop needs no test. The places of each word are gathered first; then one
dense row of sums, small enough for the cache, serves all windows of a word. `marks` has one bit per touched column:
scanning it yields the columns in order and skips 64 untouched ones at a time.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from wordatoms.kernels import jit
from wordatoms.kernels.tokens import LINE_END

ONE = np.uint64(1)


@intrinsic
def trailing_zeros(_, value):  # noqa: ARG001 - numba inspects the signature
    """Number of zero bits below the lowest one bit of a non-zero value, by a single machine instruction."""

    def build(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), build


@jit
def append_lines(ids, at, n_words, window, stream, end):
    """Append lines of encoded text to the stream, without words outside the vocabulary, and with pads after each line.

    Stops before a line that does not fit. Returns the next place in `ids` and the new end of the stream.
    """
    n = len(ids)
    while at < n:
        line_end = at
        while ids[line_end] != LINE_END:
            line_end += 1
        if end + line_end - at + window > len(stream):
            break
        first = end
        for k in range(at, line_end):
            if 0 <= ids[k] < n_words:
                stream[end] = ids[k]
                end += 1
        if end > first:
            stream[end : end + window] = n_words
            end += window
        at = line_end + 1
    return at, end


@jit
def gather_places(stream, n_words, starts, places):
    """Write the places of word w in the stream to `places[starts[w]:starts[w + 1]]`: a counting sort."""
    starts[:] = 0
    for word in stream:
        if word < n_words:
            starts[word + 1] += 1
    for word in range(n_words):
        starts[word + 1] += starts[word]
    for place in range(len(stream)):
        word = stream[place]
        if word < n_words:
            places[starts[word]] = place
            starts[word] += 1
    for word in range(n_words, 0, -1):  # each start has moved to the next one; move it back
        starts[word] = starts[word - 1]
    starts[0] = 0


@jit
def take_row(row, n_words, sums, marks, out_columns, out_values, end):
    """Move the touched columns ≥ `row` to the output and clear all sums and marks; return the new end."""
    for group in range(len(marks)):
        bits = marks[group]
        if bits:
            marks[group] = 0
            while bits:
                column = (group << 6) + trailing_zeros(bits)
                bits &= bits - ONE
                if row <= column < n_words:
                    out_columns[end] = column
                    out_values[end] = sums[column]
                    end += 1
                sums[column] = 0
    return end


@jit
def count_rows(stream, starts, places, weights, row, sums, marks, out_columns, out_values, out_ends):
    """Count rows of the upper triangle from `row` on, as many as are sure to fit; return the first row not counted.

    `weights[d]` is the weight of a neighbour at distance d + 1. Row r ends at `out_ends[r]`.
    """
    window = len(weights)
    n_words = len(starts) - 1
    end = 0
    while row < n_words and end + n_words - row <= len(out_columns):
        for k in range(starts[row], starts[row + 1]):
            place = places[k]
            for d in range(window):
                word = stream[place - 1 - d]
                sums[word] += weights[d]
                marks[word >> 6] |= ONE << np.uint64(word & 63)
                word = stream[place + 1 + d]
                sums[word] += weights[d]
                marks[word >> 6] |= ONE << np.uint64(word & 63)
        if starts[row] < starts[row + 1]:
            end = take_row(row, n_words, sums, marks, out_columns, out_values, end)
        out_ends[row] = end
        row += 1
    return row


@jit
def add_rows(bounds, columns, values, n_words, sums, marks, out_columns, out_values, out_ends):
    """Add sparse matrices row by row; row r of matrix m is at `bounds[m, r]:bounds[m, r + 1]`."""
    end = 0
    for row in range(bounds.shape[1] - 1):
        for matrix in range(bounds.shape[0]):
            for k in range(bounds[matrix, row], bounds[matrix, row + 1]):
                column = columns[k]
                sums[column] += values[k]
                marks[column >> 6] |= ONE << np.uint64(column & 63)
        end = take_row(0, n_words, sums, marks, out_columns, out_values, end)
        out_ends[row] = end
    return end


@jit
def sum_rows(indptr, columns, values, out):
    """Row sums of a symmetric matrix given by its upper triangle."""
    for row in range(len(indptr) - 1):
        for k in range(indptr[row], indptr[row + 1]):
            out[row] += values[k]
            if columns[k] != row:
                out[columns[k]] += values[k]

"""Positive PMI without storing it: logarithms of a symmetric sparse matrix, and products with dense blocks.

The matrix is `max(0, logs[i, j] − row_terms[i] − column_terms[j])` at the stored places. `logs` is symmetric, so
exchanging the two terms transposes the matrix. Every kernel works on the rows `first` to `last` and writes to these
only, so that blocks of rows can run on several threads.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit, jit_fastmath


@jit
def is_positive(log_value, i, j, row_terms, column_terms):
    """Whether the matrix or its transpose is positive at (i, j)."""
    return log_value > min(row_terms[i] + column_terms[j], row_terms[j] + column_terms[i])


@jit
def first_at_least(indices, start, stop, column):
    """The first place in the sorted `indices[start:stop]` with at least `column`, by bisection."""
    while start < stop:
        middle = (start + stop) // 2
        if indices[middle] < column:
            start = middle + 1
        else:
            stop = middle
    return start


@jit
def mirror_rows(first, last, indptr, indices, values, row_terms, column_terms, slots, out_indices, out_logs, write):
    """Write rows of both triangles of a symmetric matrix given by its upper triangle, keeping positive entries.

    `slots[i]` is the place of the next entry of row i and is incremented; without `write` nothing else happens, which
    counts the entries. Columns come out in increasing order.
    """
    # Row j < last also has entries (j, i) from the rows i < j, so all earlier rows are scanned for columns of this
    # block: reading them again is cheap, and no two threads write to the same row.
    for i in range(last):
        start = first_at_least(indices, indptr[i], indptr[i + 1], first)
        for place in range(start, indptr[i + 1]):
            j = indices[place]
            if j >= last and i < first:
                break
            log_value = np.float32(np.log(np.float64(values[place])))
            if not is_positive(log_value, i, j, row_terms, column_terms):
                continue
            if i < j < last:
                if write:
                    out_indices[slots[j]] = i
                    out_logs[slots[j]] = log_value
                slots[j] += 1
            if i >= first:
                if write:
                    out_indices[slots[i]] = j
                    out_logs[slots[i]] = log_value
                slots[i] += 1


@jit
def positive_row(i, indptr, indices, logs, row_terms, column_terms, columns, values):
    """Collect the positive entries of row i at the start of `columns` and `values`; return their number."""
    n = 0
    for place in range(indptr[i], indptr[i + 1]):
        j = indices[place]
        value = logs[place] - row_terms[i] - column_terms[j]
        columns[n] = j
        values[n] = value
        n += value > 0  # no branch: about one entry in eight is dropped, which no branch predictor foresees
    return n


@jit_fastmath
def multiply_rows(first, last, indptr, indices, logs, row_terms, column_terms, dense, out):
    """Multiply rows with `dense`, a block narrow enough to stay in the cache."""
    width = dense.shape[1]
    longest = np.max(indptr[first + 1 : last + 1] - indptr[first:last])
    columns = np.empty(longest + 1, np.int32)
    values = np.empty(longest + 1, np.float32)
    for i in range(first, last):
        n = positive_row(i, indptr, indices, logs, row_terms, column_terms, columns, values)
        total = out[i]
        total[:] = 0
        for k in range(0, n - 3, 4):  # four at a time: a quarter of the loads and stores of `total`
            a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
            row_a, row_b = dense[columns[k]], dense[columns[k + 1]]
            row_c, row_d = dense[columns[k + 2]], dense[columns[k + 3]]
            for w in range(width):
                total[w] += a * row_a[w] + b * row_b[w] + c * row_c[w] + d * row_d[w]
        for k in range(n - n % 4, n):
            a, row_a = values[k], dense[columns[k]]
            for w in range(width):
                total[w] += a * row_a[w]


@jit
def square_rows(first, last, indptr, indices, logs, row_terms, column_terms, out):
    """Sum the squares of each row, in double precision."""
    for i in range(first, last):
        total = 0.0
        for place in range(indptr[i], indptr[i + 1]):
            value = np.float64(logs[place] - row_terms[i] - column_terms[indices[place]])
            total += max(value, 0.0) ** 2
        out[i] = total

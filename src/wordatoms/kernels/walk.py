"""Loops of the Gaussian walk (section 2 of the paper): drawing words, and sums over the windows of each word."""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit


@jit
def draw_words(weights, uniforms, words):
    """Draw the words of each window in proportion to its weights, by inversion of the cumulative distribution.

    weights (n_windows, n_words) float32, non-negative; uniforms (n_windows, window) in [0, 1);
    out: words (n_windows, window).
    """
    n_windows, n_words = weights.shape
    cumulative = np.empty(n_words)  # double precision: a sum over the whole vocabulary
    for row in range(n_windows):
        total = 0.0
        for word in range(n_words):
            total += weights[row, word]
            cumulative[word] = total
        for k in range(uniforms.shape[1]):
            # the first word whose cumulative weight exceeds the draw, which is never a word of weight zero
            word = np.searchsorted(cumulative, uniforms[row, k] * total, side="right")
            words[row, k] = min(word, n_words - 1)


@jit
def add_windows(words, columns, sums):
    """For each occurrence of a word, add the sum of `columns` over its window to the row of the word.

    words (n_windows, window), columns (n_words, n_columns) float64; updated: sums (n_words, n_columns).
    """
    n_columns = columns.shape[1]
    window_sum = np.empty(n_columns)
    for row in range(words.shape[0]):
        window_sum[:] = 0.0
        for k in range(words.shape[1]):
            for j in range(n_columns):
                window_sum[j] += columns[words[row, k], j]
        for k in range(words.shape[1]):
            for j in range(n_columns):
                sums[words[row, k], j] += window_sum[j]

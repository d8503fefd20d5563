"""Sense vectors of one word by skip-gram with negative sampling, the vectors of its context words held."""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit, jit_fastmath


@jit_fastmath
def dot(left, right):
    total = np.float32(0)
    for column in range(len(left)):
        total += left[column] * right[column]
    return total


@jit
def nearest_centre(mean, centres, n_centres):
    """The centre with the largest cosine, and that cosine."""
    best, highest = 0, np.float32(-2)
    length = np.sqrt(dot(mean, mean))
    for centre in range(n_centres):
        product = length * np.sqrt(dot(centres[centre], centres[centre]))
        cosine = dot(mean, centres[centre]) / product if product > 0 else np.float32(0)
        if cosine > highest:
            best, highest = centre, cosine
    return best, highest


@jit
def step(vector, context, is_true, shift, rate):
    """One step of the logistic loss of a pair of words."""
    logit = dot(vector, context) - shift
    p = np.float32(1) / (np.float32(1) + np.exp(-logit))
    change = rate * (np.float32(is_true) - p)
    for column in range(len(vector)):
        vector[column] += change * context[column]


@jit
def learn_senses(words, negatives, means, contexts, rates, shift, new_below, n_senses, centres, vectors, chosen):
    """Go through the windows of a word: choose a sense, move its centre, then its vector; the number of senses.

    `words` are the context words of each window, -1 for none, with `negatives` for each of them. `centres` are sums
    of the means given to them, the first `n_senses` in use; where the nearest is below the cosine `new_below` and
    there is room, a new one begins. `shift` is what inner products are above logits. `chosen` receives the sense of
    each window.
    """
    for place in range(len(words)):
        sense, cosine = nearest_centre(means[place], centres, n_senses)
        if n_senses < len(centres) and (n_senses == 0 or cosine < new_below):
            sense = n_senses
            n_senses += 1
        chosen[place] = sense
        for column in range(centres.shape[1]):
            centres[sense, column] += means[place, column]
        for k in range(words.shape[1]):
            if words[place, k] < 0:
                continue
            step(vectors[sense], contexts[words[place, k]], True, shift, rates[place])
            for negative in negatives[place, k]:
                if negative != words[place, k]:
                    step(vectors[sense], contexts[negative], False, shift, rates[place])
    return n_senses

"""Sense vectors of one word by skip-gram with negative sampling, with the vectors of context words held fixed."""

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
    """The centre with the largest cosine, and the cosine."""
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
    """Take one gradient step on the logistic loss of a pair of words."""
    logit = dot(vector, context) - shift
    p = np.float32(1) / (np.float32(1) + np.exp(-logit))
    change = rate * (np.float32(is_true) - p)
    for column in range(len(vector)):
        vector[column] += change * context[column]


@jit
def learn_senses(words, negatives, means, contexts, rates, shift, new_below, n_senses, centres, vectors, chosen):
    """Go through the windows of a word: choose a sense, move its centre and its vector; return the number of senses.

    `words` are the context words of each window (-1 for none) and `negatives` the negative samples of each of them.
    `centres` are sums of the context means assigned to them, the first `n_senses` of them in use. If the best cosine is
    below `new_below` and there is room, a new sense starts. `shift` is subtracted from inner products to give logits.
    `chosen` receives the sense of each window.
    """
    for place in range(len(words)):
        sense, cosine = nearest_centre(means[place], centres, n_senses)
        if n_senses < len(centres) and (n_senses == 0 or cosine < new_below):
            sense = n_senses
            n_senses += 1
        chosen[place] = sense
        for column in range(centres.shape[1]):  # a sum instead of a mean: only its direction matters
            centres[sense, column] += means[place, column]
        for k in range(words.shape[1]):
            if words[place, k] < 0:
                continue
            step(vectors[sense], contexts[words[place, k]], True, shift, rates[place])
            for negative in negatives[place, k]:
                if negative != words[place, k]:
                    step(vectors[sense], contexts[negative], False, shift, rates[place])
    return n_senses

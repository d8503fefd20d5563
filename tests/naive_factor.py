"""Obvious twins of the SN and GloVe trainers: one pair after the other, in double precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.trainers.blocks import Blocks

Matrix = NDArray[np.float64]


class Pair(NamedTuple):
    word: int
    partner: int
    log_x: float
    weight: float


def counts_of(log_x: Matrix, unit: int = 2520) -> Counts:
    """Counts whose logarithms are those of a symmetric matrix, up to rounding; -inf for no count."""
    n_words = len(log_x)
    rows, columns = np.triu_indices(n_words)
    values = np.round(unit * np.exp(log_x[rows, columns])).astype(np.int64)
    rows, columns, values = (array[values > 0] for array in (rows, columns, values))
    words = tuple(f"w{word:03d}" for word in range(n_words))
    return Counts(
        vocabulary=Vocabulary(words, np.arange(n_words, 0, -1), n_words * (n_words + 1) // 2),
        indptr=np.searchsorted(rows, np.arange(n_words + 1)).astype(np.int64),
        indices=columns.astype(np.int32),
        values=values,
        window=10,
        weighting="harmonic",
        unit=unit,
    )


def random_counts(n_words: int, seed: int = 0, density: float = 0.6) -> Counts:
    """Counts like those of a text: larger for the first words, with gaps."""
    rng = np.random.default_rng(seed)
    level = 2 - np.log1p(np.arange(n_words)) / 2
    log_x = level[:, None] + level + rng.normal(size=(n_words, n_words))
    log_x[rng.random((n_words, n_words)) > density] = -np.inf
    log_x[0, 0] = 1.0  # never without any pair
    return counts_of(log_x)


def planted_vectors(n_words: int, dim: int = 5) -> Matrix:
    return np.random.default_rng(0).normal(0.4, 0.6, (n_words, dim))


def planted_counts(n_words: int, dim: int = 5, constant: float = -3.0) -> Counts:
    """Counts that SN's model explains without any error, but for rounding."""
    vectors = planted_vectors(n_words, dim)
    return counts_of(((vectors[:, None] + vectors) ** 2).sum(axis=2) + constant)


def naive_pairs(
    counts: Counts,
    cap: float,
    power: float,
    *,
    min_value: float = 0.0,
    self_pairs: bool = False,
    is_fixed: NDArray[np.bool_] | None = None,
) -> Iterator[Pair]:
    for word in range(len(counts)):
        for at in range(counts.indptr[word], counts.indptr[word + 1]):
            partner, x = int(counts.indices[at]), counts.values[at] / counts.unit
            both_fixed = is_fixed is not None and is_fixed[word] and is_fixed[partner]
            if x >= min_value and not both_fixed and (self_pairs or word != partner):
                yield Pair(word, partner, log(x), min(1.0, (x / cap) ** power))


def naive_sn_loss(counts: Counts, vectors: Matrix, constant: float) -> float:
    """The mean of SN's objective over all pairs of two different words."""
    terms = [
        pair.weight * (((vectors[pair.word] + vectors[pair.partner]) ** 2).sum() + constant - pair.log_x) ** 2
        for pair in naive_pairs(counts, 100, 0.75)
    ]
    return float(np.mean(terms))


def naive_glove_loss(counts: Counts, log_model: Matrix) -> float:
    """The mean of GloVe's objective over all pairs of two different words in both directions."""
    terms = [
        pair.weight * (log_model[one, two] - pair.log_x) ** 2
        for pair in naive_pairs(counts, 100, 0.75)
        for one, two in ((pair.word, pair.partner), (pair.partner, pair.word))
    ]
    return float(np.mean(terms))


def fours(blocks: Blocks, left: int, right: int) -> Iterator[tuple[int, list[tuple[int, float, float]]]]:
    """The place of each word and, four at a time, the place, log X and weight of its partners."""
    bounds = blocks.segments(left, right)
    for place in range(len(bounds) - 1):
        for first in range(bounds[place], bounds[place + 1], 4):
            four = slice(first, first + 4)
            yield (
                place,
                [
                    (int(partner), float(target), float(weight))
                    for partner, target, weight in zip(*(array[four] for array in blocks.pairs), strict=True)
                ],
            )


class Term(NamedTuple):
    """The error of a pair, and the directions in which it changes by slope times their squared lengths."""

    error: float
    slope: float
    direction: Matrix
    partner_direction: Matrix


TermOf = Callable[[Matrix, Matrix, float], Term]


def sn_term(constant: float) -> TermOf:
    def term_of(v: Matrix, u: Matrix, log_x: float) -> Term:
        return Term(((v + u) ** 2).sum() + constant - log_x, 2.0, v + u, v + u)

    return term_of


def glove_term(w: Matrix, c: Matrix, log_x: float) -> Term:
    """For vectors with their bias as the last number."""
    error = w[:-1] @ c[:-1] + w[-1] + c[-1] - log_x
    return Term(error, 1.0, np.append(c[:-1], 1), np.append(w[:-1], 1))


class NaiveSide:
    """Vectors of one group, each with AdaGrad's accumulator."""

    def __init__(self, vectors: NDArray[np.float32], squares: NDArray[np.float32]) -> None:
        self.vectors, self.squares = vectors.astype(float), squares.astype(float)

    def move(self, place: int, pulls: list[tuple[float, float, float, Matrix]], rate: float) -> None:
        """Move along directions at once; each pull is a weight, an error, its slope and a direction."""
        for weight, error, slope, direction in pulls:
            self.squares[place] += ((2 * weight * error * slope * direction) ** 2).sum()
        for weight, error, slope, direction in pulls:
            step = rate * 2 * weight * error * slope / sqrt(self.squares[place])
            limit = min(1.0, 2 * abs(error) / (slope * (direction**2).sum()))
            self.vectors[place] -= min(max(step, -limit), limit) * direction


def naive_step(
    blocks: Blocks, left: tuple[int, NaiveSide], right: tuple[int, NaiveSide], rate: float, term_of: TermOf
) -> float:
    """One pass over a block of different words; the loss."""
    (left_group, words), (right_group, partners) = left, right
    loss = 0.0
    for place, four in fours(blocks, left_group, right_group):
        terms = [term_of(words.vectors[place], partners.vectors[partner], log_x) for partner, log_x, _ in four]
        weights = [weight for _, _, weight in four]
        loss += sum(weight * term.error**2 for weight, term in zip(weights, terms, strict=True))
        pulls = [(weight, *term[:3]) for weight, term in zip(weights, terms, strict=True)]
        words.move(place, pulls, rate)
        for (partner, _, weight), term in zip(four, terms, strict=True):
            partners.move(partner, [(weight, term.error, term.slope, term.partner_direction)], rate)
    return loss


def per_number_sn(counts: Counts, dim: int, epochs: int, learning_rate: float = 0.05, seed: int = 0) -> float:
    """SN as its authors' program trains it: pairs at random, both ways, an accumulator for each number; the loss."""
    rng = np.random.default_rng(seed)
    pairs = list(naive_pairs(counts, 100, 0.75))
    vectors = (rng.random((len(counts), dim)) - 0.5) / (dim + 1)
    squares, constant, constant_square = np.ones_like(vectors), 0.0, 1.0
    for _ in range(2 * epochs):
        for at in rng.permutation(len(pairs)):
            word, partner, log_x, weight = pairs[at]
            both = vectors[word] + vectors[partner]
            pull = weight * (both @ both + constant - log_x)
            for row in (word, partner):
                vectors[row] -= learning_rate * 4 * pull * both / np.sqrt(squares[row])
                squares[row] += (4 * pull * both) ** 2
            constant -= learning_rate * 2 * pull / sqrt(constant_square)
            constant_square += (2 * pull) ** 2
    return naive_sn_loss(counts, vectors, constant)

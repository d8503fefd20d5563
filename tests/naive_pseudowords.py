"""Obvious twins: words merged in the text itself, and the optimum of pseudowords with all other words held."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from naive_factor import naive_pairs
from wordatoms.counts.cooccurrence import Counts

Matrix = NDArray[np.float64]


def merge_text(text: str, names: dict[str, str]) -> str:
    return "\n".join(" ".join(names.get(word, word) for word in line.split()) for line in text.split("\n"))


def partners(counts: Counts, word: int) -> tuple[list[int], Matrix, Matrix]:
    """The other words that occur near a word, log X and f(X)."""
    found = [
        (pair.partner if pair.word == word else pair.word, pair.log_x, pair.weight)
        for pair in naive_pairs(counts, 100, 0.75)
        if word in (pair.word, pair.partner)
    ]
    rows, logs, weights = zip(*found, strict=True)
    return list(rows), np.array(logs), np.array(weights)


def optimal_glove(counts: Counts, state: dict[str, Matrix], moving: list[int], sweeps: int = 30) -> Matrix:
    """The sums w + c of some words: weighted least squares for one vector after the other."""
    sets = {name: np.column_stack([state[name], state[f"{name}_bias"]]) for name in ("word", "context")}
    for _ in range(sweeps):
        for own, other in (("word", "context"), ("context", "word")):
            for word in moving:
                rows, logs, weights = partners(counts, word)
                matrix = np.column_stack([sets[other][rows, :-1], np.ones(len(rows))])
                target, root = logs - sets[other][rows, -1], np.sqrt(weights)
                sets[own][word] = np.linalg.lstsq(matrix * root[:, None], target * root, rcond=None)[0]
    return (sets["word"] + sets["context"])[moving, :-1]


def optimal_sn(counts: Counts, vectors: Matrix, constant: float, moving: list[int], sweeps: int = 30) -> Matrix:
    """The vectors of some words: damped Gauss–Newton steps for one word after the other."""
    vectors = vectors.copy()
    for _ in range(sweeps):
        for word in moving:
            rows, logs, weights = partners(counts, word)
            vectors[word] = _gauss_newton(vectors[word], vectors[rows], logs - constant, weights)
    return vectors[moving]


def _gauss_newton(start: Matrix, others: Matrix, target: Matrix, weights: Matrix) -> Matrix:
    def loss(vector: Matrix) -> float:
        return float((weights * (((others + vector) ** 2).sum(axis=1) - target) ** 2).sum())

    vector, damping = start, 1.0
    for _ in range(20):
        slopes, errors = 2 * (others + vector), ((others + vector) ** 2).sum(axis=1) - target
        curvature = slopes.T @ (weights[:, None] * slopes) + damping * np.eye(len(vector))
        tried = vector - np.linalg.solve(curvature, slopes.T @ (weights * errors))
        better = loss(tried) <= loss(vector)
        vector, damping = (tried, damping / 4) if better else (vector, damping * 8)
    return vector

"""The obvious way to do what the competitors do: one context, one word, one number at a time."""

from __future__ import annotations

import math

import numpy as np

Vector = np.ndarray


def mean(context: list[int], vectors: Vector, weights: Vector) -> Vector:
    """The weighted mean of the context's words; -1 is none."""
    known = [row for row in context if row >= 0]
    total = sum((float(weights[row]) * vectors[row].astype(float) for row in known), np.zeros(vectors.shape[1]))
    return np.asarray(total / max(sum(float(weights[row]) for row in known), 1e-30))


def cosine(left: Vector, right: Vector) -> float:
    return float(left @ right) / (math.sqrt(float(left @ left)) * math.sqrt(float(right @ right)))


def idf(p_word: float, n_words: int) -> float:
    return -math.log(1 - (1 - p_word) ** n_words)


def cluster_step(units: Vector, centres: Vector) -> Vector:
    """One step of spherical k-means: the direction of the sum of those nearest to each centre."""
    groups: dict[int, list[Vector]] = {}
    for unit in units:
        groups.setdefault(max(range(len(centres)), key=lambda k: float(unit @ centres[k])), []).append(unit)
    sums = [np.sum(groups[k], axis=0) for k in sorted(groups)]
    return np.array([total / np.linalg.norm(total) for total in sums])


def projector(context: list[int], vectors: Vector, rank: int) -> Vector:
    """The projection on the first right singular vectors of the words of a context, (dim, dim)."""
    words = np.array([vectors[row] for row in context if row >= 0], dtype=float).reshape(-1, vectors.shape[1])
    _, values, directions = np.linalg.svd(words, full_matrices=False)
    kept = directions[:rank][values[:rank] > 1e-2 * values.max(initial=0)]
    return np.asarray(kept.T @ kept)


def multisense(
    words: list[list[int]],
    negatives: list[list[list[int]]],
    means: Vector,
    contexts: Vector,
    rates: list[float],
    shift: float,
    new_below: float,
    centres: list[Vector],
    most: int,
    start: Vector,
) -> tuple[list[Vector], list[Vector], list[int]]:
    """The pass of MSSG: sums of the contexts of each sense, its vector, and the sense of each window."""
    vectors, chosen = [start.astype(float).copy() for _ in centres], []
    for place, context in enumerate(words):
        cosines = [cosine(means[place], centre) for centre in centres]
        if len(centres) < most and (not centres or max(cosines) < new_below):
            centres, vectors = [*centres, np.zeros(len(start))], [*vectors, start.astype(float).copy()]
            cosines.append(2)
        sense = int(np.argmax(cosines))
        chosen.append(sense)
        centres[sense] = centres[sense] + means[place]
        for word, others in zip(context, negatives[place], strict=True):
            if word >= 0:
                pairs = [(word, 1), *((other, 0) for other in others if other != word)]
                for row, label in pairs:
                    p = 1 / (1 + math.exp(shift - float(vectors[sense] @ contexts[row])))
                    vectors[sense] = vectors[sense] + rates[place] * (label - p) * contexts[row]
    return centres, vectors, chosen

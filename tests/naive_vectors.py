"""Obvious slow versions of what embeddings, vector files and their evaluations compute."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def cosine(first: Sequence[float], second: Sequence[float]) -> float:
    lengths = math.sqrt(math.fsum(x * x for x in first)) * math.sqrt(math.fsum(y * y for y in second))
    return math.fsum(x * y for x, y in zip(first, second, strict=True)) / lengths if lengths else 0.0


def nearest(
    words: Sequence[str], vectors: np.ndarray, query: np.ndarray, left_out: set[str]
) -> list[tuple[float, str]]:
    """All words by falling cosine; those that agree to 9 digits stay in the order of the vocabulary."""
    vectors, query = vectors.astype(float).tolist(), query.astype(float).tolist()
    scored = [(-round(cosine(vector, query), 9), row) for row, vector in enumerate(vectors)]
    return [(-score, words[row]) for score, row in sorted(scored) if words[row] not in left_out]


def parse_glove(text: str) -> dict[str, np.ndarray]:
    rows = [line.split(" ") for line in text.splitlines()]
    return {word: np.array([float(number) for number in numbers], dtype=np.float32) for word, *numbers in rows}


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The linear correlation of ranks, equal values at their mean rank."""

    def ranks(values: Sequence[float]) -> list[float]:
        return [
            sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
            for value in values
        ]

    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def answer_analogy(vectors: dict[str, np.ndarray], a: str, b: str, c: str) -> str:
    units = {word: vector / np.linalg.norm(vector) for word, vector in vectors.items()}
    target = units[b] - units[a] + units[c]
    return max((word for word in units if word not in (a, b, c)), key=lambda word: float(units[word] @ target))

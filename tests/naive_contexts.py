"""The obvious way to average contexts, in exact numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from wordatoms.text.tokenizer import Tokenizer

Vector = list[Fraction]


def lines_of_rows(text: str, words: list[str], tokenizer: Tokenizer) -> list[list[int]]:
    """The known words of each line, as rows."""
    rows = {word: row for row, word in enumerate(words)}
    return [[rows[token] for token in tokenizer.tokens(line) if token in rows] for line in text.split("\n")]


def windows(text: str, words: list[str], window: int, tokenizer: Tokenizer) -> list[tuple[list[int], int, list[int]]]:
    """For each place that has neighbours: the rows before it, its own, and those after it."""
    found = []
    for line in lines_of_rows(text, words, tokenizer):
        for place, row in enumerate(line):
            before, after = line[max(place - window, 0) : place], line[place + 1 : place + 1 + window]
            if before or after:
                found.append((before, row, after))
    return found


def context_averages(
    text: str, words: list[str], vectors: list[Vector], window: int, *, include_target: bool, tokenizer: Tokenizer
) -> tuple[list[Vector], list[int]]:
    """The average over occurrences of the mean of the words around, exactly, and the number of occurrences."""
    dim = len(vectors[0])
    sums = [[Fraction(0)] * dim for _ in words]
    numbers = [0] * len(words)
    for before, row, after in windows(text, words, window, tokenizer):
        members = [*before, *([row] if include_target else []), *after]
        mean = [sum((vectors[member][k] for member in members), Fraction(0)) / len(members) for k in range(dim)]
        sums[row] = [total + part for total, part in zip(sums[row], mean, strict=True)]
        numbers[row] += 1
    return [[total / max(n, 1) for total in row] for row, n in zip(sums, numbers, strict=True)], numbers


def fixed_point_sums(
    text: str,
    words: list[str],
    rows: list[list[int]],
    reciprocals: list[int],
    window: int,
    *,
    include_target: bool,
    tokenizer: Tokenizer,
) -> list[list[int]]:
    """The sums of the pass, integer by integer."""
    sums = [[0] * len(rows[0]) for _ in words]
    for before, row, after in windows(text, words, window, tokenizer):
        members = [*before, *([row] if include_target else []), *after]
        for k in range(len(rows[0])):
            total = sum(rows[member][k] for member in members)
            sums[row][k] += (total * reciprocals[len(members)] + (1 << 31)) >> 32
    return sums


def sif_vector(tokens: list[str], vectors: dict[str, np.ndarray], p_word: dict[str, float], a: float) -> np.ndarray:
    """Sum of weighted vectors over the number of known words."""
    known = [token for token in tokens if token in vectors]
    dim = len(next(iter(vectors.values())))
    total = sum((a / (a + p_word[token]) * vectors[token].astype(float) for token in known), np.zeros(dim))
    return np.asarray(total / max(len(known), 1))

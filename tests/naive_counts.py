"""The obvious way to count words and pairs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from wordatoms.text.tokenizer import Tokenizer


def rank_words(text: str, min_count: int, max_words: int | None, tokenizer: Tokenizer) -> list[tuple[str, int]]:
    counts = Counter(tokenizer.tokens(text))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [(word, count) for word, count in ranked if count >= min_count][:max_words]


def count_pairs(
    text: str, words: list[str], window: int, weighting: str, tokenizer: Tokenizer
) -> dict[tuple[int, int], Fraction]:
    """X[i, j] for i ≤ j, each ordered pair of places adding to X of its words."""
    rows = {word: row for row, word in enumerate(words)}
    full: Counter[tuple[int, int]] = Counter()
    for line in text.split("\n"):
        ids = [rows[token] for token in tokenizer.tokens(line) if token in rows]
        for place, center in enumerate(ids):
            for other, neighbour in enumerate(ids):
                distance = abs(place - other)
                if 1 <= distance <= window:
                    full[center, neighbour] += Fraction(1, distance) if weighting == "harmonic" else Fraction(1)
    return {pair: value for pair, value in full.items() if pair[0] <= pair[1]}

"""How well similarities rank pairs as people do: Spearman's correlation, with and without the pairs left unanswered.

A pair without a similarity (an unknown word) counts at the mean of the others in the score of all pairs, so that a
small vocabulary is no advantage.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean


def spearman(similarities: Sequence[float | None], ratings: Sequence[float]) -> float | None:
    """Over the pairs that have a similarity; None where all values of one side are the same."""
    from scipy.stats import spearmanr

    covered = [(value, rating) for value, rating in zip(similarities, ratings, strict=True) if value is not None]
    if len({value for value, _ in covered}) < 2 or len({rating for _, rating in covered}) < 2:
        return None
    return float(spearmanr(*zip(*covered, strict=True)).statistic)


def filled_with_mean(similarities: Sequence[float | None]) -> list[float]:
    """The similarities, with their mean where there is none."""
    known = [value for value in similarities if value is not None]
    mean = fmean(known) if known else 0.0
    return [mean if value is None else value for value in similarities]


def coverage(similarities: Sequence[float | None]) -> float:
    """The share of pairs that have a similarity."""
    return sum(value is not None for value in similarities) / len(similarities)

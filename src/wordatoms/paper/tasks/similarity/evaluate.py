"""Word similarity: do the cosines of an embedding rank pairs of words as people do?

The score of a set is Spearman's correlation of cosines and ratings, once over the pairs whose words are both
known, once over all pairs with the mean cosine for the others, so that a small vocabulary is no advantage.
The baseline compares spellings. The paper reports no such figures for its embeddings; they measure the quality of
the vectors before senses are sought. Words in context are scored by the task `scws`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult, coverage, spearman, spearman_all_pairs
from wordatoms.paper.tasks.datasets import data_files, find_rows, parse_number, read_fields


class RatedPair(NamedTuple):
    word1: str
    word2: str
    rating: float
    """What people said."""
    similarity: float | None = None
    """The cosine; None if a word is unknown."""


@dataclass(frozen=True)
class SimilaritySet:
    """One set of pairs with its scores; a score is None where there is nothing to rank."""

    name: str
    pairs: tuple[RatedPair, ...]

    @cached_property
    def _similarities(self) -> list[float | None]:
        return [pair.similarity for pair in self.pairs]

    @cached_property
    def _ratings(self) -> list[float]:
        return [pair.rating for pair in self.pairs]

    @property
    def coverage(self) -> float:
        """The share of pairs with both words known."""
        return coverage(self._similarities)

    @cached_property
    def spearman(self) -> float | None:
        """Over the covered pairs."""
        return spearman(self._similarities, self._ratings)

    @cached_property
    def spearman_all_pairs(self) -> float | None:
        """The score over all pairs; pairs with unknown words get the mean cosine of the others."""
        return spearman_all_pairs(self._similarities, self._ratings)

    @cached_property
    def spearman_spelling(self) -> float | None:
        """The baseline, over all pairs."""
        return spearman([spelling_similarity(pair.word1, pair.word2) for pair in self.pairs], self._ratings)


@dataclass(frozen=True)
class SimilarityResult(TaskResult):
    sets: tuple[SimilaritySet, ...]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "set": each.name,
                "pairs": len(each.pairs),
                "coverage": each.coverage,
                "spearman": each.spearman,
                "spearman_all_pairs": each.spearman_all_pairs,
                "spelling": each.spearman_spelling,
            }
            for each in self.sets
        ]

    def to_json(self) -> dict[str, Any]:
        scores = ("pairs", "coverage", "spearman", "spearman_all_pairs")
        return {
            "scores": {row["set"]: {key: row[key] for key in scores} for row in self.rows()},
            "baselines": {"spelling": {row["set"]: row["spelling"] for row in self.rows()}},
            "paper": {},
            "items": [{"set": each.name, **pair._asdict()} for each in self.sets for pair in each.pairs],
        }


def evaluate_similarity(embeddings: Embeddings, data: Path) -> SimilarityResult:
    """Score an embedding on sets of rated pairs: files with `word1 word2 rating` on each line."""
    return SimilarityResult(tuple(_evaluate_set(embeddings, path) for path in data_files(data, "similarity")))


def read_pairs(path: Path) -> list[RatedPair]:
    """The pairs of one set."""
    pairs = []
    for number, fields in read_fields(path):
        rating = parse_number(fields[2]) if len(fields) == 3 else None
        if rating is None:
            raise InputError(f"{path}:{number}: expected `word1 word2 rating` but found {' '.join(fields)[:60]!r}.")
        pairs.append(RatedPair(fields[0], fields[1], rating))
    if not pairs:
        raise InputError(f"{path} holds no pairs; expected lines with `word1 word2 rating`.")
    return pairs


def spelling_similarity(word1: str, word2: str) -> float:
    """The share of letter trigrams that two words have in common (Dice), word boundaries included."""
    trigrams1, trigrams2 = _trigrams(word1), _trigrams(word2)
    return 2 * len(trigrams1 & trigrams2) / (len(trigrams1) + len(trigrams2))


def _trigrams(word: str) -> set[str]:
    padded = f"  {word.lower()}  "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}


def _evaluate_set(embeddings: Embeddings, path: Path) -> SimilaritySet:
    pairs = read_pairs(path)
    rows1 = find_rows(embeddings, [pair.word1 for pair in pairs])
    rows2 = find_rows(embeddings, [pair.word2 for pair in pairs])
    rated = [
        pair._replace(similarity=embeddings.similarity(embeddings.words[row1], embeddings.words[row2]))
        if min(row1, row2) >= 0
        else pair
        for pair, row1, row2 in zip(pairs, rows1, rows2, strict=True)
    ]
    return SimilaritySet(path.stem, tuple(rated))

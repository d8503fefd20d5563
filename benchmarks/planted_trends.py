"""Plant differences and trends in collections of paragraphs, and see whether they are found, at each level of topics.

    python benchmarks/planted_trends.py PARAGRAPHS.txt --json docs/results/planted-trends.json

Paragraphs (one per line) are sorted by their words into some subjects and a rest. A collection has 2,000 of them in
four groups over 24 months, each subject with a share of the documents of a group that is constant or changes in a
straight line: music grows from 5% to 40% in one group only, biology in all from 5% to 20%, football has 30% in one
group and 10% in the others. What share of a topic this plants follows from the mean shares of all paragraphs of each
subject. Many collections are drawn; the table says how many intervals (95%) contain what was planted, how often the
largest planted effects stand out, and how many effects stand out with the wrong sign. In collections with shuffled
groups and dates nothing is planted: the share of them in which anything stands out should be at most 5% for each of
the two tables.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from common import make_parser, show
from wordatoms.documents.groups import GroupComparison, compare_groups
from wordatoms.documents.levels import LEVELS, find_topics, merge_shares
from wordatoms.run import Run
from wordatoms.senses.model import load
from wordatoms.senses.topics import document_topics

SUBJECTS = {
    "music": "album song band guitar singer orchestra",
    "football": "league football season coach goal cup",
    "war": "army battle troops regiment infantry",
    "biology": "species genus larvae plant beetle moth",
}
REST = "rest"
LEAST_WORDS, MOST_WORDS = 25, 160
GROUPS = ("east", "north", "south", "west")
N_PERIODS = 24
MOST_OF_REST = 10_000
LARGEST = 3
"""Planted effects of each kind of which is told how often they stand out."""

Floats = NDArray[np.float64]


def subject_of(text: str) -> str | None:
    """The subject with at least two of its words and hardly any of the others'; None if it is unclear."""
    words = re.findall(r"\w+", text.lower())
    hits = {name: sum(word in own.split() for word in words) for name, own in SUBJECTS.items()}
    best = max(hits, key=hits.__getitem__)
    others = sum(hits.values()) - hits[best]
    return REST if not hits[best] else best if hits[best] >= 2 and others <= 1 else None


def planted(group: str, time: float) -> dict[str, float]:
    """The share of each subject among the documents of a group, at a time from 0 to 1."""
    shares = {
        "music": 0.05 + (0.35 * time if group == "east" else 0),
        "football": 0.3 if group == "south" else 0.1,
        "war": 0.1,
        "biology": 0.05 + 0.15 * time,
    }
    return {**shares, REST: 1 - sum(shares.values())}


def draw(pools: dict[str, NDArray[np.intp]], n: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], Any, Any]:
    """Return rows of paragraphs, and the group and period of each."""
    groups, periods = np.arange(n) % len(GROUPS), np.arange(n) // len(GROUPS) % N_PERIODS
    rows = np.empty(n, np.intp)
    for place, (group, period) in enumerate(zip(groups, periods, strict=True)):
        shares = planted(GROUPS[group], period / (N_PERIODS - 1))
        rows[place] = rng.choice(pools[rng.choice(list(shares), p=list(shares.values()))])
    return rows, groups, periods


def months(periods: Sequence[int]) -> list[str]:
    return [f"{2020 + period // 12}-{period % 12 + 1:02}" for period in periods]


def expected(means: dict[str, Floats], group: str, time: float) -> Floats:
    """The planted share of every topic."""
    return np.asarray(sum(share * means[name] for name, share in planted(group, time).items()))


def planted_effects(means: dict[str, Floats]) -> tuple[dict[str | None, Floats], dict[str, Floats]]:
    """Return the planted change of every topic, overall (None) and by group, and the difference of each group."""
    changes: dict[str | None, Floats] = {
        group: expected(means, group, 1) - expected(means, group, 0) for group in GROUPS
    }
    changes[None] = np.mean([changes[group] for group in GROUPS], axis=0)
    middle = {group: expected(means, group, 0.5) for group in GROUPS}
    differences = {
        group: middle[group] - np.mean([middle[other] for other in GROUPS if other != group], axis=0)
        for group in GROUPS
    }
    return changes, differences


class Tally:
    """Adds up what happens to planted effects of one kind."""

    def __init__(self) -> None:
        self.n = self.inside = self.n_out = self.wrong = 0
        self.largest: list[bool] = []

    def add(self, rows: Sequence[Any], sizes: Sequence[float], truths: Sequence[float], n_largest: int) -> None:
        order = sorted(range(len(rows)), key=lambda place: -abs(truths[place]))[:n_largest]
        self.largest += [rows[place].stands_out for place in order]
        for row, size, truth in zip(rows, sizes, truths, strict=True):
            self.n += 1
            self.inside += bool(row.low <= truth <= row.high)
            self.n_out += row.stands_out
            self.wrong += bool(row.stands_out and size * truth <= 0)

    def row(self, n_draws: int) -> dict[str, Any]:
        return {
            "tests": round(self.n / n_draws), "inside": round(self.inside / self.n, 3),
            "largest found": round(float(np.mean(self.largest)), 2),
            "stand out": round(self.n_out / n_draws, 1), "wrong sign": round(self.wrong / n_draws, 2),
        }  # fmt: skip


def run(texts: Sequence[str], n_documents: int, n_draws: int, n_shuffled: int) -> dict[str, Any]:
    model = load()
    subjects = [subject_of(text) for text in texts]
    pools = {name: np.flatnonzero([each == name for each in subjects]) for name in (*SUBJECTS, REST)}
    pools[REST] = pools[REST][:MOST_OF_REST]
    used = np.sort(np.concatenate(list(pools.values())))
    places = {name: np.searchsorted(used, own) for name, own in pools.items()}
    topics = document_topics(model, [texts[row] for row in used.tolist()])
    result: dict[str, Any] = {"documents": n_documents, "collections": n_draws, "shuffled": n_shuffled}
    result["paragraphs"] = {name: len(own) for name, own in pools.items()}
    result["rows"] = []
    for level in LEVELS:
        matrix = merge_shares(topics, find_topics(model, level)).matrix
        means = {name: np.asarray(matrix[own].mean(axis=0)).ravel() for name, own in places.items()}
        changes, differences = planted_effects(means)
        tallies, rng = {"trends": Tally(), "differences": Tally()}, np.random.default_rng(0)
        n_false = 0
        for number in range(max(n_draws, n_shuffled)):
            rows, groups, periods = draw(places, n_documents, rng)
            if number < n_draws:
                found = compare(matrix[rows], groups, periods)
                trends = [row for row in found.trends if row.p is not None]
                tallies["trends"].add(
                    trends, [row.change for row in trends],
                    [changes[row.group][row.topic] for row in trends], LARGEST,
                )  # fmt: skip
                compared = [row for row in found.differences if row.p is not None]
                tallies["differences"].add(
                    compared, [row.difference for row in compared],
                    [differences[row.group][row.topic] for row in compared], LARGEST,
                )  # fmt: skip
            if number < n_shuffled:
                found = compare(matrix[rows], rng.permutation(groups), rng.permutation(periods), 20)
                n_false += any(row.stands_out for row in [*found.differences, *found.trends])
        for kind, tally in tallies.items():
            result["rows"].append({"level": level, "effect": kind, **tally.row(n_draws)})
            print(result["rows"][-1], flush=True)
        result["rows"].append({"level": level, "shuffled with a false one": round(n_false / max(n_shuffled, 1), 2)})
        print(result["rows"][-1], flush=True)
    return result


def compare(shares: csr_matrix, groups: Any, periods: Any, n_resamples: int = 1000) -> GroupComparison:
    names = [GROUPS[group] for group in groups]
    return compare_groups(
        shares, groups=names, times=months(periods.tolist()), n_resamples=n_resamples, run=Run(threads=1)
    )


def main() -> None:
    parser = make_parser(__doc__, documents=2000, draws=20, shuffled=40)
    parser.add_argument("paragraphs", type=Path)
    given = parser.parse_args()
    with given.paragraphs.open(encoding="utf-8") as file:
        texts = [line.strip() for line in file if LEAST_WORDS <= len(line.split()) <= MOST_WORDS]
    show(run(texts, given.documents, given.draws, given.shuffled), given.json)


if __name__ == "__main__":
    main()

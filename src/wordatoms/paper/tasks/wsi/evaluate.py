"""Table 7: word sense induction. Do clusters of a word's contexts agree with the senses that people gave them?

Every method puts the instances of each word of SemEval-2010 task 14 into clusters. F falls and V rises with the number
of clusters, whatever the method: one cluster has the best F of nearly all published systems, and a cluster for each
instance a V beyond most of them. So both stand in every row, with AVG = √(F·V), which is 0 for either extreme, and
with clusters drawn at random. All scores are in per cent, as in the paper; AVG of the paper's rows is computed.

Left out: the methods themselves, and the scores (`wordatoms.paper.tasks.wsi.data`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import NamedMethod, TaskResult, check_methods
from wordatoms.paper.tasks.wsi.data import WordScore, WsiWord, mean_score, score_word

Clusterer = Callable[[WsiWord], ArrayLike]
"""A cluster label for each instance of a word, in their order; equal labels, one cluster."""


@dataclass(frozen=True)
class Method(NamedMethod):
    cluster: Clusterer
    k: int | None = None
    """The number of clusters, where it is fixed."""


class PublishedScore(NamedTuple):
    """A row of someone else's table, in per cent."""

    f_score: float
    v_measure: float
    k: int | None = None

    @property
    def average(self) -> float:
        return sqrt(self.f_score * self.v_measure)


def method_name(kind: str, k: int | str) -> str:
    """The name of a method with a number of clusters."""
    return f"{kind}, k={k}" if k != "auto" else f"{kind}, k auto"


PAPER_BY_K = {
    2: PublishedScore(58.55, 6.1, 2),
    3: PublishedScore(55.75, 7.4, 3),
    4: PublishedScore(51.85, 9.9, 4),
    5: PublishedScore(46.38, 11.5, 5),
}
"""The paper's own method."""
KS = tuple(PAPER_BY_K)
PAPER_METHOD, RANDOM = "paper", "random"
PAPER = {
    "Huang 2012": PublishedScore(38.05, 10.60),
    "Neelakantan 2014": PublishedScore(47.26, 9.00),
    "Mu 2016, k=2": PublishedScore(57.14, 7.30, 2),
    "Mu 2016, k=5": PublishedScore(44.07, 14.50, 5),
    **{method_name(PAPER_METHOD, k): score for k, score in PAPER_BY_K.items()},
}
"""Table 7: first the competitors, then the paper's own method."""
PUBLISHED = {
    "UoY 2010": PublishedScore(49.8, 15.7),
    "AutoSense 2019": PublishedScore(61.7, 9.8),
    "BERT-large (Amrami & Goldberg 2019)": PublishedScore(71.3, 40.4),
    "PolyLM-large": PublishedScore(67.5, 43.6),
}
"""What others report, for orientation."""


@dataclass(frozen=True)
class Clustering:
    """What one method makes of all words."""

    method: Method
    scores: tuple[WordScore, ...]
    labels: tuple[tuple[int, ...], ...]
    """For each word those of its instances, numbered from 0 in the order in which they first come."""

    @cached_property
    def row(self) -> dict[str, Any]:
        """Its scores, in per cent; None where there are no words of a part of speech."""
        everything, nouns, verbs = (mean_score(self.scores, pos) for pos in (None, "n", "v"))
        assert everything is not None  # there are words
        return {
            "F": 100 * everything.f_score,
            "V": 100 * everything.v_measure,
            "AVG": 100 * everything.average,
            "F_nouns": 100 * nouns.f_score if nouns else None,
            "V_nouns": 100 * nouns.v_measure if nouns else None,
            "F_verbs": 100 * verbs.f_score if verbs else None,
            "V_verbs": 100 * verbs.v_measure if verbs else None,
            "clusters": everything.n_clusters,
        }


@dataclass(frozen=True)
class WsiResult(TaskResult):
    words: tuple[WsiWord, ...]
    clusterings: tuple[Clustering, ...]
    """The given methods first, then the built-in baselines."""

    def rows(self) -> list[dict[str, Any]]:
        measured = [{"method": each.method.name, "role": each.method.role, **each.row} for each in self.clusterings]
        others = {"paper": PAPER, "published": PUBLISHED}
        blank = dict.fromkeys(measured[0])
        return measured + [
            {**blank, "method": name, "role": role, **_published_row(score)}
            for role, scores in others.items()
            for name, score in scores.items()
        ]

    @property
    def verdict(self) -> str:
        """The first method of ours with each k against the paper's."""
        ours = {k: [each for each in self._with_role("ours") if each.method.k == k] for k in PAPER_BY_K}
        judged = [_judge(PAPER_BY_K[k].average, found[0]) for k, found in ours.items() if found]
        if not judged:
            return "The paper's AVG is 18.9 to 23.1 with 2 to 5 clusters; no method of ours was tried with as many."
        return f"AVG of Table 7 of the paper and ours: {'; '.join(judged)}{self._best_competitor()}."

    def _best_competitor(self) -> str:
        competitors = self._with_role("competitor")
        if not competitors:
            return ""
        best = max(competitors, key=lambda each: float(each.row["AVG"]))
        return f"; the best competitor here, {best.method.name}, reaches {best.row['AVG']:.1f}"

    def _with_role(self, *roles: str) -> list[Clustering]:
        return [each for each in self.clusterings if each.method.role in roles]

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": {each.method.name: _described(each) for each in self._with_role("ours", "competitor")},
            "baselines": {each.method.name: _described(each) for each in self._with_role("baseline")},
            "paper": {name: _published_row(score) for name, score in PAPER.items()},
            "published": {name: _published_row(score) for name, score in PUBLISHED.items()},
            "verdict": self.verdict,
            "items": [self._item(index) for index in range(len(self.words))],
        }

    def _item(self, index: int) -> dict[str, Any]:
        """One word: its instances by name, and each method's scores and labels of them."""
        word = self.words[index]
        return {
            "lemma": word.lemma,
            "pos": word.pos,
            "instances": [instance.name for instance in word.instances],
            "methods": {each.method.name: _word_item(each, index) for each in self.clusterings},
        }


def evaluate_wsi(
    words: Sequence[WsiWord],
    methods: Sequence[Method],
    *,
    random_ks: Sequence[int] = KS,
    random_state: int = 0,
    report: Callable[[str, str], None] | None = None,
) -> WsiResult:
    """Score the methods and, after them, the baselines: one cluster, one for each instance, `random_ks` at random.

    `report` is called with the method and the word before each clustering.
    """
    if not words:
        raise InputError("there are no words to cluster the instances of; pass one or more.")
    chosen = check_methods([*methods, *baselines(random_ks, random_state=random_state)])
    return WsiResult(tuple(words), tuple(_cluster_all(words, method, report) for method in chosen))


def baselines(random_ks: Sequence[int] = KS, *, random_state: int = 0) -> tuple[Method, ...]:
    """Methods that know nothing of the instances."""
    return (
        Method("one cluster per word", "baseline", lambda word: np.zeros(len(word), np.intp), 1),
        Method("one cluster per instance", "baseline", lambda word: np.arange(len(word))),
        *(
            Method(method_name(RANDOM, k), "baseline", random_clusterer(k, random_state=random_state), k)
            for k in random_ks
        ),
    )


def random_clusterer(k: int, *, random_state: int = 0) -> Clusterer:
    """Clusters drawn at random for each instance; those of a word do not depend on the other words."""
    if k < 1:
        raise InputError(f"k is {k}; pass 1 cluster or more.")

    def cluster(word: WsiWord) -> NDArray[np.intp]:
        rng = np.random.default_rng([random_state, k, crc32(word.name.encode())])
        return rng.integers(k, size=len(word), dtype=np.intp)

    return cluster


def _cluster_all(words: Sequence[WsiWord], method: Method, report: Callable[[str, str], None] | None) -> Clustering:
    labels, scores = [], []
    for word in words:
        if report:
            report(method.name, word.name)
        clusters = np.asarray(method.cluster(word))
        try:
            scores.append(score_word(word, clusters))
        except InputError as error:
            raise InputError(f"the method '{method.name}' does not fit: {error}") from None
        labels.append(_numbered(clusters.tolist()))
    return Clustering(method, tuple(scores), tuple(labels))


def _numbered(labels: Sequence[Any]) -> tuple[int, ...]:
    """Labels as numbers from 0, in the order in which they first come."""
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def _judge(paper: float, ours: Clustering) -> str:
    average = float(ours.row["AVG"])
    return f"k={ours.method.k} {paper:.1f} and {average:.1f} ({'above' if average > paper else 'not above'})"


def _published_row(score: PublishedScore) -> dict[str, float]:
    return {"F": score.f_score, "V": score.v_measure, "AVG": score.average}


def _described(clustering: Clustering) -> dict[str, Any]:
    return {"role": clustering.method.role, "k": clustering.method.k, **clustering.row}


def _word_item(clustering: Clustering, index: int) -> dict[str, Any]:
    """Scores of one word; baselines without labels, which say nothing."""
    score = clustering.scores[index]
    labels = {} if clustering.method.role == "baseline" else {"labels": list(clustering.labels[index])}
    return {"F": 100 * score.f_score, "V": 100 * score.v_measure, "clusters": score.n_clusters, **labels}

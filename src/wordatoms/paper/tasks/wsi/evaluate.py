"""Table 7: word sense induction. Do clusters of a word's contexts agree with the senses chosen by annotators?

Every method clusters the instances of each word of SemEval-2010 task 14. F decreases and V increases with the number of
clusters for any method: a single cluster has a better F than nearly all published systems, and one cluster per instance
a better V than most of them. Therefore every row has both, with AVG = √(F·V), which is 0 at either extreme, and random
clusters are a baseline. All scores are percentages, as in the paper; AVG of the paper's rows is computed.

Left out: the methods (`wordatoms.paper.tasks.wsi.methods`), and the scores (`wordatoms.paper.tasks.wsi.data`).
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
from wordatoms.paper.tasks.base import BY_PAPER, MethodsResult, NamedMethod, Role, check_methods
from wordatoms.paper.tasks.wsi.data import WordScore, WsiWord, mean_score, score_word

Clusterer = Callable[[WsiWord], ArrayLike]
"""Returns the cluster label of each instance of a word, in order."""


@dataclass(frozen=True)
class Method(NamedMethod):
    cluster: Clusterer
    k: int | None = None
    """The number of clusters, if fixed."""

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "k": self.k}


class PublishedScore(NamedTuple):
    """A published result, in per cent."""

    f_score: float
    v_measure: float
    k: int | None = None

    @property
    def average(self) -> float:
        return sqrt(self.f_score * self.v_measure)

    @property
    def row(self) -> dict[str, float]:
        return {"F": self.f_score, "V": self.v_measure, "AVG": self.average}


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
"""Results of other systems, for orientation."""
QUOTED = {
    role: {name: score.row for name, score in scores.items()}
    for role, scores in {"paper": PAPER, "published": PUBLISHED}.items()
}


@dataclass(frozen=True)
class Clustering:
    """The clusters of all words by one method."""

    method: Method
    scores: tuple[WordScore, ...]
    labels: tuple[tuple[int, ...], ...]
    """The labels of each word's instances, numbered from 0 in order of first occurrence."""

    @cached_property
    def row(self) -> dict[str, Any]:
        """Scores in per cent; None for a part of speech without words."""
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
class WsiResult(MethodsResult):
    words: tuple[WsiWord, ...]
    scores: tuple[Clustering, ...]
    """The given methods first, then the built-in baselines."""

    def rows(self) -> list[dict[str, Any]]:
        return self.table_rows(QUOTED)

    @property
    def verdict(self) -> str:
        """The paper's figure with each k, its method here, and our first method."""
        judged = [judge for k in PAPER_BY_K if (judge := self._judge(k))]
        if not judged:
            return "The paper's AVG is 18.9 to 23.1 with 2 to 5 clusters; no method of ours was tried with 2 to 5."
        if competitors := self.with_role("competitor"):
            best = max(competitors, key=lambda each: float(each.row["AVG"]))
            judged.append(f"the best competitor here, {best.method.name}, reaches {best.row['AVG']:.1f}")
        return f"AVG of Table 7: {'; '.join(judged)}."

    def _judge(self, k: int) -> str:
        """The paper's AVG with k clusters and what its method and ours reach; empty if neither was tried."""
        roles: dict[Role, str] = {BY_PAPER: "its method here", "ours": "ours"}
        tried = {role: [each for each in self.with_role(role) if each.method.k == k] for role in roles}
        reached = [f"{roles[role]} {found[0].row['AVG']:.1f}" for role, found in tried.items() if found]
        return f"k={k}: paper {PAPER_BY_K[k].average:.1f}, {', '.join(reached)}" if reached else ""

    def to_json(self) -> dict[str, Any]:
        return {
            **self.scores_json(),
            **QUOTED,
            "verdict": self.verdict,
            "items": [self._item(index) for index in range(len(self.words))],
        }

    def _item(self, index: int) -> dict[str, Any]:
        """One word: the names of its instances, and the scores and labels of each method."""
        word = self.words[index]
        return {
            "lemma": word.lemma,
            "pos": word.pos,
            "instances": [instance.name for instance in word.instances],
            "methods": {each.method.name: _word_item(each, index) for each in self.scores},
        }


def evaluate_wsi(
    words: Sequence[WsiWord],
    methods: Sequence[Method],
    *,
    random_ks: Sequence[int] = KS,
    random_state: int = 0,
    report: Callable[[str, str], None] | None = None,
) -> WsiResult:
    """Score the methods, then the baselines: a single cluster, one per instance, and `random_ks` random clusters.

    `report` is called with the names of the method and the word before each clustering.
    """
    if not words:
        raise InputError("there are no words; pass one or more.")
    chosen = check_methods([*methods, *baselines(random_ks, random_state=random_state)])
    return WsiResult(tuple(words), tuple(_cluster_all(words, method, report) for method in chosen))


def baselines(random_ks: Sequence[int] = KS, *, random_state: int = 0) -> tuple[Method, ...]:
    """Methods that do not look at the instances."""
    return (
        Method("one cluster per word", "baseline", lambda word: np.zeros(len(word), np.intp), 1),
        Method("one cluster per instance", "baseline", lambda word: np.arange(len(word))),
        *(
            Method(method_name(RANDOM, k), "baseline", random_clusterer(k, random_state=random_state), k)
            for k in random_ks
        ),
    )


def random_clusterer(k: int, *, random_state: int = 0) -> Clusterer:
    """A random cluster for each instance; the clusters of a word do not depend on the other words."""
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
            raise InputError(f"the method '{method.name}' failed: {error}") from None
        labels.append(_numbered(clusters.tolist()))
    return Clustering(method, tuple(scores), tuple(labels))


def _numbered(labels: Sequence[Any]) -> tuple[int, ...]:
    """The labels as numbers from 0, in order of first occurrence."""
    numbers: dict[Any, int] = {}
    return tuple(numbers.setdefault(label, len(numbers)) for label in labels)


def _word_item(clustering: Clustering, index: int) -> dict[str, Any]:
    """The scores of one word and, except for baselines, its labels."""
    score = clustering.scores[index]
    labels = {} if clustering.method.role == "baseline" else {"labels": list(clustering.labels[index])}
    return {"F": 100 * score.f_score, "V": 100 * score.v_measure, "clusters": score.n_clusters, **labels}

"""Obvious slow versions of the scores of word sense induction."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence

Labels = Sequence[Hashable]


def paired_f_score(senses: Labels, clusters: Labels) -> float:
    gold, found = pairs(senses), pairs(clusters)
    return 2 * len(gold & found) / (len(gold) + len(found))


def pairs(labels: Labels) -> set[tuple[int, int]]:
    """Pairs of instances with the same label, and with itself one that has none to pair with."""
    together = {(i, j) for j in range(len(labels)) for i in range(j) if labels[i] == labels[j]}
    paired = {instance for pair in together for instance in pair}
    return together | {(i, i) for i in range(len(labels)) if i not in paired}


def v_measure(senses: Labels, clusters: Labels) -> float:
    homogeneity = 1 - conditional_entropy(senses, clusters) / entropy(senses) if entropy(senses) else 1.0
    completeness = 1 - conditional_entropy(clusters, senses) / entropy(clusters) if entropy(clusters) else 1.0
    total = homogeneity + completeness
    return 2 * homogeneity * completeness / total if total else 0.0


def entropy(labels: Labels) -> float:
    return -sum(n / len(labels) * math.log(n / len(labels)) for n in Counter(labels).values())


def conditional_entropy(labels: Labels, given: Labels) -> float:
    return entropy(list(zip(labels, given, strict=True))) - entropy(given)

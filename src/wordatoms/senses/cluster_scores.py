"""How well clusters agree with known classes: V-measure and the paired F-score, as SemEval-2010 task 14 has them.

F counts pairs of instances that are in one cluster, and there an instance that is alone in its cluster makes a pair
with itself: so the official figures of the task come out to the last digit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def v_measure(senses: ArrayLike, clusters: ArrayLike) -> float:
    """The harmonic mean of homogeneity and completeness."""
    from sklearn.metrics import v_measure_score

    return float(v_measure_score(senses, clusters))


def paired_f_score(senses: ArrayLike, clusters: ArrayLike) -> float:
    """F over the pairs of instances in one cluster; an instance alone in its cluster makes a pair with itself."""
    from sklearn.metrics.cluster import pair_confusion_matrix

    (_, only_cluster), (only_sense, both) = (pair_confusion_matrix(senses, clusters) // 2).tolist()
    alone_sense, alone_cluster = _alone(senses), _alone(clusters)
    n_common = both + np.count_nonzero(alone_sense & alone_cluster)
    n_of_either = 2 * both + only_cluster + only_sense + np.count_nonzero(alone_sense) + np.count_nonzero(alone_cluster)
    return float(2 * n_common / n_of_either)


def _alone(labels: ArrayLike) -> NDArray[np.bool_]:
    """Which instances have a label that no other has."""
    _, numbers, counts = np.unique(np.asarray(labels), return_inverse=True, return_counts=True)
    alone: NDArray[np.bool_] = counts[numbers] == 1
    return alone

"""How well the words of a topic fit together: coherence and diversity of lists of words.

Coherence is the mean NPMI (normalised pointwise mutual information) of all pairs of a list, by how many documents
contain them: 1 if two words always occur together, 0 if they are independent, -1 if they never share a document.
Diversity is the share of different words among all words shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Lists = list[list[str]]


def coherences(lists: Lists, counts: csr_array, vocabulary: Sequence[str]) -> NDArray[np.float64]:
    """Return the mean NPMI of the pairs of each list, given counts of documents by words; NaN for a single word."""
    columns = (counts > 0).astype(np.int32).tocsc()
    numbers = {word: number for number, word in enumerate(vocabulary)}
    found = []
    for words in lists:
        own = columns[:, [numbers[word] for word in words]]
        together = (own.T @ own).toarray() / max(counts.shape[0], 1)
        pairs = [npmi(together, one, other) for one, other in combinations(range(len(words)), 2)]
        found.append(float(np.mean(pairs)) if pairs else float("nan"))
    return np.array(found)


def npmi(together: NDArray[np.float64], one: int, other: int) -> float:
    """Return the NPMI of two words, from the shares of documents with both."""
    both = together[one, other]
    if not both:
        return -1.0
    if both == 1:
        return 1.0
    return float(np.log(both / (together[one, one] * together[other, other])) / -np.log(both))


def diversity(lists: Lists) -> float:
    """Return the share of different words among all words shown."""
    shown = [word for words in lists for word in words]
    return len(set(shown)) / max(len(shown), 1)

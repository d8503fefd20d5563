"""How well the words of a topic fit together: coherence and diversity of lists of words.

Coherence is the mean NPMI (normalised pointwise mutual information) of all pairs of a list, by how many documents
contain them: 1 if two words always occur together, 0 if they are independent, -1 if they never share a document.
Diversity is the share of different words among all words shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

Lists = list[list[str]]
MOST_TOGETHER = 8192
"""Words whose pairs are counted at once."""


def coherences(lists: Lists, counts: csr_array, vocabulary: Sequence[str]) -> NDArray[np.float64]:
    """Return the mean NPMI of the pairs of each list, given counts of documents by words; NaN for a single word."""
    numbers = {word: number for number, word in enumerate(vocabulary)}
    columns = [np.array([numbers[word] for word in words], np.int64) for words in lists]
    found = []
    for together in pair_counts(csr_matrix(counts), columns):
        pairs = npmi(together, counts.shape[0])[np.triu_indices(len(together), 1)]
        found.append(float(pairs.mean()) if len(pairs) else float("nan"))
    return np.array(found)


def pair_counts(counts: csr_matrix, lists: Sequence[NDArray[np.int64]]) -> Iterator[NDArray[np.float64]]:
    """Yield for each list of columns how many rows have both of two columns; the diagonal has the rows with one."""
    is_in = counts.sign().astype(np.float32)
    for some in _batches(lists, counts.shape[1]):
        used = np.unique(np.concatenate([np.zeros(0, np.int64), *some]))
        own = is_in[:, used]
        together = (own.T @ own).toarray()
        for columns in some:
            places = np.searchsorted(used, columns)
            yield together[np.ix_(places, places)].astype(np.float64)


def _batches(lists: Sequence[NDArray[np.int64]], n_columns: int) -> Iterator[list[NDArray[np.int64]]]:
    """Yield lists with at most `MOST_TOGETHER` different columns together, or one list."""
    batch: list[NDArray[np.int64]] = []
    is_used, n_used = np.zeros(n_columns, bool), 0
    for columns in lists:
        n_new = int(np.count_nonzero(~is_used[columns]))
        if batch and n_used + n_new > MOST_TOGETHER:
            yield batch
            batch, n_used, n_new = [], 0, len(columns)
            is_used[:] = False
        is_used[columns] = True
        n_used += n_new
        batch.append(columns)
    if batch:
        yield batch


def npmi(together: NDArray[np.float64], n_rows: int, discount: float = 0.0) -> NDArray[np.float64]:
    """Return the NPMI of all pairs, given in how many of all rows they are together; `discount` in standard errors."""
    p_one = np.diag(together) / max(n_rows, 1)
    p_both = (together - discount * np.sqrt(together)) / max(n_rows, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.log(p_both / np.outer(p_one, p_one)) / -np.log(p_both)
    return np.where(p_both <= 0, -1.0, np.where(p_both >= 1, 1.0, np.maximum(values, -1.0)))


def diversity(lists: Lists) -> float:
    """Return the share of different words among all words shown."""
    shown = [word for words in lists for word in words]
    return len(set(shown)) / max(len(shown), 1)

"""How many atoms, and how many per word.

Section 5 of the paper: the number of atoms was estimated by running the sparse coding from different random starts; at
the right size a large fraction of the atoms of one run have a very close atom in the other. Too many atoms split what
belongs together, each run in its own way. The paper also lets the number of atoms of a word grow with its frequency.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.learning import KSVDRun, overlaps
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError

SIZES = (500, 1000, 1500, 2000, 3000, 4000)
"""To choose from where there are words enough."""
WORDS_PER_ATOM = 5
"""At least so many words for each atom."""
WORTH_ADDING = 0.5
"""More atoms are worth while as long as this share of them come back."""


def default_sizes(n_words: int) -> tuple[int, ...]:
    """Numbers of atoms to choose from; of few words, shares of them."""
    sizes = tuple(size for size in SIZES if size * WORDS_PER_ATOM <= n_words)
    if len(sizes) >= 3:
        return sizes
    shares = sorted({n_words // parts for parts in (80, 40, 25, 15, 10, WORDS_PER_ATOM)} - {0})
    return tuple(shares)


class OverlapPoint(NamedTuple):
    """What two runs of one size have in common."""

    n_atoms: int
    overlap: float
    """The share of atoms of one run with a match above 0.85 in the other, both ways."""
    n_common: float
    """That share as a number of atoms."""
    error: float
    """The mean relative error of the runs."""


def overlap_point(runs: Sequence[KSVDRun]) -> OverlapPoint:
    shares = [share for *_, share in overlaps([run.atoms for run in runs])]
    overlap, n_atoms = float(np.mean(shares)), len(runs[0].atoms)
    return OverlapPoint(n_atoms, overlap, overlap * n_atoms, float(np.mean([run.error for run in runs])))


def best_size(curve: Sequence[OverlapPoint]) -> int:
    """The size beyond which less than half of the atoms that are added come back in another run."""
    for smaller, larger in pairwise(curve):
        if larger.n_common - smaller.n_common < WORTH_ADDING * (larger.n_atoms - smaller.n_atoms):
            return smaller.n_atoms
    return curve[-1].n_atoms


def sparsity_by_count(embeddings: Embeddings, fewest: int, most: int) -> NDArray[np.int64]:
    """The number of atoms for each word, growing evenly with the logarithm of its count from `fewest` to `most`."""
    if embeddings.counts is None:
        raise InputError("the counts of these words are not known; pass one sparsity for all words.")
    if not 1 <= fewest <= most:
        raise InputError(f"the sparsity was to run from {fewest} to {most}; pass two numbers such as 3 and 7.")
    logs = np.log1p(embeddings.counts.astype(np.float64))
    spread = logs.max() - logs.min() or 1.0
    sparsity = np.rint(fewest + (most - fewest) * (logs - logs.min()) / spread)
    return np.asarray(sparsity, np.int64)

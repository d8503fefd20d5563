"""Table 1, and what A does (Section 2): the centres of a word's contexts mean something only after the map.

The SIF vectors of random windows around a word are grouped into k clusters by k-means. The paper finds that the words
nearest to a centre are mostly frequent words, and that the words nearest to A times the centre belong to a sense. Two
shares quantify this: how many of these neighbours are among the most frequent words, before and after A. The paper
explains it by the directions that A shrinks: the last right singular vectors of A should be close to words such as
*with*, *as* and *the*; they are listed with the spectrum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.windows import sample_windows
from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Tokenizer

PAPER = {
    "access": {
        "center 1": {"before": "and provide providing a", "after": "providing provide opportunities provision"},
        "center 2": {"before": "and a to the", "after": "access accessible allowing provide"},
    },
    "last_singular_vector": "with as the",
}
N_FREQUENT = 100
"""Number of words at the top of the vocabulary that count as frequent."""


@dataclass(frozen=True)
class Center:
    """One group of contexts, and the words near its centre."""

    n_windows: int
    before: tuple[Neighbour, ...]
    after: tuple[Neighbour, ...]


@dataclass(frozen=True)
class Direction:
    """A right singular vector of A and the words near it, on the side where contexts lie."""

    direction: int
    """Its rank by decreasing singular value, from 1."""
    singular_value: float
    common: float
    """Its cosine with the common direction of contexts."""
    nearest: tuple[Neighbour, ...]


@dataclass(frozen=True)
class CentersResult(TaskResult):
    word: str
    centers: tuple[Center, ...]
    """In decreasing order of their number of windows."""
    last_directions: tuple[Direction, ...]
    """The directions that A shrinks most, the last first."""
    spectrum: tuple[float, ...]
    """All singular values of A, in decreasing order."""
    frequent: frozenset[str]

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "center": number,
                "windows": center.n_windows,
                "before": _joined(center.before),
                "after": _joined(center.after),
            }
            for number, center in enumerate(self.centers, 1)
        ]

    def more_rows(self) -> list[dict[str, Any]]:
        return [{**asdict(each), "nearest": _joined(each.nearest)} for each in self.last_directions]

    @property
    def frequent_before(self) -> float:
        return self._frequent([center.before for center in self.centers])

    @property
    def frequent_after(self) -> float:
        return self._frequent([center.after for center in self.centers])

    def _frequent(self, neighbours: Sequence[tuple[Neighbour, ...]]) -> float:
        """The share of frequent words among neighbours."""
        words = [near.word for group in neighbours for near in group]
        return sum(word in self.frequent for word in words) / len(words)

    @property
    def verdict(self) -> str:
        agrees = "agrees" if self.frequent_after < self.frequent_before else "does not agree"
        return (
            f"The paper finds frequent words near the centres and a sense after A; here {self.frequent_before:.0%} of "
            f"the words near the centres are among the {len(self.frequent)} most frequent, {self.frequent_after:.0%} "
            f"after A: this {agrees}."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": {"word": self.word, "frequent_after": self.frequent_after, "centers": self.rows()},
            "baselines": {"frequent_before": self.frequent_before},
            "paper": PAPER,
            "verdict": self.verdict,
            "items": [
                {"center": number, "windows": center.n_windows, **_neighbours(center)}
                for number, center in enumerate(self.centers, 1)
            ],
            "last_directions": self.more_rows(),
            "spectrum": list(self.spectrum),
        }


def _joined(neighbours: Sequence[Neighbour]) -> str:
    return " ".join(near.word for near in neighbours)


def _neighbours(center: Center) -> dict[str, Any]:
    return {
        "before": [near._asdict() for near in center.before],
        "after": [near._asdict() for near in center.after],
    }


def evaluate_centers(
    embeddings: Embeddings,
    learned: InducedMap,
    corpus: Corpus,
    *,
    word: str = "access",
    n_windows: int = 1000,
    n_centers: int = 5,
    n_nearest: int = 4,
    n_directions: int = 5,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    **reading: Any,
) -> CentersResult:
    """Cluster the contexts of a word, and list the words near the centres before and after A."""
    if word not in embeddings:
        raise UnknownWordError(word, embeddings.words)
    reading |= {"window": learned.window, "tokenizer": tokenizer, "random_state": random_state}
    target = int(embeddings.find_rows([word])[0])
    windows = sample_windows(corpus, embeddings.words, n_windows=n_windows, target=target, **reading)
    if len(windows) < n_centers:
        raise InputError(
            f"'{word}' has {len(windows)} different contexts in the text, too few for {n_centers} centers; "
            "pass more text, another word, or fewer centers."
        )
    vectors = learned.sif(embeddings).window_vectors(windows, include_target=learned.include_target).vectors
    spectrum, directions = last_directions(learned, embeddings, n_directions, n_nearest)
    found = [
        Center(size, *_before_and_after(center, embeddings, learned, n_nearest))
        for size, center in _centers(vectors, n_centers, random_state)
    ]
    return CentersResult(word, tuple(found), directions, spectrum, frozenset(_most_frequent(embeddings)))


def _centers(vectors: NDArray[np.float32], n_centers: int, random_state: int) -> list[tuple[int, NDArray[np.float64]]]:
    """The sizes and centres of groups by k-means, the largest first."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        groups = KMeans(n_centers, n_init=10, random_state=random_state).fit(vectors.astype(np.float64))
    sizes = np.bincount(groups.labels_, minlength=n_centers)
    return [(int(sizes[k]), groups.cluster_centers_[k]) for k in np.argsort(-sizes, kind="stable")]


def _before_and_after(
    center: NDArray[np.float64], embeddings: Embeddings, learned: InducedMap, n: int
) -> tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]:
    return tuple(embeddings.nearest(center, n)), tuple(embeddings.nearest(learned.apply(center), n))


def last_directions(
    learned: InducedMap, embeddings: Embeddings, n_directions: int, n_nearest: int
) -> tuple[tuple[float, ...], tuple[Direction, ...]]:
    """The spectrum of A, and the words near the right singular vectors that it shrinks most."""
    _, values, right = np.linalg.svd(learned.matrix.astype(np.float64))
    right *= np.where(right @ learned.common_direction < 0, -1, 1)[:, None]  # the sign of a singular vector is chance
    found = tuple(
        Direction(
            int(k) + 1,
            float(values[k]),
            float(right[k] @ learned.common_direction),
            tuple(embeddings.nearest(right[k], n_nearest)),
        )
        for k in np.arange(len(values))[: -n_directions - 1 : -1]
    )
    return tuple(map(float, values)), found


def _most_frequent(embeddings: Embeddings) -> tuple[str, ...]:
    """Ranked by count; without counts, words are assumed to be in order of decreasing count."""
    n = min(N_FREQUENT, max(len(embeddings) // 5, 1))
    if embeddings.counts is None:
        return embeddings.words[:n]
    return tuple(embeddings.words[row] for row in np.argsort(-embeddings.counts, kind="stable")[:n])

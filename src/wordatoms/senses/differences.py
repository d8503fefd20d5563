"""How differently two models use each of their common words, and which differences are more than noise.

Not in the paper. Two models have different spaces, so the second is turned onto the first: the orthogonal matrix that
brings the vectors of the common words, each of length 1, as close together as possible (orthogonal Procrustes). The
difference of a word is 1 minus the cosine of its two vectors after that. This was chosen over profiles of cosines with
anchor words because it has nothing to choose: no list of anchors, no number of them, no language to know.

Two models of the same kind of text differ too, rare words most. A third model, of other text of the same kind or with
another seed, measures this floor: a word stands out if its difference is above that of most words of its frequency
between the first model and the third, and above its own.

Left out: words that only one model has, and what is behind a difference; `wordatoms.senses.comparison` compares the
senses of one word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.errors import InputError
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.comparison import compare_senses
from wordatoms.senses.frames import Framed, Results, Row, cell
from wordatoms.senses.model import Method, SenseModel

MIN_COUNT = 100
"""Vectors of rarer words are mostly noise."""
QUANTILE = 0.95
WORDS_PER_DIMENSION = 2
"""With fewer common words, a turn exists that makes most differences vanish."""
MOST_BANDS = 20
"""Bands of frequency of the floor."""
LEAST_IN_BAND = 100
"""Words of the floor in a band: a 95th percentile of fewer is a matter of chance."""


@dataclass(frozen=True, repr=False)
class WordDifference(Framed):
    """A word in two models; see `compare_models`.

    Attributes
    ----------
    word : str
    rank : int
        From 1.
    difference : float
        1 minus the cosine of the two vectors, from 0 to 2.
    floor : float or None
        The difference of the word between the first model and the one for the floor; None without a floor, or if that
        model lacks the word.
    limit : float or None
        What the difference must exceed to stand out; None without a floor.
    stands_out : bool or None
        None without a floor.
    counts : tuple of int or None
        Occurrences in the text of each model; None if the model does not know them.
    nearest : tuple of tuple of Neighbour
        The nearest words in each model.
    only : tuple of tuple of str
        In each model, the labels of the senses without a counterpart in the other.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> word = wa.compare_models(model, model, n=1)[0]
    >>> word.rank, word.stands_out, word.only
    (1, None, ((), ()))
    """

    word: str
    rank: int
    difference: float
    floor: float | None
    limit: float | None
    stands_out: bool | None
    counts: tuple[int | None, int | None]
    nearest: tuple[tuple[Neighbour, ...], tuple[Neighbour, ...]]
    only: tuple[tuple[str, ...], tuple[str, ...]]

    def _table_rows(self) -> list[Row]:
        """Return one row, with a column for each model."""
        single = ("rank", "word", "difference", "floor", "limit", "stands_out")
        sides: dict[str, Sequence[object]] = {"count": self.counts, "nearest": self.nearest}
        return [
            {
                **{name: getattr(self, name) for name in single},
                **{f"{name}{k + 1}": cell(values[k]) for name, values in sides.items() for k in (0, 1)},
                **{f"only{k + 1}": "; ".join(self.only[k]) for k in (0, 1)},  # labels hold spaces
            }
        ]


class ModelComparison(Results[WordDifference]):
    """The words that differ most between two models; a list, which can be made a table.

    Parameters
    ----------
    words : iterable of WordDifference
        The largest differences.
    n_compared : int
        Number of words compared.
    n_standing_out : int or None, optional
        How many of them stand out; None without a floor.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> found = wa.compare_models(model, model, floor=model, n=3)
    >>> len(found), found.n_standing_out
    (3, 0)
    """

    def __init__(
        self, words: Iterable[WordDifference] = (), *, n_compared: int = 0, n_standing_out: int | None = None
    ) -> None:
        super().__init__(words)
        self.n_compared, self.n_standing_out = n_compared, n_standing_out


def compare_models(
    first: SenseModel,
    second: SenseModel,
    floor: SenseModel | None = None,
    *,
    n: int = 50,
    min_count: int = MIN_COUNT,
    quantile: float = QUANTILE,
    method: Method = "auto",
    n_nearest: int = 10,
) -> ModelComparison:
    """Find the words that two models use most differently.

    Parameters
    ----------
    first, second : SenseModel
        Models of the same language, best trained with the same settings on equally long texts.
    floor : SenseModel, optional
        A model whose words do not differ in use from those of `first`: of other text of the same kind, or of the same
        text with another seed. It needs no atoms.
    n : int, default 50
        Number of words to return.
    min_count : int, default 100
        Leave out words that are rarer than this in one of the texts.
    quantile : float, default 0.95
        A word stands out if its difference is above this quantile of the differences between `first` and `floor` of
        words of similar frequency, and above its own.
    method : {"auto", "uses", "code"}, default "auto"
        Senses by use or the paper's senses; see `compare_senses`.
    n_nearest : int, default 10
        Number of nearest words in each model.

    Returns
    -------
    ModelComparison
        Largest difference first; with a floor, those that exceed their limit most.

    Raises
    ------
    InputError
        If the languages differ, or the models have too few words in common.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.load()
    >>> found = wa.compare_models(model, model, n=1)
    >>> round(found[0].difference, 3)
    0.0
    """
    if n < 1 or n_nearest < 1 or min_count < 0:
        raise InputError(f"n is {n}, n_nearest {n_nearest} and min_count {min_count}; pass 1, 1 and 0 or more.")
    if not 0 < quantile < 1:
        raise InputError(f"quantile is {quantile}; pass a number between 0 and 1.")
    found = _differences(first, second, min_count)
    limits = None if floor is None else _limits(found, _differences(first, floor, min_count), quantile)
    excess = found.values if limits is None else found.values - limits.values
    # differences of the last bits are no differences, and keep the order of the first model
    best = np.argsort(-excess.round(9), kind="stable")[:n].tolist()
    words = [found.words[row] for row in best]
    counts1, counts2 = (_counts(model.embeddings, words) for model in (first, second))
    near1, near2 = (_nearest(model.embeddings, words, n_nearest) for model in (first, second))
    return ModelComparison(
        (
            WordDifference(
                word,
                place + 1,
                float(found.values[row]),
                None if limits is None else limits.own.get(word),
                None if limits is None else float(limits.values[row]),
                None if limits is None else bool(excess[row] > 0),
                (counts1[place], counts2[place]),
                (near1[place], near2[place]),
                _unpaired(first, second, word, method),
            )
            for place, (row, word) in enumerate(zip(best, words, strict=True))
        ),
        n_compared=len(found.words),
        n_standing_out=None if limits is None else int((excess > 0).sum()),
    )


def _counts(embeddings: Embeddings, words: Sequence[str]) -> list[int | None]:
    if embeddings.counts is None:
        return [None] * len(words)
    return [*embeddings.counts[embeddings.find_rows(words)].tolist()]


def _nearest(embeddings: Embeddings, words: Sequence[str], n: int) -> list[tuple[Neighbour, ...]]:
    with one_blas_thread():
        return [tuple(near) for near in embeddings.nearest_batch(words, n)]


def _unpaired(
    first: SenseModel, second: SenseModel, word: str, method: Method
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels of the senses that only one of the models has."""
    found = compare_senses(first, second, word, method=method)
    labels1, labels2 = ({sense.key: sense.label for sense in senses} for senses in found.senses)
    return (
        tuple(labels1[pair.first] for pair in found.pairs if pair.first is not None and pair.second is None),
        tuple(labels2[pair.second] for pair in found.pairs if pair.second is not None and pair.first is None),
    )


# --- the measure


class _Differences(NamedTuple):
    """The differences of the common words of two models, in the order of the first."""

    words: list[str]
    values: NDArray[np.float64]
    counts: NDArray[np.int64]
    """The smaller count of each word in the two texts, which has the larger part in the noise."""


def _differences(first: SenseModel, second: SenseModel, min_count: int) -> _Differences:
    if first.language != second.language:
        raise InputError(
            f"{first.path} is a model of the language '{first.language}' and {second.path} of '{second.language}'; "
            "pass models of the same language."
        )
    spaces = (first.embeddings, second.embeddings)
    for model, space in zip((first, second), spaces, strict=True):
        if space.counts is None and min_count > 0:
            raise InputError(f"{model.path} does not know how frequent its words are; pass a minimum count of 0.")
    words = [word for word in spaces[0] if word in spaces[1]]
    rows1, rows2 = (space.find_rows(words) for space in spaces)
    none = np.zeros(max(map(len, spaces)), np.int64)
    counts1, counts2 = (none if space.counts is None else space.counts for space in spaces)
    counts = np.minimum(counts1[rows1], counts2[rows2])
    known = spaces[0].vectors[rows1].any(axis=1) & spaces[1].vectors[rows2].any(axis=1)
    kept = np.flatnonzero((counts >= min_count) & known)
    n_dims = max(space.dim for space in spaces)
    if len(kept) < WORDS_PER_DIMENSION * n_dims:
        raise InputError(
            f"{first.path} and {second.path} have {len(kept):,} words in common that occur {min_count:,} times or more "
            f"in both, and vectors of {n_dims} dimensions need {WORDS_PER_DIMENSION * n_dims:,} of them; "
            "pass a smaller --min-count (in Python min_count), or models with fewer dimensions or more text."
        )
    vectors1, vectors2 = (
        _widened(space.unit_vectors[rows[kept]], n_dims) for space, rows in zip(spaces, (rows1, rows2), strict=True)
    )
    values = turned_differences(vectors1, vectors2)
    return _Differences([words[row] for row in kept.tolist()], values, counts[kept])


def _widened(vectors: NDArray[np.float32], n_dims: int) -> NDArray[np.float32]:
    """Return vectors with zeros in new dimensions, so that spaces of different size can be turned onto each other."""
    return np.pad(vectors, ((0, 0), (0, n_dims - vectors.shape[1])))


def turned_differences(vectors1: NDArray[np.float32], vectors2: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return 1 minus the cosine of rows of length 1, (n, dim), after the best turn of the second onto the first."""
    with one_blas_thread():
        left, _, right = np.linalg.svd((vectors2.T @ vectors1).astype(np.float64))
        turned = vectors2 @ (left @ right).astype(np.float32)
    cosines: NDArray[np.float64] = np.einsum("ij,ij->i", vectors1, turned, dtype=np.float64)
    return np.asarray(1 - cosines.clip(-1, 1), np.float64)


# --- the floor


class _Limits(NamedTuple):
    values: NDArray[np.float64]
    """For each word, what its difference must exceed."""
    own: dict[str, float]
    """The difference of each word of the floor."""


def _limits(found: _Differences, floor: _Differences, quantile: float) -> _Limits:
    """Return the quantile of the floor for words of each frequency, or the floor of the word itself if higher."""
    own = dict(zip(floor.words, floor.values.tolist(), strict=True))
    of_band = band_quantiles(found.counts, floor.counts, floor.values, quantile)
    return _Limits(np.maximum(of_band, [own.get(word, 0.0) for word in found.words]), own)


def band_quantiles(
    counts: NDArray[np.int64], floor_counts: NDArray[np.int64], floor: NDArray[np.float64], quantile: float
) -> NDArray[np.float64]:
    """Return for each count the quantile of the floor in its band of frequency.

    The words of the floor are cut by their counts into up to 20 bands of equal size; words of one count are never cut
    apart.
    """
    n_bands = min(MOST_BANDS, max(1, len(floor) // LEAST_IN_BAND))
    ordered = np.sort(floor_counts)
    edges = np.unique(ordered[len(ordered) * np.arange(1, n_bands) // n_bands])
    edges = edges[edges > ordered[0]]  # nothing is below the first count
    bands = np.searchsorted(edges, floor_counts, side="right")
    limits = np.array([np.quantile(floor[bands == band], quantile) for band in range(len(edges) + 1)])
    return np.asarray(limits[np.searchsorted(edges, counts, side="right")], np.float64)

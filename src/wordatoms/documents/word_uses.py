"""Which words the groups of a collection use differently, in the space of one model.

Not in the paper. The vector of a word in some documents is the map A of Theorem 1 applied to the mean SIF vector of its
contexts there, as for a new word (Section 3.1 of the paper, and "à la carte" embeddings). All groups are so in one
space, with the same atoms, and hundreds of documents are enough; two models of two texts (`compare_models`) need
millions of words each. The difference of a word is 1 minus the cosine of its vectors in a group and in all others.

Every word differs between two samples of documents, rare words most. The floor is what random groups of the same
sizes do: the groups are dealt out to the documents anew several times, whole documents at a time. A word stands out if
its difference is above the quantile of the floor for words of its frequency, and above its own mean floor.

Left out: words that a group does not use, and what is behind a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from wordatoms.documents.groups import HIGHEST_SEED
from wordatoms.documents.periods import Period, is_missing
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, require_number, require_several, require_texts
from wordatoms.parallel import one_blas_thread
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.differences import QUANTILE, band_quantiles
from wordatoms.senses.frames import Results
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import Document, Rows, WindowAtoms

MIN_USES = 20
"""Fewer contexts of a word in a group, or in the others, make a vector that is mostly noise."""
N_SHUFFLES = 5
N_NEAREST, N_ATOMS = 10, 3
MOST_GROUPS = 20
BLOCK_WORDS = 1 << 15
"""Running words whose contexts are added at once."""

Floats = NDArray[np.float32]


class UseDifference(NamedTuple):
    """How differently a group and all others use a word."""

    rank: int
    word: str
    group: str
    difference: float
    """1 minus the cosine of the two vectors."""
    limit: float
    """What the difference must exceed to stand out."""
    stands_out: bool
    uses: int
    """Occurrences in the group."""
    other_uses: int
    nearest: tuple[Neighbour, ...]
    """The words nearest to its contexts in the group."""
    other_nearest: tuple[Neighbour, ...]
    more: tuple[str, ...]
    """The atoms that its contexts in the group are nearer to than those in the others."""
    less: tuple[str, ...]


class UseComparison(Results[UseDifference]):
    """The words that groups use most differently; a list, which can be made a table.

    Parameters
    ----------
    words : iterable of UseDifference
        Those that exceed their limit most come first.
    groups : tuple of str
        The groups that were compared with all others.
    n_compared : int
        Number of comparisons, of a word in a group.
    n_standing_out : int
        How many of them stand out.
    n_by_chance : float
        How many would if the groups were random: measured on them, each with the others as its floor.

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["They won the match by two goals.", "He lit the match and the candle."] * 40
    >>> found = wa.compare_uses(wa.load(), texts, groups=["sport", "fire"] * 40)
    >>> found[0].word, found.groups
    ('match', ('fire', 'sport'))
    """

    def __init__(
        self,
        words: Iterable[UseDifference] = (),
        *,
        groups: tuple[str, ...] = (),
        n_compared: int = 0,
        n_standing_out: int = 0,
        n_by_chance: float = 0.0,
    ) -> None:
        super().__init__(words)
        self.groups, self.n_compared = groups, n_compared
        self.n_standing_out, self.n_by_chance = n_standing_out, n_by_chance


def compare_uses(
    model: SenseModel,
    documents: Iterable[Document],
    *,
    groups: Iterable[Any],
    n: int = 50,
    min_uses: int = MIN_USES,
    quantile: float = QUANTILE,
    n_shuffles: int = N_SHUFFLES,
    n_nearest: int = N_NEAREST,
    seed: int = 0,
    run: Run = DEFAULT_RUN,
) -> UseComparison:
    """Find the words that a group of documents uses most differently from all other groups.

    Parameters
    ----------
    model : SenseModel
        If it has no stage `map`, mean SIF vectors are compared as they are.
    documents : iterable of str or (str, str)
        Texts, or pairs of a name and a text.
    groups : iterable
        The group of each document: parties, sources, decades. Documents with a missing one are left out. Read after the
        documents.
    n : int, default 50
        Number of words to return.
    min_uses : int, default 20
        Leave out words that a group, or all others together, use less often.
    quantile : float, default 0.95
        Of the floor, above which a difference stands out.
    n_shuffles : int, default 5
        How often the groups are dealt out at random to measure the floor.
    n_nearest : int, default 10
        Number of nearest words.
    seed : int, default 0
        Random seed of the floor.
    run : Run, optional
        Progress.

    Returns
    -------
    UseComparison
        Of two groups, a row of the first against the second; of more, of each against all others.

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["They won the match by two goals.", "He lit the match and the candle."] * 40
    >>> [found.word for found in wa.compare_uses(wa.load(), texts, groups=["sport", "fire"] * 40)][:1]
    ['match']
    """
    _check_numbers(n, min_uses, quantile, n_shuffles, n_nearest, seed)
    windows = WindowAtoms.of_model(model, None, None, remove_common=True, scale=None)
    texts = list(_known_rows(windows, require_texts(documents, "the documents"), run))
    names, labels = _number(groups, len(texts))
    contrasts = names[:1] if len(names) == 2 else names
    uses = _count(texts, labels, len(windows.sif.embeddings), len(names))
    total = uses.sum(axis=0)
    kept = [np.flatnonzero((own >= min_uses) & (total - own >= min_uses)) for own in uses[: len(contrasts)]]
    words = np.unique(np.concatenate(kept))
    if not len(words):
        raise InputError(
            f"no word occurs {min_uses:,} times in a group and in the others; pass a smaller min_uses (--min-count) or "
            "more documents."
        )
    contexts = _Contexts(windows, texts, words)
    sides = contexts.sides(labels, contrasts, min_uses)
    rng, floors = np.random.default_rng(seed), []
    with run.progress.item_bar("floor", n_items=n_shuffles) as step:
        for _ in range(n_shuffles):
            dealt = labels.copy()
            dealt[labels >= 0] = rng.permutation(labels[labels >= 0])
            floors.append(_joined(contexts.sides(dealt, contrasts, min_uses)))
            step()
    found = _joined(sides)
    limits = _limits(found, floors, quantile)
    best = np.argsort(-(found.differences - limits).round(9), kind="stable")[:n]
    shown = _Shown(model, windows, names, sides, n_nearest)
    rows = [shown.row(rank, found, place, float(limits[place])) for rank, place in enumerate(best.tolist(), 1)]
    return UseComparison(
        rows,
        groups=tuple(names[group] for group in range(len(contrasts))),
        n_compared=len(limits),
        n_standing_out=int((found.differences > limits).sum()),
        n_by_chance=_by_chance(floors, quantile) * len(limits),
    )


def _check_numbers(n: int, min_uses: int, quantile: float, n_shuffles: int, n_nearest: int, seed: int) -> None:
    whole = {"n": n, "min_uses": min_uses, "n_nearest": n_nearest}
    for name, value in whole.items():
        require_number(value, name, 1, 1_000_000_000, whole=True)
    require_number(n_shuffles, "n_shuffles", 2, 1000, whole=True)
    require_number(quantile, "quantile", 0.5, 0.9999)
    require_number(seed, "seed", 0, HIGHEST_SEED, whole=True)


def _known_rows(windows: WindowAtoms, documents: Iterable[Document], run: Run) -> Iterator[Rows]:
    lexicon = windows.lexicon.for_reading()
    with run.progress.text_bar("documents", n_bytes=None) as report:
        for document in documents:
            text = document if isinstance(document, str) else document[1]
            rows = windows.known_rows(text, lexicon)
            report(len(text), len(rows))
            yield rows


def _number(groups: Iterable[Any], n: int) -> tuple[list[str], NDArray[np.int64]]:
    """Return the names of the groups, periods in their order, and the place of each document's; -1 for none."""
    require_several(groups, "groups", "one value per document")
    listed = list(groups)
    if len(listed) != n:
        raise InputError(f"there are {len(listed):,} groups for {n:,} documents; pass one for each.")
    known = [None if is_missing(each) else each if isinstance(each, Period) else str(each).strip() for each in listed]
    ordered = sorted({each for each in known if each is not None})
    if not 2 <= len(ordered) <= MOST_GROUPS:
        raise InputError(f"there are {len(ordered):,} groups; pass something with 2 to {MOST_GROUPS} values.")
    places = {each: place for place, each in enumerate(ordered)}
    names = [each.name if isinstance(each, Period) else each for each in ordered]
    return names, np.array([-1 if each is None else places[each] for each in known], np.int64)


def _count(texts: Sequence[Rows], labels: NDArray[np.int64], n_words: int, n_groups: int) -> NDArray[np.int64]:
    """Return how often each group uses each word, (n_groups, n_words)."""
    found = np.zeros((n_groups, n_words), np.int64)
    for group in range(n_groups):
        own = [text for text, label in zip(texts, labels.tolist(), strict=True) if label == group]
        if own:
            found[group] = np.bincount(np.concatenate(own), minlength=n_words)
    return found


# --- vectors


class _Side(NamedTuple):
    """The words that a group and the others use often enough, with their vectors in both, all of length 1."""

    group: int
    words: NDArray[np.int64]
    uses: NDArray[np.int64]
    other_uses: NDArray[np.int64]
    own: Floats
    other: Floats


class _Compared(NamedTuple):
    """Comparisons of all groups, end to end."""

    groups: NDArray[np.int64]
    places: NDArray[np.int64]
    """Of the words among those of the group."""
    words: NDArray[np.int64]
    counts: NDArray[np.int64]
    """The smaller number of uses, which has the larger part in the noise."""
    differences: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Contexts:
    """Sums of the contexts of some words over documents."""

    windows: WindowAtoms
    texts: Sequence[Rows]
    words: NDArray[np.int64]

    def sides(self, labels: NDArray[np.int64], contrasts: Sequence[str], min_uses: int) -> list[_Side]:
        """Return the vectors of the words in each of the first groups and in all others."""
        n_groups = int(labels.max()) + 1
        sums, uses = self._sums(labels, n_groups)
        total, n_total = sums.sum(axis=0), uses.sum(axis=0)
        found = []
        for group in range(len(contrasts)):
            other_uses = n_total - uses[group]
            kept = np.flatnonzero((uses[group] >= min_uses) & (other_uses >= min_uses))
            own, other = sums[group, kept], (total - sums[group])[kept]
            vectors = (
                self._to_unit(own / uses[group, kept, None]),
                self._to_unit(other / other_uses[kept, None]),
            )
            found.append(_Side(group, self.words[kept], uses[group, kept], other_uses[kept], *vectors))
        return found

    def _sums(self, labels: NDArray[np.int64], n_groups: int) -> tuple[Floats, NDArray[np.int64]]:
        """Return the sums of the contexts of each word in each group, and how many there are."""
        sif = self.windows.sif
        place_of = np.full(len(sif.embeddings), -1, np.int64)
        place_of[self.words] = np.arange(len(self.words))
        shape = (n_groups * len(self.words), sif.embeddings.dim)
        sums, uses = np.zeros(shape, np.float32), np.zeros(shape[0], np.int64)
        with one_blas_thread():
            for rows, groups, means, has_context in self._blocks(labels):
                used = np.flatnonzero((place_of[rows] >= 0) & has_context)
                cells, own = np.unique(groups[used] * len(self.words) + place_of[rows[used]], return_inverse=True)
                ones = np.ones(len(used), np.float32)
                sums[cells] += csr_matrix((ones, (own, used)), shape=(len(cells), len(rows))) @ means
                uses[cells] += np.bincount(own, minlength=len(cells))
        return sums.reshape(n_groups, len(self.words), -1), uses.reshape(n_groups, -1)

    def _blocks(self, labels: NDArray[np.int64]) -> Iterator[tuple[Rows, NDArray[np.int64], Floats, NDArray[np.bool_]]]:
        """Yield the words of documents, their groups, the mean of each one's context, and whether it has any."""
        held: list[Rows] = []
        groups: list[int] = []
        n_held = 0
        for text, label in zip(self.texts, labels.tolist(), strict=True):
            if label < 0 or not len(text):
                continue
            for first in range(0, len(text), BLOCK_WORDS):  # a long document loses a few contexts at its cuts
                held.append(text[first : first + BLOCK_WORDS])
                groups.append(label)
                n_held += len(held[-1])
            if n_held >= BLOCK_WORDS:
                yield self._block(held, groups)
                held, groups, n_held = [], [], 0
        if held:
            yield self._block(held, groups)

    def _block(
        self, held: Sequence[Rows], groups: Sequence[int]
    ) -> tuple[Rows, NDArray[np.int64], Floats, NDArray[np.bool_]]:
        sif, window = self.windows.sif, self.windows.window
        rows, sizes = np.concatenate(held), np.array([len(each) for each in held])
        ends = np.repeat(np.cumsum(sizes), sizes)
        begins = ends - np.repeat(sizes, sizes)
        weighted = sif.weights[rows][:, None] * sif.embeddings.vectors[rows]
        sums = np.zeros((len(rows) + 1, weighted.shape[1]))
        np.cumsum(weighted, axis=0, dtype=np.float64, out=sums[1:])
        places = np.arange(len(rows))
        first, last = np.maximum(begins, places - window), np.minimum(ends, places + window + 1)
        n_around = last - first - 1
        means = (sums[last] - sums[first] - weighted) / np.maximum(n_around, 1)[:, None]
        return rows, np.repeat(np.array(groups), sizes), means.astype(np.float32), n_around > 0

    def _to_unit(self, vectors: NDArray[Any]) -> Floats:
        mapped = self.windows.to_atoms(vectors.astype(np.float32))
        return np.asarray(mapped / np.maximum(np.linalg.norm(mapped, axis=1, keepdims=True), 1e-12), np.float32)


def _joined(sides: Sequence[_Side]) -> _Compared:
    return _Compared(
        np.concatenate([np.full(len(side.words), side.group) for side in sides]),
        np.concatenate([np.arange(len(side.words)) for side in sides]),
        np.concatenate([side.words for side in sides]),
        np.concatenate([np.minimum(side.uses, side.other_uses) for side in sides]),
        np.concatenate([1 - np.einsum("ij,ij->i", side.own, side.other, dtype=np.float64) for side in sides]),
    )


# --- the floor


def _limits(found: _Compared, floors: Sequence[_Compared], quantile: float) -> NDArray[np.float64]:
    """Return the quantile of the floor for words of the same frequency, or the word's own mean floor if higher."""
    counts, words, differences = (
        np.concatenate([getattr(floor, name) for floor in floors]) for name in ("counts", "words", "differences")
    )
    if not len(counts):
        return np.full(len(found.words), np.inf)
    n_words = int(max(words.max(), found.words.max())) + 1
    own = np.bincount(words, differences, n_words) / np.maximum(np.bincount(words, minlength=n_words), 1)
    return np.maximum(band_quantiles(found.counts, counts, differences, quantile), own[found.words])


def _by_chance(floors: Sequence[_Compared], quantile: float) -> float:
    """Return the share of comparisons of random groups that stand out above the floor of the others."""
    shares = []
    for number, floor in enumerate(floors):
        limits = _limits(floor, [*floors[:number], *floors[number + 1 :]], quantile)
        shares.append(float((floor.differences > limits).mean()) if len(limits) else 0.0)
    return float(np.mean(shares))


# --- rows


@dataclass(frozen=True, eq=False)
class _Shown:
    """Makes rows of comparisons."""

    model: SenseModel
    windows: WindowAtoms
    names: Sequence[str]
    sides: Sequence[_Side]
    n_nearest: int

    def row(self, rank: int, found: _Compared, place: int, limit: float) -> UseDifference:
        side, at = self.sides[int(found.groups[place])], int(found.places[place])
        word = self.model.words[int(found.words[place])]
        difference = float(found.differences[place])
        own, other = side.own[at], side.other[at]
        cosines = self.windows.atoms @ (own - other)
        order = np.argsort(-cosines, kind="stable")
        more, less = (tuple(self.windows.labels[self.windows.shown[k]] for k in some) for some in self._ends(order))
        return UseDifference(
            rank,
            word,
            self.names[side.group],
            difference,
            limit,
            difference > limit,
            int(side.uses[at]),
            int(side.other_uses[at]),
            self._nearest(own, word),
            self._nearest(other, word),
            more,
            less,
        )

    def _ends(self, order: NDArray[np.intp]) -> tuple[list[int], list[int]]:
        return order[:N_ATOMS].tolist(), order[::-1][:N_ATOMS].tolist()

    def _nearest(self, vector: Floats, word: str) -> tuple[Neighbour, ...]:
        with one_blas_thread():
            return tuple(self.model.embeddings.nearest(vector, self.n_nearest, exclude=[word]))

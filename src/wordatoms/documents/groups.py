"""Topics by group and over time: shares with intervals, differences between groups, trends.

The share of a topic in a group is the mean of its shares in the documents of the group, so a long document counts as
much as a short one. Documents without a known word have no shares and are left out.

- Intervals come from a bootstrap over documents: each resample gives every document a weight drawn from an exponential
  distribution (the Bayesian bootstrap), the same weights for all topics, groups and periods. The bounds are percentiles
  of the resampled shares. A topic that few documents have might as well have been in one more, which resampling does
  not know: upper bounds are those with one more document of the group that has the topic, with the mean share of all
  that have it. (For the share of documents that have something, this is the exact interval of Clopper and Pearson.)
  Differences have the one more document in the group for the upper bound and in the others for the lower one, trends at
  the last and at the first period. Where no document of a group has the topic, the upper bound is the largest share of
  documents that would be missed with this probability, 1 - (1 - confidence)^(1/n), times that mean share.
- Differences between a group and all others, and trends (the slope of a least squares line through the documents'
  shares over the numbers of their periods), are tested by `wordatoms.documents.permutation`: as if documents had
  exchanged their groups, or their periods within a group. q are the p of one table, adjusted for their number; what is
  below 1 - confidence stands out. Tables are sorted by the size of the effect.

Left out: paired and clustered designs (several documents by one author count as independent), and covariates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack, issparse

from wordatoms.documents.levels import TopicShares
from wordatoms.documents.periods import Period, find_periods, is_missing, number_periods
from wordatoms.documents.permutation import adjusted, permutation_p
from wordatoms.errors import InputError, require_number, require_several
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.frames import Results
from wordatoms.senses.topics import Topics
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame

N_RESAMPLES, MOST_RESAMPLES, CONFIDENCE = 1000, 10_000, 0.95
FEWEST = 5
"""A group with fewer documents has no interval, and a topic in fewer documents is not tested."""
MOST_GROUPS = 200
HIGHEST_SEED = (1 << 64) - 1
MOST_ROWS = 4_000_000
"""Of the table of shares."""
BLOCK_NUMBERS = 1 << 22
"""Weights held at once by each thread; the blocks are fixed, so that the number of threads changes nothing."""
KEPT_NUMBERS = 1 << 26
"""Weights that are drawn once and kept; more are drawn again for each comparison."""
OTHERS = "all others"

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


class GroupShare(NamedTuple):
    """Share of a topic in the documents of a group and a period."""

    topic: int
    name: str
    group: str | None
    """None for all documents."""
    period: str | None
    """None for all periods."""
    share: float
    low: float | None
    high: float | None
    with_topic: int
    """Documents in which the topic has a share."""
    documents: int
    words: int | None
    """Known words of these documents."""


class GroupDifference(NamedTuple):
    """Difference between a group and the others in the share of a topic."""

    topic: int
    name: str
    group: str
    other: str
    """The other group, or "all others" if there are several."""
    difference: float
    """Of the shares."""
    low: float | None
    high: float | None
    share: float
    other_share: float
    ratio: float | None
    """Of the shares; None if the other share is 0."""
    p: float | None
    q: float | None
    stands_out: bool


class Trend(NamedTuple):
    """Change of the share of a topic over time, by a straight line through the documents."""

    topic: int
    name: str
    group: str | None
    """None for all documents."""
    change: float
    """From the first to the last period, on the line."""
    low: float | None
    high: float | None
    first: float
    """The share in the first period, on the line."""
    last: float
    p: float | None
    q: float | None
    stands_out: bool


@dataclass(frozen=True, eq=False, repr=False)
class GroupComparison(Tabular):
    """Topics by group and over time.

    Parameters
    ----------
    shares : Results of GroupShare
        A row for each topic, group and period, and for all groups and all periods (None).
    differences : Results of GroupDifference
        Each group against the others, the largest difference first.
    trends : Results of Trend
        The change of each topic, overall and in each group, the largest first.
    groups : tuple of str
        The groups by name.
    periods : tuple of Period
        The periods in their order.
    n_documents : int
        Documents with shares.
    n_ungrouped, n_undated : int
        Documents left out of comparisons because they have no group, no date.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> shares = np.array([[0.9, 0.1], [0.8, 0.2]] * 10 + [[0.3, 0.7], [0.4, 0.6]] * 10)
    >>> found = wa.compare_groups(shares, groups=["a"] * 20 + ["b"] * 20, names=["sport", "music"])
    >>> [(each.name, round(each.difference, 2), each.stands_out) for each in found.differences]
    [('sport', 0.5, True), ('music', -0.5, True)]
    """

    shares: Results[GroupShare]
    differences: Results[GroupDifference]
    trends: Results[Trend]
    groups: tuple[str, ...]
    periods: tuple[Period, ...]
    n_documents: int
    n_ungrouped: int = 0
    n_undated: int = 0

    def __repr__(self) -> str:
        return (
            f"GroupComparison({self.n_documents:,} documents, {len(self.groups)} groups, {len(self.periods)} periods, "
            f"{sum(each.stands_out for each in self.differences):,} differences and "
            f"{sum(each.stands_out for each in self.trends):,} trends stand out)"
        )

    def to_frame(self) -> DataFrame:
        """Return the shares as a pandas table; `differences` and `trends` have tables of their own.

        Returns
        -------
        pandas.DataFrame
        """
        return self.shares.to_frame()


def compare_groups(
    shares: Any,
    *,
    groups: Iterable[Any] | None = None,
    times: Iterable[Any] | None = None,
    period: str = "month",
    time_format: str | None = None,
    names: Sequence[str] | None = None,
    n_words: Sequence[int] | None = None,
    confidence: float = CONFIDENCE,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
    run: Run = DEFAULT_RUN,
) -> GroupComparison:
    """Compare the shares of topics between groups of documents and over time.

    Parameters
    ----------
    shares : Topics, TopicShares, sparse matrix, array or DataFrame, (n_documents, n_topics)
        What each document is about, such as `document_topics` or `AtomTopics.transform` return. Rows of zeros are
        documents without a known word, and left out.
    groups : iterable, optional
        The group of each document. Documents with a missing one (None, NaN or "") count only overall.
    times : iterable, optional
        The date of each document: text such as 2024-03-05, or date objects. Missing ones count only overall.
    period : {"day", "week", "month", "quarter", "year", "decade"}, default "month"
        Length of a period.
    time_format : str, optional
        Format of the dates, as in `datetime.strptime`, if they are not written as 2024-03-05.
    names : sequence of str, optional
        Names of the topics; by default those that come with `shares`.
    n_words : sequence of int, optional
        Known words of each document; by default those that come with `shares`.
    confidence : float, default 0.95
        Of the intervals; q below 1 - `confidence` stand out.
    n_resamples : int, default 1000
        Resamples of the bootstrap.
    seed : int, default 0
        Random seed of the bootstrap.
    run : Run, optional
        Threads.

    Returns
    -------
    GroupComparison

    Examples
    --------
    >>> import wordatoms as wa
    >>> texts = ["The orchestra played a symphony.", "The striker scored a goal."] * 6
    >>> topics = wa.document_topics(wa.load(), texts)
    >>> found = wa.compare_groups(topics, groups=["concerts", "sports"] * 6)
    >>> found
    GroupComparison(12 documents, 2 groups, 0 periods, 2 differences and 0 trends stand out)
    >>> {each.group: each.share for each in found.shares if each.name == found.differences[0].name}
    {None: 0.5, 'concerts': 1.0, 'sports': 0.0}
    """
    table = _Table.of(shares, names, n_words)
    _check_numbers(confidence, n_resamples, seed)
    group_names, of_group = _number_groups(groups, table.n_given)
    dated = [None] * table.n_given if times is None else _listed(times, "times", table.n_given)
    periods, of_period = number_periods(find_periods(dated, period, form=time_format))
    has = table.has_shares
    of_group, of_period = of_group[has], of_period[has]
    plan = _Plan(n_resamples, confidence, seed, run, table.matrix.shape[0])
    everything = np.zeros(len(of_group), np.int64)
    cells = np.where((of_group >= 0) & (of_period >= 0), of_group * len(periods) + of_period, -1)
    n_groups, n_periods = len(group_names), len(periods)
    if (1 + n_groups) * (1 + n_periods) * table.n_topics > MOST_ROWS:
        raise InputError(
            f"{table.n_topics:,} topics, {n_groups:,} groups and {n_periods:,} periods are too many for a table; "
            "take a longer period, fewer groups or a coarser level of topics."
        )
    rows: Results[GroupShare] = Results()
    differences: list[tuple[GroupDifference, int]] = []
    trends: list[tuple[Trend, int]] = []
    rows += _share_rows(table, plan.shares(table, everything, 1), [(None, None)])
    if n_groups:
        found = plan.shares(table, of_group, n_groups, contrasts=n_groups > 1)
        rows += _share_rows(table, found, [(name, None) for name in group_names])
        differences = _differences(table, found, of_group, group_names)
    if n_periods:
        numbers = np.array([each.number for each in periods], np.float64)
        found = plan.shares(table, of_period, n_periods)
        rows += _share_rows(table, found, [(None, each.name) for each in periods])
        trends += _trends(table, plan, [None], [of_period], numbers)
    if n_groups and n_periods:
        found = plan.shares(table, cells, n_groups * n_periods)
        rows += _share_rows(table, found, [(name, each.name) for name in group_names for each in periods])
        inside = [np.where(of_group == place, of_period, -1) for place in range(n_groups)]
        trends += _trends(table, plan, [*group_names], inside, numbers)
    rows.sort(key=lambda row: table.order[row.topic])
    return GroupComparison(
        rows,
        Results(_judged(sorted(differences, key=lambda row: -abs(row[0].difference)), confidence)),
        Results(_judged(sorted(trends, key=lambda row: -abs(row[0].change)), confidence)),
        tuple(group_names),
        tuple(periods),
        int(has.sum()),
        int((of_group < 0).sum()) if n_groups else 0,
        int((of_period < 0).sum()) if n_periods else 0,
    )


# --- what was given


@dataclass(frozen=True, eq=False)
class _Table:
    """The documents that have shares, and the topics that occur in them."""

    matrix: csr_matrix
    ids: NDArray[np.int64]
    names: list[str]
    n_words: NDArray[np.int64] | None
    has_shares: NDArray[np.bool_]
    """Which of the documents given have shares."""
    order: dict[int, int]
    """The place of each topic, by its number, when the largest comes first."""

    @property
    def n_given(self) -> int:
        return len(self.has_shares)

    @cached_property
    def typical(self) -> Floats:
        """The mean share of each topic in the documents that have it."""
        n_with = np.diff(self.matrix.tocsc().indptr)
        return np.asarray(np.asarray(self.matrix.sum(axis=0)).ravel() / np.maximum(n_with, 1), np.float64)

    @property
    def n_topics(self) -> int:
        return len(self.names)

    @classmethod
    def of(cls, shares: Any, names: Sequence[str] | None, n_words: Sequence[int] | None) -> _Table:
        matrix, ids, own_names, own_words = _unpacked(shares)
        if names is not None:
            require_several(names, "names", "one name per topic")
        given = list(map(str, names)) if names is not None else own_names
        if len(given) != matrix.shape[1]:
            raise InputError(f"there are {len(given):,} names for {matrix.shape[1]:,} topics; pass one for each.")
        words = own_words if n_words is None else _whole_numbers(_listed(n_words, "n_words", matrix.shape[0]))
        if not np.isfinite(matrix.data).all() or (matrix.data < 0).any():
            raise InputError("some shares are negative or not finite; pass shares from 0 to 1.")
        has_shares = np.asarray(matrix.sum(axis=1)).ravel() > 0
        if not has_shares.any():
            raise InputError("no document has a share of a topic; pass documents with words that the model knows.")
        matrix = matrix[has_shares]
        totals = np.asarray(matrix.sum(axis=0)).ravel()
        occurring = np.flatnonzero(totals)
        order = {int(ids[topic]): place for place, topic in enumerate(np.argsort(-totals, kind="stable").tolist())}
        return cls(
            matrix[:, occurring],
            ids[occurring],
            [given[topic] for topic in occurring],
            None if words is None else words[has_shares],
            has_shares,
            order,
        )


def _unpacked(shares: Any) -> tuple[csr_matrix, NDArray[np.int64], list[str], NDArray[np.int64] | None]:
    """Return the matrix, the numbers and names of the topics, and the known words of documents if they are given."""
    if isinstance(shares, Topics):
        matrix = csr_matrix((shares.shares, shares.atoms, shares.starts), shape=(len(shares), len(shares.labels)))
        return matrix, np.arange(len(shares.labels)), list(shares.labels), shares.n_words
    if isinstance(shares, TopicShares):
        return shares.matrix, shares.topics.ids, list(shares.topics.names), shares.n_words
    n_dimensions = len(getattr(shares, "shape", (0, 0)))
    if n_dimensions != 2:
        raise InputError(f"the shares have {n_dimensions} dimensions; pass a table of documents by topics.")
    columns = getattr(shares, "columns", None)
    try:
        matrix = (
            csr_matrix(shares, dtype=np.float64) if issparse(shares) else csr_matrix(np.asarray(shares, np.float64))
        )
    except (TypeError, ValueError) as error:
        raise InputError(f"the shares are no table of numbers ({error}); pass documents by topics.") from error
    if np.ndim(shares) != 2 and not issparse(shares):
        raise InputError(f"the shares have {np.ndim(shares)} dimensions; pass a table of documents by topics.")
    names = map(str, columns if columns is not None else range(matrix.shape[1]))
    return matrix, np.arange(matrix.shape[1]), list(names), None


def _listed(values: Any, what: str, n: int) -> list[Any]:
    require_several(values, what, "one value per document")
    listed = list(values)
    if len(listed) != n:
        raise InputError(f"there are {len(listed):,} {what} for {n:,} documents; pass one for each.")
    return listed


def _whole_numbers(values: list[Any]) -> NDArray[np.int64]:
    for value in values:
        require_number(value, "a number of words", 0, np.iinfo(np.int64).max, whole=True)
    return np.asarray(values, np.int64)


def _number_groups(groups: Iterable[Any] | None, n: int) -> tuple[list[str], Labels]:
    """Return the names of the groups, and the place of each document's among them; -1 for none."""
    if groups is None:
        return [], np.full(n, -1, np.int64)
    named = [None if is_missing(each) else str(each).strip() for each in _listed(groups, "groups", n)]
    names = sorted({name for name in named if name is not None})
    if not names:
        raise InputError("no document has a group; pass groups that are not empty.")
    if len(names) > MOST_GROUPS:
        raise InputError(
            f"there are {len(names):,} groups, such as '{names[0]}'; pass something with at most {MOST_GROUPS} values."
        )
    places = {name: place for place, name in enumerate(names)}
    return names, np.array([-1 if name is None else places[name] for name in named], np.int64)


def _check_numbers(confidence: float, n_resamples: int, seed: int) -> None:
    require_number(confidence, "confidence", 0, 1)
    if confidence in (0, 1):
        raise InputError(f"confidence is {confidence}; pass a number between 0 and 1.")
    require_number(n_resamples, "n_resamples", 20, MOST_RESAMPLES, whole=True)
    require_number(seed, "seed", 0, HIGHEST_SEED, whole=True)


# --- resampling


class _Moments(NamedTuple):
    """Sums over the documents of each label, (n_labels, n_topics) and (n_labels,)."""

    n: Labels
    sums: Floats
    with_topic: Labels
    words: Labels | None

    def of(self, chosen: NDArray[np.bool_]) -> _Moments:
        """Return the moments of some labels together."""
        sums, seen = (each[chosen].sum(axis=0)[None] for each in (self.sums, self.with_topic))
        words = None if self.words is None else self.words[chosen].sum(keepdims=True)
        return _Moments(self.n[chosen].sum(keepdims=True), sums, seen, words)

    @property
    def means(self) -> Floats:
        return np.asarray(self.sums / np.maximum(self.n, 1)[:, None])


class _Found(NamedTuple):
    """Moments of the documents of each label, and bounds of shares and of differences to the rest if asked for."""

    moments: _Moments
    shares: Floats
    """(2, n_labels, n_topics)."""
    differences: Floats | None


@dataclass(frozen=True)
class _Plan:
    """How documents are resampled."""

    n_resamples: int
    confidence: float
    seed: int
    run: Run
    n_documents: int

    def shares(self, table: _Table, labels: Labels, n_labels: int, *, contrasts: bool = False) -> _Found:
        """Return bounds for the documents of each label; with `contrasts`, of the differences to all other labels."""
        moments = _moments(table, labels, n_labels)
        columns = hstack([table.matrix, np.ones((table.matrix.shape[0], 1))], "csr")
        whole = self._resampled(columns, np.flatnonzero(labels >= 0)) if contrasts else None

        def bounds(label: int) -> tuple[Floats, Floats | None]:
            found = np.zeros((2, table.n_topics))
            occurring = np.flatnonzero(moments.with_topic[label]) if whole is None else np.arange(table.n_topics)
            if not len(occurring):
                return found, None
            used = np.append(occurring, table.n_topics)
            own = self._resampled(columns[:, used], np.flatnonzero(labels == label))
            one_more = self._one_more(label) * np.append(table.typical[occurring], 1)[:, None]
            low, high = own[:-1] / own[-1], (own + one_more)[:-1] / (own + one_more)[-1]
            found[:, occurring] = self._between(low, high)
            if whole is None:
                return found, None
            rest = whole - own
            more_rest = rest + one_more
            return found, self._between(low - more_rest[:-1] / more_rest[-1], high - rest[:-1] / rest[-1])

        found = self._on_threads(bounds, range(n_labels))
        shares = np.stack([each for each, _ in found], axis=1)
        never = (moments.with_topic == 0) & (moments.n > 0)[:, None]
        most = 1 - (1 - self.confidence) ** (1 / np.maximum(moments.n, 1))
        shares[1] = np.where(never, most[:, None] * table.typical, shares[1])
        shares[:, moments.n < FEWEST] = np.nan
        return _Found(moments, shares, np.stack([each for _, each in found], axis=1) if contrasts else None)

    def slopes(self, table: _Table, periods: Sequence[Labels], numbers: Floats) -> Floats:
        """Return bounds of the slopes of all topics over the periods of each group, (2, n_groups, n_topics)."""

        def bounds(label: int) -> Floats:
            own = periods[label]
            documents = np.flatnonzero(own >= 0)
            occurring = np.flatnonzero(np.diff(table.matrix[documents].tocsc().indptr))
            places = numbers - numbers.mean()
            matrix, x = table.matrix[:, occurring], (places[own] * (own >= 0))[:, None]
            columns = hstack([matrix, matrix.multiply(x), x, x**2, np.ones(x.shape)], "csr")
            sums = self._resampled(columns, documents)
            typical, one_more = table.typical[occurring], self._one_more(label)
            found = np.zeros((2, table.n_topics))

            def slopes(end: float) -> Any:
                """With one more document that has the topic, at an end of time."""
                more = np.concatenate([typical, typical * end, [end, end**2, 1]])[:, None] * one_more + sums
                total, centre, spread = more[-1], more[-3] / more[-1], more[-2] / more[-1]
                shares, products = more[: len(occurring)] / total, more[len(occurring) : -3] / total
                return (products - centre * shares) / (spread - centre**2)

            with np.errstate(invalid="ignore", divide="ignore"):  # a group with documents in one period only
                found[:, occurring] = self._between(slopes(places[0]), slopes(places[-1]))
            return found

        return np.stack(self._on_threads(bounds, range(len(periods))), axis=1)

    def _on_threads(self, function: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
        with one_blas_thread():
            return run_threads(function, items, self.run.n_threads)

    def _resampled(self, columns: csr_matrix, documents: NDArray[np.intp]) -> Any:
        """Return the weighted sums of columns over some documents, (n_columns, n_resamples)."""
        sums = np.zeros((columns.shape[1], self.n_resamples), np.float32)
        n_block = max(1, BLOCK_NUMBERS // self.n_resamples)
        for first in range(0, len(documents), n_block):
            some = documents[first : first + n_block]
            weights = self._drawn(some) if self._weights is None else self._weights[some]
            sums += columns[some].T.astype(np.float32) @ weights
        return sums

    @cached_property
    def _weights(self) -> NDArray[np.float32] | None:
        """The weights of all documents, (n_documents, n_resamples), unless they are too many to keep."""
        if self.n_documents * self.n_resamples > KEPT_NUMBERS:
            return None
        weights = np.empty((self.n_documents, self.n_resamples), np.float32)
        n_block = max(1, BLOCK_NUMBERS // self.n_resamples)
        blocks = [np.arange(first, min(first + n_block, len(weights))) for first in range(0, len(weights), n_block)]

        def fill(block: NDArray[np.intp]) -> None:
            self._drawn(block, weights[block[0] : block[-1] + 1])

        self._on_threads(fill, blocks)
        return weights

    def _drawn(self, documents: NDArray[np.intp], out: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the weights of some documents, which depend on nothing but their numbers and the seed."""
        weights = np.empty((len(documents), self.n_resamples), np.float32) if out is None else out
        for row, document in enumerate(documents.tolist()):
            np.random.default_rng([self.seed, document]).standard_exponential(dtype=np.float32, out=weights[row])
        return weights

    def _one_more(self, label: int) -> NDArray[np.float32]:
        """Return the weights of one more document that the documents of a label might have had."""
        rng = np.random.default_rng([self.seed, self.n_documents, label])
        return rng.standard_exponential(self.n_resamples, dtype=np.float32)

    def _between(self, low: Any, high: Any) -> Floats:
        """Return the lower percentiles of one and the upper ones of the other, over the last axis, (2, …).

        Sorting is faster than selecting: it uses the vector instructions of the machine.
        """
        edge = round((1 - self.confidence) / 2 * (self.n_resamples - 1))
        ends = np.sort(low, axis=-1)[..., edge], np.sort(high, axis=-1)[..., self.n_resamples - 1 - edge]
        return np.asarray(np.stack(ends), np.float64)


def _moments(table: _Table, labels: Labels, n_labels: int) -> _Moments:
    used = np.flatnonzero(labels >= 0)
    chosen = csr_matrix((np.ones(len(used)), (labels[used], used)), shape=(n_labels, len(labels)))
    words = None if table.n_words is None else np.asarray(chosen @ table.n_words).astype(np.int64)
    return _Moments(
        np.bincount(labels[used], minlength=n_labels),
        (chosen @ table.matrix).toarray(),
        (chosen @ (table.matrix > 0).astype(np.float64)).toarray().astype(np.int64),
        words,
    )


# --- rows


def _share_rows(table: _Table, found: _Found, cells: Sequence[tuple[str | None, str | None]]) -> list[GroupShare]:
    """Return the rows topic by topic, in columns until the end: there may be a million of them."""
    moments = found.moments
    filled = np.flatnonzero(moments.n)
    groups, periods = zip(*(cells[place] for place in filled.tolist()), strict=True)
    n_topics = table.n_topics
    low, high = (_numbers(bound[filled].T.ravel()) for bound in found.shares)
    words = [None] * len(filled) if moments.words is None else moments.words[filled].tolist()
    columns = (
        np.repeat(table.ids, len(filled)).tolist(),
        [name for name in table.names for _ in filled],
        groups * n_topics,
        periods * n_topics,
        moments.means[filled].T.ravel().tolist(),
        low,
        high,
        moments.with_topic[filled].T.ravel().tolist(),
        moments.n[filled].tolist() * n_topics,
        words * n_topics,
    )
    return list(map(GroupShare._make, zip(*columns, strict=True)))


def _differences(
    table: _Table, found: _Found, of_group: Labels, names: Sequence[str]
) -> list[tuple[GroupDifference, int]]:
    """Return each group against the others, with the documents that have the topic; one of two groups is enough."""
    if len(names) < 2 or found.differences is None:
        return []
    rows = []
    grouped = np.flatnonzero(of_group >= 0)
    for place, name in enumerate(names[:1] if len(names) == 2 else names):
        chosen = np.arange(len(names)) == place
        own, pooled = found.moments.of(chosen), found.moments.of(~chosen)
        p = permutation_p(table.matrix[grouped], (of_group[grouped] == place).astype(np.float64))
        fewest = min(int(own.n[0]), int(pooled.n[0])) < FEWEST
        for topic in range(table.n_topics):
            share, rest = float(own.means[0, topic]), float(pooled.means[0, topic])
            n_with = int(own.with_topic[0, topic] + pooled.with_topic[0, topic])
            row = GroupDifference(
                int(table.ids[topic]),
                table.names[topic],
                name,
                names[1] if len(names) == 2 else OTHERS,
                share - rest,
                None if fewest else _number(found.differences[0, place, topic]),
                None if fewest else _number(found.differences[1, place, topic]),
                share,
                rest,
                share / rest if rest else None,
                _number(p[topic]) if n_with >= FEWEST and not fewest else None,
                None,
                False,
            )
            rows.append((row, n_with))
    return rows


def _trends(
    table: _Table, plan: _Plan, names: Sequence[str | None], periods: Sequence[Labels], numbers: Floats
) -> list[tuple[Trend, int]]:
    """Return the line through the shares of each group's documents, and how many of them have the topic."""
    rows: list[tuple[Trend, int]] = []
    span = numbers[-1] - numbers[0]
    bounds = plan.slopes(table, periods, numbers) * span
    for place, (name, own) in enumerate(zip(names, periods, strict=True)):
        used = np.flatnonzero(own >= 0)
        if len(used) < FEWEST or len(np.unique(own[used])) < 2:
            continue
        x = numbers[own[used]] - numbers[0]
        slopes, levels = _lines(table.matrix[used], x)
        p = permutation_p(table.matrix[used], x)
        n_with = np.diff(table.matrix[used].tocsc().indptr)
        for topic in range(table.n_topics):
            row = Trend(
                int(table.ids[topic]),
                table.names[topic],
                name,
                float(slopes[topic] * span),
                _number(bounds[0, place, topic]),
                _number(bounds[1, place, topic]),
                float(levels[topic]),
                float(levels[topic] + slopes[topic] * span),
                _number(p[topic]) if n_with[topic] >= FEWEST else None,
                None,
                False,
            )
            rows.append((row, int(n_with[topic])))
    return rows


def _lines(matrix: csr_matrix, x: Floats) -> tuple[Floats, Floats]:
    """Return slope and level at x = 0 for each topic."""
    centred = x - x.mean()
    slopes = np.asarray(matrix.T @ centred) / float(centred @ centred)
    return slopes, np.asarray(matrix.mean(axis=0)).ravel() - slopes * x.mean()


def _judged(rows: Sequence[tuple[Any, int]], confidence: float) -> list[Any]:
    """Return rows with their q and whether they stand out, given how many documents have the topic of each."""
    found = [row for row, _ in rows]
    tested = [place for place, row in enumerate(found) if row.p is not None]
    p = np.array([found[place].p for place in tested], np.float64)
    weights = np.array([rows[place][1] for place in tested], np.float64)
    for place, q in zip(tested, adjusted(p, weights).tolist(), strict=True):
        found[place] = found[place]._replace(q=q, stands_out=q < 1 - confidence)
    return found


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _numbers(values: Floats) -> list[float | None]:
    found: list[float | None] = values.tolist()
    for place in np.flatnonzero(~np.isfinite(values)).tolist():
        found[place] = None
    return found

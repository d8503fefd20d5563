"""Shares by group and over time: intervals, differences and trends."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.stats import norm, pearson3

import naive_groups
import wordatoms as wa
from wordatoms.documents import groups as module
from wordatoms.documents.groups import GroupComparison, compare_groups
from wordatoms.documents.permutation import permutation_p
from wordatoms.errors import InputError
from wordatoms.run import Run

N = 60
MONTHS = [f"2024-{month:02}" for month in (1, 2, 3, 5)]


def made_up(seed: int = 0, n: int = N) -> tuple[np.ndarray, list[str], list[str]]:
    """Shares of five topics, one of which never occurs, groups and months."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([0.3, 0.3, 0.3, 0.3], n)
    shares[shares < 0.1] = 0
    shares = np.column_stack([shares / shares.sum(axis=1, keepdims=True), np.zeros(n)])
    return shares, rng.choice(["a", "b", "c"], n).tolist(), rng.choice(MONTHS, n).tolist()


@pytest.fixture(scope="module")
def found() -> GroupComparison:
    shares, of_group, of_month = made_up()
    return compare_groups(shares, groups=of_group, times=of_month, n_resamples=100, seed=3)


def cell(row: Any, of_group: list[str], of_month: list[str]) -> np.ndarray:
    return np.array(
        [
            row.group in (None, group) and row.period in (None, month)
            for group, month in zip(of_group, of_month, strict=True)
        ]
    )


def typical(shares: np.ndarray, topic: int) -> float:
    return float(shares[shares[:, topic] > 0, topic].mean())


def test_shares_and_intervals_against_the_naive_twin(found: GroupComparison) -> None:
    shares, of_group, of_month = made_up()
    drawn = naive_groups.weights(N, 100, 3)
    groups, months = {None: 0, "a": 0, "b": 1, "c": 2}, {None: 0, **{month: at for at, month in enumerate(MONTHS)}}
    assert len(found.shares) == 4 * (1 + 3 + 4 + 3 * 4)
    for row in found.shares:
        chosen = cell(row, of_group, of_month)
        own = shares[chosen, row.topic]
        assert row.documents == chosen.sum()
        assert row.with_topic == (own > 0).sum()
        assert row.share == pytest.approx(own.mean())
        if row.documents < module.FEWEST:
            assert row.low is row.high is None
        elif row.with_topic:
            n_periods = 4 if row.group and row.period else 1
            label = groups[row.group] * n_periods + months[row.period]
            extra = naive_groups.one_more(N, label, 100, 3)
            low = naive_groups.means(own, drawn[chosen])
            high = naive_groups.means_with(typical(shares, row.topic), extra, own, drawn[chosen])
            assert (row.low, row.high) == pytest.approx(naive_groups.bounds(low, high), abs=1e-5)
        else:
            assert row.low == 0
            assert row.high == pytest.approx((1 - 0.05 ** (1 / row.documents)) * typical(shares, row.topic))


def test_differences_against_the_naive_twin(found: GroupComparison) -> None:
    shares, of_group, _ = made_up()
    assert len(found.differences) == 3 * 4
    sizes = [abs(row.difference) for row in found.differences]
    assert sizes == sorted(sizes, reverse=True)
    drawn = naive_groups.weights(N, 100, 3)
    for row in found.differences:
        own = np.array(of_group) == row.group
        one, other = shares[own, row.topic], shares[~own, row.topic]
        assert row.other == "all others"
        assert row.difference == pytest.approx(one.mean() - other.mean())
        assert row.ratio == pytest.approx(one.mean() / other.mean())
        assert row.p == pytest.approx(naive_groups.permuted(shares[:, row.topic], own * 1.0), abs=0.03)
        extra, share = naive_groups.one_more(N, "abc".index(row.group), 100, 3), typical(shares, row.topic)
        low = np.subtract(
            naive_groups.means(one, drawn[own]), naive_groups.means_with(share, extra, other, drawn[~own])
        )
        high = np.subtract(
            naive_groups.means_with(share, extra, one, drawn[own]), naive_groups.means(other, drawn[~own])
        )
        assert (row.low, row.high) == pytest.approx(naive_groups.bounds([*low], [*high]), abs=1e-5)
    weights = [float((shares[:, row.topic] > 0).sum()) for row in found.differences]
    adjusted = naive_groups.q([row.p or 0.0 for row in found.differences], weights)
    assert [row.q for row in found.differences] == pytest.approx(adjusted)


def test_trends_against_the_naive_twin(found: GroupComparison) -> None:
    shares, of_group, of_month = made_up()
    numbers = np.array([float(month[-2:]) for month in of_month])
    drawn = naive_groups.weights(N, 100, 3).astype(float)
    assert len(found.trends) == 4 * (1 + 3)
    for row in found.trends:
        own = np.array([row.group in (None, group) for group in of_group])
        x, y = numbers[own], shares[own, row.topic]
        slope = naive_groups.slope(y, x, np.ones(len(x)))
        assert row.change == pytest.approx(4 * slope)
        assert row.last - row.first == pytest.approx(row.change)
        assert row.p == pytest.approx(naive_groups.permuted(y, x), abs=0.05)
        extra = naive_groups.one_more(N, "abc".index(row.group) if row.group else 0, 100, 3)
        more = np.append(y, typical(shares, row.topic))
        low, high = (
            [
                4 * naive_groups.slope(more, np.append(x, end), np.append(each, weight))
                for each, weight in zip(drawn[own].T, extra, strict=True)
            ]
            for end in (1, 5)
        )
        assert (row.low, row.high) == pytest.approx(naive_groups.bounds(low, high), abs=1e-4)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_change_nothing_and_blocks_only_rounding(
    found: GroupComparison, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares, of_group, of_month = made_up()
    options: dict[str, Any] = {"groups": of_group, "times": of_month, "n_resamples": 100, "seed": 3}
    same = compare_groups(csr_matrix(shares), run=Run(threads=threads), **options)
    assert (same.shares, same.differences, same.trends) == (found.shares, found.differences, found.trends)
    monkeypatch.setattr(module, "BLOCK_NUMBERS", 1)
    blocks = compare_groups(shares, run=Run(threads=threads), **options)
    np.testing.assert_allclose([row.share for row in blocks.shares], [row.share for row in found.shares], atol=1e-6)
    assert [row.low for row in blocks.shares] == pytest.approx([row.low for row in found.shares], abs=1e-5)


def test_groups_that_do_not_differ_rarely_stand_out() -> None:
    rng = np.random.default_rng(1)
    n, topics = 400, 300
    shares = np.zeros((n, topics))
    for _ in range(6):
        shares[np.arange(n), rng.integers(topics, size=n)] += 1 / 6
    groups, times = rng.choice(["a", "b"], n), rng.choice(MONTHS, n)
    found = compare_groups(shares, groups=groups, times=times, n_resamples=20)
    assert np.mean([row.p < 0.05 for row in found.differences if row.p is not None]) < 0.08
    assert np.mean([row.p < 0.05 for row in found.trends if row.group is None and row.p is not None]) < 0.09
    assert not any(row.stands_out for row in [*found.differences, *found.trends])


def test_rare_topics_do_not_stand_out_by_chance() -> None:
    """By Welch's t, a group without a topic had variance 0, and one in two collections had a false difference."""
    n_false = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        shares = np.zeros((800, 100))
        shares[np.arange(800), rng.choice(100, 800, p=rng.dirichlet(np.ones(100)))] = 1
        groups, times = rng.choice(["a", "b", "c", "d"], 800), rng.choice(MONTHS, 800)
        found = compare_groups(shares, groups=groups, times=times, n_resamples=20)
        n_false += any(row.stands_out for row in [*found.differences, *found.trends])
    assert n_false <= 3


def test_a_trend_in_one_group_is_found_among_many_rare_topics() -> None:
    rng = np.random.default_rng(0)
    shares = np.zeros((2000, 1500))
    months, groups = rng.integers(24, size=2000), rng.integers(4, size=2000)
    planted = rng.random(2000) < np.where(groups == 1, 0.02 + 0.15 * months / 23, 0.02)
    shares[np.arange(2000), np.where(planted, 0, rng.integers(1, 1500, 2000))] = 1
    times = [f"{2020 + month // 12}-{month % 12 + 1:02}" for month in months.tolist()]
    found = compare_groups(shares, groups=groups, times=times, n_resamples=200)
    assert [(row.topic, row.group) for row in found.trends if row.stands_out and row.group] == [(0, "1")]
    trend = next(row for row in found.trends if row.topic == 0 and row.group == "1")
    assert trend.low is not None
    assert trend.high is not None
    assert trend.low < 0.15 < trend.high


@pytest.mark.parametrize("numbers", [[1, 0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5, 9]])
def test_moments_of_all_permutations(numbers: list[float]) -> None:
    """With their moments as the only ones known, p is that of the distribution of Pearson's type III."""
    shares = np.array([0.9, 0.5, 0, 0, 0.1, 0, 0])
    sums = np.array([shares @ np.array(order) for order in permutations(map(float, numbers))])
    z = (sums - sums.mean()) / sums.std()
    own = (shares @ np.array(numbers) - sums.mean()) / sums.std()
    known = pearson3((z**3).mean())
    p = 2 * min(max(known.sf(own), norm.sf(own)), max(known.cdf(own), norm.cdf(own)))
    assert permutation_p(csr_matrix(shares[:, None]), np.array(numbers, float))[0] == pytest.approx(min(p, 1))


def test_nothing_varies() -> None:
    assert np.isnan(permutation_p(csr_matrix(np.full((8, 1), 0.3)), np.arange(8.0))).all()
    assert np.isnan(permutation_p(csr_matrix(np.eye(8)[:, :1]), np.ones(8))).all()
    assert np.isnan(permutation_p(csr_matrix(np.eye(2)), np.arange(2.0))).all()


def test_one_of_two_groups_is_compared_with_the_other() -> None:
    found = compare_groups([[1, 0], [0.5, 0.5]] * 10 + [[0, 1]] * 10, groups=["x"] * 20 + ["y"] * 10)
    assert [(row.group, row.other, row.stands_out) for row in found.differences] == [("x", "y", True)] * 2
    assert found.differences[0].difference == pytest.approx(0.75)


def test_missing_groups_and_dates_count_overall_only() -> None:
    shares = np.array([[0.5, 0.5]] * 12)
    found = compare_groups(
        shares, groups=[None, "", " ", float("nan"), *"aabbaabb"], times=["", *["2024-01"] * 5, *["2024-02"] * 6]
    )
    assert (found.n_ungrouped, found.n_undated) == (4, 1)
    assert found.groups == ("a", "b")
    by_cell = {(row.group, row.period): row.documents for row in found.shares if row.topic == 0}
    assert by_cell[None, None] == 12
    assert by_cell["a", None] == 4
    assert by_cell[None, "2024-01"] == 5


@pytest.mark.parametrize("groups", [None, ["only"] * 6])
def test_one_group_or_none_has_no_differences(groups: list[str] | None) -> None:
    found = compare_groups([[0.5, 0.5]] * 6, groups=groups)
    assert not found.differences
    assert not found.trends
    assert {row.group for row in found.shares} == {None, *(groups or [])}


def test_one_document_has_shares_without_intervals() -> None:
    found = compare_groups([[0.25, 0.75]], groups=["a"], times=["2024-05-01"], period="day")
    assert {(row.share, row.low) for row in found.shares} == {(0.25, None), (0.75, None)}
    assert not found.trends


def test_documents_without_words_are_left_out() -> None:
    found = compare_groups([[1, 0], [0, 0], [0, 1]], groups=["a", "a", "b"])
    assert found.n_documents == 2
    assert [row.documents for row in found.shares if row.group == "a"] == [1, 1]


def test_frames_and_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0.9, 0.1], [0.1, 0.9]] * 6, columns=["sport", "music"])
    found = wa.compare_groups(
        frame, groups=pandas.Series(["a", "b"] * 6), times=pandas.to_datetime(["2024-01-31"] * 12)
    )
    assert set(found.to_frame()["name"]) == {"sport", "music"}
    assert found.periods[0].name == "2024-01"
    assert list(found.differences.to_frame().columns)[:5] == ["topic", "name", "group", "other", "difference"]
    assert wa.to_frame(found).shape == found.to_frame().shape


@pytest.mark.parametrize(
    ("shares", "options", "message"),
    [
        ([[1.0]], {"groups": ["a", "b"]}, r"^there are 2 groups for 1 documents; pass one for each\.$"),
        ([[1.0]], {"groups": "a"}, "groups are one string"),
        ([[1.0]], {"groups": [""]}, "no document has a group"),
        ([[1.0]], {"times": ["soon"]}, r"^'soon' in row 1 is not a date; "),
        ([[1.0]], {"times": ["2024"]}, "has no month; take a longer period"),
        ([[1.0]], {"times": ["2024"], "period": "century"}, "'century' is no period"),
        ([[0.0]], {}, "no document has a share"),
        ([[-1.0, 2.0]], {}, "negative or not finite"),
        ([[float("nan")]], {}, "negative or not finite"),
        ([1.0, 2.0], {}, "1 dimensions"),
        ("text", {}, "no table of numbers"),
        ([[1.0]], {"names": ["a", "b"]}, "2 names for 1 topics"),
        ([[1.0]], {"confidence": 1.0}, "confidence is 1.0"),
        ([[1.0]], {"n_resamples": 3}, "n_resamples is 3"),
        ([[1.0]], {"confidence": "high"}, "confidence is 'high'; pass a number from 0 to 1"),
        ([[1.0]], {"n_resamples": 100.5}, "n_resamples is 100.5; pass a whole number"),
        ([[1.0]], {"seed": "x"}, "seed is 'x'"),
        ([[1.0]], {"seed": -1}, "seed is -1"),
        ([[1.0]], {"names": 5}, "names are of type int"),
        ([[1.0]], {"n_words": ["x"]}, "a number of words is 'x'"),
        ([[1.0]], {"times": ["2024-01-01"], "time_format": 5}, "the format of the dates is of type int"),
        ([[1.0]] * 300, {"groups": range(300)}, "there are 300 groups"),
    ],
)
def test_bad_input_is_one_sentence(shares: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        compare_groups(shares, **options)
    assert "\n" not in str(error.value)


def test_a_table_that_would_be_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 9)
    with pytest.raises(InputError, match="take a longer period"):
        compare_groups([[0.5, 0.5]] * 4, times=[f"2024-01-0{day}" for day in range(1, 5)], period="day")

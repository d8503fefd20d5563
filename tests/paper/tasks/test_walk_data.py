from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from naive_walk import even_walk, naive_contexts, naive_expected, naive_window_means
from wordatoms.errors import InputError
from wordatoms.kernels.walk import draw_words
from wordatoms.paper.tasks.walk.data import (
    BLOCK_WINDOWS,
    GaussianWalk,
    Partition,
    discourse_covariance,
    draw_walk,
    draw_windows,
    expected_contexts,
    sum_contexts,
)


@pytest.fixture
def tiny() -> GaussianWalk:
    """Five words in a plane, with a covariance that is not diagonal."""
    return draw_walk(5, covariance=np.array([[0.5, 0.2], [0.2, 0.3]]), window=3, random_state=4)


SETTINGS = [(2.0, 0.3, 5), (2.0, 0.05, 20), (0.5, 0.8, 2), (1.0, 0.5, 10)]


@pytest.mark.parametrize(("variance", "discourse_variance", "window"), SETTINGS)
def test_theorem_1_holds_by_integration(variance: float, discourse_variance: float, window: int) -> None:
    walk = even_walk(4001, variance=variance, discourse_variance=discourse_variance, window=window)
    _, left_out = naive_expected(walk)
    in_window = (walk.vectors + (window - 1) * left_out) / window
    common = np.abs(walk.vectors[:, 0]) < 2 * np.sqrt(variance)
    for means, target_in_window in ((left_out, False), (in_window, True)):
        induced = means @ walk.induced_matrix(target_in_window=target_in_window).T
        np.testing.assert_allclose(induced[common], walk.vectors[common], atol=0.02 * np.sqrt(variance))


def test_the_matrix_is_the_papers_where_the_variance_is_2() -> None:
    covariance = discourse_covariance(3, trace=1.5, spread=4)
    assert np.trace(covariance) == pytest.approx(1.5)
    assert covariance[0, 0] / covariance[2, 2] == pytest.approx(4)
    walk = draw_walk(10, covariance=covariance, variance=2, window=7)
    variances = np.diag(covariance)
    paper = (7 + 2 * 7 * variances) / (1 + 2 * 7 * variances)
    np.testing.assert_allclose(walk.induced_matrix(target_in_window=True), np.diag(paper))
    np.testing.assert_allclose(walk.induced_matrix(target_in_window=False), np.diag(1 + 1 / (2 * variances)))


def test_the_target_adds_its_own_share_of_the_window(tiny: GaussianWalk) -> None:
    _, left_out = naive_expected(tiny)
    np.testing.assert_allclose(naive_window_means(tiny), (tiny.vectors + 2 * left_out) / 3, atol=1e-10)


def test_expected_contexts_against_integration(tiny: GaussianWalk) -> None:
    contexts, _ = expected_contexts(tiny, 100_000)
    p, left_out = naive_expected(tiny)
    np.testing.assert_allclose(contexts.counts / contexts.counts.sum(), p, atol=2e-3)
    np.testing.assert_allclose(contexts.means(), left_out, atol=0.02)


def test_drawn_text_against_integration(tiny: GaussianWalk) -> None:
    contexts, _ = sum_contexts(tiny, range(400))
    p, left_out = naive_expected(tiny)
    np.testing.assert_allclose(contexts.counts / contexts.counts.sum(), p, atol=4e-3)
    np.testing.assert_allclose(contexts.means(), left_out, atol=0.03)
    assert contexts.counts.sum() == 400 * BLOCK_WINDOWS * 3


@pytest.mark.parametrize("hidden", [(), (1,), (0, 3)])
def test_contexts_against_the_naive_ones(tiny: GaussianWalk, hidden: tuple[int, ...]) -> None:
    windows = np.vstack([draw_windows(tiny, block, random_state=9) for block in range(2, 5)])
    found = sum_contexts(tiny, range(2, 5), hidden=hidden, random_state=9)
    for contexts, unseen in zip(found, (set(), set(hidden)), strict=True):
        counts, sums, n_neighbours = naive_contexts(windows, tiny.vectors, unseen)
        np.testing.assert_array_equal(contexts.counts, counts)
        np.testing.assert_allclose(contexts.sums, sums, atol=1e-9)
        np.testing.assert_array_equal(contexts.n_neighbours, n_neighbours)


def test_words_written_as_one_share_their_contexts(tiny: GaussianWalk) -> None:
    contexts, _ = sum_contexts(tiny, range(2))
    merged = contexts.grouped(np.array([[0, 3], [1, 2]]))
    np.testing.assert_array_equal(merged.counts, contexts.counts[[0, 1]] + contexts.counts[[3, 2]])
    shares = contexts.counts[[0, 3]] / merged.counts[0]
    np.testing.assert_allclose(merged.means()[0], shares @ contexts.means()[[0, 3]])


def test_a_word_without_neighbours_has_no_mean(tiny: GaussianWalk) -> None:
    _, visible = sum_contexts(tiny, range(1), hidden=range(5))
    assert np.isnan(visible.means()).all()


def test_any_number_of_threads_gives_the_same_bytes() -> None:
    walk = draw_walk(300, covariance=discourse_covariance(6, trace=1, spread=3), window=4)
    texts = [sum_contexts(walk, range(70), hidden=[1, 2], threads=threads) for threads in (1, 3)]
    endless = [expected_contexts(walk, 70 * BLOCK_WINDOWS, threads=threads) for threads in (1, 3)]
    for one, many in (texts, endless):
        assert [array.tobytes() for part in one for array in part] == [
            array.tobytes() for part in many for array in part
        ]


def test_blocks_differ_and_do_not_depend_on_one_another(tiny: GaussianWalk) -> None:
    first, second = (draw_windows(tiny, block) for block in (0, 1))
    assert first.shape == (BLOCK_WINDOWS, 3)
    assert (first != second).any()
    assert (first != draw_windows(tiny, 0, random_state=1)).any()
    np.testing.assert_array_equal(second, draw_windows(tiny, 1))


def test_words_are_drawn_in_proportion() -> None:
    weights = np.array([3, 0, 1, 4, 2], np.float32)
    n_draws = 50_000
    words = np.empty((1, n_draws), np.int32)
    draw_words(weights[None], np.random.default_rng(0).random((1, n_draws)), words)
    seen = np.bincount(words[0], minlength=5)
    assert seen[1] == 0
    present = weights > 0
    assert chisquare(seen[present], n_draws * weights[present] / 10).pvalue > 1e-3


@settings(max_examples=100, deadline=None)
@given(
    weights=st.lists(st.floats(0, 1, width=32), min_size=1, max_size=8).filter(lambda values: max(values) > 1e-30),
    uniform=st.floats(0, 1, exclude_max=True),
)
def test_inverse_transform(weights: list[float], uniform: float) -> None:
    words = np.empty((1, 1), np.int32)
    draw_words(np.array([weights], np.float32), np.array([[uniform]]), words)
    cumulative = np.cumsum(np.array(weights, np.float32).astype(float))
    expected = next((k for k, total in enumerate(cumulative) if total > uniform * cumulative[-1]), len(weights) - 1)
    assert words[0, 0] == expected


def test_partition_function_concentrates_around_its_approximation() -> None:
    walk = draw_walk(3000, covariance=discourse_covariance(8, trace=1, spread=2), variance=2)
    _, partition = expected_contexts(walk, 2000)
    assert len(partition.logarithms) == 8 * BLOCK_WINDOWS
    assert partition.relative_spread(1.0) < 0.15 < 0.5 < partition.relative_spread(0.0)
    lengths = partition.squared_lengths
    assert lengths.mean() == pytest.approx(1, rel=0.1)
    np.testing.assert_allclose(partition.logarithms - lengths, np.log(3000), atol=0.6)


def test_relative_spread_by_hand() -> None:
    lengths = np.array([0.0, 1.0, 2.0])
    assert Partition(lengths, 5 + 3 * lengths).relative_spread(3) == pytest.approx(0)
    assert Partition(np.zeros(2), np.log([1.0, 3.0])).relative_spread(9) == pytest.approx(0.5)


def test_vectors_have_the_variance_asked_for() -> None:
    walk = draw_walk(2000, covariance=np.eye(4), variance=3.0)
    assert walk.vectors.var() == pytest.approx(3, rel=0.05)
    assert len(walk) == 2000
    assert repr(walk) == "GaussianWalk(2,000 words, dim 4, window 20)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_words": 1}, "n_words is 1"),
        ({"variance": 0.0}, r"variance is 0\.0"),
        ({"variance": float("nan")}, "variance is nan"),
        ({"window": 1}, "window is 1"),
        ({"random_state": -1}, "random_state is -1"),
        ({"covariance": np.ones((2, 2))}, "singular"),
        ({"covariance": np.array([[1.0, 0.5], [0.0, 1.0]])}, "symmetric"),
        ({"covariance": np.ones((2, 3))}, r"shape \(2, 3\)"),
        ({"covariance": 1e6 * np.eye(2)}, "variance times trace is 4e"),
    ],
)
def test_bad_walks(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw_walk(**{"n_words": 10, "covariance": np.eye(2), **parameters})


@pytest.mark.parametrize(
    ("dim", "trace", "spread", "message"),
    [
        (0, 1, 1, "dim is 0"),
        (2, 0, 1, "trace is 0"),
        (2, 1, 0.5, r"spread is 0\.5"),
        (2, float("inf"), 1, "trace is inf"),
    ],
)
def test_bad_covariances(dim: int, trace: float, spread: float, message: str) -> None:
    with pytest.raises(InputError, match=message):
        discourse_covariance(dim, trace=trace, spread=spread)


def test_nothing_to_draw(tiny: GaussianWalk) -> None:
    with pytest.raises(InputError, match="no blocks"):
        sum_contexts(tiny, range(0))
    with pytest.raises(InputError, match="n_discourses is 0"):
        expected_contexts(tiny, 0)
    with pytest.raises(InputError, match="threads is 0"):
        sum_contexts(tiny, range(1), threads=0)

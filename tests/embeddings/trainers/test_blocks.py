"""Blocks: every pair in its place exactly once, rounds without a common group, the same bytes for any threads."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive_factor import Pair, naive_pairs, random_counts
from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.trainers import blocks as blocks_module
from wordatoms.embeddings.trainers.blocks import FLOATS_PER_LINE, Blocks, cut_pairs, tournament
from wordatoms.kernels.factor import WIDTH, Weighting

PROGRAM = Weighting(log(100), 0.75, of_self=1.0)


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several groups for the small vocabularies of the tests."""
    monkeypatch.setattr(blocks_module, "WORDS_PER_GROUP", 8)


def cut(counts: Counts, weighting: Weighting = PROGRAM, **options: object) -> Blocks:
    defaults = {"min_value": 0.0, "self_pairs": False, "is_fixed": np.zeros(len(counts), bool)}
    return cut_pairs(counts, weighting, **{**defaults, "random_state": 0, "threads": 1, **options})


def pairs_of(blocks: Blocks) -> list[Pair]:
    """The pairs by the words of the vocabulary, as far as they have weight."""
    word_at = {row: word for word, row in enumerate(blocks.layout.row.tolist())}
    found = []
    for left in range(blocks.n_groups):
        for right in range(blocks.n_groups):
            bounds = blocks.segments(left, right)
            for place in range(len(bounds) - 1):
                segment = slice(bounds[place], bounds[place + 1])
                for partner, log_x, weight in zip(*(array[segment] for array in blocks.pairs), strict=True):
                    rows = blocks.rows(left).start + place, blocks.rows(right).start + int(partner)
                    if weight:
                        found.append(Pair(*(word_at[row] for row in rows), float(log_x), float(weight)))
    return found


@settings(max_examples=40, deadline=None)
@given(
    n_words=st.integers(1, 80),
    seed=st.integers(0, 99),
    density=st.sampled_from([0.02, 0.3, 1.0]),
    min_value=st.sampled_from([0.0, 1.0, 5.0]),
    self_pairs=st.booleans(),
    share_fixed=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_every_kept_pair_is_there_exactly_once(
    n_words: int, seed: int, density: float, min_value: float, self_pairs: bool, share_fixed: float
) -> None:
    counts = random_counts(n_words, seed, density)
    is_fixed = np.random.default_rng(seed).random(n_words) < share_fixed
    kept = {"min_value": min_value, "self_pairs": self_pairs, "is_fixed": is_fixed}
    blocks = cut(counts, **kept)
    found, expected = sorted(pairs_of(blocks)), sorted(naive_pairs(counts, 100, 0.75, **kept))
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert blocks.n_pairs == len(expected)


def test_moments_are_weighted_sums_of_logarithms() -> None:
    counts = random_counts(60)
    pairs = list(naive_pairs(counts, 100, 0.75))
    expected = [sum(pair.weight * pair.log_x**power for pair in pairs) for power in range(3)]
    np.testing.assert_allclose(cut(counts).moments, expected)


def test_a_word_with_itself_can_weigh_less() -> None:
    counts = random_counts(40)
    whole, half = (
        sorted(pairs_of(cut(counts, PROGRAM._replace(of_self=share), self_pairs=True))) for share in (1.0, 0.5)
    )
    for one, other in zip(whole, half, strict=True):
        assert other.weight == pytest.approx(one.weight / (2 if one.word == one.partner else 1))


def test_segments_are_filled_up_with_nobody() -> None:
    blocks = cut(random_counts(70))
    assert not (blocks.bounds % WIDTH).any()
    empty = blocks.pairs.weight == 0
    assert len(empty) - empty.sum() == blocks.n_pairs
    assert not blocks.pairs.partner[empty].any()
    assert blocks.layout.place.min() == 1


@pytest.mark.parametrize("threads", [2, 3])
def test_any_number_of_threads_cuts_the_same_bytes(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "WORDS_PER_TASK", 16)
    counts = random_counts(300, density=0.1)
    one, many = cut(counts), cut(counts, threads=threads)
    assert one.moments.tobytes() == many.moments.tobytes()
    assert [array.tobytes() for array in one.pairs] == [array.tobytes() for array in many.pairs]


def test_partners_are_in_an_order_of_the_seed() -> None:
    counts = random_counts(100, density=1.0)
    orders = [[pair[:2] for pair in pairs_of(cut(counts, random_state=seed))] for seed in (0, 1)]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


def test_all_orders_of_partners_are_equally_likely() -> None:
    counts = random_counts(4, density=1.0)  # two groups; the first word meets one or two others in each
    firsts = [
        next(pair.partner for pair in pairs_of(cut(counts, random_state=seed)) if pair[:2] in {(0, 1), (0, 3)})
        for seed in range(400)
    ]
    assert 150 < firsts.count(1) < 250


@given(half=st.integers(1, 40))
def test_groups_meet_once_and_never_twice_in_a_round(half: int) -> None:
    rounds = tournament(2 * half)
    meetings = sorted(tuple(sorted(pairing)) for pairings in rounds for pairing in pairings)
    assert meetings == [(one, two) for one in range(2 * half) for two in range(one, 2 * half)]
    assert all({*pairing} == {group} for group, pairing in enumerate(rounds[0]))
    for pairings in rounds[1:]:
        assert sorted(group for pairing in pairings for group in pairing) == list(range(2 * half))


def test_rounds_are_of_groups_with_pairs() -> None:
    counts = random_counts(80, density=1.0)
    is_fixed = np.arange(80) != 5
    blocks = cut(counts, is_fixed=is_fixed)
    rounds = blocks.rounds()
    home = int(blocks.layout.group[5])
    assert all(home in pairing for pairings in rounds for pairing in pairings)
    assert len(rounds) == blocks.n_groups
    assert cut(counts).rounds() == tournament(blocks.n_groups)


def test_words_are_dealt_in_turn() -> None:
    blocks = cut(random_counts(130))
    assert blocks.layout.group[:10].tolist() == [word % blocks.n_groups for word in range(10)]
    sizes = np.diff(blocks.group_starts)
    assert sizes.max() - sizes.min() <= 1
    assert sorted(blocks.layout.row) == sorted(set(range(blocks.n_rows)) - set(blocks.group_starts.tolist()))


@pytest.mark.parametrize(("n_words", "n_groups"), [(1, 2), (31, 2), (32, 4), (100_000, 64)])
def test_large_vocabularies_have_64_groups(n_words: int, n_groups: int) -> None:
    layout, group_starts = blocks_module._deal_words(n_words, 0)
    assert len(group_starts) == n_groups + 1
    assert len(set(layout.row.tolist())) == n_words


@pytest.mark.parametrize("dim", [1, 16, 37])
def test_vectors_go_to_rows_and_back(dim: int) -> None:
    blocks = cut(random_counts(50))
    vectors = np.random.default_rng(0).random((50, dim), np.float32)
    rows = blocks.spread_vectors(vectors)
    assert rows.ctypes.data % 64 == 0
    assert rows.shape[1] % FLOATS_PER_LINE == 0
    assert not rows[blocks.group_starts[:-1]].any()
    np.testing.assert_array_equal(blocks.gather(rows)[:, :dim], vectors)
    np.testing.assert_array_equal(blocks.gather(blocks.spread(vectors[:, 0], padding=9.0)), vectors[:, 0])

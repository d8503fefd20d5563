"""SN: the compiled step against its twin, planted vectors, the constant, pairs of a word with itself."""

from __future__ import annotations

import numpy as np
import pytest

from naive_factor import (
    NaiveSide,
    counts_of,
    naive_sn_loss,
    naive_step,
    per_number_sn,
    planted_counts,
    planted_vectors,
    random_counts,
    sn_term,
)
from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import blocks as blocks_module
from wordatoms.embeddings.trainers import sn
from wordatoms.embeddings.trainers.blocks import Blocks, cut_pairs
from wordatoms.embeddings.trainers.sn import WEIGHTINGS, complete_vectors, train_sn, without_frequency
from wordatoms.errors import InputError
from wordatoms.kernels import factor

CONSTANT, RATE = -2.0, 0.7


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several groups for the small vocabularies of the tests."""
    monkeypatch.setattr(blocks_module, "WORDS_PER_GROUP", 8)


def cut(counts: Counts, weighting: str = "program", *, self_pairs: bool = False) -> Blocks:
    is_fixed = np.zeros(len(counts), bool)
    options = {"min_value": 0.0, "self_pairs": self_pairs, "is_fixed": is_fixed, "random_state": 0, "threads": 1}
    return cut_pairs(counts, WEIGHTINGS[weighting], **options)


@pytest.mark.parametrize(("left", "right"), [(0, 0), (0, 3), (3, 1)])
@pytest.mark.parametrize("weighting", ["program", "article"])
def test_a_step_against_the_naive_one(left: int, right: int, weighting: str) -> None:
    blocks = cut(random_counts(70), weighting)
    rng = np.random.default_rng(0)
    vectors = blocks.spread_vectors(rng.normal(0.2, 0.5, (70, 21)).astype(np.float32))
    squares = blocks.spread(rng.uniform(1, 5, 70).astype(np.float32), padding=1.0)
    sides = {group: blocks.side(group, vectors, squares) for group in (left, right)}
    twins = {group: NaiveSide(*side) for group, side in sides.items()}
    expected = naive_step(blocks, (left, twins[left]), (right, twins[right]), RATE, sn_term(CONSTANT))
    pass_over = (blocks.segments(left, right), blocks.pairs, np.float32(CONSTANT), np.float32(RATE))
    loss, *_ = factor.step_sn(sides[left], sides[right], *pass_over)
    assert loss == pytest.approx(expected, rel=1e-4)
    for group, side in sides.items():
        np.testing.assert_allclose(side.vectors, twins[group].vectors, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(side.squares, twins[group].squares, rtol=1e-4)


def test_the_error_changes_along_its_directions() -> None:
    v, u = np.random.default_rng(0).normal(size=(2, 6))
    term_of = sn_term(CONSTANT)
    _, slope, direction, partner_direction = term_of(v, u, 1.3)
    for k, nudge in enumerate(1e-6 * np.eye(6)):
        changes = [term_of(*moved, 1.3).error - term_of(v, u, 1.3).error for moved in ((v + nudge, u), (v, u + nudge))]
        np.testing.assert_allclose(changes, 1e-6 * slope * np.array([direction[k], partner_direction[k]]), rtol=1e-3)


def test_a_step_adds_up_what_moves_the_constant() -> None:
    blocks = cut(random_counts(40))
    vectors = blocks.spread_vectors(planted_vectors(40, 3).astype(np.float32))
    squares = np.ones(blocks.n_rows, np.float32)
    factors = sn.SnFactors(vectors, squares, np.array(CONSTANT), wait=0.0)
    sums = sum(
        np.array(factors.step(blocks, left, right, 0.0))
        for left in range(blocks.n_groups)
        for right in range(blocks.n_groups)
    )
    factors.end_round(sums, 0.0)
    best = CONSTANT + 2 * (float(factors.constant) - CONSTANT)  # it goes half of the way
    losses = [naive_sn_loss(random_counts(40), planted_vectors(40, 3), best + shift) for shift in (-0.01, 0.0, 0.01)]
    assert losses[1] == min(losses)


def test_the_constant_waits() -> None:
    factors = sn.SnFactors(np.zeros((1, 1)), np.zeros(1), np.array(CONSTANT), wait=0.5)
    factors.end_round(np.array([1.0, 2.0, 4.0]), 0.49)
    assert factors.constant == CONSTANT
    factors.end_round(np.array([1.0, 2.0, 4.0]), 0.5)
    assert factors.constant == CONSTANT - 0.25


def test_planted_vectors_are_found_up_to_rotation() -> None:
    truth = planted_vectors(150)
    losses: list[float] = []
    trained = train_sn(
        planted_counts(150), dim=5, epochs=100, learning_rate=0.5, callback=lambda report: losses.append(report.loss)
    )
    left, _, right = np.linalg.svd(trained.vectors.T @ truth)
    aligned = trained.vectors @ left @ right
    assert np.corrcoef(aligned.ravel(), truth.ravel())[0, 1] > 0.99
    assert losses[-1] < losses[0] / 1000


def test_the_last_report_is_the_loss_of_the_result() -> None:
    counts, losses = planted_counts(80), []
    trained = train_sn(counts, dim=8, epochs=60, callback=lambda report: losses.append(report.loss))
    expected = naive_sn_loss(counts, trained.vectors.astype(float), float(trained.state["constant"]))
    assert losses[-1] == pytest.approx(expected, rel=0.1)


def test_a_pass_learns_more_than_with_an_accumulator_for_each_number() -> None:
    counts = random_counts(80)
    trained = train_sn(counts, dim=10, epochs=12)
    ours = naive_sn_loss(counts, trained.vectors.astype(float), float(trained.state["constant"]))
    assert ours < per_number_sn(counts, dim=10, epochs=6)  # of two passes each


def test_the_scale_of_the_counts_only_moves_the_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sn.WEIGHTINGS, "flat", factor.Weighting(0.0, 0.0, 1.0))
    log_x = np.random.default_rng(0).normal(3, 1, (50, 50))
    plain, shifted = (train_sn(counts_of(log_x + by), dim=4, epochs=5, weighting="flat") for by in (0.0, 2.0))
    assert shifted.state["constant"] - plain.state["constant"] == pytest.approx(2.0, abs=0.01)
    np.testing.assert_allclose(plain.vectors, shifted.vectors, atol=0.02)


def test_a_word_with_itself_is_fitted_on_request() -> None:
    log_x = np.full((2, 2), -np.inf)
    log_x[0, 0] = log_x[0, 1] = log_x[1, 0] = 3.0
    log_x[1, 1] = 6.0
    trained = train_sn(counts_of(log_x), dim=3, epochs=300, self_pairs=True, learning_rate=0.5)
    for one, two, target in ((0, 0, 3.0), (0, 1, 3.0), (1, 1, 6.0)):
        both = trained.vectors[one] + trained.vectors[two]
        assert both @ both + trained.state["constant"] == pytest.approx(target, abs=0.05)


def test_pairs_of_a_word_with_itself_alone_are_not_enough() -> None:
    log_x = np.full((5, 5), -np.inf)
    np.fill_diagonal(log_x, 1.0)
    with pytest.raises(InputError, match="none of the 5 pairs is left"):
        train_sn(counts_of(log_x), dim=3)


def test_plain_vectors_get_the_best_constant() -> None:
    truth, counts = planted_vectors(60), planted_counts(60)
    plain = Embeddings(counts.vocabulary.words, truth)
    trained = train_sn(counts, dim=5, epochs=1, learning_rate=1e-6, start=plain)
    assert float(trained.state["constant"]) == pytest.approx(-3.0, abs=1e-3)


def test_the_constant_can_be_fixed() -> None:
    counts = random_counts(60)
    first = train_sn(counts, dim=4, epochs=3)
    free, held = (train_sn(counts, dim=4, epochs=3, start=first, fix_constant=held) for held in (False, True))
    assert held.state["constant"] == first.state["constant"] != free.state["constant"]


def test_an_unknown_weighting_is_refused() -> None:
    with pytest.raises(InputError, match="weighting is 'flat'; pass program or article"):
        train_sn(random_counts(10), dim=2, weighting="flat")


def test_without_frequency_no_direction_tells_frequent_from_rare() -> None:
    counts = planted_counts(60, 4)
    trained = train_sn(counts, dim=4, epochs=15)
    kept = train_sn(counts, dim=4, epochs=15, remove_frequency=True)
    logs = np.log(counts.vocabulary.counts)
    logs = logs - logs.mean()
    assert np.abs(logs @ trained.vectors).max() > 100 * np.abs(logs @ kept.vectors).max()
    np.testing.assert_allclose(complete_vectors(kept).vectors, trained.vectors, atol=1e-5)
    assert set(complete_vectors(kept).state) == {"constant", "squares"}
    naive = trained.vectors - np.outer(
        trained.vectors @ kept.state["frequency_direction"], kept.state["frequency_direction"]
    )
    np.testing.assert_allclose(kept.vectors, naive, atol=1e-5)


def test_training_continues_from_complete_vectors_and_keeps_the_direction() -> None:
    counts = planted_counts(60, 4)
    first = train_sn(counts, dim=4, epochs=15, remove_frequency=True)
    held = first.words[1:]
    again = train_sn(counts, dim=4, epochs=2, start=first, fixed=held, fix_constant=True, remove_frequency=True)
    np.testing.assert_array_equal(again.state["frequency_direction"], first.state["frequency_direction"])
    np.testing.assert_allclose(again.vectors[1:], first.vectors[1:], atol=1e-5)
    whole = train_sn(counts, dim=4, epochs=2, start=complete_vectors(first), fixed=held, fix_constant=True)
    np.testing.assert_allclose(complete_vectors(again).vectors[0], whole.vectors[0], atol=1e-4)


def test_words_of_equal_count_have_no_frequency_to_remove() -> None:
    embeddings = Embeddings(("a", "b"), np.eye(2), np.array([3, 3]))
    assert without_frequency(embeddings) is embeddings
    assert complete_vectors(embeddings) is embeddings

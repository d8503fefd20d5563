"""GloVe: the compiled step against its twin, planted products, both directions of a pair."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from naive_factor import NaiveSide, counts_of, glove_term, naive_glove_loss, naive_step, random_counts
from wordatoms.counts.cooccurrence import Counts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import blocks as blocks_module
from wordatoms.embeddings.trainers.blocks import Blocks, cut_pairs
from wordatoms.embeddings.trainers.glove import train_glove
from wordatoms.errors import InputError
from wordatoms.kernels import factor
from wordatoms.kernels.factor import Weighting

RATE = 0.7


@pytest.fixture(autouse=True)
def small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several groups for the small vocabularies of the tests."""
    monkeypatch.setattr(blocks_module, "WORDS_PER_GROUP", 8)


def cut(counts: Counts) -> Blocks:
    is_fixed = np.zeros(len(counts), bool)
    options = {"min_value": 0.0, "self_pairs": False, "is_fixed": is_fixed, "random_state": 0, "threads": 1}
    return cut_pairs(counts, Weighting(log(100), 0.75, of_self=0.5), **options)


def planted_logs(n_words: int = 150, dim: int = 5) -> np.ndarray:
    rng = np.random.default_rng(0)
    vectors, biases = rng.normal(0, 0.5, (n_words, dim)), rng.normal(0.5, 1, n_words)
    return vectors @ vectors.T + biases[:, None] + biases


def explained_logs(trained: Embeddings) -> np.ndarray:
    state = trained.state
    return state["word"] @ state["context"].T + state["word_bias"][:, None] + state["context_bias"]


@pytest.mark.parametrize(("left", "right"), [(0, 0), (0, 3), (3, 1)])
def test_a_step_against_the_naive_one(left: int, right: int) -> None:
    blocks = cut(random_counts(70))
    rng = np.random.default_rng(0)
    sides, biases, twins = [], [], []
    for group in (left, right):
        vectors = blocks.spread_vectors(rng.normal(0.2, 0.5, (70, 21)).astype(np.float32))
        bias, squares = (blocks.spread(rng.uniform(1, 5, 70).astype(np.float32), padding=1.0) for _ in range(2))
        sides.append(blocks.side(group, vectors, squares))
        biases.append(bias[blocks.rows(group)])
        twins.append(NaiveSide(np.column_stack([sides[-1].vectors, biases[-1]]), sides[-1].squares))
    expected = naive_step(blocks, (left, twins[0]), (right, twins[1]), RATE, glove_term)
    loss = factor.step_glove(*sides, *biases, blocks.segments(left, right), blocks.pairs, np.float32(RATE))
    assert loss == pytest.approx(expected, rel=1e-4)
    for side, bias, twin in zip(sides, biases, twins, strict=True):
        np.testing.assert_allclose(side.vectors, twin.vectors[:, :-1], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(bias, twin.vectors[:, -1], rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(side.squares, twin.squares, rtol=1e-4)


def test_the_error_changes_along_its_directions() -> None:
    w, c = np.random.default_rng(0).normal(size=(2, 6))
    error, slope, direction, partner_direction = glove_term(w, c, 1.3)
    for k, nudge in enumerate(1e-6 * np.eye(6)):
        changes = [glove_term(*moved, 1.3).error - error for moved in ((w + nudge, c), (w, c + nudge))]
        np.testing.assert_allclose(changes, 1e-6 * slope * np.array([direction[k], partner_direction[k]]), rtol=1e-3)


def test_planted_products_are_found_in_both_directions() -> None:
    truth = planted_logs()
    explained = explained_logs(train_glove(counts_of(truth), dim=5, epochs=60, learning_rate=0.5))
    apart = ~np.eye(len(truth), dtype=bool)
    np.testing.assert_allclose(explained[apart], truth[apart], atol=0.02)
    assert np.corrcoef(explained[np.triu_indices(150, 1)], truth[np.triu_indices(150, 1)])[0, 1] > 0.999


def test_the_last_report_is_the_loss_of_the_result() -> None:
    counts, losses = random_counts(80), []
    trained = train_glove(counts, dim=8, epochs=60, callback=lambda report: losses.append(report.loss))
    assert losses[-1] == pytest.approx(naive_glove_loss(counts, explained_logs(trained)), rel=0.1)


def test_the_vectors_are_the_sums() -> None:
    trained = train_glove(random_counts(40), dim=4, epochs=2)
    np.testing.assert_array_equal(trained.vectors, trained.state["word"] + trained.state["context"])
    assert not np.allclose(trained.state["word"], trained.state["context"])


def test_plain_vectors_are_taken_for_sums() -> None:
    counts = random_counts(40)
    plain = Embeddings(counts.vocabulary.words, np.random.default_rng(0).normal(size=(40, 4)))
    trained = train_glove(counts, dim=4, epochs=1, learning_rate=1e-6, start=plain)
    np.testing.assert_allclose(trained.vectors, plain.vectors, atol=1e-4)


def test_a_word_with_itself_is_fitted_on_request() -> None:
    truth = planted_logs(40)
    with_self, without = (
        explained_logs(train_glove(counts_of(truth), dim=8, epochs=100, self_pairs=self_pairs)).diagonal()
        for self_pairs in (True, False)
    )
    assert np.abs(with_self - truth.diagonal()).mean() < 0.1 < np.abs(without - truth.diagonal()).mean()


@pytest.mark.parametrize("parameters", [{"x_max": 0.0}, {"x_max": float("nan")}, {"alpha": -1.0}])
def test_impossible_weights_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"pass positive numbers, such as 100 and 0\.75"):
        train_glove(random_counts(10), dim=2, **parameters)

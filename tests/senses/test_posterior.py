"""The posterior over the atoms of a word, against plain loops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

import naive_posterior as naive
from naive_posterior import DIM, WORDS, context_vector, world_atoms, world_embeddings, world_map
from wordatoms.contexts.reader import ReadingSettings
from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.senses.posterior import Posterior, make_posterior, softmax, to_unit

EMBEDDINGS, MAP = world_embeddings(), world_map()
ATOMS = world_atoms(EMBEDDINGS).vectors
SETTINGS = ReadingSettings(a=1e-2, window=3, scale=4.0)
POSTERIOR = make_posterior(EMBEDDINGS, MAP, ATOMS, SETTINGS)

eighths = st.integers(-32, 32).map(lambda number: number / 8)
tables = arrays(np.float32, st.tuples(st.integers(0, 5), st.just(DIM)), elements=eighths)
weights_of = st.dictionaries(st.integers(0, 2), st.floats(0.01, 3), min_size=1)
windows_of = arrays(np.int32, (6,), elements=st.integers(-1, len(WORDS) - 1))


def random_contexts() -> list[list[float]]:
    """The vectors of the windows that the map keeps, one by one."""
    found = []
    for window in MAP.windows.tolist():
        sides = [row for at, row in enumerate(window) if at != 3]
        around = [(WORDS[row], distance) for row, distance in zip(sides, (3, 2, 1, 1, 2, 3), strict=True) if row >= 0]
        found.append(context_vector(around, EMBEDDINGS, MAP.for_one_context(SETTINGS.noise), SETTINGS))
    return found


P_ATOMS = naive.p_atoms(random_contexts(), ATOMS, SETTINGS.scale)


# --- probabilities


def test_p_of_atoms_is_the_mean_over_random_contexts() -> None:
    assert np.allclose(np.exp(POSTERIOR.log_p_atoms), P_ATOMS, rtol=1e-4)
    assert np.exp(POSTERIOR.log_p_atoms).sum() == pytest.approx(1)


@given(weights_of, tables)
def test_p_senses_against_plain_loops(weights: dict[int, float], contexts: NDArray[np.float32]) -> None:
    found = POSTERIOR.p_senses(weights, contexts)
    assert found.shape == (len(contexts), len(weights))
    assert np.allclose(found.sum(axis=1), 1)
    for row, context in zip(found, contexts.tolist(), strict=True):
        assert np.allclose(row, naive.p_senses(weights, context, ATOMS, P_ATOMS, SETTINGS.scale), rtol=1e-3, atol=1e-6)


def test_empty_context_gives_the_prior() -> None:
    p_senses = POSTERIOR.p_senses({0: 3.0, 2: 1.0}, np.zeros((2, DIM), np.float32))
    assert p_senses.tolist() == [pytest.approx([0.75, 0.25])] * 2


@given(weights_of, tables, st.floats(0.125, 8))
def test_neither_lengths_nor_the_sum_of_weights_matter(
    weights: dict[int, float], contexts: NDArray[np.float32], times: float
) -> None:
    more = {atom: times * weight for atom, weight in weights.items()}
    found = POSTERIOR.p_senses(more, np.asarray(contexts * times, np.float32))
    assert np.allclose(found, POSTERIOR.p_senses(weights, contexts), atol=1e-4)


@given(weights_of, tables)
def test_order_of_contexts_and_atoms_is_the_order_of_answers(
    weights: dict[int, float], contexts: NDArray[np.float32]
) -> None:
    found = POSTERIOR.p_senses(weights, contexts)
    turned = dict(reversed(weights.items()))
    assert np.allclose(POSTERIOR.p_senses(turned, contexts[::-1]), found[::-1, ::-1], atol=1e-6)
    assert POSTERIOR.p_senses(weights, contexts).tobytes() == found.tobytes()


def test_a_huge_scale_leaves_no_doubt_and_no_nan() -> None:
    certain = make_posterior(EMBEDDINGS, MAP, ATOMS, replace(SETTINGS, scale=1e6))
    p_senses = certain.p_senses({0: 0.01, 1: 3.0}, np.eye(3, DIM, dtype=np.float32))
    assert np.isfinite(p_senses).all()
    assert p_senses[:2].argmax(axis=1).tolist() == [0, 1]


def test_an_atom_that_no_context_speaks_of() -> None:
    """p(a) vanishes in double precision, and is still no division by zero."""
    atoms = np.concatenate([ATOMS, -ATOMS[:1]])
    posterior = make_posterior(EMBEDDINGS, MAP, atoms, replace(SETTINGS, scale=5000.0))
    assert np.isfinite(posterior.log_p_atoms).all()
    assert np.isfinite(posterior.p_senses({0: 1.0, 3: 1.0}, np.ones((1, DIM), np.float32))).all()


@given(arrays(np.float64, (3, 4), elements=st.floats(-1e300, 1e300)))
def test_softmax_rows_sum_to_1(logits: NDArray[np.float64]) -> None:
    assert np.allclose(softmax(logits).sum(axis=1), 1)


@given(tables)
def test_unit_rows(rows: NDArray[np.float32]) -> None:
    lengths = np.linalg.norm(to_unit(rows), axis=1)
    assert np.allclose(lengths, rows.any(axis=1), atol=1e-5)


# --- vectors


@given(weights_of, tables)
def test_sense_means_are_the_expected_atom(weights: dict[int, float], contexts: NDArray[np.float32]) -> None:
    for mean, p_senses in zip(
        POSTERIOR.sense_means(weights, contexts), POSTERIOR.p_senses(weights, contexts).tolist(), strict=True
    ):
        expected = sum(p * ATOMS[atom].astype(float) for p, atom in zip(p_senses, weights, strict=True))
        assert np.allclose(mean, expected, atol=1e-6)


@given(weights_of, tables)
def test_views_are_products_with_the_atoms_and_a_little_of_the_rest(
    weights: dict[int, float], contexts: NDArray[np.float32]
) -> None:
    found = POSTERIOR.views(weights, contexts)
    assert found.shape == (len(contexts), len(weights) + DIM)
    for view, context in zip(found, contexts.tolist(), strict=True):
        unit = naive.unit(context)
        prior = {atom: weight / sum(weights.values()) for atom, weight in weights.items()}
        seen = [math.sqrt(p) * naive.product(ATOMS[atom], unit) for atom, p in prior.items()]
        assert np.allclose(view, [*seen, *(SETTINGS.rest * part for part in unit)], atol=1e-5)


def test_word_in_context_is_the_sum_of_three_unit_vectors() -> None:
    contexts = np.array([[1, 2, 0, 0, 0, 1], [0] * DIM], np.float32)
    vector, weights = EMBEDDINGS["bank"], {0: 2.0, 1: 1.0}
    settings = replace(SETTINGS, sense_share=0.7, context_share=0.3)
    posterior = make_posterior(EMBEDDINGS, MAP, ATOMS, settings)
    meant = to_unit(posterior.sense_means(weights, contexts))
    expected = to_unit(vector[None]) + 0.7 * meant + 0.3 * to_unit(contexts)
    assert np.allclose(posterior.in_context(vector, weights, contexts), expected, atol=1e-6)
    plain = replace(SETTINGS, sense_share=0.0, context_share=0.0)
    alone = make_posterior(EMBEDDINGS, MAP, ATOMS, plain).in_context(vector, weights, contexts)
    assert np.allclose(alone, to_unit(vector[None]), atol=1e-6)


def test_word_without_a_vector_or_without_senses() -> None:
    contexts = np.array([[3, 4, 0, 0, 0, 0]], np.float32)
    assert POSTERIOR.in_context(None, {}, contexts)[0].tolist() == pytest.approx([0.6, 0.8, 0, 0, 0, 0])
    without = POSTERIOR.in_context(EMBEDDINGS["bank"], {}, contexts)
    own = EMBEDDINGS["bank"] / np.linalg.norm(EMBEDDINGS["bank"])
    assert np.allclose(without, own + SETTINGS.context_share * to_unit(contexts), atol=1e-6)


# --- pulls


def pulls_of(window: NDArray[np.int32], weights: dict[int, float], atom: int) -> NDArray[np.float32]:
    return POSTERIOR.pulls(window, POSTERIOR.reader.vectors(window[None])[0], weights, atom)


@given(windows_of, weights_of, st.data())
def test_pulls_add_up_to_the_difference_of_the_evidence(
    window: NDArray[np.int32], weights: dict[int, float], data: st.DataObject
) -> None:
    atom = data.draw(st.sampled_from(sorted(weights)))
    pulls = pulls_of(window, weights, atom)
    assert pulls.shape == window.shape
    assert not pulls[window < 0].any()
    context = naive.unit(POSTERIOR.reader.vectors(window[None])[0].tolist())
    evidence = {each: SETTINGS.scale * naive.product(ATOMS[each], context) for each in weights}
    others = {each: weight for each, weight in weights.items() if each != atom}
    against = sum(weight * evidence[each] for each, weight in others.items()) / (sum(others.values()) or 1)
    assert pulls.sum() == pytest.approx(evidence[atom] - against, abs=1e-4)


@given(windows_of.filter(lambda window: (window >= 0).any()))
def test_pulls_between_two_senses_are_what_the_context_adds_to_the_log_odds(window: NDArray[np.int32]) -> None:
    weights = {0: 2.0, 1: 1.0}
    first, second = POSTERIOR.p_senses(weights, POSTERIOR.reader.vectors(window[None]))[0]
    log_p = POSTERIOR.log_p_atoms
    before = math.log(2) - (log_p[0] - log_p[1])
    assert pulls_of(window, weights, 0).sum() == pytest.approx(math.log(first / second) - before, abs=1e-4)


def test_words_of_a_discourse_pull_towards_it() -> None:
    reader = POSTERIOR.reader
    (window,) = reader.windows([Usage(["money", "river", "bank", "loan", "song"], 2)])
    pulls = dict(zip(window.tolist(), pulls_of(window, {0: 1.0, 1: 1.0}, 0).tolist(), strict=True))
    by_word = {WORDS[row]: pull for row, pull in pulls.items() if row >= 0}
    assert by_word["loan"] > 0 < by_word["money"]
    assert by_word["river"] < 0
    assert abs(by_word["song"]) < 0.2 * by_word["loan"]


# --- bad input


@pytest.mark.parametrize("method", ["p_senses", "sense_means", "views"])
def test_word_without_senses_is_refused(method: str) -> None:
    with pytest.raises(InputError, match=r"no atom with a positive weight.*pass another word"):
        getattr(POSTERIOR, method)({}, np.ones((1, DIM), np.float32))


@pytest.mark.parametrize("windows", [np.zeros((0, 7), np.int32), np.full((3, 7), -1, np.int32)])
def test_map_without_random_windows_is_refused(windows: NDArray[np.int32]) -> None:
    with pytest.raises(InputError, match="has no random windows with known words; run"):
        make_posterior(EMBEDDINGS, replace(MAP, windows=windows), ATOMS, SETTINGS)


def test_posterior_says_how_contexts_are_read() -> None:
    assert isinstance(POSTERIOR, Posterior)
    assert POSTERIOR.settings is POSTERIOR.reader.settings


def test_many_words_at_once_are_what_each_is_alone() -> None:
    contexts = np.random.default_rng(4).normal(size=(5, DIM)).astype(np.float32)
    contexts[3] = 0  # an empty one
    weights = [{0: 0.5, 2: 0.2}, {1: 1.0}, {2: 0.1, 0: 0.3, 1: 0.6}, {0: 0.4, 1: 0.1}, {2: 2.0}]
    for each, context, found in zip(weights, contexts, POSTERIOR.p_senses_of_each(weights, contexts), strict=True):
        assert list(found) == list(each)
        np.testing.assert_allclose([*found.values()], POSTERIOR.p_senses(each, context[None])[0], rtol=1e-6)

"""The map A: planted matrices come back, held-out words choose the weights, files are checked."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import (
    WEIGHTINGS,
    InducedMap,
    cosines,
    enough_contexts,
    find_contexts,
    fit_matrix,
    hold_out,
    learn_map,
    load_induced_vectors,
)
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError

DIM, N_WORDS, WINDOW = 6, 300, 2
RNG = np.random.default_rng(3)
MATRIX = RNG.normal(size=(DIM, DIM))
AVERAGES = RNG.normal(size=(N_WORDS, DIM)).astype(np.float32)
N_CONTEXTS = np.sort(RNG.integers(1, 2000, N_WORDS))[::-1].copy()
WINDOWS = RNG.integers(N_WORDS, size=(200, 2 * WINDOW + 1)).astype(np.int32)


def planted(noise: NDArray[np.floating] | float = 0.0) -> tuple[ContextAverages, SIF]:
    """Words whose vectors are the matrix times their averages, which are seen with noise."""
    vectors = AVERAGES @ MATRIX.T
    embeddings = Embeddings([f"w{k}" for k in range(N_WORDS)], vectors, N_CONTEXTS)
    seen = AVERAGES + np.reshape(noise, (-1, 1)) * RNG.normal(size=AVERAGES.shape)
    return ContextAverages(seen.astype(np.float32), N_CONTEXTS, WINDOW), SIF(embeddings, p_words(embeddings))


@pytest.mark.parametrize("weighting", ["auto", *WEIGHTINGS])
def test_planted_matrix_comes_back(weighting: str) -> None:
    contexts, sif = planted()
    learned = learn_map(contexts, sif, WINDOWS, weighting=weighting)
    assert np.allclose(learned.matrix, MATRIX, atol=2e-3)
    assert learned.in_sample == pytest.approx(1, abs=1e-5)
    assert learned.held_out == pytest.approx(1, abs=1e-5)
    assert np.allclose(learned.induced_vectors(contexts), sif.embeddings.vectors, atol=1e-2)


def test_held_out_words_choose_the_weights() -> None:
    """Where rare words are nothing but noise, to count them in full is worst."""
    contexts, sif = planted(np.where(N_CONTEXTS >= 300, 0.01, 5.0))
    scores = {name: learn_map(contexts, sif, WINDOWS, weighting=name).held_out for name in WEIGHTINGS}
    assert min(scores, key=scores.__getitem__) == "uniform"
    chosen = learn_map(contexts, sif, WINDOWS)
    assert chosen.weighting == max(scores, key=scores.__getitem__) == "threshold"
    assert chosen.held_out == scores["threshold"]


def test_weighted_fit_is_the_fit_of_repeated_words() -> None:
    vectors = RNG.normal(size=(N_WORDS, DIM))
    times = RNG.integers(0, 4, N_WORDS)
    repeated = fit_matrix(AVERAGES.repeat(times, axis=0), vectors.repeat(times, axis=0), np.ones(times.sum()))
    assert np.allclose(fit_matrix(AVERAGES, vectors, times.astype(float)), repeated)


def test_fewer_words_than_dimensions_have_a_map() -> None:
    matrix = fit_matrix(AVERAGES[:2], np.eye(2, DIM), np.ones(2))
    assert np.isfinite(matrix).all()
    assert np.allclose(AVERAGES[:2] @ matrix.T, np.eye(2, DIM), atol=0.01)
    with pytest.raises(InputError, match="no word has a context"):
        fit_matrix(np.zeros((3, DIM)), np.ones((3, DIM)), np.ones(3))


def test_same_bytes_again() -> None:
    contexts, sif = planted(0.1)
    first, second = (learn_map(contexts, sif, WINDOWS) for _ in range(2))
    assert first.matrix.tobytes() == second.matrix.tobytes()
    assert first.common_direction.tobytes() == second.common_direction.tobytes()


def test_matrix_removes_the_common_direction_by_itself() -> None:
    contexts, sif = planted(0.1)
    learned = learn_map(contexts, sif, WINDOWS, remove_common=True)
    assert np.abs(learned.apply(learned.common_direction)).max() < 1e-5
    vector = AVERAGES[0]
    assert np.allclose(learned.apply(vector), learned.apply(vector + 7 * learned.common_direction), atol=1e-4)


def test_one_vector_or_several() -> None:
    contexts, sif = planted()
    learned = learn_map(contexts, sif, WINDOWS)
    several = learned.apply(AVERAGES[:3])
    assert np.allclose(several[0], learned.apply(AVERAGES[0]))
    assert np.allclose(several, AVERAGES[:3] @ learned.matrix.T, atol=1e-5)
    with pytest.raises(InputError, match="pass 6 numbers"):
        learned.apply(np.ones(5))


def test_enough_contexts_is_less_for_small_texts() -> None:
    assert enough_contexts(np.full(100, 1000), 10) == 300
    assert enough_contexts(np.arange(100), 10) == 80
    assert enough_contexts(np.zeros(5, np.int64), 10) == 1


def test_a_third_is_held_out() -> None:
    candidates = np.arange(90) < 60
    held = hold_out(candidates, 0)
    assert held.sum() == 20
    assert not (held & ~candidates).any()
    assert not (held == hold_out(candidates, 1)).all()


def test_cosines_by_hand() -> None:
    assert cosines(np.array([[1, 0], [3, 4], [0, 0]]), np.array([[2, 0], [4, 3], [1, 1]])).tolist() == [1, 0.96, 0]


# --- new words


@pytest.fixture
def small() -> tuple[InducedMap, SIF]:
    embeddings = Embeddings(["new", "city", "river", "york"], np.eye(4))
    learned = InducedMap(2 * np.eye(4, dtype=np.float32), np.eye(4, dtype=np.float32)[0], WINDOWS, a=math.inf)
    return learned, learned.sif(embeddings)


def test_contexts_of_a_word_and_of_a_phrase(small: tuple[InducedMap, SIF]) -> None:
    _, sif = small
    texts = ["The city of New York, a new city", "the river", "york new York"]
    around_york = [["city", "new", "new", "city"], ["the", "river"], ["new", "york"], ["york", "new"]]
    assert find_contexts("york", texts, sif) == around_york
    assert find_contexts("New York", texts, sif, window=1) == [["city", "new"], ["the", "river"], ["york"]]
    assert find_contexts("new york", texts[2:], sif, include_target=True) == [["york", "new", "york"]]
    with pytest.raises(InputError, match="no word in it"):
        find_contexts("…", texts, sif)


def test_induced_vector_is_the_map_of_the_mean_context(small: tuple[InducedMap, SIF]) -> None:
    learned, sif = small
    vector = learned.induce(sif, [["city", "river"], ["zyx"], [], ["city"]])
    assert vector.tolist() == [0, 1.5, 0.5, 0]
    with pytest.raises(InputError, match="none of the 2 contexts"):
        learned.induce(sif, [["zyx"], []])


# --- one context alone


def naive_moments(
    contexts: ContextAverages, sif: SIF, weights: NDArray[np.float64], samples: NDArray[np.floating]
) -> list[NDArray[np.float64]]:
    """Σ ω v uᵀ and Σ ω u uᵀ word by word, and what is positive of contexts' second moment less that of averages."""
    cross, gram, between = (np.zeros((DIM, DIM)) for _ in range(3))
    total = int(contexts.n_contexts.sum())
    for u, v, weight, n in zip(contexts.averages, sif.embeddings.vectors, weights, contexts.n_contexts, strict=True):
        cross += weight / weights.sum() * np.outer(v, u)
        gram += weight / weights.sum() * np.outer(u, u)
        between += n / total * np.outer(u, u)
    within = sum(np.outer(sample, sample) / len(samples) for sample in samples.astype(float)) - between
    values, directions = np.linalg.eigh(within)
    positive = sum(value * np.outer(d, d) for value, d in zip(values, directions.T, strict=True) if value > 0)
    return [cross, gram, positive]


def spread_out(times: float = 0.1) -> tuple[ContextAverages, SIF]:
    """Averages that are small beside single contexts, which are plain means."""
    contexts, sif = planted()
    plain = SIF(sif.embeddings, sif.p_word, math.inf)
    return ContextAverages((times * contexts.averages).astype(np.float32), N_CONTEXTS, WINDOW), plain


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_moments_against_plain_loops(weighting: str) -> None:
    contexts, sif = spread_out()
    learned = learn_map(contexts, sif, WINDOWS, weighting=weighting)
    weights = WEIGHTINGS[weighting](N_CONTEXTS, enough_contexts(N_CONTEXTS, DIM))
    samples = sif.window_vectors(WINDOWS).vectors
    for found, expected in zip(learned.moments, naive_moments(contexts, sif, weights, samples), strict=True):
        assert np.allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_covariance_of_contexts_is_never_negative() -> None:
    """Averages that vary more than single contexts leave nothing for the noise."""
    contexts, sif = spread_out(100.0)
    within = learn_map(contexts, sif, WINDOWS).moments[2]
    assert np.linalg.eigvalsh(within.astype(float)).min() > -1e-5


@pytest.mark.parametrize("remove_common", [False, True])
def test_without_noise_the_map_is_a_itself(remove_common: bool) -> None:
    contexts, sif = planted(0.1)
    learned = learn_map(contexts, sif, WINDOWS, remove_common=remove_common)
    assert learned.for_one_context(0) is learned.matrix
    assert np.allclose(learned.for_one_context(1e-9), learned.matrix, atol=1e-3)


@pytest.mark.parametrize("noise", [0.1, 1.0, 30.0])
def test_noisy_map_is_the_fit_to_noisy_contexts(noise: float) -> None:
    """Each average with steps of the noise's standard deviation along every axis, both ways: the plain fit of those."""
    contexts, sif = spread_out()
    learned = learn_map(contexts, sif, WINDOWS, weighting="uniform")
    within = noise * learned.moments[2].astype(np.float64)
    values, directions = np.linalg.eigh(within)
    steps = (directions * np.sqrt(DIM * np.maximum(values, 0))).T
    noisy = np.concatenate([contexts.averages + sign * step for step in steps for sign in (-1, 1)])
    targets = np.tile(sif.embeddings.vectors, (2 * DIM, 1))
    expected = fit_matrix(noisy, targets, np.ones(len(noisy)))
    assert np.allclose(learned.for_one_context(noise), expected, rtol=1e-3, atol=1e-2)


def test_more_noise_makes_the_map_smaller() -> None:
    contexts, sif = spread_out()
    learned = learn_map(contexts, sif, WINDOWS)
    sizes = [float(np.linalg.norm(learned.for_one_context(noise))) for noise in (0, 0.1, 1, 10, 100)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.8 * sizes[0]
    assert learned.for_one_context(1).dtype == np.float32


def test_noisy_map_removes_the_common_direction_too() -> None:
    contexts, sif = planted(0.1)
    learned = learn_map(contexts, sif, WINDOWS, remove_common=True)
    assert np.abs(learned.for_one_context(0.5) @ learned.common_direction).max() < 1e-5


@pytest.mark.parametrize("noise", [-1, math.nan, math.inf, 1e308])
def test_noise_is_checked(noise: float) -> None:
    contexts, sif = planted()
    with pytest.raises(InputError, match=r"^noise is .*; pass a number from 0 to 1e\+06\.$"):
        learn_map(contexts, sif, WINDOWS).for_one_context(noise)


def test_map_without_moments(small: tuple[InducedMap, SIF]) -> None:
    learned, _ = small
    assert learned.for_one_context(0.0) is learned.matrix
    with pytest.raises(ModelError, match="learned without the moments that single contexts need; run"):
        learned.for_one_context(0.5)


def test_moments_are_kept(tmp_path: Path) -> None:
    contexts, sif = planted(0.1)
    learned = learn_map(contexts, sif, WINDOWS)
    learned.save(tmp_path)
    loaded = InducedMap.load(tmp_path)
    assert loaded.moments.tobytes() == learned.moments.tobytes()
    assert loaded.for_one_context(0.7).tobytes() == learned.for_one_context(0.7).tobytes()
    (tmp_path / "map-moments.npy").unlink()
    assert InducedMap.load(tmp_path).moments is None


def test_moments_of_an_earlier_map_do_not_stay_behind(tmp_path: Path) -> None:
    learned = learn_map(*planted(0.1), WINDOWS)
    learned.save(tmp_path)
    replace(learned, moments=None).save(tmp_path)
    assert InducedMap.load(tmp_path).moments is None


@pytest.mark.parametrize("wrong", [np.ones((2, DIM, DIM), np.float32), np.full((3, DIM, DIM), np.nan, np.float32)])
def test_damaged_moments_are_refused(tmp_path: Path, wrong: NDArray[np.float32]) -> None:
    contexts, sif = planted()
    learn_map(contexts, sif, WINDOWS).save(tmp_path)
    np.save(tmp_path / "map-moments.npy", wrong)
    with pytest.raises(ModelError, match=r"map-moments\.npy has shape .* wordatoms map .* --force"):
        InducedMap.load(tmp_path)


# --- files


def test_save_and_load_are_inverse(tmp_path: Path) -> None:
    contexts, sif = planted(0.1)
    learned = learn_map(contexts, sif, WINDOWS)
    contexts.save(tmp_path)
    learned.save(tmp_path)
    loaded = InducedMap.load(tmp_path)
    for name in ("matrix", "common_direction", "windows"):
        assert getattr(loaded, name).tobytes() == getattr(learned, name).tobytes()
    assert loaded._description() == learned._description()
    assert repr(loaded) == repr(learned)
    assert load_induced_vectors(tmp_path).tobytes() == learned.induced_vectors(contexts).tobytes()
    plain = InducedMap(learned.matrix, learned.common_direction, WINDOWS, a=math.inf, window=WINDOW)
    plain.save(tmp_path)
    again = InducedMap.load(tmp_path)
    assert again.a == math.inf
    assert math.isnan(again.held_out)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("map.json", b"{}"),
        ("map.json", b'{"dim": -1}'),
        ("map.json", b'{"dim": 1e400, "window": 10, "n_windows": 3}'),
        ("map-matrix.npy", b"nothing"),
        ("map-common.npy", None),
        ("map-windows.npy", None),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, name: str, content: bytes | None) -> None:
    contexts, sif = planted()
    learn_map(contexts, sif, WINDOWS).save(tmp_path)
    (tmp_path / name).write_bytes((tmp_path / "map-matrix.npy").read_bytes() if content is None else content)
    with pytest.raises(ModelError):
        InducedMap.load(tmp_path)


def test_windows_with_wild_rows_are_refused(tmp_path: Path) -> None:
    contexts, sif = planted()
    learn_map(contexts, sif, WINDOWS - np.int32(2)).save(tmp_path)
    with pytest.raises(ModelError, match="map-windows"):
        InducedMap.load(tmp_path)


def test_bad_parameters() -> None:
    contexts, sif = planted()
    with pytest.raises(InputError, match="weighting is 'square'"):
        learn_map(contexts, sif, WINDOWS, weighting="square")
    fewer = ContextAverages(AVERAGES[:9], N_CONTEXTS[:9], WINDOW)
    with pytest.raises(InputError, match="same words"):
        learn_map(fewer, sif, WINDOWS)

"""Listed senses: against an obvious twin, and on contexts whose senses are known."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from wordatoms.senses import listed as module
from wordatoms.senses import observing
from wordatoms.senses.listed import find_listed_senses
from wordatoms.senses.observing import ANY_FORM, Background, ListedSenses
from wordatoms.senses.posterior import to_unit

DIM, NOISE = 12, 0.25


def contexts(rng: np.random.Generator, sizes: list[int]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Contexts around the first axes, so many of each, and the axis of each."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return to_unit(np.eye(DIM)[labels] + NOISE * rng.standard_normal((len(labels), DIM))), labels


def cues(rng: np.random.Generator, n: int) -> NDArray[np.float32]:
    return to_unit(np.eye(DIM)[:n] + 0.2 * rng.standard_normal((n, DIM)))


@pytest.fixture
def background(rng: np.random.Generator) -> Background:
    random = to_unit(rng.standard_normal((500, DIM)))
    return Background(
        np.zeros(DIM, np.float32),
        1.0,
        np.zeros((0, DIM), np.float32),
        random,
        np.eye(DIM, dtype=np.float32),
        np.ones(DIM) / DIM,
    )


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def listed_senses(directions: NDArray[np.float32], forms: list[int] | None = None) -> ListedSenses:
    names = tuple(f"sense {n}" for n in range(len(directions)))
    return ListedSenses(names, directions, np.array(forms or [ANY_FORM] * len(directions)))


def naive(
    units: NDArray[np.float32], weights: NDArray[np.float64], directions: NDArray[np.float32]
) -> tuple[list[list[float]], list[float]]:
    """Assign contexts to senses and average them, one number at a time."""
    n = len(directions)
    vectors, shares = [list(map(float, row)) for row in directions], [1 / n] * n
    for _ in range(module.N_ROUNDS):
        sums, used = [[0.0] * DIM for _ in range(n)], [0.0] * n
        for unit, weight in zip(units.tolist(), weights.tolist(), strict=True):
            odds = [
                share * np.exp(observing.SHARPNESS * float(np.dot(unit, vector)))
                for share, vector in zip(shares, vectors, strict=True)
            ]
            none = observing.NONE_SHARE * np.exp(observing.SHARPNESS * observing.LISTED_NONE_COSINE)
            for k in range(n):
                p = weight * odds[k] / (sum(odds) + none)
                used[k] += p
                sums[k] = [total + p * value for total, value in zip(sums[k], unit, strict=True)]
        typical = float(
            np.median([np.linalg.norm(row) / max(share, 1e-9) for row, share in zip(sums, used, strict=True)])
        )
        anchored = [np.array(row) + module.ANCHOR * typical * cue for row, cue in zip(sums, directions, strict=True)]
        vectors = [list(map(float, row / np.linalg.norm(row))) for row in anchored]
        shares = [(share + module.EVEN / n) / (sum(used) + module.EVEN) for share in used]
    return vectors, shares


def test_as_one_would_write_it_down(rng: np.random.Generator, background: Background) -> None:
    units, _ = contexts(rng, [60, 30, 20])
    weights = rng.random(len(units))
    weights /= weights.sum()
    directions = cues(rng, 3)
    found = find_listed_senses(units, np.zeros(len(units), np.int64), weights, listed_senses(directions), background)
    vectors, shares = naive(units, weights, directions)
    np.testing.assert_allclose(found.vectors, vectors, atol=1e-4)
    np.testing.assert_allclose(found.shares, shares, atol=1e-4)


def test_planted_shares_are_found(rng: np.random.Generator, background: Background) -> None:
    units, labels = contexts(rng, [280, 80, 40])
    forms, weights = np.zeros(len(units), np.int64), np.full(len(units), 1 / len(units))
    found = find_listed_senses(units, forms, weights, listed_senses(cues(rng, 3)), background)
    shares = found.assign(units, 0)[:, :-1].mean(axis=0)
    np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=0.03)
    assert (found.assign(units, 0).argmax(axis=1) == labels).mean() > 0.95
    assert found.names == ("sense 0", "sense 1", "sense 2")


def test_a_sense_that_no_context_shows_is_dropped(rng: np.random.Generator, background: Background) -> None:
    units, _ = contexts(rng, [200, 100])
    forms, weights = np.zeros(len(units), np.int64), np.full(len(units), 1 / len(units))
    found = find_listed_senses(units, forms, weights, listed_senses(cues(rng, 4)), background)
    assert found.names == ("sense 0", "sense 1")


def test_a_listed_sense_needs_fewer_uses_than_a_found_one(rng: np.random.Generator) -> None:
    nothing = np.zeros(0)
    found = observing.Senses(nothing, nothing, nothing, np.zeros(3, np.bool_), nothing, nothing)
    listed = found._replace(listed=listed_senses(cues(rng, 3)))
    shares, numbers, lifts = np.array([0.5, 0.003, 0.0005]), np.array([500, 3, 1]), np.array([3.0, 3.0, 3.0])
    assert found.confirmed(shares, numbers, lifts, 1000).tolist() == [True, False, False]
    assert listed.confirmed(shares, numbers, lifts, 1000).tolist() == [True, True, False]


def test_a_sense_that_is_named_twice_is_one(rng: np.random.Generator, background: Background) -> None:
    units, _ = contexts(rng, [200, 100])
    forms, weights = np.zeros(len(units), np.int64), np.full(len(units), 1 / len(units))
    directions = cues(rng, 2)
    twice = np.concatenate([directions, to_unit(directions[:1] + 0.15 * rng.standard_normal((1, DIM)))])
    found = find_listed_senses(units, forms, weights, listed_senses(twice), background)
    assert found.names == ("sense 0", "sense 1")
    np.testing.assert_allclose(sorted(found.shares), [1 / 3, 2 / 3], atol=0.05)
    of_other_forms = listed_senses(twice, [ANY_FORM, ANY_FORM, 7])
    assert len(find_listed_senses(units, forms + 7, weights, of_other_forms, background).names) == 3


def test_one_sense_is_kept_even_if_hardly_anything_shows_it(rng: np.random.Generator, background: Background) -> None:
    units, _ = contexts(rng, [4])
    found = find_listed_senses(units, np.zeros(4, np.int64), np.full(4, 0.25), listed_senses(cues(rng, 3)), background)
    assert "sense 0" in found.names


def test_a_sense_of_one_form_takes_no_contexts_of_others(rng: np.random.Generator, background: Background) -> None:
    units, labels = contexts(rng, [100, 100])
    forms = np.where(np.arange(200) % 2, 7, 3)
    weights = np.full(200, 1 / 200)
    found = find_listed_senses(units, forms, weights, listed_senses(cues(rng, 2), [ANY_FORM, 7]), background)
    assert found.assign(units[labels == 1], 3)[:, 1].max() < 1e-6
    assert found.assign(units[labels == 1], 7).argmax(axis=1).tolist() == [1] * 100

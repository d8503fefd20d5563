"""The obvious way to shares by group with intervals, tests and trends: one topic and one group after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weights(n_documents: int, n_resamples: int, seed: int) -> NDArray[np.float32]:
    """The weight of each document in each resample."""
    rngs = (np.random.default_rng([seed, document]) for document in range(n_documents))
    return np.stack([rng.standard_exponential(n_resamples, np.float32) for rng in rngs])


def one_more(n_documents: int, label: int, n_resamples: int, seed: int) -> NDArray[np.float32]:
    """The weights of one more document with a topic."""
    return np.random.default_rng([seed, n_documents, label]).standard_exponential(n_resamples, np.float32)


def bounds(low: list[float], high: list[float], confidence: float = 0.95) -> tuple[float, float]:
    edge = round((1 - confidence) / 2 * (len(low) - 1))
    return sorted(low)[edge], sorted(high)[-1 - edge]


def means(shares: NDArray, drawn: NDArray) -> list[float]:
    """The mean of some documents' shares in each resample, given their weights."""
    return [float(np.average(shares, weights=column)) for column in drawn.T.astype(float)]


def means_with(share: float, extra: NDArray, shares: NDArray, drawn: NDArray) -> list[float]:
    """The same with one more document."""
    return means(np.append(shares, share), np.vstack([drawn, extra]))


def slope(shares: NDArray, times: NDArray, weight: NDArray) -> float:
    centred = times - np.average(times, weights=weight)
    return float((weight * centred * shares).sum() / (weight * centred**2).sum())


def permuted(shares: NDArray, numbers: NDArray, n: int = 20_000) -> float:
    """The two-sided p of the sum of share times number, by random permutations."""
    rng = np.random.default_rng(0)
    sums = np.array([shares @ rng.permutation(numbers) for _ in range(n)])
    own = shares @ numbers
    return 2 * min((sums >= own - 1e-12).mean(), (sums <= own + 1e-12).mean())


def q(p: list[float], weights: list[float]) -> list[float]:
    """The smallest rate of false discoveries at which each is a discovery."""
    weighted = [min(each * np.mean(weights) / weight, 1) for each, weight in zip(p, weights, strict=True)]
    rates = {at: min(at * len(p) / sum(each <= at for each in weighted), 1) for at in weighted}
    return [min(rate for at, rate in rates.items() if at >= own) for own in weighted]

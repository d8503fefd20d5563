"""The obvious way to shares by group with intervals, tests and trends: one topic and one group after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weights(n_documents: int, n_resamples: int, seed: int) -> NDArray[np.float32]:
    """The weight of each document in each resample."""
    rngs = (np.random.default_rng([seed, document]) for document in range(n_documents))
    return np.stack([rng.standard_exponential(n_resamples, np.float32) for rng in rngs])


def bounds(resampled: list[float], confidence: float) -> tuple[float, float]:
    ordered = sorted(resampled)
    edge = round((1 - confidence) / 2 * (len(ordered) - 1))
    return ordered[edge], ordered[-1 - edge]


def share_interval(shares: NDArray, drawn: NDArray, confidence: float) -> tuple[float, float]:
    """The interval of the mean of some documents' shares, given their weights."""
    return bounds([float(np.average(shares, weights=column)) for column in drawn.T.astype(float)], confidence)


def slope(shares: NDArray, times: NDArray, weight: NDArray) -> float:
    centred = times - np.average(times, weights=weight)
    return float((weight * centred * shares).sum() / (weight * centred**2).sum())


def robust_error(shares: NDArray, times: NDArray) -> float:
    """HC1 standard error of the slope, by matrices."""
    design = np.column_stack([np.ones(len(times)), times])
    inverse = np.linalg.inv(design.T @ design)
    residuals = shares - design @ (inverse @ design.T @ shares)
    meat = design.T @ (design * residuals[:, None] ** 2)
    return float(np.sqrt((inverse @ meat @ inverse)[1, 1] * len(times) / (len(times) - 2)))

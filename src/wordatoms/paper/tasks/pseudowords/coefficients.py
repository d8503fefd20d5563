"""Which sum of two words' vectors is the vector of their pseudoword: two laws for its coefficients against the best.

For each pseudoword the best α and β in α·v₁ + β·v₂, word 1 the more frequent, are found by least squares. Theorem 2
says α = r/(1+r) and β = 1/(1+r) for words that are r : 1 in frequency; an earlier account by the same authors has
α ≈ 1 and β ≈ 1 − ½·log₁₀ r. Each law is judged by the share of its pseudowords' vectors that it leaves unexplained,
and by R² of its coefficients (below 0 where the mean alone is better).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float64]

RATIOS = (1.0, 1.5, 3.0, 6.0, 12.0, 30.0, 100.0, np.inf)
"""Bounds of the bins of r."""


@dataclass(frozen=True)
class LawFit:
    """How well a law for α and β fits."""

    unexplained: float
    """Mean of ‖u − (α·v₁ + β·v₂)‖² / ‖u‖²."""
    r2_alpha: float | None
    """None where all values are the same."""
    r2_beta: float | None


@dataclass(frozen=True)
class RatioBin:
    """Medians over pseudowords with a similar ratio of frequencies."""

    n_pairs: int
    ratio: float
    alpha: float
    beta: float
    theorem_alpha: float
    theorem_beta: float
    log_beta: float


@dataclass(frozen=True)
class CoefficientFits:
    free: LawFit
    """The best α and β of each pseudoword, a lower bound for any law."""
    theorem: LawFit
    log_law: LawFit
    log_slope: float | None
    """s in β ≈ 1 − s·log₁₀ r that fits best; the log law has ½."""
    bins: tuple[RatioBin, ...]

    @property
    def verdict(self) -> str:
        better = "Theorem 2's" if self.theorem.unexplained <= self.log_law.unexplained else "the log law's"
        return (
            f"{better} coefficients fit better: unexplained {self.theorem.unexplained:.3f} (Theorem 2), "
            f"{self.log_law.unexplained:.3f} (1 and 1 − ½·log₁₀ r), {self.free.unexplained:.3f} (best for each pair)."
        )


def squared_norms(vectors: Vectors) -> Vectors:
    """Of each row."""
    return np.asarray((vectors * vectors).sum(axis=1))


def weighted_sums(both: Vectors, coefficients: Vectors) -> Vectors:
    """α·v₁ + β·v₂ of each pair, (n, dim), from vectors (n, 2, dim) and coefficients (n, 2)."""
    return np.asarray((both * coefficients[:, :, None]).sum(axis=1))


def fit_coefficients(trained: Vectors, both: Vectors) -> Vectors:
    """The α and β of each pair that bring α·v₁ + β·v₂ nearest to its trained vector, (n, 2)."""
    return np.array(
        [np.linalg.lstsq(pair.T, vector, rcond=None)[0] for pair, vector in zip(both, trained, strict=True)]
    )


def fit_laws(trained: Vectors, both: Vectors, coefficients: Vectors, counts: NDArray[np.int64]) -> CoefficientFits:
    """Judge both laws by pairs of words with vectors (n, 2, dim) and counts (n, 2), the more frequent first."""
    ratios = counts[:, 0] / counts[:, 1]
    theorem, log_law = theorem_coefficients(ratios), log_law_coefficients(ratios)

    def fit(law: Vectors) -> LawFit:
        unexplained = squared_norms(trained - weighted_sums(both, law)) / squared_norms(trained)
        return LawFit(float(unexplained.mean()), *(_r2(coefficients[:, k], law[:, k]) for k in (0, 1)))

    return CoefficientFits(
        free=fit(coefficients),
        theorem=fit(theorem),
        log_law=fit(log_law),
        log_slope=_log_slope(ratios, coefficients[:, 1]),
        bins=_bins(ratios, coefficients, theorem, log_law),
    )


def theorem_coefficients(ratios: Vectors) -> Vectors:
    return np.stack([ratios / (1 + ratios), 1 / (1 + ratios)], axis=1)


def log_law_coefficients(ratios: Vectors) -> Vectors:
    return np.stack([np.ones_like(ratios), 1 - np.log10(ratios) / 2], axis=1)


def _r2(values: Vectors, law: Vectors) -> float | None:
    total = ((values - values.mean()) ** 2).sum()
    return float(1 - ((values - law) ** 2).sum() / total) if total > 0 else None


def _log_slope(ratios: Vectors, betas: Vectors) -> float | None:
    logs = np.log10(ratios)
    return float(((1 - betas) * logs).sum() / (logs * logs).sum()) if logs.any() else None


def _bins(ratios: Vectors, best: Vectors, theorem: Vectors, log_law: Vectors) -> tuple[RatioBin, ...]:
    columns = np.column_stack([ratios, best, theorem, log_law[:, 1]])
    places = np.searchsorted(RATIOS, ratios, side="right")
    return tuple(
        RatioBin(int((places == place).sum()), *np.median(columns[places == place], axis=0).tolist())
        for place in np.unique(places)
    )

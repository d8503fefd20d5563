"""Which sum of two words' vectors is the vector of their pseudoword: three laws for its coefficients against the best.

For each pseudoword the best α and β in α·v₁ + β·v₂, word 1 the more frequent, are found by least squares. The laws, for
words that occur f₁ and f₂ times, r = f₁/f₂:

- Theorem 2: α = f₁/(f₁+f₂), β = f₂/(f₁+f₂);
- a comment in the source of the paper has these times √(log(f₁+f₂) / log f₁) and √(log(f₁+f₂) / log f₂), because in the
  model the length of a vector grows with the root of log frequency;
- an earlier account by the same authors has α ≈ 1 and β ≈ 1 − ½·log₁₀ r.

Each law is judged by the share of its pseudowords' vectors that it leaves unexplained, by R² of its coefficients (below
0 where the mean alone is better), and by Pearson's correlation of all its coefficients with the best ones.
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
    error: float
    """Mean of ‖u − (α·v₁ + β·v₂)‖ / ‖u‖."""
    pearson: float | None
    """Correlation of all α and β with the best ones; None where one side is constant."""
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
    root_log: LawFit
    """The theorem's coefficients with the factors of the comment."""
    log_law: LawFit
    log_slope: float | None
    """s in β ≈ 1 − s·log₁₀ r that fits best; the log law has ½."""
    bins: tuple[RatioBin, ...]

    @property
    def verdict(self) -> str:
        laws = {"Theorem 2": self.theorem, "√log": self.root_log, "1 and 1 − ½·log₁₀ r": self.log_law}
        better = min(laws, key=lambda name: laws[name].unexplained)
        shown = ", ".join(f"{law.unexplained:.3f} ({name})" for name, law in laws.items())
        return (
            f"the coefficients of {better} fit best: unexplained {shown}, "
            f"{self.free.unexplained:.3f} (best for each pair)."
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
    """Judge the laws by pairs of words with vectors (n, 2, dim) and counts (n, 2), the more frequent first."""
    ratios = counts[:, 0] / counts[:, 1]
    theorem, log_law = theorem_coefficients(ratios), log_law_coefficients(ratios)

    def fit(law: Vectors) -> LawFit:
        unexplained = squared_norms(trained - weighted_sums(both, law)) / squared_norms(trained)
        r2 = (_r2(coefficients[:, k], law[:, k]) for k in (0, 1))
        means = (float(unexplained.mean()), float(np.sqrt(unexplained).mean()))
        return LawFit(*means, _pearson(coefficients.ravel(), law.ravel()), *r2)

    return CoefficientFits(
        free=fit(coefficients),
        theorem=fit(theorem),
        root_log=fit(root_log_coefficients(counts)),
        log_law=fit(log_law),
        log_slope=_log_slope(ratios, coefficients[:, 1]),
        bins=_bins(ratios, coefficients, theorem, log_law),
    )


def theorem_coefficients(ratios: Vectors) -> Vectors:
    return np.stack([ratios / (1 + ratios), 1 / (1 + ratios)], axis=1)


def root_log_coefficients(counts: NDArray[np.int64]) -> Vectors:
    """The coefficients of Theorem 2 in a comment of the paper's source, from counts (n, 2)."""
    totals = counts.sum(axis=1, keepdims=True)
    logs = np.log(np.maximum(counts, 2))  # a word that occurs once would have an infinite coefficient
    return np.asarray(counts / totals * np.sqrt(np.log(totals) / logs))


def log_law_coefficients(ratios: Vectors) -> Vectors:
    return np.stack([np.ones_like(ratios), 1 - np.log10(ratios) / 2], axis=1)


def _r2(values: Vectors, law: Vectors) -> float | None:
    total = ((values - values.mean()) ** 2).sum()
    return float(1 - ((values - law) ** 2).sum() / total) if total > 0 else None


def _pearson(values: Vectors, law: Vectors) -> float | None:
    return float(np.corrcoef(values, law)[0, 1]) if np.ptp(values) > 0 and np.ptp(law) > 0 else None


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

"""The map A of Theorem 1: from the average context vector u_w of a word to its vector, v_w ≈ A·u_w (Section 4).

A minimises Σ ω_w ‖v_w − A·u_w‖² over the words. The paper weights all words equally; but averages over few contexts
are noisy, so there are several ω (`WEIGHTINGS`). By default the one with the best held-out score is used: a third of
the words with enough contexts is left out of the fit, and the mean cosine between v_w and A·u_w over that third
decides. The final fit uses all words. If the common direction is removed from contexts before the fit, the matrix
removes it itself, so A always takes SIF vectors as they are.

A is made for averages over many contexts. A single context is mostly noise, and then the best linear estimate of v_w is
smaller: with S the covariance of contexts around the average of their word,
A_noise = (Σ ω v uᵀ)(Σ ω u uᵀ + noise · S)⁻¹, which is A itself without noise (`InducedMap.for_one_context`).

Left out: reading text (`wordatoms.contexts.averages`) and the table of the paper
(`wordatoms.paper.tasks.induced.evaluate`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.averages import ContextAverages, load_checked
from wordatoms.contexts.sif import DEFAULT_A, SIF, Context, p_words, remove_direction
from wordatoms.contexts.usages import Usage, target_tokens
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError, require_string
from wordatoms.parallel import one_blas_thread
from wordatoms.storage.files import save_array, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.text.tokenizer import Tokenizer

ENOUGH_CONTEXTS = 300
"""Contexts after which an average is reliable."""
HELD_OUT_SHARE = 1 / 3
RIDGE = 1e-4
"""In units of the mean eigenvalue: negligible for many words, and it makes the system solvable for few."""
BLOCK_ROWS = 4096
MOST_NOISE = 1e6

Weights = NDArray[np.float64]
WEIGHTINGS: dict[str, Callable[[NDArray[np.int64], int], Weights]] = {
    "uniform": lambda n_contexts, _: (n_contexts > 0).astype(np.float64),
    "threshold": lambda n_contexts, enough: (n_contexts >= max(enough, 1)).astype(np.float64),
    "log-count": lambda n_contexts, _: np.log1p(n_contexts),
    "reliability": lambda n_contexts, enough: n_contexts / (n_contexts + 10.0 * enough),
}
"""ω of each word from its number of contexts and the number that is enough."""


@dataclass(frozen=True, eq=False, repr=False)
class InducedMap:
    """The matrix A with the settings of its contexts, so that new contexts can be made in the same way."""

    matrix: NDArray[np.float32]
    """(dim, dim); `v ≈ matrix @ u`."""
    common_direction: NDArray[np.float32]
    """The common direction of SIF vectors, fitted on `windows`, (dim,)."""
    windows: NDArray[np.int32]
    """Random windows of the text: rows of words, -1 for none, the target in the middle, (n, 2 * window + 1)."""
    a: float = DEFAULT_A
    """Smoothing of SIF; infinite for the plain mean."""
    window: int = 10
    include_target: bool = False
    """Whether the contexts contained the word itself."""
    remove_common: bool = False
    """Whether the common direction was removed before the fit; the matrix then removes it too."""
    weighting: str = "uniform"
    in_sample: float = math.nan
    """Mean cosine of v_w and A·u_w over the words with enough contexts, all of them in the fit."""
    held_out: float = math.nan
    """The same over words that were left out of the fit."""
    moments: NDArray[np.float32] | None = None
    """Σ ω v uᵀ, Σ ω u uᵀ and S, (3, dim, dim); None if they were not kept."""

    FILES = ("map.json", "map-matrix.npy", "map-common.npy", "map-windows.npy", "map-moments.npy")

    def __len__(self) -> int:
        """Return the number of dimensions."""
        return len(self.matrix)

    def __repr__(self) -> str:
        return (
            f"InducedMap({len(self)} dimensions, weighting {self.weighting!r}, "
            f"cosine {self.in_sample:.3f}, held out {self.held_out:.3f})"
        )

    def apply(self, vectors: NDArray[Any]) -> NDArray[np.float32]:
        """Return A times a vector (dim,) or each of several (n, dim)."""
        vectors = np.asarray(vectors, np.float32)
        if vectors.shape[-1:] != (len(self),):
            raise InputError(f"the vectors have shape {vectors.shape}; pass {len(self)} numbers for each.")
        mapped: NDArray[np.float32] = np.empty(vectors.shape, np.float32)
        rows, out = np.atleast_2d(vectors), np.atleast_2d(mapped)
        with one_blas_thread():
            for start in range(0, len(rows), BLOCK_ROWS):
                out[start : start + BLOCK_ROWS] = rows[start : start + BLOCK_ROWS] @ self.matrix.T
        return mapped

    def for_one_context(self, noise: float) -> NDArray[np.float32]:
        """Return the matrix for single contexts, (dim, dim), which allows for their noise; 0 gives A itself."""
        if not 0 <= noise <= MOST_NOISE:
            raise InputError(f"noise is {noise}; pass a number from 0 to {MOST_NOISE:g}.")
        if noise == 0:
            return self.matrix
        if self.moments is None:
            raise ModelError(
                "the map was learned without the moments that single contexts need; run `wordatoms map --force`."
            )
        cross, contexts, within = self.moments.astype(np.float64)
        with one_blas_thread():
            matrix = _solve(_with_ridge(contexts + noise * within), cross.T).T
        return _to_single(_without_direction(matrix, self.common_direction) if self.remove_common else matrix)

    def induced_vectors(self, contexts: ContextAverages) -> NDArray[np.float32]:
        """Return the induced embeddings A·u_w of all words, (n_words, dim); zeros for a word without contexts."""
        return self.apply(contexts.averages)

    def sif(self, embeddings: Embeddings, tokenizer: Tokenizer | None = None) -> SIF:
        """Return the SIF that makes vectors of contexts as this map expects them."""
        return SIF(embeddings, p_words(embeddings), self.a, self.common_direction, tokenizer or Tokenizer())

    def induce(self, sif: SIF, contexts: Iterable[Context]) -> NDArray[np.float32]:
        """Return the vector of a word from its contexts: A times the mean of their SIF vectors, (dim,)."""
        found = sif.vectors(contexts)
        usable = found.vectors[~found.is_empty]
        if not len(usable):
            raise InputError(f"none of the {len(found.vectors):,} contexts has a known word; pass other contexts.")
        return self.apply(usable.mean(axis=0, dtype=np.float64))

    # --- files

    def save(self, folder: Path) -> None:
        (folder / "map.json").unlink(missing_ok=True)
        (folder / "map-moments.npy").unlink(missing_ok=True)
        arrays = {"matrix": self.matrix, "common": self.common_direction, "windows": self.windows}
        if self.moments is not None:
            arrays["moments"] = self.moments
        for name, array in arrays.items():
            save_array(folder / f"map-{name}.npy", array)
        write_json(folder / "map.json", self._description())

    def _description(self) -> dict[str, Any]:
        """Return the settings for JSON, where an infinite `a` and an undefined cosine are null."""
        numbers = {name: getattr(self, name) for name in ("a", "in_sample", "held_out")}
        return {
            "dim": len(self),
            "window": self.window,
            "n_windows": len(self.windows),
            "include_target": self.include_target,
            "remove_common": self.remove_common,
            "weighting": self.weighting,
            **{name: value if math.isfinite(value) else None for name, value in numbers.items()},
        }

    @classmethod
    def load(cls, folder: Path) -> InducedMap:
        try:
            facts = read_json(folder / "map.json")
            dim, window, n_windows = (int(facts[name]) for name in ("dim", "window", "n_windows"))
            settings: dict[str, Any] = {
                "a": math.inf if facts["a"] is None else float(facts["a"]),
                "window": window,
                "include_target": bool(facts["include_target"]),
                "remove_common": bool(facts["remove_common"]),
                "weighting": str(facts["weighting"]),
                **{n: math.nan if facts[n] is None else float(facts[n]) for n in ("in_sample", "held_out")},
            }
        except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise ModelError(
                f"the map in {folder} cannot be read ({error}); run: wordatoms map {folder} --force"
            ) from error
        arrays = (
            load_checked(folder / "map-matrix.npy", (dim, dim), np.float32),
            load_checked(folder / "map-common.npy", (dim,), np.float32),
            load_checked(folder / "map-windows.npy", (n_windows, 2 * window + 1), np.int32),
        )
        if (folder / "map-moments.npy").exists():
            settings["moments"] = load_checked(folder / "map-moments.npy", (3, dim, dim), np.float32)
        if arrays[2].min(initial=-1) < -1:
            raise ModelError(f"{folder}/map-windows.npy has rows below -1; run: wordatoms map {folder} --force")
        return cls(*arrays, **settings)


def _solve(gram: NDArray[np.float64], cross: NDArray[np.float64]) -> NDArray[np.float64]:
    try:
        return np.asarray(np.linalg.solve(gram, cross))
    except np.linalg.LinAlgError as error:
        raise ModelError(
            f"the moments of the map are not those of contexts ({error}); run `wordatoms map --force`."
        ) from error


def _to_single(matrix: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        single: NDArray[np.float32] = matrix.astype(np.float32)
    if not np.isfinite(single).all():
        raise ModelError("the moments of the map are too large for a map; run `wordatoms map --force`.")
    return single


def load_induced_vectors(folder: Path) -> NDArray[np.float32]:
    """Load the induced embeddings of a model with the stage `map`, (n_words, dim)."""
    return InducedMap.load(folder).induced_vectors(ContextAverages.load(folder))


# --- the fit


def learn_map(
    contexts: ContextAverages,
    sif: SIF,
    windows: NDArray[np.int32],
    *,
    weighting: str = "auto",
    remove_common: bool = False,
    random_state: int = 0,
) -> InducedMap:
    """Fit A to the word vectors of a SIF; `windows` are random windows of the same text.

    `weighting` is a name in `WEIGHTINGS`, or "auto" for the one with the best held-out score.
    """
    _check_alike(contexts, sif, weighting)
    common = sif.fit_common_direction(windows, include_target=contexts.include_target)
    averages = remove_direction(contexts.averages, common) if remove_common else contexts.averages
    fit = _Fit(averages, sif.embeddings.vectors, contexts.n_contexts)
    scores = fit.held_out_scores([weighting] if weighting != "auto" else list(WEIGHTINGS), random_state)
    best = max(scores, key=lambda name: scores[name])
    weights = fit.weights(best)
    matrix = fit_matrix(averages, sif.embeddings.vectors, weights)
    samples = sif.window_vectors(windows, include_target=contexts.include_target).vectors
    samples = remove_direction(samples, common) if remove_common else samples
    return InducedMap(
        (_without_direction(matrix, common) if remove_common else matrix).astype(np.float32),
        common,
        windows,
        a=sif.a,
        window=contexts.window,
        include_target=contexts.include_target,
        remove_common=remove_common,
        weighting=best,
        in_sample=fit.score(matrix, fit.scored),
        held_out=scores[best],
        moments=_moments(averages, sif.embeddings.vectors, weights, contexts.n_contexts, samples),
    )


def _check_alike(contexts: ContextAverages, sif: SIF, weighting: str) -> None:
    if weighting not in ("auto", *WEIGHTINGS):
        raise InputError(f"weighting is {weighting!r}; pass auto, {', '.join(WEIGHTINGS)}.")
    if contexts.averages.shape != sif.embeddings.vectors.shape:
        raise InputError(
            f"the averages have shape {contexts.averages.shape} but the vectors {sif.embeddings.vectors.shape}; "
            "pass contexts of the same words and vectors."
        )


def fit_matrix(averages: NDArray[Any], vectors: NDArray[Any], weights: Weights) -> NDArray[np.float64]:
    """Return the matrix A (dim, dim) that minimises Σ ω_w ‖v_w − A·u_w‖², with a mild ridge."""
    cross, gram = _weighted_products(averages, vectors, weights)
    with one_blas_thread():
        solution = np.linalg.solve(_with_ridge(gram), cross.T)
    return np.asarray(solution.T, np.float64)


def _weighted_products(
    averages: NDArray[Any], vectors: NDArray[Any], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Σ ω v uᵀ and Σ ω u uᵀ, each (dim, dim)."""
    used = np.flatnonzero(weights)
    if not len(used) or not averages[used].any():
        raise InputError("no word has a context to fit the map to; pass a longer text or another weighting.")
    contexts, targets = averages[used].astype(np.float64), vectors[used].astype(np.float64)
    with one_blas_thread():
        weighted = contexts * weights[used, None]
        return targets.T @ weighted, weighted.T @ contexts


def _with_ridge(gram: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(gram + np.eye(len(gram)) * (RIDGE * np.trace(gram) / len(gram)))


def _moments(
    averages: NDArray[np.float32],
    vectors: NDArray[np.float32],
    weights: Weights,
    n_contexts: NDArray[np.int64],
    samples: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Return Σ ω v uᵀ and Σ ω u uᵀ for Σ ω = 1, and the covariance S of contexts around their words' averages.

    S is the second moment of `samples`, the vectors of random contexts, minus that of the averages.
    """
    cross, gram = _weighted_products(averages, vectors, weights / weights.sum())
    shares = n_contexts / n_contexts.sum()
    between = _weighted_products(averages, vectors, shares)[1]
    double = samples.astype(np.float64)
    with one_blas_thread():
        values, directions = np.linalg.eigh(double.T @ double / len(double) - between)
        within = (directions * np.maximum(values, 0)) @ directions.T  # a covariance is never negative
    return np.stack([cross, gram, within]).astype(np.float32)


def cosines(vectors1: NDArray[Any], vectors2: NDArray[Any]) -> NDArray[np.float64]:
    """Return the cosine of each row with the same row of the other; 0 if one of them is zero."""
    rows1, rows2 = vectors1.astype(np.float64), vectors2.astype(np.float64)
    lengths = np.sqrt((rows1 * rows1).sum(axis=1) * (rows2 * rows2).sum(axis=1))
    products = (rows1 * rows2).sum(axis=1)
    return np.asarray(np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0))


def enough_contexts(n_contexts: NDArray[np.int64], dim: int, *, most: int = ENOUGH_CONTEXTS) -> int:
    """Return a number of contexts, `most` or less, that at least two words per dimension have, if there are so many."""
    ranked = np.sort(n_contexts)[::-1]
    return int(min(most, max(ranked[min(2 * dim, len(ranked)) - 1], 1)))


def hold_out(candidates: NDArray[np.bool_], random_state: int) -> NDArray[np.bool_]:
    """Mark a random third of the candidates."""
    rows = np.flatnonzero(candidates)
    drawn = np.random.default_rng(random_state).permutation(rows)[: round(HELD_OUT_SHARE * len(rows))]
    held = np.zeros(len(candidates), np.bool_)
    held[drawn] = True
    return held


@dataclass(frozen=True)
class _Fit:
    """The regression, with or without held-out words."""

    averages: NDArray[np.float32]
    vectors: NDArray[np.float32]
    n_contexts: NDArray[np.int64]

    @property
    def enough(self) -> int:
        return enough_contexts(self.n_contexts, self.vectors.shape[1])

    @property
    def scored(self) -> NDArray[np.bool_]:
        return np.asarray(self.n_contexts >= self.enough)

    def weights(self, weighting: str) -> Weights:
        return WEIGHTINGS[weighting](self.n_contexts, self.enough)

    def score(self, matrix: NDArray[np.float64], words: NDArray[np.bool_]) -> float:
        """Return the mean cosine of v_w and A·u_w over some words; NaN if there are none."""
        if not words.any():
            return math.nan
        with one_blas_thread():
            induced = self.averages[words].astype(np.float64) @ matrix.T
        return float(cosines(induced, self.vectors[words]).mean())

    def held_out_scores(self, weightings: Sequence[str], random_state: int) -> dict[str, float]:
        held = hold_out(self.scored, random_state)
        weights = {name: np.where(held, 0, self.weights(name)) for name in weightings}
        if not any(each.any() for each in weights.values()):
            return dict.fromkeys(weightings, math.nan)
        return {
            name: self.score(fit_matrix(self.averages, self.vectors, each), held) if each.any() else -math.inf
            for name, each in weights.items()
        }


def _without_direction(matrix: NDArray[np.float64], direction: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the matrix that first removes a direction."""
    return np.asarray(matrix - np.outer(matrix @ direction, direction))


# --- new words


def find_contexts(
    word: str, texts: Iterable[str | Usage], sif: SIF, *, window: int = 10, include_target: bool = False
) -> list[list[str]]:
    """Return the known words around each occurrence of a word, or of several consecutive words, in texts.

    A text without the word is one context as a whole.
    """
    target = target_tokens(word, sif.tokenizer)
    n, contexts = len(target), list[list[str]]()
    for text in texts:
        if isinstance(text, Usage):
            tokens, places, length = list(text.tokens), [text.position], text.length
        else:
            tokens, length = sif.tokenizer.tokens(require_string(text, "a text")), n
            places = [at for at in range(len(tokens)) if tokens[at : at + n] == target]
        around = sif.around_each(tokens, places, window=window, length=length, include_target=include_target)
        contexts += list(around) or [tokens]
    return contexts

"""Contexts of single words as vectors, read with the tuned settings of a model.

The paper takes the SIF vector of the context (Section 6.1). Two settings, each switched off by a zero, are added: words
count less the farther they are from the target (`falloff`), and the map A is the one for single contexts
(`InducedMap.for_one_context`; `noise`). Further occurrences of the target itself are left out, because they say nothing
about its sense. Words outside the vocabulary are dropped before distances are counted.

The vector is linear in the words, so each word has a share in whatever is computed from it (`ContextReader.shares`).
Left out: the senses themselves (`wordatoms.senses.disambiguation`), and how settings are chosen
(`wordatoms.tuning.choice`).
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import DEFAULT_A, SIF, group_means, p_words
from wordatoms.contexts.usages import Usage, places_around
from wordatoms.contexts.window_shapes import check_window
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.parallel import one_blas_thread
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json

if TYPE_CHECKING:
    from wordatoms.contexts.induced_map import InducedMap

BATCH_USAGES = 512
TUNING = "tuning.json"
"""File in the model folder with what `wordatoms tune` chose."""


@dataclass(frozen=True)
class ReadingSettings:
    """How contexts are read, and how much they count. A new setting needs a check below and a line in `TUNED`."""

    a: float = DEFAULT_A
    """Smoothing of SIF."""
    window: int = 50
    """Known words on each side."""
    falloff: float = 0.75
    """A word at distance d has the weight d ** -falloff."""
    noise: float = 0.5
    """Noise of a single context that the map allows for."""
    scale: float = 30.0
    """κ of the posterior: p(a|c) ∝ exp(κ ⟨v_a, v_c⟩) for v_c of length 1."""
    sense_share: float = 0.5
    """Weight of u_c in the vector of a word in context; the word's own vector has weight 1. Answers by use have their
    own two weights (`wordatoms.senses.by_use`)."""
    context_share: float = 0.15
    """Weight of the context's vector in the same."""
    rest: float = 0.2
    """Weight of the whole context, next to its products with the word's atoms, when contexts are clustered."""
    least_gain: float = 0.04
    """Minimum gain in mean cosine with the centres for which a further cluster is added."""

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
                raise InputError(f"{part.name} is {value!r}; pass a number.")
        if self.window != int(self.window):
            raise InputError(f"window is {self.window}; pass a whole number of words.")
        object.__setattr__(self, "window", int(self.window))
        check_window(self.window)
        if not self.a > 0:
            raise InputError(f"a is {self.a}; pass a positive number, or infinity for the plain mean.")
        if not self.scale > 0 or math.isinf(self.scale):
            raise InputError(f"scale is {self.scale}; pass a positive number.")
        for name in ("falloff", "noise", "sense_share", "context_share", "rest", "least_gain"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; pass 0 or a positive number.")

    def record(self) -> dict[str, float | None]:
        """Return the settings for JSON, where an infinite `a` is null."""
        numbers = {name: float(value) for name, value in asdict(self).items()}
        return {**numbers, "window": self.window, "a": float(self.a) if math.isfinite(self.a) else None}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ReadingSettings:
        known = {part.name for part in fields(cls)}
        if unknown := sorted(set(record) - known):
            raise InputError(f"there is no setting {unknown[0]!r}; there are {', '.join(sorted(known))}.")
        return cls(**{**record, "a": math.inf if record.get("a", DEFAULT_A) is None else record.get("a", DEFAULT_A)})


PAPER_SETTINGS = ReadingSettings(window=10, falloff=0.0, noise=0.0)
"""Contexts as Section 6.1 reads them; the paper does not give the scale."""
TUNED: dict[str, dict[str, tuple[float, ...]]] = {
    "put together": {
        "noise": (0.0, 0.25, 0.5, 1.0, 2.0),
        "falloff": (0.0, 0.5, 0.75, 1.0),
        "window": (10, 20, 50),
        "a": (3e-4, 1e-3, 3e-3),
        "rest": (0.0, 0.1, 0.2, 0.3, 0.5),
    },
    "put together, k auto": {"least_gain": (0.02, 0.03, 0.04, 0.05, 0.06)},
    "told apart by senses": {"scale": (5.0, 10.0, 20.0, 30.0, 50.0, 100.0)},
    "similarity": {"sense_share": (0.0, 0.25, 0.5, 1.0, 2.0), "context_share": (0.0, 0.15, 0.3, 0.6, 1.0)},
}
"""For each measure of `wordatoms.tuning.choice`, the settings it chooses and the values that are tried by default."""


@dataclass(frozen=True, eq=False)
class ContextReader:
    """Turns usages of words into the vectors of their contexts."""

    embeddings: Embeddings
    matrix: NDArray[np.float32]
    """The map from SIF vectors to word vectors, (dim, dim)."""
    settings: ReadingSettings

    @cached_property
    def sif_weights(self) -> NDArray[np.float32]:
        """The weight of each word, (n_words,)."""
        return SIF(self.embeddings, p_words(self.embeddings), self.settings.a).weights

    @cached_property
    def word_units(self) -> NDArray[np.float32]:
        """All word vectors at length 1, without their mean, at length 1 again, (n_words, dim)."""
        units = _to_unit(np.asarray(self.embeddings.vectors, np.float32))
        return _to_unit(units - units.mean(axis=0))

    def windows(self, usages: Sequence[Usage], leave_out: Container[str] = ()) -> NDArray[np.int32]:
        """Return the rows of the known words around each usage, from left to right, -1 for none, (n, 2 * window)."""
        return rows_around(self.embeddings, usages, window=self.settings.window, leave_out=leave_out)

    def vectors(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vector of each context, (n, dim), given as `windows`; zeros if no word is known."""
        found = np.zeros((len(windows), self.embeddings.dim), np.float32)
        with one_blas_thread():
            for start in range(0, len(windows), BATCH_USAGES):
                batch = windows[start : start + BATCH_USAGES]
                found[start : start + BATCH_USAGES] = self._means(batch) @ self.matrix.T
        return found

    def _means(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        is_word = windows >= 0
        weighted = self.word_weights(windows)[is_word][:, None] * self.embeddings.vectors[windows[is_word]]
        return group_means(weighted, is_word.sum(axis=1))

    def word_weights(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the weight of each word of each window, (n, 2 * window); 0 for none."""
        near = self.nearness(windows.shape[1] // 2)
        return np.where(windows >= 0, self.sif_weights[windows] * near, 0).astype(np.float32)

    def nearness(self, window: int) -> NDArray[np.float32]:
        """Return the weight of each place of a window by its distance from the target, (2 * window,)."""
        distances = np.concatenate([np.arange(window, 0, -1), np.arange(1, window + 1)]).astype(np.float32)
        return np.asarray(distances**-self.settings.falloff, np.float32)

    def shares(self, window: NDArray[np.int32], directions: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what each word of one window adds to its products with directions (n, dim): (2 * window, n)."""
        weights = self.word_weights(window[None])[0] / max(int((window >= 0).sum()), 1)
        vectors = np.where(window[:, None] >= 0, self.embeddings.vectors[window], 0)
        return np.asarray(weights[:, None] * (vectors @ (directions @ self.matrix).T), np.float32)


def _to_unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)


def rows_around(
    embeddings: Embeddings, usages: Sequence[Usage], *, window: int, leave_out: Container[str] = ()
) -> NDArray[np.int32]:
    """Return the rows of the known words before and after each usage, -1 for none, (n, 2 * window)."""
    found = np.full((len(usages), 2 * window), -1, np.int32)
    looked_up: dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for row, usage in zip(found, usages, strict=True):
        if id(usage.tokens) not in looked_up:  # several usages may share one text
            rows = embeddings.find_rows(usage.tokens)
            rows[[token in leave_out for token in usage.tokens]] = -1
            looked_up[id(usage.tokens)] = rows, np.flatnonzero(rows >= 0)
        rows, known = looked_up[id(usage.tokens)]
        places = places_around(known, usage.position, usage.length, window)
        row[:] = np.where(places >= 0, rows[places], -1) if len(rows) else -1
    return found


def make_reader(embeddings: Embeddings, induced_map: InducedMap, settings: ReadingSettings) -> ContextReader:
    """Return a reader with the map for single contexts."""
    return ContextReader(embeddings, induced_map.for_one_context(settings.noise), settings)


def load_reading(folder: ModelFolder) -> ReadingSettings:
    """Return the settings of a tuned model; the default ones if it was not tuned."""
    if "tune" not in folder.stages:
        return ReadingSettings()
    path = folder.path / TUNING
    try:
        return ReadingSettings.from_record(read_json(path)["settings"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{path} cannot be read ({error}); tune the model again.") from error

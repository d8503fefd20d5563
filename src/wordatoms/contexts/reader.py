"""Reading contexts: the vector of what stands around a word, as the tuned settings of a model say.

The paper takes the SIF vector of the context (Section 6.1). Three things are added to it, each switched off by a zero:
words count less the farther they are from the target (`falloff`), the map A is the one for single contexts
(`InducedMap.for_one_context`; `noise`), and further occurrences of the target itself say nothing about its sense and
are left out. Words outside the vocabulary are dropped before distances are counted.

The vector is linear in the words, so each of them has its share in whatever is read off it (`ContextReader.shares`).
Left out: the senses themselves (`wordatoms.senses.disambiguation`), and how settings are chosen
(`wordatoms.tuning.choice`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.usages import Usage
from wordatoms.contexts.windows import check_window
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.parallel import one_blas_thread
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json

BATCH_USAGES = 512
TUNING = "tuning.json"
"""What `wordatoms tune` chose, in the folder of a model."""


@dataclass(frozen=True)
class ReadingSettings:
    """How contexts are read, and how far they are believed."""

    a: float = DEFAULT_A
    """Smoothing of SIF."""
    window: int = 50
    """Known words on each side."""
    falloff: float = 0.75
    """A word at distance d has the weight d ** -falloff."""
    noise: float = 0.5
    """Of a single context, in the map."""
    scale: float = 30.0
    """κ of the posterior: p(a|c) ∝ exp(κ ⟨v_a, v_c⟩) for v_c of length 1."""
    sense_share: float = 0.5
    """Of u_c in the vector of a word in context, beside the word's own vector."""
    context_share: float = 0.15
    """Of the context's vector in the same."""
    rest: float = 0.2
    """Of the context as a whole beside what the atoms of the word see of it, when contexts are put together."""
    least_gain: float = 0.04
    """A further cluster has to bring contexts so much nearer to their centres, in mean cosine, to be worth it."""

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
        """For JSON, where an infinite `a` is null."""
        numbers = {name: float(value) for name, value in asdict(self).items()}
        return {**numbers, "window": self.window, "a": float(self.a) if math.isfinite(self.a) else None}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ReadingSettings:
        known = {part.name for part in fields(cls)}
        if unknown := sorted(set(record) - known):
            raise InputError(f"there is no setting {unknown[0]!r}; there are {', '.join(sorted(known))}.")
        return cls(**{**record, "a": math.inf if record.get("a", DEFAULT_A) is None else record.get("a", DEFAULT_A)})


PAPER_SETTINGS = ReadingSettings(window=10, falloff=0.0, noise=0.0)
"""Contexts as Section 6.1 reads them; the scale, which the paper does not give, apart."""


@dataclass(frozen=True, eq=False)
class ContextReader:
    """Turns usages of words into vectors of their contexts."""

    embeddings: Embeddings
    matrix: NDArray[np.float32]
    """From SIF vectors to word vectors, (dim, dim)."""
    settings: ReadingSettings

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        return SIF(self.embeddings, p_words(self.embeddings), self.settings.a).weights

    def windows(self, usages: Sequence[Usage], leave_out: Iterable[str] = ()) -> NDArray[np.int32]:
        """Rows of the known words around each usage, -1 for none, (n, 2 * window): from far left to far right."""
        return window_rows(self.embeddings, usages, self.settings.window, leave_out)

    def vectors(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        """The vector of each context, (n, dim), of `windows` as above, zeros where no word is known."""
        found = np.zeros((len(windows), self.embeddings.dim), np.float32)
        with one_blas_thread():
            for start in range(0, len(windows), BATCH_USAGES):
                batch = windows[start : start + BATCH_USAGES]
                found[start : start + BATCH_USAGES] = self._means(batch) @ self.matrix.T
        return found

    def _means(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        is_word = windows >= 0
        n_known = is_word.sum(axis=1)
        means = np.zeros((len(windows), self.embeddings.dim), np.float32)
        if n_known.any():
            filled = n_known > 0
            weighted = self.word_weights(windows)[is_word][:, None] * self.embeddings.vectors[windows[is_word]]
            starts = (np.cumsum(n_known) - n_known)[filled]
            means[filled] = np.add.reduceat(weighted, starts, axis=0) / n_known[filled, None]
        return means

    def word_weights(self, windows: NDArray[np.int32]) -> NDArray[np.float32]:
        """The weight of each word of each window, (n, 2 * window); 0 for none."""
        sides = windows.shape[1] // 2
        distances = np.concatenate([np.arange(sides, 0, -1), np.arange(1, sides + 1)]).astype(np.float32)
        near = distances**-self.settings.falloff
        return np.where(windows >= 0, self._weights[windows] * near, 0).astype(np.float32)

    def shares(self, window: NDArray[np.int32], directions: NDArray[np.float32]) -> NDArray[np.float32]:
        """What each word of one window adds to the products of its vector with directions (n, dim): (2 * window, n)."""
        weights = self.word_weights(window[None])[0] / max(int((window >= 0).sum()), 1)
        vectors = np.where(window[:, None] >= 0, self.embeddings.vectors[window], 0)
        return np.asarray(weights[:, None] * (vectors @ (directions @ self.matrix).T), np.float32)


def make_reader(embeddings: Embeddings, induced_map: InducedMap, settings: ReadingSettings) -> ContextReader:
    """A reader with the map that the settings ask for."""
    return ContextReader(embeddings, induced_map.for_one_context(settings.noise), settings)


def window_rows(
    embeddings: Embeddings, usages: Sequence[Usage], window: int, leave_out: Iterable[str] = ()
) -> NDArray[np.int32]:
    """Rows of the known words around each usage, -1 for none, (n, 2 * window)."""
    left_out = frozenset(leave_out)
    found = np.full((len(usages), 2 * window), -1, np.int32)
    looked_up: dict[int, tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
    for row, usage in zip(found, usages, strict=True):
        if id(usage.tokens) not in looked_up:  # several usages may share one text
            looked_up[id(usage.tokens)] = _wanted(embeddings, usage.tokens, left_out)
        places, rows = looked_up[id(usage.tokens)]
        first, last = places.searchsorted([usage.position, usage.position + usage.length]).tolist()
        left, right = rows[max(first - window, 0) : first], rows[last : last + window]
        row[window - len(left) : window] = left
        row[window : window + len(right)] = right
    return found


def _wanted(
    embeddings: Embeddings, tokens: Sequence[str], left_out: frozenset[str]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The places of the tokens that are known and not left out, and their rows."""
    rows = embeddings.find_rows(tokens)
    rows[[token in left_out for token in tokens]] = -1
    places = np.flatnonzero(rows >= 0)
    return places, rows[places]


def sample_contexts(windows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Windows around random places without their targets: (n, 2 * window + 1) to (n, 2 * window)."""
    return np.delete(windows, windows.shape[1] // 2, axis=1)


# Files


def load_reading(folder: ModelFolder) -> ReadingSettings:
    """The settings that a model was tuned to; the default ones where it was not."""
    if "tune" not in folder.stages:
        return ReadingSettings()
    path = folder.path / TUNING
    try:
        return ReadingSettings.from_record(read_json(path)["settings"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ModelError(f"{path} cannot be read ({error}); tune the model again.") from error

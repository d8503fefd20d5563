"""SIF vectors of contexts: the mean of the words' vectors, frequent words weighted down (Section 2, "SIF embeddings").

A word w has the weight a / (a + p(w)), and a context's vector is the sum of its weighted word vectors over the number
of its known words. With an infinite `a` all weights are 1: the plain mean. The common direction is the first
principal direction, not centred, of many random windows; it is fitted once, stored with the model, and removed on
request. The vector of a context without known words is zero.

Only numpy is needed. Left out: finding contexts in large texts (`wordatoms.contexts.windows`,
`wordatoms.contexts.averages`) and the map A that follows (`wordatoms.contexts.induced_map`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.usages import places_around
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.parallel import one_blas_thread
from wordatoms.text.tokenizer import Tokenizer

DEFAULT_A = 1e-3
BATCH_CONTEXTS = 1024
MOST_TOKENS = np.iinfo(np.int64).max

Context = str | Sequence[str]
"""A piece of text, or its tokens."""


class ContextVectors(NamedTuple):
    """Vectors of contexts."""

    vectors: NDArray[np.float32]
    """(n, dim); zeros for a context without a known word."""
    n_known: NDArray[np.int64]
    """Known words of each context, (n,)."""

    @property
    def is_empty(self) -> NDArray[np.bool_]:
        """Which contexts have no known word, (n,)."""
        return np.equal(self.n_known, 0)


def p_words(embeddings: Embeddings) -> NDArray[np.float64]:
    """Return p(w) of each word: its share of the tokens, or without counts by Zipf's law from its rank.

    Without the number of tokens, the counts of the vocabulary stand for the whole text. Without counts, the words are
    assumed to be sorted by falling count, as in most vector files, and p is proportional to 1/rank.
    """
    if embeddings.counts is None:
        shares = 1 / np.arange(1, len(embeddings) + 1)
        return np.asarray(shares / shares.sum())
    n_tokens = 0 if embeddings.n_tokens is None else embeddings.n_tokens
    if not isinstance(n_tokens, int | np.integer) or not 0 <= n_tokens <= MOST_TOKENS:
        raise InputError(
            f"the n_tokens of the vectors is {n_tokens!r}; pass the number of tokens of their text, or None."
        )
    return np.asarray(embeddings.counts / max(int(n_tokens) or int(embeddings.counts.sum()), 1))


@dataclass(frozen=True, eq=False, repr=False)
class SIF:
    """Turns contexts into vectors."""

    embeddings: Embeddings
    p_word: NDArray[np.float64]
    """p(w) of each word, (n_words,); see `p_words`."""
    a: float = DEFAULT_A
    common_direction: NDArray[np.float32] | None = None
    """Unit vector, (dim,), if a model has fitted one."""
    tokenizer: Tokenizer = field(default_factory=Tokenizer)

    def __post_init__(self) -> None:
        if not self.a > 0:
            raise InputError(f"a is {self.a}; pass a positive number, or infinity for the plain mean.")
        p_word = np.asarray(self.p_word, np.float64)
        if p_word.shape != (len(self.embeddings),) or not ((p_word >= 0) & (p_word <= 1)).all():
            raise InputError(
                f"p_word has shape {p_word.shape}; pass a probability for each of {len(self.embeddings):,} words."
            )
        direction = self.common_direction
        if direction is not None and np.shape(direction) != (self.embeddings.dim,):
            raise InputError(
                f"the common direction has shape {np.shape(direction)}; pass {self.embeddings.dim} numbers."
            )

    def __repr__(self) -> str:
        common = "with" if self.common_direction is not None else "without"
        return f"SIF({self.embeddings!r}, a={self.a:g}, {common} common direction)"

    @cached_property
    def weights(self) -> NDArray[np.float32]:
        """a / (a + p(w)) of each word, (n_words,)."""
        if math.isinf(self.a):
            return np.ones(len(self.embeddings), np.float32)
        return np.asarray(self.a / (self.a + self.p_word), np.float32)

    def weighted_vectors(self) -> NDArray[np.float32]:
        """Return the weighted vectors of all words, (n_words, dim)."""
        return self.weights[:, None] * self.embeddings.vectors

    # --- contexts as text or tokens

    def vectors(self, contexts: Iterable[Context], *, remove_common: bool = False) -> ContextVectors:
        """Return the vectors of contexts, each a text or a list of tokens."""
        return _joined(list(self.stream(contexts, remove_common=remove_common)), self.embeddings.dim)

    def stream(
        self, contexts: Iterable[Context], *, batch_size: int = BATCH_CONTEXTS, remove_common: bool = False
    ) -> Iterator[ContextVectors]:
        """Yield the vectors of a possibly endless stream of contexts, batch by batch."""
        if isinstance(contexts, str):
            raise InputError(f"the contexts are one string, {contexts[:40]!r}; pass a list of texts or token lists.")
        remaining = iter(contexts)
        while batch := list(islice(remaining, batch_size)):
            tokens = (self.tokenizer.tokens(each) if isinstance(each, str) else each for each in batch)
            rows = [self.embeddings.find_rows(each) for each in tokens]
            yield self._means([each[each >= 0] for each in rows], remove_common=remove_common)

    # --- contexts as places in a text

    def around_each(
        self,
        tokens: Sequence[str],
        positions: Iterable[int],
        *,
        window: int = 10,
        length: int = 1,
        include_target: bool = False,
    ) -> Iterator[list[str]]:
        """Yield the known words around the target at each position: at most `window` on each side.

        Unknown words are dropped before distances are counted; the target may have several tokens (`length`).
        """
        rows = self.embeddings.find_rows(tokens)
        known = np.flatnonzero(rows >= 0)
        for position in positions:
            if not (position >= 0 and length >= 1 and position + length <= len(tokens)):
                raise InputError(
                    f"position is {position}, but there are {len(tokens)} tokens; pass a place among them."
                )
            around = places_around(known, position, length, window).tolist()
            target = [place for place in range(position, position + length) if include_target and rows[place] >= 0]
            yield [tokens[place] for place in (*around[:window], *target, *around[window:]) if place >= 0]

    def window_vectors(
        self, windows: NDArray[np.int32], *, include_target: bool = False, remove_common: bool = False
    ) -> ContextVectors:
        """Return the vectors of windows given as rows of words, -1 for none, the target in the middle."""
        kept = windows if include_target else without_targets(windows)
        if kept.size and kept.max() >= len(self.embeddings):
            raise InputError(f"a window has the row {kept.max():,}, but there are {len(self.embeddings):,} words.")
        parts = [
            self._means([row[row >= 0] for row in kept[start : start + BATCH_CONTEXTS]], remove_common=remove_common)
            for start in range(0, len(kept), BATCH_CONTEXTS)
        ]
        return _joined(parts, self.embeddings.dim)

    # --- means

    def _means(self, contexts: Sequence[NDArray[np.integer]], *, remove_common: bool) -> ContextVectors:
        """Return the mean of the weighted vectors of each context; every sum runs in the order of its words."""
        n_known = np.array([len(rows) for rows in contexts], np.int64)
        rows = np.concatenate([np.zeros(0, np.intp), *contexts])
        vectors = group_means(self.weights[rows][:, None] * self.embeddings.vectors[rows], n_known)
        return ContextVectors(self.remove_common(vectors) if remove_common else vectors, n_known)

    # --- the common direction

    def fit_common_direction(self, windows: NDArray[np.int32], *, include_target: bool = False) -> NDArray[np.float32]:
        """Return the common direction of these windows, (dim,)."""
        return first_direction(self.window_vectors(windows, include_target=include_target).vectors)

    def remove_common(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors without their part in the common direction, (n, dim)."""
        if self.common_direction is None:
            raise InputError("there is no common direction to remove; fit one on random windows first.")
        return remove_direction(vectors, self.common_direction)


def group_means(rows: NDArray[np.float32], sizes: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the means of consecutive groups of rows, (len(sizes), dim); zeros for an empty group."""
    means = np.zeros((len(sizes), rows.shape[1]), np.float32)
    filled = sizes > 0
    if filled.any():
        starts = (np.cumsum(sizes) - sizes)[filled]
        means[filled] = np.add.reduceat(rows, starts, axis=0) / sizes[filled, None]
    return means


def remove_direction(vectors: NDArray[np.float32], direction: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors (n, dim) made orthogonal to a unit vector."""
    parts = (vectors * direction).sum(axis=1, dtype=np.float64)
    return np.asarray(vectors - parts[:, None] * direction, np.float32)


def first_direction(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the first principal direction of vectors, not centred, pointing to the side where most of them lie."""
    if not vectors.any():
        raise InputError("all windows are empty; pass windows with known words in them.")
    double = vectors.astype(np.float64)
    with one_blas_thread():
        direction = np.linalg.eigh(double.T @ double)[1][:, -1]
    return np.asarray(direction if double.mean(axis=0) @ direction >= 0 else -direction, np.float32)


def _joined(parts: Sequence[ContextVectors], dim: int) -> ContextVectors:
    nothing = ContextVectors(np.zeros((0, dim), np.float32), np.zeros(0, np.int64))
    vectors, n_known = zip(*chain([nothing], parts), strict=True)
    return ContextVectors(np.concatenate(vectors), np.concatenate(n_known))

"""What all competitors share: the contexts of a word as rows, its senses, and the methods of a `SenseInventory`.

A word is learned from random windows of its known inflected forms, pooled. Its senses have vectors, centres that
contexts are compared with, and shares of the word's windows. Each method assigns contexts to senses in its own way; a
context without a usable word gets the shares.

Left out: the methods (the other modules of this package), and files: learning the senses again from the stored windows
takes less than a second per word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.inflection import WordForms
from wordatoms.contexts.reader import rows_around
from wordatoms.contexts.sif import SIF
from wordatoms.contexts.usages import Usage
from wordatoms.contexts.windows import WordWindows, digest_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.senses.posterior import to_unit

BLOCK_CONTEXTS = 1024
DOCUMENT_WORDS = 500
"""Length of the documents assumed for the idf: about a short article."""

Rows = NDArray[np.int32]
"""Contexts as rows of words, -1 for none, (n, width)."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WordSenses:
    """What a method has learned about one word."""

    vectors: Floats
    """(n_senses, dim)"""
    centres: Floats
    """What contexts are compared with, (n_senses, dim)."""
    shares: NDArray[np.float64]
    """The share of the word's windows that each sense has, (n_senses,); they sum to 1."""

    def __len__(self) -> int:
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class ContextMeans:
    """Turns windows and usages into rows of context words, and these into mean vectors."""

    embeddings: Embeddings
    weights: Floats
    """The weight of each word in a mean, (n_words,); words of weight 0 are left out of all contexts."""
    window: int
    vectors: Floats
    """The vectors of words as context, (n_words, dim)."""

    def of_windows(self, windows: NDArray[np.int32]) -> Rows:
        """The words around the targets, (n, 2 * window)."""
        middle = windows.shape[1] // 2
        if middle < self.window:
            raise InputError(
                f"the windows have {middle} words on each side, but the method looks at {self.window}; "
                "sample wider windows, or pass a smaller window."
            )
        near = windows[:, middle - self.window : middle + self.window + 1]
        return self._usable(np.delete(near, self.window, axis=1))

    def of_usages(self, usages: Sequence[Usage]) -> Rows:
        """The known words around each usage, (n, 2 * window), followed by -1."""
        return self._usable(words_first(rows_around(self.embeddings, usages, window=self.window)))

    def _usable(self, contexts: Rows) -> Rows:
        return np.where((contexts >= 0) & (self.weights[contexts] > 0), contexts, -1)

    def means(self, contexts: Rows) -> Floats:
        """The weighted mean vector of each context, (n, dim); zeros for an empty one."""
        weights = np.where(contexts >= 0, self.weights[contexts], np.float32(0))
        weights /= np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
        found = np.empty((len(contexts), self.vectors.shape[1]), np.float32)
        for start in range(0, len(contexts), BLOCK_CONTEXTS):
            block = slice(start, start + BLOCK_CONTEXTS)
            found[block] = (weights[block, None] @ self.vectors[contexts[block]])[:, 0]
        return found


def words_first(contexts: Rows) -> Rows:
    """Contexts with their words moved to the left, in the same order."""
    return np.take_along_axis(contexts, np.argsort(contexts < 0, axis=1, kind="stable"), axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Competitor(ABC):
    """Senses of some words learned by one method; a `wordatoms.contexts.usages.SenseInventory`."""

    reader: ContextMeans
    learned: Mapping[str, WordSenses]

    def __len__(self) -> int:
        """The number of words."""
        return len(self.learned)

    def __contains__(self, word: object) -> bool:
        return word in self.learned

    def __repr__(self) -> str:
        n_senses = sum(map(len, self.learned.values()))
        return f"{type(self).__name__}({len(self):,} words, {n_senses:,} senses)"

    def senses(self, word: str) -> WordSenses:
        """What was learned about a word; a word that was not learned raises."""
        if word not in self.learned:
            form_rows(word, self.reader.embeddings)  # raises its own error if the word is unknown
            raise InputError(f"'{word}' is not among the {len(self):,} learned words; learn it first.")
        return self.learned[word]

    def sense_vectors(self, word: str) -> Floats:
        """(n_senses, dim)"""
        return self.senses(word).vectors

    def p_senses(self, word: str, usages: Sequence[Usage]) -> NDArray[np.float64]:
        """The probability of each sense in each usage, (n_usages, n_senses)."""
        return self.p_contexts(self.senses(word), self.reader.of_usages(usages))

    def p_contexts(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        """The probability of each sense in each context, given as rows of words; rows sum to 1."""
        p = np.tile(senses.shares, (len(contexts), 1))
        filled = (contexts >= 0).any(axis=1)
        if filled.any():
            with one_blas_thread():
                p[filled] = self._p_filled(senses, contexts[filled])
        return p

    @abstractmethod
    def _p_filled(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        """The same for contexts that all have a usable word."""


# --- learning word by word


def form_rows(word: str, embeddings: Embeddings) -> NDArray[np.intp]:
    """The rows of the known forms of a word, the word itself first; raises if none is known."""
    rows = embeddings.find_rows(_word_forms(embeddings).of(word))
    if not (rows >= 0).any():
        raise UnknownWordError(word, embeddings.words)
    return rows[rows >= 0]


def known_words(words: Iterable[str], embeddings: Embeddings) -> list[str]:
    """The words of which some form is known, in their order."""
    forms = _word_forms(embeddings)
    return [word for word in words if any(form in embeddings for form in forms.of(word))]


@lru_cache(maxsize=2)
def _word_forms(embeddings: Embeddings) -> WordForms:
    return WordForms(embeddings.words, counts=None if embeddings.counts is None else embeddings.counts.tolist())


LearnWord = Callable[[NDArray[np.int32], Floats, np.random.Generator], WordSenses | None]
"""Learns the senses of a word from its windows, its vector and random numbers; None if no window is usable."""


def learn_words(
    words: Sequence[str],
    learn: LearnWord,
    *,
    embeddings: Embeddings,
    windows: WordWindows,
    random_state: int,
    threads: int,
) -> dict[str, WordSenses]:
    """The senses of each word; a word without usable windows has a single sense, its vector."""
    if isinstance(words, str):
        raise InputError(f"the words are one string, {words[:40]!r}; pass a sequence of words.")
    if windows.words_digest != digest_words(embeddings.words):
        raise InputError("the windows were sampled for other words than those of the embeddings; sample them again.")

    def run(rows: list[int]) -> WordSenses:
        pooled, vector = windows.pooled(rows), embeddings.vectors[rows[0]]
        rng = np.random.default_rng([random_state, rows[0]])
        return (learn(pooled, vector, rng) if len(pooled) else None) or single_sense(vector)

    sampled = [_sampled_rows(word, windows, embeddings) for word in words]
    with one_blas_thread():
        return dict(zip(words, run_threads(run, sampled, threads), strict=True))


def _sampled_rows(word: str, windows: WordWindows, embeddings: Embeddings) -> list[int]:
    """The rows of the known forms of a word that have windows, the word itself first."""
    rows = [row for row in form_rows(word, embeddings).tolist() if row in windows]
    if not rows:
        raise InputError(f"no windows were sampled for '{word}' or its forms; sample them first.")
    return rows


def single_sense(vector: Floats) -> WordSenses:
    return WordSenses(vector[None], vector[None], np.ones(1))


def retrained_vectors(
    p_senses: NDArray[np.float64], windows: NDArray[np.int32], sif: SIF, induced_map: InducedMap
) -> Floats:
    """What training would give for senses that occur in these windows: A times their average SIF vectors (Theorem 1).

    Several competitors retrain their vectors on a text in which senses are marked. With all other vectors fixed, that
    is what the map does. `p_senses` is (n_windows, n_senses).
    """
    kept = windows if induced_map.include_target else np.delete(windows, windows.shape[1] // 2, axis=1)
    n_known = (kept >= 0).sum(axis=1)
    p_words = p_senses / np.maximum(n_known, 1)[:, None]  # every word of a window has an equal part in its mean
    rows, places = np.unique(kept[kept >= 0], return_inverse=True)
    owners = np.nonzero(kept >= 0)[0]
    parts = np.stack([np.bincount(places, weights=p[owners], minlength=len(rows)) for p in p_words.T])
    sums = (parts * sif.weights[rows]) @ sif.embeddings.vectors[rows].astype(np.float64)
    n_windows = (p_senses * (n_known > 0)[:, None]).sum(axis=0)
    return induced_map.apply(sums / np.maximum(n_windows, np.finfo(float).tiny)[:, None])


# --- numbers


def idf_weights(sif: SIF) -> Floats:
    """−log of the share of documents that contain a word if words are drawn by p(w), (n_words,).

    Words without a count get the weight of the rarest word.
    """
    rarest = sif.p_word[sif.p_word > 0].min(initial=0.5)
    p_word = np.clip(sif.p_word, rarest, 0.5)
    return np.asarray(-np.log(-np.expm1(DOCUMENT_WORDS * np.log1p(-p_word))), np.float32)


def p_by_distance(contexts: Floats, centres: Floats) -> NDArray[np.float64]:
    """Probabilities inversely proportional to the cosine distance from each centre, (n, n_senses)."""
    cosines = to_unit(contexts).astype(np.float64) @ to_unit(centres).T
    inverse = 1 / np.maximum(1 - cosines, 1e-6)
    return np.asarray(inverse / inverse.sum(axis=1, keepdims=True))


def one_hot(labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Labels from 0 as probabilities, (n, n_labels): 1 for the label of the row, 0 elsewhere."""
    return np.asarray(labels[:, None] == np.arange(labels.max(initial=-1) + 1), np.float64)


def check_at_least_one(**numbers: float) -> None:
    for name, value in numbers.items():
        if not value >= 1:
            raise InputError(f"{name} is {value}; pass 1 or more.")

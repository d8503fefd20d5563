"""What all competitors share: contexts of a word as rows, its senses, and the answers of a `SenseInventory`.

A word is learned from random windows of its known inflected forms, drawn together. Its senses have vectors, centres
that contexts are compared with, and shares of the word's windows. How a context is told to which sense belongs to
each method; a context without a usable word gives the shares.

Left out: any method (the other modules of this package), and files: senses are learned anew from the stored windows
within a second per word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.inflection import inflected_forms
from wordatoms.contexts.sif import SIF
from wordatoms.contexts.usages import Usage
from wordatoms.contexts.windows import WordWindows, digest_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.parallel import one_blas_thread, run_threads
from wordatoms.senses.posterior import to_unit

BLOCK_CONTEXTS = 1024
DOCUMENT_WORDS = 500
"""Length of the documents that an idf stands for: about that of a short article."""

Rows = NDArray[np.int32]
"""Contexts as rows of words, -1 for none, (n, width)."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WordSenses:
    """What a method has learned of one word."""

    vectors: Floats
    """(n_senses, dim)"""
    centres: Floats
    """What contexts are compared with, (n_senses, dim)."""
    shares: NDArray[np.float64]
    """Of the word's windows that each sense has; they sum to 1, (n_senses,)."""

    def __len__(self) -> int:
        return len(self.vectors)


@dataclass(frozen=True, eq=False)
class ContextMeans:
    """Turns windows and usages into rows of context words, and these into means of vectors."""

    sif: SIF
    weights: Floats
    """Of each word in a mean, (n_words,); a word of weight 0 is left out of all contexts."""
    window: int
    vectors: Floats
    """Of words as context, (n_words, dim)."""

    def of_windows(self, windows: NDArray[np.int32]) -> Rows:
        """The words around the targets, (n, 2 * window)."""
        middle = windows.shape[1] // 2
        if middle < self.window:
            raise InputError(
                f"the windows have {middle} words on each side, but the method looks at {self.window}; "
                "sample wider ones, or pass a smaller window."
            )
        near = windows[:, middle - self.window : middle + self.window + 1]
        return self._usable(np.delete(near, self.window, axis=1))

    def of_usages(self, usages: Sequence[Usage]) -> Rows:
        """The known words around each usage, (n, 2 * window)."""
        contexts = np.full((len(usages), 2 * self.window), -1, np.int32)
        for row, usage in zip(contexts, usages, strict=True):
            found = next(self.sif.around_each(usage.tokens, [usage.position], window=self.window, length=usage.length))
            row[: len(found)] = self.sif.embeddings.find_rows(found)
        return self._usable(contexts)

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


@dataclass(frozen=True, eq=False, repr=False)
class Competitor(ABC):
    """Senses of some words that one method has learned; a `wordatoms.contexts.usages.SenseInventory`."""

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
        """All that was learned of a word; one that was not learned raises."""
        if word not in self.learned:
            known = self.reader.sif.embeddings
            form_rows(word, known)  # an unknown word has an error of its own
            raise InputError(f"'{word}' is none of the {len(self):,} words that were learned; learn it, too.")
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
    """The rows of a word and its inflected forms, as far as they are known: itself first; none known raises."""
    rows = embeddings.find_rows(inflected_forms(word))
    if not (rows >= 0).any():
        raise UnknownWordError(word, embeddings.words)
    return rows[rows >= 0]


def known_words(words: Iterable[str], embeddings: Embeddings) -> list[str]:
    """Those of which some form is known, in their order."""
    return [word for word in words if any(form in embeddings for form in inflected_forms(word))]


LearnWord = Callable[[NDArray[np.int32], Floats, np.random.Generator], WordSenses | None]
"""From the windows of a word, its vector and random numbers to its senses; None where no window is of use."""


def learn_words(
    words: Sequence[str],
    learn: LearnWord,
    *,
    embeddings: Embeddings,
    windows: WordWindows,
    random_state: int,
    threads: int,
) -> dict[str, WordSenses]:
    """The senses of each word; one without usable windows has a single sense, its vector."""
    _check_windows(words, windows, embeddings)

    def run(rows: list[int]) -> WordSenses:
        pooled, vector = windows.pooled(rows), embeddings.vectors[rows[0]]
        rng = np.random.default_rng([random_state, rows[0]])
        return (learn(pooled, vector, rng) if len(pooled) else None) or single_sense(vector)

    sampled = [_sampled_rows(word, windows, embeddings) for word in words]
    with one_blas_thread():
        return dict(zip(words, run_threads(run, sampled, threads), strict=True))


def _sampled_rows(word: str, windows: WordWindows, embeddings: Embeddings) -> list[int]:
    """The rows of a word's known forms whose windows were sampled, itself first."""
    rows = [row for row in form_rows(word, embeddings).tolist() if row in windows]
    if not rows:
        raise InputError(f"no windows were sampled for '{word}' nor for its forms; sample them, too.")
    return rows


def _check_windows(words: Sequence[str], windows: WordWindows, embeddings: Embeddings) -> None:
    if isinstance(words, str):
        raise InputError(f"the words are one string, {words[:40]!r}; pass a sequence of words.")
    if windows.words_digest != digest_words(embeddings.words):
        raise InputError(
            "the windows were sampled for other words than those of the embeddings; sample them again for these."
        )


def single_sense(vector: Floats) -> WordSenses:
    return WordSenses(vector[None], vector[None], np.ones(1))


def retrained_vectors(
    p_senses: NDArray[np.float64], windows: NDArray[np.int32], sif: SIF, induced_map: InducedMap
) -> Floats:
    """What training would give for senses that stand in these windows: A times their average SIF vectors (Theorem 1).

    Several competitors train vectors anew on a text in which senses are marked. With all other vectors held, that is
    what the map does. `p_senses` is (n_windows, n_senses).
    """
    kept = windows if induced_map.include_target else np.delete(windows, windows.shape[1] // 2, axis=1)
    n_known = (kept >= 0).sum(axis=1)
    p_words = p_senses / np.maximum(n_known, 1)[:, None]  # every word of a window has the same part in its mean
    rows, places = np.unique(kept[kept >= 0], return_inverse=True)
    owners = np.nonzero(kept >= 0)[0]
    parts = np.stack([np.bincount(places, weights=p[owners], minlength=len(rows)) for p in p_words.T])
    sums = (parts * sif.weights[rows]) @ sif.embeddings.vectors[rows].astype(np.float64)
    n_windows = (p_senses * (n_known > 0)[:, None]).sum(axis=0)
    return induced_map.apply(sums / np.maximum(n_windows, np.finfo(float).tiny)[:, None])


# --- numbers


def idf_weights(sif: SIF) -> Floats:
    """−log of the share of documents that hold a word, were words drawn by p(w), (n_words,).

    Words without a count weigh as much as the rarest.
    """
    rarest = sif.p_word[sif.p_word > 0].min(initial=0.5)
    p_word = np.clip(sif.p_word, rarest, 0.5)
    return np.asarray(-np.log(-np.expm1(DOCUMENT_WORDS * np.log1p(-p_word))), np.float32)


def p_by_distance(contexts: Floats, centres: Floats) -> NDArray[np.float64]:
    """Probabilities in proportion to the inverse of the cosine distance to each centre, (n, n_senses)."""
    cosines = to_unit(contexts).astype(np.float64) @ to_unit(centres).T
    inverse = 1 / np.maximum(1 - cosines, 1e-6)
    return np.asarray(inverse / inverse.sum(axis=1, keepdims=True))


def belonging(labels: NDArray[np.intp]) -> NDArray[np.float64]:
    """Labels from 0 as probabilities, one of each row's being 1, (n, n_labels)."""
    return np.asarray(labels[:, None] == np.arange(labels.max(initial=-1) + 1), np.float64)


def check_at_least_one(**numbers: float) -> None:
    for name, value in numbers.items():
        if not value >= 1:
            raise InputError(f"{name} is {value}; pass 1 or more.")

"""The words that describe a topic, from the documents at hand.

The words of a topic are typical of it and belong together: they are in the same passages.

- Documents are cut into stretches of at most `STRETCH` known words, so that what is together in a book says something.
  n(w, t) adds up, over the stretches with the word w, the share of the document that its windows there give to the
  topic t. A document adds at most 1 to it, so a name that one document repeats says little.
- A word is typical of a topic by n(w, t) log(p(w|t)/p(w)): it is frequent there and rarer elsewhere. The
  `N_CANDIDATES` most typical words are candidates.
- Two words belong together by their NPMI over stretches, which says what is together here, and the cosine of their
  vectors, which says what is together in English: a few documents tell little about a pair. Pairs count half a standard
  error less often than they were seen, because what happened twice may be chance.
- Words are taken one by one: the next is the one with the largest product of how typical it is and how much it belongs
  to those taken, on average. The first is measured by all candidates, weighted by how typical they are.

Left out are words more frequent than one in a thousand, and words in fewer than one in a thousand documents. All
numbers were chosen on other documents: docs/results/topics.md. Memory is bounded: beyond `MOST_STRETCHES` every second,
fourth, … document is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix

from wordatoms.contexts.sif import SIF
from wordatoms.documents.coherence import coherences, npmi, pair_counts
from wordatoms.documents.levels import TopicMap
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.topics import Part, WindowAtoms

N_WORDS, N_CANDIDATES = 10, 100
STRETCH = 400
"""Known words."""
MOST_STRETCHES = 1 << 16
MOST_FREQUENT, TIMES_MEAN = 1e-3, 10
"""Words more frequent than this, and than so many times the mean of all words, are not words of a topic."""
SELDOM = 1e-3
"""Words in a smaller share of the documents are not words of a topic."""
DISCOUNT = 0.5
"""Standard errors by which two words count less often together than they were seen."""

DIGITS = 9
"""Differences beyond are rounding, and must not decide between words that are equally good."""

Ints = NDArray[np.int64]


class _Stretches(NamedTuple):
    """Stretches of some documents, end to end."""

    documents: Ints
    """The number of each stretch's document."""
    sizes: Ints
    """Different words of each stretch."""
    words: NDArray[np.int32]
    homes: Ints
    """The stretch of each window, by its place among these."""
    atoms: Ints
    """The nearest atom of each window."""

    def every(self, step: int) -> _Stretches:
        """Return the stretches of every document whose number is a multiple of `step`."""
        kept = self.documents % step == 0
        places, inside = np.cumsum(kept) - 1, kept[self.homes]
        words = self.words[np.repeat(kept, self.sizes)]
        return _Stretches(self.documents[kept], self.sizes[kept], words, places[self.homes[inside]], self.atoms[inside])


@dataclass(eq=False)
class TopicWords:
    """Gathers which words documents have and what they are about there; `add` is called with each group of them."""

    windows: WindowAtoms
    _parts: list[_Stretches] = field(default_factory=list)
    _n_stretches: int = 0
    _n_documents: int = 0
    _step: int = 1

    def add(self, part: Part) -> None:
        found = self._cut(part)
        self._parts.append(found.every(self._step) if self._step > 1 else found)
        self._n_stretches += len(self._parts[-1].documents)
        self._n_documents += len(part.rows)
        while self._n_stretches > MOST_STRETCHES and self._n_documents > self._step:
            self._step *= 2
            self._parts = [each.every(self._step) for each in self._parts]
            self._n_stretches = sum(len(each.documents) for each in self._parts)

    def _cut(self, part: Part) -> _Stretches:
        n_words, found = part.n_words, part.windows
        n_pieces = np.maximum(-(-n_words // STRETCH), 1)
        firsts = np.cumsum(n_pieces) - n_pieces
        owners = np.repeat(np.arange(len(n_words)), n_words)
        places = np.arange(len(owners)) - np.repeat(np.cumsum(n_words) - n_words, n_words)
        pieces = firsts[owners] + places * n_pieces[owners] // np.maximum(n_words, 1)[owners]
        n_vocabulary = len(self.windows.sif.embeddings)
        keys = np.unique(pieces * n_vocabulary + np.concatenate([np.zeros(0, np.int32), *part.rows]))
        middles = found.starts + np.minimum(self.windows.window, n_words[found.documents] // 2)
        homes = firsts[found.documents] + middles * n_pieces[found.documents] // n_words[found.documents]
        return _Stretches(
            np.repeat(np.arange(len(n_words)), n_pieces) + self._n_documents,
            np.bincount(keys // n_vocabulary, minlength=int(n_pieces.sum())),
            (keys % n_vocabulary).astype(np.int32),
            homes,
            found.atoms,
        )

    def _joined(self) -> _Stretches:
        nothing = np.zeros(0, np.int64)
        empty = _Stretches(nothing, nothing, nothing.astype(np.int32), nothing, nothing)
        joined = _Stretches(*map(np.concatenate, zip(empty, *self._parts, strict=True)))
        n_before = np.cumsum([0, *(len(each.documents) for each in self._parts)])[:-1]
        offsets = np.repeat(n_before, [len(each.homes) for each in self._parts])
        whole = joined._replace(homes=joined.homes + offsets)
        self._parts = [whole]
        return whole

    def _has_word(self, found: _Stretches) -> csr_matrix:
        """Return which stretches have which words of the model."""
        shape = (len(found.documents), len(self.windows.sif.embeddings))
        starts = np.append(0, np.cumsum(found.sizes))
        return csr_matrix((np.ones(starts[-1], np.float32), found.words, starts), shape=shape)

    def top(self, topics: TopicMap, n: int = N_WORDS) -> list[list[str]]:
        """Return the words of each topic, the best first; none for a topic that is in no document."""
        found = self._joined()
        present = self._has_word(found)
        telling = np.flatnonzero(self._is_telling(found, present))
        present = present[:, telling]
        names = self.windows.sif.embeddings.words
        described = describe(_counts(found, present, topics), present, centred(self.windows.sif, telling), n)
        return [[names[row] for row in telling[columns].tolist()] for columns in described]

    def _is_telling(self, found: _Stretches, present: csr_matrix) -> NDArray[np.bool_]:
        """Whether each word of the model is neither too frequent nor in too few documents."""
        p_word = self.windows.sif.p_word
        different, documents = np.unique(found.documents, return_inverse=True)
        n_with = np.bincount(present.indices, minlength=present.shape[1])
        if len(different) < len(documents):  # a word counts once in a document of several stretches
            n_with = np.bincount(_by_document(documents, present).indices, minlength=present.shape[1])
        is_frequent = p_word > max(MOST_FREQUENT, TIMES_MEAN / len(p_word))
        return np.asarray(~is_frequent & (n_with >= max(SELDOM * len(different), 1)))

    def coherences(
        self, lists: Sequence[Sequence[str]], held_out: Sequence[NDArray[np.int32]] | None = None
    ) -> NDArray[np.float64]:
        """Return the coherence of lists of words in the documents, or in others given by the rows of their words."""
        vocabulary = sorted({word for words in lists for word in words})
        rows = self.windows.sif.embeddings.find_rows(vocabulary)
        if held_out is None:
            found = self._joined()
            documents = np.unique(found.documents, return_inverse=True)[1]
            counts = _by_document(documents, self._has_word(found)[:, rows])
        else:
            starts = np.cumsum([0, *map(len, held_out)])
            words = np.concatenate([np.zeros(0, np.int32), *held_out])
            shape = (len(held_out), len(self.windows.sif.embeddings))
            counts = csr_matrix((np.ones(len(words), np.float32), words, starts), shape=shape)[:, rows]
        return coherences([list(words) for words in lists], csr_array(counts), vocabulary)


def _by_document(documents: Ints, present: csr_matrix) -> csr_matrix:
    """Return which documents have which words, given the places of the documents of stretches."""
    n_documents = int(documents[-1]) + 1 if len(documents) else 0
    shape = (n_documents, len(documents))
    return csr_matrix((np.ones(len(documents), np.float32), (documents, np.arange(len(documents)))), shape) @ present


def _counts(found: _Stretches, present: csr_matrix, topics: TopicMap) -> csr_matrix:
    """Return n(w, t), topics by words."""
    owners = found.documents[found.homes]
    n_windows = np.bincount(owners)
    of_topic = topics.of_atom[found.atoms]
    known = of_topic >= 0
    shape = (len(topics), len(found.documents))
    shares = csr_matrix((1 / n_windows[owners[known]], (of_topic[known], found.homes[known])), shape=shape)
    counts = csr_matrix(shares @ present.astype(np.float64))
    counts.sort_indices()
    return counts


def centred(sif: SIF, rows: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return the vectors of some words without the mean of all in running text, at length 1."""
    vectors = sif.embeddings.vectors
    with one_blas_thread():
        mean = (sif.p_word / max(float(sif.p_word.sum()), 1e-300)).astype(np.float32) @ vectors
    around = vectors[rows] - mean
    return np.asarray(around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-9), np.float32)


def describe(counts: csr_matrix, present: csr_matrix, vectors: NDArray[np.float32], n: int = N_WORDS) -> list[Ints]:
    """Return the columns of the words that describe each topic, the best first.

    Parameters
    ----------
    counts : csr_matrix, (n_topics, n_words)
        How often each topic has each word.
    present : csr_matrix, (n_stretches, n_words)
        Which stretches of text have which words.
    vectors : ndarray, (n_words, dim)
        Unit vectors of the words.
    n : int, default 10
        Words per topic.

    Returns
    -------
    list of ndarray
    """
    candidates = list(_candidates(counts))
    pairs = pair_counts(present, [columns for columns, _ in candidates])
    found = []
    with one_blas_thread():
        for (columns, scores), together in zip(candidates, pairs, strict=True):
            own = vectors[columns].astype(np.float64)
            alike = npmi(together, present.shape[0], DISCOUNT) + own @ own.T
            found.append(columns[_choose(scores, alike, n)])
    return found


def _candidates(counts: csr_matrix) -> Iterator[tuple[Ints, NDArray[np.float64]]]:
    """Yield the most typical words of each topic, the most typical first, and how typical they are."""
    per_topic, per_word = (np.asarray(counts.sum(axis=axis)).ravel() for axis in (1, 0))
    expected = np.repeat(per_topic, np.diff(counts.indptr)) * per_word[counts.indices] / max(counts.sum(), 1e-300)
    lifts = np.log(np.maximum(counts.data / expected, 1))
    scores = (counts.data * lifts).round(DIGITS)
    for begin, end in zip(counts.indptr[:-1].tolist(), counts.indptr[1:].tolist(), strict=True):
        columns, own = counts.indices[begin:end].astype(np.int64), scores[begin:end]
        if not (own > 0).any():  # the only topic
            own = counts.data[begin:end]
        order = np.lexsort((columns, -own))[:N_CANDIDATES]
        order = order[own[order] > 0]
        yield columns[order], own[order]


def _choose(scores: NDArray[np.float64], alike: NDArray[np.float64], n: int) -> list[int]:
    """Return the places of words that are typical and belong together, given how much all pairs do."""
    if not len(scores):
        return []
    alike = alike.copy()
    np.fill_diagonal(alike, 0)
    weights = scores / scores.sum()
    chosen: list[int] = []
    total = alike @ weights
    while len(chosen) < min(n, len(scores)):
        values = scores * np.maximum(total / max(len(chosen), 1), 1e-9)
        values[chosen] = -1
        best = int(values.round(DIGITS).argmax())
        total = alike[best].copy() if not chosen else total + alike[best]
        chosen.append(best)
    return chosen

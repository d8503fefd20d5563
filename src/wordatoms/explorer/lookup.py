"""Indexes over the vocabulary, built once per model: words by prefix, by spelling, and by nearest vectors.

The library may look at all words for one answer; a page that asks at every key stroke needs an index. Most models store
the neighbours of all words (`wordatoms.embeddings.neighbours`). In the others a search reads all vectors, which takes
nearly all of its time, so requests that arrive during one search are answered together by the next: eight at once take
twice as long as one. Nearest words equal those of `Embeddings.nearest` to the last bit.
"""

from __future__ import annotations

import difflib
import threading
from bisect import bisect_left
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.embeddings.neighbours import Neighbours

N_SUGGESTED = 3
LEAST_ALIKE = 0.75
"""The lowest `difflib` ratio of a suggested spelling."""
N_COMPARED = 100
"""Spellings compared letter by letter: those with the most letters in common."""
N_KINDS = 64
"""Letters are counted by code point modulo this number: a collision may add a wrong candidate but never drops one."""
LONGEST = 127
"""Length of the longest word that is suggested, so that a count of letters fits into a byte."""
MOST_AT_ONCE = 64
FEW = 2
"""Up to this many searches are faster one by one: a matrix product would first copy all vectors."""
N_FOUND = 12
"""Nearest words found for each word."""
N_CACHED = 10_000
SCORE_ERROR = 1e-5
"""Well above the rounding error of a cosine in single precision; closer candidates are compared exactly."""

Found = list[Neighbour]


class PrefixIndex:
    """Words by their prefixes."""

    def __init__(self, words: Sequence[str]) -> None:
        self._rows = np.array(sorted(range(len(words)), key=words.__getitem__), np.intp)
        self._sorted = [words[row] for row in self._rows.tolist()]
        self._words = words

    def complete(self, prefix: str, n: int) -> list[str]:
        """The first `n` words of the vocabulary with this prefix, in the order of the vocabulary."""
        first = bisect_left(self._sorted, prefix)
        last = bisect_left(self._sorted, prefix + "\U0010ffff", lo=first)
        rows = self._rows[first:last]
        best = np.sort(np.partition(rows, n)[:n] if len(rows) > n else rows)
        return [self._words[row] for row in best.tolist()]


class SpellingIndex:
    """Words by their letters, to suggest known words for an unknown one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = [word for word in words if len(word) <= LONGEST]
        self._lengths = np.array([len(word) for word in self._words], np.int32)
        codes = np.frombuffer("".join(self._words).encode("utf-32-le"), np.uint32) % N_KINDS
        places = np.repeat(np.arange(len(self._words)), self._lengths) * N_KINDS + codes
        counts = np.bincount(places, minlength=len(self._words) * N_KINDS)
        self._letters = np.ascontiguousarray(counts.astype(np.int8).reshape(len(self._words), N_KINDS).T)

    def suggest(self, word: str) -> list[str]:
        """The most similar spellings, best first."""
        if len(word) > LONGEST:
            return []
        codes = np.frombuffer(word.encode("utf-32-le", "replace"), np.uint32) % N_KINDS
        shared = np.zeros(len(self._words), np.int8)
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            shared += np.minimum(self._letters[code], np.int8(count))
        bounds = 2.0 * shared / np.maximum(self._lengths + len(word), 1)  # an upper bound of the ratio
        likely = np.flatnonzero(bounds >= LEAST_ALIKE)
        best = likely[np.argsort(-bounds[likely], kind="stable")[:N_COMPARED]]
        candidates = [self._words[place] for place in best.tolist()]
        return difflib.get_close_matches(word, candidates, n=N_SUGGESTED, cutoff=LEAST_ALIKE)


class NearestWords:
    """The nearest words of a word: looked up if the model stores them, else searched for in batches on one thread."""

    def __init__(self, embeddings: Embeddings, stored: Neighbours | None = None) -> None:
        self._embeddings = embeddings
        self._stored = stored if stored is not None and stored.n_kept >= N_FOUND else None
        self._waiting: SimpleQueue[tuple[str, Future[Found]]] = SimpleQueue()
        self._lock, self._is_working = threading.Lock(), False
        self._search: Callable[[str], Found] = lru_cache(N_CACHED)(self._wait_for_search)

    @property
    def needs_search(self) -> bool:
        return self._stored is None

    def of(self, word: str, n: int) -> Found:
        """The `n` words nearest to a known word."""
        if self._stored is not None:
            return self._stored.of(int(self._embeddings.find_rows([word])[0]), n, self._embeddings)
        return self._search(word)[:n]

    def _wait_for_search(self, word: str) -> Found:
        with self._lock:
            if not self._is_working:
                self._is_working = True
                threading.Thread(target=self._work, name="nearest words", daemon=True).start()
        future: Future[Found] = Future()
        self._waiting.put((word, future))
        return future.result()

    def _work(self) -> None:
        while True:
            batch = [self._waiting.get()]
            with suppress(Empty):
                while len(batch) < MOST_AT_ONCE:
                    batch.append(self._waiting.get_nowait())
            try:
                found = nearest_of_each(self._embeddings, [word for word, _ in batch], N_FOUND)
            except Exception as error:
                for _, future in batch:
                    future.set_exception(error)
                continue
            for (_, future), near in zip(batch, found, strict=True):
                future.set_result(near)


def nearest_of_each(embeddings: Embeddings, words: Sequence[str], n: int) -> list[Found]:
    """The `n` words nearest to each of several known words."""
    units, rows = embeddings.unit_vectors, embeddings.find_rows(words)
    if len(words) <= FEW:
        scores = [units @ units[row] for row in rows.tolist()]
    else:
        scores = list(np.ascontiguousarray((units @ units[rows].T).T))
    return [_nearest(embeddings, int(row), each, n) for row, each in zip(rows, scores, strict=True)]


def _nearest(embeddings: Embeddings, row: int, scores: NDArray[np.float32], n: int) -> Found:
    """Compares the few words that may be nearest by exact cosines."""
    n_with_itself = min(n + 1, len(embeddings))
    threshold = np.partition(scores, -n_with_itself)[-n_with_itself] - SCORE_ERROR
    candidates = np.union1d(np.flatnonzero(scores >= threshold), row)
    words = tuple(embeddings.words[each] for each in candidates.tolist())
    few = Embeddings(words, embeddings.vectors[candidates])
    return few.nearest(embeddings.words[row], n)

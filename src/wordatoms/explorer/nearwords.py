"""The nearest words of a word, for many who ask at once.

Most models keep the neighbours of all words (`wordatoms.embeddings.neighbours`). With the others a search reads all
vectors, and
reading them from memory takes nearly all its time. Those who wait while one search runs are therefore answered together
by the next: eight searches at once take twice as long as one. What was found is kept for a while. The answers are those
of `Embeddings.nearest`, to the last bit.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings, Neighbour
from wordatoms.embeddings.neighbours import Neighbours

MOST_AT_ONCE = 64
FEW = 2
"""So few searches are quicker one by one: a product of matrices would first copy all vectors."""
N_FOUND = 12
"""The most near words that may be asked for."""
N_KEPT = 10_000
SCORE_ERROR = 1e-5
"""Well above the rounding of a cosine in single precision; candidates this near are compared exactly."""

Found = list[Neighbour]


class NearWords:
    """Answers those who wait together, on a thread of its own that begins with the first question."""

    def __init__(self, embeddings: Embeddings, stored: Neighbours | None = None) -> None:
        self._embeddings = embeddings
        self._stored = stored if stored is not None and stored.n_kept >= N_FOUND else None
        self._kept: OrderedDict[str, Found] = OrderedDict()
        self._waiting: SimpleQueue[tuple[str, Future[Found]]] = SimpleQueue()
        self._lock, self._is_working = threading.Lock(), False

    @property
    def need_a_search(self) -> bool:
        return self._stored is None

    def of(self, word: str, n: int) -> Found:
        """The `n` words nearest to a known word."""
        if self._stored is not None:
            return self._stored.of(int(self._embeddings.find_rows([word])[0]), n, self._embeddings)
        with self._lock:
            if word in self._kept:
                return self._kept[word][:n]
            if not self._is_working:
                self._is_working = True
                threading.Thread(target=self._work, name="near words", daemon=True).start()
        future: Future[Found] = Future()
        self._waiting.put((word, future))
        return future.result()[:n]

    def _work(self) -> None:
        while True:
            batch = [self._waiting.get()]
            with suppress(Empty):
                while len(batch) < MOST_AT_ONCE:
                    batch.append(self._waiting.get_nowait())
            self._answer(batch)

    def _answer(self, batch: Sequence[tuple[str, Future[Found]]]) -> None:
        try:
            found = nearest_of_each(self._embeddings, [word for word, _ in batch], N_FOUND)
        except Exception as error:
            for _, future in batch:
                future.set_exception(error)
            return
        for (word, future), near in zip(batch, found, strict=True):
            self._keep(word, near)
            future.set_result(near)

    def _keep(self, word: str, near: Found) -> None:
        with self._lock:
            self._kept[word] = near
            while len(self._kept) > N_KEPT:
                self._kept.popitem(last=False)


def nearest_of_each(embeddings: Embeddings, words: Sequence[str], n: int) -> list[Found]:
    """The `n` words nearest to each of some known words."""
    units, rows = embeddings.unit_vectors, embeddings.find_rows(words)
    if len(words) <= FEW:
        scores = [units @ units[row] for row in rows.tolist()]
    else:
        scores = list(np.ascontiguousarray((units @ units[rows].T).T))
    return [_nearest(embeddings, int(row), each, n) for row, each in zip(rows, scores, strict=True)]


def _nearest(embeddings: Embeddings, row: int, scores: NDArray[np.float32], n: int) -> Found:
    """By exact cosines among the few words that may be nearest."""
    n_with_itself = min(n + 1, len(embeddings))
    threshold = np.partition(scores, -n_with_itself)[-n_with_itself] - SCORE_ERROR
    candidates = np.union1d(np.flatnonzero(scores >= threshold), row)
    words = tuple(embeddings.words[each] for each in candidates.tolist())
    few = Embeddings(words, embeddings.vectors[candidates])
    return few.nearest(embeddings.words[row], n)

"""The nearest words of every word of an embedding, computed once and stored.

A search compares a query with all vectors (`Embeddings.nearest`), which takes milliseconds; the explorer looks many
words up per second. Only rows are stored. Cosines are computed on request, so the answers equal those of a search to
the last bit. Not part of the paper. Left out: words outside the vocabulary, and more neighbours than are stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings, Neighbour, cosines
from wordatoms.errors import InputError, ModelError
from wordatoms.parallel import one_blas_thread, resolve_threads, run_threads
from wordatoms.storage.files import load_array, save_array

FILE = "neighbours.npy"
N_KEPT = 12
"""Neighbours stored for each word."""
MOST_WORDS = 100_000
"""Larger vocabularies get no table: the time grows with the square of their size, to minutes for this one."""
BLOCK_WORDS = 128
"""Words searched at a time: their similarities with 50,000 words take 25 MB."""

Step = Callable[[], None]


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """The words nearest to each word, as rows of the embedding."""

    rows: NDArray[np.int32]
    """Shape (n_words, n_kept), nearest first."""

    def __post_init__(self) -> None:
        rows = self.rows
        if rows.ndim != 2 or rows.dtype != np.int32:
            raise InputError(f"the neighbours are {rows.dtype} of shape {rows.shape}; pass a row of int32 per word.")
        if rows.size and not 0 <= rows.min() <= rows.max() < len(rows):
            raise InputError(f"neighbours are rows {rows.min()} to {rows.max()} of {len(rows):,} words.")

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Neighbours({self.n_kept} of each of {len(self):,} words)"

    @property
    def n_kept(self) -> int:
        return int(self.rows.shape[1])

    def of(self, row: int, n: int, embeddings: Embeddings) -> list[Neighbour]:
        """What `embeddings.nearest` returns for the word in this row, up to the number stored."""
        rows = self.rows[row, :n]
        similarities = cosines(embeddings.vectors[rows], embeddings.vectors[row])
        pairs = zip(rows.tolist(), similarities.tolist(), strict=True)
        return [Neighbour(embeddings.words[near], similarity) for near, similarity in pairs]

    def save(self, folder: Path) -> None:
        save_array(Path(folder) / FILE, self.rows)

    @classmethod
    def load(cls, folder: Path, n_words: int) -> Neighbours:
        """Load and check the neighbours of a model with `n_words` words."""
        path = Path(folder) / FILE
        try:
            found = cls(load_array(path))
        except InputError as error:
            raise ModelError(f"{path} is damaged: {error}") from error
        if len(found) != n_words:
            raise ModelError(f"{path} is for {len(found):,} words, not {n_words:,}. Run `wordatoms atomize --force`.")
        return found


def n_blocks(n_words: int) -> int:
    """Number of calls of the callback of `find_neighbours`."""
    return -(-n_words // BLOCK_WORDS)


def find_neighbours(
    embeddings: Embeddings, n: int = N_KEPT, *, threads: int | None = None, callback: Step = lambda: None
) -> Neighbours:
    """Find the `n` words nearest to each word; the callback is called after each of `n_blocks`.

    A search compares its best candidates in double precision, so the result does not depend on the number of threads.
    """
    n = min(n, len(embeddings) - 1)

    def find(start: int) -> NDArray[np.int32]:
        words = embeddings.words[start : start + BLOCK_WORDS]
        found = [embeddings.find_rows([near.word for near in nearby]) for nearby in embeddings.nearest_batch(words, n)]
        callback()
        return np.array(found, np.int32)

    if n < 1:
        return Neighbours(np.empty((len(embeddings), 0), np.int32))
    _ = embeddings.unit_vectors  # computed once, before the threads ask for it
    with one_blas_thread():
        blocks = run_threads(find, range(0, len(embeddings), BLOCK_WORDS), resolve_threads(threads))
    return Neighbours(np.concatenate(blocks))

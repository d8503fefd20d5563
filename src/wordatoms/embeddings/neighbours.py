"""The nearest words of every word of an embedding, found once and kept.

A search looks at all vectors (`Embeddings.nearest`), which takes some milliseconds; a page that is asked for many words
a second had better look them up. Only rows are kept: the cosines are computed when they are asked for, so that the
answers are those of the search, to the last bit. It goes with no section of the paper. Left out: words that are not
in the vocabulary, and more neighbours than are kept.
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
"""Neighbours kept of each word."""
MOST_WORDS = 100_000
"""The time to find the neighbours of all words grows with the square of their number: for so many, some minutes."""
BLOCK_WORDS = 128
"""Words whose neighbours are looked for at a time: their scores take 25 MB where there are 50,000."""

Step = Callable[[], None]


@dataclass(frozen=True, eq=False, repr=False)
class Neighbours:
    """The words nearest to each word, as rows of the embedding that they belong to."""

    rows: NDArray[np.int32]
    """(n_words, n_kept), the nearest first."""

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
        """What `embeddings.nearest` gives for the word in this row; at most as many as are kept."""
        rows = self.rows[row, :n]
        similarities = cosines(embeddings.vectors[rows], embeddings.vectors[row])
        pairs = zip(rows.tolist(), similarities.tolist(), strict=True)
        return [Neighbour(embeddings.words[near], similarity) for near, similarity in pairs]

    def save(self, folder: Path) -> None:
        save_array(Path(folder) / FILE, self.rows)

    @classmethod
    def load(cls, folder: Path, n_words: int) -> Neighbours:
        """Those of so many words that `save` wrote."""
        path = Path(folder) / FILE
        try:
            found = cls(load_array(path))
        except InputError as error:
            raise ModelError(f"{path} cannot be used: {error}") from error
        if len(found) != n_words:
            raise ModelError(
                f"{path} is for {len(found):,} words, not {n_words:,}; make the atoms again, with --force."
            )
        return found


def n_blocks(n_words: int) -> int:
    """How often `find_neighbours` calls its callback."""
    return -(-n_words // BLOCK_WORDS)


def find_neighbours(
    embeddings: Embeddings, n: int = N_KEPT, *, threads: int | None = None, callback: Step = lambda: None
) -> Neighbours:
    """The `n` words nearest to each word; the callback is called after each of `n_blocks`.

    A search compares its best candidates in double precision, so that the same come out with any number of threads.
    """
    n = min(n, len(embeddings) - 1)

    def find(start: int) -> NDArray[np.int32]:
        words = embeddings.words[start : start + BLOCK_WORDS]
        found = [embeddings.find_rows([near.word for near in nearby]) for nearby in embeddings.nearest_batch(words, n)]
        callback()
        return np.array(found, np.int32)

    if n < 1:
        return Neighbours(np.empty((len(embeddings), 0), np.int32))
    _ = embeddings.unit_vectors  # made once, not by each of the threads
    with one_blas_thread():
        blocks = run_threads(find, range(0, len(embeddings), BLOCK_WORDS), resolve_threads(threads))
    return Neighbours(np.concatenate(blocks))

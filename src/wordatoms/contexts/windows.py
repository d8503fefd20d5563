"""Windows of a text: the words around each place, line by line, and windows drawn at random.

A window is the `window` words on each side of its target. It does not cross a line, and words outside the vocabulary
are dropped before distances are counted. Random windows are those with the lowest hashes of their words, so that they
do not depend on how the text is split over workers, nor on which of them is first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.engine.ledger import opened_ledger
from wordatoms.engine.threads import Batch, blocks_with_sizes, engine_of, run_pass
from wordatoms.errors import InputError
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, ArrayFile
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

LARGEST_WINDOW = 1000
N_WINDOWS = 10_000
MOST_SAMPLES = 256
"""Held in memory until they are added up."""


def check_window(window: int) -> None:
    if not 1 <= window <= LARGEST_WINDOW:
        raise InputError(f"window is {window:,}; pass 1 to {LARGEST_WINDOW:,} words on each side.")


class Scratch:
    """An array to be used again for each block: fresh memory costs more than most of what is done with it."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._array = np.empty(0, dtype)

    def __getitem__(self, length: int) -> Array:
        """An array of a length, with anything in it; valid until the next is asked for."""
        if length > len(self._array):
            self._array = np.empty(2 * length, self._array.dtype)
        return self._array[:length]


def packed_lines(batch: Batch, lexicon: Lexicon, n_words: int, report: TextCallback) -> Iterator[tuple[Array, Array]]:
    """Block by block the known words of a batch, as rows, and where each line ends; valid until the next block."""
    from wordatoms.kernels import contexts as kernel

    lexicon = lexicon.copy()
    streams, places = Scratch(np.int32), Scratch(np.int64)
    for shard in batch:
        for block, n_read in blocks_with_sizes(shard):
            ids = lexicon.encode(block)
            stream, ends = streams[len(ids)], places[len(ids)]
            n_lines = kernel.pack_lines(ids, n_words, stream, ends)
            if n_lines:
                yield stream[: ends[n_lines - 1]], ends[:n_lines]
            report(n_read, len(ids))


@dataclass(frozen=True, eq=False)
class WindowSample:
    """The windows of a text with the lowest hashes: drawn at random among all different ones, whatever the split."""

    hashes: NDArray[np.uint64] | ArrayFile
    """In rising order, (n,)."""
    windows: NDArray[np.int32]
    """Rows of words, -1 beyond the ends of the line, the target in the middle, (n, 2 * window + 1)."""
    n_most: int


@dataclass(frozen=True)
class SampleWindows:
    """The work on one batch: keep its windows with the lowest hashes."""

    lexicon: Lexicon
    n_words: int
    window: int
    n_most: int
    powers: NDArray[np.uint64]
    target: int | None = None
    """Only windows around this word."""

    @property
    def kind(self) -> type[WindowSample]:
        return WindowSample

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None = None) -> list[WindowSample]:  # noqa: ARG002 - small
        sample = WindowSample(np.empty(0, np.uint64), np.empty((0, 2 * self.window + 1), np.int32), self.n_most)
        hashes = Scratch(np.uint64)
        waiting: list[WindowSample] = []  # to be added some at a time, because the sum is large and they are small
        for stream, ends in packed_lines(batch, self.lexicon, self.n_words, report):
            waiting.append(self._sample(stream, ends, hashes[len(stream)], sample))
            if sum(len(each.hashes) for each in waiting) >= self.n_most:
                sample, waiting = self.add([sample, *waiting]), []
        return [self.add([sample, *waiting])]

    def is_sound(self, piece: WindowSample) -> bool:
        windows = piece.windows
        return (
            piece.hashes.dtype == np.uint64
            and (windows.dtype, piece.n_most) == (np.dtype(np.int32), self.n_most)
            and windows.shape == (len(piece.hashes), 2 * self.window + 1)
            and bool(((windows >= -1) & (windows < self.n_words)).all())
        )

    def add(self, pieces: Sequence[WindowSample]) -> WindowSample:
        hashes, places = np.unique(np.concatenate([piece.hashes[:] for piece in pieces]), return_index=True)
        hashes, places = hashes[: self.n_most], places[: self.n_most]
        windows = np.empty((len(places), 2 * self.window + 1), np.int32)
        end = 0
        for piece in pieces:  # not all end to end, which would hold them twice
            start, end = end, end + len(piece.hashes)
            its = (start <= places) & (places < end)
            windows[its] = piece.windows[places[its] - start]
        return WindowSample(hashes, windows, self.n_most)

    def split(self, piece: WindowSample, n: int) -> list[WindowSample]:  # noqa: ARG002
        return [piece]

    def n_splits(self, memory: int, n_adders: int) -> int:  # noqa: ARG002 - too small to cut
        return 1

    def _sample(self, stream: Array, ends: Array, hashes: Array, kept: WindowSample) -> WindowSample:
        """The windows of a block that may be among the lowest together with those kept before."""
        from wordatoms.kernels import contexts as kernel

        kernel.hash_windows(stream, ends, self.window, self.powers, hashes)
        is_candidate = hashes < (kept.hashes[-1:][0] if len(kept.hashes) == self.n_most else kernel.NO_CONTEXT)
        if self.target is not None:
            is_candidate &= stream == self.target
        lowest, first = np.unique(hashes[is_candidate], return_index=True)
        places = np.flatnonzero(is_candidate)[first[: self.n_most]]
        return WindowSample(lowest[: self.n_most], windows_at(places, stream, ends, self.window), self.n_most)


def windows_at(places: Array, stream: Array, ends: Array, window: int) -> NDArray[np.int32]:
    lines = np.searchsorted(ends, places, side="right")
    starts = np.concatenate([[0], ends])[lines]
    around = places[:, None] + np.arange(-window, window + 1)
    inside = (around >= starts[:, None]) & (around < ends[lines][:, None])
    return np.where(inside, stream[np.where(inside, around, 0)], -1).astype(np.int32)


def sample_windows(
    corpus: Corpus,
    words: Sequence[str],
    *,
    n_windows: int = N_WINDOWS,
    window: int = 10,
    target: int | None = None,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    work: Path | None = None,
    keep: Path | None = None,
    run: Run = DEFAULT_RUN,
) -> NDArray[np.int32]:
    """Random windows of a text, at most `n_windows` and no two the same: rows of words, (n, 2 * window + 1).

    The word in the middle is the target; with a `target`, a row, only windows around that word. Beyond the ends of a
    line there is -1. What was drawn so far stays in `keep`, if it is given, for a later call to go on from.
    """
    check_window(window)
    if n_windows < 1:
        raise InputError(f"n_windows is {n_windows}; ask for 1 window or more.")
    powers = hash_powers(window, random_state)
    lexicon = Lexicon(words, tokenizer=tokenizer)
    task = SampleWindows(lexicon, len(words), window, n_windows, powers, target)
    known = ("\n".join(words), lexicon.tokenizer, powers, n_windows, target)
    batch_bytes = max(BATCH_BYTES, corpus.n_bytes // MOST_SAMPLES)
    with (
        opened_ledger("windows", known, keep=keep, work=work) as ledger,
        run.progress.text_bar("windows", n_bytes=corpus.n_bytes) as report,
    ):
        parts = run_pass(engine_of(run), task, corpus.shards, ledger, batch_bytes=batch_bytes, report=report)
        return task.add(parts).windows


def hash_powers(window: int, random_state: int) -> NDArray[np.uint64]:
    """The base that a seed gives to the hashes of windows, to the powers that they need."""
    base = np.random.default_rng(random_state).integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.cumprod(np.r_[np.uint64(1), np.full(2 * window + 1, base)], dtype=np.uint64)

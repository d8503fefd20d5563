"""Random occurrences of all words of a text: the words around each, and where it stands.

One pass over the text keeps an occurrence if the hash of its window is below a bound that is lower for frequent words,
so that about `n_most` of each word remain, whatever their number; those with the lowest hashes are then taken. The
sample depends on the text alone, not on how it is split over workers. Occurrences with the same words around them count
once.

The kept windows lie on disk in pieces, each sorted by word, and are read for a few words at a time (`Occurrences.of`).
A worker writes a piece when the windows it holds, and their copy while they are sorted, fill its share of the memory.

Left out: what is learned from them (`wordatoms.senses.observing`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.window_shapes import check_window
from wordatoms.contexts.windows import NO_BOUND, Scratch, hash_powers, windows_at
from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.engine.ledger import open_ledger
from wordatoms.engine.threads import Batch, engine_of, placed_blocks_with_sizes, run_pass
from wordatoms.errors import InputError
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, ArrayFile, spill_array
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

SURPLUS = 1.3
"""Occurrences kept in the pass for each one wanted, so that hardly any word ends up with too few by chance."""
COPIES, WINDOW_BYTES, LEAST_HELD = 4, 24, 4096
"""Copies of the held windows while they are sorted, bytes of each besides its words, and how many are held at least."""
SPARE = 30
"""Further occurrences kept of each word, for those of which few are wanted."""


@dataclass(frozen=True, eq=False)
class SampledWindows:
    """Kept occurrences of a part of a text, sorted by word and hash."""

    words: NDArray[np.int32] | ArrayFile
    hashes: NDArray[np.uint64] | ArrayFile
    windows: NDArray[np.int32] | ArrayFile
    """The rows of the words around each occurrence, -1 for none, flattened: n times 2 * window."""
    files: NDArray[np.int32] | ArrayFile
    offsets: NDArray[np.int64] | ArrayFile


@dataclass(frozen=True)
class SampleOccurrences:
    """The work on one batch: keep the occurrences whose hashes are below the bounds of their words."""

    lexicon: Lexicon
    bounds: NDArray[np.uint64]
    """What the hash of an occurrence of each word must be below, (n_words,)."""
    window: int
    powers: NDArray[np.uint64]
    paths: tuple[str, ...]
    """Paths of the files, in the order of their numbers."""
    n_held: int
    """Windows that a worker holds before it writes a piece."""

    @property
    def kind(self) -> type[SampledWindows]:
        return SampledWindows

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None = None) -> list[SampledWindows]:
        from wordatoms.kernels import contexts as kernel

        lexicon, n_words = self.lexicon.for_reading(), len(self.bounds)
        streams, places, numbers, hashes = Scratch(np.int32), Scratch(np.int64), Scratch(np.int64), Scratch(np.uint64)
        pieces: list[SampledWindows] = []
        found: list[SampledWindows] = []
        for shard in batch:
            file = self.paths.index(shard.path)
            for position, block, n_read in placed_blocks_with_sizes(shard):
                ids = lexicon.encode(block)
                stream, ends, lines = streams[len(ids)], places[len(ids)], numbers[len(ids)]
                n_lines = kernel.pack_lines(ids, n_words, stream, ends)
                kernel.number_lines(ids, n_words, lines)
                if n_lines:
                    stream, ends = stream[: ends[n_lines - 1]], ends[:n_lines]
                    kernel.hash_windows(stream, ends, self.window, self.powers, hashes[len(stream)])
                    starts = position + _line_starts(block)[lines[:n_lines]]
                    found.append(self._kept(stream, ends, hashes[len(stream)], file, starts))
                if sum(len(kept.words) for kept in found) >= self.n_held:
                    pieces.append(self._written(found, folder))
                    found = []
                report(n_read, len(ids))
        return [*pieces, self._written(found, folder)] if found else pieces

    def _written(self, found: Sequence[SampledWindows], folder: Path | None) -> SampledWindows:
        piece = self.add(found)
        return SampledWindows(**{each.name: spill_array(getattr(piece, each.name), folder) for each in fields(piece)})

    def _kept(self, stream: Array, ends: Array, hashes: Array, file: int, starts: Array) -> SampledWindows:
        chosen = np.flatnonzero(hashes < self.bounds[stream])
        around = np.delete(windows_at(chosen, stream, ends, self.window), self.window, axis=1)
        offsets = starts[np.searchsorted(ends, chosen, side="right")]
        files = np.full(len(chosen), file, np.int32)
        return SampledWindows(stream[chosen].copy(), hashes[chosen].copy(), around.reshape(-1), files, offsets)

    def add(self, pieces: Sequence[SampledWindows]) -> SampledWindows:
        words, hashes, files, offsets = (
            np.concatenate([getattr(piece, name)[:] for piece in pieces])
            for name in ("words", "hashes", "files", "offsets")
        )
        windows = np.concatenate([piece.windows[:].reshape(-1, 2 * self.window) for piece in pieces])
        order = np.lexsort((offsets, files, hashes, words))
        return SampledWindows(words[order], hashes[order], windows[order].reshape(-1), files[order], offsets[order])

    def is_valid(self, piece: SampledWindows) -> bool:
        words, windows = piece.words[:], piece.windows[:]
        kinds = (np.int32, np.uint64, np.int32, np.int32, np.int64)
        arrays = (piece.words, piece.hashes, piece.windows, piece.files, piece.offsets)
        n_words = len(self.bounds)
        return (
            all(array.dtype == kind for array, kind in zip(arrays, kinds, strict=True))
            and len(words) == len(piece.hashes) == len(piece.files) == len(piece.offsets)
            and len(windows) == len(words) * 2 * self.window
            and bool((np.diff(words) >= 0).all())
            and 0 <= words.min(initial=0) <= words.max(initial=0) < n_words
            and -1 <= windows.min(initial=0) <= windows.max(initial=0) < n_words
        )

    def split(self, piece: SampledWindows, n: int) -> list[SampledWindows]:
        """Split into ranges of words."""
        cuts = np.searchsorted(piece.words[:], [len(self.bounds) * k // n for k in range(n + 1)]).tolist()
        return [self._part(piece, slice(*pair)) for pair in pairwise(cuts)]

    def _part(self, piece: SampledWindows, rows: slice) -> SampledWindows:
        width = 2 * self.window
        return SampledWindows(
            piece.words[rows],
            piece.hashes[rows],
            piece.windows[rows.start * width : rows.stop * width],
            piece.files[rows],
            piece.offsets[rows],
        )

    def n_splits(self, memory: int, n_adders: int) -> int:  # noqa: ARG002 - what is kept is bounded
        return n_adders


def _line_starts(block: bytes) -> NDArray[np.int64]:
    """Return where each line of a block begins."""
    return np.concatenate([[0], np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")) + 1])


class WordOccurrences(NamedTuple):
    """The sampled occurrences of one word."""

    windows: NDArray[np.int32]
    """The rows of the words around each, -1 for none, (n, 2 * window)."""
    files: NDArray[np.int32]
    offsets: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Random occurrences of all words, on disk."""

    pieces: tuple[SampledWindows, ...]
    n_words: int
    n_most: int
    window: int

    @cached_property
    def _starts(self) -> list[NDArray[np.int64]]:
        """For each piece, where the occurrences of each word begin."""
        return [np.searchsorted(piece.words[:], np.arange(self.n_words + 1)) for piece in self.pieces]

    @cached_property
    def _mapped(self) -> list[SampledWindows]:
        """The pieces as memory-mapped arrays, so that the occurrences of one word are read without opening files."""
        return [
            SampledWindows(**{each.name: _mapped(getattr(piece, each.name)) for each in fields(piece)})
            for piece in self.pieces
        ]

    def of(self, row: int) -> WordOccurrences:
        """Return the occurrences of a word, at most `n_most`, in random order."""
        parts = [
            (piece, slice(int(starts[row]), int(starts[row + 1])))
            for piece, starts in zip(self._mapped, self._starts, strict=True)
        ]
        parts = [(piece, part) for piece, part in parts if part.start < part.stop]
        width = 2 * self.window
        if not parts:
            empty = np.zeros(0, np.int64)
            return WordOccurrences(np.zeros((0, width), np.int32), empty.astype(np.int32), empty)
        hashes = np.concatenate([piece.hashes[part] for piece, part in parts])
        files = np.concatenate([piece.files[part] for piece, part in parts])
        offsets = np.concatenate([piece.offsets[part] for piece, part in parts])
        windows = np.concatenate([piece.windows[part.start * width : part.stop * width] for piece, part in parts])
        order = np.lexsort((offsets, files, hashes))
        is_new = np.r_[True, np.diff(hashes[order]) > 0]
        lowest = order[is_new][: self.n_most]
        return WordOccurrences(windows.reshape(-1, width)[lowest], files[lowest], offsets[lowest])


def _mapped(array: Array | ArrayFile) -> Array:
    if not isinstance(array, ArrayFile):
        return array
    if not len(array):
        return array[:]
    return np.memmap(array.path, array.dtype, "r", ArrayFile.HEADER_BYTES, (len(array),))


@contextmanager
def sampled_occurrences(
    corpus: Corpus,
    words: Sequence[str],
    counts: NDArray[np.int64],
    *,
    n_most: int,
    window: int,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    work: Path | None = None,
    keep: Path | None = None,
    run: Run = DEFAULT_RUN,
) -> Iterator[Occurrences]:
    """Sample about `n_most` occurrences of each word in one pass; they stay on disk until the end of the context.

    Finished parts stay in `keep`, if given, for a later call to resume from.
    """
    check_window(window)
    if n_most < 1:
        raise InputError(f"n_most is {n_most}; ask for 1 occurrence of each word or more.")
    powers, bounds = hash_powers(window, random_state), hash_bounds(counts, n_most)
    lexicon = Lexicon(words, tokenizer=tokenizer)
    paths = tuple(dict.fromkeys(shard.path for shard in corpus.shards))
    engine = engine_of(run)
    n_held = max(run.memory // (engine.n_workers * COPIES * (8 * window + WINDOW_BYTES)), LEAST_HELD)
    task = SampleOccurrences(lexicon, bounds, window, powers, paths, n_held)
    order = tuple(file.sha256 for file in corpus.files)
    known = ("\n".join(words), lexicon.tokenizer, powers, bounds, order)
    with open_ledger("occurrences", known, keep=keep, work=work) as ledger:
        with run.progress.text_bar("occurrences", n_bytes=corpus.n_bytes) as report:
            parts = run_pass(engine, task, corpus.shards, ledger, batch_bytes=BATCH_BYTES, report=report)
        yield Occurrences(tuple(parts), len(words), n_most, window)


def hash_bounds(counts: NDArray[np.int64], n_most: int) -> NDArray[np.uint64]:
    """Return the bound of each word below which about as many hashes as wanted lie, and a few more."""
    share = np.minimum((SURPLUS * n_most + SPARE) / np.maximum(counts, 1), 1.0)
    bounds = np.full(len(counts), NO_BOUND)
    part = share < 1
    bounds[part] = (share[part] * 2.0**63).astype(np.uint64) * np.uint64(2)
    return bounds

"""Windows of a text: the words around each place, line by line, and windows drawn at random.

A window is the `window` words on each side of its target. It does not cross a line, and words outside the vocabulary
are dropped before distances are counted. Random windows, of the whole text or of each of many target words, are those
with the lowest hashes of their words, so the sample does not depend on how the text is split over workers. The lowest
hashes among several words, such as the forms of one, are a random draw of their occurrences, each form with its share.

Memory: m targets keep at most m · n_windows windows, 4 bytes per word. A worker holds up to four times as many while it
merges; finished parts of the text take at most half of the memory, so there are fewer of them if each is large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.contexts.window_shapes import check_window
from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.engine.ledger import open_ledger
from wordatoms.engine.threads import Batch, blocks_with_sizes, engine_of, local_engine, make_batches, run_pass
from wordatoms.errors import InputError, ModelError
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, ArrayFile, map_array, save_array, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

N_WINDOWS = 10_000
WINDOWS_PER_WORD = 1000
MOST_SAMPLES = 256
"""Maximum number of samples of parts of a text that wait in memory to be added."""
MERGED_AT_ONCE = 1 << 18
"""Windows that wait before they are merged with the kept ones, so that sorting costs little."""
NO_BOUND = np.uint64(0xFFFFFFFFFFFFFFFF)
ARRAYS = {"targets": np.int64, "indptr": np.int64, "hashes": np.uint64, "windows": np.int32}
"""Arrays of `WordWindows` and their types."""


# --- lines as rows of words


class Scratch:
    """An array that is reused for each block, because fresh memory costs more than most of the work on it."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._array = np.empty(0, dtype)

    def __getitem__(self, length: int) -> Array:
        """Return an uninitialised array of this length, valid until the next one is asked for."""
        if length > len(self._array):
            self._array = np.empty(2 * length, self._array.dtype)
        return self._array[:length]


def packed_lines(batch: Batch, lexicon: Lexicon, n_words: int, report: TextCallback) -> Iterator[tuple[Array, Array]]:
    """Yield per block the rows of the known words and where each line ends; both are valid until the next block."""
    from wordatoms.kernels import contexts as kernel

    lexicon = lexicon.for_reading()
    streams, places = Scratch(np.int32), Scratch(np.int64)
    for shard in batch:
        for block, n_read in blocks_with_sizes(shard):
            ids = lexicon.encode(block)
            stream, ends = streams[len(ids)], places[len(ids)]
            n_lines = kernel.pack_lines(ids, n_words, stream, ends)
            if n_lines:
                yield stream[: ends[n_lines - 1]], ends[:n_lines]
            report(n_read, len(ids))


def windows_at(places: Array, stream: Array, ends: Array, window: int) -> NDArray[np.int32]:
    """Return the rows of the words around some places, -1 beyond the ends of their lines, (n, 2 * window + 1)."""
    lines = np.searchsorted(ends, places, side="right")
    starts = np.concatenate([[0], ends])[lines]
    around = places[:, None] + np.arange(-window, window + 1)
    inside = (around >= starts[:, None]) & (around < ends[lines][:, None])
    return np.where(inside, stream[np.where(inside, around, 0)], -1).astype(np.int32)


# --- the windows with the lowest hashes


@dataclass(frozen=True, eq=False)
class LowestWindows:
    """The windows with the lowest hashes of each target, in a part of a text or in all of it."""

    owners: NDArray[np.int32] | ArrayFile
    """The number of the target of each window, rising, (n,)."""
    hashes: NDArray[np.uint64] | ArrayFile
    """Rising within each target, (n,)."""
    windows: NDArray[np.int32]
    """Rows of words, -1 beyond the ends of the line, the target in the middle, (n, 2 * window + 1)."""


@dataclass(frozen=True)
class KeepLowest:
    """The work on one batch: keep the windows with the lowest hashes of each target."""

    lexicon: Lexicon
    n_words: int
    owner_of: NDArray[np.int32] | None
    """The target that each word of the vocabulary is, or -1, (n_words,); None if all words together are the target."""
    n_targets: int
    n_most: int
    window: int
    powers: NDArray[np.uint64]

    @property
    def kind(self) -> type[LowestWindows]:
        return LowestWindows

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None = None) -> list[LowestWindows]:  # noqa: ARG002 - small
        width = 2 * self.window + 1
        kept = LowestWindows(np.empty(0, np.int32), np.empty(0, np.uint64), np.empty((0, width), np.int32))
        n_enough = min(MERGED_AT_ONCE, self.n_targets * self.n_most)
        hashes = Scratch(np.uint64)
        bounds, waiting, n_waiting = self._bounds(kept), [], 0
        for stream, ends in packed_lines(batch, self.lexicon, self.n_words, report):
            waiting.append(self._candidates(stream, ends, hashes[len(stream)], bounds))
            n_waiting += len(waiting[-1].hashes)
            if n_waiting > max(n_enough, len(kept.hashes) // 2):
                kept = self.add([kept, *waiting])
                bounds, waiting, n_waiting = self._bounds(kept), [], 0
        return [self.add([kept, *waiting])]

    def _candidates(self, stream: Array, ends: Array, hashes: Array, bounds: NDArray[np.uint64]) -> LowestWindows:
        """Return the windows of a block that may be among the lowest."""
        from wordatoms.kernels import contexts as kernel

        kernel.hash_windows(stream, ends, self.window, self.powers, hashes)
        if self.owner_of is None:
            places = np.flatnonzero(hashes < bounds[0])
            owners = np.zeros(len(places), np.int32)
        else:
            owners = self.owner_of[stream]
            places = np.flatnonzero(hashes < bounds[owners])
            owners = owners[places]
        lowest = _find_lowest(owners, hashes[places], self.n_most)
        places = places[lowest]
        return LowestWindows(owners[lowest], hashes[places], windows_at(places, stream, ends, self.window))

    def _bounds(self, kept: LowestWindows) -> NDArray[np.uint64]:
        """Return what a hash of each target must be below; the last entry, 0, is for words that are no targets."""
        sizes = np.bincount(kept.owners[:], minlength=self.n_targets)
        is_full = sizes == self.n_most
        bounds = np.append(np.full(self.n_targets, NO_BOUND), np.uint64(0))
        bounds[:-1][is_full] = kept.hashes[:][np.cumsum(sizes)[is_full] - 1]
        return bounds

    def add(self, pieces: Sequence[LowestWindows]) -> LowestWindows:
        owners = np.concatenate([piece.owners[:] for piece in pieces])
        hashes = np.concatenate([piece.hashes[:] for piece in pieces])
        lowest = _find_lowest(owners, hashes, self.n_most)
        windows = np.empty((len(lowest), 2 * self.window + 1), np.int32)
        order = np.argsort(lowest)
        starts = np.cumsum([0, *(len(piece.hashes) for piece in pieces)])
        cuts = np.searchsorted(lowest[order], starts)
        for piece, start, (first, last) in zip(pieces, starts, pairwise(cuts), strict=False):
            own = order[first:last]  # one piece at a time: joined end to end, all would be in memory twice
            windows[own] = piece.windows[lowest[own] - start]
        return LowestWindows(owners[lowest], hashes[lowest], windows)

    def is_valid(self, piece: LowestWindows) -> bool:
        owners, windows = piece.owners[:], piece.windows
        return (
            owners.dtype == windows.dtype == np.int32
            and piece.hashes.dtype == np.uint64
            and len(owners) == len(piece.hashes)
            and bool(((owners >= 0) & (owners < self.n_targets)).all())
            and windows.shape == (len(owners), 2 * self.window + 1)
            and bool(((windows >= -1) & (windows < self.n_words)).all())
        )

    def split(self, piece: LowestWindows, n: int) -> list[LowestWindows]:  # noqa: ARG002
        return [piece]

    def n_splits(self, memory: int, n_adders: int) -> int:  # noqa: ARG002 - too small to split
        return 1


def _find_lowest(owners: NDArray[np.int32], hashes: NDArray[np.uint64], n_most: int) -> NDArray[np.intp]:
    """Return the places of the `n_most` lowest different hashes of each owner, by owner and hash."""
    order = np.lexsort((hashes, owners))
    owners, hashes = owners[order], hashes[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (owners[1:] != owners[:-1]) | (hashes[1:] != hashes[:-1])
    owners, order = owners[is_new], order[is_new]
    return order[np.arange(len(owners)) - np.searchsorted(owners, owners) < n_most]


def hash_powers(window: int, random_state: int) -> NDArray[np.uint64]:
    """Return the powers of the base of the hashes, which the seed gives."""
    base = np.random.default_rng(random_state).integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.cumprod(np.r_[np.uint64(1), np.full(2 * window + 1, base)], dtype=np.uint64)


def _keep_lowest(
    words: Sequence[str],
    targets: NDArray[np.int64] | None,
    n_windows: int,
    window: int,
    tokenizer: Tokenizer | None,
    random_state: int,
) -> KeepLowest:
    check_window(window)
    if n_windows < 1:
        raise InputError(f"n_windows is {n_windows}; ask for 1 window or more.")
    owner_of = None
    if targets is not None:
        owner_of = np.full(len(words), -1, np.int32)
        owner_of[targets] = np.arange(len(targets))
    powers = hash_powers(window, random_state)
    n_targets = 1 if targets is None else len(targets)
    return KeepLowest(Lexicon(words, tokenizer=tokenizer), len(words), owner_of, n_targets, n_windows, window, powers)


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
    """Draw at most `n_windows` random windows of a text, no two the same: rows of words, (n, 2 * window + 1).

    The word in the middle is the target; with a `target`, a row, only windows around that word are drawn. Beyond the
    ends of a line there is -1. Finished parts stay in `keep`, if given, for a later call to resume from.
    """
    targets = None if target is None else np.array([target])
    task = _keep_lowest(words, targets, n_windows, window, tokenizer, random_state)
    known = ("\n".join(words), task.lexicon.tokenizer, task.powers, n_windows, target)
    batch_bytes = max(BATCH_BYTES, corpus.n_bytes // MOST_SAMPLES)
    with (
        open_ledger("windows", known, keep=keep, work=work) as ledger,
        run.progress.text_bar("windows", n_bytes=corpus.n_bytes) as report,
    ):
        parts = run_pass(engine_of(run), task, corpus.shards, ledger, batch_bytes=batch_bytes, report=report)
        return task.add(parts).windows


# --- windows of many words


@dataclass(frozen=True, eq=False, repr=False)
class WordWindows:
    """Random windows of some words, ordered within a word by hash, which is a random order."""

    targets: NDArray[np.int64]
    """Rows of the words, rising, (m,)."""
    indptr: NDArray[np.int64]
    """The windows of target i are `windows[indptr[i]:indptr[i + 1]]`, (m + 1,)."""
    hashes: NDArray[np.uint64]
    """(n,)"""
    windows: NDArray[np.int32]
    """Rows of words, -1 beyond the ends of the line, the target in the middle, (n, 2 * window + 1)."""
    n_most: int
    """Maximum number of windows per word."""
    words_digest: str
    """Digest of the vocabulary that the rows refer to; see `digest_words`."""

    FILE: ClassVar[str] = "word-windows.json"

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.targets)

    def __repr__(self) -> str:
        return f"WordWindows({len(self):,} words, {len(self.windows):,} windows of {self.window} words on each side)"

    @property
    def window(self) -> int:
        return int(self.windows.shape[1]) // 2

    @cached_property
    def _places(self) -> dict[int, int]:
        return {row: place for place, row in enumerate(self.targets.tolist())}

    def __contains__(self, row: object) -> bool:
        return row in self._places

    def of(self, row: int) -> NDArray[np.int32]:
        """Return the windows of a word, (n, 2 * window + 1)."""
        return self.windows[self._part(row)]

    def pooled(self, rows: Iterable[int], *, n_most: int | None = None) -> NDArray[np.int32]:
        """Return a random draw from the windows of several words together, by default as many as one word has."""
        parts = [self._part(row) for row in rows]
        hashes = np.concatenate([np.zeros(0, np.uint64), *(self.hashes[part] for part in parts)])
        lowest = np.argsort(hashes, kind="stable")[: self.n_most if n_most is None else n_most]
        windows = np.concatenate([self.windows[:0], *(self.windows[part] for part in parts)])
        return np.asarray(windows[lowest])

    def _part(self, row: int) -> slice:
        if row not in self._places:
            raise InputError(f"row {row} is none of the {len(self):,} targets; sample its windows too.")
        place = self._places[row]
        return slice(int(self.indptr[place]), int(self.indptr[place + 1]))

    # --- files

    def save(self, folder: Path) -> None:
        """Write the windows into a folder; the description comes last, so that an interrupted save leaves none."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.FILE).unlink(missing_ok=True)
        for name in ARRAYS:
            save_array(folder / f"word-windows-{name}.npy", getattr(self, name))
        write_json(folder / self.FILE, self._description())

    def _description(self) -> dict[str, Any]:
        return {
            "n_targets": len(self),
            "n_windows": len(self.windows),
            "window": self.window,
            "n_most": self.n_most,
            "words_digest": self.words_digest,
        }

    @classmethod
    def load(cls, folder: Path) -> WordWindows:
        """Load windows that `save` wrote; the arrays are memory-mapped."""
        folder = Path(folder)
        try:
            facts = read_json(folder / cls.FILE)
            numbers = [int(facts[name]) for name in ("n_targets", "n_windows", "window", "n_most")]
            digest = str(facts["words_digest"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the windows in {folder} cannot be read ({error}); sample them again.") from error
        arrays = {name: map_array(folder / f"word-windows-{name}.npy") for name in ARRAYS}
        _check_arrays(arrays, *numbers, folder=folder)
        return cls(**arrays, n_most=numbers[3], words_digest=digest)


def _check_arrays(
    arrays: dict[str, Array], n_targets: int, n_windows: int, window: int, n_most: int, *, folder: Path
) -> None:
    shapes = {
        "targets": (n_targets,),
        "indptr": (n_targets + 1,),
        "hashes": (n_windows,),
        "windows": (n_windows, 2 * window + 1),
    }
    for name, array in arrays.items():
        if array.shape != shapes[name] or array.dtype != ARRAYS[name]:
            raise ModelError(
                f"{folder}/word-windows-{name}.npy has shape {array.shape} and type {array.dtype}; expected "
                f"{shapes[name]} and {np.dtype(ARRAYS[name])}; sample the windows again."
            )
    if not _agree(**arrays) or np.diff(arrays["indptr"]).max(initial=1) > n_most:
        raise ModelError(f"the windows in {folder} are inconsistent; sample them again.")


def _agree(targets: Array, indptr: Array, hashes: Array, windows: Array) -> bool:
    """Check that rows rise from 0 or more, parts lie within bounds, and windows have their target in the middle."""
    sizes = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != len(windows) or (sizes < 0).any():
        return False
    if (targets < 0).any() or (np.diff(targets) <= 0).any() or windows.min(initial=0) < -1:
        return False
    owners = np.repeat(targets, sizes)
    rises = (hashes[1:] > hashes[:-1]) | (owners[1:] != owners[:-1])
    return bool((windows[:, windows.shape[1] // 2] == owners).all() and rises.all())


def digest_words(words: Sequence[str]) -> str:
    """Return a digest that identifies a vocabulary."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


def windows_of_words(
    corpus: Corpus,
    words: Sequence[str],
    targets: ArrayLike,
    *,
    n_windows: int = WINDOWS_PER_WORD,
    window: int = 10,
    tokenizer: Tokenizer | None = None,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> WordWindows:
    """Draw at most `n_windows` random windows of each target, a row of `words`; no two of a word are the same."""
    rows = _checked_targets(targets, len(words))
    task = _keep_lowest(words, rows, n_windows, window, tokenizer, random_state)
    engine = local_engine(run)
    part_bytes = len(rows) * n_windows * (4 * (2 * window + 1) + 12)
    n_parts = max(engine.n_workers, run.memory // (2 * part_bytes))
    batches = make_batches(corpus.shards, max(BATCH_BYTES, -(-corpus.n_bytes // n_parts)))
    with run.progress.text_bar("windows", n_bytes=corpus.n_bytes) as report:
        kept = engine.sum(lambda *given: task(*given)[0], batches, lambda *pair: task.add(pair), report)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(kept.owners[:], minlength=len(rows)))])
    return WordWindows(rows, indptr, kept.hashes[:], kept.windows, n_windows, digest_words(words))


def _checked_targets(targets: ArrayLike, n_words: int) -> NDArray[np.int64]:
    rows = np.asarray(targets)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu":
        raise InputError(f"the targets are {rows.dtype} of shape {rows.shape}; pass the rows of one or more words.")
    if rows.min() < 0 or rows.max() >= n_words:
        raise InputError(f"the targets go from {rows.min()} to {rows.max()}; pass rows of the {n_words:,} words.")
    return np.unique(rows).astype(np.int64)

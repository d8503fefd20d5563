"""Random windows of many words in one pass over a text: what methods that learn senses from contexts are given.

Of each target word the windows with the lowest hashes are kept, as `wordatoms.contexts.windows` does for a single
target, and
they are the same ones. They do not depend on how the text is split over workers. Nor does the sample of several words
taken together, such as the forms of one: the lowest hashes among all of theirs are a random draw of their
occurrences, each form with its share.

Memory: what is kept for m targets is at most m · n_windows windows, 4 bytes per word. A worker holds up to four times
as many while it merges, and finished parts of the text take half of the memory at the most: there are fewer of them
where each is large.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordatoms.contexts.windows import Scratch, check_window, hash_powers, packed_lines, windows_at
from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.engine.threads import Batch, local_engine, make_batches
from wordatoms.errors import InputError, ModelError
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, load_array, save_array, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

WINDOWS_PER_WORD = 1000
MERGED_AT_ONCE = 1 << 18
"""Windows that wait at the least before they are merged with those kept: sorting costs little then."""
NO_BOUND = np.uint64(0xFFFFFFFFFFFFFFFF)
PARTS = {"targets": np.int64, "indptr": np.int64, "hashes": np.uint64, "windows": np.int32}


@dataclass(frozen=True, eq=False, repr=False)
class WordWindows:
    """Random windows of some words; those of a word in rising order of their hashes, which is a random order."""

    targets: NDArray[np.int64]
    """Rows of the words, rising, (m,)."""
    indptr: NDArray[np.int64]
    """The windows of target i are `windows[indptr[i]:indptr[i + 1]]`, (m + 1,)."""
    hashes: NDArray[np.uint64]
    """(n,)"""
    windows: NDArray[np.int32]
    """Rows of words, -1 beyond the ends of the line, the target in the middle, (n, 2 * window + 1)."""
    n_most: int
    """Windows that were asked for of each word."""
    words_digest: str
    """Of the vocabulary that the rows refer to; see `digest_words`."""

    FILE: ClassVar[str] = "word-windows.json"

    def __len__(self) -> int:
        """The number of words."""
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
        """The windows of a word, (n, 2 * window + 1)."""
        return self.windows[self._part(row)]

    def pooled(self, rows: Iterable[int], *, n_most: int | None = None) -> NDArray[np.int32]:
        """A random draw from the windows of several words taken together, at most as many as were kept of one."""
        parts = [self._part(row) for row in rows]
        hashes = np.concatenate([np.zeros(0, np.uint64), *(self.hashes[part] for part in parts)])
        lowest = np.argsort(hashes, kind="stable")[: self.n_most if n_most is None else n_most]
        windows = np.concatenate([self.windows[:0], *(self.windows[part] for part in parts)])
        return np.asarray(windows[lowest])

    def _part(self, row: int) -> slice:
        if row not in self._places:
            raise InputError(f"row {row} is none of the {len(self):,} targets; sample its windows, too.")
        place = self._places[row]
        return slice(int(self.indptr[place]), int(self.indptr[place + 1]))

    # --- files

    def save(self, folder: Path) -> None:
        """Write the windows into a folder; their description comes last, so that half a save is none."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.FILE).unlink(missing_ok=True)
        for name in PARTS:
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
        """Windows that `save` wrote; the large arrays stay on disk until they are looked at."""
        folder = Path(folder)
        try:
            facts = read_json(folder / cls.FILE)
            numbers = [int(facts[name]) for name in ("n_targets", "n_windows", "window", "n_most")]
            digest = str(facts["words_digest"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the windows in {folder} cannot be read ({error}); sample them again.") from error
        arrays = {name: load_array(folder / f"word-windows-{name}.npy") for name in PARTS}
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
        if array.shape != shapes[name] or array.dtype != PARTS[name]:
            raise ModelError(
                f"{folder}/word-windows-{name}.npy has shape {array.shape} and type {array.dtype}; expected "
                f"{shapes[name]} and {np.dtype(PARTS[name])}; sample the windows again."
            )
    if not _agree(**arrays) or np.diff(arrays["indptr"]).max(initial=1) > n_most:
        raise ModelError(f"the windows in {folder} contradict each other; sample them again.")


def _agree(targets: Array, indptr: Array, hashes: Array, windows: Array) -> bool:
    """Whether rows rise from 0 or more, parts lie within bounds, and windows have their target in the middle."""
    sizes = np.diff(indptr)
    if indptr[0] != 0 or indptr[-1] != len(windows) or (sizes < 0).any():
        return False
    if (targets < 0).any() or (np.diff(targets) <= 0).any() or windows.min(initial=0) < -1:
        return False
    owners = np.repeat(targets, sizes)
    rises = (hashes[1:] > hashes[:-1]) | (owners[1:] != owners[:-1])
    return bool((windows[:, windows.shape[1] // 2] == owners).all() and rises.all())


def digest_words(words: Sequence[str]) -> str:
    """What tells one vocabulary from another."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()


# --- the pass over the text


@dataclass(frozen=True, eq=False)
class _Kept:
    """The windows with the lowest hashes of each target; those of parts of a text add up to those of the whole."""

    owners: NDArray[np.int32]
    """Which target, rising, (n,)."""
    hashes: NDArray[np.uint64]
    """Rising within each target, (n,)."""
    windows: NDArray[np.int32]
    n_most: int

    def __len__(self) -> int:
        return len(self.owners)

    def __add__(self, other: _Kept) -> _Kept:
        return self.merged([other])

    def merged(self, others: Sequence[_Kept]) -> _Kept:
        parts = [self, *others]
        owners, hashes = (np.concatenate([getattr(part, name) for part in parts]) for name in ("owners", "hashes"))
        order = np.lexsort((hashes, owners))
        owners, hashes = owners[order], hashes[order]
        is_new = np.ones(len(order), bool)
        is_new[1:] = (owners[1:] != owners[:-1]) | (hashes[1:] != hashes[:-1])
        owners, hashes, order = owners[is_new], hashes[is_new], order[is_new]
        is_low = np.arange(len(owners)) - np.searchsorted(owners, owners) < self.n_most
        windows = np.concatenate([part.windows for part in parts])[order[is_low]]
        return _Kept(owners[is_low], hashes[is_low], windows, self.n_most)

    def sizes(self, n_targets: int) -> NDArray[np.int64]:
        return np.bincount(self.owners, minlength=n_targets).astype(np.int64)

    def bounds(self, n_targets: int) -> NDArray[np.uint64]:
        """What a hash of each target must be below; a last entry, 0, is for words that are no targets."""
        sizes = self.sizes(n_targets)
        is_full = sizes == self.n_most
        bounds = np.append(np.full(n_targets, NO_BOUND), np.uint64(0))
        bounds[:-1][is_full] = self.hashes[np.cumsum(sizes)[is_full] - 1]
        return bounds


@dataclass(frozen=True)
class _KeepLowest:
    """The work on one batch."""

    lexicon: Lexicon
    owner_of: NDArray[np.int32]
    """The target that each word of the vocabulary is, or -1, (n_words,)."""
    n_targets: int
    n_most: int
    window: int
    powers: NDArray[np.uint64]

    def __call__(self, batch: Batch, report: TextCallback) -> _Kept:
        width = 2 * self.window + 1
        kept = _Kept(np.empty(0, np.int32), np.empty(0, np.uint64), np.empty((0, width), np.int32), self.n_most)
        hashes = Scratch(np.uint64)
        bounds, waiting, n_waiting = kept.bounds(self.n_targets), [], 0
        for stream, ends in packed_lines(batch, self.lexicon, len(self.owner_of), report):
            waiting.append(self._candidates(stream, ends, hashes[len(stream)], bounds))
            n_waiting += len(waiting[-1])
            if n_waiting > max(MERGED_AT_ONCE, len(kept) // 2):
                kept = kept.merged(waiting)
                bounds, waiting, n_waiting = kept.bounds(self.n_targets), [], 0
        return kept.merged(waiting)

    def _candidates(self, stream: Array, ends: Array, hashes: Array, bounds: NDArray[np.uint64]) -> _Kept:
        from wordatoms.kernels import contexts as kernel

        kernel.hash_windows(stream, ends, self.window, self.powers, hashes)
        owners = self.owner_of[stream]
        places = np.flatnonzero(hashes < bounds[owners])
        return _Kept(owners[places], hashes[places], windows_at(places, stream, ends, self.window), self.n_most)


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
    """At most `n_windows` random windows of each target, a row of `words`; no two windows of a word are the same."""
    rows = _checked_targets(targets, len(words))
    check_window(window)
    if n_windows < 1:
        raise InputError(f"n_windows is {n_windows}; ask for 1 window or more.")
    owner_of = np.full(len(words), -1, np.int32)
    owner_of[rows] = np.arange(len(rows))
    powers = hash_powers(window, random_state)
    task = _KeepLowest(Lexicon(words, tokenizer=tokenizer), owner_of, len(rows), n_windows, window, powers)
    engine = local_engine(run)
    part_bytes = len(rows) * n_windows * (4 * (2 * window + 1) + 12)
    n_parts = max(engine.n_workers, run.memory // (2 * part_bytes))
    batches = make_batches(corpus.shards, max(BATCH_BYTES, -(-corpus.n_bytes // n_parts)))
    with run.progress.text_bar("windows", n_bytes=corpus.n_bytes) as report:
        kept = engine.sum(task, batches, _Kept.__add__, report)
    indptr = np.concatenate([[0], np.cumsum(kept.sizes(len(rows)))])
    return WordWindows(rows, indptr, kept.hashes, kept.windows, n_windows, digest_words(words))


def _checked_targets(targets: ArrayLike, n_words: int) -> NDArray[np.int64]:
    rows = np.asarray(targets)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu":
        raise InputError(f"the targets are {rows.dtype} of shape {rows.shape}; pass the rows of one or more words.")
    if rows.min() < 0 or rows.max() >= n_words:
        raise InputError(f"the targets go from {rows.min()} to {rows.max()}; pass rows of the {n_words:,} words.")
    return np.unique(rows).astype(np.int64)

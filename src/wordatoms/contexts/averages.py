"""The average context vector u_w of every word of a text (Theorem 1 of Section 2, Section 4).

One sliding pass gives the average, over all occurrences of every word, of the mean vector of the words around it.
Windows do not cross a line, words outside the vocabulary are dropped before distances are counted, and a word alone
in its line has no context. Vectors are converted to fixed point once and all sums are integers, so any split of the
text over any number of workers gives the same bytes.

No sum overflows: a window's sum of at most 2·window + 1 words stays below 2³¹, because the numbers of a word have
correspondingly fewer bits; a window's mean stays below 2²⁴, and 2³⁹ of them (549 billion occurrences) below 2⁶³.

Memory: for each column of the vectors, a pass holds 4 bytes per word and another 8 per word and worker (twice that for
both averages). It takes as many columns at a time as fit into memory and reads the text again for the others. A worker
writes its sums to disk at the end of each batch, 8 bytes per word and column. The result takes another 8 bytes per word
and column.

Left out: which weights the words have in a mean (`wordatoms.contexts.sif`), and the map A
(`wordatoms.contexts.induced_map`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.window_shapes import check_window
from wordatoms.contexts.windows import packed_lines
from wordatoms.counts.vocabulary import BATCH_BYTES
from wordatoms.engine.ledger import open_ledger
from wordatoms.engine.threads import Batch, engine_of, run_pass
from wordatoms.errors import InputError, ModelError
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, ArrayFile, load_array, save_array, spill_array, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

MOST_BITS = 26
"""Maximum number of bits of a word's numbers in fixed point; a mean has two less."""
MOST_CONTEXTS = 1 << 39
MOST_BATCH_BYTES = 1 << 30
BATCHES_PER_WORKER = 4
HELD_REMOTELY = 8
"""Sums that a worker of a cluster holds at a time, of batches that are not added yet or are being added."""
SMALLEST_EXPONENT = -100
"""Exponent of the largest number of a vector, at least; smaller numbers count as zero."""
FIXED_BYTES, SUM_BYTES = 4, 8
ADDED_AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False, repr=False)
class ContextSums:
    """Sums of window means for each word, in fixed point; the sums of the parts of a text can be added."""

    outside: NDArray[np.int64]
    """Means without the word itself, (n_words, n_columns), or (0, n_columns) if not asked for."""
    inside: NDArray[np.int64]
    """Means with the word itself, of the same shape."""
    n_contexts: NDArray[np.int64]
    """Occurrences of each word with at least one other word around, (n_words,)."""
    scale: float
    """The number that stands for 1.0 in fixed point."""
    window: int

    def __len__(self) -> int:
        return len(self.n_contexts)

    def __repr__(self) -> str:
        return f"ContextSums({len(self):,} words, {int(self.n_contexts.sum()):,} contexts, window {self.window})"

    def __add__(self, other: ContextSums) -> ContextSums:
        if (self.scale, self.window, self.outside.shape) != (other.scale, other.window, other.outside.shape):
            raise InputError("the sums have other vectors or windows; add only sums that were made with the same ones.")
        return ContextSums(
            self.outside + other.outside,
            self.inside + other.inside,
            self.n_contexts + other.n_contexts,
            self.scale,
            self.window,
        )

    def averages(self, *, include_target: bool = False) -> NDArray[np.float32]:
        """Return the average context vectors u_w, (n_words, n_columns); zeros for a word without contexts."""
        sums = self.inside if include_target else self.outside
        if len(sums) != len(self):
            raise InputError(
                "these sums were made without that average; pass outside=True or inside=True when they are made."
            )
        divisors = np.maximum(self.n_contexts, 1) * self.scale
        averages = np.empty(sums.shape, np.float32)
        for rows in _row_blocks(len(sums), sums.shape[1]):
            averages[rows] = sums[rows] / divisors[rows, None]
        return averages


@dataclass(frozen=True, eq=False, repr=False)
class ContextAverages:
    """The average context vector u_w of each word, and the number of contexts behind it."""

    averages: NDArray[np.float32]
    """(n_words, dim); zeros for a word without contexts."""
    n_contexts: NDArray[np.int64]
    window: int
    include_target: bool = False

    FILES = ("contexts.json", "contexts-averages.npy", "contexts-numbers.npy")

    def __len__(self) -> int:
        return len(self.averages)

    def __repr__(self) -> str:
        return f"ContextAverages({len(self):,} words, {int(self.n_contexts.sum()):,} contexts, window {self.window})"

    def save(self, folder: Path) -> None:
        (folder / "contexts.json").unlink(missing_ok=True)
        save_array(folder / "contexts-averages.npy", self.averages)
        save_array(folder / "contexts-numbers.npy", self.n_contexts)
        write_json(folder / "contexts.json", self._description())

    def _description(self) -> dict[str, Any]:
        n_words, dim = self.averages.shape
        return {"n_words": n_words, "dim": dim, "window": self.window, "include_target": self.include_target}

    @classmethod
    def load(cls, folder: Path) -> ContextAverages:
        try:
            facts = read_json(folder / "contexts.json")
            n_words, dim, window = (int(facts[name]) for name in ("n_words", "dim", "window"))
            include_target = bool(facts["include_target"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"the contexts in {folder} cannot be read ({error}); run: wordatoms map {folder} --force"
            ) from error
        averages = load_checked(folder / "contexts-averages.npy", (n_words, dim), np.float32)
        numbers = load_checked(folder / "contexts-numbers.npy", (n_words,), np.int64)
        return cls(averages, numbers, window, include_target)


def load_checked(path: Path, shape: tuple[int, ...], kind: type[np.generic]) -> Array:
    """Load an array of the stage `map`, checking its shape and type and that its numbers are finite."""
    array = load_array(path)
    if array.shape != shape or array.dtype != kind or not np.isfinite(array).all():
        raise ModelError(
            f"{path} has shape {array.shape} and type {array.dtype}; expected finite numbers, {shape} and "
            f"{np.dtype(kind)}; run: wordatoms map {path.parent} --force"
        )
    return array


def context_sums(
    corpus: Corpus,
    words: Sequence[str],
    vectors: NDArray[Any],
    *,
    window: int = 10,
    outside: bool = True,
    inside: bool = False,
    tokenizer: Tokenizer | None = None,
    work: Path | None = None,
    keep: Path | None = None,
    run: Run = DEFAULT_RUN,
) -> ContextSums:
    """Sum the mean vectors of the windows around each word of a text.

    `vectors` are the words' vectors as they enter a mean, weights included, (n_words, n_columns); several kinds of
    weights can be given as more columns. Sums are spilled below `work`; finished parts stay in `keep`, if given, for a
    later call to resume from.
    """
    check_window(window)
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise InputError(f"there are {len(words):,} words but vectors of shape {vectors.shape}; pass one per word.")
    engine = engine_of(run)
    scale = fixed_point_scale(vectors, window)
    n_sums = outside + inside
    n_held = HELD_REMOTELY if engine.is_remote else 1
    slices = _column_slices(vectors.shape, run.memory, n_sums * n_held * engine.n_workers)
    total = _empty_sums(len(words), vectors.shape[1], outside=outside, inside=inside)
    lexicon = Lexicon(words, tokenizer=tokenizer)
    batch_bytes = BATCH_BYTES if engine.is_remote else _batch_bytes(corpus, engine.n_workers)
    with run.progress.text_bar("contexts", n_bytes=len(slices) * corpus.n_bytes) as report:
        for number, columns in enumerate(slices):
            rows = to_fixed_point(vectors[:, columns], scale)
            task = SumContexts(lexicon, rows, window, outside, inside)
            known = ("\n".join(words), lexicon.tokenizer, rows, window, outside, inside)
            with open_ledger(f"contexts{number}", known, keep=keep, work=work) as ledger:
                parts = run_pass(engine, task, corpus.shards, ledger, batch_bytes=batch_bytes, report=report)
                _add_parts(parts, total, columns)
    if total[2].max(initial=0) >= MOST_CONTEXTS:
        raise InputError(f"a word occurs {total[2].max():,} times, which is too often for sums in 64 bits.")
    return ContextSums(*total, scale, window)


def fixed_point_scale(vectors: NDArray[Any], window: int) -> float:
    """Return the largest power of two at which no sum of a window overflows."""
    largest = max((float(np.abs(vectors[rows]).max()) for rows in _row_blocks(*vectors.shape)), default=0.0)
    if not np.isfinite(vectors).all():
        raise InputError("the vectors hold NaN or infinity; pass finite numbers.")
    bits = min(MOST_BITS, 31 - (2 * window + 1).bit_length())
    return math.ldexp(1.0, bits - 2 - max(math.frexp(largest)[1], SMALLEST_EXPONENT))


def to_fixed_point(vectors: NDArray[Any], scale: float) -> NDArray[np.int32]:
    """Return vectors as integers, four times finer than the means, followed by a row of zeros."""
    rows = np.zeros((len(vectors) + 1, vectors.shape[1]), np.int32)
    for block in _row_blocks(*vectors.shape):
        rows[block] = np.rint(vectors[block].astype(np.float64) * (4 * scale))
    return rows


def reciprocals(window: int) -> NDArray[np.int32]:
    """Return 2³⁰/n for n up to the size of a window with its target; 0 for n = 0."""
    n = np.arange(2 * window + 2)
    return np.where(n, np.rint((1 << 30) / np.maximum(n, 1)), 0).astype(np.int32)


@dataclass(frozen=True)
class PartialSums:
    """Flattened sums of some batches for a range of consecutive words; see `ContextSums`."""

    outside: Array | ArrayFile
    inside: Array | ArrayFile
    n_contexts: Array | ArrayFile
    first_row: int = 0


@dataclass(frozen=True)
class SumContexts:
    """The work on one batch: slide a window over its lines."""

    lexicon: Lexicon
    rows: NDArray[np.int32]
    window: int
    outside: bool
    inside: bool

    @property
    def kind(self) -> type[PartialSums]:
        return PartialSums

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None) -> list[PartialSums]:
        from wordatoms.kernels import contexts as kernel

        n_words, n_columns = len(self.rows) - 1, self.rows.shape[1]
        sums = _empty_sums(n_words, n_columns, outside=self.outside, inside=self.inside)
        for stream, ends in packed_lines(batch, self.lexicon, n_words, report):
            kernel.add_windows(stream, ends, self.window, self.rows, reciprocals(self.window), *sums)
        outside, inside, n_contexts = (spill_array(array.reshape(-1), folder) for array in sums)
        return [PartialSums(outside, inside, n_contexts)]

    def is_valid(self, piece: PartialSums) -> bool:
        n_numbers = len(piece.n_contexts) * self.rows.shape[1]
        return (
            isinstance(piece.first_row, int)
            and 0 <= piece.first_row <= len(self.rows) - 1 - len(piece.n_contexts)
            and (len(piece.outside), len(piece.inside)) == (n_numbers * self.outside, n_numbers * self.inside)
            and all(array.dtype == np.int64 for array in (piece.outside, piece.inside, piece.n_contexts))
        )

    def add(self, pieces: Sequence[PartialSums]) -> PartialSums:
        first, *others = pieces
        sums = (first.outside[:].copy(), first.inside[:].copy(), first.n_contexts[:].copy())
        for other in others:
            for total, added in zip(sums, (other.outside, other.inside, other.n_contexts), strict=True):
                total += added[:]
        return PartialSums(*sums, first.first_row)

    def split(self, piece: PartialSums, n: int) -> list[PartialSums]:
        """Split into ranges of rows."""
        cuts = [len(piece.n_contexts) * k // n for k in range(n + 1)]
        return [self._rows_of(piece, row, stop) for row, stop in pairwise(cuts)]

    def _rows_of(self, piece: PartialSums, row: int, stop: int) -> PartialSums:
        numbers = slice(row * self.rows.shape[1], stop * self.rows.shape[1])
        first_row = piece.first_row + row
        return PartialSums(piece.outside[numbers], piece.inside[numbers], piece.n_contexts[row:stop], first_row)

    def n_splits(self, memory: int, n_adders: int) -> int:  # noqa: ARG002 - the columns already fit into memory
        return n_adders


def _empty_sums(n_words: int, n_columns: int, *, outside: bool, inside: bool) -> tuple[Array, Array, Array]:
    return (
        np.zeros((n_words if outside else 0, n_columns), np.int64),
        np.zeros((n_words if inside else 0, n_columns), np.int64),
        np.zeros(n_words, np.int64),
    )


def _add_parts(parts: Sequence[PartialSums], total: tuple[Array, ...], columns: slice) -> None:
    """Add parts to the columns of a total; the numbers of contexts are the same for all columns."""
    total[2][:] = 0
    for part in parts:
        own = slice(part.first_row, part.first_row + len(part.n_contexts))
        total[2][own] += part.n_contexts[:]
        for whole, added in zip(total[:2], (part.outside, part.inside), strict=True):
            sums = whole[own, columns]
            for rows in _row_blocks(*sums.shape):
                flat = added[rows.start * sums.shape[1] : rows.stop * sums.shape[1]]
                sums[rows] += flat.reshape(-1, sums.shape[1])


def _row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    step = max(1, ADDED_AT_ONCE // max(n_columns, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def _column_slices(shape: tuple[int, ...], memory: int, n_sums: int) -> list[slice]:
    """Split the columns into slices of even size that fit into memory."""
    n_words, n_columns = shape
    most = memory // max(n_words * (FIXED_BYTES + SUM_BYTES * n_sums), 1)
    if most < 1:
        raise InputError(
            f"memory is {memory:,} bytes, too little for {n_words:,} words; pass more memory or fewer threads."
        )
    step = -(-n_columns // -(-n_columns // most))
    return [slice(start, min(start + step, n_columns)) for start in range(0, n_columns, step)]


def _batch_bytes(corpus: Corpus, n_workers: int) -> int:
    """Return the size of batches: large, because each writes all its sums, but enough of them for all workers."""
    return min(max(corpus.n_bytes // (BATCHES_PER_WORKER * n_workers), BATCH_BYTES), MOST_BATCH_BYTES)

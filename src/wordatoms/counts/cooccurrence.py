"""Co-occurrence counts: how often, and how near, two words occur in a window (the X behind the paper's embeddings).

Counts are exact integers, so any split of the text over any number of workers gives the same bytes: instead of
1/distance, a neighbour adds lcm(1…window)/distance. A worker counts a chunk of text at a time into a run, a sparse
matrix sorted by rows; runs are written to disk and added row by row at the end, which bounds the memory. On a cluster,
runs are also added on the workers, each split into ranges of rows that are added separately.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.vocabulary import BATCH_BYTES, Vocabulary
from wordatoms.engine.ledger import open_ledger
from wordatoms.engine.threads import Batch, blocks_with_sizes, engine_of, run_pass
from wordatoms.errors import InputError, ModelError
from wordatoms.parallel import resolve_threads, run_threads
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_MEMORY, DEFAULT_RUN, Run
from wordatoms.storage.files import (
    Array,
    ArrayFile,
    ArrayWriter,
    map_array,
    release_pages,
    spill_folder,
    sync_file,
    write_json,
)
from wordatoms.storage.untrusted import read_json
from wordatoms.text.corpus import MAX_PARAGRAPH_BYTES, Corpus
from wordatoms.text.tokenizer import Lexicon, Tokenizer

WEIGHTINGS = ("harmonic", "flat")
PAIR_BYTES = 12
"""A column (int32) and a value (int64)."""
PLACE_BYTES = 8
"""A word of the stream and its position in the index, both int32."""
ROW_BYTES = 25
"""What a worker holds for each word: the start and end of its row, its sum and its mark."""
MOST_PLACES = 1 << 28
MOST_PAIRS = 1 << 26
"""Upper limits per chunk: more gains nothing, and positions must fit an int32."""
CHECKED_PAIRS = 1 << 22
"""Pairs of memory-mapped counts that are checked at a time."""
MOST_RUNS = 4
"""Runs held in memory before they are added."""
SMALLEST_MEMORY = 64 << 20
LARGEST_WINDOW = 10_000
ARRAYS = {"indptr": np.int64, "indices": np.int32, "values": np.int64}


@dataclass(frozen=True, eq=False)
class Counts:
    """A symmetric matrix X of co-occurrences, stored as the upper triangle by rows.

    X[i, j] is the summed weight of word j in the windows around all occurrences of word i; `counts["tie", "game"]`
    looks it up. A pair of equal words counts twice in X[i, i], once from either side, so that row sums have the same
    meaning for all words.

    Parameters
    ----------
    vocabulary : Vocabulary
        The words of the rows and columns.
    indptr : ndarray of int64, shape (n_words + 1,)
        Row i is at `indptr[i]:indptr[i + 1]`.
    indices : ndarray of int32, shape (n_pairs,)
        Columns j ≥ i of the non-zero cells, increasing in each row.
    values : ndarray of int64, shape (n_pairs,)
        Integer weights; the co-occurrence is `values / unit`.
    window : int
        Words on each side.
    weighting : {"harmonic", "flat"}
        Weight of a neighbour: 1/distance, or 1.
    unit : int
        Integer weight of a neighbour at distance 1: lcm(1…window), or 1 if flat.

    Examples
    --------
    >>> import numpy as np
    >>> from wordatoms import Counts, Vocabulary
    >>> vocabulary = Vocabulary(("tie", "game"), np.array([2, 1]), n_tokens=3)
    >>> counts = Counts(vocabulary, np.array([0, 1, 1]), np.array([1]), np.array([3]), 2, "harmonic", 2)
    >>> counts
    Counts(2 words, 1 pairs, window 2, harmonic)
    >>> counts["game", "tie"]
    1.5
    """

    vocabulary: Vocabulary
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.int64]
    window: int
    weighting: str
    unit: int

    def __len__(self) -> int:
        """Number of words."""
        return len(self.vocabulary)

    @property
    def n_pairs(self) -> int:
        """Number of non-zero cells of the upper triangle."""
        return len(self.indices)

    def __repr__(self) -> str:
        return f"Counts({len(self):,} words, {self.n_pairs:,} pairs, window {self.window}, {self.weighting})"

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """The co-occurrence of two words."""
        row, column = sorted(self.vocabulary[word] for word in pair)
        start, stop = self.indptr[row], self.indptr[row + 1]
        at = start + np.searchsorted(self.indices[start:stop], column)
        found = at < stop and self.indices[at] == column
        return int(self.values[at]) / self.unit if found else 0.0

    @cached_property
    def row_sums(self) -> NDArray[np.int64]:
        """Sums of the integer weights over each row of the symmetric matrix, shape (n_words,)."""
        from wordatoms.kernels import cooccur

        sums = np.zeros(len(self), np.int64)
        cooccur.sum_rows(self.indptr, self.indices, self.values, sums)
        return sums

    def save(self, folder: Path) -> None:
        """Write the counts and their vocabulary.

        Parameters
        ----------
        folder : Path
            An existing folder.
        """
        with spill_folder(folder) as spill:
            writer = RunWriter(spill)
            writer.append(np.asarray(self.indptr[1:]), self.indices, self.values)
            _install(writer.close(), self.vocabulary, folder, self.facts)

    @property
    def facts(self) -> dict[str, Any]:
        """Window, weighting and unit, as stored in `counts.json`."""
        return {"window": self.window, "weighting": self.weighting, "unit": self.unit}

    @classmethod
    def load(cls, folder: Path, vocabulary: Vocabulary | None = None) -> Counts:
        """Read counts; the arrays are memory-mapped.

        Parameters
        ----------
        folder : Path
            The folder of a model.
        vocabulary : Vocabulary, optional
            The vocabulary of the folder, if it has been read already.

        Returns
        -------
        Counts
            The counts that were saved there.

        Raises
        ------
        ModelError
            If the files are missing or damaged.
        """
        vocabulary = vocabulary or Vocabulary.load(folder)
        try:
            facts = read_json(folder / "counts.json")
            n_pairs, window, unit = int(facts["n_pairs"]), int(facts["window"]), int(facts["unit"])
            weighting = str(facts["weighting"])
        except FileNotFoundError:
            raise ModelError(f"{folder} has no counts; pass a trained model that is not compact.") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the counts in {folder} cannot be read ({error}); count the text again.") from error
        arrays = {name: map_array(folder / f"counts-{name}.npy") for name in ARRAYS}
        shapes = {"indptr": (len(vocabulary) + 1,), "indices": (n_pairs,), "values": (n_pairs,)}
        for name, dtype in ARRAYS.items():
            if arrays[name].shape != shapes[name] or arrays[name].dtype != dtype:
                raise ModelError(
                    f"{folder}/counts-{name}.npy has shape {arrays[name].shape} and type {arrays[name].dtype}; "
                    f"expected {shapes[name]} and {np.dtype(dtype)}; count the text again."
                )
        counts = cls(vocabulary, **arrays, window=window, weighting=weighting, unit=unit)
        _check_cells(counts, folder)
        return counts


def _check_cells(counts: Counts, folder: Path) -> None:
    """Refuse rows and columns that do not exist, because the kernels do not check bounds."""
    starts, columns = counts.indptr, counts.indices
    in_order = starts[0] == 0 and starts[-1] == counts.n_pairs and (starts[1:] >= starts[:-1]).all()
    inside = True
    for start in range(0, counts.n_pairs, CHECKED_PAIRS):
        inside = inside and _are_between(columns[start : start + CHECKED_PAIRS], 0, len(counts))
        release_pages(columns)
    if not (in_order and inside and counts.unit > 0):
        raise ModelError(f"the counts in {folder} are inconsistent; run `wordatoms count --force`.")


def check_memory(memory: int) -> None:
    """Raise if there is not enough memory for a pass over text."""
    if memory < SMALLEST_MEMORY:
        raise InputError(f"memory is {memory:,} bytes; pass {SMALLEST_MEMORY:,} (64M) or more.")


def integer_weights(window: int, weighting: str, n_tokens: int) -> NDArray[np.int64]:
    """Return the integer weight of a neighbour at each distance 1…window; raise if sums could overflow."""
    if not 1 <= window <= LARGEST_WINDOW:
        raise InputError(f"window is {window:,}; pass 1 to {LARGEST_WINDOW:,} words on each side.")
    if weighting not in WEIGHTINGS:
        raise InputError(f"weighting is '{weighting}'; pass {' or '.join(WEIGHTINGS)}.")
    # Beyond 64 words the common multiple far exceeds 64 bits and is slow to compute.
    unit = math.lcm(*range(1, min(window, 64) + 1)) if weighting == "harmonic" else 1
    weights = [unit // distance if weighting == "harmonic" else 1 for distance in range(1, window + 1)]
    if 2 * sum(weights) * max(n_tokens, 1) >= 1 << 63:
        raise InputError(
            f"a window of {window} words needs integers beyond 64 bits for {n_tokens:,} tokens; "
            "pass a smaller window (20 is safe up to five billion tokens) or flat weights."
        )
    return np.array(weights, np.int64)


@dataclass(frozen=True)
class PairRun:
    """A sparse matrix in order of rows, in memory or on disk."""

    indptr: Array | ArrayFile
    indices: Array | ArrayFile
    values: Array | ArrayFile


Runs = Sequence[PairRun]


@dataclass(frozen=True)
class CountPairs:
    """Counts the pairs of a batch, a chunk of text at a time."""

    lexicon: Lexicon
    n_words: int
    weights: NDArray[np.int64]
    memory: int
    """Bytes for one worker."""
    loads: NDArray[np.float64]
    """Expected number of pairs of each row, (n_words,)."""

    @property
    def kind(self) -> type[PairRun]:
        return PairRun

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None) -> list[PairRun]:
        counter = _ChunkCounter(self, folder)
        lexicon = self.lexicon.for_reading()
        for shard in batch:
            for block, n_read in blocks_with_sizes(shard):
                ids = lexicon.encode(block)
                counter.add(ids)
                report(n_read, len(ids))
        return counter.finish()

    def is_valid(self, piece: PairRun) -> bool:
        indptr = piece.indptr[:]
        n_pairs = len(piece.indices)
        return (
            all(getattr(piece, name).dtype == dtype for name, dtype in ARRAYS.items())
            and (len(indptr), len(piece.values)) == (self.n_words + 1, n_pairs)
            and (indptr[0], indptr[-1]) == (0, n_pairs)
            and bool((np.diff(indptr) >= 0).all())
            and all(
                _are_between(piece.indices[start : start + MOST_PAIRS], 0, self.n_words)
                for start in range(0, n_pairs, MOST_PAIRS)
            )
        )

    def add(self, pieces: Runs) -> PairRun:
        if len(pieces) == 1:
            return pieces[0]
        ends, columns, values = _add_rows(pieces, self.n_words, 0, self.n_words)
        return PairRun(np.concatenate([[0], ends]), columns[: ends[-1]], values[: ends[-1]])

    def split(self, piece: PairRun, n: int) -> list[PairRun]:
        """Split a run into ranges of rows with about equal numbers of pairs."""
        loads = np.cumsum(self.loads)
        cuts = [0, *np.searchsorted(loads, loads[-1] * np.arange(1, n) / n).tolist(), self.n_words]
        return [_rows_of(piece, row, stop) for row, stop in pairwise(cuts)]

    def n_splits(self, memory: int, n_adders: int) -> int:
        return max(n_adders, 1 + int(self.loads.sum() * PAIR_BYTES / (memory // 8)))


class _ChunkCounter:
    """Collects lines until the chunk is full, then counts it into a run."""

    def __init__(self, work: CountPairs, folder: Path | None) -> None:
        self.work = work
        self.folder = folder
        self.window = len(work.weights)
        longest_line = MAX_PARAGRAPH_BYTES  # a token has at least one byte, and "a1" is two tokens
        self.memory = max(work.memory - ROW_BYTES * work.n_words, work.memory // 4)
        n_places = min(self.memory // 2 // PLACE_BYTES, MOST_PLACES)
        n_places = max(n_places, longest_line + 2 * self.window)
        self.stream = np.empty(n_places, np.int32)
        self.runs: list[PairRun] = []
        self._restart()

    def _restart(self) -> None:
        self.stream[: self.window] = self.work.n_words
        self.end = self.window

    def add(self, ids: NDArray[np.int32]) -> None:
        from wordatoms.kernels import cooccur

        at = 0
        while at < len(ids):
            at, self.end = cooccur.append_lines(ids, at, self.work.n_words, self.window, self.stream, self.end)
            if at < len(ids):
                self._count()

    def finish(self) -> list[PairRun]:
        if self.end > self.window or not self.runs:
            self._count()
        return self.runs

    def _count(self) -> None:
        from wordatoms.kernels import cooccur

        stream = self.stream[: self.end]
        starts, places = np.empty(self.work.n_words + 1, np.int64), np.empty(len(stream), np.int32)
        cooccur.gather_places(stream, self.work.n_words, starts, places)
        self.runs.append(self._write_run(stream, starts, places))
        if self.folder is None and len(self.runs) >= MOST_RUNS:
            self.runs = [self.work.add(self.runs)]
        self._restart()

    def _write_run(self, stream: Array, starts: Array, places: Array) -> PairRun:
        from wordatoms.kernels import cooccur

        n_words = self.work.n_words
        n_pairs = max(n_words, min(self.memory // 4 // PAIR_BYTES, MOST_PAIRS))
        sums, marks = _row_buffers(n_words)
        ends = np.empty(n_words, np.int64)
        writer = RunWriter(self.folder) if self.folder else RunCollector()
        row = 0
        while row < n_words:
            first = row
            columns, values = writer.buffers(n_pairs)
            row = cooccur.count_rows(stream, starts, places, self.work.weights, row, sums, marks, columns, values, ends)
            writer.append(ends[first:row], columns, values)
        return writer.close()


class RunWriter:
    """Writes a run to files, some rows at a time."""

    def __init__(self, folder: Path) -> None:
        name = uuid4().hex
        self._files = {array: ArrayWriter(folder / f"{name}-{array}.npy", dtype) for array, dtype in ARRAYS.items()}
        self._files["indptr"].append(np.zeros(1, np.int64))
        self._buffers = _pair_buffers(0)

    def buffers(self, n_pairs: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return buffers for the next rows."""
        if len(self._buffers[0]) != n_pairs:
            self._buffers = _pair_buffers(n_pairs)
        return self._buffers

    def append(self, ends: NDArray[np.int64], columns: Array, values: Array) -> None:
        """Add rows that end at `ends`, relative to the beginning of `columns` and `values`."""
        self._files["indptr"].append(self._files["indices"].length + ends)
        self._files["indices"].append(columns[: ends[-1]])
        self._files["values"].append(values[: ends[-1]])

    def close(self) -> PairRun:
        return PairRun(**{name: file.close() for name, file in self._files.items()})


class RunCollector:
    """Collects a run in memory, some rows at a time."""

    def __init__(self) -> None:
        self._ends: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        self._columns: list[Array] = []
        self._values: list[Array] = []

    def buffers(self, n_pairs: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return new buffers each time, because their content is not copied."""
        return _pair_buffers(n_pairs)

    def append(self, ends: NDArray[np.int64], columns: Array, values: Array) -> None:
        """Like `RunWriter.append`."""
        self._ends.append(self._ends[-1][-1] + ends)
        self._columns.append(columns[: ends[-1]])
        self._values.append(values[: ends[-1]])

    def close(self) -> PairRun:
        columns, values = (
            parts[0] if len(parts) == 1 else np.concatenate(parts) for parts in (self._columns, self._values)
        )
        return PairRun(np.concatenate(self._ends), columns, values)


def _rows_of(run: PairRun, row: int, stop: int) -> PairRun:
    """Return a run in memory with all other rows empty."""
    first, end = (int(run.indptr[place : place + 1][0]) for place in (row, stop))
    indptr = np.clip(run.indptr[:], first, end) - first
    return PairRun(indptr, run.indices[first:end], run.values[first:end])


def _are_between(numbers: Array, low: int, high: int) -> bool:
    return not len(numbers) or bool(low <= numbers.min() and numbers.max() < high)


def _pair_buffers(n_pairs: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    return np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int64)


def _row_buffers(n_words: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return a dense row of sums, with one more cell for padding, and its marks."""
    return np.zeros(n_words + 1, np.int64), np.zeros(n_words // 64 + 1, np.uint64)


def add_runs(runs: Runs, n_words: int, *, spill: Path, memory: int = DEFAULT_MEMORY, threads: int = 1) -> PairRun:
    """Add runs row by row."""
    share = memory // threads // 2
    writer = RunWriter(spill)
    ranges = _row_ranges(
        runs, n_words, n_pairs=max(share // (2 * PAIR_BYTES), 1), n_rows=max(share // (16 * len(runs)), 1)
    )
    for first in range(0, len(ranges), threads):
        for ends, columns, values in run_threads(
            lambda rows: _add_rows(runs, n_words, *rows), ranges[first : first + threads], threads
        ):
            writer.append(ends, columns, values)
    return writer.close()


def _row_ranges(runs: Runs, n_words: int, *, n_pairs: int, n_rows: int) -> list[tuple[int, int]]:
    """Split the rows into ranges of at most `n_rows` rows and `n_pairs` pairs over all runs (or of one row).

    Ranges are also split at the first and last row of each run, so that a run covers a range completely or not at all.
    """
    total = np.zeros(n_words + 1, np.int64)
    ends = {n_words}
    for run in runs:
        indptr = run.indptr[:]
        total += indptr
        ends |= {int(np.searchsorted(indptr, 0, side="right")) - 1, int(np.searchsorted(indptr, indptr[-1]))}
    ranges: list[tuple[int, int]] = []
    row = 0
    for end in sorted(ends - {0}):
        while row < end:
            stop = int(np.searchsorted(total, total[row] + n_pairs, side="right")) - 1
            stop = min(max(stop, row + 1), row + n_rows, end)
            ranges.append((row, stop))
            row = stop
    return ranges


def _add_rows(runs: Runs, n_words: int, row: int, stop: int) -> tuple[Array, Array, Array]:
    from wordatoms.kernels import cooccur

    runs, indptrs = _with_pairs(runs, row, stop)
    if len(runs) == 1:  # for instance if another machine added the others to it
        first, end = int(indptrs[0][0]), int(indptrs[0][-1])
        return indptrs[0][1:] - first, runs[0].indices[first:end], runs[0].values[first:end]
    n_pairs = sum(int(indptr[-1] - indptr[0]) for indptr in indptrs)
    columns, values = _pair_buffers(n_pairs)
    bounds = np.empty((len(runs), stop - row + 1), np.int64)
    end = 0
    for number, (run, indptr) in enumerate(zip(runs, indptrs, strict=True)):
        start, end = end, end + int(indptr[-1] - indptr[0])
        columns[start:end] = run.indices[int(indptr[0]) : int(indptr[-1])]
        values[start:end] = run.values[int(indptr[0]) : int(indptr[-1])]
        bounds[number] = indptr - indptr[0] + start
    out_columns, out_values = _pair_buffers(n_pairs)
    ends = np.empty(stop - row, np.int64)
    cooccur.add_rows(bounds, columns, values, n_words, *_row_buffers(n_words), out_columns, out_values, ends)
    return ends, out_columns, out_values


def _with_pairs(runs: Runs, row: int, stop: int) -> tuple[Runs, list[Array]]:
    """Return the runs that have pairs in some rows (at least one run), and the positions of these rows."""
    found = [(run, run.indptr[row : stop + 1]) for run in runs]
    kept = [(run, indptr) for run, indptr in found if indptr[0] < indptr[-1]] or found[:1]
    return [run for run, _ in kept], [indptr for _, indptr in kept]


def expected_pairs(vocabulary: Vocabulary, window: int) -> NDArray[np.float64]:
    """Estimate the number of pairs of each row, (n_words,), from the frequencies of the words in later rows."""
    after = np.cumsum(vocabulary.p_word[::-1])[::-1]
    met = 2 * window * vocabulary.counts * after
    return np.minimum(met, np.arange(len(vocabulary), 0, -1))


def count_pairs(
    corpus: Corpus,
    vocabulary: Vocabulary,
    *,
    tokenizer: Tokenizer | None = None,
    window: int = 10,
    weighting: str = "harmonic",
    folder: Path | None = None,
    work: Path | None = None,
    keep: Path | None = None,
    on_install: Callable[[], None] = lambda: None,
    run: Run = DEFAULT_RUN,
) -> Counts:
    """Count the co-occurrences of the words of a vocabulary in a text.

    Parameters
    ----------
    corpus : Corpus
        The text.
    vocabulary : Vocabulary
        The words to count; other words are dropped before distances are measured.
    tokenizer : Tokenizer, optional
        The tokenizer with which the vocabulary was built.
    window : int, default 10
        Words on each side.
    weighting : {"harmonic", "flat"}, default "harmonic"
        Weight of a neighbour: 1/distance, or 1.
    folder : Path, optional
        Folder in which the counts are written and memory-mapped; without one they are held in memory.
    work : Path, optional
        Folder for intermediate results, on the same disk as `folder`, which is the default.
    keep : Path, optional
        Folder for results so far, from which a later call resumes.
    on_install : callable, optional
        Called when everything is counted, before any file in `folder` changes.
    run : Run, optional
        Threads, memory, engine and progress.

    Returns
    -------
    Counts
        The co-occurrences, exact integers: any split of the text gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import wordatoms as wa
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("the boat is tied to the pier\\n")
    >>> corpus = wa.open_corpus([folder / "a.txt"], work=folder)
    >>> counts = wa.count_pairs(corpus, wa.build_vocabulary(corpus, min_count=1))
    >>> counts["boat", "pier"]
    0.2
    """
    check_memory(run.memory)
    weights = integer_weights(window, weighting, vocabulary.n_tokens)
    engine = engine_of(run)
    lexicon = Lexicon(vocabulary.words, tokenizer=tokenizer)
    loads = expected_pairs(vocabulary, window)
    task = CountPairs(lexicon, len(vocabulary), weights, run.memory // engine.n_workers, loads)
    known = ("\n".join(vocabulary.words), lexicon.tokenizer, weights)
    with (
        spill_folder(work or folder) as spill,
        open_ledger("pairs", known, keep=keep, work=spill) as ledger,
        run.progress.text_bar("pairs", n_bytes=corpus.n_bytes) as report,
    ):
        runs = run_pass(engine, task, corpus.shards, ledger, batch_bytes=BATCH_BYTES, report=report)
        threads = resolve_threads(None) if engine.is_remote else engine.n_workers
        total = add_runs(runs, len(vocabulary), spill=spill, memory=run.memory, threads=threads)
        facts: dict[str, Any] = {"window": window, "weighting": weighting, "unit": int(weights[0])}
        if folder is None:
            return Counts(vocabulary, **{name: getattr(total, name)[:] for name in ARRAYS}, **facts)
        on_install()
        _install(total, vocabulary, folder, facts)
    return Counts.load(folder, vocabulary)


def _install(run: PairRun, vocabulary: Vocabulary, folder: Path, facts: dict[str, Any]) -> None:
    """Rename the files of a finished run to those of the model; the description is removed first and written last."""
    (folder / "counts.json").unlink(missing_ok=True)
    vocabulary.save(folder)
    for name in ARRAYS:
        path = getattr(run, name).path
        sync_file(path)
        path.replace(folder / f"counts-{name}.npy")
    write_json(folder / "counts.json", {"n_pairs": len(run.indices), **facts})

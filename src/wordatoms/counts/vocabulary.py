"""The vocabulary: the words of a text by decreasing count, and their probabilities p(w).

Counting words respects a memory limit for any text: a worker whose table is full writes it as a run, with words ordered
by the partition of their hash, and at the end the runs are added partition by partition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.word_lists import format_words, parse_words
from wordatoms.engine.ledger import open_ledger
from wordatoms.engine.threads import Batch, blocks_with_sizes, engine_of, run_pass
from wordatoms.errors import InputError, ModelError, UnknownWordError, require_extra
from wordatoms.progress import TextCallback
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Array, ArrayFile, spill_array, write_atomic, write_json
from wordatoms.storage.untrusted import LARGEST_WORDS, read_bytes, read_json
from wordatoms.tabular import Tabular
from wordatoms.text.corpus import Corpus, read_blocks
from wordatoms.text.tokenizer import Lexicon, Tokenizer, unpack_words

if TYPE_CHECKING:
    from pandas import DataFrame

BATCH_BYTES = 32 << 20
N_PARTITIONS = 64
WORDS_AT_ONCE = 1 << 16
"""Words that are converted to Python strings at a time."""
SPLIT_BYTES = 4 << 30
"""Bytes of text whose words are added in one place."""


@dataclass(frozen=True, eq=False)
class Vocabulary(Tabular):
    """The words of a text by decreasing count, ties by code point.

    `vocabulary["tie"]` is the row of *tie*; an unknown word raises `UnknownWordError`.

    Parameters
    ----------
    words : tuple of str
        The words, by row.
    counts : ndarray of int64, shape (n_words,)
        Occurrences of each word.
    n_tokens : int
        Number of tokens of the whole text, including words outside the vocabulary.

    Examples
    --------
    >>> import numpy as np
    >>> from wordatoms import Vocabulary
    >>> vocabulary = Vocabulary(("the", "tie"), np.array([6, 2]), n_tokens=10)
    >>> vocabulary
    Vocabulary(2 words, 10 tokens)
    >>> vocabulary["tie"], "pier" in vocabulary
    (1, False)
    >>> vocabulary.p_word
    array([0.6, 0.2])
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    n_tokens: int

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __getitem__(self, word: str) -> int:
        try:
            return self._rows[word]
        except KeyError:
            raise UnknownWordError(word, self.words) from None

    def __repr__(self) -> str:
        return f"Vocabulary({len(self):,} words, {self.n_tokens:,} tokens)"

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.words)}

    @cached_property
    def p_word(self) -> NDArray[np.float64]:
        """p(w), the share of each word among all tokens, shape (n_words,)."""
        return self.counts / max(self.n_tokens, 1)

    def to_frame(self) -> DataFrame:
        """Convert to a table.

        Returns
        -------
        pandas.DataFrame
            A line per word: word, count.
        """
        return require_extra("pandas", "pandas").DataFrame({"word": list(self.words), "count": self.counts})

    def save(self, folder: Path) -> None:
        """Write `words.txt` and `vocabulary.json`.

        Parameters
        ----------
        folder : Path
            An existing folder.
        """
        words = format_words(self.words, self.counts)
        (folder / "vocabulary.json").unlink(missing_ok=True)  # removed first and written last, so it fits the words
        with write_atomic(folder / "words.txt") as file:
            file.write(words)
        write_json(folder / "vocabulary.json", {"n_words": len(self), "n_tokens": self.n_tokens})

    @classmethod
    def load(cls, folder: Path) -> Vocabulary:
        """Read a vocabulary.

        Parameters
        ----------
        folder : Path
            The folder of a model.

        Returns
        -------
        Vocabulary
            The vocabulary that was saved there.

        Raises
        ------
        ModelError
            If the files are missing or damaged.
        """
        try:
            facts = read_json(folder / "vocabulary.json")
            words, counts = parse_words(read_bytes(folder / "words.txt", LARGEST_WORDS))
            n_words, n_tokens = int(facts["n_words"]), int(facts["n_tokens"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the vocabulary in {folder} cannot be read ({error}); count the text again.") from error
        if counts is None or len(words) != n_words:
            raise ModelError(f"{folder}/words.txt does not have {n_words:,} words with counts; count the text again.")
        return cls(words, counts, n_tokens)


@dataclass(frozen=True)
class WordRun:
    """Words and their counts, ordered by partition, in memory or on disk."""

    keys: Array | ArrayFile
    """Packed words."""
    lengths: Array | ArrayFile
    """Number of packed integers of each word."""
    counts: Array | ArrayFile
    bounds: NDArray[np.int64]
    """The first word and the first packed integer of each partition, and the ends, (n + 1, 2)."""
    n_tokens: int


@dataclass(frozen=True)
class TallyWords:
    """Counts the words of a batch."""

    tokenizer: Tokenizer
    memory: int
    """Bytes for the table of one worker."""
    n_bytes: int = 0
    """Size of the whole text."""

    @property
    def kind(self) -> type[WordRun]:
        return WordRun

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None) -> list[WordRun]:
        from wordatoms.kernels import tokens as kernel

        lexicon, counts = Lexicon(tokenizer=self.tokenizer), np.zeros(1 << 12, np.int64)
        runs: list[WordRun] = []
        for shard in batch:
            for block, n_read in blocks_with_sizes(shard):
                ids = lexicon.encode(block, grow=True)
                if len(lexicon) > len(counts):
                    counts = np.concatenate([counts, np.zeros(2 * len(lexicon) - len(counts), np.int64)])
                report(n_read, kernel.tally(ids, counts))
                if lexicon.n_bytes + counts.nbytes > self.memory:
                    runs.append(_as_run(lexicon, counts, folder))
                    runs = [self.add(runs)] if folder is None else runs
                    lexicon, counts = Lexicon(tokenizer=self.tokenizer), np.zeros(1 << 12, np.int64)
        return [*runs, _as_run(lexicon, counts, folder)]

    def is_valid(self, piece: WordRun) -> bool:
        lengths = piece.lengths[:]
        kinds = [array.dtype for array in (piece.keys, lengths, piece.counts, piece.bounds)]
        return (
            kinds == [np.uint64, np.int32, np.int64, np.int64]
            and isinstance(piece.n_tokens, int)
            and piece.bounds.shape == (N_PARTITIONS + 1, 2)
            and bool((piece.bounds[0] == 0).all() and (np.diff(piece.bounds, axis=0) >= 0).all())
            and piece.bounds[-1].tolist() == [len(lengths), len(piece.keys)]
            and len(piece.counts) == len(lengths)
            and bool((lengths > 0).all())
            and np.concatenate([[0], np.cumsum(lengths)])[piece.bounds[:, 0]].tolist() == piece.bounds[:, 1].tolist()
        )

    def add(self, pieces: Sequence[WordRun]) -> WordRun:
        lexicon, counts = _add_partitions(pieces, 0, N_PARTITIONS)
        return _as_run(lexicon, counts, None)

    def split(self, piece: WordRun, n: int) -> list[WordRun]:
        """Split a run into ranges of partitions."""
        cuts = [N_PARTITIONS * k // n for k in range(n + 1)]
        return [_partitions_of(piece, first, stop) for first, stop in pairwise(cuts)]

    def n_splits(self, memory: int, n_adders: int) -> int:  # noqa: ARG002 - the number of words is not known yet
        return min(N_PARTITIONS, max(n_adders, 1 + self.n_bytes // SPLIT_BYTES))


def _as_run(lexicon: Lexicon, counts: NDArray[np.int64], folder: Path | None) -> WordRun:
    """Write the words of a lexicon as a run, ordered by partition."""
    from wordatoms.kernels import tokens as kernel

    keys, starts = lexicon.keys()
    partitions = (lexicon.hashes() % np.uint64(N_PARTITIONS)).astype(np.int64)
    order = np.argsort(partitions, kind="stable")
    lengths = np.diff(starts)[order].astype(np.int32)
    bounds = np.zeros((N_PARTITIONS + 1, 2), np.int64)
    bounds[1:, 0] = np.cumsum(np.bincount(partitions, minlength=N_PARTITIONS))
    bounds[:, 1] = np.concatenate([[0], np.cumsum(lengths)])[bounds[:, 0]]
    ordered = np.empty_like(keys)
    kernel.reorder_keys(keys, starts, order, ordered)
    ordered_counts = counts[: len(lexicon)][order]
    n_tokens = int(ordered_counts.sum())
    return WordRun(
        spill_array(ordered, folder),
        spill_array(lengths, folder),
        spill_array(ordered_counts, folder),
        bounds,
        n_tokens,
    )


def _partitions_of(run: WordRun, first: int, stop: int) -> WordRun:
    """Return a run in memory with all other partitions empty."""
    (word, key), (next_word, next_key) = run.bounds[first], run.bounds[stop]
    counts = run.counts[word:next_word]
    bounds = np.clip(run.bounds, run.bounds[first], run.bounds[stop]) - run.bounds[first]
    return WordRun(run.keys[key:next_key], run.lengths[word:next_word], counts, bounds, int(counts.sum()))


def build_vocabulary(
    corpus: Corpus,
    *,
    tokenizer: Tokenizer | None = None,
    min_count: int = 5,
    max_words: int | None = 50_000,
    work: Path | None = None,
    keep: Path | None = None,
    run: Run = DEFAULT_RUN,
) -> Vocabulary:
    """Count the words of a text and keep the frequent ones.

    Parameters
    ----------
    corpus : Corpus
        The text.
    tokenizer : Tokenizer, optional
        How text is split into words; the default one lower-cases.
    min_count : int, default 5
        Keep words that occur at least as often.
    max_words : int or None, default 50,000
        Keep at most as many words, the most frequent.
    work : Path, optional
        Folder for intermediate results that exceed the memory; the system's by default.
    keep : Path, optional
        Folder for results so far, from which a later call resumes.
    run : Run, optional
        Threads, memory, engine and progress.

    Returns
    -------
    Vocabulary
        The words by decreasing count.

    Raises
    ------
    InputError
        If no word is frequent enough.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import wordatoms as wa
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("the boat is tied to the pier\\n")
    >>> corpus = wa.open_corpus([folder / "a.txt"], work=folder)
    >>> wa.build_vocabulary(corpus, min_count=1).words
    ('the', 'boat', 'is', 'pier', 'tied', 'to')
    """
    if min_count < 1 or (max_words is not None and max_words < 1):
        raise InputError(f"min_count is {min_count} and max_words {max_words}; both must be 1 or more.")
    engine = engine_of(run)
    tokenizer = tokenizer or Tokenizer()
    task = TallyWords(tokenizer, run.memory // (2 * engine.n_workers), corpus.n_bytes)
    with (
        open_ledger("words", [tokenizer], keep=keep, work=work) as ledger,
        run.progress.text_bar("words", n_bytes=corpus.n_bytes) as report,
    ):
        runs = run_pass(engine, task, corpus.shards, ledger, batch_bytes=BATCH_BYTES, report=report)
        n_tokens = sum(each.n_tokens for each in runs)
        ranked = _rank_words(runs, min_count, max_words)
        if not len(ranked.counts):
            ledger.drop()  # there is nothing to resume
            raise _no_words(n_tokens, min_count)
    return Vocabulary(ranked.words(), ranked.counts, n_tokens)


def _no_words(n_tokens: int, min_count: int) -> InputError:
    if not n_tokens:
        return InputError("the text contains no words; pass text with words in it.")
    return InputError(
        f"no word of the text ({n_tokens:,} tokens) occurs {min_count} times; pass a lower min_count or more text."
    )


def _add_partitions(runs: Sequence[WordRun], first: int, stop: int) -> tuple[Lexicon, NDArray[np.int64]]:
    """Add up the words of some partitions; return them with their counts."""
    lexicon, counts = Lexicon(), np.zeros(0, np.int64)
    for run in runs:
        (word, key), (next_word, next_key) = run.bounds[first], run.bounds[stop]
        starts = np.concatenate([[0], np.cumsum(run.lengths[word:next_word], dtype=np.int64)])
        ids = lexicon.add_keys(run.keys[key:next_key], starts)
        counts = np.concatenate([counts, np.zeros(len(lexicon) - len(counts), np.int64)])
        counts[ids] += run.counts[word:next_word]  # the words of a run are distinct
    return lexicon, counts


class _PackedWords(NamedTuple):
    """Packed words with their counts; 2 million of them as Python objects would take 300 MB."""

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]
    """The first packed integer of each word, and the end."""
    counts: NDArray[np.int64]

    def words(self) -> tuple[str, ...]:
        found: list[str] = []
        for first in range(0, len(self.counts), WORDS_AT_ONCE):
            starts = self.starts[first : first + WORDS_AT_ONCE + 1]
            found += unpack_words(self.keys[starts[0] : starts[-1]], starts - starts[0])
        return tuple(found)

    def take(self, rows: NDArray[np.int64]) -> _PackedWords:
        return _PackedWords(*_select(self.keys, self.starts, rows), self.counts[rows])

    def best(self, n: int | None) -> _PackedWords:
        """The first `n` words by decreasing count, ties by code point."""
        # UTF-8 sorts like code points, and the first byte of a word is the lowest of its first packed integer.
        beginnings = self.keys[self.starts[:-1]].byteswap()
        order = np.lexsort((beginnings, -self.counts))
        self._order_ties(order, beginnings)
        return self.take(order[:n])

    def _order_ties(self, order: NDArray[np.int64], beginnings: NDArray[np.uint64]) -> None:
        """Sort words with equal counts and beginnings, in place."""
        counts, beginnings = self.counts[order], beginnings[order]
        is_tie = (counts[1:] == counts[:-1]) & (beginnings[1:] == beginnings[:-1])
        bounds = np.flatnonzero(np.diff(np.concatenate([[False], is_tie, [False]]).astype(np.int8)))
        for first, last in bounds.reshape(-1, 2).tolist():
            rows = order[first : last + 1]
            words = unpack_words(*_select(self.keys, self.starts, rows))
            order[first : last + 1] = rows[sorted(range(len(words)), key=words.__getitem__)]


def _join(parts: Sequence[_PackedWords]) -> _PackedWords:
    ends = np.cumsum([0, *(len(part.keys) for part in parts)])
    starts = [part.starts[:-1] + end for part, end in zip(parts, ends, strict=False)]
    keys, counts = (np.concatenate([getattr(part, name) for part in parts]) for name in ("keys", "counts"))
    return _PackedWords(keys, np.concatenate([*starts, ends[-1:]]), counts)


def _rank_words(runs: Sequence[WordRun], min_count: int, max_words: int | None) -> _PackedWords:
    """Return the words of the vocabulary in order."""
    parts: list[_PackedWords] = []
    for number in range(N_PARTITIONS):
        parts.append(_frequent_words(runs, number, min_count, max_words))
        if max_words is not None and sum(len(part.counts) for part in parts) > 4 * max_words:  # bounds the memory
            parts = [_join(parts).best(max_words)]
            min_count = int(parts[0].counts[-1])
    joined = _join(parts)
    del parts
    return joined.best(max_words)


def _frequent_words(runs: Sequence[WordRun], number: int, min_count: int, max_words: int | None) -> _PackedWords:
    """Return the words of a partition that may be in the vocabulary, in any order."""
    lexicon, counts = _add_partitions(runs, number, number + 1)
    if max_words is not None and len(counts) > max_words:
        min_count = max(min_count, int(np.partition(counts, -max_words)[-max_words]))
    return _PackedWords(*lexicon.keys(), counts).take(np.flatnonzero(counts >= min_count))


def _select(
    keys: NDArray[np.uint64], starts: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Select some of the packed words."""
    from wordatoms.kernels import tokens as kernel

    kept_starts = np.concatenate([[0], np.cumsum(np.diff(starts)[kept])])
    selected = np.empty(int(kept_starts[-1]), np.uint64)
    kernel.reorder_keys(keys, starts, kept, selected)
    return selected, kept_starts


# --- Writing the words of a text


def write_lines(
    corpus: Corpus,
    vocabulary: Vocabulary,
    path: Path,
    *,
    tokenizer: Tokenizer | None = None,
    run: Run = DEFAULT_RUN,
) -> None:
    """Write a text for trainers that read text: the words of a vocabulary separated by spaces, a paragraph per line."""
    from wordatoms.kernels import tokens as kernel

    lexicon = Lexicon(vocabulary.words, tokenizer=tokenizer)
    encoded = [word.encode() for word in vocabulary.words]
    text = np.frombuffer(b"".join(encoded), np.uint8)
    starts = np.concatenate([[0], np.cumsum([len(word) for word in encoded])])
    with write_atomic(path) as file, run.progress.text_bar("text", n_bytes=corpus.n_bytes) as report:
        for shard in corpus.shards:
            for block in read_blocks(shard):
                ids = lexicon.encode(block)
                out = np.empty(kernel.lines_length(ids, len(vocabulary), starts), np.uint8)
                file.write(out[: kernel.write_lines(ids, len(vocabulary), text, starts, out)].data)
                report(len(block), len(ids))

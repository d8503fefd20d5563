"""The vocabulary: the words of a text by falling count, and their probabilities p(w).

Counting words keeps to a memory limit whatever the text: a worker whose table is full writes it down as a run, its
words ordered by the partition their hash falls into, and in the end the runs are added partition by partition.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.engine import Batch, Engine, blocks_with_sizes, local_engine, make_batches
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.progress import TextCallback
from wordatoms.store import Array, ArrayFile, spill_folder, spilled, write_json, write_whole
from wordatoms.text import Corpus
from wordatoms.tokens import Lexicon, Tokenizer, unpack_words
from wordatoms.wordlists import format_words, parse_words

DEFAULT_MEMORY = 2 << 30
BATCH_BYTES = 32 << 20
N_PARTITIONS = 64


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words by falling count, ties by code point; `vocabulary["tie"]` is the row of *tie*."""

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    """Occurrences of each word, (n_words,)."""
    n_tokens: int
    """Tokens of the whole text, words outside the vocabulary included."""

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
        """p(w): the share of each word among all tokens of the text."""
        return self.counts / max(self.n_tokens, 1)

    def save(self, folder: Path) -> None:
        with write_whole(folder / "words.txt") as file:
            file.write(format_words(self.words, self.counts))
        write_json(folder / "vocabulary.json", {"n_words": len(self), "n_tokens": self.n_tokens})

    @classmethod
    def load(cls, folder: Path) -> Vocabulary:
        try:
            facts = json.loads((folder / "vocabulary.json").read_bytes())
            words, counts = parse_words((folder / "words.txt").read_bytes())
            n_words, n_tokens = int(facts["n_words"]), int(facts["n_tokens"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"the vocabulary in {folder} cannot be read ({error}); count the text again.") from error
        if counts is None or len(words) != n_words:
            raise ModelError(f"{folder}/words.txt does not have {n_words:,} words with counts; count the text again.")
        return cls(words, counts, n_tokens)


@dataclass(frozen=True)
class WordRun:
    """Words and how often each was seen, ordered by partition; in memory or on disk."""

    keys: Array | ArrayFile
    """Packed words, end to end."""
    lengths: Array | ArrayFile
    """Packed integers of each word."""
    counts: Array | ArrayFile
    bounds: NDArray[np.int64]
    """For each partition, and once more at the end: the first word and the first packed integer, (n + 1, 2)."""


@dataclass(frozen=True)
class WordTally:
    """What a worker found: runs that are still to be added up, and the number of tokens."""

    runs: tuple[WordRun, ...]
    n_tokens: int

    def __add__(self, other: WordTally) -> WordTally:
        return WordTally(self.runs + other.runs, self.n_tokens + other.n_tokens)


@dataclass(frozen=True)
class TallyWords:
    """The work on one batch: count its words."""

    tokenizer: Tokenizer
    memory: int
    """Bytes that the table of one worker may take."""
    spill: Path | None = None
    """Folder for runs; without it they stay in memory."""

    def __call__(self, batch: Batch, report: TextCallback) -> WordTally:
        from wordatoms.kernels import tokens as kernel

        lexicon, counts = Lexicon(tokenizer=self.tokenizer), np.zeros(1 << 12, np.int64)
        tally = WordTally((), 0)
        for shard in batch:
            for block, n_read in blocks_with_sizes(shard):
                ids = lexicon.encode(block, grow=True)
                if len(lexicon) > len(counts):
                    counts = np.concatenate([counts, np.zeros(2 * len(lexicon) - len(counts), np.int64)])
                n_tokens = kernel.tally(ids, counts)
                tally += WordTally((), n_tokens)
                report(n_read, n_tokens)
                if lexicon.n_bytes + counts.nbytes > self.memory:
                    tally += WordTally((self._run(lexicon, counts),), 0)
                    lexicon, counts = Lexicon(tokenizer=self.tokenizer), np.zeros(1 << 12, np.int64)
        return tally + WordTally((self._run(lexicon, counts),), 0)

    def _run(self, lexicon: Lexicon, counts: NDArray[np.int64]) -> WordRun:
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
        return WordRun(
            spilled(ordered, self.spill), spilled(lengths, self.spill), spilled(ordered_counts, self.spill), bounds
        )


def build_vocabulary(
    corpus: Corpus,
    *,
    tokenizer: Tokenizer | None = None,
    min_count: int = 5,
    max_words: int | None = 50_000,
    memory: int = DEFAULT_MEMORY,
    engine: Engine | None = None,
    work: Path | None = None,
    report: TextCallback | None = None,
) -> Vocabulary:
    """Count the words of a text; keep those seen `min_count` times or more, at most the `max_words` most frequent."""
    if min_count < 1 or (max_words is not None and max_words < 1):
        raise InputError(f"min_count is {min_count} and max_words {max_words}; both must be 1 or more.")
    engine = engine or local_engine(None, memory)
    with spill_folder(work) as spill:
        task = TallyWords(tokenizer or Tokenizer(), memory // (2 * engine.n_workers), spill)
        tally = engine.run(task, make_batches(corpus.shards, BATCH_BYTES), WordTally.__add__, report)
        ranked: list[tuple[int, str]] = []
        for number in range(N_PARTITIONS):  # cut at once, so that all of them are never held together
            ranked = sorted(ranked + _add_partition(tally.runs, number, min_count, max_words))[:max_words]
    if not tally.n_tokens:
        raise InputError("there is no word in the text, only other characters; pass text with words in it.")
    if not ranked:
        raise InputError(
            f"no word of the text ({tally.n_tokens:,} tokens) occurs {min_count} times; "
            "pass a lower min_count or more text."
        )
    counts, words = zip(*ranked, strict=True)
    return Vocabulary(words, -np.array(counts, np.int64), tally.n_tokens)


def _add_partition(
    runs: tuple[WordRun, ...], number: int, min_count: int, max_words: int | None
) -> list[tuple[int, str]]:
    """The words of one partition that can be in the vocabulary, each behind its count with a minus."""
    lexicon, counts = Lexicon(), np.zeros(0, np.int64)
    for run in runs:
        (word, key), (next_word, next_key) = run.bounds[number], run.bounds[number + 1]
        starts = np.concatenate([[0], np.cumsum(run.lengths[word:next_word], dtype=np.int64)])
        ids = lexicon.add_keys(run.keys[key:next_key], starts)
        counts = np.concatenate([counts, np.zeros(len(lexicon) - len(counts), np.int64)])
        counts[ids] += run.counts[word:next_word]  # the words of a run are distinct
    if max_words is not None and len(counts) > max_words:
        min_count = max(min_count, int(np.partition(counts, -max_words)[-max_words]))
    kept = np.flatnonzero(counts >= min_count)
    words = unpack_words(*_select(*lexicon.keys(), kept))
    return sorted(zip((-counts[kept]).tolist(), words, strict=True))[:max_words]


def _select(
    keys: NDArray[np.uint64], starts: NDArray[np.int64], kept: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Some of the packed words."""
    from wordatoms.kernels import tokens as kernel

    kept_starts = np.concatenate([[0], np.cumsum(np.diff(starts)[kept])])
    selected = np.empty(int(kept_starts[-1]), np.uint64)
    kernel.reorder_keys(keys, starts, kept, selected)
    return selected, kept_starts

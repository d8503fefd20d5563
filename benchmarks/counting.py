"""Speed and memory from text to counts, compared with lower bounds and other programs.

    python benchmarks/counting.py TEXT… [--threads 1] [--repeat 3] [--json counting.json]

Prints, for the best of several runs: MB/s of tokenizing and encoding, compared with a plain `re.findall` loop and a
dictionary; tokens/s of counting pairs with window 10, compared with the floor (a pass over the encoded text that reads
every neighbour and sums nothing) and with the speed of GloVe's `cooccur` on the same kind of machine; how counting
time grows with the text; and the peak memory compared with the limit.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from common import best, describe_machine, make_parser, peak_memory_mb, show
from wordatoms.counts.cooccurrence import count_pairs
from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.engine.threads import ThreadEngine
from wordatoms.kernels import jit
from wordatoms.run import Run
from wordatoms.text.corpus import Corpus, open_corpus, read_blocks
from wordatoms.text.tokenizer import Lexicon

COOCCUR_TOKENS_PER_SECOND = 1.1e6
"""GloVe's C `cooccur`, one thread, window 10, 6.8M words of English Wikipedia, 11,022 words in its vocabulary, on a
idle machine of the kind this project is developed on (2 cores); without the shuffle that its training needs."""
WINDOW = 10
SAMPLE_BYTES = 4 << 20


@jit
def read_neighbours(stream, window):
    """The floor of counting: read every neighbour of every token once."""
    total = 0
    for place in range(window, len(stream) - window):
        for distance in range(1, window + 1):
            total += stream[place - distance] ^ stream[place + distance]
    return total


def measure_tokens(corpus: Corpus, vocabulary: Vocabulary, repeat: int) -> dict[str, float]:
    block = next(read_blocks(corpus.shards[0], block_bytes=SAMPLE_BYTES))
    lines = block.decode().split("\n")
    pattern = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
    rows = {word: row for row, word in enumerate(vocabulary.words)}
    lexicon = Lexicon(vocabulary.words)
    lexicon.encode(block)
    plain = best(lambda: [[rows.get(word) for word in pattern.findall(line.lower())] for line in lines], repeat)
    ours = best(lambda: lexicon.encode(block), 5 * repeat)
    megabytes = len(block) / 1e6
    return {
        "encode_mb_per_second": megabytes / ours,
        "findall_mb_per_second": megabytes / plain,
        "ratio_to_findall": plain / ours,
    }


def encoded_stream(corpus: Corpus, vocabulary: Vocabulary) -> np.ndarray:
    lexicon = Lexicon(vocabulary.words)
    parts = [lexicon.encode(block).copy() for shard in corpus.shards for block in read_blocks(shard)]
    ids = np.concatenate(parts)
    return ids[ids >= 0]


def measure_counting(
    corpus: Corpus, vocabulary: Vocabulary, threads: int, repeat: int, memory: int
) -> dict[str, float]:
    engine = ThreadEngine(threads)
    with TemporaryDirectory() as folder:
        seconds = best(
            lambda: count_pairs(
                corpus, vocabulary, window=WINDOW, run=Run(engine=engine, memory=memory), folder=Path(folder)
            ),
            repeat,
        )
    stream = encoded_stream(corpus, vocabulary)
    read_neighbours(stream[:100], WINDOW)
    floor = best(lambda: read_neighbours(stream, WINDOW), repeat)
    rate = vocabulary.n_tokens / seconds
    return {
        "seconds": seconds,
        "tokens_per_second": rate,
        "tokens_per_second_per_thread": rate / threads,
        "ratio_to_cooccur_per_thread": rate / threads / COOCCUR_TOKENS_PER_SECOND,
        "seconds_over_floor_per_thread": seconds * threads / floor,
    }


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    memory = arguments.memory << 20
    with TemporaryDirectory() as work:
        corpus = open_corpus(arguments.text, work=Path(work), threads=1)
        half = Corpus(shards=corpus.shards[: max(len(corpus.shards) // 2, 1)], files=corpus.files)
        engine = ThreadEngine(arguments.threads)
        build_vocabulary(half, min_count=1, run=Run(engine=engine))  # compiles
        vocabulary_seconds = best(
            lambda: build_vocabulary(corpus, min_count=20, run=Run(engine=engine, memory=memory)), arguments.repeat
        )
        vocabulary = build_vocabulary(corpus, min_count=20, run=Run(engine=engine, memory=memory))
        run = (arguments.threads, arguments.repeat, memory)
        result: dict[str, Any] = {
            "machine": describe_machine(),
            "threads": arguments.threads,
            "n_tokens": vocabulary.n_tokens,
            "n_words": len(vocabulary),
            "vocabulary_tokens_per_second_per_thread": vocabulary.n_tokens / vocabulary_seconds / arguments.threads,
            "tokens": measure_tokens(corpus, vocabulary, arguments.repeat),
            "counting": measure_counting(corpus, vocabulary, *run),
        }
        if len(corpus.shards) > 1:
            first = build_vocabulary(half, min_count=20, run=Run(engine=engine))
            known = Vocabulary(vocabulary.words, vocabulary.counts, first.n_tokens)
            result["counting_half_of_the_text"] = measure_counting(half, known, *run)
        result["memory_allowed_mb"] = arguments.memory
        result["peak_memory_mb"] = peak_memory_mb()
    return result


def main() -> None:
    parser = make_parser(__doc__, threads=1, repeat=3, memory=1024)
    parser.add_argument("text", nargs="+")
    arguments = parser.parse_args()
    show(measure(arguments), arguments.json)


if __name__ == "__main__":
    main()

"""Speed and memory of the pass that averages contexts, from text to sums, as a ratio to its floor.

    python benchmarks/contexts.py TEXT… [--model MODEL] [--threads 1] [--repeat 3] [--json contexts.json]

Prints, for the best of several runs and in seconds of the processor (others may share the machine): tokens/s of the
whole pass with one kind of average and with two, reading and tokenising included; the same for several windows, which
should make no difference; the floor, a plain pass over the encoded text that adds one vector per token to a running
sum; the time of tokenising alone; random windows; the peak memory. Without a model the vectors are random.
"""

from __future__ import annotations

import argparse
import platform
import resource
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from common import show
from wordatoms.contexts.averages import context_sums, fixed_point_scale, to_fixed_point
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.windows import sample_windows
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.engine.threads import ThreadEngine
from wordatoms.kernels import jit
from wordatoms.text.corpus import Corpus, open_corpus, read_blocks
from wordatoms.text.tokenizer import Lexicon


@jit
def add_every_vector(stream, rows):
    """The floor: add the vector of every token to one running sum."""
    total = np.zeros(rows.shape[1], np.int32)
    for word in stream:
        vector = rows[word]
        for column in range(len(total)):
            total[column] += vector[column]
    return total


def best_cpu(function: Callable[[], object], repeat: int) -> float:
    """Seconds of the processor that the cheapest of several runs took, all threads together."""
    seconds = []
    for _ in range(repeat):
        started = process_time()
        function()
        seconds.append(process_time() - started)
    return min(seconds)


def load_embeddings(model: Path | None, corpus: Corpus, dim: int) -> Embeddings:
    if model:
        return Embeddings.load(model)
    vocabulary = build_vocabulary(corpus)
    vectors = np.random.default_rng(0).normal(size=(len(vocabulary), dim))
    return Embeddings(vocabulary.words, vectors, vocabulary.counts, n_tokens=vocabulary.n_tokens)


def encode(corpus: Corpus, embeddings: Embeddings) -> np.ndarray:
    lexicon = Lexicon(embeddings.words)
    ids = np.concatenate([lexicon.encode(block).copy() for shard in corpus.shards for block in read_blocks(shard)])
    return ids[ids != -1]


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory() as work:
        corpus = open_corpus(arguments.text, work=Path(work), threads=1)
        embeddings = load_embeddings(arguments.model, corpus, arguments.dim)
        vectors = SIF(embeddings, p_words(embeddings)).weighted_vectors()
        common: dict[str, Any] = {"engine": ThreadEngine(arguments.threads)}
        tokens = encode(corpus, embeddings)
        known = tokens[tokens >= 0]
        rows = to_fixed_point(vectors, fixed_point_scale(vectors, 10))
        add_every_vector(known[:10], rows)

        def seconds(**options: Any) -> float:
            run = {"memory": arguments.memory << 20, "work": Path(work), **common, **options}
            return best_cpu(lambda: context_sums(corpus, embeddings.words, vectors, **run), arguments.repeat)

        def sample() -> object:
            return sample_windows(corpus, embeddings.words, **common)

        sample()  # compiles
        whole = seconds()
        floor = best_cpu(lambda: add_every_vector(known, rows), arguments.repeat)
        return {
            "machine": f"{platform.processor() or platform.machine()}, {platform.system()}",
            "threads": arguments.threads,
            "n_tokens": len(tokens),
            "n_words": len(embeddings),
            "dim": embeddings.dim,
            "tokens_per_cpu_second": len(tokens) / whole,
            "tokens_per_cpu_second_by_window": {n: len(tokens) / seconds(window=n) for n in (2, 5, 40)},
            "tokens_per_cpu_second_with_both_averages": len(tokens) / seconds(inside=True),
            "floor_tokens_per_cpu_second": len(known) / floor,
            "cpu_seconds_over_floor": whole / floor,
            "encode_tokens_per_cpu_second": len(tokens) / best_cpu(lambda: encode(corpus, embeddings), 1),
            "sample_tokens_per_cpu_second": len(tokens) / best_cpu(sample, arguments.repeat),
            "memory_allowed_mb": arguments.memory,
            "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("text", nargs="+")
    parser.add_argument("--model", type=Path, help="take words and vectors from a model")
    parser.add_argument("--dim", type=int, default=300, help="of random vectors")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--memory", type=int, default=2048, help="MB")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    show(measure(arguments), arguments.json)


if __name__ == "__main__":
    main()

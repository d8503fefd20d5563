"""Speed and memory of averaging contexts, from text to sums, compared with a lower bound.

    python benchmarks/contexts.py TEXT… [--model MODEL] [--threads 1] [--repeat 3] [--json contexts.json]

Times are processor time, because other programs may share the machine, and the best of several runs counts. Prints
tokens/s of the whole pass, including reading and tokenizing, with one kind of average and with two; the same for
several window sizes, which should make no difference; the floor, a pass over the encoded text that adds one vector per
token to a running sum; tokenizing alone; random windows; and the peak memory. Without a model the vectors are random.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from common import best, describe_machine, make_parser, peak_memory_mb, show
from wordatoms.contexts.averages import context_sums, fixed_point_scale, to_fixed_point
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.windows import sample_windows
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.engine.threads import ThreadEngine
from wordatoms.kernels import jit
from wordatoms.run import Run
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


best_cpu = partial(best, clock=process_time)


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
        run = Run(engine=ThreadEngine(arguments.threads), memory=arguments.memory << 20)
        tokens = encode(corpus, embeddings)
        known = tokens[tokens >= 0]
        rows = to_fixed_point(vectors, fixed_point_scale(vectors, 10))
        add_every_vector(known[:10], rows)

        def seconds(**options: Any) -> float:
            options |= {"work": Path(work), "run": run}
            return best_cpu(lambda: context_sums(corpus, embeddings.words, vectors, **options), arguments.repeat)

        def sample() -> object:
            return sample_windows(corpus, embeddings.words, run=run)

        sample()  # compiles
        whole = seconds()
        floor = best_cpu(lambda: add_every_vector(known, rows), arguments.repeat)
        return {
            "machine": describe_machine(),
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
            "peak_memory_mb": peak_memory_mb(),
        }


def main() -> None:
    parser = make_parser(__doc__, threads=1, repeat=3, memory=2048, dim=300)
    parser.add_argument("text", nargs="+")
    parser.add_argument("--model", type=Path, help="take words and vectors from this model")
    arguments = parser.parse_args()
    show(measure(arguments), arguments.json)


if __name__ == "__main__":
    main()

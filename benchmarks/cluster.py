"""The overhead of a Dask cluster over threads, and the gain from a second worker, for every pass over text.

    python benchmarks/cluster.py TEXT… [--workers 1 2] [--repeat 3] [--memory 2048] [--json cluster.json]

For each number of workers n, the same passes (words, pairs, random windows, context sums of 300 dimensions) run on n
threads of this process, on a cluster of n worker processes with a scheduler on loopback, and on the cluster that
`--engine dask` starts by default: one worker process with n threads. They take turns, so that a slow phase of the
machine affects all of them. Prints the wall and processor seconds of the best run of each pass, the overhead of each
cluster (its seconds divided by those of the threads, minus one), the speed-up from the first to the last number of
workers, processor seconds per million tokens, and the peak memory of a worker. Starting the cluster is timed
separately. Results are compared and must have the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from common import describe_machine, make_parser, show
from wordatoms.contexts.averages import context_sums
from wordatoms.contexts.windows import sample_windows
from wordatoms.counts.cooccurrence import count_pairs
from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.engine.dask import DaskEngine
from wordatoms.engine.threads import Engine, ThreadEngine
from wordatoms.run import Run
from wordatoms.storage.folder import peak_memory
from wordatoms.text.corpus import Corpus, open_corpus

PASSES = ("words", "pairs", "windows", "contexts")


@dataclass
class Bench:
    """The passes over one text; each can run on any engine."""

    corpus: Corpus
    work: Path
    memory: int
    dim: int
    vocabulary: Vocabulary | None = None
    n_pairs: int = 0
    folder: Path | None = None
    """Where a pass writes its counts."""
    digests: dict[str, set[str]] = field(default_factory=dict)

    def run(self, name: str, engine: Engine, cpu: Callable[[], float]) -> dict[str, float]:
        """Wall and processor seconds of a pass; a digest of its result is kept for comparison."""
        with TemporaryDirectory(dir=self.work) as folder:
            self.folder = Path(folder)
            started, cpu_before = time.perf_counter(), cpu()
            found = getattr(self, name)(run=Run(engine=engine, memory=self.memory))
            seconds = {"seconds": time.perf_counter() - started, "cpu": cpu() - cpu_before}
            self.digests.setdefault(name, set()).add(digest(found))
        return seconds

    def words(self, **options: Any) -> list[Any]:
        self.vocabulary = build_vocabulary(self.corpus, work=self.work, **options)
        return [np.array(self.vocabulary.words), self.vocabulary.counts]

    def pairs(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        counts = count_pairs(self.corpus, self.vocabulary, work=self.work, folder=self.folder, **options)
        self.n_pairs = counts.n_pairs
        return [counts.indptr, counts.indices, counts.values]

    def windows(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        return [sample_windows(self.corpus, self.vocabulary.words, **options)]

    def contexts(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        shape = (len(self.vocabulary), self.dim)
        vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        sums = context_sums(self.corpus, self.vocabulary.words, vectors, work=self.work, **options)
        return [sums.outside, sums.n_contexts]


def digest(found: list[Any]) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in found)).hexdigest()


@contextmanager
def cluster_engine(n_workers: int, memory: int) -> Iterator[DaskEngine]:
    """An engine on a cluster of processes with one thread each."""
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
        ) as cluster,
        DaskEngine(cluster.scheduler_address, memory=memory) as engine,
    ):
        engine.client.run(_load_kernels)
        yield engine


def _load_kernels() -> None:
    import wordatoms.kernels.contexts
    import wordatoms.kernels.cooccur
    import wordatoms.kernels.tokens  # noqa: F401


def cpu_of(client: Client) -> float:
    """Processor seconds of this process and of all workers."""
    return time.process_time() + sum(client.run(time.process_time).values())


def measure_workers(bench: Bench, n: int, repeat: int) -> dict[str, Any]:
    with ExitStack() as stack:
        started = time.perf_counter()
        clusters = {"cluster": stack.enter_context(cluster_engine(n, bench.memory))}
        start_seconds = time.perf_counter() - started
        if n > 1:
            clusters["local"] = stack.enter_context(DaskEngine(threads=n, memory=bench.memory))
            clusters["local"].client.run(_load_kernels)
        best = best_runs(bench, {"threads": ThreadEngine(n), **clusters}, repeat)
        peaks = {kind: max(engine.client.run(peak_memory).values()) for kind, engine in clusters.items()}
    found = {
        kind: {"passes": best[kind], "overhead": overhead(best[kind], best["threads"]), "worker_peak_mb": peak / 1e6}
        for kind, peak in peaks.items()
    }
    return {"threads": best["threads"], **found, "start_seconds": start_seconds}


def best_runs(bench: Bench, engines: dict[str, Engine], repeat: int) -> dict[str, dict[str, dict[str, float]]]:
    """Wall and processor seconds of the best run of each pass on each engine."""
    best: dict[str, dict[str, dict[str, float]]] = {kind: {} for kind in engines}
    for name in PASSES:
        for _ in range(repeat):
            for kind, engine in engines.items():
                cpu = partial(cpu_of, engine.client) if isinstance(engine, DaskEngine) else time.process_time
                seconds = bench.run(name, engine, cpu)
                least = best[kind].get(name, seconds)
                best[kind][name] = {key: min(value, least[key]) for key, value in seconds.items()}
    return best


def overhead(passes: dict[str, dict[str, float]], threads: dict[str, dict[str, float]]) -> dict[str, float]:
    return {key: total(passes, key) / total(threads, key) - 1 for key in ("seconds", "cpu")}


def total(passes: dict[str, dict[str, float]], key: str) -> float:
    return sum(each[key] for each in passes.values())


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory(dir=arguments.work) as work:
        corpus = open_corpus(arguments.text, work=Path(work), threads=1)
        bench = Bench(corpus, Path(work), arguments.memory << 20, arguments.dim)
        bench.run("words", ThreadEngine(1), time.process_time)
        small = Bench(Corpus(corpus.shards[:1], corpus.files), bench.work, bench.memory, 8, bench.vocabulary)
        for name in PASSES[1:]:  # compiles
            small.run(name, ThreadEngine(1), time.process_time)
        assert bench.vocabulary
        found = {n: measure_workers(bench, n, arguments.repeat) for n in arguments.workers}
        first, last = (found[n]["cluster"]["passes"] for n in (arguments.workers[0], arguments.workers[-1]))
        n_tokens = bench.vocabulary.n_tokens
        return {
            "machine": describe_machine(),
            "n_tokens": n_tokens,
            "n_words": len(bench.vocabulary),
            "n_pairs": bench.n_pairs,
            "n_shards": len(corpus.shards),
            "memory_mb": arguments.memory,
            "workers": found,
            "speed_up": {
                "workers": [arguments.workers[0], arguments.workers[-1]],
                "all": total(first, "seconds") / total(last, "seconds"),
                **{name: first[name]["seconds"] / last[name]["seconds"] for name in PASSES},
            },
            "cpu_seconds_per_million_tokens": {name: 1e6 * last[name]["cpu"] / n_tokens for name in PASSES},
            "same_bytes": all(len(digests) == 1 for digests in bench.digests.values()),
        }


def main() -> None:
    parser = make_parser(__doc__, repeat=3, memory=2048, dim=300)
    parser.add_argument("text", nargs="+")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--work", type=Path, help="folder for intermediate results")
    arguments = parser.parse_args()
    show(measure(arguments), arguments.json)


if __name__ == "__main__":
    main()

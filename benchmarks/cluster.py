"""What a Dask cluster costs beside threads, and what a second worker gains: every pass over text, on one machine.

    python benchmarks/cluster.py TEXT… [--workers 1 2] [--repeat 2] [--memory 2048] [--json cluster.json]

For each number of workers the same passes (words, pairs, random windows, context sums of 300 dimensions) run on as
many threads of this process, on a cluster of as many worker processes with a scheduler on loopback, and on a cluster of
one worker process with as many threads. Prints the wall and processor seconds of the best run of each pass, the
overhead of each cluster (its seconds divided by those of the threads, minus one), the speed-up from the first to the
last number of workers, processor seconds per million tokens, and the peak memory of a worker. Starting the cluster is
timed by itself. All results are compared: the bytes have to be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import platform
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

from common import show
from wordatoms.contexts import context_sums
from wordatoms.counts import count_pairs
from wordatoms.daskengine import DaskEngine
from wordatoms.engine import Engine, ThreadEngine
from wordatoms.folder import peak_memory
from wordatoms.text import Corpus, open_corpus
from wordatoms.vocabulary import Vocabulary, build_vocabulary
from wordatoms.windows import sample_windows

PASSES = ("words", "pairs", "windows", "contexts")


@dataclass
class Bench:
    """The passes over one text, each on any engine."""

    corpus: Corpus
    work: Path
    memory: int
    dim: int
    vocabulary: Vocabulary | None = None
    n_pairs: int = 0
    digests: dict[str, set[str]] = field(default_factory=dict)

    def run(self, name: str, engine: Engine) -> None:
        found = getattr(self, name)(engine=engine)
        self.digests.setdefault(name, set()).add(digest(found))

    def words(self, **options: Any) -> list[Any]:
        self.vocabulary = build_vocabulary(self.corpus, memory=self.memory, work=self.work, **options)
        return [np.array(self.vocabulary.words), self.vocabulary.counts]

    def pairs(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        with TemporaryDirectory(dir=self.work) as folder:
            counts = count_pairs(
                self.corpus, self.vocabulary, memory=self.memory, work=self.work, folder=Path(folder), **options
            )
            self.n_pairs = counts.n_pairs
            return [hashlib.sha256(array).hexdigest() for array in (counts.indptr, counts.indices, counts.values)]

    def windows(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        return [sample_windows(self.corpus, self.vocabulary.words, **options)]

    def contexts(self, **options: Any) -> list[Any]:
        assert self.vocabulary
        shape = (len(self.vocabulary), self.dim)
        vectors = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        sums = context_sums(self.corpus, self.vocabulary.words, vectors, memory=self.memory, work=self.work, **options)
        return [sums.outside, sums.n_contexts]


def digest(found: list[Any]) -> str:
    parts = [part if isinstance(part, str) else np.ascontiguousarray(part).tobytes() for part in found]
    return hashlib.sha256(b"".join(part.encode() if isinstance(part, str) else part for part in parts)).hexdigest()


def measure_passes(bench: Bench, engine: Engine, cpu: Callable[[], float], repeat: int) -> dict[str, dict[str, float]]:
    """Wall and processor seconds of each pass, the best of several runs."""
    best: dict[str, dict[str, float]] = {}
    for name in PASSES:
        for _ in range(repeat):
            started, cpu_before = time.perf_counter(), cpu()
            bench.run(name, engine)
            seconds = {"seconds": time.perf_counter() - started, "cpu": cpu() - cpu_before}
            best[name] = {key: min(value, best.get(name, seconds)[key]) for key, value in seconds.items()}
    return best


@contextmanager
def cluster_engine(n_workers: int, n_threads: int, memory: int):  # type: ignore[no-untyped-def]
    """A cluster of processes with some threads each, the engine on it, and how long it took to start."""
    started = time.perf_counter()
    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=n_threads,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
        ) as cluster,
        DaskEngine(cluster.scheduler_address, memory=memory) as engine,
    ):
        engine.client.run(_load_kernels)
        yield engine, time.perf_counter() - started


def _load_kernels() -> None:
    import wordatoms.kernels.contexts
    import wordatoms.kernels.cooccur
    import wordatoms.kernels.tokens  # noqa: F401


def cpu_of(client: Client) -> float:
    """Processor seconds of this process and of all workers."""
    return time.process_time() + sum(client.run(time.process_time).values())


def measure_workers(bench: Bench, n: int, repeat: int) -> dict[str, Any]:
    threads = measure_passes(bench, ThreadEngine(n), time.process_time, repeat)
    found: dict[str, Any] = {"threads": threads}
    for name, (n_workers, n_threads) in {"cluster": (n, 1), "one_process": (1, n)}.items():
        if name == "cluster" or n > 1:
            found[name] = measure_cluster(bench, n_workers, n_threads, repeat)
            found[name]["overhead"] = {
                key: total(found[name]["passes"], key) / total(threads, key) - 1 for key in ("seconds", "cpu")
            }
    return found


def measure_cluster(bench: Bench, n_workers: int, n_threads: int, repeat: int) -> dict[str, Any]:
    with cluster_engine(n_workers, n_threads, bench.memory) as (engine, start_seconds):
        client = engine.client
        passes = measure_passes(bench, engine, lambda: cpu_of(client), repeat)
        peaks = client.run(peak_memory).values()
    return {"passes": passes, "start_seconds": start_seconds, "worker_peak_mb": max(peaks) / 1e6}


def total(passes: dict[str, dict[str, float]], key: str) -> float:
    return sum(each[key] for each in passes.values())


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory(dir=arguments.work) as work:
        corpus = open_corpus(arguments.text, work=Path(work), threads=1)
        bench = Bench(corpus, Path(work), arguments.memory << 20, arguments.dim)
        bench.run("words", ThreadEngine(1))
        assert bench.vocabulary
        for name in PASSES[1:]:  # compiles
            getattr(
                Bench(Corpus(corpus.shards[:1], corpus.files), bench.work, bench.memory, 8, bench.vocabulary), name
            )()
        found = {n: measure_workers(bench, n, arguments.repeat) for n in arguments.workers}
        first, last = (found[n]["cluster"]["passes"] for n in (arguments.workers[0], arguments.workers[-1]))
        n_tokens = bench.vocabulary.n_tokens
        return {
            "machine": f"{platform.processor() or platform.machine()}, {platform.system()}",
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
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("text", nargs="+")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--memory", type=int, default=2048, help="MB, of a worker")
    parser.add_argument("--dim", type=int, default=300, help="of the vectors")
    parser.add_argument("--work", type=Path, help="folder for intermediate results")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    show(measure(arguments), arguments.json)


if __name__ == "__main__":
    main()

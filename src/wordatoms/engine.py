"""Engines: how a function is run over the shards of a text and its results are added up.

An engine knows nothing of words or counts. It calls `work(batch, report)` for each batch of shards, in any order and
anywhere, and adds the results with `add`, in any order too: both must not care. Threads of this machine are the
first engine; another one needs no more than `run`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol, TypeVar

from wordatoms.parallel import Stopped, resolve_threads, run_threads
from wordatoms.progress import TextCallback
from wordatoms.text import Shard, read_blocks

Batch = tuple[Shard, ...]
SMALLEST_WORKER = 32 << 20
"""Bytes that the buffers of one worker take at the least."""
Part = TypeVar("Part")


class Engine(Protocol):
    """What a pass over text needs of the machine, or of the machines."""

    @property
    def n_workers(self) -> int:
        """How many batches are worked on at the same time, sharing the memory of one machine."""
        ...

    def run(
        self,
        work: Callable[[Batch, TextCallback], Part],
        batches: Sequence[Batch],
        add: Callable[[Part, Part], Part],
        report: TextCallback | None = None,
    ) -> Part:
        """The sum of `work` over all batches (of which there is at least one)."""
        ...


@dataclass(frozen=True)
class ThreadEngine:
    """Batches on threads of this process; the kernels release the GIL."""

    threads: int | None = None

    @property
    def n_workers(self) -> int:
        return resolve_threads(self.threads)

    def run(
        self,
        work: Callable[[Batch, TextCallback], Part],
        batches: Sequence[Batch],
        add: Callable[[Part, Part], Part],
        report: TextCallback | None = None,
    ) -> Part:
        stop = threading.Event()
        lock = threading.Lock()

        def report_or_stop(n_bytes: int, n_tokens: int) -> None:
            if stop.is_set():
                raise Stopped
            if report is not None:
                with lock:
                    report(n_bytes, n_tokens)

        parts = run_threads(lambda batch: work(batch, report_or_stop), batches, self.n_workers, stop=stop)
        return reduce(add, parts)


def local_engine(threads: int | None, memory: int) -> ThreadEngine:
    """Threads as asked for, but no more than the memory has room for."""
    return ThreadEngine(max(1, min(resolve_threads(threads), memory // SMALLEST_WORKER)))


def make_batches(shards: Sequence[Shard], n_bytes: int) -> list[Batch]:
    """Consecutive shards taken together until a batch has about `n_bytes`, so that many small files cost little."""
    batches: list[Batch] = []
    batch: list[Shard] = []
    size = 0
    for shard in shards:
        batch.append(shard)
        size += shard.n_bytes
        if size >= n_bytes:
            batches.append(tuple(batch))
            batch, size = [], 0
    return [*batches, tuple(batch)] if batch else batches


def blocks_with_sizes(shard: Shard) -> Iterator[tuple[bytes, int]]:
    """The blocks of a shard, each with the bytes on disk that were read for it."""
    unreported = 0

    def on_read(n_bytes: int) -> None:
        nonlocal unreported
        unreported += n_bytes

    for block in read_blocks(shard, on_read=on_read):
        yield block, unreported
        unreported = 0

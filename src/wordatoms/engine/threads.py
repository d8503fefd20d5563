"""Engines: how a pass over a text is run on all its shards.

An engine knows nothing about words or counts. It calls `work(batch, report, folder)` on batches of shards, in any order
and on any machine, and enters the results into a ledger, so that nothing is repeated after a crash. The pieces it
returns add up to the result for the whole text, however the text was split. `ThreadEngine` uses threads of this
process, `wordatoms.engine.dask` a Dask cluster.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

from wordatoms.engine.ledger import Ledger
from wordatoms.parallel import Item, Result, Stopped, resolve_threads, run_threads
from wordatoms.progress import TextCallback
from wordatoms.run import Run
from wordatoms.text.shards import Shard, placed_blocks

Batch = tuple[Shard, ...]
SMALLEST_WORKER = 32 << 20
"""Bytes that the buffers of one worker need."""
Part = TypeVar("Part")
Piece = TypeVar("Piece")


class Work(Protocol[Piece]):
    """What to do with each batch and how to add the resulting pieces; can be sent to another machine."""

    @property
    def kind(self) -> type[Piece]:
        """The type of the pieces: a frozen dataclass of arrays and numbers."""
        ...

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None) -> list[Piece]:
        """Return the pieces of a batch, with large arrays in files of the folder, or in memory without one."""
        ...

    def is_valid(self, piece: Piece) -> bool:
        """Whether a piece read from a file has the expected shapes, types and ranges of numbers."""
        ...

    def add(self, pieces: Sequence[Piece]) -> Piece:
        """Add pieces in memory."""
        ...

    def split(self, piece: Piece, n: int) -> list[Piece]:
        """Split a piece in memory into `n`; the k-th part is only ever added to k-th parts."""
        ...

    def n_splits(self, memory: int, n_adders: int) -> int:
        """Return into how many parts to split a piece, so that sums fit the memory and `n_adders` can work."""
        ...


class Engine(Protocol):
    """Runs passes over text on one machine or several."""

    @property
    def n_workers(self) -> int:
        """Number of batches processed at the same time that share the memory of one machine."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether other processes read the text, on this machine or others."""
        ...

    def run(
        self,
        work: Work[Piece],
        shards: Sequence[Shard],
        ledger: Ledger,
        *,
        batch_bytes: int,
        report: TextCallback | None = None,
    ) -> list[Piece]:
        """Return pieces whose sum is the result for the shards, after entering them into the ledger."""
        ...

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Apply a function to each item; return the results in order."""
        ...


@dataclass(frozen=True)
class ThreadEngine:
    """Runs batches on threads of this process; the kernels release the GIL."""

    threads: int | None = None

    @property
    def n_workers(self) -> int:
        return resolve_threads(self.threads)

    @property
    def is_remote(self) -> bool:
        return False

    def run(
        self,
        work: Work[Piece],
        shards: Sequence[Shard],
        ledger: Ledger,
        *,
        batch_bytes: int,
        report: TextCallback | None = None,
    ) -> list[Piece]:
        def finish(batch: Batch, progress: TextCallback) -> list[Piece]:
            return ledger.enter(batch, work(batch, progress, ledger.folder))

        parts = self._each(finish, make_batches(shards, batch_bytes), report)
        return list(chain.from_iterable(parts))

    def sum(
        self,
        function: Callable[[Batch, TextCallback], Part],
        batches: Sequence[Batch],
        add: Callable[[Part, Part], Part],
        report: TextCallback | None = None,
    ) -> Part:
        """Return the sum of `function` over batches (at least one), without a ledger."""
        return reduce(add, self._each(function, batches, report))

    def _each(
        self,
        function: Callable[[Batch, TextCallback], Part],
        batches: Sequence[Batch],
        report: TextCallback | None,
    ) -> list[Part]:
        stop = threading.Event()
        lock = threading.Lock()

        def report_or_stop(n_bytes: int, n_tokens: int) -> None:
            if stop.is_set():
                raise Stopped
            if report is not None:
                with lock:
                    report(n_bytes, n_tokens)

        return run_threads(lambda batch: function(batch, report_or_stop), batches, self.n_workers, stop=stop)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        return run_threads(function, items, self.n_workers)


def engine_of(run: Run) -> Engine:
    """Return the engine of a run, or threads of this process."""
    return run.engine or local_engine(run)


def local_engine(run: Run) -> ThreadEngine:
    """Return threads of this process: as many as the run asks for, within its memory."""
    if isinstance(run.engine, ThreadEngine):
        return run.engine
    return ThreadEngine(max(1, min(run.n_threads, run.memory // SMALLEST_WORKER)))


def run_pass(
    engine: Engine,
    work: Work[Piece],
    shards: Sequence[Shard],
    ledger: Ledger,
    *,
    batch_bytes: int,
    report: TextCallback | None = None,
) -> list[Piece]:
    """Return pieces whose sum is the result for all shards: those in the ledger, and new ones for the other shards."""
    found, todo = ledger.find(shards, work.kind, work.is_valid)
    if report is not None and found:  # text read in an earlier run counts as progress
        report(sum(shard.n_bytes for shard in shards) - sum(shard.n_bytes for shard in todo), 0)
    return found + engine.run(work, todo, ledger, batch_bytes=batch_bytes, report=report) if todo else found


def make_batches(shards: Sequence[Shard], n_bytes: int) -> list[Batch]:
    """Group consecutive shards into batches of about `n_bytes`, so that many small files cost little."""
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
    """Yield the blocks of a shard, each with the number of bytes on disk read for it."""
    return ((block, n_read) for _, block, n_read in placed_blocks_with_sizes(shard))


def placed_blocks_with_sizes(shard: Shard) -> Iterator[tuple[int, bytes, int]]:
    """Yield the position of each block in its file, the block, and the number of bytes on disk read for it."""
    unreported = 0

    def on_read(n_bytes: int) -> None:
        nonlocal unreported
        unreported += n_bytes

    for position, block in placed_blocks(shard, on_read=on_read):
        yield position, block, unreported
        unreported = 0

"""Engines: how a piece of work is done on all shards of a text.

An engine knows nothing of words or counts. It calls `work(batch, report, folder)` for batches of shards, in any order
and anywhere, and enters what comes back into a ledger, so that nothing is done twice when something dies; the pieces
that it hands over add up to the result for the whole text, however the text was split. Threads of this machine are the
first engine, a Dask cluster (`wordatoms.engine.dask`) is another.
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
from wordatoms.text.shards import Shard, read_blocks

Batch = tuple[Shard, ...]
SMALLEST_WORKER = 32 << 20
"""Bytes that the buffers of one worker take at the least."""
Part = TypeVar("Part")
Piece = TypeVar("Piece")


class Work(Protocol[Piece]):
    """What is done with each batch, and how the pieces that come of it are added; can be sent to another machine."""

    @property
    def kind(self) -> type[Piece]:
        """Of the pieces: a frozen dataclass of arrays and numbers."""
        ...

    def __call__(self, batch: Batch, report: TextCallback, folder: Path | None) -> list[Piece]:
        """The pieces of a batch, with large arrays in files of the folder; in memory without one."""
        ...

    def is_valid(self, piece: Piece) -> bool:
        """Whether a piece from a file has the shapes and the range of numbers that the others rely on."""
        ...

    def add(self, pieces: Sequence[Piece]) -> Piece:
        """The sum of pieces that are in memory, in memory."""
        ...

    def split(self, piece: Piece, n: int) -> list[Piece]:
        """A piece in memory cut into `n`, each to be added to its likes only."""
        ...

    def n_splits(self, memory: int, n_adders: int) -> int:
        """Into how many to cut a piece, so that its sums take little of the memory, and so many can add at a time."""
        ...


class Engine(Protocol):
    """What a pass over text needs of the machine, or of the machines."""

    @property
    def n_workers(self) -> int:
        """How many batches are worked on at the same time, sharing the memory of one machine."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether the text is read by other processes, on this machine or others."""
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
        """Pieces whose sum is the result for the shards, entered into the ledger."""
        ...

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """`function` of each item, in their order."""
        ...


@dataclass(frozen=True)
class ThreadEngine:
    """Batches on threads of this process; the kernels release the GIL."""

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
        """The sum of `function` over batches (of which there is at least one), with nothing kept on the way."""
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
    """The engine that a run names, or threads of this process."""
    return run.engine or local_engine(run)


def local_engine(run: Run) -> ThreadEngine:
    """Threads of this process: as many as the run asks for, but no more than its memory has room for."""
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
    """Pieces whose sum is the result for all shards: those in the ledger, and what the engine finds in the others."""
    found, todo = ledger.find(shards, work.kind, work.is_valid)
    if report is not None and found:  # what was read in an earlier run is progress too
        report(sum(shard.n_bytes for shard in shards) - sum(shard.n_bytes for shard in todo), 0)
    return found + engine.run(work, todo, ledger, batch_bytes=batch_bytes, report=report) if todo else found


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

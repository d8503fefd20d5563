"""A Dask cluster as an engine: batches are tasks on its workers, and their results are added in a tree.

The text is processed in groups of batches. When the batches of a group are done, their pieces are added on the workers,
each range of words (or rows) separately and a few at a time; this process fetches the sums, writes them to disk and
enters the group into the ledger while the workers process the next one. So if a worker dies, Dask computes again what
it held in memory; if the scheduler dies, unfinished groups are repeated; a text that cannot be read affects only its
batch.

Workers need the same version of wordatoms and must find the files under the same paths. Anyone who can reach a
scheduler can run code on its workers: use one you trust. Left out: everything that is not a pass over text.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from wordatoms.engine.ledger import Ledger
from wordatoms.engine.threads import Batch, Piece, Work, local_engine, make_batches
from wordatoms.errors import EngineError, InputError, MissingExtraError, WordatomsError, require_extra
from wordatoms.parallel import Item, Result
from wordatoms.progress import TextCallback
from wordatoms.run import Run
from wordatoms.text.shards import Shard

log = logging.getLogger(__name__)

if TYPE_CHECKING:
    from distributed import Client, Future

FAN_IN = 8
"""Pieces added in one task."""
ADDERS_PER_THREAD, MOST_ADDERS = 4, 16
"""Sums of a group computed in parallel, for speed only: more balance better, but cost more to schedule."""
BATCHES_PER_THREAD = 4
"""Batches in a group: enough to keep a worker busy until the next group, few enough for its memory."""
MOST_BATCH_BYTES = 256 << 20
GROUPS_AHEAD = 1
"""Groups submitted before the sums of a group are fetched."""
CONNECT_SECONDS = 15
WAIT_SECONDS = 60
"""Time for the first worker to join, or for one to return when all are gone."""
LOOK_SECONDS = 1
"""Interval between checks for workers."""
QUIET_SECONDS = 15
"""Without a sign of life from any worker, after which the user is told."""
START_SECONDS = 10
"""Time for a local worker process to start."""


class DaskEngine:
    """Runs batches on the workers of a Dask cluster; without the address of a scheduler, on one local worker process.

    Nothing is started or connected before the first use. Close it at the end, or use it in a `with` statement.
    """

    def __init__(
        self,
        scheduler: str | None = None,
        *,
        threads: int | None = None,
        memory: int,
        batch_bytes: int | None = None,
        group_batches: int | None = None,
    ) -> None:
        require_extra("distributed", "dask")
        self.scheduler, self.memory = scheduler, memory
        self.threads = local_engine(Run(threads, memory)).n_workers
        self._batch_bytes, self._group_batches = batch_bytes, group_batches

    def __enter__(self) -> DaskEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, and the local cluster if there is one."""
        if "client" in self.__dict__:
            with _quiet_logs():
                self.client.close(timeout=2)
                if self.client.cluster is not None:
                    self.client.cluster.close(timeout=10)
            del self.__dict__["client"]

    @property
    def is_remote(self) -> bool:
        return True

    @property
    def n_workers(self) -> int:
        """Batches at a time on the worker with the most threads, or on a local cluster, which shares the memory."""
        threads = self._threads_of_workers()
        return max(1, sum(threads) if self.scheduler is None else max(threads, default=1))

    @cached_property
    def client(self) -> Client:
        """The connection to the cluster, made at the first use."""
        return _connect(self.scheduler) if self.scheduler else _start_cluster(self.threads)

    def _workers(self) -> dict[str, Any]:
        from distributed import CancelledError

        with _cluster_errors(self._name):
            if self.client.status != "running":  # otherwise it would wait for an answer forever
                raise CancelledError("the connection is lost")
            workers: dict[str, Any] = self.client.scheduler_info(n_workers=-1)["workers"]
            return workers

    @property
    def _name(self) -> str:
        return f"the scheduler at {self.scheduler}" if self.scheduler else "the local Dask cluster"

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        with _cluster_errors(self._name):
            futures = [self.client.submit(_run, function, item, pure=False) for item in items]
            return [self.result(future) for future in futures]

    def run(
        self,
        work: Work[Piece],
        shards: Sequence[Shard],
        ledger: Ledger,
        *,
        batch_bytes: int,
        report: TextCallback | None = None,
    ) -> list[Piece]:
        with _cluster_errors(self._name):
            run = _Pass(self, work, ledger, report)
            for group in self._groups(shards, batch_bytes):
                run.submit_group(group)
            return run.finish()

    def _groups(self, shards: Sequence[Shard], batch_bytes: int) -> Iterator[list[Batch]]:
        """Yield the text in groups of batches, as many as suit the workers present at that time."""
        share = sum(shard.n_bytes for shard in shards) // (2 * BATCHES_PER_THREAD * self._n_threads())
        size = self._batch_bytes or max(batch_bytes, min(share, MOST_BATCH_BYTES))
        batches = make_batches(shards, size)
        start = 0
        while start < len(batches):
            n = self._group_batches or BATCHES_PER_THREAD * self._n_threads()
            yield batches[start : start + n]
            start += n

    @property
    def n_adders(self) -> int:
        """Number of sums: enough for all workers to take part, and to fetch the first while others are computed."""
        return min(ADDERS_PER_THREAD * self._n_threads(), MOST_ADDERS)

    def _n_threads(self) -> int:
        return max(1, sum(self._threads_of_workers()))

    def _threads_of_workers(self) -> list[int]:
        return [int(worker["nthreads"]) for worker in self._workers().values()]

    def as_completed(self, futures: Sequence[Future]) -> Iterator[Future]:
        """Yield futures as they finish or fail."""
        from distributed import CancelledError

        done: SimpleQueue[Future] = SimpleQueue()
        for future in futures:
            future.add_done_callback(done.put)
        for _ in futures:
            future = self._next(done)
            if future.cancelled():
                raise CancelledError("the tasks are lost")
            yield future

    def result(self, future: Future) -> Any:
        """Return the result of a task, or raise its error."""
        answer: SimpleQueue[Any] = SimpleQueue()

        def fetch() -> None:
            try:
                answer.put(future.result())
            except BaseException as error:
                answer.put(_Failure(error))

        threading.Thread(target=fetch, daemon=True).start()  # it may wait forever
        result = self._next(answer)
        if isinstance(result, _Failure):
            raise result.error
        if isinstance(result, _WorkerError):
            raise result.as_error(names_worker=self.scheduler is not None)
        return result

    def _next(self, queue: SimpleQueue[Result]) -> Result:
        """Return the next item; raise if all workers are gone, and say so soon if none of them gives a sign of life."""
        last_seen = last_sign = time.monotonic()
        sign, is_said = 0.0, False
        while time.monotonic() - last_seen < WAIT_SECONDS:
            with suppress(Empty):
                return queue.get(timeout=LOOK_SECONDS)
            workers, now = self._workers(), time.monotonic()
            newest = max((float(worker.get("last_seen", 0)) for worker in workers.values()), default=sign)
            if newest != sign:  # compared with each other only: other machines have other clocks
                sign, last_sign, is_said = newest, now, False
            if workers:
                last_seen = now
            if now - last_sign > QUIET_SECONDS and not is_said:
                log.warning("no worker of %s has answered for %d seconds; waiting for them.", self._name, QUIET_SECONDS)
                is_said = True
        raise EngineError(f"all workers of {self._name} are gone; start some, then run the same command: it resumes.")


@dataclass(frozen=True)
class _Failure:
    """An error that a task raised."""

    error: BaseException


class _Pass:
    """A pass over text on the cluster, group by group."""

    def __init__(self, engine: DaskEngine, work: Work[Any], ledger: Ledger, report: TextCallback | None) -> None:
        import dask

        self.engine, self.client, self.ledger = engine, engine.client, ledger
        self.report = report or (lambda _n_bytes, _n_tokens: None)
        self.n_splits = work.n_splits(engine.memory // engine.n_workers, engine.n_adders)
        # As a task and not as scattered data, so that it can be computed again if all workers that hold it die.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
            self.work = self.client.submit(_identity, work, pure=False)
        self.submitted: deque[tuple[list[Batch], list[Future]]] = deque()
        self.kept: list[Any] = []
        self.failures: list[BaseException] = []
        self.n_groups = 0

    def submit_group(self, group: list[Batch]) -> None:
        """Submit a group to the workers; if too many are pending, finish the oldest."""
        futures = [
            self.client.submit(_work, self.work, batch, self.n_splits, _version(), pure=False, priority=-self.n_groups)
            for batch in group
        ]
        self.n_groups += 1
        self.submitted.append((group, futures))
        if len(self.submitted) > GROUPS_AHEAD + 1:
            self._finish_group()

    def finish(self) -> list[Any]:
        while self.submitted:
            self._finish_group()
        if self.failures:
            raise self._failure()
        return self.kept

    def _finish_group(self) -> None:
        """Wait for the batches of the oldest group, add their pieces on the workers, and store the sums."""
        group, futures = self.submitted.popleft()
        summaries = {self.client.submit(_summary, future, pure=False): number for number, future in enumerate(futures)}
        done: list[int] = []
        for summary in self.engine.as_completed(list(summaries)):
            if self._succeeded(summary):
                done.append(summaries[summary])
        if done:
            done.sort()
            sums = self._add([futures[number] for number in done])
            del futures, summaries, summary  # lets workers free the pieces as soon as they are added
            shards = [shard for number in done for shard in group[number]]
            self.kept += self.ledger.enter(shards, [self.ledger.put(self._fetch(each)) for each in sums])

    def _succeeded(self, summary: Future) -> bool:
        try:
            self.report(*self.engine.result(summary))
        except _batch_errors() as error:
            self.failures.append(error)  # the other batches go on
            return False
        return True

    def _add(self, futures: list[Future]) -> list[Future]:
        """Submit the sum of each part over all batches."""
        columns = [
            [self.client.submit(_piece, future, number, pure=False) for future in futures]
            for number in range(self.n_splits)
        ]
        return [self._add_in_tree(column) for column in columns]

    def _add_in_tree(self, level: list[Future]) -> Future:
        while len(level) > 1:
            level = [
                self.client.submit(_add, self.work, level[start : start + FAN_IN], pure=False)
                for start in range(0, len(level), FAN_IN)
            ]
        return level[0]

    def _fetch(self, future: Future) -> Any:
        piece = self.engine.result(future)
        future.release()
        return piece

    def _failure(self) -> WordatomsError:
        first, *others = self.failures
        if not isinstance(first, WordatomsError):
            return EngineError(_describe_death(first))
        if not isinstance(first, InputError):
            return first
        more = f" ({len(others)} more batches of text cannot be read either)" if others else ""
        return InputError(f"{str(first).rstrip('.')}{more}, then run the same command: everything else is done.")


def _describe_death(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        what = "a worker ran out of memory"
    else:
        what = f"workers died repeatedly in the same task ({type(error).__name__})"
    advice = "give the workers more memory or pass a smaller --memory, then run the same command"
    return f"{what}; {advice}: it resumes."


# --- The cluster


def _connect(address: str) -> Client:
    from distributed import Client
    from distributed.comm.addressing import resolve_address

    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # for good: it also logs after closing
    try:
        resolve_address(address)  # an invalid one would leave a half-open client
        with _quiet_logs():
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, direct_to_workers=True)
    except (TimeoutError, OSError, ValueError, TypeError) as error:
        raise EngineError(
            f"there is no Dask scheduler at {address} ({_first_line(error)}); start one (dask scheduler) or correct "
            "the address (such as tcp://host:8786)."
        ) from error
    try:
        _check_workers(client, address)
    except BaseException:
        client.close(timeout=2)
        raise
    return client


def _check_workers(client: Client, address: str) -> None:
    """Raise unless each worker has this version of wordatoms."""
    from wordatoms import __version__

    try:
        client.wait_for_workers(1, timeout=WAIT_SECONDS)
    except TimeoutError as error:
        raise EngineError(
            f"no worker joined the scheduler at {address} within {WAIT_SECONDS} s; start some: dask worker {address}"
        ) from error
    with _quiet_logs():
        versions = client.run(_version, on_error="return")
    for worker, version in versions.items():
        if version != __version__:
            has = f"has wordatoms {version}" if isinstance(version, str) else "cannot import wordatoms"
            raise EngineError(f"the worker at {worker} {has}; install wordatoms {__version__} there.")


def _version() -> str:
    from wordatoms import __version__

    return __version__


def _start_cluster(n_threads: int) -> Client:
    """Start one worker process, reachable only from this machine; its threads share data that processes would copy."""
    import dask
    from distributed import Client, LocalCluster

    # Otherwise freed memory is returned to the system at once and requested again for each block of text.
    keeps_memory = {"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}
    with _quiet_logs(), dask.config.set(keeps_memory):
        cluster = LocalCluster(
            host="127.0.0.1",
            n_workers=0,
            threads_per_worker=n_threads,
            memory_limit=0,  # passes limit their own memory, and Dask would count memory maps
            dashboard_address="127.0.0.1:0",  # Dask always opens a port for it
            silence_logs=logging.CRITICAL,
        )
        try:
            client = Client(cluster, set_as_default=False, direct_to_workers=True)
            with _ignore_interrupts_in_child():
                cluster.scale(1)
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except BaseException:
            cluster.close(timeout=2)
            raise
        return client


@contextmanager
def _ignore_interrupts_in_child() -> Iterator[None]:
    """Make a process that is started in the block ignore Ctrl-C, which this process handles.

    A signal that is ignored when a process starts stays ignored there. (Blocking it would be better, but
    `multiprocessing` unblocks it before each start.)
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    n_before, ends = len(multiprocessing.active_children()), time.monotonic() + START_SECONDS
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
        while len(multiprocessing.active_children()) <= n_before and time.monotonic() < ends:
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Silence the log messages of Dask about lost connections, which are reported as errors."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)


@contextmanager
def _cluster_errors(name: str) -> Iterator[None]:
    """Turn the loss of the scheduler or of its tasks into an `EngineError`."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        with _quiet_logs():
            yield
    except KilledWorker as error:
        raise EngineError(_describe_death(error)) from error
    except (CancelledError, CommClosedError, TimeoutError, asyncio.CancelledError) as error:
        raise EngineError(
            f"{name} is gone ({_first_line(error)}); restart it, then run the same command: it resumes."
        ) from error


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__


def _batch_errors() -> tuple[type[Exception], ...]:
    """Errors that may affect one batch only."""
    from distributed import KilledWorker

    return (WordatomsError, MemoryError, KilledWorker)


# --- What runs on the workers


class _WorkerError:
    """An error about a text, returned as a result because Dask logs every failure with its traceback."""

    def __init__(self, error: WordatomsError) -> None:
        from distributed import get_worker

        self.error, self.worker = error, str(get_worker().address)

    def as_error(self, *, names_worker: bool) -> WordatomsError:
        return type(self.error)(f"on the worker at {self.worker}, {self.error}") if names_worker else self.error


def _run(function: Callable[[Any], Any], item: Any) -> Any:
    try:
        return function(item)
    except (InputError, MissingExtraError) as error:
        return _WorkerError(error)


def _identity(work: Work[Any]) -> Work[Any]:
    return work


def _work(work: Work[Piece], batch: Batch, n_splits: int, version: str) -> Any:
    """Return the pieces of a batch, split into `n_splits`, with the number of bytes and tokens read."""
    if _version() != version:  # a worker that joined later
        return _WorkerError(EngineError(f"wordatoms is {_version()}; install wordatoms {version} there."))
    n_bytes = n_tokens = 0

    def report(more_bytes: int, more_tokens: int) -> None:
        nonlocal n_bytes, n_tokens
        n_bytes, n_tokens = n_bytes + more_bytes, n_tokens + more_tokens

    try:
        pieces = work(batch, report, None)
    except (InputError, MissingExtraError) as error:
        return _WorkerError(error)
    whole = pieces[0] if len(pieces) == 1 else work.add(pieces)
    return work.split(whole, n_splits), n_bytes, n_tokens


def _summary(result: Any) -> Any:
    return result if isinstance(result, _WorkerError) else result[1:]


def _piece(result: Any, number: int) -> Any:
    return result if isinstance(result, _WorkerError) else result[0][number]


def _add(work: Work[Any], pieces: list[Any]) -> Any:
    """Add pieces, or return an error if a text cannot be read again after a worker died."""
    errors = [piece for piece in pieces if isinstance(piece, _WorkerError)]
    if errors or len(pieces) == 1:
        return [*errors, *pieces][0]
    return work.add(pieces)

"""Threads for compiled kernels: apply a function to items in parallel, with results in the order of the items."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from wordatoms.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Raised in a worker whose result is no longer needed."""


def resolve_threads(threads: int | None) -> int:
    """Return the number of threads to use; None means all cores that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise InputError(f"threads is {threads}; pass 1 or more.")
    return threads


def run_threads(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    threads: int,
    *,
    stop: threading.Event | None = None,
) -> list[Result]:
    """Return `[function(item) for item in items]`, computed on `threads` threads.

    If a call fails, or on Ctrl-C, `stop` is set, so that functions that check it can end early; no thread outlives the
    call.
    """
    from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait  # slow to load, and a query needs none

    stop = stop or threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in filter(done.__contains__, futures):
                future.result()  # raise a failure before waiting for earlier items
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def one_blas_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread, so that matrix products give the same bytes on any machine."""
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> Any:
    """Return the controller, created once because searching for libraries is slower than a small product."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

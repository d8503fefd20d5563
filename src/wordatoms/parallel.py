"""Threads for compiled kernels: run a function over items side by side, results in the order of the items."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

from wordatoms.errors import InputError

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """Raised inside a worker whose result nobody waits for any more."""


def resolve_threads(threads: int | None) -> int:
    """The number of threads to use: as asked, or all cores this process may run on."""
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
    """`[function(item) for item in items]`, on `threads` threads.

    When one fails, or on Ctrl-C, `stop` is set, so that functions which look at it can end early; none outlives
    the call.
    """
    stop = stop or threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(function, item) for item in items]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in filter(done.__contains__, futures):
                future.result()  # the failure first, before waiting for items that stand before it
            return [future.result() for future in futures]
        except BaseException:
            stop.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def one_blas_thread() -> AbstractContextManager[object]:
    """numpy's matrix products inside have the same bytes on any number of threads."""
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@cache
def _blas() -> Any:
    """Found once, numpy's being there from the start: looking for libraries takes longer than a small product."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

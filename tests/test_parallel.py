"""Threads: results in order, and a failure that nobody has to wait for."""

from __future__ import annotations

import threading
from time import monotonic

import pytest

from wordatoms.errors import InputError
from wordatoms.parallel import Stopped, resolve_threads, run_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert run_threads(lambda number: number**2, range(20), threads) == [number**2 for number in range(20)]


def test_failure_stops_the_items_before_it() -> None:
    stop = threading.Event()

    def work(item: int) -> None:
        if item == 1:
            raise RuntimeError("item 1")
        if stop.wait(20):
            raise Stopped

    started = monotonic()
    with pytest.raises(RuntimeError, match="item 1"):
        run_threads(work, range(2), 2, stop=stop)
    assert monotonic() - started < 10


def test_no_threads_are_refused() -> None:
    assert resolve_threads(3) == 3
    assert resolve_threads(None) >= 1
    with pytest.raises(InputError, match="threads is 0"):
        resolve_threads(0)

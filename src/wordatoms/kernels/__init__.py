"""Compiled loops and nothing else: arrays in, arrays out; callers do all checks.

Every kernel is serial and releases the GIL, so that callers can run several on their own threads. Numba's parallel
loops are not used: entered from two threads at once, they can abort the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np


def _decorator(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    common = {"nogil": True, "error_model": "numpy", "boundscheck": False, **options}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(cache=True, **common)(function)
        except RuntimeError:  # no writable cache folder: compile in each process
            return numba.njit(**common)(function)

    return decorate


jit = _decorator()
"""For exact kernels: integers, or floats whose order of operations must be kept."""

jit_fastmath = _decorator(fastmath={"reassoc", "contract", "nsz"})
"""For sums of floats that the compiler may reorder to vectorise them. NaN and infinity are still handled exactly."""


@jit
def mix_bits(value):
    """A 64-bit hash in which every bit depends on all bits of the value (the finaliser of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))

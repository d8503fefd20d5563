"""Compiled loops and nothing else: arrays in, arrays out; the callers do all checks.

Every kernel is serial and releases the GIL, so that the caller may run several on threads of its own;
numba's own parallel loops are not used, because entered from two threads they can abort the process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def _decorator(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    common = {"nogil": True, "error_model": "numpy", "boundscheck": False, **options}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return numba.njit(cache=True, **common)(function)
        except RuntimeError:  # no folder can be written to: compile anew in each process
            return numba.njit(**common)(function)

    return decorate


jit = _decorator()
"""The one decorator of exact kernels (integers, or floats whose order of operations is kept)."""

jit_fastmath = _decorator(fastmath={"reassoc", "contract", "nsz"})
"""For loops over floats that the compiler may vectorise; NaN and infinity stay what they are."""

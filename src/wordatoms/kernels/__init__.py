"""Compiled loops and nothing else: arrays in, arrays out; the callers do all checks.

Every kernel is serial and releases the GIL, so that the caller may run several on threads of its own;
numba's own parallel loops are not used, because entered from two threads they can abort the process.
"""

from __future__ import annotations

import numba

jit = numba.njit(nogil=True, cache=True, error_model="numpy", boundscheck=False)
"""The one decorator of exact kernels (integers, or floats whose order of operations is kept)."""

jit_fastmath = numba.njit(
    nogil=True, cache=True, error_model="numpy", boundscheck=False, fastmath={"reassoc", "contract", "nsz"}
)
"""For loops over floats that the compiler may vectorise; NaN and infinity stay what they are."""

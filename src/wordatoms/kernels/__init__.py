"""Compiled loops and nothing else: arrays in, arrays out; callers do all checks.

Every kernel is serial and releases the GIL, so that callers can run several on their own threads. Numba's parallel
loops are not used: entered from two threads at once, they can abort the process.

Compiled code is kept in numba's cache on disk. Whatever is wrong there (damaged files, a full disk, no permission), the
code is compiled in this process instead.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
import numpy as np
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.cpu import CPUTargetOptions
from numba.core.serialize import dumps


class _CheckedCode(CompileResultCacheImpl):
    """Compiled code with its checksum: numba would run damaged machine code."""

    def reduce(self, compiled):
        content = dumps(super().reduce(compiled))
        return hashlib.sha256(content).digest(), content

    def rebuild(self, target_context, stored):
        digest, content = stored
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("checksum mismatch")
        return super().rebuild(target_context, pickle.loads(content))


class _Cache(FunctionCache):
    """Numba's cache, except that a failure means that nothing is cached, not that the program stops."""

    _impl_class = _CheckedCode

    def load_overload(self, *arguments):
        try:
            return super().load_overload(*arguments)
        except Exception:
            with suppress(Exception):
                self.flush()  # so that the next process finds an empty index, and not a damaged one
            return None

    def save_overload(self, *arguments):
        with suppress(Exception):
            super().save_overload(*arguments)


def _decorator(**options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    common = {"nogil": True, "error_model": "numpy", "boundscheck": False, **options}

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = numba.njit(**common)(function)
        with suppress(RuntimeError, OSError):  # no writable cache folder: compile in each process
            compiled._cache = _Cache(function)  # what cache=True does, with numba's class
        return compiled

    return decorate


jit = _decorator()
"""For exact kernels: integers, or floats whose order of operations must be kept."""

_UNCOUNTED: dict[str, Any] = {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
"""Numba's option is not a public one: releases 0.60 and 0.68 have it; without it kernels are slower, no more."""

jit_views = _decorator(**_UNCOUNTED)
"""For kernels that take views of their arguments, and neither make nor return an array. Numba would count references to
the arrays at each view, by atomic operations on numbers that all threads share: more work than that of many kernels."""

jit_part = _decorator(**_UNCOUNTED, no_cpython_wrapper=True)
"""For a part of such kernels, which Python does not call: what would unpack its arguments is not compiled."""

jit_fastmath = _decorator(fastmath={"reassoc", "contract", "nsz"})
"""For sums of floats that the compiler may reorder to vectorise them. NaN and infinity are still handled exactly."""


@jit
def mix_bits(value):
    """A 64-bit hash in which every bit depends on all bits of the value (the finaliser of splitmix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))

"""Hints to the processor: rows that will be needed soon are loaded while it computes. They change no result."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from wordatoms.kernels import jit_part

LINE = 64
"""Bytes of a cache line."""
LONGEST = 4096
"""Bytes that are loaded ahead; the processor notices by itself that a row is read on."""


@intrinsic
def prefetch_line(_context, _address):
    """Begin to load the cache line at an address. A wrong address is harmless."""

    def generate(_target, builder, _signature, arguments):
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), (byte, number, number, number))
        load = builder.module.declare_intrinsic("llvm.prefetch", (byte,), kind)
        to_read, keep, data = number(0), number(3), number(1)
        builder.call(load, (builder.inttoptr(arguments[0], byte), to_read, keep, data))

    return types.void(types.intp), generate


@jit_part
def prefetch_row(matrix, row):
    """Begin to load a row of a matrix whose rows are contiguous, or the beginning of a long one."""
    start, length = matrix.ctypes.data + row * matrix.strides[0], matrix.shape[1] * matrix.itemsize
    for offset in range(0, min(length, LONGEST), LINE):
        prefetch_line(start + offset)

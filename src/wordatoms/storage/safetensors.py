"""Arrays in the safetensors format: the length of a header in 8 bytes, a header in JSON, then the numbers.

The header gives type, shape and place of each array, and a table of remarks. Files may come from strangers: a reader
takes nothing from the header that the size of the file does not bear out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError
from wordatoms.storage.files import write_atomic
from wordatoms.storage.untrusted import refuse_endless

TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
    "BOOL": "|b1",
}
BFLOAT16 = np.dtype("V2")
"""The upper halves of float32 numbers, as two bytes each: numpy has no such type, and `from_bfloat16` converts them."""
_READ = {**TYPES, "BF16": BFLOAT16.str}
REMARKS = "__metadata__"
LARGEST_HEADER = 1 << 24
ALIGNMENT = 8


def write_safetensors(path: Path, arrays: Mapping[str, NDArray[Any]], remarks: Mapping[str, str]) -> None:
    """Write arrays into one file, completely or not at all."""
    with write_atomic(path) as file:
        write_tensors(file, arrays, remarks)


def write_tensors(file: IO[bytes], arrays: Mapping[str, NDArray[Any]], remarks: Mapping[str, str]) -> None:
    """Write arrays into an open file, those with the largest numbers first, so that every array is aligned."""
    names = {np.dtype(kind): name for name, kind in TYPES.items()}
    ordered = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {REMARKS: dict(remarks)} if remarks else {}
    end = 0
    for name in ordered:
        array = arrays[name]
        if array.dtype not in names:
            raise InputError(f"{name} contains {array.dtype}, which safetensors cannot hold.")
        start, end = end, end + array.nbytes
        header[name] = {"dtype": names[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % ALIGNMENT)
    file.write(len(head).to_bytes(8, "little") + head)
    for name in ordered:
        file.write(np.ascontiguousarray(arrays[name]).reshape(-1).view(np.uint8).data)


def is_safetensors(head: bytes) -> bool:
    """Whether the first nine bytes of a file are those of this format."""
    return len(head) >= 9 and int.from_bytes(head[:8], "little") <= LARGEST_HEADER and head[8:9] == b"{"


def map_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Memory-map the arrays of a file, read-only.

    Raises `ValueError` with the reason, and `OSError` if the file cannot be read, as in `wordatoms.storage.untrusted`.
    """
    refuse_endless(path)
    n_bytes = path.stat().st_size
    with path.open("rb") as file:
        n_head = int.from_bytes(file.read(8), "little")
        if n_bytes < 8 or n_head > min(n_bytes - 8, LARGEST_HEADER):
            raise ValueError(f"it announces a header of {n_head:,} bytes in a file of {n_bytes:,}")
        header = _parse_header(file.read(n_head))
    places = sorted((_place(name, entry) for name, entry in header.items()), key=lambda place: place[3:])
    end = 0
    for name, _, _, start, stop in places:
        if start != end:
            raise ValueError(f"{name!r} does not begin where the array before it ends")
        end = stop
    if end != n_bytes - 8 - n_head:
        raise ValueError(f"its arrays have {end:,} bytes, the file has {n_bytes - 8 - n_head:,}")
    if not end:
        return {name: np.zeros(shape, kind) for name, kind, shape, _, _ in places}
    content = np.memmap(path, np.uint8, mode="r", offset=8 + n_head).view(np.ndarray)
    return {name: _cut(name, content[start:stop], kind, shape) for name, kind, shape, start, stop in places}


def from_bfloat16(array: NDArray[Any]) -> NDArray[np.float32]:
    """Convert an array of bfloat16 to float32."""
    halves = np.ascontiguousarray(array).view("<u2").astype("<u4")
    return (halves << 16).view("<f4").reshape(array.shape)


def _parse_header(content: bytes) -> dict[str, Any]:
    try:
        header = json.loads(content)
    except RecursionError:
        raise ValueError("its header is nested too deeply") from None
    if not isinstance(header, dict):
        raise ValueError("its header is no table of arrays")
    header.pop(REMARKS, None)
    return header


def _place(name: str, entry: Any) -> tuple[str, str, tuple[int, ...], int, int]:
    """Return name, type, shape, start and end of an array, as the header gives them."""
    try:
        kind, shape, (start, stop) = _READ[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        sizes = (*shape, start, stop)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"its header does not give type, shape and place of {name[:60]!r} as numbers") from None
    if not all(type(size) is int and size >= 0 for size in sizes) or len(shape) > 8:
        raise ValueError(f"its header does not give type, shape and place of {name[:60]!r} as numbers")
    if stop - start != math.prod(shape) * np.dtype(kind).itemsize:
        raise ValueError(f"{name[:60]!r} of shape {shape} does not fill the bytes {start:,} to {stop:,}")
    return name, kind, shape, start, stop


def _cut(name: str, content: NDArray[np.uint8], kind: str, shape: tuple[int, ...]) -> NDArray[Any]:
    if kind == TYPES["BOOL"] and content.max(initial=0) > 1:
        raise ValueError(f"{name[:60]!r} has truth values other than 0 and 1")
    return content.view(kind).reshape(shape)

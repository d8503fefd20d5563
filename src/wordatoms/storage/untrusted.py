"""Files that somebody else may have made: whole, as JSON, or as an array that stays on disk.

A model, like any other folder, may come from a stranger. Whatever is wrong with a file here ends in an `OSError` (it
cannot be read) or a `ValueError` (it is not what it should be), with a reason and without the name of the file; memory
depends on how large the file is, not on what it says of itself. A pipe or a device, which may never end, is refused.

The paper says nothing of files. Left out: formats that are read piece by piece (`wordatoms.text.compression`,
`wordatoms.embeddings.byte_source`), and whether the content makes sense, which the reader of each file checks.
"""

from __future__ import annotations

import json
import math
import os
import stat
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import ModelError

LARGEST_JSON = 1 << 25
"""Bytes; parsed, a file takes at most some twenty times as much memory."""
LARGEST_WORDS = 1 << 30


def read_bytes(path: Path, limit: int) -> bytes:
    """All bytes of a file that has at most `limit`."""
    _refuse_endless(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise ValueError(f"it is larger than {limit:,} bytes")
        return file.read()


def read_json(path: Path, limit: int = LARGEST_JSON) -> Any:
    """What a JSON file holds; its numbers are finite."""
    content = read_bytes(path, limit)
    try:
        return json.loads(content, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("its lists lie too deep inside each other") from None


def open_array(path: Path) -> NDArray[Any]:
    """The array of numbers in an .npy file, memory-mapped and read-only."""
    _refuse_endless(path)
    try:
        with np.errstate(over="ignore"):  # of a shape that does not fit into 64 bits, and is refused for that
            array = np.lib.format.open_memmap(path, mode="r")
    except OSError:
        raise
    except Exception as error:  # numpy parses the header as Python, and so fails in as many ways
        raise ValueError(f"{type(error).__name__}: {_first_line(error)}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"it holds {str(array.dtype)[:60]}, not numbers")
    return array


def refuse_link(path: Path) -> None:
    """Raise if a path that is to be written is a link: in the folder of a stranger it may lead to any file of ours."""
    if path.is_symlink():
        raise ModelError(f"{path} is a link, which may lead out of its folder; put a file in its place or remove it.")


def refuse_links(folder: Path, *work: Path) -> None:
    """The same for everything in a folder, and below folders for work in progress."""
    for path in chain(folder.glob("*"), *(each.rglob("*") for each in work)):
        refuse_link(path)


def is_plain_zip(path: Path) -> bool:
    """Whether the files in an archive are as large as they look: none is packed, no two lie in one place."""
    with ZipFile(path) as file:
        parts = file.infolist()
    is_packed = any(part.compress_type != ZIP_STORED for part in parts)
    return not is_packed and sum(part.file_size for part in parts) <= path.stat().st_size


def _refuse_endless(path: Path) -> None:
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder is refused when it is opened
        raise ValueError("it is a pipe or a device, not a file")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no finite number")
    return number


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")[:200]

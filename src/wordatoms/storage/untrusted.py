"""Read files that may be damaged or malicious: bytes, JSON, and memory-mapped arrays.

Every problem is an `OSError` (the file cannot be read) or a `ValueError` (the content is wrong) that gives the reason
but not the name of the file. Memory depends on the size of the file, not on sizes that its content announces. Pipes and
devices, which may never end, are refused.

Streamed formats are read elsewhere (`wordatoms.text.compression`, `wordatoms.embeddings`), and the code that reads a
file checks that its content makes sense.
"""

from __future__ import annotations

import json
import math
import os
import stat
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from wordatoms.errors import ModelError

LARGEST_JSON = 1 << 25
"""Bytes; once parsed, a file takes up to about twenty times its size in memory."""
LARGEST_WORDS = 1 << 30


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a file of at most `limit` bytes."""
    refuse_endless(path)
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise ValueError(f"it is larger than {limit:,} bytes")
        return file.read()


def read_json(path: Path, limit: int = LARGEST_JSON) -> Any:
    """Read a JSON file; numbers must be finite."""
    content = read_bytes(path, limit)
    try:
        return json.loads(content, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("its lists are nested too deeply") from None


def open_array(path: Path) -> np.memmap[Any, Any]:
    """Memory-map the numeric array in an .npy file, read-only."""
    refuse_endless(path)
    try:
        with np.errstate(over="ignore"):  # a shape beyond 64 bits is refused anyway
            array = np.lib.format.open_memmap(path, mode="r")
    except OSError:
        raise
    except Exception as error:  # numpy parses the header as Python, which can fail in many ways
        reason = next(iter(str(error).splitlines()), "")[:200]
        raise ValueError(f"{type(error).__name__}: {reason}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"it contains {str(array.dtype)[:60]}, not numbers")
    return array


def refuse_link(path: Path) -> None:
    """Raise if a path to be written is a link: in an untrusted folder it may lead to any of the user's files."""
    if path.is_symlink():
        raise ModelError(f"{path} is a link, which may lead out of its folder; replace it by a file or remove it.")


def refuse_links(folder: Path, *work: Path) -> None:
    """Raise if there is a link in a folder, or anywhere below the folders for work in progress."""
    for path in chain(folder.glob("*"), *(each.rglob("*") for each in work)):
        refuse_link(path)


def is_plain_zip(path: Path) -> bool:
    """Whether the members of an archive are uncompressed and do not overlap, so that they are as large as they look."""
    from zipfile import ZIP_STORED, ZipFile  # only trainers read archives

    with ZipFile(path) as file:
        members = file.infolist()
    is_packed = any(member.compress_type != ZIP_STORED for member in members)
    return not is_packed and sum(member.file_size for member in members) <= path.stat().st_size


def refuse_endless(path: Path) -> None:
    """Raise if a path leads to a pipe or a device, which may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder is refused when it is opened
        raise ValueError("it is a pipe or a device, not a file")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is not a finite number")
    return number

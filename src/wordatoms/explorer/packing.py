"""Answers as bytes, compressed where that is worth it, and a memory of the last ones."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, NamedTuple

LARGE = 8 << 10
"""Answers of more bytes are compressed."""
LEVEL = 6
JSON = "application/json"


class Packed(NamedTuple):
    """What is sent."""

    body: bytes
    squeezed: bytes | None
    """The same compressed with gzip, if it is large."""
    kind: str
    tag: str
    """Changes with the content."""

    @property
    def n_bytes(self) -> int:
        return len(self.body) + len(self.squeezed or b"")


def pack(body: bytes, kind: str) -> Packed:
    squeezed = gzip.compress(body, LEVEL, mtime=0) if len(body) > LARGE else None
    return Packed(body, squeezed, kind, f'"{hashlib.sha256(body).hexdigest()[:20]}"')


def pack_json(answer: Any) -> Packed:
    return pack(to_json(answer), JSON)


def to_json(answer: Any) -> bytes:
    """Without spaces; half characters, which a request may hold, become question marks."""
    text = json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


class PackedCache:
    """The answers that were asked for last, up to so many bytes."""

    def __init__(self, most_bytes: int = 32 << 20) -> None:
        self._kept: OrderedDict[Hashable, Packed] = OrderedDict()
        self._most_bytes, self._n_bytes = most_bytes, 0

    def get(self, key: Hashable) -> Packed | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Hashable, packed: Packed) -> None:
        if (before := self._kept.pop(key, None)) is not None:
            self._n_bytes -= _size(key, before)
        self._kept[key] = packed
        self._n_bytes += _size(key, packed)
        while self._n_bytes > self._most_bytes:
            self._n_bytes -= _size(*self._kept.popitem(last=False))


def _size(key: Hashable, packed: Packed) -> int:
    """A question may be longer than its answer."""
    return packed.n_bytes + len(repr(key))

"""The bytes of a file from front to back, unpacked where the file is packed with gzip, bzip2, xz or zstd."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Protocol

import zstandard

from wordatoms.errors import VectorFileError

_CHUNK = 1 << 16
"""Bytes read from disk at a time."""
_BLOCK = 1 << 22
"""Bytes of lines handed out at a time; no line may be longer."""


class ByteSource:
    """Bytes to be looked at and taken, and how many were taken."""

    def __init__(self, path: Path, chunks: Iterator[bytes]) -> None:
        self.path = path
        self.offset = 0
        self._chunks = chunks
        self._buffer = b""
        self._position = 0

    def peek(self, n: int) -> bytes:
        """The next `n` bytes, fewer at the end of the file, without taking them."""
        self._fill(n)
        return self._buffer[self._position : self._position + n]

    def take(self, n: int) -> bytes:
        """The next `n` bytes, fewer at the end of the file."""
        taken = self.peek(n)
        self._position += len(taken)
        self.offset += len(taken)
        return taken

    def take_until(self, end: bytes, limit: int) -> bytes | None:
        """The bytes before the next `end`, which is taken too; None if `limit` bytes do not hold it."""
        self._fill(limit)
        found = self._buffer.find(end, self._position, self._position + limit)
        return None if found < 0 else self.take(found + 1 - self._position)[:-1]

    def take_lines(self) -> bytes:
        """About a block of whole lines; nothing at the end of the file."""
        block = self.peek(_BLOCK)
        n_whole = len(block) if len(block) < _BLOCK else block.rfind(b"\n") + 1
        if block and not n_whole:
            raise VectorFileError(
                f"{self.path}, byte {self.offset}: no line ends within {_BLOCK:,} bytes, so this is no text "
                "file of vectors; name its format if you know it."
            )
        return self.take(n_whole)

    def _fill(self, n: int) -> None:
        """Hold the next `n` bytes, if the file has as many."""
        n_held = len(self._buffer) - self._position
        parts = [self._buffer[self._position :]] if n_held < n else []
        while n_held < n and (chunk := next(self._chunks, None)) is not None:
            parts.append(chunk)
            n_held += len(chunk)
        if parts:
            self._buffer = b"".join(parts)
            self._position = 0


@contextmanager
def open_bytes(path: Path) -> Iterator[ByteSource]:
    """Open a file; all that can go wrong while reading it becomes one sentence."""
    try:
        with path.open("rb") as file:
            chunks = iter(lambda: file.read(_CHUNK), b"")
            first = next(chunks, b"")
            yield ByteSource(path, _unpack(chain([first], chunks), _unpacker_for(first)))
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise VectorFileError(f"{path} cannot be read: {reason}; check or get the file again.") from error


class _Unpacker(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...


def _unpacker_for(first: bytes) -> Callable[[], _Unpacker] | None:
    """What unpacks a file with these first bytes, None for a plain file."""
    if first.startswith(b"\x1f\x8b"):
        return lambda: zlib.decompressobj(wbits=31)
    if re.match(rb"BZh[1-9]1AY&SY", first):
        return bz2.BZ2Decompressor
    if first.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMADecompressor
    if first.startswith(b"\x28\xb5\x2f\xfd"):
        return lambda: zstandard.ZstdDecompressor().decompressobj()
    return None


def _unpack(chunks: Iterable[bytes], new_unpacker: Callable[[], _Unpacker] | None) -> Iterator[bytes]:
    """Plain chunks, or what one or several packed streams hold; a stream that breaks off is an error."""
    if new_unpacker is None:
        yield from chunks
        return
    unpacker = new_unpacker()
    for chunk in chunks:
        while chunk:
            if unpacker.eof:
                unpacker = new_unpacker()
            yield unpacker.decompress(chunk)
            chunk = unpacker.unused_data
    if not unpacker.eof:
        raise EOFError("its packed data ends too early")

"""The bytes of a file of vectors from front to back, unpacked where the file is packed with gzip, bzip2, xz or zstd.

The file may be a pipe. Left out: what the bytes mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wordatoms.errors import VectorFileError
from wordatoms.text.compression import CompressionError, inflate, recognise_compression

_MAGIC = 16
"""Bytes that show what a file is packed with."""
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
            stored = ByteSource(path, iter(lambda: file.read(_CHUNK), b""))
            compression = recognise_compression(stored.peek(_MAGIC))
            yield ByteSource(path, inflate(stored.take, compression)) if compression else stored
    except (OSError, CompressionError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise VectorFileError(f"{path} cannot be read: {reason}; check or get the file again.") from error

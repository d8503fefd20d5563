"""Shards: parts of a text that any thread, process or machine can read independently, in blocks of whole lines.

A line is a paragraph and ends only at a line feed. `read_blocks` yields the text of a shard, from a plain or compressed
file, as valid UTF-8. Memory depends neither on the length of the text or its lines nor on the decompressed size of a
file.

Left out: tokens (carriage returns are kept) and encodings other than UTF-8.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

from wordatoms.errors import InputError
from wordatoms.text.compression import CompressionError, TruncatedError, inflate
from wordatoms.text.files import file_errors, open_file, printable
from wordatoms.text.wikiextractor import LONGEST_TAG, blank_tags, ending_tag

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_PARAGRAPH_BYTES = 4 << 20
"""Maximum length of a paragraph; a longer line is split into several paragraphs."""
MIN_BLOCK_BYTES = 8
"""Enough for the longest character and a line feed, so that every split makes progress."""

_SEEK_BYTES = 1 << 16  # read at once when looking for the end of a line
_BLOCK_BYTES = 1 << 20  # read at once where lines allow; blocks larger than the cache are read at half the speed
_DECODE_BYTES = 1 << 14  # decoded at once, so that the characters stay in the cache
_WHITE_SPACE = (b" ", b"\t", b"\r", b"\v", b"\f")

OnRead = Callable[[int], None]
"""Called with the number of bytes on disk read since the last call."""


@dataclass(frozen=True)
class Shard:
    """A part of a text that any worker can read independently."""

    path: str
    compression: str = ""
    """"", "gzip", "bzip2", "xz" or "zstd"."""
    start: int = 0
    """In a plain file, the lines that begin in [start, stop) are read; compressed files are read whole."""
    stop: int | None = None
    """For a compressed file, its size."""
    replace_invalid: bool = False
    """Replace invalid UTF-8 by U+FFFD instead of failing."""
    origin: str = ""
    """The name of the text in error messages, if not the path."""
    sha256: str = ""
    """Checksum of the whole file, if known."""
    is_extracted: bool = False
    """Articles of WikiExtractor, whose tags and repeated titles are no text."""

    @property
    def n_bytes(self) -> int:
        """Bytes on disk."""
        if self.stop is not None:
            return self.stop - self.start
        with file_errors(self.name), open_file(self.path) as file:
            return file.seek(0, os.SEEK_END) - self.start

    @property
    def name(self) -> str:
        """The name of the text in error messages."""
        return self.origin or printable(self.path)

    def cut(self, shard_bytes: int) -> list[Shard]:
        """Split a whole plain text into shards of equal size; a compressed one is returned as it is."""
        if self.compression:
            return [self]
        size = self.n_bytes
        starts = range(0, size, shard_bytes)
        return [replace(self, start=start, stop=min(start + shard_bytes, size)) for start in starts]


def read_blocks(
    shard: Shard, *, block_bytes: int = MAX_PARAGRAPH_BYTES, on_read: OnRead | None = None
) -> Generator[bytes, None, None]:
    """Yield the text of a shard in blocks of whole lines, at most `block_bytes` each, valid UTF-8 without NUL.

    Every line ends in a line feed, including the last. A line longer than a block is split at the last ASCII white
    space that fits, counted from the start of the line (at a character if there is none), and each piece ends in a line
    feed; the splits depend on the line alone, not on the shards. A byte-order mark at the start of a file is dropped.
    `on_read` is called with the bytes on disk read since the last call; they add up to `shard.n_bytes`.
    """
    return (block for _, block in placed_blocks(shard, block_bytes=block_bytes, on_read=on_read))


def placed_blocks(
    shard: Shard, *, block_bytes: int = MAX_PARAGRAPH_BYTES, on_read: OnRead | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield the blocks of a shard like `read_blocks`, each with its position in the text of the whole file."""
    if block_bytes < MIN_BLOCK_BYTES:
        raise InputError(f"block_bytes is {block_bytes}; pass {MIN_BLOCK_BYTES} or more.")
    return _checked_blocks(shard, block_bytes, ReadProgress(shard.n_bytes, on_read))


# --- The bytes of the text, from plain and compressed files


class TextStream(io.RawIOBase):
    """The text of a shard as a stream of bytes."""

    begin = 0
    """Position of the stream in the text of the whole file."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        self._file = file
        self._shard = shard

    def readable(self) -> bool:
        return True

    def n_disk_bytes(self) -> int:
        """Number of bytes of the shard read from disk so far."""
        return self._file.tell() - self._shard.start

    def text_before(self, n_bytes: int) -> bytes:  # noqa: ARG002
        """Return the last bytes of the text before the stream; it stays at its beginning."""
        return b""

    def close(self) -> None:
        self._file.close()
        super().close()


def open_text(shard: Shard) -> TextStream:
    """Open the text of a shard, unchecked; the caller closes it."""
    with file_errors(shard.name):
        file = open_file(shard.path)
        try:
            return _InflatedText(file, shard) if shard.compression else _PlainText(file, shard)
        except BaseException:
            file.close()
            raise


def read_head(shard: Shard, n_bytes: int) -> bytes:
    """Read the first bytes of a shard's text, unchecked."""
    buffer = bytearray(n_bytes)
    with closing(open_text(shard)) as text:
        return bytes(buffer[: _fill(text, memoryview(buffer))])


def _fill(stream: io.RawIOBase | io.BytesIO, view: memoryview) -> int:
    """Read until the view is full or the stream ends; return the number of bytes read."""
    n_bytes = 0
    while n_bytes < len(view) and (n_more := stream.readinto(view[n_bytes:])):
        n_bytes += n_more
    return n_bytes


class _PlainText(TextStream):
    """The lines of a plain file that begin in a shard."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        super().__init__(file, shard)
        self.begin, self._end = _line_range(file, shard)
        file.seek(self.begin)

    def text_before(self, n_bytes: int) -> bytes:
        n_bytes = min(n_bytes, self.begin)
        with file_errors(self._shard.name):
            self._file.seek(self.begin - n_bytes)
            before = self._file.read(n_bytes)
            self._file.seek(self.begin)
        return before

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        target = memoryview(buffer)[: self._end - self._file.tell()]
        with file_errors(self._shard.name):
            n_read = self._file.readinto(target)
        if len(target) and not n_read:
            raise InputError(f"{self._shard.name} shrank while it was read; start again.")
        return n_read


def _line_range(file: IO[bytes], shard: Shard) -> tuple[int, int]:
    """Find where the first line that begins in a shard starts, and where the last one ends."""
    size = file.seek(0, os.SEEK_END)
    stop = size if shard.stop is None else shard.stop
    if stop > size:
        raise InputError(f"{shard.name} shrank below {stop:,} bytes, to {size:,}; start again.")
    begin = _line_start(file, shard.start, stop)
    # Look for the end only if a line begins here; otherwise all shards inside one huge line would read to its end.
    return begin, _line_start(file, stop, size) if begin < stop else begin


def _line_start(file: IO[bytes], position: int, limit: int) -> int:
    """Find the first start of a line at or after `position`, or `limit` if there is none before it."""
    if position == 0:
        return 0
    n_before = position - 1
    file.seek(n_before)
    while n_before < limit and (chunk := file.read(_SEEK_BYTES)):
        if (newline := chunk.find(b"\n")) >= 0:
            return min(n_before + newline + 1, limit)
        n_before += len(chunk)
    return limit


class _InflatedText(TextStream):
    """The text inside a compressed file."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        super().__init__(file, shard)
        self._stream = ChunkStream(_inflated_chunks(file, shard))

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        return self._stream.readinto(buffer)


class ChunkStream(io.RawIOBase):
    """Chunks of bytes as a stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._chunk = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._chunk:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._chunk = memoryview(chunk)
        target = memoryview(buffer)
        n_bytes = min(len(target), len(self._chunk))
        target[:n_bytes] = self._chunk[:n_bytes]
        self._chunk = self._chunk[n_bytes:]
        return n_bytes


def _inflated_chunks(file: IO[bytes], shard: Shard) -> Iterator[bytes]:
    name, compression = shard.name, shard.compression
    try:
        with file_errors(name):
            yield from inflate(file.read, compression)
    except TruncatedError as error:
        raise InputError(f"{name} ends in the middle of its {compression} data; copy or download it again.") from error
    except CompressionError as error:
        raise InputError(
            f"{name} is damaged: its {compression} data cannot be read ({error}); copy or download it again."
        ) from error


# --- Blocks of whole lines


class ReadProgress:
    """Reports to a callback how many bytes on disk were read, never more than there are."""

    def __init__(self, n_bytes: int, on_read: OnRead | None) -> None:
        self.n_bytes = n_bytes
        self._on_read = on_read
        self._n_reported = 0

    def reach(self, position: int) -> None:
        """Report that reading has come to this position."""
        n_new = min(position, self.n_bytes) - self._n_reported
        if n_new > 0 and self._on_read is not None:
            self._n_reported += n_new
            self._on_read(n_new)


def _checked_blocks(shard: Shard, block_bytes: int, progress: ReadProgress) -> Iterator[tuple[int, bytes]]:
    with closing(open_text(shard)) as text:
        position = text.begin
        tag = ending_tag(text.text_before(LONGEST_TAG)) if shard.is_extracted else b""
        for block, n_used in _cut_blocks(text, block_bytes):
            valid = _check(block, position, shard)
            if shard.is_extracted:
                tag, valid = ending_tag(valid), blank_tags(tag + valid)[len(tag) :]
            progress.reach(text.n_disk_bytes())
            if len(valid) <= block_bytes:
                yield position, valid
            else:  # replacements are longer than the bytes they replace
                yield from ((position, piece) for piece, _ in _cut_blocks(io.BytesIO(valid), block_bytes))
            position += n_used
    progress.reach(progress.n_bytes)


def _cut_blocks(text: io.RawIOBase | io.BytesIO, limit: int) -> Iterator[tuple[bytes, int]]:
    """Yield blocks of whole lines of at most `limit` bytes, each with the number of bytes of text it stands for.

    The buffer starts with the beginning of a line, or of the next piece of a line, whose end has not been read yet.
    """
    buffer = bytearray(limit)
    view = memoryview(buffer)
    n_held = 0
    while n_new := _fill(text, view[n_held : n_held + _BLOCK_BYTES]):
        n_full = n_held + n_new
        n_used = buffer.rfind(b"\n", n_held, n_full) + 1
        end = b""
        if not n_used and n_full == limit:
            n_used, end = _cut_line(buffer)
        if n_used:
            yield bytes(view[:n_used]) + end, n_used
        n_held = n_full - n_used
        view[:n_held] = view[n_used:n_full]
    if n_held:
        yield bytes(view[:n_held]) + b"\n", n_held


def cut_paragraph(line: bytes) -> Iterator[bytes]:
    """Yield the pieces in which `read_blocks` reads a line, each with its line feed."""
    if len(line) < MAX_PARAGRAPH_BYTES:
        yield line + b"\n"
    else:
        yield from (piece for piece, _ in _cut_blocks(io.BytesIO(line), MAX_PARAGRAPH_BYTES))


def _cut_line(buffer: bytearray) -> tuple[int, bytes]:
    """Find where to split a line that fills the buffer, and what to append to the piece before the split."""
    last = -1
    for mark in _WHITE_SPACE:
        last = max(last, buffer.rfind(mark, last + 1))
    if last >= 0:
        buffer[last] = ord("\n")
        return last + 1, b""
    end = len(buffer) - 1
    while end > len(buffer) - 4 and buffer[end] & 0b1100_0000 == 0b1000_0000:  # inside a character
        end -= 1
    return end, b"\n"


def _check(block: bytes, position: int, shard: Shard) -> bytes:
    """Return a block at some position of the text as valid UTF-8 without a byte-order mark."""
    if (nul := block.find(b"\0")) >= 0:
        raise InputError(
            f"{shard.name} is not plain text: it contains a NUL byte at byte {position + nul:,}; "
            "pass plain text in UTF-8."
        )
    if (invalid := _find_invalid(block)) >= 0:
        if not shard.replace_invalid:
            raise InputError(
                f"{shard.name} is not valid UTF-8: byte {position + invalid:,} is 0x{block[invalid]:02x}; convert the "
                "file (iconv -t UTF-8) or pass --replace-invalid (in Python replace_invalid=True) to replace it."
            )
        block = block.decode("utf-8", "replace").encode()
    return block.removeprefix(codecs.BOM_UTF8) if position == 0 else block


def _find_invalid(block: bytes) -> int:
    """Find the first invalid UTF-8 in a block that ends in a line feed, or return -1."""
    view = memoryview(block)
    position = 0
    while position < len(block):
        try:
            position += codecs.utf_8_decode(view[position : position + _DECODE_BYTES], "strict", False)[1]
        except UnicodeDecodeError as error:
            return position + error.start
    return -1

"""Decompress gzip, bzip2, xz and zstd data, recognised by its first bytes, in pieces of bounded size.

A file may consist of several members one after the other; together they are one text. Truncated or damaged data always
raises a `CompressionError`; the reader, which knows the name of the file, makes a sentence of it.

Left out: archives of several files (zip, tar), formats without a signature (.lzma, raw deflate), zstd dictionaries, and
writing.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from wordatoms.errors import require_extra

if TYPE_CHECKING:
    import zstandard

_READ_BYTES = 1 << 16  # more would be copied repeatedly where members are short
_INFLATE_BYTES = 1 << 20
_XZ_MEMORY = 256 << 20  # `xz -9` needs 65 MiB
_ZSTD_WINDOW = 128 << 20  # zstd's own default limit

Read = Callable[[int], bytes]
"""The `read` method of a file, which returns fewer bytes than asked for only at the end."""
Magics = Sequence[tuple[str, bytes]]
"""Kinds of files, each with a pattern for its first bytes."""

_MAGICS: Magics = (
    ("gzip", rb"\x1f\x8b\x08"),
    ("bzip2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    ("xz", rb"\xfd7zXZ\0"),
    ("zstd", rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
)


class CompressionError(Exception):
    """Compressed data that cannot be read, without the name of the file."""


class TruncatedError(CompressionError):
    """Compressed data that ends too early."""

    def __init__(self) -> None:
        super().__init__("its compressed data ends too early")


def match_magic(head: bytes, magics: Magics) -> str:
    """Return the first kind whose pattern the beginning of a file matches, or ""."""
    return next((kind for kind, pattern in magics if re.match(pattern, head, re.DOTALL)), "")


def recognise_compression(head: bytes) -> str:
    """Return the compression of a file that begins with these bytes: "gzip", "bzip2", "xz", "zstd" or ""."""
    return match_magic(head, _MAGICS)


def inflate(read: Read, compression: str) -> Iterator[bytes]:
    """Yield the decompressed data in pieces of at most a megabyte, some of them empty."""
    broken: tuple[type[Exception], ...] = (zlib.error, lzma.LZMAError, OSError)
    if compression == "zstd":
        broken = (*broken, require_extra("zstandard", "train").ZstdError)

    try:
        yield from _zstd_chunks(read) if compression == "zstd" else _member_chunks(read, _MEMBERS[compression])
    except broken as error:
        if isinstance(error, OSError) and error.errno:  # from the disk; for bad data bz2 raises one without a number
            raise
        raise CompressionError(str(error)) from error


# --- Members of gzip, bzip2 and xz


class _Member(Protocol):
    """A decompressor for one member."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """zlib's decompressor with the interface of those in bz2 and lzma."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


_MEMBERS: dict[str, Callable[[], _Member]] = {
    "gzip": _GzipMember,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY),
}


def _member_chunks(read: Read, new_member: Callable[[], _Member]) -> Iterator[bytes]:
    data = read(_READ_BYTES)
    while data:
        member = new_member()
        while not member.eof:
            if member.needs_input and not (data := data or read(_READ_BYTES)):
                raise TruncatedError
            yield member.decompress(data, max_length=_INFLATE_BYTES)
            data = b""
        data = _skip_padding(member.unused_data, read)


def _skip_padding(data: bytes, read: Read) -> bytes:
    """Return the data after the zeros that may follow a member."""
    while not (rest := data.lstrip(b"\0")):
        if not (data := read(_READ_BYTES)):
            return b""
    return rest


# --- Frames of zstd


def _zstd_chunks(read: Read) -> Iterator[bytes]:
    """Decompress the frames of a zstd file block by block (RFC 8878).

    Given more than a block at once, the library's decompressor returns output of any size; its stream reader does not
    report truncated frames.
    """
    unpacker = require_extra("zstandard", "train").ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    while magic := read(4):
        if magic[1:] == b"\x2a\x4d\x18":  # a skippable frame
            n_bytes = int.from_bytes(_take(read, 4), "little")
            while n_bytes:  # by reading, because a pipe cannot seek
                n_bytes -= len(_take(read, min(n_bytes, _READ_BYTES)))
        else:
            yield from _zstd_frame(read, magic, unpacker.decompressobj())


def _zstd_frame(read: Read, magic: bytes, frame: zstandard.ZstdDecompressionObj) -> Iterator[bytes]:
    flags = _take(read, 1)
    yield frame.decompress(magic + flags + _take(read, _zstd_header_bytes(flags[0])))
    is_last = False
    while not is_last:
        header = _take(read, 3)
        is_last, n_bytes = _zstd_block(int.from_bytes(header, "little"))
        yield frame.decompress(header + _take(read, n_bytes))
    if flags[0] & 0b100:
        yield frame.decompress(_take(read, 4))  # the checksum
    if not frame.eof:
        raise TruncatedError


def _zstd_header_bytes(flags: int) -> int:
    """Return the length of a frame header after its flags: window, dictionary and content size."""
    is_single_segment = flags >> 5 & 1
    return 1 - is_single_segment + (0, 1, 2, 4)[flags & 3] + (is_single_segment, 2, 4, 8)[flags >> 6]


def _zstd_block(header: int) -> tuple[bool, int]:
    """Return whether a block is the last of its frame, and the number of bytes after its header."""
    is_run = header >> 1 & 3 == 1
    return bool(header & 1), 1 if is_run else header >> 3


def _take(read: Read, n_bytes: int) -> bytes:
    data = read(n_bytes)
    if len(data) < n_bytes:
        raise TruncatedError
    return data

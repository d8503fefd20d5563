"""Compressed data: recognised by its first bytes, and inflated in pieces whose size does not depend on the data.

Gzip, bzip2, xz and zstd are known. A file may hold several members, one after the other: together they are one
text. Data that breaks off or is damaged is always noticed and ends in a `CompressionError`; whoever reads the
file, and so knows its name, makes a sentence of it.

The paper says nothing of files. Left out here: archives that hold several files (zip, tar), formats without a
mark of their own (.lzma, raw deflate), the dictionaries of zstd, and writing.
"""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import zstandard

_READ_BYTES = 1 << 16  # more would be copied over and over where members are short
_INFLATE_BYTES = 1 << 20
_XZ_MEMORY = 256 << 20  # `xz -9` needs 65 MiB
_ZSTD_WINDOW = 128 << 20  # what zstd itself takes unless told otherwise

Read = Callable[[int], bytes]
"""The `read` of a file: the next bytes, as many as asked for, fewer only at the end."""
Magics = Sequence[tuple[str, bytes]]
"""Kinds of files, each with a pattern that its first bytes match."""

_MAGICS: Magics = (
    ("gzip", rb"\x1f\x8b\x08"),
    ("bzip2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    ("xz", rb"\xfd7zXZ\0"),
    ("zstd", rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
)


class CompressionError(Exception):
    """What is wrong with compressed data; the reader, who knows the name of the file, adds that."""


class TruncatedError(CompressionError):
    """Compressed data that breaks off."""

    def __init__(self) -> None:
        super().__init__("its packed data ends too early")


def match_magic(head: bytes, magics: Magics) -> str:
    """The first kind whose pattern the beginning of a file matches, or nothing."""
    return next((kind for kind, pattern in magics if re.match(pattern, head, re.DOTALL)), "")


def recognise_compression(head: bytes) -> str:
    """What a file that begins like this is compressed with: "gzip", "bzip2", "xz", "zstd" or ""."""
    return match_magic(head, _MAGICS)


def inflate(read: Read, compression: str) -> Iterator[bytes]:
    """What the compressed data that `read` gives stands for, in pieces of at most a megabyte, some of them empty."""
    try:
        yield from _zstd_chunks(read) if compression == "zstd" else _member_chunks(read, _MEMBERS[compression])
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError) as error:
        if isinstance(error, OSError) and error.errno:  # of the disk; bz2 raises one without a number for bad data
            raise
        raise CompressionError(str(error)) from error


# Members of gzip, bzip2 and xz


class _Member(Protocol):
    """One stretch of compressed data; a file may hold several, one after the other."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """zlib's decompressor with the manners of those of bz2 and lzma."""

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
    """What follows the zeros that may stand between and after members."""
    while not (rest := data.lstrip(b"\0")):
        if not (data := read(_READ_BYTES)):
            return b""
    return rest


# Frames of zstd


def _zstd_chunks(read: Read) -> Iterator[bytes]:
    """The frames of a zstd file, block by block, as RFC 8878 lays them out.

    Given more than a block at once, the library's decompressor returns however much comes out; given a whole
    file, its reader takes the end of a truncated frame for the end of the text.
    """
    unpacker = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    while magic := read(4):
        if magic[1:] == b"\x2a\x4d\x18":  # a frame to be skipped
            _skip(read, int.from_bytes(_take(read, 4), "little"))
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
    """The length of a frame header after its flags: window, dictionary and size of the content."""
    is_single_segment = flags >> 5 & 1
    return 1 - is_single_segment + (0, 1, 2, 4)[flags & 3] + (is_single_segment, 2, 4, 8)[flags >> 6]


def _zstd_block(header: int) -> tuple[bool, int]:
    """Whether a block is the last of its frame, and how many bytes follow its header."""
    is_run = header >> 1 & 3 == 1
    return bool(header & 1), 1 if is_run else header >> 3


def _take(read: Read, n_bytes: int) -> bytes:
    data = read(n_bytes)
    if len(data) < n_bytes:
        raise TruncatedError
    return data


def _skip(read: Read, n_bytes: int) -> None:
    """Leave bytes out by reading them, because a pipe cannot seek."""
    while n_bytes:
        n_bytes -= len(_take(read, min(n_bytes, _READ_BYTES)))

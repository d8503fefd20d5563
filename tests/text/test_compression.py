from __future__ import annotations

import errno
import io
import lzma
import os
from collections.abc import Iterator

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from samples import COMPRESSORS, POEM, every_compression, many_lines, memory_below
from wordatoms.text import compression as module
from wordatoms.text.compression import CompressionError, TruncatedError, inflate, recognise_compression

SKIPPED_FRAME = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"


def inflate_all(content: bytes, compression: str) -> bytes:
    return b"".join(inflate(io.BytesIO(content).read, compression))


# Recognition


@every_compression
@pytest.mark.parametrize("content", [b"", POEM], ids=["empty", "poem"])
def test_each_compression_is_recognised(compression: str, content: bytes) -> None:
    assert recognise_compression(COMPRESSORS[compression](content)[:16]) == compression


def test_a_skipped_frame_may_come_first() -> None:
    assert recognise_compression(SKIPPED_FRAME) == "zstd"


@pytest.mark.parametrize("head", [b"", POEM, b"BZh9 is a magic word\n", b"\x1f\x8b\x09", b"PK\x03\x04", b"\xfd7z"])
def test_anything_else_is_not_compressed(head: bytes) -> None:
    assert recognise_compression(head) == ""


# Inflating


@settings(deadline=None)
@given(parts=st.lists(st.binary(max_size=300), max_size=5), compression=st.sampled_from(sorted(COMPRESSORS)))
def test_any_bytes_in_any_members_come_back(parts: list[bytes], compression: str) -> None:
    assert inflate_all(b"".join(map(COMPRESSORS[compression], parts)), compression) == b"".join(parts)


@every_compression
def test_members_one_after_the_other_are_one_text(compression: str) -> None:
    members = [b"first ", b"", b"line\nsecond line\n" * 500, *[b"x"] * 300, b"\n"]
    assert inflate_all(b"".join(map(COMPRESSORS[compression], members)), compression) == b"".join(members)


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz"])
def test_zeros_after_a_member_are_padding(compression: str) -> None:
    member = COMPRESSORS[compression](POEM)
    assert inflate_all(member + bytes(200_000) + member + bytes(512), compression) == POEM + POEM


@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000, 300_000])
@pytest.mark.parametrize("options", [{}, {"write_checksum": True}, {"write_content_size": False}])
def test_zstd_frames_of_every_layout(size: int, options: dict[str, bool]) -> None:
    content = many_lines(size)
    frame = zstandard.ZstdCompressor(**options).compress(content)
    streamed = zstandard.ZstdCompressor(**options).compressobj()
    parts = [SKIPPED_FRAME, frame, SKIPPED_FRAME, streamed.compress(content), streamed.flush()]
    assert inflate_all(b"".join(parts), "zstd") == content + content


@every_compression
def test_a_decompression_bomb_comes_in_small_pieces(compression: str) -> None:
    n_bytes = 40 << 20
    bomb = io.BytesIO(COMPRESSORS[compression](b"a" * n_bytes))
    with memory_below(16 << 20):  # of which xz takes 8 MiB
        sizes = [len(chunk) for chunk in inflate(bomb.read, compression)]
    assert sum(sizes) == n_bytes
    assert max(sizes) <= 1 << 20


# Data that cannot be inflated


@every_compression
def test_truncated_data_is_noticed_wherever_it_ends(compression: str) -> None:
    whole = COMPRESSORS[compression](os.urandom(40).hex().encode() * 20 + b"\n")
    for n_bytes in range(8, len(whole), 3):
        with pytest.raises(TruncatedError, match="its compressed data ends too early"):
            inflate_all(whole[:n_bytes], compression)


@every_compression
def test_a_truncated_second_member_is_noticed(compression: str) -> None:
    member = COMPRESSORS[compression](POEM)
    with pytest.raises(TruncatedError):
        inflate_all(member + member[:-5], compression)


def test_a_truncated_frame_that_is_skipped_is_noticed() -> None:
    with pytest.raises(TruncatedError):
        inflate_all(COMPRESSORS["zstd"](POEM) + SKIPPED_FRAME[:-1], "zstd")


@every_compression
def test_damaged_data_is_noticed(compression: str) -> None:
    whole = bytearray(COMPRESSORS[compression](many_lines(50_000)))
    for place in range(12, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        with pytest.raises(CompressionError):
            inflate_all(bytes(damaged), compression)


@pytest.mark.parametrize("compression", ["gzip", "xz", "zstd"])
def test_rubbish_after_a_member_is_refused(compression: str) -> None:
    with pytest.raises(CompressionError):
        inflate_all(COMPRESSORS[compression](POEM) + b"rubbish, and more of it", compression)


def test_xz_data_that_asks_for_too_much_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_XZ_MEMORY", 1 << 16)
    with pytest.raises(CompressionError):
        inflate_all(lzma.compress(POEM), "xz")


@every_compression
def test_an_error_of_the_disk_stays_what_it_is(compression: str) -> None:
    content = COMPRESSORS[compression](POEM)

    def reads() -> Iterator[bytes]:
        yield content[:4]
        raise OSError(errno.EIO, "Input/output error")

    parts = reads()
    with pytest.raises(OSError, match="Input/output error"):
        list(inflate(lambda _: next(parts), compression))

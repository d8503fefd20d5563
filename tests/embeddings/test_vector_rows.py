from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from samples import COMPRESSORS, POEM, every_compression, many_lines, memory_below, write
from wordatoms.embeddings import vector_rows
from wordatoms.embeddings.vector_rows import open_bytes
from wordatoms.errors import VectorFileError


def test_bytes_are_looked_at_and_taken(tmp_path: Path) -> None:
    with open_bytes(write(tmp_path / "x", b"3 2\nthe rest")) as source:
        assert source.peek(3) == b"3 2"
        assert source.take_until(b"\n", 64) == b"3 2"
        assert source.take_until(b"\n", 64) is None
        assert source.take(4) == b"the "
        assert source.offset == 8
        assert source.take(99) == b"rest"
        assert source.peek(1) == source.take_lines() == b""


@pytest.mark.parametrize(("chunk", "block"), [(1, 64), (7, 100), (1000, 64)])
@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_blocks_hold_whole_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compression: str, chunk: int, block: int
) -> None:
    monkeypatch.setattr(vector_rows, "_CHUNK", chunk)
    monkeypatch.setattr(vector_rows, "_BLOCK", block)
    content = many_lines(2000)
    with open_bytes(write(tmp_path / "x", COMPRESSORS.get(compression, bytes)(content))) as source:
        blocks = list(iter(source.take_lines, b""))
        assert source.offset == len(content)
    assert b"".join(blocks) == content
    assert all(lines.endswith(b"\n") and len(lines) <= block for lines in blocks[:-1])


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_rows, "_BLOCK", 10)
    with (
        open_bytes(write(tmp_path / "x", b"short\n" + b"x" * 20)) as source,
        pytest.raises(VectorFileError, match=r"x, byte 6: no line ends within 10 bytes"),
    ):
        list(iter(source.take_lines, b""))


@every_compression
def test_a_decompression_bomb_does_not_fill_the_memory(tmp_path: Path, compression: str) -> None:
    n_bytes = 40 << 20
    path = write(tmp_path / "bomb", COMPRESSORS[compression](b"a" * n_bytes))
    with memory_below(16 << 20), open_bytes(path) as source:  # of which xz takes 8 MiB
        assert sum(map(len, iter(lambda: source.take(1 << 16), b""))) == n_bytes


@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_a_pipe_can_be_read(tmp_path: Path, compression: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    skipped = b"\x50\x2a\x4d\x18\2\0\0\0hi" if compression == "zstd" else b""
    content = skipped + COMPRESSORS.get(compression, bytes)(POEM)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    with open_bytes(pipe) as source:
        assert source.take(1000) == POEM
    writer.join()


@every_compression
def test_cut_and_damaged_data_is_named(tmp_path: Path, compression: str) -> None:
    packed = COMPRESSORS[compression](many_lines(50_000))
    middle = len(packed) // 2
    damaged = packed[:middle] + b"broken" + packed[middle + 6 :]
    for content in (packed[:-6], damaged, packed[:20] + packed[30:]):
        with (
            pytest.raises(VectorFileError, match=r"vectors\.bin cannot be read: .*; check the file or get it again\."),
            open_bytes(write(tmp_path / "vectors.bin", content)) as source,
        ):
            source.take(1 << 20)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="none cannot be read: No such file"), open_bytes(tmp_path / "none"):
        pass

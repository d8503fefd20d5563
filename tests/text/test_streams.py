"""Pipes and devices, which may never end, are refused as soon as they are seen not to be text, or to be too long."""

from __future__ import annotations

import gzip
import lzma
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from invoking import refused
from wordatoms.embeddings.vector_files import read_vectors
from wordatoms.errors import InputError
from wordatoms.text import files
from wordatoms.text.corpus import open_corpus, read_blocks
from wordatoms.text.documents import read_files

pytestmark = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")

DEVICES = ["/dev/zero", "/dev/full", "/dev/urandom"]


@contextmanager
def endless_pipe(folder: Path, content: bytes, after: bytes) -> Iterator[Path]:
    """A named pipe with some content and then something else without end."""
    path = folder / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with suppress(BrokenPipeError), path.open("wb") as pipe:
            pipe.write(content)
            while True:
                pipe.write(after)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield path
    finally:
        writer.join()


@pytest.fixture
def small_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files.shutil, "disk_usage", lambda _folder: SimpleNamespace(free=3_000_000))


@pytest.mark.parametrize("device", DEVICES)
def test_device_as_text_was_copied_until_the_disk_was_full(tmp_path: Path, device: str) -> None:
    with pytest.raises(InputError, match=f"{device} is not plain text"):
        open_corpus([device], work=tmp_path)
    with pytest.raises(InputError, match=f"{device} is not plain text"):
        list(read_files([device]))
    assert not list(tmp_path.iterdir())


def test_nul_bytes_after_text_in_a_stream_were_copied_until_the_disk_was_full(tmp_path: Path) -> None:
    text = b"a line of text\n" * 200_000
    with (
        endless_pipe(tmp_path, text, b"\0" * 4096) as pipe,
        pytest.raises(InputError, match=f"contains a NUL byte at byte {len(text):,}"),
    ):
        open_corpus([pipe], work=tmp_path)


@pytest.mark.usefixtures("small_disk")
def test_endless_text_was_copied_until_the_disk_was_full(tmp_path: Path) -> None:
    sentence = f"has more than 2,700,000 bytes, 90% of the free space of {tmp_path}"
    with endless_pipe(tmp_path, b"", b"a line of text\n" * 99) as pipe, pytest.raises(InputError, match=sentence):
        open_corpus([pipe], work=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.usefixtures("small_disk")
@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_bomb_of_text_was_unpacked_until_the_disk_was_full(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path, work = tmp_path / "bomb", tmp_path / "work"
    work.mkdir()
    path.write_bytes(pack(b"a line of text\n" * 1_000_000))  # 15 MB in a few KB
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match="has more than 2,700,000 bytes"):
        open_corpus([path], work=work, threads=2)
    assert not list(work.iterdir())
    corpus = open_corpus([path], work=work)  # one thread reads it as it is, without a copy
    assert sum(len(block) for shard in corpus.shards for block in read_blocks(shard)) == 15_000_000


def test_compressed_stream_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    content = gzip.compress(b"some text\n" * 300_000)
    writer = threading.Thread(target=path.write_bytes, args=[content])
    writer.start()
    corpus = open_corpus([path], work=tmp_path)
    writer.join()
    assert sum(len(block) for shard in corpus.shards for block in read_blocks(shard)) == 3_000_000


@pytest.mark.parametrize("device", DEVICES)
def test_device_as_a_file_of_lines_filled_the_memory(tmp_path: Path, device: str) -> None:
    assert device in refused("induce", "blorp", "--contexts", device)
    assert device in refused("train", __file__, "-o", tmp_path / "model", "--phrases", device)


def test_device_as_a_list_of_words_filled_the_memory(tmp_path: Path) -> None:
    import numpy as np

    np.save(tmp_path / "x.npy", np.eye(2))
    with pytest.raises(InputError, match="/dev/zero is not plain text"):
        read_vectors(tmp_path / "x.npy", words=Path("/dev/zero"))

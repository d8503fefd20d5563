"""Small files that stand for something huge: packed text, arrays, tables, entities, windows and dictionaries."""

from __future__ import annotations

import json
import lzma
import struct
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from samples import COMPRESSORS, every_compression, memory_below
from samplewiki import paragraphs_of
from wordatoms.embeddings.vector_files import read_vectors
from wordatoms.errors import InputError, ModelError, VectorFileError
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.storage import untrusted
from wordatoms.storage.files import Checkpoint, load_array
from wordatoms.text import documents, tables
from wordatoms.text.corpus import open_corpus
from wordatoms.text.documents import read_column, read_files, read_lines
from wordatoms.text.shards import Shard, read_blocks

MEGABYTE = 1 << 20
LITTLE = 40 * MEGABYTE


def bomb(compression: str, n_megabytes: int, *, content: bytes = b"a") -> bytes:
    """Packed members of 8 MB each, a few kilobytes in all."""
    return COMPRESSORS[compression](content * (8 * MEGABYTE // len(content))) * (n_megabytes // 8)


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# Packed text


@every_compression
def test_a_line_of_many_megabytes_is_read_in_little_memory(compression: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb", bomb(compression, 64))
    assert path.stat().st_size < MEGABYTE
    with memory_below(LITTLE):
        assert sum(map(len, read_blocks(Shard(str(path), compression)))) >= 64 * MEGABYTE


@every_compression
def test_vectors_that_never_begin_are_refused_at_once(compression: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb", bomb(compression, 2048 if compression == "zstd" else 512))
    with memory_below(LITTLE), pytest.raises(VectorFileError, match="no line ends"):
        read_vectors(path)


@every_compression
def test_a_header_is_not_believed(compression: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb", COMPRESSORS[compression](b"999999999999999999 1000000\nspring 1 2 3\n"))
    with memory_below(LITTLE), pytest.raises(VectorFileError):
        read_vectors(path)


@every_compression
def test_what_is_packed_twice_is_not_unpacked_twice(compression: str, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb", COMPRESSORS["gzip"](bomb(compression, 512)))
    with memory_below(LITTLE), pytest.raises(InputError, match="inside a compressed file"):
        open_corpus([path], work=tmp_path)
    with memory_below(LITTLE), pytest.raises(InputError):
        read_vectors(path)


@every_compression
def test_many_empty_members_take_time_as_their_number(compression: str, tmp_path: Path) -> None:
    path = write(tmp_path / "empty", COMPRESSORS[compression](b"") * 20_000)
    started = time.process_time()
    assert list(read_blocks(Shard(str(path), compression))) == []
    assert time.process_time() - started < 5


def test_an_xz_dictionary_of_gigabytes_is_refused(tmp_path: Path) -> None:
    packed = lzma.compress(b"spring 1 2 3\n")
    n_header = 4 * (packed[12] + 1)
    header = packed[12:16] + bytes([37]) + packed[17 : 12 + n_header - 4]  # 37: a dictionary of 1.5 GiB
    path = write(
        tmp_path / "bomb.xz", packed[:12] + header + struct.pack("<I", zlib.crc32(header)) + packed[12 + n_header :]
    )
    with memory_below(LITTLE), pytest.raises(InputError, match=r"(?i)memory"):
        list(read_blocks(Shard(str(path), "xz")))


@pytest.mark.parametrize(
    "header", [b"\x00" + bytes([21 << 3]), b"\xe0" + struct.pack("<Q", 1 << 40)], ids=["window", "size"]
)
def test_a_zstd_window_of_gigabytes_is_refused(header: bytes, tmp_path: Path) -> None:
    path = write(tmp_path / "bomb.zst", b"\x28\xb5\x2f\xfd" + header + b"\x01\0\0")
    with memory_below(LITTLE), pytest.raises(InputError, match="too much memory"):
        list(read_blocks(Shard(str(path), "zstd")))


# Arrays and descriptions


def npy(header: str, content: bytes = b"") -> bytes:
    padded = header.ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\0" + struct.pack("<H", len(padded)) + padded + content


HEADERS = [
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 1), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 4), }",
    "{'descr': '|V0', 'fortran_order': False, 'shape': (1000000000000, 3), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }",
    "{'descr': ('<f4', (1000000, 1000000)), 'fortran_order': False, 'shape': (3,), }",
    "{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 40,
    "{'descr': '<f4', 'fortran_order': 1L, 'shape': (3L",
]


@pytest.mark.parametrize("header", HEADERS)
def test_an_array_that_announces_too_much_is_refused(header: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x.npy", npy(header, bytes(48)))
    write(tmp_path / "x.words", b"spring\ntie\nbank\n")
    with memory_below(LITTLE), pytest.raises(ModelError, match="is not a readable array"):
        load_array(path)
    with memory_below(LITTLE), pytest.raises(VectorFileError):
        read_vectors(path)


def test_a_packed_checkpoint_is_none(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path / "x.npz", {})
    np.savez_compressed(checkpoint.path, step=1, settings="{}", vectors=np.zeros(8 * MEGABYTE))
    with memory_below(LITTLE):
        assert checkpoint.load() is None
    checkpoint.save(1, {"vectors": np.zeros(3)})
    assert checkpoint.load() is not None


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000, b"[1e999]", b"[NaN]", b"[1", b"\xff"])
def test_json_that_goes_too_deep_or_too_far_is_a_value_error(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        untrusted.read_json(write(tmp_path / "x.json", content))


def test_a_file_may_be_so_large_and_no_larger(tmp_path: Path) -> None:
    path = write(tmp_path / "x.json", json.dumps("a" * 98).encode())
    assert untrusted.read_json(path, limit=100) == "a" * 98
    with pytest.raises(ValueError, match="larger than 99 bytes"):
        untrusted.read_json(path, limit=99)


@pytest.mark.parametrize("read", [untrusted.read_json, untrusted.open_array])
def test_a_device_is_no_file(read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "x").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="a pipe or a device"):
        read(tmp_path / "x")


# Documents and tables


@every_compression
def test_a_document_that_unpacks_to_too_much_is_refused(
    compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LARGEST_DOCUMENT", 8 * MEGABYTE)
    path = write(tmp_path / "x.txt", bomb(compression, 512))
    with memory_below(LITTLE), pytest.raises(InputError, match="split it into several documents"):
        list(read_files([path]))
    path = write(tmp_path / "y.txt", bomb(compression, 32))
    with memory_below(2 * LITTLE):
        assert sum(1 for _ in read_lines([path])) in (8, 9)  # of 4 MiB


@every_compression
@pytest.mark.parametrize("start", [b"url,text\n", b'url,text\n1,"', b"url,"])
def test_rows_without_an_end_are_refused(
    compression: str, start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "LARGEST_ROW", 8 * MEGABYTE)
    path = write(tmp_path / "x.csv.gz", COMPRESSORS[compression](start) + bomb(compression, 256))
    with pytest.raises(InputError, match="is too long"):
        list(read_column([path], "text"))


def test_a_parquet_table_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["a" * (80 * MEGABYTE)]})
    parquet.write_table(table, tmp_path / "x.parquet", compression="zstd", use_dictionary=False, write_statistics=False)
    assert (tmp_path / "x.parquet").stat().st_size < MEGABYTE
    with memory_below(LITTLE), pytest.raises(InputError, match="decompresses to"):
        list(read_column([tmp_path / "x.parquet"], "text"))


def test_one_text_in_many_rows_of_a_parquet_table_is_kept_once(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"text": ["a" * MEGABYTE] * 100}), tmp_path / "x.parquet", compression="zstd")
    with memory_below(LITTLE):
        assert sum(len(text) for _, text in read_column([tmp_path / "x.parquet"], "text")) == 100 * MEGABYTE


# Entities

LAUGHS = b"".join(b'<!ENTITY l%d "%b">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))


def test_entities_that_expand_without_end_are_refused(tmp_path: Path) -> None:
    declared = b'<!DOCTYPE x [<!ENTITY l0 "lol">' + LAUGHS + b"]>"
    with memory_below(LITTLE), pytest.raises(InputError, match="document type"):
        paragraphs_of(declared + b"<mediawiki><page><text>&l11;</text></page></mediawiki>")
    (tmp_path / "nouns").mkdir()
    write(tmp_path / "nouns" / "bank.n.xml", declared + b"<bank.n.test>&l11;</bank.n.test>")
    write(tmp_path / "all.key", b"bank.n bank.n.1 s\n")
    with pytest.raises(InputError, match="declarations"):
        read_semeval(tmp_path)

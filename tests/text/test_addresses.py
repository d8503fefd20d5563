"""Text at addresses, read through fsspec."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from wordatoms.errors import InputError, MissingExtraError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.sources import CountSettings
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import open_corpus, read_blocks
from wordatoms.text.files import find_files, is_address, open_file, path_exists

LINES = b"".join(b"the tie of the bank number %d\n" % k for k in range(200))


@pytest.fixture
def store() -> Iterator[str]:
    """A folder in memory."""
    system = fsspec.filesystem("memory")
    system.pipe({"/texts/a.txt": LINES, "/texts/deep/b.txt.gz": gzip.compress(LINES), "/texts/.hidden": b"\0"})
    yield "memory://texts"
    system.rm("/texts", recursive=True)


def test_what_is_an_address() -> None:
    assert all(map(is_address, ["s3://bucket/a", "memory://x", "gs://b", "file:///tmp/x", "simplecache::s3://b"[13:]]))
    assert not any(map(is_address, ["a.txt", "/a//b", "C://x"[:1] + ":\\x", "-", "://x", "s3:/x", ""]))


def test_files_are_found_by_name_folder_and_pattern(store: str) -> None:
    assert find_files([f"{store}/a.txt"]) == [f"{store}/a.txt"]
    both = ["memory:///texts/a.txt", "memory:///texts/deep/b.txt.gz"]
    assert [name.replace("memory://texts", "memory:///texts") for name in find_files([store])] == both
    assert len(find_files([f"{store}/**/*.gz"])) == 1
    assert path_exists(f"{store}/a.txt")
    assert not path_exists(f"{store}/c.txt")


def test_shards_of_a_file_elsewhere_are_its_lines(store: str, tmp_path: Path) -> None:
    corpus = open_corpus([f"{store}/a.txt"], work=tmp_path, shard_bytes=100)
    assert len(corpus.shards) > 10
    assert b"".join(block for shard in corpus.shards for block in read_blocks(shard)) == LINES
    assert corpus.n_bytes == len(LINES)


def test_a_model_is_the_same_wherever_its_text_is(store: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_bytes(LINES)
    packed.write_bytes(gzip.compress(LINES))
    settings = CountSettings(min_count=1)
    here, there = ModelFolder(tmp_path / "here", create=True), ModelFolder(tmp_path / "there", create=True)
    count([plain, packed], here, settings)
    count([store], there, settings)
    for name, file in here.stages["count"]["files"].items():
        assert there.stages["count"]["files"][name] == file
    paths = [file["path"] for file in there.stages["count"]["inputs"]]
    assert all(is_address(path) for path in paths)
    assert not count([store], there, settings)


@pytest.mark.parametrize("address", ["memory://nowhere/a.txt", "memory://nowhere/*.txt"])
def test_nothing_at_an_address(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="memory://nowhere"):
        open_corpus([address], work=tmp_path)


def test_an_unknown_kind_of_address(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nosuch://x cannot be read"):
        open_corpus(["nosuch://x"], work=tmp_path)


def test_a_store_whose_package_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    with pytest.raises(MissingExtraError, match="Install s3fs"):
        open_corpus(["s3://bucket/x"], work=tmp_path)


def test_a_store_that_fails_while_it_is_read(store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = open_corpus([f"{store}/a.txt"], work=tmp_path)

    class StoreError(Exception):
        """As a store's own library has it."""

    def fail(*_: object) -> None:
        raise StoreError("token expired")

    opened = open_file(f"{store}/a.txt")
    monkeypatch.setattr(type(opened.raw._file), "read", fail)
    with pytest.raises(InputError, match=r"texts/a\.txt cannot be read: token expired"):
        list(read_blocks(corpus.shards[0]))

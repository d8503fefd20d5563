from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_text
from samples import COMPRESSORS, POEM, every_compression, many_lines, memory_below, write
from wordatoms.engine.threads import blocks_with_sizes
from wordatoms.errors import InputError
from wordatoms.text.shards import Shard, read_blocks, read_head


def read_file(path: Path, **options: object) -> bytes:
    return b"".join(read_blocks(Shard(str(path), **options)))  # type: ignore[arg-type]


# Plain text, shards and blocks

texts = st.one_of(
    st.text(st.sampled_from("ab \n\t\ré—語😀\v\f")),
    st.text(),
    st.lists(st.text(st.sampled_from("aé語😀 "), max_size=60), max_size=12).map("\n".join),
).map(lambda content: content.replace("\0", "").encode("utf-8", "replace"))


@settings(max_examples=300, deadline=None)
@given(content=texts, shard_bytes=st.integers(1, 70), block_bytes=st.integers(8, 60))
def test_any_shards_and_blocks_give_the_same_text(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, shard_bytes: int, block_bytes: int
) -> None:
    path = write(tmp_path_factory.mktemp("any") / "text", content)
    shards = Shard(str(path)).cut(shard_bytes)
    blocks: list[bytes] = []
    for shard in shards:
        n_read: list[int] = []
        blocks += read_blocks(shard, block_bytes=block_bytes, on_read=n_read.append)
        assert sum(n_read) == shard.n_bytes
    assert all(block.endswith(b"\n") and len(block) <= block_bytes for block in blocks)
    assert b"".join(blocks) == naive_text.paragraphs(content, block_bytes)


@settings(max_examples=100, deadline=None)
@given(content=texts, compression=st.sampled_from(sorted(COMPRESSORS)), block_bytes=st.integers(8, 60))
def test_compressed_text_reads_as_the_plain_one(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, compression: str, block_bytes: int
) -> None:
    path = write(tmp_path_factory.mktemp("any") / "text", COMPRESSORS[compression](content))
    shard = Shard(str(path), compression)
    n_read: list[int] = []
    blocks = list(read_blocks(shard, block_bytes=block_bytes, on_read=n_read.append))
    assert b"".join(blocks) == naive_text.paragraphs(content, block_bytes)
    assert sum(n_read) == shard.n_bytes == path.stat().st_size


@every_compression
def test_with_the_last_block_all_of_the_file_is_reported(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "text", COMPRESSORS[compression](many_lines(20_000) + b"\n"))
    shard = Shard(str(path), compression)
    assert sum(n_read for _, n_read in blocks_with_sizes(shard)) == shard.n_bytes


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), shard_bytes=st.integers(1, 70), block_bytes=st.integers(8, 60))
def test_replacement_makes_any_bytes_valid_and_keeps_within_the_block(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, shard_bytes: int, block_bytes: int
) -> None:
    content = content.replace(b"\0", b"")
    path = write(tmp_path_factory.mktemp("any") / "text", content)

    def read_all(shard_bytes: int) -> list[bytes]:
        shards = Shard(str(path), replace_invalid=True).cut(shard_bytes)
        return [block for shard in shards for block in read_blocks(shard, block_bytes=block_bytes)]

    blocks = read_all(shard_bytes)
    assert all(block.decode() and len(block) <= block_bytes for block in blocks)
    assert b"".join(blocks) == b"".join(read_all(1000))


def test_blocks_hold_whole_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "text", b"aaa\nbbb\nccc\nddd")
    assert list(read_blocks(Shard(str(path)), block_bytes=10)) == [b"aaa\nbbb\n", b"ccc\n", b"ddd\n"]


def test_a_long_line_is_cut_at_its_last_white_space_or_between_characters(tmp_path: Path) -> None:
    path = write(tmp_path / "text", "one two three\n語語語語\n".encode())
    pieces = b"".join(read_blocks(Shard(str(path)), block_bytes=8)).decode()
    assert pieces == "one two\nthree\n語語\n語語\n"


def test_a_huge_line_belongs_to_the_shard_where_it_begins(tmp_path: Path) -> None:
    path = write(tmp_path / "text", b"a\n" + b"word " * 100_000 + b"\nend\n")
    shards = Shard(str(path)).cut(1000)
    n_lines = [sum(block.count(b"\n") for block in read_blocks(shard, block_bytes=100)) for shard in shards]
    assert n_lines[0] > 1000
    assert n_lines[-1] == 1
    assert not any(n_lines[1:-1])


def test_a_byte_order_mark_is_dropped_at_the_start_only(tmp_path: Path) -> None:
    path = write(tmp_path / "text", "\ufefffirst\n\ufeffsecond\n".encode())
    assert read_file(path) == "first\n\ufeffsecond\n".encode()


def test_a_block_too_small_for_a_character_is_refused() -> None:
    with pytest.raises(InputError, match="block_bytes is 3; pass 8 or more"):
        read_blocks(Shard("any"), block_bytes=3)


def test_a_shard_travels_to_other_processes(tmp_path: Path) -> None:
    shard = Shard(str(write(tmp_path / "text")), start=3, stop=30)
    assert pickle.loads(pickle.dumps(shard)) == shard


def test_a_compressed_shard_stays_whole(tmp_path: Path) -> None:
    shard = Shard(str(write(tmp_path / "text", COMPRESSORS["gzip"](POEM))), "gzip")
    assert shard.cut(10) == [shard]


def test_a_file_that_shrinks_after_it_was_cut_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "text")
    (shard,) = Shard(str(path)).cut(1000)
    write(path, b"short\n")
    with pytest.raises(InputError, match="shrank"):
        list(read_blocks(shard))


@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_the_head_is_the_first_bytes_of_the_text(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "text", COMPRESSORS.get(compression, bytes)(POEM))
    assert read_head(Shard(str(path), compression), 10) == POEM[:10]
    assert read_head(Shard(str(path), compression), 1000) == POEM


# Memory


def drain(shard: Shard) -> int:
    return sum(map(len, read_blocks(shard, block_bytes=1 << 16)))


@every_compression
def test_a_decompression_bomb_does_not_fill_the_memory(tmp_path: Path, compression: str) -> None:
    n_bytes = 40 << 20
    path = write(tmp_path / "bomb", COMPRESSORS[compression](b"a" * n_bytes))
    with memory_below(16 << 20):  # of which xz takes 8 MiB
        assert drain(Shard(str(path), compression)) > n_bytes


def test_a_gigantic_line_does_not_fill_the_memory(tmp_path: Path) -> None:
    n_bytes = 20 << 20
    path = write(tmp_path / "line", b"word " * (n_bytes // 5))
    with memory_below(2 << 20):
        assert drain(Shard(str(path))) == n_bytes + 1


# Shards that cannot be read


@every_compression
def test_a_truncated_file_is_named(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "cut.txt", COMPRESSORS[compression](POEM)[:-5])
    with pytest.raises(InputError) as caught:
        read_file(path, compression=compression)
    assert str(caught.value) == (f"{path} ends in the middle of its {compression} data; copy or download it again.")


@every_compression
def test_a_damaged_file_is_named(tmp_path: Path, compression: str) -> None:
    content = bytearray(COMPRESSORS[compression](many_lines(50_000)))
    content[-7] ^= 0xFF
    path = write(tmp_path / "bad.txt", bytes(content))
    sentence = rf"bad\.txt is damaged: its {compression} data cannot be read \(.*\); copy or download it again\.$"
    with pytest.raises(InputError, match=sentence):
        read_file(path, compression=compression)


def test_a_folder_is_no_shard(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder where a file was expected"):
        list(read_blocks(Shard(str(tmp_path))))

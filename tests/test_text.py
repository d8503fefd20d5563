from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import lzma
import os
import pickle
import sys
import threading
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_text
from wordatoms import text
from wordatoms.errors import InputError, MissingExtraError
from wordatoms.text import Corpus, Shard, open_corpus, read_blocks

POEM = "The spring ran dry.\nA tie — won by a head.\n\nÄrger mit dem Böcklein\r\nлуна\n".encode()

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
every_compression = pytest.mark.parametrize("compression", COMPRESSORS)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    return folder


def write(path: Path, content: bytes = POEM) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def read(corpus: Corpus, **options: int) -> bytes:
    return b"".join(block for shard in corpus.shards for block in read_blocks(shard, **options))


def read_file(path: Path, **options: object) -> bytes:
    return b"".join(read_blocks(Shard(str(path), **options)))  # type: ignore[arg-type]


def many_lines(n_bytes: int) -> bytes:
    lines = (f"line {number} of a text that is long enough\n".encode() for number in range(n_bytes // 30))
    return b"".join(lines)[:n_bytes]


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
    shards = text._cut(Shard(str(path)), shard_bytes)
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


@settings(max_examples=200, deadline=None)
@given(content=st.binary(max_size=200), shard_bytes=st.integers(1, 70), block_bytes=st.integers(8, 60))
def test_replacement_makes_any_bytes_valid_and_keeps_within_the_block(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, shard_bytes: int, block_bytes: int
) -> None:
    content = content.replace(b"\0", b"")
    path = write(tmp_path_factory.mktemp("any") / "text", content)

    def read_all(shard_bytes: int) -> list[bytes]:
        shards = text._cut(Shard(str(path), replace_invalid=True), shard_bytes)
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
    shards = text._cut(Shard(str(path)), 1000)
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


def test_a_file_that_shrinks_after_it_was_opened_is_noticed(folder: Path, work: Path) -> None:
    path = write(folder / "text")
    corpus = open_corpus([path], work=work)
    write(path, b"short\n")
    with pytest.raises(InputError, match="has shrunk"):
        read(corpus)


# Memory


@pytest.fixture
def peak_memory() -> Iterator[Callable[[], int]]:
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


def drain(shard: Shard) -> int:
    return sum(map(len, read_blocks(shard, block_bytes=1 << 16)))


@every_compression
def test_a_decompression_bomb_does_not_fill_the_memory(
    tmp_path: Path, compression: str, peak_memory: Callable[[], int]
) -> None:
    n_bytes = 40 << 20
    path = write(tmp_path / "bomb", COMPRESSORS[compression](b"a" * n_bytes))
    tracemalloc.reset_peak()
    assert drain(Shard(str(path), compression)) > n_bytes
    assert peak_memory() < 16 << 20  # of which xz takes 8 MiB


def test_a_gigantic_line_does_not_fill_the_memory(tmp_path: Path, peak_memory: Callable[[], int]) -> None:
    n_bytes = 20 << 20
    path = write(tmp_path / "line", b"word " * (n_bytes // 5))
    tracemalloc.reset_peak()
    assert drain(Shard(str(path))) == n_bytes + 1
    assert peak_memory() < 2 << 20


# Compressed files


@every_compression
def test_compression_is_recognised_by_content_not_by_name(folder: Path, work: Path, compression: str) -> None:
    path = write(folder / "misnamed.png", COMPRESSORS[compression](POEM))
    corpus = open_corpus([path], work=work)
    assert corpus.shards == (Shard(str(path), compression, origin=str(path)),)
    assert read(corpus) == POEM


def test_a_plain_file_may_be_named_like_a_compressed_one(folder: Path, work: Path) -> None:
    assert read(open_corpus([write(folder / "plain.gz")], work=work)) == POEM


def test_text_that_begins_like_bzip2_is_text(folder: Path, work: Path) -> None:
    assert read(open_corpus([write(folder / "text", b"BZh9 is a magic word\n")], work=work)).startswith(b"BZh9")


@every_compression
def test_members_one_after_the_other_are_one_text(tmp_path: Path, compression: str) -> None:
    compress = COMPRESSORS[compression]
    members = [b"first ", b"", b"line\nsecond line\n" * 500, *[b"x"] * 300, b"\n"]
    path = write(tmp_path / "text", b"".join(map(compress, members)))
    assert read_file(path, compression=compression) == b"".join(members)


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz"])
def test_zeros_after_a_member_are_padding(tmp_path: Path, compression: str) -> None:
    member = COMPRESSORS[compression](POEM)
    path = write(tmp_path / "text", member + bytes(200_000) + member + bytes(512))
    assert read_file(path, compression=compression) == POEM + POEM


@pytest.mark.parametrize("size", [0, 1, 255, 256, 70_000, 300_000])
@pytest.mark.parametrize("options", [{}, {"write_checksum": True}, {"write_content_size": False}])
def test_zstd_frames_of_every_layout(tmp_path: Path, size: int, options: dict[str, bool]) -> None:
    content = many_lines(size)
    skipped = b"\x53\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"
    frame = zstandard.ZstdCompressor(**options).compress(content)
    streamed = zstandard.ZstdCompressor(**options).compressobj()
    parts = [skipped, frame, skipped, streamed.compress(content), streamed.flush()]
    path = write(tmp_path / "text", b"".join(parts))
    assert read_file(path, compression="zstd") == naive_text.paragraphs(content + content, text.MAX_PARAGRAPH_BYTES)


@every_compression
def test_a_truncated_file_is_named_wherever_it_ends(tmp_path: Path, compression: str) -> None:
    whole = COMPRESSORS[compression](os.urandom(40).hex().encode() * 20 + b"\n")
    for n_bytes in range(8, len(whole), 3):
        path = write(tmp_path / "cut.txt", whole[:n_bytes])
        with pytest.raises(InputError, match=rf"cut\.txt ends in the middle of its {compression} data"):
            read_file(path, compression=compression)


@every_compression
def test_a_truncated_second_member_is_noticed(tmp_path: Path, compression: str) -> None:
    member = COMPRESSORS[compression](POEM)
    path = write(tmp_path / "cut.txt", member + member[:-5])
    with pytest.raises(InputError, match=r"cut\.txt ends in the middle"):
        read_file(path, compression=compression)


@every_compression
def test_damaged_data_is_named(tmp_path: Path, compression: str) -> None:
    whole = bytearray(COMPRESSORS[compression](many_lines(50_000)))
    for place in range(12, len(whole), max(1, len(whole) // 40)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        path = write(tmp_path / "bad.txt", bytes(damaged))
        with pytest.raises(InputError, match=r"bad\.txt (is damaged|ends in the middle)"):
            read_file(path, compression=compression)


@pytest.mark.parametrize("compression", ["gzip", "xz", "zstd"])
def test_rubbish_after_a_member_is_refused(tmp_path: Path, compression: str) -> None:
    path = write(tmp_path / "bad.txt", COMPRESSORS[compression](POEM) + b"rubbish, and more of it")
    with pytest.raises(InputError, match=rf"bad\.txt is damaged: its {compression} data"):
        read_file(path, compression=compression)


def test_an_xz_file_that_asks_for_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "_XZ_MEMORY", 1 << 16)
    with pytest.raises(InputError, match="is damaged: its xz data cannot be read"):
        read_file(write(tmp_path / "text", lzma.compress(POEM)), compression="xz")


# Finding files


def test_a_folder_is_read_in_order_without_hidden_files(folder: Path, work: Path) -> None:
    for name in ["b.txt", "a/2.txt", "a/1.txt", ".hidden", ".git/config", "c.txt"]:
        write(folder / name, f"{name}\n".encode())
    corpus = open_corpus([folder], work=work)
    assert read(corpus) == b"a/1.txt\na/2.txt\nb.txt\nc.txt\n"
    assert [Path(file.path).name for file in corpus.files] == ["1.txt", "2.txt", "b.txt", "c.txt"]


def test_files_come_in_the_order_given_and_count_once(folder: Path, work: Path) -> None:
    first, second = write(folder / "a.txt", b"a\n"), write(folder / "b.txt", b"b\n")
    (folder / "link.txt").symlink_to(second)
    sources = [second, str(first), folder, str(folder / "*.txt"), folder / ".." / folder.name / "a.txt"]
    assert read(open_corpus(sources, work=work)) == b"b\na\n"


def test_the_same_text_in_two_files_counts_twice(folder: Path, work: Path) -> None:
    for name in "ab":
        write(folder / name, gzip.compress(b"same\n"))
    for threads in (1, 4):
        assert read(open_corpus([folder], work=work, threads=threads)) == b"same\nsame\n"


def test_a_pattern_reaches_into_folders(folder: Path, work: Path) -> None:
    for name in ["x/1.txt", "x/y/2.txt", "3.txt", "4.csv"]:
        write(folder / name, f"{Path(name).stem}\n".encode())
    assert read(open_corpus([f"{folder}/**/*.txt"], work=work)) == b"3\n1\n2\n"
    assert read(open_corpus([f"{folder}/?"], work=work)) == b"1\n2\n"


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(folder: Path, work: Path) -> None:
    path = write(folder / "what[1]*.txt")
    write(folder / "what1.txt", b"another\n")
    assert read(open_corpus([path], work=work)) == POEM


def test_links_that_go_in_circles_end(folder: Path, work: Path) -> None:
    write(folder / "deep" / "text")
    (folder / "deep" / "up").symlink_to(folder)
    assert read(open_corpus([folder], work=work)) == POEM


def test_a_single_path_may_stand_for_a_list_of_one(folder: Path, work: Path) -> None:
    path = write(folder / "text")
    assert read(open_corpus(path, work=work)) == read(open_corpus(str(path), work=work)) == POEM  # type: ignore[arg-type]


def test_a_name_that_is_not_utf8_can_be_read_and_stored(folder: Path, work: Path) -> None:
    path = os.fsencode(folder) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_bytes(POEM)
    corpus = open_corpus([folder], work=work)
    assert read(corpus) == POEM
    assert corpus.files[0].path.encode().endswith(rb"/caf\xe9.txt")


def test_the_files_carry_their_sizes_and_hashes(folder: Path, work: Path) -> None:
    compressed = gzip.compress(POEM)
    write(folder / "a", compressed)
    write(folder / "b", b"")
    for threads in (1, 3):
        files = open_corpus([folder], work=work, threads=threads).files
        assert [file.n_bytes for file in files] == [len(compressed), 0]
        assert files[0].sha256 == hashlib.sha256(compressed).hexdigest()


def test_large_plain_files_are_cut_into_shards(folder: Path, work: Path) -> None:
    content = many_lines(100_000)
    corpus = open_corpus([write(folder / "text", content)], work=work, shard_bytes=30_000)
    assert [(shard.start, shard.stop) for shard in corpus.shards] == [
        (0, 30_000),
        (30_000, 60_000),
        (60_000, 90_000),
        (90_000, 100_000),
    ]
    assert corpus.n_bytes == 100_000
    assert read(corpus) == content + b"\n"
    assert repr(corpus) == "Corpus(1 files, 4 shards, 100,000 bytes)"


# Input that cannot be used


def refusal(sources: list[str | Path], work: Path, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(open_corpus(sources, work=work, **options))  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert not list(work.glob(".*"))
    return message


@pytest.mark.parametrize("source", ["nowhere.txt", "", "no\0where", "x" * 5000])
def test_a_missing_path_is_named(work: Path, source: str) -> None:
    refusal([source], work)


def test_a_missing_path_says_where_it_was_sought(work: Path) -> None:
    assert f"nowhere.txt does not exist; check the spelling (the current folder is {Path.cwd()})." == refusal(
        ["nowhere.txt"], work
    )


def test_no_sources_an_empty_folder_and_an_empty_pattern_are_refused(folder: Path, work: Path) -> None:
    write(folder / ".hidden")
    assert "no text was given" in refusal([], work)
    assert f"the folder {folder} holds no files" in refusal([folder], work)
    assert f"no file matches the pattern {folder}/*.txt" in refusal([f"{folder}/*.txt"], work)
    assert "nowhere/text does not exist" in refusal([folder / "nowhere/text"], work)


@pytest.mark.parametrize("content", [b"", gzip.compress(b""), zstandard.compress(b""), bz2.compress(b"")])
def test_files_without_any_text_are_refused(folder: Path, work: Path, content: bytes) -> None:
    assert "there is no text" in refusal([write(folder / "empty", content)], work)


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PNG, "a PNG image"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"),
        (b"PK\x03\x04\x14\0", "a ZIP archive"),
        (b"notes.txt".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
        ("Mond\n".encode("utf-16"), "UTF-16 text; iconv -f UTF-16 -t UTF-8 converts it"),
        ("Mond\n".encode("utf-16-be"), "UTF-16 text"),
        ("月が綺麗".encode("utf-16"), "UTF-16 text"),
        ("Mond\n".encode("utf-32"), "UTF-32 text"),
        (gzip.compress(POEM), "a gzip file inside a compressed file"),
    ],
)
@pytest.mark.parametrize("replace_invalid", [False, True])
def test_files_that_are_not_text_are_told_by_their_kind(
    folder: Path, work: Path, content: bytes, kind: str, replace_invalid: bool
) -> None:
    if "inside" not in kind:
        path = write(folder / "plain", content)
        assert f"plain is not plain text: it looks like {kind}" in refusal(
            [path], work, replace_invalid=replace_invalid
        )
    path = write(folder / "compressed", bz2.compress(content))
    assert f"it looks like {kind}" in refusal([path], work, replace_invalid=replace_invalid)


def test_a_nul_byte_is_refused_wherever_it_is(folder: Path, work: Path) -> None:
    near = write(folder / "near", b"words and\0more\n")
    assert "near is not plain text: it holds a NUL byte at byte 9; pass plain" in refusal([near], work)
    content = many_lines(200_000)
    far = write(folder / "far", content[:150_000] + b"\0" + content[150_000:])
    for options in ({}, {"shard_bytes": 1000}, {"replace_invalid": True}):
        assert "far is not plain text: it holds a NUL byte at byte 150,000;" in refusal([far], work, **options)


@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_broken_utf8_is_named_with_its_place(folder: Path, work: Path, compression: str) -> None:
    content = many_lines(200_000)
    broken = content[:170_000] + b"\xe9" + content[170_000:]
    path = write(folder / "latin.txt", COMPRESSORS.get(compression, bytes)(broken))
    for options in ({}, {"shard_bytes": 1000}, {"threads": 2}):
        message = refusal([path], work, **options)
        assert "latin.txt is not valid UTF-8: byte 170,000 is 0xe9;" in message
    mended = open_corpus([path], work=work, replace_invalid=True, threads=2)
    assert read(mended) == broken.replace(b"\xe9", "\ufffd".encode()) + b"\n"


def test_permission_denied_is_said(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder / "secret.txt")

    def deny(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "open", deny)
    assert "secret.txt may not be read: permission denied" in refusal([path], work)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_said(folder: Path, work: Path) -> None:
    write(folder / "closed" / "text")
    (folder / "closed").chmod(0)
    try:
        assert "closed may not be read: permission denied" in refusal([folder], work)
    finally:
        (folder / "closed").chmod(0o700)


def test_a_shard_of_a_folder_and_a_link_to_nothing_are_refused(folder: Path, work: Path) -> None:
    with pytest.raises(InputError, match="is a folder where a file was expected"):
        list(read_blocks(Shard(str(folder))))
    (folder / "link").symlink_to("nothing")
    assert "link does not exist" in refusal([folder], work)


@pytest.mark.parametrize(("option", "value"), [("threads", 0), ("shard_bytes", 0)])
def test_impossible_parameters_are_refused(folder: Path, work: Path, option: str, value: int) -> None:
    assert f"{option} is {value}; pass 1 or more." == refusal([write(folder / "text")], work, **{option: value})


# The work folder


@every_compression
def test_a_compressed_file_is_spooled_when_threads_would_be_idle(folder: Path, work: Path, compression: str) -> None:
    content = many_lines(100_000)
    path = write(folder / "text", COMPRESSORS[compression](content))
    corpus = open_corpus([path], work=work, threads=2, shard_bytes=30_000)
    assert len(corpus.shards) == 4
    assert read(corpus) == content + b"\n"
    assert len(list(work.iterdir())) == 1
    assert not open_corpus([path], work=work / "unused", threads=1).shards[0].path.startswith(str(work))


def test_a_restarted_run_takes_up_the_finished_copy(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(folder / "text", gzip.compress(POEM))
    first = open_corpus([path], work=work, threads=2)
    monkeypatch.setattr(text, "write_whole", None)
    assert open_corpus([path], work=work, threads=2) == first
    monkeypatch.undo()
    write(path, gzip.compress(b"other\n"))
    assert read(open_corpus([path], work=work, threads=2)) == b"other\n"


def test_nothing_half_written_stays_behind(folder: Path, work: Path) -> None:
    write(folder / "good", gzip.compress(many_lines(200_000)))
    write(folder / "bad", gzip.compress(os.urandom(100_000).hex().encode())[:-9])
    message = refusal([folder], work, threads=3)
    assert "bad ends in the middle" in message
    assert not [path for path in work.iterdir() if path.suffix != ".txt"]


@pytest.mark.parametrize("threads", [2, 3])
def test_an_interrupt_cleans_up(folder: Path, work: Path, threads: int) -> None:
    size = write(folder / "text", gzip.compress(many_lines(300_000))).stat().st_size
    n_read = 0

    def interrupt(n_bytes: int, _: int) -> None:
        nonlocal n_read
        n_read += n_bytes
        if n_read > size:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_corpus([folder], work=work, threads=threads, on_bytes=interrupt)
    assert not list(work.iterdir())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_while_a_dump_is_stripped_cleans_up(folder: Path, work: Path, threads: int) -> None:
    path = write(folder / "dump.xml", DUMP.encode())
    calls: list[int] = []

    def interrupt(n_bytes: int, _: int) -> None:
        calls.append(n_bytes)
        if len(calls) > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_corpus([path], work=work, threads=threads, on_bytes=interrupt)
    assert not list(work.iterdir())


def test_when_one_file_fails_the_others_stop() -> None:
    def work_on(number: int, stop: threading.Event) -> None:
        if number:
            raise InputError("broken")
        assert stop.wait(20)
        text._stop_if(stop)

    with pytest.raises(InputError, match="broken"):
        text._run_together(work_on, [0, 1], 2)


def test_a_full_disk_is_blamed_on_the_work_folder(folder: Path, tmp_path: Path) -> None:
    path = write(folder / "text", gzip.compress(POEM))
    with pytest.raises(InputError, match=r"plain text of .*text could not be written to .*gone: No such file"):
        open_corpus([path], work=tmp_path / "gone", threads=2)


def test_progress_counts_the_bytes_read(folder: Path, work: Path) -> None:
    size = write(folder / "text", gzip.compress(many_lines(100_000))).stat().st_size
    calls: list[tuple[int, int]] = []
    open_corpus([folder], work=work, threads=2, on_bytes=lambda *call: calls.append(call))
    assert sum(n_bytes for n_bytes, _ in calls) == 2 * size  # hashed, then inflated
    assert not any(n_tokens for _, n_tokens in calls)


# Standard input and pipes


def give_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_standard_input_is_read_once(
    work: Path, monkeypatch: pytest.MonkeyPatch, compression: str, threads: int
) -> None:
    content = COMPRESSORS.get(compression, bytes)(POEM)
    give_stdin(monkeypatch, content)
    corpus = open_corpus(["-", "-"], work=work, threads=threads)
    assert read(corpus) == read(corpus) == POEM
    assert [file.path for file in corpus.files] == ["-"]
    assert corpus.files[0].sha256 == hashlib.sha256(content).hexdigest()


def test_errors_call_standard_input_by_its_name(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"good\nb\xffd\n")
    assert refusal(["-"], work).startswith("standard input is not valid UTF-8: byte 6 is 0xff")
    give_stdin(monkeypatch, gzip.compress(POEM)[:-4])
    assert refusal(["-"], work).startswith("standard input ends in the middle of its gzip data")
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal(["-"], work).startswith("standard input is closed")


def test_a_pipe_is_read_once(folder: Path, work: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(POEM,))
    writer.start()
    corpus = open_corpus([pipe], work=work)
    writer.join()
    assert read(corpus) == read(corpus) == POEM
    assert corpus.files[0].path == str(pipe)


# MediaWiki dumps (their contents are tried in test_dump.py)

DUMP = """<?xml version="1.0"?>
<!-- made by hand -->
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="en">
  <page><title>Tie</title><ns>0</ns><revision><model>wikitext</model>
    <text>A '''tie''' is a [[necktie|piece of cloth]].{{stub}}\n\nOr a draw.</text></revision></page>
  <page><title>Talk:Tie</title><ns>1</ns><revision><text>No!</text></revision></page>
</mediawiki>
"""
DUMP_TEXT = b"A tie is a piece of cloth.\nOr a draw.\n"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_a_dump_is_recognised_by_content_and_stripped(folder: Path, work: Path, compression: str, threads: int) -> None:
    content = COMPRESSORS.get(compression, bytes)(DUMP.encode())
    corpus = open_corpus([write(folder / "dump.txt", content)], work=work, threads=threads)
    assert read(corpus) == DUMP_TEXT
    assert corpus.files[0].n_bytes == len(content)


def test_a_dump_may_come_from_standard_input(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, bz2.compress(DUMP.encode()))
    assert read(open_corpus(["-"], work=work)) == DUMP_TEXT


def test_other_xml_is_plain_text(folder: Path, work: Path) -> None:
    content = b"<?xml version='1.0'?><tei><mediawiki/></tei>\n"
    assert read(open_corpus([write(folder / "other.xml", content)], work=work)) == content


def test_a_truncated_dump_is_named_and_leaves_nothing(folder: Path, work: Path) -> None:
    path = write(folder / "dump.xml", DUMP.encode()[:-20])
    assert "dump.xml is not a whole MediaWiki dump: its XML breaks at line 8" in refusal([path], work)
    assert not list(work.iterdir())


def test_a_dump_without_articles_holds_no_text(folder: Path, work: Path) -> None:
    path = write(folder / "dump.xml", DUMP.replace("<ns>0</ns>", "<ns>2</ns>").encode())
    assert "there is no text in" in refusal([path], work)


def test_a_dump_needs_the_extra(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(MissingExtraError, match=r'pip install "wordatoms\[wiki\]"'):
        open_corpus([write(folder / "dump.xml", DUMP.encode())], work=work)


def test_an_endless_prologue_is_seen_through_quickly(folder: Path, work: Path) -> None:
    content = b"<!-- -->" * 5000 + b" " * 20_000 + b"<html>\n"
    assert read(open_corpus([write(folder / "page.html", content)], work=work)) == content

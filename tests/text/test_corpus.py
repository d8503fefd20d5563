from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from samples import COMPRESSORS, POEM, every_compression, many_lines, write
from wordatoms.errors import InputError, MissingExtraError
from wordatoms.text import corpus as text
from wordatoms.text.corpus import Corpus, open_corpus, read_blocks


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


def read(corpus: Corpus, **options: int) -> bytes:
    return b"".join(block for shard in corpus.shards for block in read_blocks(shard, **options))


# Compressed files


@every_compression
def test_compression_is_recognised_by_content_not_by_name(folder: Path, work: Path, compression: str) -> None:
    path = write(folder / "misnamed.png", COMPRESSORS[compression](POEM))
    corpus = open_corpus([path], work=work)
    (shard,) = corpus.shards
    assert (shard.path, shard.compression, shard.n_bytes) == (str(path), compression, path.stat().st_size)
    assert read(corpus) == POEM


def test_a_plain_file_may_be_named_like_a_compressed_one(folder: Path, work: Path) -> None:
    assert read(open_corpus([write(folder / "plain.gz")], work=work)) == POEM


def test_text_that_begins_like_bzip2_is_text(folder: Path, work: Path) -> None:
    assert read(open_corpus([write(folder / "text", b"BZh9 is a magic word\n")], work=work)).startswith(b"BZh9")


# Files


def test_a_folder_is_read_in_order_without_hidden_files(folder: Path, work: Path) -> None:
    for name in ["b.txt", "a/2.txt", "a/1.txt", ".hidden", ".git/config", "c.txt"]:
        write(folder / name, f"{name}\n".encode())
    corpus = open_corpus([folder], work=work)
    assert read(corpus) == b"a/1.txt\na/2.txt\nb.txt\nc.txt\n"
    assert [Path(file.path).name for file in corpus.files] == ["1.txt", "2.txt", "b.txt", "c.txt"]


def test_the_same_text_in_two_files_counts_twice(folder: Path, work: Path) -> None:
    for name in "ab":
        write(folder / name, gzip.compress(b"same\n"))
    for threads in (1, 4):
        assert read(open_corpus([folder], work=work, threads=threads)) == b"same\nsame\n"


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


@pytest.mark.parametrize("content", [b"", gzip.compress(b"", mtime=0), zstandard.compress(b""), bz2.compress(b"")])
def test_files_without_any_text_are_refused(folder: Path, work: Path, content: bytes) -> None:
    assert "there is no text" in refusal([write(folder / "empty", content)], work)


def test_a_missing_file_is_named(work: Path) -> None:
    assert "nowhere.txt does not exist" in refusal(["nowhere.txt"], work)


@pytest.mark.parametrize("replace_invalid", [False, True])
@pytest.mark.parametrize("compression", ["", *COMPRESSORS])
def test_a_file_that_is_not_text_is_told_by_its_kind(
    folder: Path, work: Path, compression: str, replace_invalid: bool
) -> None:
    path = write(folder / "image", COMPRESSORS.get(compression, bytes)(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"))
    message = refusal([path], work, replace_invalid=replace_invalid)
    assert "image is not plain text: it looks like a PNG image" in message


def test_a_file_compressed_twice_is_refused(folder: Path, work: Path) -> None:
    path = write(folder / "twice", bz2.compress(gzip.compress(POEM)))
    assert "it looks like a gzip file inside a compressed file" in refusal([path], work)


def test_a_nul_byte_is_refused_wherever_it_is(folder: Path, work: Path) -> None:
    near = write(folder / "near", b"words and\0more\n")
    assert "near is not plain text: it contains a NUL byte at byte 9; pass plain" in refusal([near], work)
    content = many_lines(200_000)
    far = write(folder / "far", content[:150_000] + b"\0" + content[150_000:])
    for options in ({}, {"shard_bytes": 1000}, {"replace_invalid": True}):
        assert "far is not plain text: it contains a NUL byte at byte 150,000;" in refusal([far], work, **options)


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
    assert "secret.txt cannot be read: permission denied" in refusal([path], work)


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
    monkeypatch.setattr(text, "write_atomic", None)
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


def test_when_one_file_fails_the_others_stop(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [write(folder / name, POEM) for name in "ab"]

    def hash_slowly(given: text._Input, on_read: Callable[[int], None]) -> None:
        if given.path == str(paths[1]):
            raise InputError("broken")
        for _ in range(2000):
            time.sleep(0.01)
            on_read(0)

    monkeypatch.setattr(text, "_hash", hash_slowly)
    with pytest.raises(InputError, match="broken"):
        open_corpus(paths, work=work, threads=2)


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
    assert "dump.xml is not a complete MediaWiki dump: its XML is invalid at line 8" in refusal([path], work)
    assert not list(work.iterdir())


def test_a_dump_without_articles_holds_no_text(folder: Path, work: Path) -> None:
    path = write(folder / "dump.xml", DUMP.replace("<ns>0</ns>", "<ns>2</ns>").encode())
    assert "there is no text in" in refusal([path], work)


def test_a_dump_needs_the_extra(folder: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mwparserfromhell", None)
    with pytest.raises(MissingExtraError, match=r'pip install ".*\[wiki\]"'):
        open_corpus([write(folder / "dump.xml", DUMP.encode())], work=work)


def test_an_endless_prologue_is_seen_through_quickly(folder: Path, work: Path) -> None:
    content = b"<!-- -->" * 5000 + b" " * 20_000 + b"<html>\n"
    assert read(open_corpus([write(folder / "page.html", content)], work=work)) == content

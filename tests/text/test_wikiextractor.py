"""The output of WikiExtractor, as plain text and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from samples import COMPRESSORS, write
from wordatoms.errors import InputError
from wordatoms.text import documents
from wordatoms.text.corpus import Corpus, open_corpus, read_blocks
from wordatoms.text.documents import read_column, read_files, read_lines
from wordatoms.text.shards import placed_blocks
from wordatoms.text.wikiextractor import blank_tags, is_extracted, unescape

PLAIN = """<doc id="12" url="https://en.wikipedia.org/wiki?curid=12" title="Anarchism">
Anarchism

Anarchism is a "philosophy" of AT&amp;T, a &lt;b&gt;.

</doc>
<doc id="25" url="https://en.wikipedia.org/wiki?curid=25" title="The "Tie" (film)">
The tie ended.
</doc>
"""
RECORDS = [
    {"id": "12", "revid": "1", "url": "https://x?curid=12", "title": "Anarchism", "text": "Of AT&amp;T\nand others."},
    {"id": "25", "revid": "2", "url": "https://x?curid=25", "title": "Tie", "text": "The tie ended."},
]
JSON = "".join(json.dumps(record) + "\n" for record in RECORDS)


def read(corpus: Corpus) -> bytes:
    return b"".join(block for shard in corpus.shards for block in read_blocks(shard))


@pytest.mark.parametrize("compression", ["", "bzip2"])
@pytest.mark.parametrize("threads", [1, 4])
def test_tags_are_no_text(tmp_path: Path, compression: str, threads: int) -> None:
    content = PLAIN.encode()
    path = write(tmp_path / "AA" / "wiki_00", COMPRESSORS[compression](content) if compression else content)
    (tmp_path / "work").mkdir()
    corpus = open_corpus([path], work=tmp_path / "work", threads=threads, shard_bytes=40)
    found = read(corpus)
    assert len(found) == len(content), "all places stay where they are"
    lines = [line for line in found.decode().split("\n") if line.strip()]
    assert lines == ['Anarchism is a "philosophy" of AT&    T, a <   b>   .', "The tie ended."]
    assert corpus.files[0].column == ""
    for shard in corpus.shards:
        for position, block in placed_blocks(shard):
            assert blank_tags(content)[position : position + len(block)] == block


def test_articles_are_documents(tmp_path: Path) -> None:
    expected = '\nAnarchism is a "philosophy" of AT&T, a <b>.\n\n'
    path = write(tmp_path / "wiki_00", PLAIN.encode())
    assert list(read_files([path])) == [("12 Anarchism", expected), ('25 The "Tie" (film)', "The tie ended.\n")]
    assert [text for _, text in read_lines([path])][-1] == "The tie ended."
    unclosed = write(tmp_path / "wiki_01", (PLAIN + "loose end").encode())
    assert list(read_files([unclosed]))[-1] == (str(unclosed), "loose end\n")


@pytest.mark.parametrize("name", ["wiki_00", "wiki_00.bz2", "articles.jsonl", "articles.json"])
def test_articles_as_json_need_no_column(tmp_path: Path, name: str) -> None:
    content = JSON.encode()
    path = write(tmp_path / name, COMPRESSORS["bzip2"](content) if name.endswith("bz2") else content)
    (tmp_path / "work").mkdir()
    corpus = open_corpus([path], work=tmp_path / "work")
    assert read(corpus) == b"Of AT&T\nand others.\nThe tie ended.\n"
    assert corpus.files[0].column == "text"
    assert list(read_files([path])) == [("12 Anarchism", "Of AT&T\nand others."), ("25 Tie", "The tie ended.")]
    assert list(read_column([path], "title", names="id")) == [("12", "Anarchism"), ("25", "Tie")]
    assert read(open_corpus([path], work=tmp_path / "work", column="title")) == b"Anarchism\nTie\n"


def test_other_json_is_not_taken_for_articles(tmp_path: Path) -> None:
    text = b'{"id": 1, "text": "x"}\n'
    assert read(open_corpus([write(tmp_path / "a.txt", text)], work=tmp_path)) == text, "its name says nothing"
    assert read(open_corpus([write(tmp_path / "b.txt", b"{ spring }\n")], work=tmp_path)) == b"{ spring }\n"
    with pytest.raises(InputError, match=r"is a table; say with --column .*: id, text\."):
        open_corpus([write(tmp_path / "a.jsonl", text)], work=tmp_path)


@pytest.mark.parametrize("head", [b"<doc>\n", b'The <doc id="1" title="x">\n', b'<doc id="1">\n', b"<doc id=" * 8000])
def test_other_text_is_not_taken_for_articles(head: bytes) -> None:
    assert not is_extracted(head)


def test_an_article_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST_DOCUMENT", 100)
    path = write(tmp_path / "wiki_00", PLAIN.encode().partition(b"</doc>")[0] + b"more text\n" * 20)
    with pytest.raises(InputError, match="the article '12 Anarchism' is longer than 100 characters"):
        list(read_files([path]))


@pytest.mark.parametrize("shard_bytes", [1, 13, 87, 90, 1 << 20])
@pytest.mark.parametrize("block_bytes", [64, 1 << 20])
def test_only_a_repeated_title_is_left_out(tmp_path: Path, shard_bytes: int, block_bytes: int) -> None:
    def article(title: str, *lines: str) -> str:
        return "\n".join([f'<doc id="1" url="https://x" title="{title}">', *lines, "</doc>", ""])

    content = article("Tie", "Tie", "", "Tie", "A tie.") + article('The "Ring"', 'The "Ring"\r', "It rang.")
    content += article("Bank", "Banks", "Bank") + article("Empty") + article("Spring", "", "Spring")
    expected = ["Tie", "A tie.", "It rang.", "Banks", "Bank", "Spring"]
    path = write(tmp_path / "wiki_00", content.encode())
    (tmp_path / "work").mkdir()
    corpus = open_corpus([path], work=tmp_path / "work", shard_bytes=shard_bytes)
    blocks = [block for shard in corpus.shards for block in read_blocks(shard, block_bytes=block_bytes)]
    assert b"".join(blocks).decode().split("\n")[0].isspace()
    assert [line for line in b"".join(blocks).decode().splitlines() if line.strip()] == expected
    assert [line for _, text in read_files([path]) for line in text.splitlines() if line.strip()] == expected


def test_unescaping_undoes_the_padding() -> None:
    for text in ("AT&amp;T", "a &lt;b&gt; c", "&amp;lt;", "plain"):
        assert unescape(blank_tags(text.encode()).decode()) == unescape(text)

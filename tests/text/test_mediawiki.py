from __future__ import annotations

import io
import logging
import time
from collections.abc import Iterator

import pytest

from samplewiki import page, paragraphs_of, wiki
from wordatoms.errors import InputError
from wordatoms.text import mediawiki as dump
from wordatoms.text.mediawiki import iter_pages, strip_markup


def pages_of(content: bytes) -> list[str]:
    return [page.text for page in iter_pages(io.BytesIO(content))]


# Pages


def test_articles_are_taken_and_everything_else_is_left() -> None:
    content = wiki(
        page("Tie", "A &lt;b&gt;tie&lt;/b&gt; &amp; more"),
        page("Talk:Tie", "talk", ns="<ns>1</ns>"),
        page("Ties", "#REDIRECT [[Tie]]", extra='<redirect title="Tie" />'),
        page("Bow", " #redirect [[Tie]]"),
        page("Q42", "{}", model="wikibase-item"),
        page("Empty", ""),
        page("None"),
        page("Old", "no namespace", ns=""),
    )
    assert pages_of(content) == ["A <b>tie</b> & more", "no namespace"]


def test_the_newest_revision_counts() -> None:
    assert pages_of(wiki(page("Tie", "first", "second", "third"))) == ["third"]


def test_pages_come_one_after_the_other_without_reading_ahead() -> None:
    class Endless:
        n_reads = 0

        def read(self, size: int, /) -> bytes:
            self.n_reads += 1
            head = b"<mediawiki>" if self.n_reads == 1 else b""
            return head + page("Tie", "word " * (size // 5)).encode()

    stream = Endless()
    pages = (page.text for page in iter_pages(stream))
    for _ in range(5):
        assert next(pages).startswith("word word")
    assert stream.n_reads <= 6


# XML that cannot be used


def test_truncated_xml_is_refused_with_its_place_wherever_it_ends() -> None:
    content = wiki(page("Tie", "A tie\nis a draw"), page("Ärger", "müßig"))
    for n_bytes in range(0, len(content), 7):
        with pytest.raises(InputError, match=r"is invalid at line \d, column \d+ \(byte [\d,]+\)"):
            pages_of(content[:n_bytes])


def test_malformed_xml_is_refused_with_its_place() -> None:
    content = wiki(page("Tie", "fine"), page("Bad", "\n& so <b>"))
    with pytest.raises(InputError, match="not a complete MediaWiki dump: its XML is invalid at line 5, column 1 "):
        pages_of(content)


BILLION_LAUGHS = b"""<?xml version="1.0"?><!DOCTYPE mediawiki [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<mediawiki><page><title>&b;</title></page></mediawiki>"""


def test_entities_are_refused_before_they_expand() -> None:
    with pytest.raises(InputError, match="declares a document type or entities at byte 41"):
        pages_of(BILLION_LAUGHS)


def test_elements_nested_without_end_are_refused() -> None:
    with pytest.raises(InputError, match="nests elements more than 64 deep"):
        pages_of(b"<mediawiki>" + b"<a>" * 1000)


def test_a_tag_without_end_is_refused_before_it_fills_the_memory() -> None:
    class Endless:
        n_bytes = 0

        def read(self, size: int, /) -> bytes:
            self.n_bytes += size
            return b"x" * size if self.n_bytes > size else b"<mediawiki a='"

    stream = Endless()
    with pytest.raises(InputError, match="a tag or comment longer than 1,048,576 bytes at byte 0"):
        list(iter_pages(stream))
    assert stream.n_bytes < 3 << 20


# Mark-up


@pytest.mark.parametrize(
    ("wikitext", "paragraphs"),
    [
        ("A '''tie''' is ''a'' '''''draw'''''.", ["A tie is a draw."]),
        ("l''''amour''' and it's", ["l'amour and it's"]),
        ("[[Tie]]s in [[knot|bow]]s, [[:Category:Tie]]", ["Ties in bows, Category:Tie"]),
        ("[[Star Trek: Voyager]]", ["Star Trek: Voyager"]),
        ("see [http://a.b the page], [http://a.b] or http://a.b now", ["see the page, or now"]),
        ("before {{infobox|a={{b|c}}|d=[[e]]}} after", ["before after"]),
        ("{{{argument|x}}}word", ["word"]),
        ("one<ref>note</ref> two<ref name=a/> three<ref name='b'>[[x]]</ref>", ["one two three"]),
        ("text\n{| class=wikitable\n! head\n|-\n| cell || [[cell]]\n|}\nmore", ["text", "more"]),
        ("<table><tr><td>cell</td></tr></table>word", ["word"]),
        ("a[[File:x.png|thumb|a [[caption]] here]]b [[Image:y.jpg]]c", ["ab c"]),
        ("[[Category:Ties| ]]\n[[category:knots]]\nword", ["word"]),
        ("[[Bild:x.png|mini|Unterschrift]]word [[de:Krawatte]] [[zh-yue:x]]", ["word"]),
        ("<!-- hidden\nlines -->word<!-- never closed {{", ["word"]),
        ("== Heading ==\nword\n=== Sub ===\n", ["word"]),
        (
            "* one\n** two\n# three\n; term: definition\n: indented",
            ["one", "two", "three", "term definition", "indented"],
        ),
        ("__NOTOC__word __KEIN_INHALT__ __目次非表示__ a__b __init__", ["word a__b __init__"]),
        ("!Kung is a language", ["!Kung is a language"]),
        ("a&nbsp;b &amp; c&mdash;d &#233;&#xD800;e &#1;", ["a b & c—d é e"]),
        ("می&zwnj;خواهم", ["می\u200cخواهم"]),
        ("H<sub>2</sub>O<br>line<br/>line<div class='x'>block</div>end", ["H2O line line", "block", "end"]),
        (
            "<math>a<b</math>word<gallery>\nx.jpg|caption\n</gallery><syntaxhighlight>x = [[1]]</syntaxhighlight>",
            ["word"],
        ),
        ("<nowiki>[[kept]]</nowiki> ''' ----\n----\n", ["[[kept]] ----"]),
        ("<span style='x'>unclosed <div>tags <ref>stay out", ["unclosed", "tags stay out"]),
        ("{| never closed\n| cell\nword", ["word"]),
        ("a\r\nb\u2028c\n\n\n  d  e ", ["a", "b c", "d e"]),
        ("()\n*\n— ,\n", []),
        ("", []),
    ],
)
def test_what_a_reader_sees_stays(wikitext: str, paragraphs: list[str]) -> None:
    assert strip_markup(wikitext) == paragraphs


def test_files_and_categories_go_by_the_names_of_the_wiki() -> None:
    text = "Wort [[Datei:x.png]] [[Kategorie:Y]] [[Medium:z.ogg]] [[File:u.png]]"
    assert paragraphs_of(wiki(page("Wort", text))) == [["Wort"]]
    assert paragraphs_of(wiki(page("Wort", text), site="")) == [["Wort Datei:x.png Kategorie:Y Medium:z.ogg"]]


def long_page(n_sections: int) -> str:
    section = "== Section {0} ==\nText of '''section''' {0} with a [[link|word]].{{{{t|{0}\n}}}}\n{{|\n| {0}\n\n|}}\n"
    return "".join(section.format(number) for number in range(n_sections))


def test_a_long_page_in_pieces_reads_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [f"Text of section {number} with a word." for number in range(300)]
    assert len(list(dump._pieces(long_page(300)))) > 2
    assert strip_markup(long_page(300)) == expected
    monkeypatch.setattr(dump, "_PIECE_CHARACTERS", 1)
    assert strip_markup(long_page(300)) == expected
    monkeypatch.setattr(dump, "_PIECE_CHARACTERS", 1 << 30)
    assert strip_markup(long_page(300)) == expected


TANGLES = ["<foo>", "{{a|b=", "[[a|<foo>", "{|\n", "<foo ", "[http://a ", "{{a|[[b}}]]<foo>", "<math>{{"]


@pytest.mark.parametrize("tangle", TANGLES)
def test_markup_that_would_take_too_long_is_refused_at_once(tangle: str) -> None:
    started = time.process_time()
    with pytest.raises(InputError, match="never close or close in the wrong order"):
        strip_markup(tangle * 50_000)
    assert time.process_time() - started < 5


def test_formulas_with_many_signs_are_no_tangle() -> None:
    assert strip_markup("word <math>a<b, c<d {</math>\n" * 2000) == ["word"] * 2000


def test_a_raw_tag_that_never_closes_is_no_tangle_by_itself() -> None:
    assert len(strip_markup("<pre>" + "a line of words\n" * 20_000)) == 20_000


def test_text_beyond_any_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "MAX_PAGE_CHARACTERS", 100)
    with pytest.raises(InputError, match="longer than 100 characters"):
        strip_markup("x" * 101)


# Whole dumps


@pytest.mark.parametrize("threads", [1, 2])
def test_a_page_that_cannot_be_parsed_is_left_out_with_a_warning(
    caplog: pytest.LogCaptureFixture, threads: int
) -> None:
    content = wiki(
        page("Good", "first"),
        page("Tangled", "{{a|b=" * 20_000),
        page("Huge", "x" * (dump.MAX_PAGE_CHARACTERS + 1)),
        page("Fine", "last"),
    )
    with caplog.at_level(logging.WARNING):
        assert paragraphs_of(content, threads) == [["first"], ["last"]]
    assert "probe.xml: the page 'Tangled' is skipped: 20,000 brackets" in caplog.text
    assert "probe.xml: the page 'Huge' is skipped: the wikitext is longer" in caplog.text


def many_pages() -> Iterator[str]:
    for number in range(60):
        yield page(f"Page {number}", f"'''Page''' [[number]] {number}\n" * 20)


def test_pages_keep_their_order_on_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "_BATCH_CHARACTERS", 1000)
    content = wiki(*many_pages())
    alone = paragraphs_of(content)
    assert [paragraphs[0] for paragraphs in alone] == [f"Page number {number}" for number in range(60)]
    assert paragraphs_of(content, threads=2) == alone


def test_an_error_in_the_middle_ends_the_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump, "_BATCH_CHARACTERS", 1000)
    with pytest.raises(InputError, match=r"probe\.xml is not a complete MediaWiki dump"):
        paragraphs_of(wiki(*many_pages())[:-30], threads=2)

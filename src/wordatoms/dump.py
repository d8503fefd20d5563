"""Articles of a MediaWiki dump as plain paragraphs.

The paper trains on Wikipedia (its section 2) and does not say how the text was taken out of the dump; this
module keeps what a reader of the page would call running text. `iter_pages` streams over the XML and takes
the articles: pages of the main namespace in wikitext that are not redirects, the newest revision of each.
`strip_markup` takes the mark-up off one of them with mwparserfromhell, and `iter_paragraphs` does both for a
whole dump on several processes, because stripping is slow and holds the interpreter's lock.

Left out: templates are dropped rather than expanded, and so are tables, references, captions, headings,
formulas and program code. A page that would keep the parser busy out of all proportion is skipped.
"""

from __future__ import annotations

import logging
import re
import signal
import unicodedata
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from wordatoms.errors import InputError, require_extra

MAX_PAGE_CHARACTERS = 1 << 22
"""Longer pages are skipped; MediaWiki itself takes 2 MiB at most."""
DROPPED_NAMESPACES = ("File", "Image", "Media", "Category")
"""Links into these show a picture or a category and no text, whatever language the wiki is in."""

_READ_BYTES = 1 << 16
_BATCH_CHARACTERS = 1 << 18  # about a quarter of a second of stripping
_MAX_TOKEN_BYTES = 1 << 20  # of XML, which the parser has to hold whole: a tag, a comment
_MAX_DEPTH = 64
_MAX_TANGLE = 50_000_000  # about ten seconds of parsing

log = logging.getLogger(__name__)


class Page(NamedTuple):
    """An article: its title, its wikitext, and what its wiki calls files and categories."""

    title: str
    text: str
    namespaces: frozenset[str]


def iter_pages(stream: IO[bytes], *, name: str = "the dump") -> Iterator[str]:
    """The wikitext of each article of a dump, in order; `name` is what errors call it."""
    return (page.text for page in _read_pages(stream, name))


def iter_paragraphs(stream: IO[bytes], *, threads: int = 1, name: str = "the dump") -> Iterator[list[str]]:
    """The paragraphs of the articles of a dump, a few articles at a time, in order, on `threads` processes."""
    for results in _map_in_order(_strip_batch, _batches(_read_pages(stream, name)), threads):
        for title, result in results:
            if isinstance(result, str):
                log.warning("%s: the page %r is left out: %s", name, title, result)
            else:
                yield result


# XML


class _PageParser:
    """Receives the events of expat and keeps the articles that are complete."""

    _FIELDS = frozenset({"title", "ns", "model", "text", "namespace"})

    def __init__(self, name: str) -> None:
        self.name = name
        self.pages: list[Page] = []
        self._depth = 0
        self._n_bytes = 0
        self._namespaces = frozenset(DROPPED_NAMESPACES)
        self._fields: dict[str, str] = {}
        self._key = ""
        self._parts: list[str] | None = None
        self._n_characters = 0
        self._expat = expat.ParserCreate()
        self._expat.buffer_text = True
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._characters
        self._expat.StartDoctypeDeclHandler = self._refuse_doctype

    def feed(self, data: bytes) -> None:
        """Parse on; no data means that the dump ends here."""
        try:
            self._expat.Parse(data, not data)
        except expat.ExpatError as error:
            raise InputError(
                f"{self.name} is not a whole MediaWiki dump: its XML breaks at line {error.lineno:,}, column "
                f"{error.offset:,} (byte {self._expat.ErrorByteIndex:,}): {expat.ErrorString(error.code)}; "
                "copy or download it again."
            ) from error
        self._n_bytes += len(data)
        if self._n_bytes - self._expat.CurrentByteIndex > _MAX_TOKEN_BYTES + len(data):
            self._refuse(f"has a tag or comment longer than {_MAX_TOKEN_BYTES:,} bytes")

    def _refuse(self, what: str) -> None:
        raise InputError(f"{self.name} {what} at byte {self._expat.CurrentByteIndex:,}, which no MediaWiki dump has.")

    def _refuse_doctype(self, *_: object) -> None:
        self._refuse("declares a document type or entities")  # which may expand without end

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._refuse(f"nests elements more than {_MAX_DEPTH} deep")
        if tag == "page":
            self._fields = {}
        elif tag == "redirect":
            self._fields[tag] = tag
        elif tag in self._FIELDS:
            self._key = attributes.get("key", "")
            self._parts, self._n_characters = [], 0

    def _characters(self, data: str) -> None:
        if self._parts is not None and self._n_characters <= MAX_PAGE_CHARACTERS:
            self._parts.append(data)
            self._n_characters += len(data)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag in self._FIELDS and self._parts is not None:
            self._fields[tag] = "".join(self._parts)
            self._parts = None
        if tag == "namespace" and self._key in _DROPPED_KEYS:
            self._namespaces |= {self._fields[tag]}
        if tag == "page":
            self._finish_page(self._fields)

    def _finish_page(self, fields: Mapping[str, str]) -> None:
        text = fields.get("text", "")
        is_article = fields.get("ns", "0") == "0" and fields.get("model", "wikitext") == "wikitext"
        if is_article and text and "redirect" not in fields and not _REDIRECT.match(text):
            self.pages.append(Page(fields.get("title", ""), text, self._namespaces))


_DROPPED_KEYS = frozenset({"-2", "6", "14"})  # the numbers of the namespaces Media, File and Category
_REDIRECT = re.compile(r"\s*#REDIRECT\b", re.IGNORECASE)


def _read_pages(stream: IO[bytes], name: str) -> Iterator[Page]:
    parser = _PageParser(name)
    data = b"\n"
    while data:
        data = stream.read(_READ_BYTES)
        parser.feed(data)
        yield from parser.pages
        parser.pages.clear()


# Mark-up

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INLINE = re.compile(
    r"</?(?:abbr|b|bdi|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nowiki|q|rp|rt|ruby|s|samp|small|span|strike|"
    r"strong|sub|sup|tt|u|var|wbr)\b[^<>]*>",
    re.IGNORECASE,
)
_BLOCK = re.compile(
    r"</?(?:blockquote|br|center|dd|div|dl|dt|hr|li|ol|onlyinclude|p|poem|pre|section|ul)\b[^<>]*>", re.IGNORECASE
)
_HIDDEN_TAGS = frozenset(
    "categorytree ce chem gallery graph hiero imagemap indicator inputbox mapframe maplink math ref references "
    "score source syntaxhighlight table templatedata templatestyles timeline".split()
)
_QUOTES = re.compile(r"('*?)(?:'{5}|'{2,3})(?!')")  # bold and italics; what is over is an apostrophe
_SWITCH = re.compile(r"__[^\W\d_]+__")
_STRAY_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_STRAY_LINE = ("|", "{|", "}}", "!")  # of a table or template that never ends
_LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*:")


def strip_markup(wikitext: str, *, namespaces: Collection[str] = DROPPED_NAMESPACES) -> list[str]:
    """The paragraphs of a page: running text, link texts and list items, one per line, without the mark-up.

    `namespaces` are the names by which the wiki's files and categories are linked to.
    """
    text = _BLOCK.sub("\n", _INLINE.sub("", _COMMENT.sub("", wikitext)))
    if (tangle := _tangle(text)) > _MAX_TANGLE:
        raise InputError(
            f"its mark-up of {len(text):,} characters has {tangle // len(text):,} brackets and tags that "
            "never close or close in the wrong order; mend it."
        )
    parse = require_extra("mwparserfromhell", "wiki").parse
    dropped = frozenset(namespace.casefold() for namespace in namespaces)
    visible = _visible_text(parse(text, skip_style_tags=True), dropped)
    return list(_paragraphs(_STRAY_TAG.sub("", _SWITCH.sub("", _QUOTES.sub(r"\1", visible)))))


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        paragraph = " ".join(line.split())
        if any(map(str.isalnum, paragraph)) and not paragraph.startswith(_STRAY_LINE):
            yield paragraph


def _visible_text(wikicode: Any, dropped: frozenset[str]) -> str:
    return "".join(_visible(node, dropped) for node in wikicode.nodes)


def _visible(node: Any, dropped: frozenset[str]) -> str:
    """What a reader sees of one node; templates, headings and the rest show nothing."""
    match type(node).__name__:
        case "Text":
            return str(node.value)
        case "HTMLEntity":
            return _visible_character(node.normalize())
        case "Wikilink":
            return _visible_link(node, dropped)
        case "ExternalLink":
            return _visible_text(node.title, dropped) if node.title else ""
        case "Tag" if node.contents and str(node.tag).strip().lower() not in _HIDDEN_TAGS:
            return _visible_text(node.contents, dropped)
    return ""


def _visible_character(character: str) -> str:
    """Numbers may stand for control characters and half characters, which are no text."""
    return " " if unicodedata.category(character) in ("Cc", "Cs") else character


def _visible_link(link: Any, dropped: frozenset[str]) -> str:
    title = str(link.title).strip()
    namespace, colon, _ = title.partition(":")
    if colon and namespace.strip().casefold() in dropped:
        return ""
    if link.text:
        return "" if _has_options(link.text) else _visible_text(link.text, dropped)
    return "" if _LANGUAGE_LINK.match(title) else title.removeprefix(":")


def _has_options(link_text: Any) -> bool:
    """Whether there is a second bar, as only pictures have, by whatever name their namespace goes."""
    return any(type(node).__name__ == "Text" and "|" in node.value for node in link_text.nodes)


_MARK = re.compile(
    r"(?P<open>\{\{|\{\||\[\[|\[(?=\w+:|//))|(?P<close>\}\}|\|\}(?!\})|\]\]|\])|"
    r"<(?P<slash>/?)(?P<tag>[a-z]\w*)(?P<attributes>[^<>]*)(?P<end>>?)",
    re.IGNORECASE,
)
_PARTNER = {"}}": "{{", "|}": "{|", "]]": "[[", "]": "["}
_NEVER_CLOSED = frozenset("li dt dd th td tr img link meta".split())


def _tangle(wikitext: str) -> int:
    """An estimate of the parser's work: it reads on to the end for each thing that opens and never closes."""
    n_unclosed = 0
    open_marks: list[str] = []
    n_open: Counter[str] = Counter()
    for mark in _MARK.finditer(wikitext):
        ...
    return n_unclosed * len(wikitext)

"""Extract the articles of a MediaWiki dump as plain paragraphs.

The paper trains on Wikipedia (Section 5) and does not say how the text was extracted; this module keeps the running
text of a page. `iter_pages` streams the XML and yields articles: the newest revision of each wikitext page in the main
namespace that is not a redirect. `strip_markup` removes the markup of one page with mwparserfromhell, and
`iter_paragraphs` does both for a whole dump on several processes, because stripping is slow and holds the GIL.

Left out: templates are dropped rather than expanded, as are tables, references, captions, headings, formulas and
program code. A page that would take too long to parse is skipped.
"""

from __future__ import annotations

import logging
import re
import signal
import unicodedata
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple, Protocol
from xml.parsers import expat

from wordatoms.errors import InputError, require_extra

MAX_PAGE_CHARACTERS = 1 << 22
"""Longer pages are skipped; MediaWiki itself allows 2 MiB."""
DROPPED_NAMESPACES = ("File", "Image", "Media", "Category")
"""Links to these show an image or a category, not text, in a wiki of any language."""

_READ_BYTES = 1 << 16
_BATCH_CHARACTERS = 1 << 18  # about a quarter of a second of stripping
_MAX_TOKEN_BYTES = 1 << 20  # a tag or comment, which the XML parser keeps in memory
_MAX_DEPTH = 64
_PIECE_CHARACTERS = 1 << 12
_TEMPLATE_LEVELS = 8  # nested templates removed by regular expression; the parser handles the outer ones
_MAX_TANGLE = 20_000_000  # per page: at most a few seconds of parsing
_MAX_UNCLOSED = 500  # per page: a short page that closes nothing would take as long as a long one
_MAX_NAMESPACES = 1000  # MediaWiki has about thirty
_MAX_NAMESPACE_CHARACTERS = 255

log = logging.getLogger(__name__)


class ByteStream(Protocol):
    """Anything with a `read` for bytes; an empty result is the end."""

    def read(self, size: int, /) -> bytes | None: ...


class Page(NamedTuple):
    """An article: title, wikitext, and the names of its wiki for files and categories."""

    title: str
    text: str
    namespaces: frozenset[str]


def iter_paragraphs(stream: ByteStream, *, threads: int = 1, name: str = "the dump") -> Iterator[list[str]]:
    """Yield the paragraphs of each article of a dump in order, using `threads` processes (this one if 1).

    Articles whose markup would take too long to parse are skipped with a warning in the log.
    """
    for batch in _strip_batches(_batches(iter_pages(stream, name=name)), threads):
        for page in batch:
            if page.problem:
                log.warning("%s: the page '%s' is skipped: %s", name, page.title, page.problem)
            else:
                yield page.paragraphs


# --- XML


class _PageParser:
    """Handles the events of expat and collects complete articles."""

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
        """Parse more data; none means the end of the dump."""
        try:
            self._expat.Parse(data, not data)
        except InputError:
            raise
        except (LookupError, ValueError) as error:  # from Python's codecs
            raise InputError(
                f"{self.name} declares an encoding that cannot be read ({error}); convert it to UTF-8."
            ) from error
        except expat.ExpatError as error:
            raise InputError(
                f"{self.name} is not a complete MediaWiki dump: its XML is invalid at line {error.lineno:,}, column "
                f"{error.offset:,} (byte {max(self._expat.ErrorByteIndex, 0):,}): {expat.ErrorString(error.code)}; "
                "copy or download it again."
            ) from error
        self._n_bytes += len(data)
        if self._n_bytes - self._expat.CurrentByteIndex > _MAX_TOKEN_BYTES + len(data):
            self._refuse(f"has a tag or comment longer than {_MAX_TOKEN_BYTES:,} bytes")

    def _refuse(self, what: str) -> None:
        raise InputError(
            f"{self.name} {what} at byte {max(self._expat.CurrentByteIndex, 0):,}, as no MediaWiki dump does; "
            "download the dump again."
        )

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
            self._add_namespace(self._fields.get(tag, ""))
        if tag == "page":
            self._finish_page(self._fields)

    def _add_namespace(self, namespace: str) -> None:
        self._namespaces |= {namespace[:_MAX_NAMESPACE_CHARACTERS]}
        if len(self._namespaces) > _MAX_NAMESPACES:
            self._refuse(f"has more than {_MAX_NAMESPACES:,} names for files and categories")

    def _finish_page(self, fields: Mapping[str, str]) -> None:
        text = fields.get("text", "")
        is_article = fields.get("ns", "0") == "0" and fields.get("model", "wikitext") == "wikitext"
        if is_article and text and "redirect" not in fields and not _REDIRECT.match(text):
            self.pages.append(Page(fields.get("title", "")[:_MAX_NAMESPACE_CHARACTERS], text, self._namespaces))


_DROPPED_KEYS = frozenset({"-2", "6", "14"})  # the numbers of the namespaces Media, File and Category
_REDIRECT = re.compile(r"\s*#REDIRECT\b", re.IGNORECASE)


def iter_pages(stream: ByteStream, *, name: str = "the dump") -> Iterator[Page]:
    """Yield the articles of a dump in order; `name` is used in error messages."""
    parser = _PageParser(name)
    is_end = False
    while not is_end:
        data = stream.read(_READ_BYTES) or b""
        is_end = not data
        parser.feed(data)
        yield from parser.pages
        parser.pages.clear()


# --- Markup

_STYLE_TAG = re.compile(
    r"</?(?:(?P<inline>abbr|b|bdi|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|rp|rt|ruby|s|samp|small|span|"
    r"strike|strong|sub|sup|tt|u|var|wbr)|"
    r"(?P<gap>br|hr)|"
    r"(?P<block>blockquote|center|dd|div|dl|dt|li|ol|onlyinclude|p|poem|section|ul))\b[^<>]*>",
    re.IGNORECASE,
)
_IN_PLACE_OF_STYLE = {"inline": "", "gap": " ", "block": "\n"}
_HIDDEN_TAG = re.compile(
    "categorytree|ce|chem|gallery|graph|hiero|imagemap|indicator|inputbox|mapframe|maplink|math|ref|references|"
    "score|source|syntaxhighlight|table|templatedata|templatestyles|timeline",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_INNER_TEMPLATE = re.compile(r"\{\{\{[^{}]*\}\}\}|\{\{[^{}]*\}\}")
_PLAIN_REFERENCE = re.compile(r"<ref\b[^<>]*(?:/>|>[^<>]*</ref\s*>)", re.IGNORECASE)
_QUOTES = re.compile(r"('*?)(?:'{5}|'{2,3})(?!')")  # bold and italics; one more is an apostrophe
_SWITCH = re.compile(r"__[^\W\d_]+(?:_[^\W\d_]+)*__")
_STRAY_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_STRAY_LINE = ("|", "{|", "}}")  # of an unclosed table or template
_LANGUAGE_LINK = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*:")


def strip_markup(wikitext: str, *, namespaces: Collection[str] = DROPPED_NAMESPACES) -> list[str]:
    """Return the paragraphs of a page without markup: running text, link texts and list items.

    `namespaces` are the names of the wiki for files and categories. Markup that would take too long to parse raises an
    `InputError`.
    """
    parse = require_extra("mwparserfromhell", "wiki").parse
    if len(wikitext) > MAX_PAGE_CHARACTERS:
        raise InputError(f"the wikitext is longer than {MAX_PAGE_CHARACTERS:,} characters; shorten it.")
    text = _without_simple_marks(wikitext)
    dropped = frozenset(namespace.casefold() for namespace in namespaces)
    visible = "".join(_visible_text(parse(piece, skip_style_tags=True), dropped) for piece in _pieces(text))
    return list(_paragraphs(_STRAY_TAG.sub("", _SWITCH.sub(_without_switch, _QUOTES.sub(r"\1", visible)))))


def _without_simple_marks(wikitext: str) -> str:
    """Remove simple markup by regular expressions, which halves the time of the parser and makes its failures rare.

    The parser would leave unclosed style tags such as <small> in the text.
    """
    text = _COMMENT.sub("", wikitext)
    for _ in range(_TEMPLATE_LEVELS):
        text, n_dropped = _INNER_TEMPLATE.subn("", text)
        if not n_dropped:
            break
    text = _PLAIN_REFERENCE.sub("", text)
    return _STYLE_TAG.sub(lambda tag: _IN_PLACE_OF_STYLE[str(tag.lastgroup)], text)


def _without_switch(word: re.Match[str]) -> str:
    """Remove switches such as __NOTOC__, which have no lower-case letters; keep __init__."""
    return "" if word[0] == word[0].upper() else word[0]


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        paragraph = " ".join(line.split())
        if any(map(str.isalnum, paragraph)) and not paragraph.startswith(_STRAY_LINE):
            yield paragraph


def _visible_text(wikicode: Any, dropped: Collection[str]) -> str:
    return "".join(_visible(node, dropped) for node in wikicode.nodes)


def _visible(node: Any, dropped: Collection[str]) -> str:
    """Return the visible text of a node; templates, headings and other nodes have none."""
    match type(node).__name__:
        case "Text":
            return str(node.value)
        case "HTMLEntity":
            character = node.normalize()
            return " " if unicodedata.category(character) in ("Cc", "Cs") else character  # not text
        case "Wikilink":
            return _visible_link(node, dropped)
        case "ExternalLink" if node.title:
            return _visible_text(node.title, dropped)
        case "Tag" if node.contents and not _HIDDEN_TAG.fullmatch(str(node.tag).strip()):
            return _visible_text(node.contents, dropped)
    return ""


def _visible_link(link: Any, dropped: Collection[str]) -> str:
    title = str(link.title).strip()
    namespace, colon, _ = title.partition(":")
    if colon and namespace.strip().casefold() in dropped:
        return ""
    if link.text:
        return "" if _has_options(link.text) else _visible_text(link.text, dropped)
    return "" if _LANGUAGE_LINK.match(title) else _visible_text(link.title, dropped).strip().removeprefix(":")


def _has_options(link_text: Any) -> bool:
    """Whether a link text has a second bar, as only images do, in any language."""
    return any(type(node).__name__ == "Text" and "|" in node.value for node in link_text.nodes)


# --- Pieces that can be parsed separately, to bound the time

_MARK = re.compile(
    r"(?P<line>\n)|(?P<open>\{\{|\{\||\[\[|\[(?=\w+:|//))|(?P<close>\}\}|\|\}(?!\})|\]\]?)|"
    r"<(?P<slash>/?)(?P<tag>[a-z]\w*)(?P<attributes>[^<>]*)(?P<end>>?)",
    re.IGNORECASE,
)
_OPENING = {"}}": "{{", "|}": "{|", "]]": "[[", "]": "["}
_SINGLE_TAGS = frozenset({"img", "link", "meta", "td", "th", "tr"})
_RAW_TAG = re.compile(
    "ce|chem|gallery|graph|hiero|imagemap|inputbox|math|nowiki|pre|score|source|syntaxhighlight|templatedata|timeline"
)


def _pieces(wikitext: str) -> Iterator[str]:
    """Split wikitext at ends of lines where nothing is open.

    The time of the parser grows with the square of its input, because it reads to the end for each bracket or tag
    that is not closed.
    """
    begin = 0
    nesting, tangle = _Nesting(), _Tangle()
    for mark in _MARK.finditer(wikitext):
        nesting.take(mark)
        if mark["line"] and mark.end() - begin >= _PIECE_CHARACTERS and not nesting.stack:
            yield tangle.admit(wikitext[begin : mark.end()], nesting)
            begin, nesting = mark.end(), _Nesting()
    yield tangle.admit(wikitext[begin:], nesting)


class _Tangle:
    """Estimates the parsing time of a page."""

    def __init__(self) -> None:
        self._n_unclosed = 0
        self._work = 0

    def admit(self, piece: str, nesting: _Nesting) -> str:
        """Return the piece, or raise if the page would take too long."""
        self._n_unclosed += nesting.n_unclosed
        self._work += nesting.n_unclosed * len(piece)
        if self._work > _MAX_TANGLE or self._n_unclosed > _MAX_UNCLOSED:
            raise InputError(
                f"{self._n_unclosed:,} brackets and tags of the wikitext never close or close in the wrong order, "
                "which would take too long to parse; fix them."
            )
        return piece


class _Nesting:
    """The brackets and tags that are open at a position in wikitext."""

    def __init__(self) -> None:
        self.stack: list[str] = []
        self._n_open: Counter[str] = Counter()
        self._n_crossed = 0
        self._n_raw = 0

    @property
    def n_unclosed(self) -> int:
        return len(self.stack) + self._n_crossed + self._n_raw

    def take(self, mark: re.Match[str]) -> None:
        kind, opens = _classify_mark(mark)
        if self.stack and _RAW_TAG.fullmatch(self.stack[-1]) and (opens or kind != self.stack[-1]):
            self._n_raw += opens  # not markup, unless the tag is never closed
        elif opens:
            self.stack.append(kind)
            self._n_open[kind] += 1
        elif self._n_open[kind]:
            self._close(kind)

    def _close(self, kind: str) -> None:
        while (top := self.stack.pop()) != kind:
            self._n_open[top] -= 1
            self._n_crossed += 1
        self._n_open[kind] -= 1
        self._n_raw = 0


def _classify_mark(mark: re.Match[str]) -> tuple[str, bool]:
    """Return what a mark opens (True) or closes (False); line ends and single tags close nothing."""
    if opening := mark["open"]:
        return opening, True
    if closing := mark["close"]:
        return _OPENING[closing], False
    if mark["line"]:
        return "", False
    if not mark["end"]:
        return "<", True
    tag = mark["tag"].lower()
    if tag in _SINGLE_TAGS or mark["attributes"].endswith("/"):
        return "", False
    return tag, not mark["slash"]


# --- Many pages in parallel


def _batches(pages: Iterable[Page]) -> Iterator[list[Page]]:
    batch: list[Page] = []
    n_characters = 0
    for page in pages:
        batch.append(page)
        n_characters += len(page.text)
        if n_characters >= _BATCH_CHARACTERS:
            yield batch
            batch, n_characters = [], 0
    if batch:
        yield batch


class _Stripped(NamedTuple):
    title: str
    paragraphs: list[str]
    problem: str = ""


def _strip_batch(pages: list[Page]) -> list[_Stripped]:
    parser = require_extra("mwparserfromhell.parser", "wiki")
    stripped: list[_Stripped] = []
    for page in pages:
        try:
            stripped.append(_Stripped(page.title, strip_markup(page.text, namespaces=page.namespaces)))
        except (InputError, RecursionError, parser.ParserError) as error:
            stripped.append(_Stripped(page.title, [], str(error)))
    return stripped


def _strip_batches(batches: Iterator[list[Page]], threads: int) -> Iterator[list[_Stripped]]:
    """Strip batches on `threads` processes, in order, with a bounded number of pending batches."""
    if threads == 1:
        yield from map(_strip_batch, batches)
        return
    # Ctrl-C is left to this process.
    pool = ProcessPoolExecutor(threads, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        pending: deque[Future[list[_Stripped]]] = deque()
        for batch in batches:
            pending.append(pool.submit(_strip_batch, batch))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool as error:
        raise InputError(
            "a process that removed the markup of a dump died, perhaps out of memory; use fewer threads "
            "(or, in a script, call this below `if __name__ == '__main__':`)."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)

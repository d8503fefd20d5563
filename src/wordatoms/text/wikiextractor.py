"""Articles as WikiExtractor writes them: plain text in which each article stands between the lines of a tag.

    <doc id="12" url="https://en.wikipedia.org/wiki?curid=12" title="Anarchism">
    Anarchism

    …
    </doc>

The lines of the tags are no text, nor is the title where the first line repeats it. When blocks of a text are read they
become spaces, so that all places stay where they are and the files are read in parallel as they are; the three escapes
that WikiExtractor writes (&amp;, &lt;, &gt;) are padded with spaces. `read_articles` gives each article with its name.
The other format of WikiExtractor, one JSON object per line, is a table (`wordatoms.text.tables`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from wordatoms.errors import InputError

FIELDS = frozenset({"id", "url", "title", "text"})
"""What an object of the JSON format has, with others in later versions."""
_BEGIN = re.compile(rb'(?:\xef\xbb\xbf)?\s*+<doc id="[^"\n]{0,99}"[^\n]{0,999} title="[^\n]{0,999}>[ \t\r]*\n')
_TAG = re.compile(rb'^(?:<doc id="[^\n]*>|</doc>)[ \t\r]*$', re.MULTILINE)
_FIRST_LINE = re.compile(rb'^(?P<tag><doc id="[^\n]*>[ \t\r]*\n)(?P<line>[^\n]+)$', re.MULTILINE)
_OPENING = re.compile(r'<doc id="(?P<id>[^"]*)".*? title="(?P<title>.*)"[^"]*>')
LONGEST_TAG = 2000
"""Characters, or bytes."""
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def is_extracted(head: bytes) -> bool:
    """Whether a file that begins with these bytes was written by WikiExtractor."""
    return _BEGIN.match(head) is not None


def blank_tags(block: bytes) -> bytes:
    """Replace the lines of tags and titles by spaces and pad escaped characters; the block stays as long as it is."""
    block = _FIRST_LINE.sub(_blank_title, block)
    block = _TAG.sub(lambda tag: b" " * len(tag[0]), block)
    for escape, character in _ESCAPES:
        if escape.encode() in block:
            block = block.replace(escape.encode(), character.encode().ljust(len(escape)))
    return block


def _blank_title(found: re.Match[bytes]) -> bytes:
    tag, line = found["tag"], found["line"]
    is_title = tag.rstrip().endswith(b' title="%b">' % line.strip())
    return tag + (b" " * len(line) if is_title else line)


def ending_tag(block: bytes) -> bytes:
    """Return the last line of a block if it is the tag that opens an article, so that the next one is its first."""
    last = block[block.rfind(b"\n", 0, -1) + 1 :]
    return last if len(last) <= LONGEST_TAG and last.startswith(b'<doc id="') else b""


def unescape(text: str) -> str:
    """Replace escaped characters, also those that `blank_tags` has padded."""
    for escape, character in _ESCAPES:
        text = text.replace(escape, character).replace(character.ljust(len(escape)), character)
    return text


def read_articles(lines: Iterable[str], *, longest: int) -> Iterator[tuple[str, str]]:
    """Yield the name of each article, its number and title, and its text of at most `longest` characters.

    A first line that repeats the title is left out. Text outside of articles has no name.
    """
    name, text, n_characters, title = "", list[str](), 0, ""
    for line in lines:
        if line.startswith('<doc id="') or line.rstrip() == "</doc>":
            yield from _article(name, text)
            opening, text, n_characters = _OPENING.match(line[:LONGEST_TAG]), [], 0
            name, title = (article_name(opening["id"], opening["title"]), opening["title"]) if opening else ("", "")
            continue
        is_title, title = bool(title) and line.strip() == title.strip(), ""
        if is_title:
            continue
        n_characters += len(line)
        if n_characters > longest:
            raise InputError(f"the article {name!r} is longer than {longest:,} characters; check its end, </doc>.")
        text.append(unescape(line))
    yield from _article(name, text)


def _article(name: str, lines: list[str]) -> Iterator[tuple[str, str]]:
    if name or any(map(str.strip, lines)):
        yield name, "".join(f"{line}\n" for line in lines)


def article_name(number: str | None, title: str | None) -> str:
    """Return the name of an article as a document."""
    return f"{number or ''} {title or ''}".strip()

"""Hostile files: kinds of files with a valid example of each and what reads it, and ways to spoil an example.

Both the tests and `tools/fuzz.py` use these. A reader may answer or raise a WordatomsError, which is one sentence;
everything else is a finding.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable
from typing import NamedTuple

from wordatoms.errors import WordatomsError

LONGEST_SENTENCE = 5000
"""Characters; a sentence names files, and quotes little of what is in them."""
TOKENS = (
    *(b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\t", b" "),
    *(b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd", b"\x50\x2a\x4d\x18", b"\x93NUMPY"),
    *(b"-1", b"0", b"1e999", b"-1e-999", b"NaN", b"Infinity", b"1e308", b"3.5e38", b"9" * 18, b"9" * 25, b"1" * 500),
    *(b"null", b"true", b"[]", b"{}", b'""', b"[[[[[[[[", b'"\\ud800"', b'"\\u0000"', b'"../x"', b'"/x"', b'".."'),
    *(b"(1000000000000000,)", b"(0, 1000000000000)", b"(3, 4)", b"True", b"(", b"'", b"#", b"\\"),
    *(
        b"'|O'",
        b"'<f8'",
        b"'>f4'",
        b"'<f4'",
        b"'<i4'",
        b"'|i1'",
        b"'|V0'",
        b"'<U0'",
        b"('<f4', (3, 3))",
        b"[('a', '<f4')]",
    ),
    *(b"[[", b"]]", b"{{", b"}}", b"{{{", b"{|\n", b"\n|}", b"''", b"|", b"__A__", b"[http://a ", b"\n*", b"=="),
    *(b"<ref>", b"</ref>", b"<x ", b"<nowiki>", b"</nowiki>", b"<math>", b"<!--", b"-->", b"<b>", b"</b>"),
    *(
        b"<page>",
        b"</page>",
        b"<text>",
        b"</text>",
        b"<title>",
        b"<mediawiki>",
        b"</mediawiki>",
        b'<namespace key="6">',
    ),
    *(b"&#55296;", b"&#x110000;", b"&amp;", b"&x;", b"<![CDATA[", b"<!DOCTYPE x [", b'<!ENTITY a "b">'),
    *(b'<?xml version="1.0" encoding="utf-7"?>', b"<TargetSentence>", b"</TargetSentence>", b": ", b"/", b"_", b"@"),
)
"""Pieces that mean something to one reader or another."""
_NUMBER = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?")


class Case(NamedTuple):
    """One kind of file."""

    name: str
    example: bytes
    """A valid one."""
    read: Callable[[bytes], object]
    """Puts the content where it belongs and reads it."""


class LongSentenceError(Exception):
    """An error that quotes too much of what it is about."""


def attempt(read: Callable[[], object]) -> bool:
    """Read something; whether that worked, or ended in one sentence."""
    try:
        read()
    except WordatomsError as error:
        if len(str(error)) > LONGEST_SENTENCE:
            raise LongSentenceError(f"{len(str(error)):,} characters") from error
        return False
    return True


# Spoiling


def spoil(content: bytes, chance: random.Random, most_bytes: int = 4096) -> bytes:
    """The content with one thing changed."""
    return chance.choice(_WAYS)(content, chance)[:most_bytes]


def _place(content: bytes, chance: random.Random) -> slice:
    start = chance.randint(0, len(content))
    return slice(start, min(start + chance.choice((1, 4, 16, 64, 256)), len(content)))


def _put(content: bytes, place: slice, new: bytes) -> bytes:
    return content[: place.start] + new + content[place.stop :]


def _flip(content: bytes, chance: random.Random) -> bytes:
    place = _place(content, chance)
    old = content[place.start : place.start + 1]
    return _put(
        content, slice(place.start, place.start + len(old)), bytes(byte ^ 1 << chance.randrange(8) for byte in old)
    )


def _insert_token(content: bytes, chance: random.Random) -> bytes:
    start = _place(content, chance).start
    return _put(content, slice(start, start), chance.choice(TOKENS) * chance.choice((1, 1, 1, 2, 100)))


def _replace_by_token(content: bytes, chance: random.Random) -> bytes:
    return _put(content, _place(content, chance), chance.choice(TOKENS))


def _replace_number(content: bytes, chance: random.Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    return _put(content, slice(*chance.choice(found).span()), chance.choice(TOKENS)) if found else content


def _replace_integer(content: bytes, chance: random.Random) -> bytes:
    """A binary integer at the edge of its range."""
    start = _place(content, chance).start
    code, number = chance.choice(
        (("<I", 2**32 - 1), ("<i", -1), ("<i", 2**31 - 1), ("<q", -(2**63)), ("<f", float("inf")))
    )
    return _put(content, slice(start, start + struct.calcsize(code)), struct.pack(code, number))


def _drop(content: bytes, chance: random.Random) -> bytes:
    return _put(content, _place(content, chance), b"")


def _repeat(content: bytes, chance: random.Random) -> bytes:
    place = _place(content, chance)
    return _put(content, place, content[place] * chance.choice((2, 3, 10, 200)))


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randint(0, len(content))]


def _swap(content: bytes, chance: random.Random) -> bytes:
    one, other = sorted((_place(content, chance), _place(content, chance)), key=lambda place: place.start)
    if one.stop > other.start:
        return content
    return _put(_put(content, other, content[one]), one, content[other])


_WAYS = (_flip, _insert_token, _replace_by_token, _replace_number, _replace_integer, _drop, _repeat, _cut, _swap)

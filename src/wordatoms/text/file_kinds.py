"""What kind of file it is, seen from its first bytes: a MediaWiki dump, plain text, or something else.

What is not text is refused under the name of what it seems to be. Left out: the encoding of text that is neither
UTF-8 nor UTF-16 or UTF-32, which its first bytes do not tell.
"""

from __future__ import annotations

import codecs
import re

from wordatoms.errors import InputError
from wordatoms.text.compression import Magics, match_magic, recognise_compression

_DUMP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+<mediawiki[\s>]",
    re.DOTALL,
)
_NOT_TEXT: Magics = (
    ("a PNG image", rb"\x89PNG"),
    ("a JPEG image", rb"\xff\xd8\xff"),
    ("a GIF image", rb"GIF8[79]a"),
    ("a PDF document", rb"%PDF-"),
    ("a ZIP archive (or an office document)", rb"PK\x03\x04"),
    ("a 7-Zip archive", rb"7z\xbc\xaf\x27\x1c"),
    ("a RAR archive", rb"Rar!\x1a\x07"),
    ("a tar archive", rb".{257}ustar"),
    ("a program", rb"\x7fELF|MZ[\0\x90]"),
    ("a NumPy array", rb"\x93NUMPY"),
    ("an SQLite database", rb"SQLite format 3"),
    ("a Parquet table", rb"PAR1"),
    ("UTF-32 text", rb"\xff\xfe\0\0|\0\0\xfe\xff|(?:[^\0]\0\0\0){4}|(?:\0\0\0[^\0]){4}"),
    ("UTF-16 text", rb"\xff\xfe|\xfe\xff|(?:[^\0]\0){4}|(?:\0[^\0]){4}"),
)


def is_dump(head: bytes) -> bool:
    """Whether a file that begins like this is a MediaWiki dump."""
    return _DUMP.match(head) is not None


def refuse_binary(head: bytes, name: str) -> None:
    """Raise an InputError if a file that begins like this, decompressed if need be, is not plain text."""
    nul = head.find(b"\0")
    kind = _looks_like(head) if nul >= 0 or _is_broken_utf8(head) else ""
    if nul < 0 and not kind:
        return
    looks = f"looks like {kind}" if kind else f"holds a NUL byte at byte {nul:,}"
    encoding = kind.removesuffix(" text")
    advice = f"iconv -f {encoding} -t UTF-8 converts it" if encoding != kind else "pass plain text in UTF-8"
    raise InputError(f"{name} is not plain text: it {looks}; {advice}.")


def _looks_like(head: bytes) -> str:
    """What a file that is not text seems to be, or nothing."""
    if compression := recognise_compression(head):
        return f"a {compression} file inside a compressed file"
    return match_magic(head, _NOT_TEXT)


def _is_broken_utf8(head: bytes) -> bool:
    try:
        codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return True
    return False

"""From the paragraphs of a source to running text: what is not prose is left out.

A paragraph is judged by shares of its characters and words, which are cheap to count for hundreds of millions of
words. The limits were set by reading what falls on either side of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAST_WORDS = 5
"""Shorter paragraphs are headings, or have no context to learn from."""
LEAST_WORDS_OF_DUPLICATE = 8
"""A shorter paragraph may occur twice by chance: *"Yes, sir," said he.*"""
LEAST_WORDS_OF_LANGUAGE = 20
"""A shorter paragraph may have few common words by chance."""
MOST_DIGITS, MOST_ODD, MOST_CAPITALS, MOST_SINGLE = 0.12, 0.08, 0.4, 0.3
"""Greatest shares of digits (tables, indexes), other characters (debris, formulas, other scripts), capitals (headings),
and words of one letter (spaced out letters)."""
LEAST_COMMON = 0.15
"""Least share of common English words; lists, debris and other languages have fewer."""
COMMON = frozenset(
    "the of and to a in that it is was i he for as with his you be on not at by had her but my which this from or have "  # noqa: SIM905
    "they she are all we him were an so there me one no their if been when would who will what them is said then do "
    "its than into up has more some out very could your our any about can has only also after other first two".split()
)
LEFT_OUT = (
    "Project Gutenberg",
    "PROJECT GUTENBERG",
    "Distributed Proofread",
    "ranscriber's",
    "ranscriber’s",
    "http:",
    "https:",
    "www.",
    "E-text",
    "e-text",
    "eBook",
    "Produced by",
    "12mo. Cloth",
    "12mo, cloth",
    "Crown 8vo",
    "cloth extra",
    "Price, $",
)
"""Paragraphs with one of these are licences, notes of transcribers or advertisements of publishers."""
SPELLINGS = {"’": "'", "‘": "'", "“": '"', "”": '"', "—": "--", "–": "-", "\u00ad": "", "\ufeff": "", "\u00a0": " "}
END_MARKS = ".!?;:,'\")]-*…"

_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS, _CAPITALS, _MARKS = b"0123456789", _LETTERS[26:], b" .,;:'\"!?()-"
_NO_LETTER_OR_DIGIT = bytes(set(range(128)) - set(_LETTERS + _DIGITS))


class Cleaned(NamedTuple):
    """A document of running text."""

    name: str
    paragraphs: list[str]
    keys: NDArray[np.uint64]
    """The same for paragraphs with the same letters and digits."""
    n_words: NDArray[np.int64]


def clean(name: str, paragraphs: Iterable[str]) -> Cleaned:
    """Keep the paragraphs of running text, on one line each."""
    kept: list[str] = []
    sizes: list[int] = []
    keys = bytearray()
    for paragraph in paragraphs:
        text = " ".join(respelled(paragraph).split())
        words = text.split(" ")
        if is_prose(text, words):
            kept.append(text)
            sizes.append(len(words))
            keys += key(text)
    return Cleaned(name, kept, np.frombuffer(bytes(keys), np.uint64), np.array(sizes, np.int64))


def respelled(text: str) -> str:
    """Spell quotation marks, apostrophes and dashes in one way."""
    for mark, plain in SPELLINGS.items():
        text = text.replace(mark, plain)
    return text


def is_prose(text: str, words: list[str]) -> bool:
    """Tell running English text from headings, lists, tables, debris, and text about the edition."""
    if len(words) < LEAST_WORDS or (len(words) < 12 and text[-1] not in END_MARKS):
        return False
    data = text.encode()
    n = len(data)
    digits, capitals = _count(data, _DIGITS), _count(data, _CAPITALS)
    plain = _count(data, _LETTERS) + digits + _count(data, _MARKS)
    if digits > MOST_DIGITS * n or n - plain > MOST_ODD * n or capitals > MOST_CAPITALS * n:
        return False
    if len(words) >= LEAST_WORDS_OF_LANGUAGE:
        common = sum(map(COMMON.__contains__, text.lower().split(" ")))
        if common < LEAST_COMMON * len(words) or sum(len(word) == 1 for word in words) > MOST_SINGLE * len(words):
            return False
    return not any(part in text for part in LEFT_OUT)


def _count(data: bytes, characters: bytes) -> int:
    return len(data) - len(data.translate(None, characters))


def key(text: str) -> bytes:
    """Eight bytes that are the same for texts that differ in case, spaces or punctuation only."""
    return blake2b(text.encode().translate(_LOWER, _NO_LETTER_OR_DIGIT), digest_size=8).digest()


_DIVIDED = re.compile(r"([A-Za-z]+)-\n[ \t]*([a-z]+)")


def join_divided(text: str) -> str:
    """Join words divided at line ends; the hyphen stays unless the text has the word without it."""

    def joined(found: re.Match[str]) -> str:
        whole = found[1] + found[2]
        return whole if whole in text else f"{found[1]}-{found[2]}"

    return _DIVIDED.sub(joined, text)

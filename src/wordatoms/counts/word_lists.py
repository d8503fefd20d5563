"""Word lists as text: one word per line, followed by a tab and its count where counts are known.

A module of its own because every query reads a word list, and none needs what counts a vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError


class WordList(NamedTuple):
    """Words, and their counts if known."""

    words: tuple[str, ...]
    counts: NDArray[np.int64] | None


def format_words(words: Sequence[str], counts: NDArray[np.int64] | None = None) -> bytes:
    """Format a list of words in UTF-8."""
    for word in words:
        if re.search(r"[\t\n\r]", word):
            raise InputError(f"{word!r} contains a tab or a line end, which a list of words cannot; rename it.")
    if counts is None:
        lines = [f"{word}\n" for word in words]
    else:
        lines = [f"{word}\t{count}\n" for word, count in zip(words, counts.tolist(), strict=True)]
    try:
        return "".join(lines).encode()
    except UnicodeEncodeError as error:
        raise InputError(f"a word contains {error.object[error.start]!r}, not a character; rename it.") from None


def parse_words(text: bytes) -> WordList:
    """Parse a list of words; either all lines have a count or none has."""
    content = _decode(text).replace("\r\n", "\n").removesuffix("\n")
    counted = "\t" in content.partition("\n")[0]
    _check_lines(content, counted=counted)
    if not counted:
        return WordList(tuple(content.split("\n")), None)
    parts = content.replace("\n", "\t").split("\t")
    return WordList(tuple(parts[::2]), np.array([*map(int, parts[1::2])], dtype=np.int64))


def _check_lines(content: str, *, counted: bool) -> None:
    line = r"[^\t\n]++\t[0-9]{1,18}" if counted else r"[^\t\n]++"
    if re.fullmatch(rf"{line}(?:\n{line})*+", content):  # all lines at once, because it is faster
        return
    shape = "a word, a tab and a count" if counted else "one word"
    for number, found in enumerate(content.split("\n"), 1):
        if not re.fullmatch(line, found):
            raise InputError(f"line {number} is {found[:60]!r}; expected {shape}, as on the first line.")


def _decode(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        number = text[: error.start].count(b"\n") + 1
        raise InputError(f"line {number} is not UTF-8; convert the file to UTF-8.") from None

"""Word lists as text: one word per line, followed by a tab and its count where counts are known.

A module of its own because every query reads a word list, and none needs what counts a vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError

LINES_AT_ONCE = 1 << 16
CHARACTERS_AT_ONCE = 1 << 20


class WordList(NamedTuple):
    """Words, and their counts if known."""

    words: tuple[str, ...]
    counts: NDArray[np.int64] | None


def format_words(words: Sequence[str], counts: NDArray[np.int64] | None = None) -> bytes:
    """Format a list of words in UTF-8."""
    parts: list[bytes] = []
    for first in range(0, len(words), LINES_AT_ONCE):
        some = words[first : first + LINES_AT_ONCE]
        parts.append(_format_some(some, None if counts is None else counts[first : first + LINES_AT_ONCE]))
    return b"".join(parts)


def _format_some(words: Sequence[str], counts: NDArray[np.int64] | None) -> bytes:
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
    content, counted = _read_lines(text)
    if not counted:
        return WordList(tuple(content.split("\n")), None)
    words: list[str] = []
    counts: list[NDArray[np.int64]] = []
    for block in _blocks_of_lines(content):
        parts = block.replace("\n", "\t").split("\t")
        words += parts[::2]
        counts.append(np.array([*map(int, parts[1::2])], dtype=np.int64))
    return WordList(tuple(words), np.concatenate(counts))


class WordText:
    """A list of words in which single words are looked up, without making all of them: a query needs a few dozen.

    Parameters
    ----------
    text : bytes
        As `format_words` writes it.
    """

    def __init__(self, text: bytes) -> None:
        content, self.counted = _read_lines(text)
        self._content = f"\n{content}\n".encode()
        self._found: dict[str, int | None] = {}

    def __len__(self) -> int:
        return len(self._ends) - 1

    @cached_property
    def _ends(self) -> NDArray[np.intp]:
        """Where the lines end; the first one is empty."""
        return np.flatnonzero(np.frombuffer(self._content, np.uint8) == ord("\n"))

    @property
    def n_searched(self) -> int:
        """Number of different words that were looked up."""
        return len(self._found)

    def find(self, word: str) -> int | None:
        """Return the row of a word; None if it is not in the list."""
        if word not in self._found:
            self._found[word] = self._search(word)
        return self._found[word]

    def _search(self, word: str) -> int | None:
        if "\n" in word or "\t" in word:
            return None
        line = f"\n{word}\t" if self.counted else f"\n{word}\n"
        place = self._content.rfind(line.encode(errors="surrogatepass"))  # the last one, as in a dict of all words
        return int(np.searchsorted(self._ends, place)) if place >= 0 else None

    def word(self, row: int) -> str:
        """Return the word of a row."""
        return self._line(row)[0]

    def count(self, row: int) -> int | None:
        """Return the count of the word of a row; None if the list has no counts."""
        return int(self._line(row)[1]) if self.counted else None

    def _line(self, row: int) -> list[str]:
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} is not among the {len(self):,} words")
        return self._content[self._ends[row] + 1 : self._ends[row + 1]].decode().split("\t")


def _read_lines(text: bytes) -> tuple[str, bool]:
    """Return the lines of a list of words, all of one shape, and whether they have counts."""
    content = _decode(text).replace("\r\n", "\n").removesuffix("\n")
    counted = "\t" in content.partition("\n")[0]
    _check_lines(content, counted=counted)
    return content, counted


def _blocks_of_lines(content: str) -> Iterator[str]:
    """Whole lines, some at a time: the counts of millions of words as strings would take more memory than the words."""
    start = 0
    while start < len(content):
        end = content.find("\n", start + CHARACTERS_AT_ONCE)
        end = len(content) if end < 0 else end
        yield content[start:end]
        start = end + 1


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

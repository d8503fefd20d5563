"""Where the words of a text are.

A tokenizer says what the words are, not where. Its tokens are pieces of the text in Unicode normal form C, apart from
case, the shape of apostrophes and invisible characters, so each can be found again after the previous one.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from wordatoms.text.tokenizer import APOSTROPHES, IGNORED, PHRASE_JOINT, Tokenizer

_APOSTROPHES = {ord(mark): "'" for mark in APOSTROPHES}


class Span(NamedTuple):
    """The place of a word in a text, and the word as the tokenizer spells it."""

    start: int
    end: int
    word: str


class Passage(NamedTuple):
    """A text with one part of it marked, as characters."""

    text: str
    start: int
    end: int


def normal_form(text: str) -> str:
    """The text that spans refer to."""
    return unicodedata.normalize("NFC", text)


def find_spans(text: str, tokenizer: Tokenizer) -> list[Span]:
    """The words of a text in normal form, the same as those of `tokenizer.tokens`."""
    found: list[Span] = []
    start = 0
    for line in text.split("\n"):
        found += [Span(start + each.start, start + each.end, each.word) for each in _line_spans(line, tokenizer)]
        start += len(line) + 1
    return found


def _line_spans(line: str, tokenizer: Tokenizer) -> Iterator[Span]:
    """Spans in one line; a phrase such as `new_york` spans all its words."""
    written = replace(tokenizer, keep_case=True).words(line)
    words = written if tokenizer.keep_case else [word.lower() for word in written]
    places = list(_places(line, written, tokenizer))
    at = 0
    for token in tokenizer.tokens(line) if tokenizer.phrases else words:
        n = 1
        while PHRASE_JOINT.join(words[at : at + n]) != token:
            n += 1
        yield Span(places[at][0], places[at + n - 1][1], token)
        at += n


def _places(line: str, words: Iterable[str], tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """No letter or digit stands between two words, so the next word is at the first occurrence of its letters."""
    kept = [place for place, letter in enumerate(line) if tokenizer.pretokenized or letter not in IGNORED]
    plain = "".join(line[place] for place in kept)
    if not tokenizer.pretokenized:
        plain = plain.translate(_APOSTROPHES)
    end = 0
    for word in words:
        start = plain.index(word, end)
        end = start + len(word)
        yield kept[start], kept[end - 1] + 1

"""Word lists: single words looked up in the text of a list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.counts.word_lists import WordText, format_words, parse_words
from wordatoms.errors import InputError

WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1), min_size=1)


@given(WORDS, st.booleans())
def test_words_are_found_as_in_the_whole_list(words: list[str], counted: bool) -> None:
    content = format_words(words, np.arange(len(words)) + 7 if counted else None)
    known, text = parse_words(content), WordText(content)
    rows = dict(zip(known.words, range(len(known.words)), strict=True))
    assert len(text) == len(words)
    assert {word: text.find(word) for word in words} == rows
    assert [text.word(row) for row in range(len(words))] == words
    assert [text.count(row) for row in range(len(words))] == [row + 7 if counted else None for row in range(len(words))]
    for absent in (f"{words[0]}\t7", "\n".join(words), "", "\ud800", f"{words[0]}x"):
        assert text.find(absent) == rows.get(absent)


@pytest.mark.parametrize("content", [b"tie\t1\nsaw", b"tie\n\nsaw", b"\xff\n", b""])
def test_a_damaged_list_is_refused_by_both(content: bytes) -> None:
    sentences = []
    for read in (parse_words, WordText):
        with pytest.raises(InputError) as error:
            read(content)
        sentences.append(str(error.value))
    assert sentences[0] == sentences[1]


def test_a_row_outside_the_list_has_no_word() -> None:
    text = WordText(format_words(("tie", "bank"), None))
    for row in (-1, 2):
        with pytest.raises(IndexError, match="not among the 2 words"):
            text.word(row)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.counts.word_lists import format_words, parse_words
from wordatoms.errors import InputError, ModelError

storable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\n\r"), min_size=1)


@given(words=st.lists(storable, min_size=1), counted=st.booleans())
def test_parse_gives_back_what_was_formatted(words: list[str], counted: bool) -> None:
    counts = np.arange(len(words), dtype=np.int64) if counted else None
    parsed = parse_words(format_words(words, counts))
    assert parsed.words == tuple(words)
    assert (parsed.counts is None) == (counts is None)
    assert counts is None or parsed.counts.tolist() == counts.tolist()


def test_lines_of_other_systems() -> None:
    assert parse_words(b"a\r\nb c\r\n").words == ("a", "b c")
    assert parse_words(b"a\nb").words == ("a", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "line 1 is ''; expected one word"),
        (b"a\n\nb\n", "line 2 is ''"),
        (b"a\t1\nb\n", "line 2 is 'b'; expected a word, a tab and a count"),
        (b"a\nb\t2\n", "line 2"),
        (b"a\t-1\n", "line 1"),
        (b"a\t99999999999999999999\n", "line 1"),
        (b"a\nb\n\xff\n", "line 3 is not UTF-8"),
    ],
)
def test_names_the_broken_line(text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_words(text)


@pytest.mark.parametrize("word", ["a\tb", "a\nb", "\r", "\ud800"])
def test_refuses_words_that_would_not_come_back(word: str) -> None:
    with pytest.raises(InputError, match="rename it"):
        format_words([word])


def test_words_of_two_texts_were_mixed_by_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Vocabulary(("old", "words"), np.array([2, 1]), n_tokens=90).save(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("wordatoms.counts.vocabulary.write_json", lambda *_: None)  # killed before it
        Vocabulary(("new", "words"), np.array([2, 1]), n_tokens=3).save(tmp_path)
    with pytest.raises(ModelError, match="count the text again"):
        Vocabulary.load(tmp_path)

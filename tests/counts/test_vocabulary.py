from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.counts.word_lists import format_words, parse_words
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import open_corpus

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


def test_words_with_the_same_beginning_are_ordered_by_code_point(tmp_path: Path) -> None:
    words = ["abcdefgh", "abcdefghi", "abcdefghij", "abcdefghz", "abcdefgz", "öbcdefghij", "öbcdefgha", "zz", "ö"]
    text = tmp_path / "text.txt"
    text.write_text(" ".join(reversed(words)) + "\n" + "rare common common\n")
    vocabulary = build_vocabulary(open_corpus([text], work=tmp_path), min_count=1)
    assert vocabulary.words == ("common", *sorted([*words, "rare"]))
    some = build_vocabulary(open_corpus([text], work=tmp_path), min_count=1, max_words=2)
    assert some.words == ("common", "abcdefgh")


def test_counting_held_every_word_four_times(tmp_path: Path) -> None:
    """As a tuple with its count, as bytes, as a line of text and read from there again."""
    n_words, memory = 150_000, 64 << 20
    text = tmp_path / "text.txt"
    spelled = ["".join(chr(97 + number // 26**place % 26) for place in range(6)) for number in range(n_words)]
    text.write_text("\n".join(" ".join(spelled[first : first + 10]) for first in range(0, n_words, 10)))
    settings = CountSettings(min_count=1, max_words=None, window=2)
    tracemalloc.start()
    count([text], ModelFolder(tmp_path / "model", create=True), settings, run=Run(1, memory=memory))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < memory + 250 * n_words

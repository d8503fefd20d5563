"""Paragraphs into sentences."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.text.sentence_splitter import split_sentences


@pytest.mark.parametrize(
    "expected",
    [
        ["The spring ran dry.", "It was 3.5 m deep!", "Was it?"],
        ['He said "Ring the bell."', "She did.", "Then he left."],
        ["Dr. Smith met Mr. J. R. R. Tolkien at St. Mary's.", "They spoke."],
        ["It moved to the U.S. Navy in 1941.", "In the U.S.", "The fleet stayed."],
        ["Locomotive No. 5 ran.", "He said no.", "Nobody heard."],
        ["Warner Bros. Pictures, Apple Inc. and others (e.g. Ford) paid."],
        ["It cost c. 300 pounds.", "19 men died."],
        ["It ended in 1999.", "Then came 2000."],
        ["Wait… what?", "Ärger!", "Чай готов.", "Да."],
        ["The first (see Fig. 2).", "(The second.)", "[A third.]"],
        ["Am 3. Mai 1848, im 19. Jahrhundert, kam er an.", "Es waren 12.", "Dann ging er."],
        ["Der Zug, d. h. die Bahn bzw. Der Wagen, fuhr ab.", "Holz, Kohle usw.", "Aber auch Gas."],
        ["Professors S. Das and E. Von Braun spoke."],
        ["one line without an end"],
    ],
    ids=lambda expected: expected[0],
)
def test_where_sentences_end(expected: list[str]) -> None:
    assert split_sentences(" ".join(expected)) == expected


def test_marks_without_white_space() -> None:
    assert split_sentences("春が来た。泉が湧く。") == ["春が来た。", "泉が湧く。"]


def test_white_space_becomes_single_spaces() -> None:
    assert split_sentences("  A spring.\t\r\x0b Two   springs. \r") == ["A spring.", "Two springs."]
    assert split_sentences(" \t ") == []


@given(st.text("abC.!?…\"'()。 \t\n9", max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("piece", [".", ". ", "a. ", "a.b ", '?!"', "。", ".) \t", " "], ids=repr)
def test_long_lines_take_no_longer_than_their_length(piece: str) -> None:
    began = time.perf_counter()
    split_sentences(piece * 100_000)
    assert time.perf_counter() - began < 5

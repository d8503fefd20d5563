"""Where a word stands in a text: its forms, genitives, capitals and phrases."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.contexts.usages import Usage, find_usages, marked_usages, target_forms
from wordatoms.errors import InputError
from wordatoms.text.tokenizer import Tokenizer

PLAIN = Tokenizer()


def found_forms(word: str, text: str, tokenizer: Tokenizer = PLAIN) -> list[str]:
    return [usage.form for usage in find_usages(word, text, tokenizer)]


def test_forms_of_a_word() -> None:
    assert all(form in target_forms("bank", PLAIN) for form in ("bank", "banks", "banked", "bank's", "banks's"))
    assert all(form in target_forms("goose", PLAIN) for form in ("goose", "geese", "goose's"))
    assert "banking" in target_forms("bank", PLAIN, known=["banking"])
    assert target_forms("BANK", PLAIN) == target_forms("bank", PLAIN)


def test_every_occurrence_in_any_form() -> None:
    usages = find_usages("bank", "Banks near the bank; the bank’s river. Bankers!", PLAIN)
    assert [(usage.position, usage.form) for usage in usages] == [(0, "banks"), (3, "bank"), (5, "bank's")]
    assert all(usage.length == 1 for usage in usages)


@pytest.mark.parametrize("text", ["the bank's loan", "the bank’s loan", "the BANK'S loan"])
def test_genitive(text: str) -> None:
    assert found_forms("bank", text) == ["bank's"]


def test_plural_genitive_is_the_plural() -> None:
    assert found_forms("bank", "the banks' loans") == ["banks"]


def test_capitals_at_the_start_of_a_sentence_where_case_is_kept() -> None:
    tokenizer = Tokenizer(keep_case=True)
    assert found_forms("bank", "Banks pay. The bank's BANK.", tokenizer) == ["Banks", "bank's"]
    assert found_forms("Bank", "banks of the Bank", tokenizer) == ["Bank"]


def test_phrases_are_one_word() -> None:
    tokenizer = Tokenizer(phrases=("new york",))
    assert [(u.position, u.form) for u in find_usages("new york", "in New York, new to york", tokenizer)] == [
        (1, "new_york")
    ]
    assert found_forms("new_york", "in New York", tokenizer) == ["new_york"]
    assert found_forms("york", "New York and York", tokenizer) == ["york"]


def test_abbreviation_in_capitals_is_no_other_word() -> None:
    assert "us" not in target_forms("US", Tokenizer(keep_case=True))


def test_words_cut_beforehand() -> None:
    assert found_forms("bank", "the bank-holiday bank 's", Tokenizer(pretokenized=True)) == ["bank"]


def test_forms_of_ones_own() -> None:
    assert [u.form for u in find_usages("bank", "bank banks shore", PLAIN, forms={"shore", "banks"})] == [
        "banks",
        "shore",
    ]


def test_form_of_several_tokens() -> None:
    assert Usage(("in", "new", "york", "now"), 1, 2).form == "new york"


@pytest.mark.parametrize("word", ["two words", "d3w7"])
def test_a_phrase_has_no_forms(word: str) -> None:
    with pytest.raises(InputError, match="is not one word; pass a single word"):
        target_forms(word, PLAIN)


@pytest.mark.parametrize(
    ("word", "problem"), [("…", "has no word in it"), ("", "has no word"), (["bank"], "type list")]
)
def test_what_is_no_word(word: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        find_usages(word, "a bank", PLAIN)


def test_phrases_that_the_tokenizer_does_not_join_are_consecutive_tokens() -> None:
    usages = find_usages("New York", "New York, new and york; in NEW-YORK", PLAIN)
    assert [(usage.position, usage.length, usage.form) for usage in usages] == [(0, 2, "new york"), (6, 2, "new york")]


def test_usage_in_place_of_a_text() -> None:
    usage = Usage(["a", "word"], 1)
    assert find_usages("bank", usage, PLAIN) == [usage]


# --- usages at given places


def test_usage_by_characters() -> None:
    text = "He lit the match; matches burn."
    assert Usage.from_text(text, span=(11, 16)) == Usage(["he", "lit", "the", "match", "matches", "burn"], 3)
    assert Usage.from_text(text, span=(18, 23)).form == "matches"  # part of a word stands for the whole
    assert Usage.from_text("in New York now", span=(3, 11)) == Usage(["in", "new", "york", "now"], 1, 2)
    assert Usage.from_text("cafe\u0301s and tea", span=(11, 14)).form == "tea"  # another normal form


def test_usage_by_token() -> None:
    assert Usage.from_text("a tie is a tie", token=4) == Usage(["a", "tie", "is", "a", "tie"], 4)
    keep_case = Tokenizer(keep_case=True, phrases=("New York",))
    assert Usage.from_text("in New York", token=1, tokenizer=keep_case).form == "New_York"


@pytest.mark.parametrize(
    ("text", "marks", "form", "position"),
    [
        ("He lit the [match] slowly.", "[]", "match", 3),
        ("*ties* tie", "**", "ties", 0),
        ("in <<New York>>!", "<<>>", "new york", 1),
        ("a[b]c", "[]", "abc", 0),  # marks are no part of the text
    ],
)
def test_marked_usage(text: str, marks: str, form: str, position: int) -> None:
    usage = Usage.from_marked(text, marks)
    assert (usage.form, usage.position) == (form, position)


def test_all_marked_usages_of_a_text() -> None:
    found = marked_usages("The [bank] by the river [bank].", "[]", PLAIN)
    assert [usage.position for usage in found] == [1, 5]
    assert marked_usages("The bank.", "[]", PLAIN) == []


@given(st.lists(st.sampled_from(["bank", "river", "é", "don't", "…", "\n"]), min_size=1, max_size=8), st.data())
def test_marked_word_is_found_where_it_stands(words: list[str], data: st.DataObject) -> None:
    number = data.draw(st.sampled_from([n for n, word in enumerate(words) if word.isalpha()] or [None]))
    if number is None:
        return
    marked = " ".join(f"[{word}]" if n == number else word for n, word in enumerate(words))
    usage = Usage.from_marked(marked)
    assert usage.form == words[number]
    assert list(usage.tokens) == PLAIN.tokens(" ".join(words))


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Usage.from_text("a bank"), "pass either a span of characters or a token"),
        (lambda: Usage.from_text("a bank", span=(0, 1), token=0), "pass either a span of characters or a token"),
        (lambda: Usage.from_text("a bank", span=(4, 40)), "the text has the characters 0 to 6"),
        (lambda: Usage.from_text("a bank", span=(3, 3)), "the text has the characters 0 to 6"),
        (lambda: Usage.from_text("a   bank", span=(2, 3)), "no word of the text is in its characters 2 to 3"),
        (lambda: Usage.from_text("a bank", span=2), "pass two whole numbers"),  # type: ignore[arg-type]
        (
            lambda: Usage.from_text("a bank", token=2),
            "the text has 2 tokens, so there is none at 2; tokens are counted",
        ),
        (lambda: Usage.from_text(["a"], token=0), "the text is of type list"),  # type: ignore[arg-type]
        (lambda: Usage.from_tokens("a bank", 0), "the tokens are one string"),
        (lambda: Usage.from_tokens(["a", "bank"], 1, 2), "there is none at 1 with a length of 2"),
        (lambda: Usage.from_tokens(["a"], -1), "there is none at -1"),
        (lambda: Usage.from_tokens(["a"], 0.5), "pass whole numbers"),  # type: ignore[arg-type]
        (lambda: Usage.from_marked("a bank"), "0 words are marked"),
        (lambda: Usage.from_marked("[a] [bank]"), "2 words are marked"),
        (lambda: Usage.from_marked("a [bank"), r"the mark '\[' has no '\]' after it"),
        (lambda: Usage.from_marked("a [] bank"), "characters"),
        (lambda: Usage.from_marked("a bank", "ab"), "the marks are 'ab'"),
        (lambda: Usage.from_marked("a bank", "["), "the marks are"),
        (lambda: Usage.from_marked("a bank", ""), "the marks are"),
    ],
)
def test_place_that_is_none(make: Callable[[], Usage], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        make()


def test_text_without_the_word() -> None:
    assert find_usages("bank", "", PLAIN) == []
    assert find_usages("bank", "a river", PLAIN) == []


@given(st.lists(st.sampled_from(["bank", "Banks", "bank's", "river", "embankment", "é", "\n"]), max_size=12))
def test_usages_point_at_their_forms(words: list[str]) -> None:
    forms = target_forms("bank", PLAIN)
    usages = find_usages("bank", " ".join(words), PLAIN)
    assert len(usages) == sum(word.lower().startswith("bank") for word in words)
    for usage in usages:
        assert usage.tokens[usage.position] == usage.form
        assert usage.form in forms

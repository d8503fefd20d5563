"""Where a word stands in a text: its forms, genitives, capitals and phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.contexts.usages import Usage, find_usages, target_forms
from wordatoms.errors import InputError
from wordatoms.text.tokenizer import Tokenizer

PLAIN = Tokenizer()


def found_forms(word: str, text: str, tokenizer: Tokenizer = PLAIN) -> list[str]:
    return [usage.form for usage in find_usages(word, text, tokenizer)]


def test_forms_of_a_word() -> None:
    assert {"bank", "banks", "banked", "banking", "bank's", "banks's"} <= target_forms("bank", PLAIN)
    assert {"goose", "geese", "goose's"} <= target_forms("goose", PLAIN)
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


@pytest.mark.parametrize("word", ["", "…", "two words", "d3w7"])
def test_what_is_not_one_word(word: str) -> None:
    with pytest.raises(InputError, match="is not one word; pass a single word"):
        target_forms(word, PLAIN)


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

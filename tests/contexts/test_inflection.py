"""Inflected forms: lemmas, forms in a vocabulary, forms in a text, and their file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.contexts.inflection import (
    ListedForms,
    TargetForms,
    WordForms,
    check_language,
    format_forms,
    has_forms,
    lemma,
)
from wordatoms.errors import InputError

WORDS = [
    *("tie", "ties", "tied", "tying", "saw", "saws", "sawing", "see", "seen", "find", "found", "founded"),
    *("play", "plays", "played", "playing", "played's", "straße", "straßen", "ging", "gehen", "geht"),
]


# --- lemmas


def test_lemma_of_a_form_of_a_base_form_and_of_an_unknown_word() -> None:
    assert [lemma(word) for word in ("ties", "tie", "geese", "qwxz", "paris", "Banks", "US", "")] == [
        *("tie", "tie", "goose", "qwxz", "paris", "Bank", "US", "")
    ]


def test_the_language_is_a_choice() -> None:
    assert lemma("ging", "de") == "gehen"
    assert lemma("ging", "en") != "gehen"


def test_language_without_a_dictionary_has_no_forms() -> None:
    assert not has_forms("xx")
    assert has_forms("fr")
    assert lemma("ties", "xx") == "ties"
    assert WordForms(WORDS, "xx").of("tie") == ("tie",)


@pytest.mark.parametrize(("given", "code"), [("en", "en"), ("DE", "de"), ("pt-BR", "pt"), ("hbs", "hbs")])
def test_language_codes(given: str, code: str) -> None:
    assert check_language(given) == code


@pytest.mark.parametrize("given", ["", "English", "e", "../en", "e n", 7])
def test_what_is_no_language_code(given: str) -> None:
    with pytest.raises(InputError, match=r"pass a code of two or three letters, such as 'en' or 'de'\.$"):
        check_language(given)


@given(st.text(max_size=12))
def test_any_text_has_a_lemma(text: str) -> None:
    assert isinstance(lemma(text), str)


# --- forms in a vocabulary


def test_forms_of_a_base_form_and_of_an_inflected_one_are_the_same() -> None:
    forms = WordForms(WORDS)
    assert forms.of("tie") == ("tie", "tied", "ties", "tying")
    assert forms.of("ties") == ("ties", "tie", "tied", "tying")


def test_word_outside_the_vocabulary_has_its_forms_inside() -> None:
    assert WordForms(["ties", "tied", "saw"]).of("tie") == ("tie", "tied", "ties")
    assert WordForms(["tie"]).of("Straßenbahn") == ("Straßenbahn",)


def test_form_with_forms_of_its_own_is_not_mixed_with_another_word() -> None:
    forms = WordForms(WORDS)
    assert forms.of("saw") == ("saw", "sawing", "saws")
    assert forms.of("see") == ("see", "seen")
    assert forms.of("find") == ("find",)
    assert forms.of("found") == ("found", "founded")


def test_form_whose_own_forms_are_rare_stays_with_its_word() -> None:
    forms = WordForms(["see", "seen", "saw", "saws"], counts=[900, 500, 1000, 4])
    assert forms.of("see") == ("see", "saw", "seen")
    assert forms.of("saw") == ("saw", "saws")  # asked for itself, it is the tool


def test_lemma_that_the_text_lacks_is_corrected() -> None:
    assert lemma("playing") == "playe"  # an old spelling in the dictionary
    assert WordForms(WORDS).of("play") == ("play", "played", "played's", "playing", "plays")
    assert "playing" not in WordForms([*WORDS, "playe"]).of("play")
    counted = WordForms([*WORDS, "playe"], counts=[5000] * len(WORDS) + [1])
    assert "playing" in counted.of("play")


def test_forms_of_another_language() -> None:
    forms = WordForms(WORDS, "de")
    assert forms.of("gehen") == ("gehen", "geht", "ging")
    assert forms.of("straße") == ("straße", "straßen")


@given(st.lists(st.sampled_from(WORDS), unique=True, min_size=1), st.data())
def test_forms_are_words_of_the_vocabulary_with_the_word_first(words: list[str], data: st.DataObject) -> None:
    counts = data.draw(st.none() | st.lists(st.integers(1, 10**6), min_size=len(words), max_size=len(words)))
    forms = WordForms(words, counts=counts)
    for word in WORDS:
        first, *others = forms.of(word)
        assert first == word
        assert others == sorted(set(others) - {word})
        assert set(others) <= set(words)


# --- forms in a text


def test_token_is_a_form_by_its_lemma() -> None:
    forms = TargetForms("bank", frozenset(["bank", "banking"]))
    assert all(token in forms for token in ("bank", "banks", "banked", "bank's", "banking"))
    assert not any(token in forms for token in ("banker", "embankment", "", 7))
    assert sorted(forms) == ["bank", "banking"]
    assert len(forms) == 2


def test_word_with_forms_of_its_own_is_looked_for_alone() -> None:
    assert "seen" in TargetForms("saw", frozenset(["saw"]))
    assert "seen" not in TargetForms("saw", frozenset(["saw"]), vocabulary=["saw", "see"])
    assert "saws" in TargetForms("saw", frozenset(["saw"]), vocabulary=["saw", "see"])
    assert "laid" in TargetForms("lay", frozenset(["lay"]), base="lay")


# --- the file


def test_a_list_of_forms_comes_back() -> None:
    forms = WordForms(["tie", "ties", "tied", "odd\u2028word", "see", "saw"])
    listed = ListedForms(format_forms(forms))
    assert [listed.of(word) for word in forms.words] == [forms.of(word)[1:] for word in forms.words]
    assert listed.of("tie") == ("tied", "ties")
    assert listed.of("tie\ttied") == listed.of("unknown") == listed.of("\ud800") == ListedForms(b"").of("tie") == ()


@pytest.mark.parametrize("content", [b"tie", b"tie\tties\nsaw", b"a\tb\tc\n", b"\xff\ta\n"])
def test_what_is_no_list_of_forms_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="is no list of words and their forms"):
        ListedForms(content)


def test_forms_are_found_whatever_ends_the_lines() -> None:
    content = b"tie\ttied ties\r\nbank\tbanks\r\n"
    assert ListedForms(content).of("tie") == ("tied", "ties")

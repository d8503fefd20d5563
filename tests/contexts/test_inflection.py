from __future__ import annotations

from wordatoms.contexts.inflection import format_forms, inflected_forms, parse_forms


def test_forms_of_a_base_form_and_of_an_inflected_one_are_the_same() -> None:
    assert {"tie", "ties", "tied", "tying"} <= set(inflected_forms("tie"))
    assert set(inflected_forms("ties")) == set(inflected_forms("tie"))
    assert inflected_forms("ties")[0] == "ties"


def test_base_form_is_not_mixed_with_another_word() -> None:
    assert "see" not in inflected_forms("saw")
    assert "sawing" in inflected_forms("saw")


def test_only_forms_of_the_vocabulary() -> None:
    assert inflected_forms("tie", {"tie", "ties", "see"}) == ("tie", "ties")


def test_word_that_is_not_english() -> None:
    assert inflected_forms("Straßenbahn", set()) == ("Straßenbahn",)


def test_a_list_of_forms_comes_back() -> None:
    words = ["tie", "ties", "tied", "odd\u2028word", "see", "saw"]
    found = parse_forms(format_forms(words))
    others = {word: inflected_forms(word, words)[1:] for word in words}
    assert found == {word: " ".join(forms) for word, forms in others.items() if forms}
    assert found["tie"] == "tied ties"
    assert parse_forms(b"") == {}

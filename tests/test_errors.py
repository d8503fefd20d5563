from __future__ import annotations

import pickle

import pytest

from wordatoms.errors import InputError, UnknownWordError, VectorFileError, WordatomsError

KNOWN = ("tie", "shirt", "match")


def test_one_unknown_word_comes_with_the_nearest_spellings() -> None:
    error = UnknownWordError("shirts", KNOWN)
    assert str(error) == "'shirts' is not among the 3 words of the vocabulary; did you mean shirt?"
    assert (error.word, error.words, error.suggestions) == ("shirts", ("shirts",), ["shirt"])


def test_a_word_near_to_none_gets_no_suggestion() -> None:
    error = UnknownWordError("xyz", KNOWN)
    assert str(error) == "'xyz' is not among the 3 words of the vocabulary; try another spelling."
    assert error.suggestions == []


def test_a_list_of_one_word_reads_as_the_word() -> None:
    assert str(UnknownWordError(["shirts"], KNOWN)) == str(UnknownWordError("shirts", KNOWN))


def test_several_unknown_words_are_all_named() -> None:
    error = UnknownWordError(["bow", "shirts"], KNOWN)
    assert str(error) == (
        "'bow', 'shirts' are not among the 3 words of the vocabulary; leave them out or try other spellings."
    )
    assert (error.word, error.words) == ("bow", ("bow", "shirts"))


@pytest.mark.parametrize(
    ("error", "builtin"), [(UnknownWordError("x", ()), KeyError), (VectorFileError("x."), ValueError)]
)
def test_errors_are_also_the_built_in_ones_they_resemble(error: WordatomsError, builtin: type) -> None:
    assert isinstance(error, WordatomsError)
    assert isinstance(error, builtin)
    assert isinstance(error, InputError) == isinstance(error, ValueError)


def test_an_unknown_word_does_not_show_the_vocabulary_and_travels_between_processes() -> None:
    error = UnknownWordError("shirts", KNOWN)
    assert "match" not in repr(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)

"""The sense of every word of a text."""

from __future__ import annotations

import pytest

from naive_posterior import world_embeddings, world_map, world_model
from observedworld import WORD, observed_model, words_of
from wordatoms.errors import InputError
from wordatoms.senses.model import SenseModel

TEXT = "A BOAT on the river, near the zyx bank’s water."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_model(tmp_path_factory.mktemp("reading") / "model", world_embeddings(), induced_map=world_map())


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return observed_model(tmp_path_factory.mktemp("read-by-use"))


def test_every_word_is_there_in_its_place(model: SenseModel) -> None:
    found = model.read(TEXT)
    assert [word.text for word in found] == [TEXT[word.start : word.end] for word in found]
    assert [word.text.lower().replace("’", "'") for word in found] == model.tokenizer.tokens(TEXT)
    assert [word.word for word in found if word.text == "zyx"] == [None]


def test_each_word_is_read_as_disambiguate_reads_it(model: SenseModel) -> None:
    for number, word in enumerate(model.read(TEXT)):
        if word.sense is None:
            continue
        (alone,) = (each for each in model.disambiguate(str(word.word), TEXT) if each.position == number)
        assert word.sense.atom == alone.sense.atom
        assert word.sense.probability == pytest.approx(alone.sense.probability, abs=1e-6)
        assert word.n_senses == len(alone.meanings)


def test_words_are_read_by_use_where_there_are_uses(observed: SenseModel) -> None:
    text = f"{words_of(0, 4)} {WORD} and zyx"
    by_use, by_code = observed.read(text), observed.read(text, method="code")
    for number, word in enumerate(by_use):
        if word.sense is not None:
            (alone,) = (each for each in observed.disambiguate(str(word.word), text) if each.position == number)
            assert (word.sense, word.verdict, word.p_none) == (alone.sense, alone.verdict, alone.p_none)
    (target,) = (word for word in by_use if word.word == WORD)
    assert target.sense is not None
    assert target.sense.sense is not None
    assert all(word.sense.sense is None for word in by_code if word.sense)


def test_text_without_words_and_what_is_no_text(model: SenseModel) -> None:
    assert model.read(" …") == []
    with pytest.raises(InputError, match="the text is of type list; pass one string"):
        model.read(["a bank"])  # type: ignore[arg-type]

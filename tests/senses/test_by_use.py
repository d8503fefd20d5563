"""Answers by the uses of words, on the English model."""

from __future__ import annotations

import numpy as np
import pytest

import wordatoms as wa
from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.senses.by_use import CONTEXT_SHARE, SENSE_SHARE


@pytest.fixture(scope="module")
def model() -> wa.SenseModel:
    return wa.load()


def test_word_in_context_is_the_sum_of_its_vector_the_senses_meant_and_the_context(model: wa.SenseModel) -> None:
    texts = ["She poured a glass of port after dinner.", "The ship left port in the morning."]
    usages = [Usage(tuple(model.tokenizer.tokens(text)), model.tokenizer.tokens(text).index("port")) for text in texts]
    context, meant = np.split(model.views("port", usages, method="uses"), 2, axis=1)
    own = np.asarray(model.embeddings["port"], np.float32)
    expected = own / np.linalg.norm(own) + SENSE_SHARE * meant + CONTEXT_SHARE * context
    np.testing.assert_allclose(model.vectors_in_context("port", usages), expected, atol=1e-5)


def test_same_senses_are_more_similar_than_others(model: wa.SenseModel) -> None:
    wine = "She poured a glass of port after dinner."
    same = model.similarity("port", "port", context1=wine, context2="A bottle of old port and some cheese.")
    other = model.similarity("port", "port", context1=wine, context2="The ship left port in the morning.")
    assert same > other + 0.2


def test_wrong_numbers_and_methods_are_one_sentence(model: wa.SenseModel) -> None:
    for ask in (
        lambda: model.senses("tie", n_nearest="a"),
        lambda: model.senses("tie", n_linked=-1),
        lambda: model.disambiguate("tie", "a silk tie", n_nearest=1.5),
        lambda: model.cluster("tie", ["a silk tie", "a goalless tie"], k=2, random_state="a"),
        lambda: model.views("tie", ["a silk tie"], method="x"),
    ):
        with pytest.raises(InputError, match=r"; pass .*|; choose .*"):
            ask()

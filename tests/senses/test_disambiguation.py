"""Which sense is meant, and which words of the text decide it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_posterior import WORDS, world_atoms, world_embeddings, world_map
from wordatoms.contexts.reader import ReadingSettings
from wordatoms.contexts.usages import Usage, target_forms
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError
from wordatoms.senses.disambiguation import Disambiguator
from wordatoms.senses.posterior import make_posterior
from wordatoms.senses.results import Disambiguation, Meaning, Pull
from wordatoms.text.tokenizer import Tokenizer

MONEY, RIVER, SONG = range(3)
EMBEDDINGS = world_embeddings()
POSTERIOR = make_posterior(
    EMBEDDINGS, world_map(), world_atoms(EMBEDDINGS).vectors, ReadingSettings(a=1e-2, window=4, scale=8.0)
)
MEANINGS = {atom: Meaning(atom, 0.0, f"atom {atom}", (Neighbour(WORDS[5 * atom], 1.0),)) for atom in range(3)}
DISAMBIGUATOR = Disambiguator(
    "bank", target_forms("bank", Tokenizer()), POSTERIOR, {MONEY: 0.6, RIVER: 0.3, SONG: 0.1}, MEANINGS, Tokenizer()
)


def tell(text: str, **options: int) -> Disambiguation:
    (answers,) = DISAMBIGUATOR.answer_texts([text], **options)
    return answers[0]


@pytest.mark.parametrize(
    ("text", "atom"),
    [
        ("The bank gave a loan of cash.", MONEY),
        ("the boat lies at the bank of the river", RIVER),
        ("Choir and opera, the singer's bank: a song", SONG),
    ],
)
def test_the_planted_sense_is_found(text: str, atom: int) -> None:
    answer = tell(text)
    assert answer.sense.atom == atom
    assert answer.sense.probability > 0.7
    assert sum(meaning.probability for meaning in answer.meanings) == pytest.approx(1)
    assert [m.probability for m in answer.meanings] == sorted((m.probability for m in answer.meanings), reverse=True)
    assert replace(answer.sense, probability=0.0) == MEANINGS[atom]


def test_words_that_decide() -> None:
    answer = tell("loan bank river cash")
    assert answer.sense.atom == MONEY
    assert {pull.word for pull in answer.deciding} == {"loan", "cash"}
    assert answer.deciding[0].pull > answer.deciding[1].pull > 0
    assert tell("loan bank river cash", n_deciding=1).deciding == answer.deciding[:1]
    assert tell("loan bank river cash", n_deciding=0).deciding == ()


def test_a_word_that_stands_twice_decides_once() -> None:
    once, twice = tell("loan bank unknown"), tell("loan bank loan")
    assert [pull.word for pull in twice.deciding] == ["loan"]
    assert twice.deciding[0].pull == pytest.approx(once.deciding[0].pull, rel=1e-4)  # the context's length is 1


def test_further_occurrences_of_the_word_say_nothing() -> None:
    answer = tell("bank bank banks river bank's")
    assert answer.n_known == 1
    assert [pull.word for pull in answer.deciding] == ["river"]


@pytest.mark.parametrize("text", ["bank", "Bank!", "zyx bank xyz", "bank banks"])
def test_without_known_words_the_word_alone_speaks(text: str) -> None:
    answer = tell(text)
    assert answer.n_known == 0
    assert answer.deciding == ()
    assert [m.probability for m in answer.meanings] == pytest.approx([0.6, 0.3, 0.1])


def test_every_occurrence_has_an_answer() -> None:
    far = " ".join(["zyx"] * 3)
    (answers, none) = DISAMBIGUATOR.answer_texts([f"The bank's loan, {far} Banks", "no such word"])
    assert none == []
    assert [(answer.position, answer.form) for answer in answers] == [(1, "bank's"), (6, "banks")]
    assert {answer.word for answer in answers} == {"bank"}


def test_a_word_of_one_sense_has_nothing_to_decide() -> None:
    (answers,) = replace(DISAMBIGUATOR, weights={RIVER: 0.4}).answer_texts(["loan bank cash"])
    assert answers[0].sense.probability == 1
    assert answers[0].deciding == ()


def test_a_word_of_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="no atom with a positive weight"):
        replace(DISAMBIGUATOR, weights={}).answer_texts(["loan bank cash"])


def test_a_phrase_as_a_usage() -> None:
    (answer,) = DISAMBIGUATOR.answer_usages([Usage(["loan", "old", "bank", "cash"], 1, 2)])
    assert answer.form == "old bank"
    assert answer.n_known == 2


def test_no_texts_and_no_usages() -> None:
    assert DISAMBIGUATOR.answer_texts([]) == []
    assert DISAMBIGUATOR.answer_usages([]) == []


@given(st.lists(st.lists(st.sampled_from([*WORDS, "zyx"]), max_size=8).map(" ".join), max_size=6), st.randoms())
def test_texts_are_answered_in_their_order_and_for_themselves(texts: list[str], shuffle: object) -> None:
    order = list(range(len(texts)))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    together, shuffled = DISAMBIGUATOR.answer_texts(texts), DISAMBIGUATOR.answer_texts([texts[k] for k in order])
    for k, answers in zip(order, shuffled, strict=True):
        for one, other in zip(answers, together[k], strict=True):
            assert (one.position, one.form, one.n_known) == (other.position, other.form, other.n_known)
            ours, theirs = ({m.atom: m.probability for m in each.meanings} for each in (one, other))
            assert ours == pytest.approx(theirs, abs=1e-5)


@given(st.lists(st.sampled_from([*WORDS, "zyx"]), max_size=8))
def test_deciding_words_stand_in_the_text_and_pull(words: list[str]) -> None:
    answer = tell(" ".join(["bank", *words]), n_deciding=100)
    assert {pull.word for pull in answer.deciding} <= {*words} - {"bank", "banks"}
    pulls = [pull.pull for pull in answer.deciding]
    assert all(pull > 0 for pull in pulls)
    assert pulls == sorted(pulls, reverse=True)
    assert all(isinstance(pull, Pull) for pull in answer.deciding)

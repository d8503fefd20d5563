"""What a model answers about words in contexts: a planted bank of money and rivers, and models with parts missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_posterior import SETTINGS, WORDS, world_atoms, world_embeddings, world_map, world_model
from wordatoms.atoms.atoms import describe_atoms
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import TUNING, ReadingSettings
from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError, UnknownWordError, WordatomsError
from wordatoms.senses.model import BATCH_TEXTS, LEAST_PICKED, SenseModel
from wordatoms.senses.topics import document_topics
from wordatoms.text.tokenizer import Tokenizer

MONEY, RIVER, SONG = range(3)
AT_THE_BANK = "The bank gave a loan of cash to the account."
AT_THE_RIVER = "A boat on the river near the bank, by the water."


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_model(tmp_path_factory.mktemp("contexts") / "model", world_embeddings(), induced_map=world_map())


@pytest.fixture
def model(shared_model: SenseModel) -> Iterator[SenseModel]:
    yield shared_model
    (shared_model.path / "notes.json").unlink(missing_ok=True)


def usage_in(model: SenseModel, text: str) -> Usage:
    tokens = model.tokenizer.tokens(text)
    return Usage(tokens, tokens.index("bank"))


# --- senses and their weights


def test_word_that_was_never_counted_has_weights(tmp_path: Path) -> None:
    embeddings = world_embeddings()
    counts = embeddings.counts.copy()
    counts[WORDS.index("geese")] = 0
    model = world_model(tmp_path / "model", replace(embeddings, counts=counts), induced_map=world_map())
    assert model.senses("geese")
    assert all(sense.weight > 0 for sense in model.senses("geese"))


def test_weights_are_pooled_over_forms(model: SenseModel) -> None:
    pooled, alone = model.sense_weights("bank"), model.sense_weights("bank", forms=False)
    assert {MONEY, RIVER} == {*pooled} == {*alone}
    counts = {word: int(n) for word, n in zip(model.words, model.embeddings.counts, strict=True)}
    other, total = model.sense_weights("banks", forms=False), counts["bank"] + counts["banks"]
    for atom, weight in pooled.items():
        assert weight == pytest.approx((alone[atom] * counts["bank"] + other[atom] * counts["banks"]) / total)
    assert list(pooled.values()) == sorted(pooled.values(), reverse=True)


def test_lemma_that_is_unknown_has_the_senses_of_its_forms(model: SenseModel) -> None:
    assert "goose" not in model.words
    assert model.sense_weights("goose") == model.sense_weights("GOOSE") == model.sense_weights("geese", forms=False)
    answer = model.disambiguate("goose", "The geese of the choir: an opera, a song.")[0]
    assert (answer.word, answer.form, answer.sense.atom) == ("goose", "geese", SONG)
    with pytest.raises(UnknownWordError, match="'goose' is not among"):
        model.sense_weights("goose", forms=False)


def test_sense_vectors_are_the_atoms(model: SenseModel) -> None:
    vectors = model.sense_vectors("bank")
    assert vectors.tolist() == model.atoms.vectors[list(model.sense_weights("bank"))].tolist()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


# --- disambiguation


def test_the_planted_sense_is_meant(model: SenseModel) -> None:
    (money,), (river,) = model.disambiguate("bank", AT_THE_BANK), model.disambiguate("bank", AT_THE_RIVER)
    assert (money.sense.atom, river.sense.atom) == (MONEY, RIVER)
    assert min(money.sense.probability, river.sense.probability) > 0.8
    assert {pull.word for pull in money.deciding} <= {"loan", "cash", "account"}
    assert money.sense.label == model.label(MONEY)
    assert money.sense.nearest == model.nearest_words(MONEY)
    assert len(model.disambiguate("bank", AT_THE_BANK, n_nearest=3)[0].sense.nearest) == 3


def test_several_occurrences_and_forms(model: SenseModel) -> None:
    far = "zyx " * 3
    answers = model.disambiguate("bank", f"The bank’s loan, cash, account, credit. {far} Banks of the BANK")
    assert [answer.form for answer in answers] == ["bank's", "banks", "bank"]
    assert [answer.word for answer in answers] == ["bank"] * 3
    assert model.disambiguate("BANK", AT_THE_BANK) == model.disambiguate("bank", AT_THE_BANK)


@pytest.mark.parametrize("text", ["bank", "zyx bank, xyz!"])
def test_no_known_word_in_the_context(model: SenseModel, text: str) -> None:
    weights = model.sense_weights("bank")
    (answer,) = model.disambiguate("bank", text)
    total = sum(weights.values())
    assert {m.atom: m.probability for m in answer.meanings} == pytest.approx({a: w / total for a, w in weights.items()})
    assert answer.n_known == 0


def test_each_of_many_texts(model: SenseModel) -> None:
    texts = [AT_THE_BANK, "", "no such word", AT_THE_RIVER] * (BATCH_TEXTS // 3)
    answers = list(model.disambiguate_each("bank", iter(texts)))
    assert len(answers) == len(texts)
    assert [len(each) for each in answers[:4]] == [1, 0, 0, 1]
    assert answers[-1][0].sense.atom == RIVER


def test_texts_without_end(model: SenseModel) -> None:
    endless = (AT_THE_BANK for _ in count())
    assert len(list(islice(model.disambiguate_each("bank", endless), 3))) == 3


def test_picks_and_hidden_atoms_are_honoured(model: SenseModel) -> None:
    model.pick("bank", [RIVER, SONG])
    assert {meaning.atom for meaning in model.disambiguate("bank", AT_THE_BANK)[0].meanings} == {RIVER, SONG}
    assert min(model.sense_weights("bank").values()) >= LEAST_PICKED
    model.pick("bank", [])
    model.hide(MONEY)
    (answer,) = model.disambiguate("bank", AT_THE_BANK)
    assert [meaning.atom for meaning in answer.meanings] == [RIVER]
    assert answer.sense.probability == 1
    model.hide(RIVER)
    with pytest.raises(InputError, match="no atom with a positive weight"):
        model.disambiguate("bank", AT_THE_BANK)


def test_own_names_are_shown(model: SenseModel) -> None:
    model.name(RIVER, "beside the water")
    assert model.disambiguate("bank", AT_THE_RIVER)[0].sense.label == "beside the water"


# --- probabilities and vectors


def test_p_senses_agree_with_disambiguation(model: SenseModel) -> None:
    usages = [usage_in(model, text) for text in (AT_THE_BANK, AT_THE_RIVER, "bank")]
    p_senses = model.p_senses("bank", usages)
    assert p_senses.shape == (3, len(model.sense_vectors("bank")))
    assert np.allclose(p_senses.sum(axis=1), 1)
    atoms = list(model.sense_weights("bank"))
    (answer,) = model.disambiguate("bank", AT_THE_RIVER)
    assert dict(zip(atoms, p_senses[1], strict=True)) == pytest.approx(
        {meaning.atom: meaning.probability for meaning in answer.meanings}, abs=1e-5
    )
    assert model.p_senses("bank", []).shape == (0, len(atoms))


@given(st.lists(st.lists(st.sampled_from([*WORDS, "zyx"]), max_size=6), min_size=1, max_size=6), st.randoms())
def test_order_of_usages_is_the_order_of_answers(
    shared_model: SenseModel, texts: list[list[str]], shuffle: object
) -> None:
    usages = [Usage(["bank", *tokens], 0) for tokens in texts]
    order = list(range(len(usages)))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    shuffled = [usages[k] for k in order]
    for ask in (shared_model.p_senses, shared_model.vectors_in_context, shared_model.context_vectors):
        assert np.allclose(np.asarray(ask("bank", usages))[order], ask("bank", shuffled), atol=1e-5)
        assert ask("bank", usages).tobytes() == ask("bank", usages).tobytes()


def test_vectors_lean_towards_the_meant_sense(model: SenseModel) -> None:
    money, river = model.vectors_in_context("bank", [usage_in(model, t) for t in (AT_THE_BANK, AT_THE_RIVER)])
    assert money @ model.atoms.vectors[MONEY] > river @ model.atoms.vectors[MONEY]
    assert river @ model.atoms.vectors[RIVER] > money @ model.atoms.vectors[RIVER]


def test_unknown_word_is_what_its_context_makes_of_it(model: SenseModel) -> None:
    tokens = model.tokenizer.tokens("a glockenspiel for the choir and the singer")
    (vector,) = model.vectors_in_context("glockenspiel", [Usage(tokens, 1)])
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert int((model.atoms.vectors @ vector).argmax()) == SONG


def test_lemma_that_is_unknown_has_the_vector_of_a_form(model: SenseModel) -> None:
    tokens = ["the", "geese", "sang", "an", "opera"]
    goose, geese = (model.vectors_in_context(word, [Usage(tokens, 1)]) for word in ("Goose", "geese"))
    assert np.allclose(goose, geese, atol=1e-6)


def test_word_of_several_tokens_is_no_part_of_its_context(model: SenseModel) -> None:
    tokens = ["song", "river", "bank", "opera", "river"]
    (vector,) = model.context_vectors("River-Bank", [Usage(tokens, 1, 2)])
    (expected,) = model.context_vectors("zyx", [Usage(["song", "zyx", "opera"], 1)])
    assert np.allclose(vector, expected, atol=1e-6)


def test_settings_of_ones_own(model: SenseModel) -> None:
    vague = model.make_posterior(ReadingSettings(a=1e-2, window=5, scale=1e-3, sense_share=0.0, context_share=0.0))
    usages = [usage_in(model, AT_THE_BANK)]
    own = model.embeddings["bank"] / np.linalg.norm(model.embeddings["bank"])
    assert np.allclose(model.vectors_in_context("bank", usages, vague), own, atol=1e-5)


# --- similarity


def test_similarity_in_context(model: SenseModel) -> None:
    same = model.similarity("bank", "bank", context1=AT_THE_BANK, context2="cash in the bank, credit, an account")
    other = model.similarity("bank", "bank", context1=AT_THE_BANK, context2=AT_THE_RIVER)
    assert 1 >= same > other
    to_shore = [model.similarity("bank", "shore", context1=text) for text in (AT_THE_RIVER, AT_THE_BANK)]
    assert to_shore[0] > to_shore[1]
    swapped = model.similarity("shore", "bank", context2=AT_THE_RIVER)
    assert swapped == pytest.approx(to_shore[0], abs=1e-5)


def test_the_first_occurrence_counts(model: SenseModel) -> None:
    text = f"{AT_THE_BANK} song tune opera choir singer {AT_THE_RIVER}"
    first, second = model.disambiguate("bank", text)
    assert (first.sense.atom, second.sense.atom) == (MONEY, RIVER)
    to_loan, to_shore = (model.similarity("bank", other, context1=text) for other in ("loan", "shore"))
    assert to_loan > to_shore


def test_similarity_without_contexts_is_the_cosine(model: SenseModel) -> None:
    assert model.similarity("bank", "shore") == model.embeddings.similarity("bank", "shore")


def test_capitals_are_read_alike_with_and_without_a_context(model: SenseModel) -> None:
    assert model.similarity("Bank", "shore") == model.similarity("bank", "shore")
    with_context = [model.similarity(word, "shore", context1=AT_THE_BANK) for word in ("Bank", "bank")]
    assert with_context[0] == with_context[1]


def test_similarity_of_words_that_are_not_known(model: SenseModel) -> None:
    near = model.similarity("glockenspiel", "song", context1="a glockenspiel for choir and opera")
    assert near > model.similarity("glockenspiel", "song", context1="a glockenspiel of cash and money")
    with pytest.raises(UnknownWordError):
        model.similarity("glockenspiel", "song", context2="a song")
    with pytest.raises(InputError, match="no form of 'bank' is in its context; pass a context with the word"):
        model.similarity("bank", "song", context1="a river")
    with pytest.raises(InputError, match="the context of 'bank' is empty; pass a text with the word, or none at all"):
        model.similarity("bank", "song", context1=" ")


# --- clusters


def texts_of_both() -> list[str]:
    rng = np.random.default_rng(3)

    def text(words: tuple[str, ...] | list[str]) -> str:
        return " ".join([*rng.choice(words, 3), "bank", *rng.choice(words, 3)])

    return [text(WORDS[:5]) for _ in range(12)] + [text(WORDS[5:10]) for _ in range(8)]


@pytest.mark.parametrize("k", [2, "auto"])
def test_usages_are_put_together_by_sense(model: SenseModel, k: int) -> None:
    clusters = model.cluster("bank", texts_of_both(), k)
    assert len(clusters) == 2
    assert clusters.labels == (0,) * 12 + (1,) * 8
    assert clusters.texts == tuple(range(20))
    assert clusters.members(1) == list(range(12, 20))
    assert [clusters.senses(cluster)[0].atom for cluster in (0, 1)] == [MONEY, RIVER]
    assert sum(sense.probability for sense in clusters.senses(0)) == pytest.approx(1)
    assert clusters.p_senses.shape == (20, len(clusters.meanings))


def test_typical_usages_are_the_nearest_to_their_centre(model: SenseModel) -> None:
    clusters = model.cluster("bank", [*texts_of_both(), "song choir bank loan tune"], 2)
    assert len(clusters.closeness) == 21
    typical = clusters.typical(0, 100)
    assert sorted(typical) == clusters.members(0)
    assert [clusters.closeness[number] for number in typical] == sorted(
        (clusters.closeness[number] for number in typical), reverse=True
    )
    assert clusters.typical(0) == typical[:3]
    assert min(range(21), key=clusters.closeness.__getitem__) == 20


def test_gain_of_the_settings_decides_how_many_clusters(tmp_path: Path) -> None:
    strict = replace(SETTINGS, least_gain=0.9)
    model = world_model(tmp_path / "model", world_embeddings(), induced_map=world_map(), settings=strict)
    assert len(model.cluster("bank", texts_of_both())) == 1
    assert len(model.cluster("bank", texts_of_both(), 2)) == 2


def test_clusters_of_few_usages(model: SenseModel) -> None:
    clusters = model.cluster("Bank", ["nothing", "bank's river and a bank", ""], 9)
    assert clusters.word == "bank"
    assert clusters.texts == (1, 1)
    assert [usage.form for usage in clusters.usages] == ["bank's", "bank"]
    assert len(model.cluster("bank", ["bank", "bank"], "auto")) == 1
    with pytest.raises(InputError, match="k is 0"):
        model.cluster("bank", [AT_THE_BANK], 0)


def test_same_clusters_for_the_same_seed(model: SenseModel) -> None:
    one, other = (model.cluster("bank", texts_of_both(), 5, random_state=3) for _ in range(2))
    assert one.labels == other.labels
    assert one.p_senses.tobytes() == other.p_senses.tobytes()


# --- other ways to cut a text


def test_capitals_where_case_is_kept(tmp_path: Path) -> None:
    plain = world_embeddings()
    words = ["Paris" if word == "singer" else word for word in plain.words]
    model = world_model(tmp_path / "model", Embeddings(words, plain.vectors, plain.counts), induced_map=world_map())
    assert model.tokenizer.keep_case
    answers = model.disambiguate("bank", "Bank of the river. The Bank's boat; banks")
    assert [answer.form for answer in answers] == ["Bank", "Bank's", "banks"]
    assert model.disambiguate("Bank", AT_THE_RIVER)[0].sense.atom == RIVER
    assert model.disambiguate("bank", "Paris, the bank")[0].n_known == 1


def test_phrase_is_one_word(tmp_path: Path) -> None:
    plain = world_embeddings()
    words = ["left_bank" if word == "geese" else word for word in plain.words]
    model = world_model(tmp_path / "model", Embeddings(words, plain.vectors, plain.counts), induced_map=world_map())
    model.parts.tokenizer = Tokenizer(phrases=("left bank",))
    (answer,) = model.disambiguate("left_bank", "An opera on the Left Bank, a choir, a song")
    assert (answer.form, answer.position, answer.sense.atom) == ("left_bank", 4, SONG)
    assert [each.form for each in model.disambiguate("bank", "left bank, bank")] == ["bank"]
    assert model.disambiguate("left bank", "the left bank")[0].form == "left_bank"


# --- bad input


def test_texts_without_the_word(model: SenseModel) -> None:
    for text in ("", " \n"):
        with pytest.raises(InputError, match="the text is empty; pass one with 'bank' in it"):
            model.disambiguate("bank", text)
    with pytest.raises(InputError, match="no form of 'bank' is in the text; pass a text with the word"):
        model.disambiguate("bank", "a river")
    with pytest.raises(InputError, match="no form of 'bank' is in the 2 texts; pass texts with the word"):
        model.cluster("bank", ["a river", ""])


def test_one_string_is_no_list_of_texts(model: SenseModel) -> None:
    for ask in (lambda: model.cluster("bank", AT_THE_BANK), lambda: list(model.disambiguate_each("bank", AT_THE_BANK))):
        with pytest.raises(InputError, match="the texts are one string, 'The bank gave"):
            ask()


@pytest.mark.parametrize(
    "wrong",
    [world_map(7), replace(world_map(), windows=world_map().windows + np.int32(100))],
    ids=["other dimensions", "rows beyond the words"],
)
def test_map_that_does_not_belong_to_the_vectors(tmp_path: Path, wrong: InducedMap) -> None:
    model = world_model(tmp_path / "model", world_embeddings(), induced_map=wrong)
    with pytest.raises(WordatomsError):
        model.disambiguate("bank", AT_THE_BANK)


def test_unknown_word_has_the_senses_that_its_contexts_suggest(model: SenseModel) -> None:
    texts = ["the loan of the glockenspiel and money", "the choir sang with a glockenspiel and a melody"]
    found = model.disambiguate("glockenspiel", texts[0])[0]
    assert (found.word, found.form, found.position) == ("glockenspiel", "glockenspiel", 4)
    assert [each[0].sense.atom for each in model.disambiguate_each("glockenspiel", texts)] == [MONEY, SONG]
    assert model.cluster("glockenspiel", texts, k=2).labels == (0, 1)
    assert [len(each) for each in model.disambiguate_each("glockenspiel", ["nothing", *texts])] == [0, 1, 1]
    assert not model.knows("glockenspiel")
    with pytest.raises(InputError, match="'glockenspiel' is not known, and no word around it is; pass longer texts"):
        model.disambiguate("glockenspiel", "glockenspiel unheard")


def test_phrase_has_the_senses_that_its_contexts_suggest(model: SenseModel) -> None:
    found = model.disambiguate("Unheard Quartet", "the choir and the unheard quartet sang a melody")[0]
    assert (found.form, found.position, found.sense.atom) == ("unheard quartet", 4, SONG)
    with pytest.raises(UnknownWordError, match="it is a phrase: pass texts that contain it"):
        model.senses("unheard quartet")


def test_place_of_the_word_may_be_given(model: SenseModel) -> None:
    text = "the [bank] of the river and the bank with money"
    usage = Usage.from_marked(text)
    found = model.disambiguate("bank", usage)
    assert [each.position for each in found] == [1]
    assert model.cluster("bank", [usage, usage, "river bank"], k=1).texts == (0, 1, 2)
    assert model.usages("bank", [usage, "a bank, the banks"])[0] is usage
    assert len(model.usages("bank", [usage, "a bank, the banks"])) == 3
    assert model.similarity("bank", "bank", context1=usage, context2=usage) == pytest.approx(1)


def test_texts_in_place_of_usages_count_by_their_first_occurrence(model: SenseModel) -> None:
    texts = ["the river bank and the bank", "money of the bank"]
    usages = [model.usages("bank", [text])[0] for text in texts]
    for ask in (model.p_senses, model.context_vectors, model.vectors_in_context):
        np.testing.assert_array_equal(ask("bank", texts), ask("bank", usages))
        with pytest.raises(InputError, match="no form of 'bank' is in text 1, 'no such word'"):
            ask("bank", [texts[0], "no such word"])


def test_list_in_place_of_a_string_and_the_reverse(model: SenseModel) -> None:
    for ask, problem in (
        (lambda: model.senses(["bank"]), "the word is of type list; pass one word as a string"),
        (lambda: model.disambiguate(["bank"], "a bank"), "the word is of type list"),
        (
            lambda: model.disambiguate("bank", ["a bank"]),
            "the text is of type list; pass one text as a string, or many",
        ),
        (lambda: model.similarity("bank", "bank", context1=["a bank"]), "the context of 'bank' is of type list"),
        (lambda: model.cluster("bank", "a bank"), "the texts are one string, 'a bank'; pass a list of texts"),
        (lambda: model.cluster("bank", [["a bank"]]), "a text is of type list; pass one string"),
        (lambda: model.p_senses("bank", "a bank"), "the texts are one string"),
        (lambda: list(model.disambiguate_each("bank", 7)), "the texts are of type int; pass a list of texts"),
    ):
        with pytest.raises(InputError, match=problem):
            ask()  # type: ignore[no-untyped-call]


def test_unknown_words(model: SenseModel) -> None:
    for ask in (
        lambda: model.senses("glockenspiel"),
        lambda: model.p_senses("glockenspiel", []),
        lambda: model.sense_vectors("rivre"),
    ):
        with pytest.raises(UnknownWordError, match="is not among the 18 words of the vocabulary"):
            ask()


def test_word_without_a_positive_atom(tmp_path: Path) -> None:
    embeddings = world_embeddings()
    made = world_atoms(embeddings)
    weights = made.codes.weights.copy()
    weights[WORDS.index("geese")] *= -1
    atoms = describe_atoms(embeddings, made.vectors, SparseCodes(made.codes.atoms, weights, 3))
    model = world_model(tmp_path / "model", embeddings, atoms=atoms, induced_map=world_map())
    for ask in (
        lambda: model.disambiguate("geese", "the geese and the river"),
        lambda: model.cluster("geese", ["the geese and the river"]),
        lambda: model.p_senses("geese", []),
    ):
        with pytest.raises(InputError, match="no atom with a positive weight, so it has no senses here"):
            ask()
    assert -1 <= model.similarity("geese", "song", context1="the geese and the river") <= 1


def test_model_without_a_map(tmp_path: Path) -> None:
    model = world_model(tmp_path / "model", world_embeddings())
    for ask in (
        lambda: model.disambiguate("bank", AT_THE_BANK),
        lambda: model.cluster("bank", [AT_THE_BANK]),
        lambda: model.similarity("bank", "shore", context1=AT_THE_BANK),
    ):
        with pytest.raises(ModelError, match="has no 'map' stage yet; run: wordatoms map"):
            ask()
    assert model.sense_weights("bank")
    assert model.similarity("bank", "shore") > 0


def test_map_without_moments(tmp_path: Path) -> None:
    model = world_model(tmp_path / "model", world_embeddings(), induced_map=replace(world_map(), moments=None))
    with pytest.raises(ModelError, match="learned without the moments that single contexts need; run"):
        model.disambiguate("bank", AT_THE_BANK)
    noiseless = model.make_posterior(ReadingSettings(noise=0.0, window=5))
    assert model.vectors_in_context("bank", [usage_in(model, AT_THE_BANK)], noiseless).any()


def test_settings_as_tuned_or_by_default(model: SenseModel, tmp_path: Path) -> None:
    assert model.reading == model.posterior.settings == SETTINGS
    plain = world_model(tmp_path / "model", world_embeddings(), induced_map=world_map(), settings=None)
    assert plain.reading == ReadingSettings()
    assert plain.disambiguate("bank", AT_THE_RIVER)[0].sense.atom == RIVER


def test_damaged_tuning_is_one_sentence(tmp_path: Path) -> None:
    model = world_model(tmp_path / "model", world_embeddings(), induced_map=world_map())
    (model.path / TUNING).write_text('{"settings": {"kappa": 3}}')
    with pytest.raises(ModelError, match=r"tuning\.json has \d+ bytes instead of \d+; run wordatoms tune"):
        SenseModel(model.path)


def test_questions_import_nothing_heavy(model: SenseModel) -> None:
    script = (
        "import sys, wordatoms; model = wordatoms.load(sys.argv[1]); "
        f"model.disambiguate('bank', {AT_THE_BANK!r}); model.cluster('bank', [{AT_THE_RIVER!r}] * 3); "
        "print(*sorted({'numba', 'scipy', 'sklearn'} & {*sys.modules}))"
    )
    result = subprocess.run([sys.executable, "-c", script, model.path], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_columns_of_tables_are_texts(model: SenseModel) -> None:
    pandas, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    texts = ["The bank gave a loan of cash.", None, "A boat on the river near the bank."]
    plain = [text or "" for text in texts]
    expected = [len(found) for found in model.disambiguate_each("bank", plain)]
    columns = (
        pandas.Series(texts),
        pandas.Series([texts[0], float("nan"), texts[2]]),
        pandas.Series(texts, dtype="string"),
        pa.array(texts),
        pa.chunked_array([texts[:1], texts[1:]]),
        np.array(plain),
        tuple(texts),
    )
    for column in columns:
        for asked in (column, (text for text in column)):
            assert [len(found) for found in model.disambiguate_each("bank", asked)] == expected
        assert model.cluster("bank", column, 2).texts == (0, 2)
        assert len(model.usages("bank", iter(column))) == 2
        np.testing.assert_array_equal(model.induce("bank", column), model.induce("bank", plain))
        assert document_topics(model, column).n_words.tolist() == document_topics(model, plain).n_words.tolist()
    frame = pandas.DataFrame({"text": plain})
    for table in (frame, pa.table({"text": plain}), {"text": plain}, b"a bank"):
        with pytest.raises(InputError, match=f"the texts are a {type(table).__name__}; pass a list of texts, or one"):
            model.cluster("bank", table)
    with pytest.raises(InputError, match="no form of 'bank' is in the 1 texts"):
        model.cluster("bank", (text for text in ["nothing"]))

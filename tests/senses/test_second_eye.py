"""An encoder that reads along with a model: a planted text, and a tiny encoder that knows its words."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import wordatoms as wa
from observedworld import FORM, WORD, observed_model, words_of
from tinyencoder import make_encoder
from wordatoms.cli.root import cli
from wordatoms.encoder.encoder import Encoder
from wordatoms.errors import InputError, ModelError
from wordatoms.explorer.service import Explorer
from wordatoms.senses.posterior import to_unit
from wordatoms.senses.second_eye import FORM_OCCURRENCES, Prototypes, SecondEye, centred

CONTEXTS = [
    f"{words_of(number, 6, first)} {WORD} {words_of(number, 6, first + 6)}" for number in (0, 1) for first in (0, 9)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model and an encoder."""
    folder = tmp_path_factory.mktemp("eye")
    model = observed_model(folder)
    make_encoder(folder / "encoder", model.words)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "home"))


@pytest.fixture
def alone(folder: Path) -> wa.SenseModel:
    return wa.load(folder / "model")


@pytest.fixture
def both(folder: Path) -> wa.SenseModel:
    return wa.load(folder / "model", encoder=folder / "encoder")


def eye_of(model: wa.SenseModel) -> SecondEye:
    assert model.second_eye is not None
    return model.second_eye


# --- views


def test_states_of_a_form_lose_its_mean_as_far_as_it_has_usages() -> None:
    rng = np.random.default_rng(0)
    states = to_unit(rng.normal(size=(7, 5)))
    forms = ["tie"] * 5 + ["ties"] * 2
    expected = []
    for state, form in zip(states, forms, strict=True):
        own = [each for each, name in zip(states, forms, strict=True) if name == form]
        mean = (sum(own) + FORM_OCCURRENCES * states.mean(axis=0)) / (len(own) + FORM_OCCURRENCES)
        expected.append((state - mean) / np.linalg.norm(state - mean))
    np.testing.assert_allclose(centred(states, forms), expected, atol=1e-5)
    assert centred(states[:0], []).shape == (0, 5)
    assert np.isfinite(centred(states[:1], ["tie"])).all()


def test_clusters_take_both_views(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    found = both.cluster(WORD, CONTEXTS, 2)
    assert found.labels == (0, 0, 1, 1)
    views = eye_of(both).joint_views(both.views(WORD, CONTEXTS), both.usages(WORD, CONTEXTS))
    n_own = alone.views(WORD, CONTEXTS).shape[1]
    np.testing.assert_allclose((views[:, :n_own] ** 2).sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose((views[:, n_own:] ** 2).sum(axis=1), 1, atol=1e-5)


def test_the_encoder_sees_the_text_as_it_is_written(both: wa.SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    states = Encoder.states
    monkeypatch.setattr(
        Encoder,
        "states",
        lambda self, passages, **kwargs: (
            seen.extend(p.text[p.start : p.end] for p in passages) or states(self, passages, **kwargs)
        ),
    )
    both.cluster(WORD, [f"{words_of(0)}, “{WORD.upper()}”: {words_of(0)}!", f"{words_of(1)} {FORM}, {words_of(1)}"], 2)
    assert {"TIE", "ties"} <= set(seen)


# --- senses


def test_prototypes_point_from_the_middle_of_the_examples_to_those_of_a_sense() -> None:
    states = to_unit(np.array([[1.0, 0.1], [1.0, -0.1], [0.0, 1.0]]))
    made = Prototypes.of(states, np.array([0, 0, 2]), 3)
    first, third = states[:2].mean(axis=0), states[2]
    np.testing.assert_allclose(made.middle, (first + third) / 2, atol=1e-6)
    assert not made.vectors[1].any()  # no examples
    evidence = made.evidence(states)
    assert evidence[0, 0] > 0 > evidence[0, 2]
    assert (evidence[:, 1] == 0).all()


def test_senses_in_contexts_use_the_examples(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    for text in CONTEXTS:
        ours, together = (model.disambiguate(WORD, text)[0] for model in (alone, both))
        assert together.sense.sense == ours.sense.sense
        assert together.deciding == ours.deciding
        total = sum(meaning.probability for meaning in together.meanings) + together.p_none
        assert total == pytest.approx(1)
    assert any(
        both.disambiguate(WORD, text)[0].sense.probability != alone.disambiguate(WORD, text)[0].sense.probability
        for text in CONTEXTS
    )


def test_a_context_that_tells_nothing_is_left_to_the_shares(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    ours, together = (model.disambiguate(WORD, f"{WORD} zzz")[0] for model in (alone, both))
    assert together.tells_nothing
    assert together.meanings == ours.meanings


def test_words_without_examples_are_read_as_without_an_encoder(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "model", tmp_path / "copy" / "model")
    text = folder / "text.txt"
    hidden = text.rename(folder / "hidden.txt")  # examples are quoted from the text
    try:
        alone = wa.load(tmp_path / "copy" / "model")
        both = wa.load(tmp_path / "copy" / "model", encoder=folder / "encoder")
        assert not alone.examples(WORD)
        assert both.disambiguate(WORD, CONTEXTS[0]) == alone.disambiguate(WORD, CONTEXTS[0])
    finally:
        hidden.rename(text)


def test_unknown_words_and_the_code_are_read_as_without_an_encoder(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    text = CONTEXTS[0].replace(WORD, "covfefe")
    assert both.disambiguate("covfefe", text) == alone.disambiguate("covfefe", text)
    assert both.disambiguate(WORD, CONTEXTS[0], method="code") == alone.disambiguate(WORD, CONTEXTS[0], method="code")
    assert both.cluster("covfefe", [text, CONTEXTS[2].replace(WORD, "covfefe")], 2).labels == (0, 1)


# --- similarity


def test_similarity_in_context_is_the_mean_of_both(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    first, second = CONTEXTS[0], CONTEXTS[2]
    usages = [both.usages(WORD, [text])[0] for text in (first, second)]
    ours = alone.similarity(WORD, WORD, context1=first, context2=second)
    expected = (ours + eye_of(both).similarity(*usages)) / 2
    assert both.similarity(WORD, WORD, context1=first, context2=second) == pytest.approx(expected)
    assert both.similarity(WORD, FORM) == alone.similarity(WORD, FORM)


# --- which encoder


def test_an_encoder_in_the_model_folder_is_the_default(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "model", tmp_path / "model")
    shutil.copytree(folder / "encoder", tmp_path / "model" / "encoder")
    assert wa.load(tmp_path / "model").second_eye is not None
    assert wa.load(tmp_path / "model", encoder="none").second_eye is None
    assert wa.load(tmp_path / "model").without_encoder().second_eye is None
    assert wa.load(folder / "model").second_eye is None


def test_an_encoder_that_cannot_be_used_is_refused_at_once(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is not a folder"):
        wa.load(folder / "model", encoder=tmp_path / "nothing")


def test_an_encoder_of_another_language_is_refused(folder: Path, tmp_path: Path) -> None:
    other = make_encoder(tmp_path / "other", ["und", "der", "die"])  # cuts every word of the model into letters
    with pytest.raises(
        InputError, match=r"into \d\.\d subwords on average, more than 2; pass an encoder of the language 'en'"
    ):
        wa.load(folder / "model", encoder=other)


# --- the command line


def run(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [*map(str, arguments)])
    if code == 0:
        assert result.exit_code == 0, result.output
    return result.output


def test_commands_take_an_encoder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.txt").write_text("\n".join(CONTEXTS))
    given = ("--model", folder / "model", "--encoder", folder / "encoder")
    clusters = json.loads(run("cluster", WORD, "--contexts", tmp_path / "texts.txt", "-k", "2", "--json", *given))
    assert [usage["cluster"] for usage in clusters["usages"]] == [0, 0, 1, 1]
    mixed = ("disambiguate", WORD, f"{words_of(0, 3)} {WORD} {words_of(1, 2)}", "--json")
    assert run(*mixed, *given) != run(*mixed, *given[:2])
    similar = ("similarity", WORD, WORD, "--context1", CONTEXTS[0], "--context2", CONTEXTS[2])
    assert run(*similar, *given) != run(*similar, *given[:2])
    assert "sentences" in run("sentences", WORD, "--corpus", tmp_path / "texts.txt", "--words", "1-60", *given)
    assert run(*mixed, *given[:2], "--encoder", "none") == run(*mixed, *given[:2])


# --- the explorer


def test_the_explorer_shows_what_each_side_says(both: wa.SenseModel, alone: wa.SenseModel) -> None:
    text = f"{words_of(0, 3)} {WORD} {words_of(1, 2)}"
    with_encoder, without = (Explorer([model]).texts.meaning(text, 3) for model in (both, alone))
    assert without.encoder is None
    assert with_encoder._replace(encoder=None) == without
    side = with_encoder.encoder
    assert side is not None
    together = {each.sense: each.probability for each in both.disambiguate(WORD, text)[0].meanings}
    assert side.together == [pytest.approx(together[each.sense]) for each in with_encoder.meanings]
    assert sum(side.alone) == pytest.approx(1)
    assert sum(side.together) + side.none == pytest.approx(1)

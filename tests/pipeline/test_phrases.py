"""Phrases with vectors of their own: found in the text, induced from their contexts, and known to every question."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import wordatoms as wa
from invoking import invoke, refused
from observedworld import LEAST_LIFT, MOST_SIMILAR, ambiguous_text, discourse, observed_model, words_of
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.phrases import PhraseSettings, learn_phrases
from wordatoms.senses import observing
from wordatoms.senses.inventory import Inventory, ListedSense
from wordatoms.senses.phrases import LIST, SCALES, VECTORS, Phrases
from wordatoms.storage.folder import ModelFolder

PHRASES = {"Blue Moon": 4, "dry wit": 5}
"""Each with the discourse that it is used in."""
AMBIGUOUS, SHARES = "cold feet", {6: 60, 7: 30}
"""A phrase that is used in two discourses, in so many lines of each."""


def with_phrases(text: str) -> str:
    """The text with phrases in some lines of their discourse, and their words apart in some others."""
    lines = [line.split() for line in text.split("\n")]
    for number, phrase in enumerate(PHRASES):
        own = [line for line in lines if len(line) > 12 and discourse(line[2]) == PHRASES[phrase]]
        for line in own[:60]:
            line[6:6] = phrase.split()
        first, second = phrase.lower().split()
        for line in own[60 + number : 64]:
            line.insert(1, first)
            line.append(second)
    for number, n_lines in SHARES.items():
        for line in [line for line in lines if len(line) > 12 and discourse(line[2]) == number][:n_lines]:
            line[6:6] = AMBIGUOUS.split()
    return "\n".join(map(" ".join, lines))


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "phrases.txt"
    path.write_text(with_phrases(ambiguous_text()))
    return path


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return observed_model(tmp_path_factory.mktemp("plain")).path


@pytest.fixture(scope="module")
def model(plain: Path, text: Path, tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    folder = tmp_path_factory.mktemp("phrases") / "model"
    shutil.copytree(plain, folder)
    settings = PhraseSettings(given=(*PHRASES, AMBIGUOUS), min_count=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(observing, "LEAST_LIFT", LEAST_LIFT)
        patch.setattr(observing, "MOST_SIMILAR", MOST_SIMILAR)
        assert learn_phrases(ModelFolder(folder), settings, sources=[text])
    assert not learn_phrases(ModelFolder(folder), settings, sources=[text])
    return wa.load(folder)


def test_a_phrase_is_near_the_words_it_is_used_with(model: wa.SenseModel) -> None:
    for phrase, number in PHRASES.items():
        near = model.parts.near_words(phrase, 5)
        assert {discourse(each.word) for each in near} == {number}
        sense = model.senses(phrase.upper(), method="code")[0]
        assert sense.word == phrase.lower()
        assert {discourse(each.word) for each in sense.nearest[:5]} == {number}
        assert discourse(model.senses(phrase.upper())[0].nearest[0].word) == number
        assert model.similarity(phrase, words_of(number, 1)) > model.similarity(phrase, words_of(0, 1))
    assert model.senses_of_forms("blue moon") == model.examples("blue moon") == []


def test_its_uses_show_its_senses(model: wa.SenseModel) -> None:
    senses = model.senses(AMBIGUOUS)
    assert [discourse(sense.nearest[0].word) for sense in senses] == [*SHARES]
    assert [sense.share for sense in senses] == pytest.approx([2 / 3, 1 / 3], abs=0.05)
    assert [sense.n_occurrences for sense in senses] == pytest.approx([60, 30], abs=12)
    for number in SHARES:
        text = f"{words_of(number, 6)} Cold Feet {words_of(number, 6, first=9)}, {AMBIGUOUS}"
        found = model.disambiguate(AMBIGUOUS, text)
        assert [discourse(each.sense.nearest[0].word) for each in found] == [number, number]
        assert found[0].sense.probability > 0.9
    assert model.disambiguate(AMBIGUOUS, f"some {AMBIGUOUS}")[0].tells_nothing
    assert all(sense.sense is None for sense in model.senses(AMBIGUOUS, method="code"))
    with pytest.raises(InputError, match="pass 'auto', 'uses' or 'code'"):
        model.senses(AMBIGUOUS, method="other")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is in the text"):
        model.disambiguate(AMBIGUOUS, "cold hands and feet")


def test_listed_senses_of_a_phrase_have_their_names(plain: Path, text: Path, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "model")
    (tmp_path / "phrases.txt").write_text("\n".join([*PHRASES, AMBIGUOUS]))
    names = {"often": 6, "rarely": 7, "never": 2}
    lines = [f"{AMBIGUOUS}\t{name}\t{words_of(number, 6)}\n" for name, number in names.items()]
    (tmp_path / "list.tsv").write_text("".join(lines))
    given = ("phrases", tmp_path / "model", "--text", text, "--file", tmp_path / "phrases.txt", "--min-count", "20")
    invoke(*given, "--inventory", tmp_path / "list.tsv")
    listed = wa.load(tmp_path / "model")
    found = {sense.label: sense.share for sense in listed.senses(AMBIGUOUS)}
    assert [*found] == ["often", "rarely"], "what the text does not show is left out"
    assert found["often"] == pytest.approx(2 / 3, abs=0.1)
    assert not any(sense.listed for sense in listed.senses("dry wit"))
    compact(ModelFolder(listed.path), tmp_path / "small")
    assert {sense.label for sense in wa.load(tmp_path / "small").senses(AMBIGUOUS)} == {"often", "rarely"}


def test_a_list_needs_a_model_whose_words_were_observed(
    plain: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ModelFolder(plain)
    stages = {name: stage for name, stage in folder.stages.items() if name != "observe"}
    monkeypatch.setattr(ModelFolder, "stages", property(lambda _: stages))
    listed = Inventory((ListedSense(AMBIGUOUS, "often", (words_of(6, 1),)),))
    with pytest.raises(InputError, match="whose words were observed; run: wordatoms observe"):
        learn_phrases(folder, PhraseSettings(given=(AMBIGUOUS,)), sources=[text], inventory=listed)


def test_hidden_atoms_are_no_senses_of_a_phrase(model: wa.SenseModel, tmp_path: Path) -> None:
    shutil.copytree(model.path, tmp_path / "model")
    own = wa.load(tmp_path / "model")
    hidden = {sense.atom for sense in own.senses("dry wit")}
    for atom in hidden:
        own.hide(atom)
    assert hidden.isdisjoint(sense.atom for sense in own.senses("dry wit"))


def test_a_model_that_was_not_observed_has_phrases_without_uses(model: wa.SenseModel, tmp_path: Path) -> None:
    shutil.copytree(model.path, tmp_path / "model")
    for path in (tmp_path / "model").glob("phrases-uses*"):
        path.unlink()
    without = Phrases.load(tmp_path / "model", n_words=len(model.words), n_atoms=len(model.atoms), dim=24)
    assert without.uses is None
    with pytest.raises(ModelError, match="belong to other words"):
        Phrases.load(model.path, n_words=len(model.words) + 1, n_atoms=len(model.atoms), dim=24)


def test_its_vector_is_that_of_its_contexts(model: wa.SenseModel, text: Path) -> None:
    lines = [line for line in text.read_text().split("\n") if "Blue Moon" in line]
    assert len(lines) == 60
    assert model.parts.vector("blue moon") == pytest.approx(model.induce("blue moon", lines), abs=1e-5)


def test_the_vocabulary_stays_as_it_is(model: wa.SenseModel, plain: Path) -> None:
    assert model.words == wa.load(plain).words
    assert np.array_equal(model.embeddings.vectors, wa.load(plain).embeddings.vectors)
    assert "blue moon" not in model.embeddings
    with pytest.raises(UnknownWordError, match=r"it is a phrase: .*wordatoms phrases"):
        model.senses("green moon")


def test_commands_know_it(model: wa.SenseModel) -> None:
    word = model.parts.near_words("blue moon", 1)[0].word
    assert invoke("senses", "Blue Moon", "--model", model.path).stdout.startswith("Blue Moon\n")
    assert word in invoke("nearest", "blue moon", "--model", model.path).stdout
    assert float(invoke("similarity", "blue moon", word, "--model", model.path).stdout) > 0
    text = f"{words_of(7, 6)} {AMBIGUOUS} {words_of(7, 6, first=9)}"
    told = invoke("disambiguate", AMBIGUOUS, text, "--model", model.path)
    assert "decided by" in told.stdout
    assert "suggest" not in told.stderr
    assert "suggest" in invoke("disambiguate", AMBIGUOUS, text, "--model", model.path, "--method", "code").stderr
    assert "'moon blue' is not among" in refused("nearest", "moon blue", "--model", model.path)


def test_a_compact_copy_has_it_in_bytes(model: wa.SenseModel, tmp_path: Path) -> None:
    compact(ModelFolder(model.path), tmp_path / "small")
    compact(ModelFolder(model.path), tmp_path / "small")  # is there already
    small = wa.load(tmp_path / "small", verify=True)
    assert (tmp_path / "small" / SCALES).is_file()
    assert [sense.atom for sense in small.senses("dry wit")] == [sense.atom for sense in model.senses("dry wit")]
    assert [sense.share for sense in small.senses(AMBIGUOUS)] == [sense.share for sense in model.senses(AMBIGUOUS)]
    assert small.similarity("dry wit", "blue moon") == pytest.approx(model.similarity("dry wit", "blue moon"), abs=0.05)


def test_phrases_are_found_in_the_text(plain: Path, text: Path, tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    shutil.copytree(plain, tmp_path / "model")
    more = tmp_path / "more.txt"
    more.write_text(f"{words_of(6, 2)} {words_of(6, 4, first=5)}\n" * 40)
    made = invoke("phrases", tmp_path / "model", "--text", text, "--text", more, "--min-count", "20", "--number", "5")
    assert "Phrases(" in made.stderr
    found = (tmp_path / "model" / LIST).read_text().splitlines()
    assert words_of(6, 2) in found
    assert len(found) <= 5


def test_any_number_of_threads_gives_the_same_bytes(plain: Path, text: Path, tmp_path: Path) -> None:
    settings = PhraseSettings(given=tuple(PHRASES), min_count=20)
    for threads in (1, 3):
        shutil.copytree(plain, tmp_path / str(threads))
        learn_phrases(ModelFolder(tmp_path / str(threads)), settings, sources=[text], run=wa.Run(threads=threads))
    for name in (VECTORS, "phrases-uses-vectors.npy", "phrases-uses-shares.npy"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_phrases_that_are_not_there(plain: Path, text: Path, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "model")
    (tmp_path / "list.txt").write_text("no such phrase\n")
    assert "none of 1 phrases occurs 100 times" in refused(
        "phrases", tmp_path / "model", "--text", text, "--file", tmp_path / "list.txt"
    )
    (tmp_path / "list.txt").write_text("word\n")
    assert "the phrase 'word' is not two or more words" in refused(
        "phrases", tmp_path / "model", "--text", text, "--file", tmp_path / "list.txt"
    )
    (tmp_path / "list.txt").write_text("\n \n")
    assert "has no phrases; write one per line" in refused(
        "phrases", tmp_path / "model", "--text", text, "--file", tmp_path / "list.txt"
    )
    with pytest.raises(InputError, match="min_count is 0; pass 1 or more"):
        PhraseSettings(min_count=0)


def test_damaged_phrases_are_one_sentence(model: wa.SenseModel, tmp_path: Path) -> None:
    shutil.copytree(model.path, tmp_path / "model")
    (tmp_path / "model" / LIST).write_text("blue moon\n")
    with pytest.raises(ModelError, match="phrases"):
        wa.load(tmp_path / "model").senses("blue moon")

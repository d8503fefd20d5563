"""A vector for each sense of a new word: on a planted text, alone and with a tiny encoder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import wordatoms as wa
from invoking import invoke, refused
from observedworld import observed_model, words_of
from tinyencoder import make_encoder
from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError

NEW = "covfefe"
TEXTS = [f"{words_of(number, 6, first)} {NEW} {words_of(number, 6, first + 6)}" for number, first in
         ((0, 0), (1, 0), (0, 9), (1, 9), (0, 4))]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inducing")
    model = observed_model(folder)
    make_encoder(folder / "encoder", model.words)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path / "home"))


@pytest.fixture(params=[False, True], ids=["alone", "with an encoder"])
def model(request: pytest.FixtureRequest, folder: Path) -> wa.SenseModel:
    return wa.load(folder / "model", encoder=folder / "encoder" if request.param else "none")


def test_each_sense_has_the_vector_of_its_contexts(model: wa.SenseModel) -> None:
    first, second = model.induce_senses(NEW, TEXTS, 2)
    assert (sorted(first.texts), sorted(second.texts)) == ([0, 2, 4], [1, 3])
    assert (first.n_contexts, second.n_contexts) == (3, 2)
    for sense in (first, second):
        expected = model.induce(NEW, [TEXTS[number] for number in sorted(sense.texts)])
        np.testing.assert_allclose(sense.vector, expected, atol=1e-5)
        assert sense.nearest[0] == model.embeddings.nearest(sense.vector, 1)[0]


def test_one_sense_has_the_vector_of_all_contexts(model: wa.SenseModel) -> None:
    (only,) = model.induce_senses(NEW, TEXTS, 1, n_nearest=3)
    np.testing.assert_allclose(only.vector, model.induce(NEW, TEXTS), atol=1e-5)
    assert (only.word, only.n_contexts, len(only.nearest)) == (NEW, 5, 3)


def test_usages_are_taken_as_they_are(model: wa.SenseModel) -> None:
    usages = [Usage.from_text(text, span=(text.index(NEW), text.index(NEW) + len(NEW))) for text in TEXTS]
    from_usages, from_texts = (model.induce_senses(NEW, given, 2) for given in (usages, TEXTS))
    assert [each.texts for each in from_usages] == [each.texts for each in from_texts]


def test_places_without_a_known_word_around_them_are_left_out(model: wa.SenseModel) -> None:
    found = model.induce_senses(NEW, [*TEXTS, f"zzz {NEW} zzz", "nothing here"], 2)
    assert sum(each.n_contexts for each in found) == 5
    with pytest.raises(InputError, match="no context of 'covfefe' has a known word"):
        model.induce_senses(NEW, [f"zzz {NEW} zzz"])
    with pytest.raises(InputError, match="no text has 'covfefe'"):  # it was said not to be in the vocabulary
        model.induce_senses(NEW, ["nothing here"])
    with pytest.raises(InputError, match="k is 0"):
        model.induce_senses(NEW, TEXTS, 0)


# --- the command line


@pytest.fixture
def contexts(tmp_path: Path) -> Path:
    (tmp_path / "texts.txt").write_text("\n\n".join(TEXTS))
    return tmp_path / "texts.txt"


def induce(folder: Path, contexts: Path, *more: str) -> str:
    given = ("--contexts", str(contexts), "--model", str(folder / "model"), "-n", "3", *more)
    return invoke("induce", NEW, *given).stdout


def test_the_command_shows_senses_if_it_is_asked_for_them(folder: Path, contexts: Path) -> None:
    encoder = ("--encoder", str(folder / "encoder"))
    plain = induce(folder, contexts)
    assert "sense 1" not in plain
    for more in (("-k", "2"), ("-k", "2", *encoder)):
        shown = induce(folder, contexts, *more)
        assert shown.startswith(plain)
        assert "sense 1: 3 contexts" in shown
        assert "sense 2: 2 contexts" in shown
    found = json.loads(induce(folder, contexts, *encoder, "-k", "2", "--json"))
    assert sorted(found["senses"][0]["lines"]) == [1, 5, 9], "lines of the file, blank ones included"
    assert set(found["senses"][0]) == {"n_contexts", "lines", "nearest", "vector"}
    alone = json.loads(induce(folder, contexts, "--json"))
    assert alone == {name: value for name, value in found.items() if name != "senses"}
    assert induce(folder, contexts, "--encoder", "none") == plain


def test_the_command_reads_lines_without_the_word_as_before(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "whole.txt").write_text(words_of(0, 6))
    given = ("--contexts", str(tmp_path / "whole.txt"), "--model", str(folder / "model"))
    encoder = ("--encoder", str(folder / "encoder"))
    assert invoke("induce", NEW, *given, *encoder).stdout == invoke("induce", NEW, *given).stdout
    assert "no line has 'covfefe'" in invoke("induce", NEW, *given, *encoder).stderr
    assert "no text has 'covfefe'" in refused("induce", NEW, *given, "-k", "2")
    assert "is not a folder" in refused("induce", NEW, *given, "--encoder", str(tmp_path / "none"))

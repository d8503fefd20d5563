"""Examples of senses by use: quotations from the text of the model, as long as it is there."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import wordatoms as wa
from observedworld import FORM, WORD, ambiguous_text, discourse, observed_model, words_of
from wordatoms.atoms.names import AtomExample, AtomNames
from wordatoms.cli.root import cli
from wordatoms.errors import UnknownWordError
from wordatoms.pipeline.compact import compact
from wordatoms.senses.quotations import recorded_files, shorten
from wordatoms.storage.folder import ModelFolder, write_manifest


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    return observed_model(tmp_path_factory.mktemp("examples"))


def copy(model: wa.SenseModel, folder: Path, *, path: object = None, n_bytes: int | None = None) -> wa.SenseModel:
    """A copy of the model whose manifest names another file, or another size."""
    shutil.copytree(model.path, folder)
    found = ModelFolder(folder)
    (record,) = found.stages["observe"]["inputs"]
    record.update({"path": str(path)} if path else {}, **({} if n_bytes is None else {"n_bytes": n_bytes}))
    write_manifest(folder, found.manifest)
    return wa.load(folder)


def test_each_sense_has_examples_in_which_it_is_the_likeliest(model: wa.SenseModel) -> None:
    senses = model.senses(WORD)
    found = model.examples(WORD, 2)
    assert [example.sense for example in found] == [sense.sense for sense in senses for _ in range(2)]
    lines = ambiguous_text().split("\n")
    for example in found:
        assert example.text[example.start : example.end] == WORD
        assert Path(example.source) == model.path.with_name("text.txt")
        (line,) = [line for line in lines if example.text.strip("…") in line]
        assert ambiguous_text().encode()[example.offset :].decode().startswith(line)
        likeliest = [answer.sense for answer in model.disambiguate(WORD, line) if answer.form == WORD]
        assert example.sense in [sense.sense for sense in likeliest]
        assert example.probability == pytest.approx(max(sense.probability for sense in likeliest))
    assert {discourse(example.text.split()[5]) for example in found[:2]} == {0}


def test_sentences_that_come_with_the_model_are_shown_first(model: wa.SenseModel, tmp_path: Path) -> None:
    shutil.copytree(model.path, tmp_path / "model")
    first, second = model.senses(WORD)[:2]
    assert model.uses is not None
    assert first.sense is not None
    sentence = f"{words_of(0)} {WORD}."
    names = AtomNames(model.atoms.fingerprint, "hand", uses=model.uses.fingerprint)
    replace(names, senses={first.sense: AtomExample(WORD, sentence)}).save(tmp_path / "model")
    written, *quoted = wa.load(tmp_path / "model").examples(WORD)
    assert (written.sense, written.text, written.source, written.offset) == (first.sense, sentence, "", -1)
    assert written.text[written.start : written.end] == WORD
    assert written.probability is None
    assert second.sense in [example.sense for example in quoted]
    assert first.sense not in [example.sense for example in quoted]
    replace(names, uses="other", senses={first.sense: AtomExample(WORD, sentence)}).save(tmp_path / "model")
    assert all(example.source for example in wa.load(tmp_path / "model").examples(WORD)), "they are of other senses"


def test_examples_in_other_forms_come_with_the_forms(model: wa.SenseModel) -> None:
    def forms(**options: bool) -> set[str]:
        found = model.examples(WORD, 20, **options)
        return {example.text[example.start : example.end] for example in found}

    assert forms() == {WORD}
    assert forms(forms=True) == {WORD, FORM}


def test_without_the_text_there_are_none(model: wa.SenseModel, tmp_path: Path) -> None:
    assert copy(model, tmp_path / "moved", path=tmp_path / "nowhere.txt").examples(WORD) == []
    assert copy(model, tmp_path / "other", n_bytes=7).examples(WORD) == []
    assert copy(model, tmp_path / "stream", path="-").examples(WORD) == []
    assert copy(model, tmp_path / "folder", path=tmp_path).examples(WORD) == []
    assert copy(model, tmp_path / "nul", path="a\0b").examples(WORD) == []


def test_another_text_of_the_same_size_is_not_quoted(model: wa.SenseModel, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(ambiguous_text().replace(WORD, "xxx"))
    assert copy(model, tmp_path / "model", path=text).examples(WORD) == []


def test_compressed_text_is_read(model: wa.SenseModel, tmp_path: Path) -> None:
    text = tmp_path / "text.txt.gz"
    text.write_bytes(gzip.compress(ambiguous_text().encode()))
    packed = copy(model, tmp_path / "model", path=text, n_bytes=text.stat().st_size)
    plain = [(example.text, example.start) for example in model.examples(WORD, 3)]
    assert [(example.text, example.start) for example in packed.examples(WORD, 3)] == plain


def test_a_compact_copy_has_none_and_says_nothing(model: wa.SenseModel, tmp_path: Path) -> None:
    compact(ModelFolder(model.path), tmp_path / "small")
    assert wa.load(tmp_path / "small").examples(WORD) == []
    with pytest.raises(UnknownWordError):
        model.examples("nothing")


@pytest.mark.parametrize("inputs", [None, 3, [1], [{"path": "a"}], [{"path": "a", "n_bytes": "x"}], {"path": 1}])
def test_strange_manifests_have_no_files(inputs: Any) -> None:
    assert recorded_files(inputs) == []


def test_files_without_text_have_no_number() -> None:
    found = recorded_files([{"path": "a", "n_bytes": 0}, {"path": "b", "n_bytes": 2}])
    assert [file.path for file in found] == ["b"]


@given(st.text("ab  é", max_size=80), st.text("xy", min_size=1, max_size=5), st.text("ab  é", max_size=80))
def test_quotations_keep_the_word_and_whole_words_around_it(before: str, word: str, after: str) -> None:
    line = f"{before} {word} {after}"
    start = len(before) + 1
    text, at = shorten(line, start, start + len(word), n_around=20)
    assert text[at : at + len(word)] == word
    assert text.strip("…") in line
    assert text.startswith("…") == bool(line[: line.index(text.strip("…"), max(start - 21, 0))].strip())
    assert len(text) <= len(word) + 2 * 20 + 2
    assert set(text.strip("…").split()) <= set(line.split())


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_quotes_examples_on_request(model: wa.SenseModel) -> None:
    asked = ("senses", WORD, "--model", model.path)
    example = model.examples(WORD)[0]
    assert f"“{example.text}”" in run(*asked)
    assert "“" not in run(*asked, "--no-examples")
    assert "“" not in run(*asked, "--method", "code")
    first = json.loads(run(*asked, "--json"))[WORD][0]
    assert first["examples"][0]["text"] == example.text
    assert first["examples"][0]["start"] == example.start
    assert "examples" not in json.loads(run(*asked, "--json", "--no-examples"))[WORD][0]
    assert "examples" not in json.loads(run(*asked, "--json", "--method", "code"))[WORD][0]

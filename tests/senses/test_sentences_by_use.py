"""Sentences for senses by use: those in which the sense is the likeliest, the most typical ones first."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import wordatoms as wa
import wordatoms.senses.sentences as module
from observedworld import FORM, WORD, discourse, in_doubt, observed_model, with_rare_sense, words_of
from wordatoms.cli.root import cli
from wordatoms.errors import InputError
from wordatoms.run import Run
from wordatoms.senses.sentences import SenseSentences, representative_sentences
from wordatoms.text.corpus import open_corpus

ELSEWHERE = 7
"""A discourse in which the word is never used."""
VAGUE = f"Unheard-of {' unheard' * 20} {WORD}."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    return observed_model(tmp_path_factory.mktemp("sentences"))


def sentences() -> list[str]:
    """Sentences of the first two discourses with the word in two forms, of another, and with no context."""
    return [
        *(
            f"{words_of(number % 2, 6 + number % 5, number)} {WORD} {words_of(number % 2, 4, 40 + number)}."
            for number in range(20)
        ),
        f"The {FORM.upper()} {words_of(0, 9, 30)}.",
        f"{words_of(ELSEWHERE, 12)} {WORD} {words_of(ELSEWHERE, 12, 20)}.",
        VAGUE,
        f"Nothing {words_of(0)} of it.",
    ]


def write(folder: Path) -> Path:
    path = folder / "text.txt"
    path.write_text("\n".join(each.capitalize() for each in sentences()), "utf-8")
    return path


def find(model: wa.SenseModel, path: Path, **options: object) -> list[SenseSentences]:
    return representative_sentences(model, WORD, [path], run=Run(threads=1), **options)  # type: ignore[arg-type]


def test_against_the_naive_twin(model: wa.SenseModel, tmp_path: Path) -> None:
    path = write(tmp_path)
    expected: dict[int | None, list[str]] = {}
    for line in path.read_text().split("\n"):
        if WORD in line.lower():
            answer = model.disambiguate(WORD, line)[0]
            if answer.verdict == answer.sense.label:
                expected.setdefault(answer.sense.sense, []).append(line)
    found = find(model, path, n=50)
    assert [each.sense.sense for each in found] == [sense.sense for sense in model.senses(WORD, forms=True)]
    for each in found:
        assert each.n_sentences == len(expected[each.sense.sense])
        assert {sentence.text for sentence in each.sentences} <= set(expected[each.sense.sense])
        scores = [sentence.score for sentence in each.sentences]
        assert scores == sorted(scores, reverse=True)
        for sentence in each.sentences:
            answer = model.disambiguate(WORD, sentence.text)[0]
            assert sentence.probability == pytest.approx(answer.sense.probability, abs=1e-5)
            assert sentence.text[sentence.start : sentence.end].lower() in (WORD, FORM)


def test_scores_are_products_with_the_sense(model: wa.SenseModel, tmp_path: Path) -> None:
    by_use = model.by_use(WORD)
    assert by_use is not None
    assert model.uses is not None
    for each in find(model, write(tmp_path)):
        for sentence in each.sentences:
            read = by_use.read(model.usages(WORD, [sentence.text])[:1])
            product = float(read.contexts[0] @ model.uses.vectors([each.sense.sense or 0])[0])
            assert sentence.score == pytest.approx(product, abs=1e-5)


def test_what_fits_no_sense_or_says_nothing_is_not_shown(model: wa.SenseModel, tmp_path: Path) -> None:
    found = find(model, write(tmp_path), n=50, shortest=1)
    shown = [sentence.text.lower() for each in found for sentence in each.sentences]
    assert model.disambiguate(WORD, VAGUE)[0].verdict == "not enough context"
    assert VAGUE.lower() not in shown
    doubtful = find(in_doubt(model), write(tmp_path), n=50)
    about = {discourse(sentence.text.lower().split()[3]) for each in doubtful for sentence in each.sentences}
    assert about == {0, 1}


def test_forms_and_methods(model: wa.SenseModel, tmp_path: Path) -> None:
    path = write(tmp_path)
    forms = {
        sentence.text[sentence.start : sentence.end].lower()
        for each in find(model, path, n=50, forms=False)
        for sentence in each.sentences
    }
    assert forms == {WORD}
    by_code = find(model, path, method="code")
    assert all(each.sense.sense is None for each in by_code)
    assert all(sentence.probability is None for each in by_code for sentence in each.sentences)
    with pytest.raises(InputError, match="method is 'other'"):
        find(model, path, method="other")


def test_rare_senses_are_listed_on_request(model: wa.SenseModel, tmp_path: Path) -> None:
    rare, path = with_rare_sense(model), write(tmp_path)
    assert len(find(rare, path, forms=False)) == 1
    assert len(find(rare, path, forms=False, lightest=0.0)) == 2
    with pytest.raises(InputError, match="no sense with a share of 1 or more"):
        find(rare, path, lightest=1.0)


@pytest.mark.parametrize("held", [1, 3])
def test_any_split_of_the_text_gives_the_same(model: wa.SenseModel, tmp_path: Path, held: int) -> None:
    path = write(tmp_path)
    whole = find(model, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "open_corpus", partial(open_corpus, shard_bytes=100))
        patch.setattr(module, "BATCH_BYTES", 1)
        patch.setattr(module, "SCORED_AT_ONCE", held)
        assert find(model, path) == whole


def test_the_command(model: wa.SenseModel, tmp_path: Path) -> None:
    path, runner = write(tmp_path), CliRunner()
    asked = ["sentences", WORD, "--model", str(model.path), "--corpus", str(path), "-n", "1"]
    shown = runner.invoke(cli, asked)
    assert shown.exit_code == 0, shown.output
    assert f"{model.senses(WORD, forms=True)[0].share:5.2f}  atom" in shown.output
    assert "general use (" in shown.output
    bold = runner.invoke(cli, asked, color=True).output
    assert any(f"\x1b[1m{form}\x1b[0m" in bold for form in (WORD, FORM))
    found = json.loads(runner.invoke(cli, [*asked, "--json"]).output)
    sentence = found["senses"][0]["sentences"][0]
    assert sentence["text"][sentence["start"] : sentence["end"]].lower() in (WORD, FORM)
    assert found["senses"][0]["sense"]["share"] > 0
    by_code = json.loads(runner.invoke(cli, [*asked, "--json", "--method", "code"]).output)
    assert by_code["senses"][0]["sense"]["share"] is None

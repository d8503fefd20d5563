"""What users write on the command line and mean otherwise: digits that are none, capitals, questions out of reach."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from invoking import invoke, refused
from naive_posterior import world_embeddings, world_map, world_model
from wordatoms.cli.evaluate import show_result
from wordatoms.cli.options import NUMBER_OR_AUTO, NUMBERS
from wordatoms.cli.texts import read_lines as read_texts
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.pipeline.tune import TuneSettings, tune
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.documents import read_files, read_lines


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("input") / "model"
    return world_model(path, world_embeddings(), induced_map=world_map()).path


@pytest.mark.parametrize("text", ["²", "٣", "0", "-1", "", "1.5", "9" * 5000])
@pytest.mark.parametrize("kind", [NUMBER_OR_AUTO, NUMBERS])
def test_digits_that_are_no_numbers_ended_in_a_traceback(kind: click.ParamType, text: str) -> None:
    with pytest.raises(click.BadParameter, match="above 0"):
        kind.convert(text, None, None)


def test_numbers_that_are_fine() -> None:
    assert NUMBER_OR_AUTO.convert(" 07 ", None, None) == 7
    assert NUMBERS.convert("500, 1000", None, None) == (500, 1000)


def test_capitals_were_unknown_only_without_a_context(model: Path) -> None:
    small, large = (invoke("similarity", word, "shore", "--model", model).stdout for word in ("bank", "Bank"))
    assert large == small
    assert invoke("nearest", "Bank", "--model", model).stdout == invoke("nearest", "bank", "--model", model).stdout
    assert "'Rivre' is not among the 18 words" in refused("nearest", "Rivre", "--model", model)


def test_more_clusters_than_usages_are_remarked_on(model: Path, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("the bank of the river\na loan of the bank\n")
    asked = ("cluster", "bank", "--contexts", texts, "-k", "5", "--model", model)
    assert "2 usages make 2 clusters, fewer than 5" in invoke(*asked).stderr
    assert invoke(*asked, "--quiet").stderr == ""


def test_too_few_pseudowords_were_blamed_on_the_text(tmp_path: Path) -> None:
    folder = ModelFolder(tmp_path / "model", create=True)
    with pytest.raises(ValueError, match="3 pseudowords are too few to choose by; pass 20 or more"):
        tune(folder, ["text.txt"], TuneSettings(n_pseudowords=3))


def test_closed_standard_input_ended_in_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    for read in (lambda: read_texts("-"), lambda: list(read_files(["-"])), lambda: list(read_lines(["-"]))):
        with pytest.raises(InputError, match="standard input is closed; pipe text into it or pass a file"):
            read()


class Agreed(TaskResult):
    """A result with a verdict."""

    verdict = "as in the paper."

    def rows(self) -> list[dict[str, Any]]:
        return [{"score": 1.0}]

    def to_json(self) -> dict[str, Any]:
        return {}


@click.command()
@click.option("--quiet", is_flag=True)
def evaluation(**_given: bool) -> None:
    show_result(Agreed(), as_json=False)


def test_verdict_was_shown_though_quiet_was_asked_for() -> None:
    assert CliRunner().invoke(evaluation, []).stderr == "as in the paper.\n"
    assert CliRunner().invoke(evaluation, ["--quiet"]).stderr == ""

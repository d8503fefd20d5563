"""The police lineup at the terminal: answers, wrong answers, leaving early, and the score."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planted import planted_model, planted_testbed
from wordatoms.cli.lineup import lineup

ROUNDS = 3


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("play")
    planted_testbed().save(folder / "testbed.tsv")
    model = planted_model(folder / "model").path
    game = ["--testbed", str(folder / "testbed.tsv"), "-n", "6", "--rounds", str(ROUNDS), "--seed", "1"]
    return ["play", "--model", str(model), *game]


def play(arguments: list[str], typed: str) -> Result:
    return CliRunner().invoke(lineup, arguments, input=typed, catch_exceptions=False)


def right_answers(arguments: list[str]) -> list[str]:
    """Read off a game that was played without care."""
    return re.findall(r"right: ([0-9 ]+);", play(arguments, "1\n" * ROUNDS).stdout)


def test_right_answers_score_one(arguments: list[str]) -> None:
    answers = right_answers(arguments)
    assert len(answers) == ROUNDS
    result = play(arguments, "\n".join(answers) + "\n")
    assert result.exit_code == 0
    assert "Each word has 2.0 senses on average" in result.stdout
    assert result.stdout.count("you found 2 of 2") == ROUNDS
    score = next(line for line in result.stdout.splitlines() if line.startswith("you  "))
    assert score.split() == ["you", "1.000", "1.000"]
    for row in ("the machine, choosing as many", "the machine, choosing 4", "the paper's machine"):
        assert row in result.stdout


def test_wrong_input_is_asked_again(arguments: list[str]) -> None:
    result = play(arguments, "x\n0\n7\n\n1 2 x\n-1\n99999999999999999999\n1, 2;3\n")
    assert result.stdout.count("write one or more numbers from 1 to 6") == 7
    assert result.stdout.count("right: ") == 1


def test_leaving_early_keeps_the_score(arguments: list[str]) -> None:
    first = right_answers(arguments)[0]
    result = play([*arguments, "--json"], f"{first}\n")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["rounds"] == len(found["words"]) == 1
    assert found["scores"][0] == {"who": "you", "precision": 1.0, "recall": 1.0}
    assert found["paper"] == {"precision": 0.65, "recall": 0.75}
    assert "senses" in result.stderr


def test_leaving_at_once(arguments: list[str]) -> None:
    assert "no round was finished" in play(arguments, "").stdout
    found = json.loads(play([*arguments, "--json"], "").stdout)
    assert found["rounds"] == 0
    assert found["scores"][0]["precision"] is None


def test_ctrl_c_ends_with_the_score(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import click

    typed = iter(["1"])

    def prompt(*_: object, **__: object) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise click.Abort from None

    monkeypatch.setattr(click, "prompt", prompt)
    result = play(arguments, "")
    assert result.exit_code == 0
    assert "the machine, choosing 4" in result.stdout


def test_a_person_may_play_alone() -> None:
    result = play(["play", "--alone", "--rounds", "1", "--seed", "0"], "1 2 3\n")
    assert result.exit_code == 0
    assert "Each word has 3.5 senses on average" in result.stdout
    assert "the machine:" not in result.stdout
    assert "the paper's machine" in result.stdout


def test_a_seed_gives_the_same_game(arguments: list[str]) -> None:
    assert play(arguments, "1\n").stdout == play(arguments, "1\n").stdout


def test_build_needs_wordnet(tmp_path: Path) -> None:
    from wordatoms.errors import InputError

    with pytest.raises(InputError, match="has no WordNet"):
        CliRunner().invoke(
            lineup, ["build", "--wordnet", str(tmp_path), "-o", str(tmp_path / "x.tsv")], catch_exceptions=False
        )

"""The police lineup at the terminal: answers, wrong answers, leaving early, and the score."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from planted import planted_model, planted_testbed
from wordatoms.cli.lineup import lineup
from wordatoms.errors import InputError

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


def test_a_record_is_kept_only_when_asked_for(arguments: list[str], tmp_path: Path) -> None:
    table = tmp_path / "plays.tsv"
    recorded = [*arguments, "--record", str(table), "--player", "Ada"]
    play([*arguments], "1\n1 2\n")
    assert not table.exists()
    play(recorded, "1\n1 2\n")
    play([*recorded[:-1], "Grace"], "3\n")
    rows = [line.split("\t") for line in table.read_text().splitlines()]
    assert rows[0] == ["player", "word", "shown", "true", "chosen", "right"]
    assert [row[0] for row in rows[1:]] == ["Ada", "Ada", "Grace"]
    assert [row[4] for row in rows[1:]] == ["1", "2", "1"]
    plain = CliRunner().invoke(lineup, ["scores", str(table)], catch_exceptions=False)
    assert "all players (2)" in plain.output
    found = json.loads(CliRunner().invoke(lineup, ["scores", str(table), "--json"]).output)["scores"]
    ada = [(int(row[5]) / int(row[4]), int(row[5]) / int(row[3])) for row in rows[1:3]]
    assert found[0]["player"] == "Ada"
    assert found[0]["precision"] == pytest.approx(sum(each[0] for each in ada) / 2)
    assert found[0]["recall"] == pytest.approx(sum(each[1] for each in ada) / 2)
    assert found[2]["plays"] == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not a table of plays"),
        ("word\n", "not a table of plays"),
        ("player\tword\tshown\ttrue\tchosen\tright\nA\tbat\t20\t3\t2\t3\n", "line 2: expected player"),
        ("player\tword\tshown\ttrue\tchosen\tright\nA\tbat\t20\t0\t2\t0\n", "line 2: expected player"),
        ("player\tword\tshown\ttrue\tchosen\tright\nA\tbat\tx\t3\t2\t1\n", "line 2: expected player"),
        ("player\tword\tshown\ttrue\tchosen\tright\n", "no plays yet"),
    ],
)
def test_a_table_that_is_no_record(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "plays.tsv").write_text(text)
    with pytest.raises(InputError, match=sentence):
        CliRunner().invoke(lineup, ["scores", str(tmp_path / "plays.tsv")], catch_exceptions=False)


def test_a_record_that_cannot_be_kept_is_refused_before_the_game(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("something else\n")
    for path, sentence in (
        (tmp_path / "other.tsv", "not a table"),
        (tmp_path / "no" / "plays.tsv", "cannot be written"),
    ):
        with pytest.raises(InputError, match=sentence):
            play([*arguments, "--record", str(path)], "")
    with pytest.raises(InputError, match="without tabs"):
        play([*arguments, "--player", "a\tb"], "")

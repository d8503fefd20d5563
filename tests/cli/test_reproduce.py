"""`reproduce` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run
from invoking import invoke, refused
from lettered import lettered_model
from wordatoms.paper.report.runner import EXHIBITS


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with atoms and nothing else."""
    return lettered_model(tmp_path_factory.mktemp("model") / "planted").path


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORDATOMS_DATA", raising=False)


def test_list(model: Path) -> None:
    shown = invoke("reproduce", "--list", "--model", model).stdout
    assert all(f"\n{exhibit.title}  " in shown for exhibit in EXHIBITS.values())
    assert all(f" {name} " in shown for name in EXHIBITS)
    assert "SCWS: the set of Huang et al. 2012" in shown
    found = json.loads(invoke("reproduce", "--list", "--json", "--model", model).stdout)
    assert [each["name"] for each in found] == [*EXHIBITS]
    assert found[0]["missing"][0]["how"]


def test_report(model: Path, tmp_path: Path) -> None:
    report = tmp_path / "new" / "report"
    asked = ("reproduce", "atoms", "table-8", "-o", report, "--model", model)
    result = invoke(*asked)
    assert result.stdout == ""
    assert "[1/2] Table 8: similarity of words in context …\n    missing: SCWS, map A" in result.stderr
    assert "[2/2] Number of atoms, and how many recur …\n    done in" in result.stderr
    assert result.stderr.endswith(f"the report is {report / 'index.html'}\n")
    assert sorted(path.name for path in report.iterdir()) == ["index.html", "results", "results.json"]
    assert "as before" in invoke(*asked).stderr
    assert "as before" not in invoke(*asked, "--force").stderr
    assert invoke(*asked, "--quiet").stderr == ""


def test_tables_on_the_screen(model: Path) -> None:
    result = invoke("reproduce", "atoms", "7", "--model", model)
    assert "Number of atoms, and how many recur" in result.stdout
    assert "2,000" in result.stdout
    assert "Bundled result. Not computed here" in result.stdout
    assert "numbers of the paper, " in result.stdout
    found = json.loads(invoke("reproduce", "atoms", "--json", "--model", model, "--quiet").stdout)
    assert found["exhibits"][0]["numbers"]["n_atoms"] > 0


def test_a_failure_is_told_and_the_rest_goes_on(model: Path, tmp_path: Path) -> None:
    (tmp_path / "similarity").mkdir()
    (tmp_path / "similarity" / "broken.txt").write_text("one two\n")
    result = invoke("reproduce", "embeddings", "atoms", "--data", tmp_path, "--model", model, code=1)
    assert "failed: " in result.stderr
    assert "expected `word1 word2 rating`" in result.stderr
    assert "Number of atoms" in result.stdout


def test_wrong_usage(model: Path, tmp_path: Path) -> None:
    assert "--list shows what there is" in invoke("reproduce", "--model", model, code=2).stderr
    assert "either names or --all" in invoke("reproduce", "7", "--all", "--model", model, code=2).stderr
    assert "no exhibit 'table-9'" in refused("reproduce", "table-9", "--model", model)
    assert "is not a folder" in refused("reproduce", "7", "--model", model, "--data", tmp_path / "none")
    assert "standard input" in refused("reproduce", "1", "--model", model, "--text", "-")
    assert "folder of a model" in refused("reproduce", "7", "--model", model, "-o", model)
    assert "not a model folder" in refused("reproduce", "7", "--model", tmp_path)


def test_a_part_that_fails_ends_the_command_with_1(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    ended = run("reproduce", "table-1", "tuning", "--text", tmp_path / "empty.txt", "-o", tmp_path / "report")
    assert ended.returncode == 1
    assert (tmp_path / "report" / "index.html").is_file()


def test_a_text_that_is_not_there_is_said_first(model: Path, tmp_path: Path) -> None:
    assert "nowhere.txt" in refused("reproduce", "atoms", "--text", tmp_path / "nowhere.txt", "--model", model)


def test_a_folder_in_place_of_a_data_file_stops_one_part_only(tmp_path: Path) -> None:
    (tmp_path / "data" / "scws" / "ratings.txt").mkdir(parents=True)
    asked = ("tuning", "table-8", "--data", tmp_path / "data", "--no-competitors", "-o", tmp_path / "report")
    invoke("reproduce", *asked, code=1)
    found = json.loads((tmp_path / "report" / "results.json").read_bytes())["exhibits"]
    assert {each["name"]: each["status"] for each in found} == {"table-8": "failed", "tuning": "done"}

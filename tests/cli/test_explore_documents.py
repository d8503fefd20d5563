"""`explore --documents`: the index is made once, made again if something has changed, and bad input is one sentence."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from explorerworld import world_documents, world_models
from wordatoms.cli.explore import explore
from wordatoms.errors import WordatomsError
from wordatoms.senses.model import SenseModel


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_models(tmp_path_factory.mktemp("models"))[0]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "letters.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", "region", "date"])
        for each in world_documents():
            writer.writerow([each.name, each.text, each.group, each.period.name if each.period else ""])
    return path


OPTIONS = ("--column", "text", "--id", "id", "--by", "region", "--time", "date:month")


def export(model: SenseModel, site: Path, *arguments: object) -> Result:
    given = ["--model", model.path, "--export", site, "--documents", *arguments]
    return CliRunner().invoke(explore, [*map(str, given)])


def test_index_is_made_once_and_again_if_something_changed(model: SenseModel, table: Path, tmp_path: Path) -> None:
    first = export(model, tmp_path / "one", table, *OPTIONS)
    assert first.exit_code == 0, first.output
    assert f"indexing {table}; the index is kept in {table}.index" in first.stderr
    facts = json.loads((tmp_path / "one" / "api" / "documents.json").read_text())
    assert (facts["source"], facts["documents"], facts["groups"]) == ("letters.csv", 40, ["north", "south"])
    second = export(model, tmp_path / "two", table, *OPTIONS)
    assert "indexing" not in second.stderr
    assert (tmp_path / "two" / "api" / "documents.json").read_text() == json.dumps(
        facts, ensure_ascii=False, separators=(",", ":")
    )
    with table.open("a", encoding="utf-8") as file:
        file.write("letter-40,The choir sang.,north,2024-01\n")
    third = export(model, tmp_path / "three", table, *OPTIONS)
    assert "indexing" in third.stderr
    assert json.loads((tmp_path / "three" / "api" / "documents.json").read_text())["documents"] == 41
    other = export(model, tmp_path / "four", table, *OPTIONS[:4])
    assert "indexing" in other.stderr  # without groups and dates
    assert json.loads((tmp_path / "four" / "api" / "documents.json").read_text())["groups"] == []


def test_a_damaged_index_is_made_again(model: SenseModel, table: Path, tmp_path: Path) -> None:
    index = tmp_path / "elsewhere"
    export(model, tmp_path / "one", table, *OPTIONS, "--index", index)
    assert (index / "index.json").is_file()
    for number, (name, content) in enumerate(
        {"texts.txt": b"", "windows.npy": b"no array", "index.json": b"[]", "groups.npy": None}.items()
    ):
        if content is None:
            np.save(index / name, np.zeros(3))
        else:
            (index / name).write_bytes(content)
        again = export(model, tmp_path / f"site-{number}", table, *OPTIONS, "--index", index)
        assert again.exit_code == 0, (name, again.output, again.exception)
        assert "indexing" in again.stderr, name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "letters.csv is a table; say with --column"),
        (["--column", "body"], "has no column 'body'; its columns are"),
        (["--column", "text", "--by", "party"], "has no column 'party'"),
        (["--column", "text", "--time", "region"], "is not a date"),
        (["--by", "region"], "--by names a column of a table"),
        (["--column", "text", "--lines"], "mutually exclusive"),
        (["--column", "text", "--time-format", "%d"], "--time-format needs --time"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    model: SenseModel, table: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = export(model, tmp_path / "site", table, *arguments)
    assert result.exit_code != 0
    said = str(result.exception) if isinstance(result.exception, WordatomsError) else result.output
    assert message in said
    assert "Traceback" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["letters.csv"]


def test_a_folder_of_others_is_not_replaced(model: SenseModel, table: Path, tmp_path: Path) -> None:
    (tmp_path / "letters.csv.index").mkdir()
    (tmp_path / "letters.csv.index" / "thesis.txt").write_text("mine")
    result = export(model, tmp_path / "site", table, *OPTIONS)
    assert "exists and is not empty" in str(result.exception)
    assert (tmp_path / "letters.csv.index" / "thesis.txt").read_text() == "mine"


def test_empty_documents_are_one_sentence(model: SenseModel, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_text("text\n")
    assert "there are no documents" in str(export(model, tmp_path / "site", path, "--column", "text").exception)
    path.write_text('text\n""\nxyzzy\n')
    assert "no document has" in str(export(model, tmp_path / "site", path, "--column", "text").exception)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty.csv"]


@pytest.mark.parametrize("name", ["column", "id", "by", "time", "time-format", "index"])
def test_options_of_documents_need_documents(model: SenseModel, name: str) -> None:
    result = CliRunner().invoke(explore, ["--model", str(model.path), f"--{name}", "x"])
    assert result.exit_code == 2
    assert f"--{name} is for documents; say with --documents where they are" in result.output


def test_standard_input_is_refused(model: SenseModel, tmp_path: Path) -> None:
    assert "cannot be standard input" in export(model, tmp_path / "site", "-").output

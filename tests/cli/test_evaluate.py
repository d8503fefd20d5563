"""`evaluate wsi`, `scws` and `lineup` with the paper's competitors, as a user meets them, on a page of text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import fails, run
from invoking import invoke, refused
from planted import planted_model
from published import needs_data
from sampledata import PAIRS, SENSES, SMALL, USAGE_KEY, USAGES, semeval_xml, small_testbed, write_scws, write_semeval
from wordatoms.paper.baselines.learning import LEARNED


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a whole model of the page, and one of NNSE vectors."""
    folder = tmp_path_factory.mktemp("models")
    settings = ("--min-count", "2", "--dim", "10", "--restarts", "1", "--quiet")
    for method in ("pmi", "nnse"):
        made = run("train", SMALL, "-o", folder / method, "--method", method, *settings)
        assert made.returncode == 0, made.stderr.decode()
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All data sets, each in its own folder."""
    folder = tmp_path_factory.mktemp("data")
    write_semeval(folder / "semeval2010", USAGES, USAGE_KEY)
    write_scws(folder / "scws")
    small_testbed().save(folder / "lineup.tsv")
    return folder


def evaluated(*arguments: str | Path) -> dict[str, Any]:
    result = invoke("evaluate", *arguments, "--json", "--threads", "1")
    assert result.stderr == ""
    found: dict[str, Any] = json.loads(result.stdout)
    return found


# --- tables and evidence


def test_wsi_table(models: Path, data: Path) -> None:
    result = run("evaluate", "wsi", "--model", models / "pmi", "--data", data)
    shown = result.stdout.decode()
    for method in ("ours, k=2", "ours, k auto", "paper's method, k=5", "contexts without atoms, k auto"):
        assert f"{method} " in shown
    assert "AVG of Table 7: k=2: paper 18.9, its method here" in result.stderr.decode()


def test_wsi_with_competitors(models: Path, data: Path) -> None:
    found = evaluated("wsi", "--model", models / "pmi", "--data", data, "--competitors", "--nnse", models / "nnse")
    assert {"scores", "baselines", "paper", "verdict", "items"} <= set(found)
    assert {*LEARNED, "nnse", "ours, k=2"} <= set(found["scores"])
    assert found["items"]
    assert "lent money" not in json.dumps(found), "texts stay where they are"


def test_scws_table(models: Path, data: Path) -> None:
    asked = ("--model", models / "pmi", "--data", data, "--with", models / "nnse")
    result = invoke("evaluate", "scws", *asked)
    shown = result.stdout
    for method in ("ours", "u_c", "cosine", "cosine, nnse", "spelling"):
        assert f"\n{method} " in shown
    assert "Table 8 of the paper reports" in result.stderr


def test_scws_with_competitors(models: Path, data: Path) -> None:
    found = evaluated("scws", "--model", models / "pmi", "--data", data, "--competitors", "--nnse", models / "nnse")
    assert {"scores", "baselines", "paper", "verdict", "items"} <= set(found)
    competitors = {f"{name}, {kind}" for name in (*LEARNED, "nnse") for kind in ("AvgSimC", "MaxSimC")}
    assert competitors <= set(found["scores"])
    assert len(found["items"]) == len(PAIRS)
    capital = found["items"][2]["similarity"]
    assert capital["huang, AvgSimC"] is not None, "'Bank' was not found among the words that were learned"
    assert found["items"][3]["similarity"]["huang, AvgSimC"] is None, "there are no senses of mother-in-law"


def test_scws_ablation(models: Path, data: Path) -> None:
    found = evaluated("scws", "--model", models / "pmi", "--data", data, "--ablation")
    assert "u_c, atoms of average context vectors" in found["scores"]


def test_lineup_with_competitors(models: Path, data: Path, tmp_path: Path) -> None:
    asked = ("--model", models / "pmi", "--testbed", data / "lineup.tsv", "-n", "4", "--runs", "2")
    plot = ("--plot", tmp_path / "figure.svg")
    found = evaluated("lineup", *asked, "--competitors", "--nnse", models / "nnse", *plot)
    ours = ["", ", lists of length 1", ", lists read as contexts", ", senses by use", ", senses by use and atoms"]
    competing = [*LEARNED, "nnse"]
    assert [*found["scores"]] == [
        *(f"pmi{variant}" for variant in ours),
        *competing,
        *(f"{name}, lists of length 1" for name in competing),
    ]
    assert [*found["baselines"]] == ["word vector only", "random", "best possible"]
    assert {item["method"] for item in found["items"]} == {*found["scores"]}
    for name, known in found["known"].items():
        assert known == len(SENSES), name
    assert (tmp_path / "figure-b.svg").exists()
    shown = invoke("evaluate", "lineup", *asked, "--nnse", models / "nnse", "--with", models / "nnse").stdout
    names = [row.split("  ")[0] for row in shown.splitlines()]
    assert names[1:3] == [str(models / "pmi"), str(models / "nnse")]
    assert {f"{models / 'pmi'}, lists read as contexts", "nnse"} <= set(names)


# --- refusals


@pytest.mark.parametrize(
    ("task", "file", "content", "sentence"),
    [
        ("wsi", "semeval2010/all.key", "bank.n\n", "all.key:1: expected `word instance sense`"),
        ("wsi", "semeval2010/nouns/bank.n.xml", "<a>", "bank.n.xml is not valid XML"),
        ("scws", "scws/ratings.txt", "1\tbank\n", "ratings.txt:1: expected 18 fields separated by tabs but found 2."),
        ("scws", "scws/ratings.txt", "", "ratings.txt is empty"),
    ],
)
def test_broken_data(models: Path, tmp_path: Path, task: str, file: str, content: str, sentence: str) -> None:
    for name in ("semeval2010/verbs", "semeval2010/nouns", "scws"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "semeval2010" / "nouns" / "bank.n.xml").write_text(semeval_xml("bank.n", USAGES["nouns/bank.n"]))
    (tmp_path / "semeval2010" / "all.key").write_text("".join(USAGE_KEY.splitlines(keepends=True)[:3]))
    (tmp_path / file).write_text(content)
    assert sentence in refused("evaluate", task, "--model", models / "pmi", "--data", tmp_path)


def test_no_data(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "contains no nouns" in fails(run("evaluate", "wsi", "--model", models / "pmi", "--data", tmp_path))
    assert "ratings.txt" in refused("evaluate", "scws", "--model", models / "pmi", "--data", tmp_path / "none")
    monkeypatch.delenv("WORDATOMS_DATA", raising=False)
    for task in ("wsi", "scws"):
        assert "--data" in invoke("evaluate", task, "--model", models / "pmi", code=2).stderr


def test_models_that_lack_something(models: Path, data: Path, tmp_path: Path) -> None:
    planted, testbed = planted_model(tmp_path / "planted").path, ("--testbed", data / "lineup.tsv", "-n", "4")
    for asked in (("wsi", "--data", data), ("scws", "--data", data), ("lineup", *testbed, "--competitors")):
        message = refused("evaluate", *asked, "--model", planted)
        assert f"has no 'map' stage yet; run: wordatoms map {planted}" in message
    whole = ("--model", models / "pmi")
    assert "negative numbers; pass NNSE vectors" in refused(
        "evaluate", "lineup", *whole, *testbed, "--nnse", models / "pmi"
    )
    nowhere = tmp_path / "none.txt"
    assert "none.txt" in refused("evaluate", "wsi", *whole, "--data", data, "--competitors", "--text", nowhere)


# --- the published data


@needs_data
def test_published_pairs(models: Path) -> None:
    found = evaluated("scws", "--model", models / "pmi")
    assert found["pairs"] == len(found["items"]) == 2003
    assert found["scores"]["ours"]["coverage"] > 0

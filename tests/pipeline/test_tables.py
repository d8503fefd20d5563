"""Training on a column of a table: the same model as of its text, which later stages find again."""

from __future__ import annotations

import csv
import json
import shutil
from functools import partial
from pathlib import Path

import pytest

import wordatoms as wa
from invoking import invoke, refused
from observedworld import WORD, ambiguous_text, observed_model
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import embed
from wordatoms.pipeline.map import map_contexts
from wordatoms.pipeline.observe import observe
from wordatoms.pipeline.sources import CountSettings, text_key
from wordatoms.pipeline.train import train
from wordatoms.run import Run
from wordatoms.storage.folder import ModelFolder, write_manifest
from wordatoms.text.corpus import TextFile, open_corpus

SETTINGS = CountSettings(min_count=2, column="text")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    """A model of plain text."""
    return observed_model(tmp_path_factory.mktemp("plain"))


def write_table(path: Path) -> Path:
    """The same text as a table with other columns; some cells have two paragraphs, some none."""
    lines = ambiguous_text().splitlines()
    cells = ["\r\n\n".join(lines[start : start + 2]) for start in range(0, len(lines), 2)]
    rows = [[f"n{number}", f"group{number % 3}", cell] for number, cell in enumerate([*cells, "", " "])]
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([["name", "group", "text"], *rows])
    elif path.suffix == ".jsonl":
        records = [dict(zip(("name", "group", "text"), row, strict=True)) for row in rows]
        path.write_text("".join(json.dumps(record) + "\n" for record in [*records, {"name": "last", "text": None}]))
    else:
        pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pa.table(dict(zip(("name", "group", "text"), zip(*rows, strict=True), strict=True))), path)
    return path


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a model by name, without the manifest, which names the text."""
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "manifest.json"
    }


@pytest.fixture(scope="module")
def tabled(tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    """A model of the table, learned like that of the plain text."""
    folder = tmp_path_factory.mktemp("table")
    table = write_table(folder / "news.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("observedworld.train", lambda _sources, *given, **named: train([table], *given, **named))
        patch.setattr("observedworld.CountSettings", lambda **given: CountSettings(column="text", **given))
        return observed_model(folder)


def test_a_table_gives_the_model_of_its_text(plain: wa.SenseModel, tabled: wa.SenseModel) -> None:
    assert files_of(tabled.path) == files_of(plain.path)
    assert not (tabled.path / ".work").exists()


def test_the_manifest_names_the_column(tabled: wa.SenseModel) -> None:
    stages = ModelFolder(tabled.path).stages
    assert stages["count"]["settings"]["column"] == "text"
    for stage in ("count", "map", "observe"):
        (record,) = stages[stage]["inputs"]
        assert (Path(record["path"]).name, record["column"]) == ("news.csv", "text")
    assert "column: text" in invoke("info", tabled.path).stdout


def test_examples_are_quoted_from_the_table(plain: wa.SenseModel, tabled: wa.SenseModel, tmp_path: Path) -> None:
    expected = [(each.text, each.offset, each.probability) for each in plain.examples(WORD, 2)]
    found = tabled.examples(WORD, 2)
    assert [(each.text, each.offset, each.probability) for each in found] == expected
    assert {Path(each.source).name for each in found} == {"news.csv"}
    shutil.copytree(tabled.path, tmp_path / "model")
    moved = ModelFolder(tmp_path / "model")
    moved.stages["observe"]["inputs"][0]["column"] = "nope"
    write_manifest(tmp_path / "model", moved.manifest)
    assert wa.load(tmp_path / "model").examples(WORD, 2) == []


def test_later_stages_find_the_text_that_was_counted(tabled: wa.SenseModel, tmp_path: Path) -> None:
    folder = ModelFolder(Path(shutil.copytree(tabled.path, tmp_path / "model")))
    assert not map_contexts(folder)
    before = files_of(folder.path)
    assert map_contexts(folder, force=True)
    assert observe(folder, force=True)
    assert files_of(folder.path).keys() == before.keys()
    assert files_of(folder.path)["map-matrix.npy"] == before["map-matrix.npy"]
    moved = shutil.copy(folder.stages["count"]["inputs"][0]["path"], tmp_path / "moved.csv")
    assert not map_contexts(folder, sources=[moved]), "its column is that of the counted text"
    assert not map_contexts(folder, sources=[moved], column="text")
    with pytest.raises(ModelError, match="was made with other text"):
        map_contexts(folder, sources=[moved], column="group")
    with pytest.raises(InputError, match="has no column 'nope'; its columns are name, group, text"):
        map_contexts(folder, sources=[moved], column="nope")
    with pytest.raises(InputError, match="named without a table; pass it with --text"):
        map_contexts(folder, column="text", force=True)
    (tmp_path / "held.txt").write_text(ambiguous_text())
    assert map_contexts(folder, sources=[tmp_path / "held.txt"], force=True), "plain text needs no column"


@pytest.mark.parametrize("name", ["news.csv", "news.jsonl", "news.parquet"])
def test_any_table_any_split(name: str, plain: wa.SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.pipeline.sources.open_corpus", partial(open_corpus, shard_bytes=1000))
    table = write_table(tmp_path / name)
    for threads in (1, 3):
        folder = ModelFolder(tmp_path / f"model{threads}", create=True)
        assert count([table], folder, SETTINGS, run=Run(threads))
        assert not count([table], folder, SETTINGS, run=Run(threads)), "done"
        for file in folder.stages["count"]["files"]:
            assert (folder.path / file).read_bytes() == (plain.path / file).read_bytes()
        with pytest.raises(ModelError, match='was made with column "text"'):
            count([table], folder, CountSettings(min_count=2, column="group"))
        assert count([table], folder, CountSettings(min_count=1, column="group"), force=True)
        assert "group\t" in (folder.path / "words.txt").read_text()


def test_a_method_that_reads_text_reads_the_column(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    folder = ModelFolder(tmp_path / "model", create=True)
    count([write_table(tmp_path / "news.csv")], folder, SETTINGS)
    assert embed(folder, "skipgram", parameters={"dim": 8, "epochs": 1})


def test_the_hash_of_plain_text_stays_as_it_was() -> None:
    assert text_key(TextFile("a.txt", 1, "9f")) == "9f"
    assert text_key(TextFile("a.csv", 1, "9f", "text")) == "9f text"
    assert "column" not in CountSettings().record()


@pytest.mark.parametrize("command", ["train", "count"])
def test_a_table_without_a_column_is_refused(command: str, tmp_path: Path) -> None:
    table = write_table(tmp_path / "news.csv")
    assert refused(command, table, "-o", tmp_path / "model") == (
        f"{table} is a table; say with --column (in Python column=…) which of its columns has the text: "
        "name, group, text."
    )
    assert "is a table" in refused(command, tmp_path, "-o", tmp_path / "model")
    assert "has no column 'body'; its columns are" in refused(
        command, table, "-o", tmp_path / "model", "--column", "body"
    )
    (tmp_path / "a.txt").write_text("The spring ran dry.")
    assert "a.txt is not a table" in refused(command, tmp_path / "a.txt", "-o", tmp_path / "model", "--column", "text")
    assert not (tmp_path / "model").exists()


def test_no_text_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("date,text\n")
    (tmp_path / "b.csv").write_text("text\n \n")
    folder = ModelFolder(tmp_path / "model", create=True)
    with pytest.raises(InputError, match=r"there is no text in .*a.csv, .*b.csv"):
        count([tmp_path / "a.csv", tmp_path / "b.csv"], folder, SETTINGS)


def test_broken_tables_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'date,text\n1,fine\n2,"never closed\n')
    assert "line 3 of" in refused("count", tmp_path / "a.csv", "--column", "text", "-o", tmp_path / "model")
    (tmp_path / "a.csv").write_bytes(b"date,text\n1,fine\n2,caf\xe9\n")
    assert "line 3 of" in refused("count", tmp_path / "a.csv", "--column", "text", "-o", tmp_path / "model")
    assert not (tmp_path / "model").exists()
    invoke(
        "count",
        tmp_path / "a.csv",
        "--column",
        "text",
        "-o",
        tmp_path / "model",
        "--replace-invalid",
        "--min-count",
        "1",
    )
    assert "caf" in (tmp_path / "model" / "words.txt").read_text()


def test_a_table_without_text_does_not_change_the_places_of_others(tabled: wa.SenseModel, tmp_path: Path) -> None:
    empty = tmp_path / "a.csv"
    empty.write_text("name,text\n")
    folder = ModelFolder(Path(shutil.copytree(tabled.path, tmp_path / "model")))
    table = folder.stages["count"]["inputs"][0]["path"]
    assert observe(folder, sources=[empty, table], column="text", force=True)
    assert [each.text for each in wa.load(folder.path).examples(WORD)]
    assert {Path(each.source).name for each in wa.load(folder.path).examples(WORD)} == {"news.csv"}

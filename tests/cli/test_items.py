"""Models of items as a user meets them: import, atomize, atoms, code, export, explore."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import load_npz

from commands import fails, run
from itemworld import SUBJECTS, item_model, planted_texts, write_items
from planted import N_ATOMS, N_PLAIN, planted_embeddings
from wordatoms.senses.model import SenseModel
from wordatoms.storage.safetensors import map_safetensors


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return item_model(tmp_path_factory.mktemp("items")).path


def shown(*arguments: str | Path) -> str:
    result = run(*arguments)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode()


def test_every_atom_is_labelled_by_its_subject(model: Path) -> None:
    opened = SenseModel(model)
    first = Counter(label.split(", ")[0] for label in opened.atoms.labels)
    assert first == Counter(SUBJECTS)
    assert opened.texts is not None
    assert list(opened.texts) == planted_texts()
    assert opened.folder.manifest["stages"]["import"]["settings"]["kind"] == "items"


def test_lists_of_atoms(model: Path) -> None:
    lines = shown("atoms", "--model", model).splitlines()
    assert lines[0].split() == ["atom", "items", "label", "nearest", "item"]
    assert len(lines) == 1 + len(SenseModel(model).atoms)
    found = shown("atoms", "--search", "drumhouse", "--model", model).splitlines()
    assert len(found) == 2
    assert "drumhouse" in found[1]
    page = shown("atoms", found[1].split()[0], "--model", model, "-n", "3")
    assert page.count("about the drumhouse of the year") >= 3
    assert "meta-atom" in shown("atoms", "--meta", "--model", model)
    message = fails(run("atoms", "--search", "zebra", "--model", model))
    assert "no label of an atom and none of its examples has 'zebra'" in message


def test_the_report_on_atoms_of_items_spoke_of_words(model: Path) -> None:
    said = shown("info", model)
    assert "items per atom:" in said
    assert "atoms per item" in said
    assert "words" not in said.split("overlap:")[1]


def test_search_finds_texts_of_examples(model: Path) -> None:
    text = SenseModel(model).atom(3, n=1).texts[0]
    found = json.loads(shown("atoms", "--search", text, "--model", model, "--json"))
    assert 3 in [line["atom"] for line in found]


def test_page_of_an_atom_as_json(model: Path) -> None:
    view = json.loads(shown("atoms", "0", "--model", model, "--json", "-n", "5"))[0]
    assert len(view["nearest"]) == len(view["texts"]) == 5
    assert all(view["label"].split(", ")[0] in text for text in view["texts"])


def test_codes_of_new_rows(model: Path, tmp_path: Path) -> None:
    opened, vectors = SenseModel(model), planted_embeddings().vectors
    new = np.concatenate([vectors[[0, N_PLAIN]], np.zeros((1, vectors.shape[1]), np.float32)])
    np.save(tmp_path / "new.npy", new)
    rows = json.loads(shown("code", model, tmp_path / "new.npy", "--json"))
    assert [row["row"] for row in rows] == [0, 1, 2]
    assert [row["atoms"][0]["label"].split(", ")[0] for row in rows[:2]] == SUBJECTS[:2]
    assert rows[2]["atoms"] == []
    text = shown("code", model, tmp_path / "new.npy")
    assert text.startswith("row 0\n")
    assert text.endswith("row 2: no atoms\n")

    codes = opened.code(new)
    for name in ("codes.npz", "codes.parquet", "codes.tsv"):
        shown("code", model, tmp_path / "new.npy", "-o", tmp_path / name)
    assert (load_npz(tmp_path / "codes.npz") != codes.to_csr()).nnz == 0
    table = pq.read_table(tmp_path / "codes.parquet").to_pylist()
    lines = [line.split("\t") for line in (tmp_path / "codes.tsv").read_text().splitlines()]
    assert lines[0] == ["row", "atom", "weight", "label"]
    assert [(each["row"], each["atom"], each["label"]) for each in table] == [
        (int(row), int(atom), label) for row, atom, _, label in lines[1:]
    ]
    frame = codes.to_frame()
    assert [each["atom"] for each in table] == frame["atom"].tolist()
    np.testing.assert_array_equal([each["weight"] for each in table], frame["weight"])


def test_code_refuses_what_does_not_fit(model: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "wide.npy", np.ones((2, 7)))
    assert "have 7 dimensions but the atoms of this model 40" in fails(run("code", model, tmp_path / "wide.npy"))
    np.save(tmp_path / "new.npy", planted_embeddings().vectors[:2])
    assert "not named .npz" in fails(run("code", model, tmp_path / "new.npy", "-o", tmp_path / "x.csv"))
    (tmp_path / "x.tsv").write_text("mine")
    assert "exists already" in fails(run("code", model, tmp_path / "new.npy", "-o", tmp_path / "x.tsv"))
    assert "is no file" in fails(run("code", model, tmp_path / "missing.npy"))
    assert (tmp_path / "x.tsv").read_text() == "mine"
    shown("code", model, tmp_path / "new.npy", "-o", tmp_path / "x.tsv", "--force")
    assert (tmp_path / "x.tsv").read_text().startswith("row\t")


@pytest.mark.parametrize(
    "command",
    [
        ["senses", "tie", "--model"],
        ["disambiguate", "tie", "a tie", "--model"],
        ["read", "a tie", "--model"],
        ["similarity", "tie", "suit", "--model"],
        ["topics", "items.txt", "--model"],
        ["sentences", "tie", "--corpus", "items.txt", "--model"],
        ["cluster", "tie", "--contexts", "items.txt", "--model"],
        ["atoms", "--names-from", "english", "--model"],
        ["map", "--text", "items.txt"],
        ["observe", "--text", "items.txt"],
        ["phrases", "--text", "items.txt"],
        ["explore", "--corpus", "items.txt", "--model"],
    ],
)
def test_commands_that_need_words_say_so(model: Path, command: list[str]) -> None:
    options = [str(model.parent / "items.txt") if each == "items.txt" else each for each in command]
    assert "is a model of items, not of words" in fails(run(*options, model))


def test_nearest_items(model: Path) -> None:
    name = SenseModel(model).words[5]
    lines = shown("nearest", name, "--model", model, "-n", "3").splitlines()
    assert len(lines) == 4
    assert all(SUBJECTS[0] in line for line in lines[1:])
    assert "a name is the beginning of a text" in fails(run("nearest", "zebra", "--model", model))


def test_info_names_the_kind(model: Path) -> None:
    facts = json.loads(shown("info", model, "--json"))["facts"]
    assert facts["items"] == len(planted_texts())
    assert "words" not in facts
    assert "whole" in shown("info", model, "--verify")


# --- import and export


def test_the_same_items_from_every_format(tmp_path: Path) -> None:
    vectors, texts = write_items(tmp_path)
    X, lines = np.load(vectors), planted_texts()
    pq.write_table(pa.table({"body": lines, "vector": list(X)}), tmp_path / "x.parquet")
    (tmp_path / "t.jsonl").write_text("".join(json.dumps({"t": line}) + "\n" for line in lines))
    shown("import", vectors, "--texts", texts, "-o", tmp_path / "1")
    shown("import", tmp_path / "x.parquet", "--column", "body", "-o", tmp_path / "2")
    shown("import", vectors, "--texts", tmp_path / "t.jsonl", "--column", "t", "-o", tmp_path / "3")
    shown("export", tmp_path / "1", "-o", tmp_path / "out.safetensors")
    shown("import", tmp_path / "out.safetensors", "--texts", texts, "-o", tmp_path / "4")
    shown("export", tmp_path / "1", "-o", tmp_path / "out.parquet")
    shown("import", tmp_path / "out.parquet", "--column", "text", "-o", tmp_path / "5")
    for name in ("words.txt", "vectors.npy", "items.jsonl", "items-starts.npy", "embeddings.json"):
        assert len({(tmp_path / str(model) / name).read_bytes() for model in range(1, 6)}) == 1
    np.testing.assert_array_equal(map_safetensors(tmp_path / "out.safetensors")["vector"], X)


def test_words_go_through_safetensors_and_parquet(tmp_path: Path) -> None:
    words = planted_embeddings()
    shown_words = tmp_path / "w.txt"
    np.save(tmp_path / "w.npy", words.vectors)
    shown_words.write_text("\n".join(words.words) + "\n")
    shown("import", tmp_path / "w.npy", "-o", tmp_path / "1")
    for number, suffix in (("2", "safetensors"), ("3", "parquet")):
        shown("export", tmp_path / "1", "-o", tmp_path / f"out.{suffix}")
        shown("import", tmp_path / f"out.{suffix}", "-o", tmp_path / number)
        assert (tmp_path / number / "words.txt").read_bytes() == (tmp_path / "1" / "words.txt").read_bytes()
        assert (tmp_path / number / "vectors.npy").read_bytes() == (tmp_path / "1" / "vectors.npy").read_bytes()


def test_importing_again_is_skipped_and_other_texts_are_refused(tmp_path: Path) -> None:
    vectors, texts = write_items(tmp_path)
    command = ["import", vectors, "--texts", texts, "-o", tmp_path / "m"]
    shown(*command)
    assert b"exists already" in run(*command).stderr
    texts.write_text(texts.read_text().replace("year", "week"))
    assert "pass --force to make it again" in fails(run(*command))
    shown(*command, "--force")


def test_imports_that_do_not_fit_leave_nothing(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "two.txt").write_text("one\ntwo\n")
    (tmp_path / "three.txt").write_text("one\n\none\n")
    holed = np.eye(3)
    holed[1, 1] = np.nan
    np.save(tmp_path / "holed.npy", holed)
    model = tmp_path / "m"
    for arguments, message in [
        ([tmp_path / "x.npy", "--texts", tmp_path / "two.txt"], "has 2 texts and .*x.npy has 3 vectors; pass one text"),
        ([tmp_path / "holed.npy", "--texts", tmp_path / "three.txt"], "row 1 of .*holed.npy .* holds NaN"),
        ([tmp_path / "x.npy", "--texts", tmp_path / "missing.txt"], "missing.txt"),
        ([tmp_path / "x.npy", "--column", "text"], "x.npy is no table|x.npy is not a table"),
        ([tmp_path / "x.npy"], "--texts, --column"),
    ]:
        result = run("import", *arguments, "-o", model)
        assert pytest.approx(1) == result.returncode
        assert __import__("re").search(message, fails(result)), fails(result)
        assert not model.exists()
    assert b"for items" in run("import", tmp_path / "x.npy", "--texts", tmp_path / "three.txt", "--words",
                               tmp_path / "two.txt", "-o", model).stderr  # fmt: skip
    shown("import", tmp_path / "x.npy", "--texts", tmp_path / "three.txt", "-o", model)
    assert (model / "words.txt").read_text() == "one\n(row 1)\none (row 2)\n"


def test_export_for_words_is_refused(model: Path, tmp_path: Path) -> None:
    message = fails(run("export", model, "-o", tmp_path / "x.txt"))
    assert "is a model of items; pass --format npy, safetensors or parquet, not word2vec" in message


@pytest.mark.parametrize("format", ["compact", "huggingface"])
def test_copies_of_the_whole_model(model: Path, tmp_path: Path, format: str) -> None:
    shown("export", model, "-o", tmp_path / "copy", "--format", format)
    copy = tmp_path / "copy"
    if format == "huggingface":
        assert "wordatoms atoms" in (copy / "README.md").read_text()
        shown("import", copy, "-o", tmp_path / "back")
        copy = tmp_path / "back"
    again = SenseModel(copy)
    assert again.texts is not None
    assert list(again.texts) == planted_texts()
    assert again.atoms.labels == SenseModel(model).atoms.labels


def test_site(model: Path, tmp_path: Path) -> None:
    shown("explore", "--model", model, "--export", tmp_path / "site")
    facts = json.loads((tmp_path / "site/api/model.json").read_text())
    assert facts["kind"] == "items"
    assert "words" not in facts["features"]
    assert not (tmp_path / "site/api/lineup").exists()
    atom = json.loads((tmp_path / "site/api/atom/0.json").read_text())
    assert len(atom["texts"]) == len(atom["nearest"])
    assert len(SenseModel(model).atoms) == len(list((tmp_path / "site/api/atom").iterdir())) >= N_ATOMS

"""`senses`, `atoms` and `atomize` as a user meets them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import fails, run
from planted import planted_model


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_model(tmp_path_factory.mktemp("cli") / "model").path


@pytest.fixture
def model(shared_model: Path) -> Path:
    (shared_model / "notes.json").unlink(missing_ok=True)
    return shared_model


def test_senses_of_two_words(model: Path) -> None:
    shown = run("senses", "both3", "both8", "--model", model).stdout.decode()
    first, second = shown.split("\n\n")
    assert first.startswith("both3\n")
    assert second.startswith("both8\n")
    assert first.count("atom ") == 2
    assert "also a sense of" in first


def test_senses_as_json(model: Path) -> None:
    found = json.loads(run("senses", "both3", "--model", model, "--json", "-n", "4").stdout)
    heavier, lighter = found["both3"]
    assert heavier["weight"] > lighter["weight"]
    assert set(heavier) == {"word", "atom", "weight", "label", "nearest", "linked", "forms", "picked", "named"} | {
        "share",
        "n_occurrences",
        "is_general",
        "sense",
        "atom_label",
        "listed",
    }
    assert len(heavier["nearest"]) == 4
    assert set(heavier["nearest"][0]) == {"word", "similarity"}


def test_unknown_word_is_one_sentence(model: Path) -> None:
    message = fails(run("senses", "both3", "bothh3", "--model", model))
    assert "'bothh3' is not among the 620 words" in message
    assert "did you mean both3" in message


def test_candidates_and_picks(model: Path) -> None:
    asked = ("senses", "both3", "--model", model, "--candidates", "5")
    atom = json.loads(run(*asked, "--json").stdout)["both3"][2]["atom"]
    assert run(*asked).stdout.decode().splitlines()[4].split()[0] == str(atom)
    run("senses", "both3", "--model", model, "--pick", atom)
    picked = run("senses", "both3", "--model", model).stdout.decode()
    assert picked.count("atom ") == 1
    assert f"atom {atom}" in picked
    assert run("senses", "both3", "--model", model, "--unpick").stdout.decode().count("atom ") == 2


def test_picks_for_two_words_at_once_are_wrong_usage(model: Path) -> None:
    fails(run("senses", "both3", "both4", "--model", model, "--pick", "1"), 2)
    assert not (model / "notes.json").exists()


def test_pick_of_a_missing_atom_keeps_nothing(model: Path) -> None:
    assert "there is no atom 999" in fails(run("senses", "both3", "--model", model, "--pick", "999"))
    assert not (model / "notes.json").exists()


def test_atoms_one_per_line_and_as_columns(model: Path) -> None:
    lines = run("atoms", "--model", model).stdout.decode().splitlines()
    assert lines[0].split() == ["atom", "words", "nearest", "words"]
    assert [int(line.split()[0]) for line in lines[1:]] == list(range(len(lines) - 1))
    columns = run("atoms", "0", "1", "--model", model).stdout.decode()
    assert columns.splitlines()[0].split() == ["atom", "0", "atom", "1"]
    for fact in ("a sense of", "neighbours:", "made of:"):
        assert columns.count(fact) == 2


def test_search_and_tree(model: Path) -> None:
    found = json.loads(run("atoms", "--search", "both3", "--model", model, "--json").stdout)
    senses = json.loads(run("senses", "both3", "--model", model, "--json").stdout)["both3"]
    assert [atom["atom"] for atom in found[:2]] == [sense["atom"] for sense in senses]
    tree = run("atoms", "--meta", "--model", model).stdout.decode()
    assert tree.startswith("meta-atom 0: ")
    assert "└─ atom" in tree
    assert "not among the 620 words" in fails(run("atoms", "--search", "zzzz", "--model", model))


def test_names_and_hidden_atoms(model: Path) -> None:
    assert "atom 0: mine" in run("atoms", "0", "--model", model, "--name", "mine").stdout.decode()
    assert "[mine]" in run("atoms", "--model", model).stdout.decode()
    assert "(hidden)" in run("atoms", "0", "--model", model, "--hide").stdout.decode()
    assert run("atoms", "--model", model).stdout.decode().splitlines()[1].split()[0] == "1"
    fails(run("atoms", "--model", model, "--name", "all"), 2)
    assert "there is no atom 999" in fails(run("atoms", "999", "--model", model))


def test_hidden_atoms_are_nowhere(model: Path) -> None:
    atom = json.loads(run("senses", "both3", "--model", model, "--json").stdout)["both3"][0]["atom"]
    run("atoms", atom, "--model", model, "--hide")
    for command in (["senses", "both3"], ["senses", "both3", "--candidates", "20"], ["atoms", "--meta"]):
        assert f'"atom": {atom},' not in run(*command, "--model", model, "--json").stdout.decode()
    assert f"atom {atom} is hidden" in fails(run("senses", "both3", "--model", model, "--pick", atom))


def test_picked_senses_are_shown_however_light(model: Path) -> None:
    candidates = json.loads(run("senses", "both3", "--model", model, "--candidates", "20", "--json").stdout)["both3"]
    picks = [argument for each in candidates for argument in ("--pick", each["atom"])]
    shown = run("senses", "both3", "--model", model, *picks).stdout.decode()
    assert shown.count("  atom ") == len(candidates)


def test_name_that_is_a_near_word_is_shown(model: Path) -> None:
    near = json.loads(run("atoms", "0", "--model", model, "--json").stdout)[0]["nearest"][0]["word"]
    run("atoms", "0", "--model", model, "--name", near)
    assert f"[{near}] {near}" in run("atoms", "--model", model).stdout.decode()


def test_search_for_nothing_is_wrong_usage(model: Path) -> None:
    fails(run("atoms", "--search", "", "--model", model), 2)
    fails(run("senses", "both3", "--pick", "1", "--unpick", "--model", model), 2)


def test_output_into_head_ends_quietly(model: Path) -> None:
    command = f"{sys.executable} -m wordatoms atoms --model {model} -n 200 | head -1; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert result.stdout.splitlines()[-1] == b"0"
    assert result.stderr == b""


def test_info_tells_what_a_model_holds(model: Path) -> None:
    shown = run("info", model).stdout.decode()
    assert "words: 620\n" in shown
    assert "dropped:" in shown
    assert json.loads(run("info", "--model", model, "--json").stdout)["atom_report"]["n_runs"] == 3


@pytest.mark.parametrize("content", ["", "[1, 2]", "{}", '{"n_atoms": null}'])
def test_damaged_report_is_one_sentence(tmp_path: Path, model: Path, content: str) -> None:
    copy = tmp_path / "model"
    shutil.copytree(model, copy)
    (copy / "atom-report.json").write_text(content)
    assert "atomize" in fails(run("info", copy))
    (copy / "embeddings.json").write_text("[]")
    assert "embeddings.json" in fails(run("info", copy))


def test_truncated_file_is_made_again(tmp_path: Path, model: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(model, copy)
    whole = (copy / "codes-weights.npy").read_bytes()
    (copy / "codes-weights.npy").write_bytes(whole[:500])
    assert "has 500 bytes instead of 5,088; run wordatoms atomize" in fails(run("senses", "both3", "--model", copy))
    settings = ("--atoms", "20", "--sparsity", "2", "--restarts", "3", "--iterations", "10")
    assert run("atomize", copy, *settings).returncode == 0
    assert (copy / "codes-weights.npy").read_bytes() == whole


def test_atomize_says_what_happened(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model").path
    again = run("atomize", folder, "--atoms", "20", "--sparsity", "2", "--restarts", "2", "--force")
    assert again.returncode == 0, again.stderr.decode()
    assert again.stdout == b""
    for fact in ("overlap:", "dropped:", "coefficients:", "words per atom:"):
        assert fact in again.stderr.decode()
    alone = run("atomize", folder, "--atoms", "20", "--restarts", "1", "--force", "--json", "--quiet")
    assert json.loads(alone.stdout)["overlap"] is None
    assert alone.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--atoms", "5000"], "5,000 atoms were asked for but only 620 words or items have a vector"),
        (["--vectors", "induced"], "has no 'map' stage yet"),
        (["--atoms", "12"], "pass --force to make it again"),
    ],
)
def test_atomize_refuses(model: Path, arguments: list[str], sentence: str) -> None:
    force = ["--force"] if "5000" in arguments else []
    assert sentence in fails(run("atomize", model, *arguments, *force))
    assert run("senses", "both3", "--model", model).returncode == 0, "what was there still answers"


@pytest.mark.parametrize("value", ["none", "0", "-3", "1.5"])
def test_wrong_number_of_atoms_is_wrong_usage(model: Path, value: str) -> None:
    fails(run("atomize", model, "--atoms", value), 2)


def test_two_kinds_of_sparsity_are_wrong_usage(model: Path) -> None:
    fails(run("atomize", model, "--sparsity-range", "2-4", "--sparsity", "3"), 2)
    fails(run("atomize", model, "--sparsity", "3", "--sparsity-range", "2-4"), 2)


def test_model_without_atoms(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("one 1 2\ntwo 2 1\n")
    assert run("import", vectors, "-o", tmp_path / "model").returncode == 0
    assert "has no atoms yet; run: wordatoms atomize" in fails(run("senses", "one", "--model", tmp_path / "model"))

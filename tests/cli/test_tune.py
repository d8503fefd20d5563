"""`tune` as a user meets it: what is chosen and kept, what is taken over from another model, and what is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from commands import fails, run
from invoking import invoke, refused
from naive_posterior import build_stage, world_embeddings, world_map
from planted import planted_model
from plantedtext import planted_text
from wordatoms.errors import ModelError
from wordatoms.senses.model import load
from wordatoms.storage.folder import ModelFolder
from wordatoms.tuning.choice import GRID

FEW = {"a": "0.001", "window": "5,10", "falloff": "0.5", "noise": "0.5", "scale": "0.01,20"}
GIVEN = [argument for name, values in FEW.items() for argument in (f"--{name}", values)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two texts, and a model of the first whose words have one atom each."""
    folder = tmp_path_factory.mktemp("tune")
    for seed, name in enumerate(("trained", "held-out")):
        (folder / f"{name}.txt").write_text(planted_text(seed))
    settings = ("--method", "pmi", "--dim", "20", "--atoms", "11", "--sparsity", "1", "--restarts", "1")
    made = run("train", folder / "trained.txt", "-o", folder / "model", *settings, "--quiet")
    assert made.returncode == 0, made.stderr.decode()
    return folder


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """A handful of pseudowords, and one value where the command line gives none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordatoms.pipeline.tune.FEWEST_PSEUDOWORDS", 6)
        for name in GRID.keys() - FEW.keys():
            patch.setitem(GRID, name, GRID[name][1:2])
        yield


def tuning(model: Path, *arguments: str | Path) -> Result:
    return invoke("tune", model, *arguments, *GIVEN, "--pseudowords", "6", "--threads", "1")


@pytest.fixture(scope="module")
def tuned(folder: Path) -> tuple[Path, dict[str, Any], str]:
    """A copy of the model that was tuned, what was printed as JSON, and the remarks."""
    shutil.copytree(folder / "model", folder / "tuned")
    result = tuning(folder / "tuned", "--text", folder / "held-out.txt", "--json")
    return folder / "tuned", json.loads(result.stdout), result.stderr


def test_settings_are_chosen_among_those_given(tuned: tuple[Path, dict[str, Any], str]) -> None:
    _, found, remarks = tuned
    assert set(found) == {"settings", "held_out", "figures", "trials"}
    for name, values in FEW.items():
        assert found["settings"][name] in map(float, values.split(","))
    assert found["held_out"] is True
    assert set(found["figures"]) == {"chosen", "default settings", "as in the paper", "without atoms"}
    assert {trial["setting"] for trial in found["trials"]} == {*GRID}
    assert remarks == ""


def test_the_model_reads_contexts_as_it_was_tuned(tuned: tuple[Path, dict[str, Any], str]) -> None:
    model, found, _ = tuned
    assert load(model).reading.record() == found["settings"]
    shown = run("info", model).stdout.decode()
    assert "\ntune  (wordatoms " in shown
    assert "files: tuning.json" in shown
    stage = json.loads(invoke("info", model, "--json").stdout)["stages"]["tune"]
    assert Path(stage["inputs"][0]["path"]).name == "held-out.txt"
    assert stage["settings"]["grid"]["window"] == [5, 10]


def test_what_is_done_is_not_done_again(folder: Path, tuned: tuple[Path, dict[str, Any], str]) -> None:
    model, _, _ = tuned
    before = (model / "tuning.json").read_bytes()
    again = tuning(model, "--text", folder / "held-out.txt")
    assert again.stdout == ""
    assert again.stderr == f"{model}: already tuned; pass --force to tune it again\n"
    with pytest.raises(ModelError, match=r"was made with seed 0, you ask for seed 1; pass --force"):
        tuning(model, "--text", folder / "held-out.txt", "--seed", "1")
    assert (model / "tuning.json").read_bytes() == before


def test_text_that_was_trained_on_is_remarked(
    folder: Path, tuned: tuple[Path, dict[str, Any], str], tmp_path: Path
) -> None:
    copy = tmp_path / "model"
    shutil.copytree(tuned[0], copy)
    result = tuning(copy, "--text", folder / "trained.txt", "--force")
    settings, figures = result.stdout.split("\n\n")
    assert [line.split()[0] for line in settings.splitlines()] == ["setting", *tuned[1]["settings"]]
    assert figures.startswith("on other pseudowords  put together")
    assert [line.split("  ")[0] for line in figures.splitlines()[1:]] == [*tuned[1]["figures"]]
    assert "scale 20: told apart by senses 0." in result.stderr
    assert result.stderr.endswith(
        "the model was trained on this text, so the scores are too optimistic; tune on held-out text.\n"
    )
    assert json.loads((copy / "tuning.json").read_bytes())["held_out"] is False


def test_what_does_better_leads_to_new_atoms(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "model"
    shutil.copytree(folder / "model", copy)
    before = load(copy).atoms.fingerprint
    asked = ("--atoms", "22", "--sparsity", "3")  # beside the 11 and the 1 that are there
    found = json.loads(tuning(copy, "--text", folder / "held-out.txt", *asked, "--json").stdout)
    scores = {(trial["setting"], trial["value"]): trial["score"] for trial in found["trials"]}
    assert scores["sparsity", 3] > scores["sparsity", 1], "one atom cannot tell two words apart"
    model = load(copy)
    settings = model.folder.stages["atomize"]["settings"]
    assert settings["n_atoms"] == max((11, 22), key=lambda n_atoms: scores["n_atoms", n_atoms])
    assert settings["sparsity"] == model.atoms.codes.sparsity == 3
    assert model.atoms.fingerprint != before
    assert model.reading.record() == found["settings"]
    assert "\ntune  (" in invoke("info", copy).stdout
    shutil.copytree(folder / "model", tmp_path / "other")
    remark = invoke("tune", tmp_path / "other", "--from", copy).stderr
    assert remark.endswith(f"other --atoms {settings['n_atoms']} --sparsity 3 --force\n")


# --- settings of another model


def test_settings_are_taken_over(folder: Path, tuned: tuple[Path, dict[str, Any], str], tmp_path: Path) -> None:
    copy, (model, found, _) = tmp_path / "model", tuned
    shutil.copytree(folder / "model", copy)
    shown = run("tune", copy, "--from", model).stdout.decode().splitlines()
    assert shown[0].split() == ["setting", "value"]
    assert [line.split()[0] for line in shown[1:]] == [*found["settings"]]
    assert load(copy).reading.record() == found["settings"]
    assert f"from: {model}"[:40] in invoke("info", copy).stdout
    assert json.loads(invoke("tune", copy, "--from", model, "--json").stdout) == {"settings": found["settings"]}


def test_nothing_to_take_over(folder: Path, tmp_path: Path) -> None:
    assert "has no 'tune' stage yet; run: wordatoms tune" in fails(
        run("tune", folder / "model", "--from", folder / "model")
    )
    assert "none" in refused("tune", folder / "model", "--from", tmp_path / "none")


# --- refusals


def test_text_or_another_model(folder: Path) -> None:
    text = ["--text", str(folder / "held-out.txt")]
    for given in ([], [*text, "--from", str(folder / "model")]):
        assert "pass either --text" in invoke("tune", folder / "model", *given, code=2).stderr


@pytest.mark.parametrize(
    "given", [("--scale", "x"), ("--a", "-1"), ("--window", "0"), ("--atoms", "auto"), ("--pseudowords", "0")]
)
def test_wrong_values(folder: Path, given: tuple[str, str]) -> None:
    message = invoke("tune", folder / "model", "--text", "x", *given, code=2).stderr
    assert f"Invalid value for '{given[0]}'" in message


def test_text_that_is_too_short(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text(planted_text(2, n_lines=20))
    message = fails(run("tune", folder / "model", "--text", tmp_path / "short.txt"))
    assert "the text gives 0 pseudowords: 0 words have 40 contexts in it" in message
    assert "pass a longer text" in message
    assert "none.txt" in refused("tune", folder / "model", "--text", tmp_path / "none.txt")
    assert "tune" not in ModelFolder(folder / "model").stages


def test_model_without_a_map_or_without_atoms(folder: Path, tmp_path: Path) -> None:
    text = ("--text", folder / "held-out.txt")
    without_map = planted_model(tmp_path / "map").path
    assert f"has no 'map' stage yet; run: wordatoms map {without_map}" in refused("tune", without_map, *text)
    bare = ModelFolder(tmp_path / "atoms", create=True)
    build_stage(bare, "import", world_embeddings().save)
    build_stage(bare, "map", world_map().save)
    assert f"has no 'atomize' stage yet; run: wordatoms atomize {bare.path}" in refused("tune", bare.path, *text)

"""Models in the layout of the Hugging Face hub: there and back to the same bytes, and folders from strangers."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import wordatoms as wa
from observedworld import WORD, observed_model
from sharing import made_once
from wordatoms.cli import cli
from wordatoms.errors import InputError, ModelError, WordatomsError
from wordatoms.pipeline.huggingface import CARD, CONFIG, TENSORS, from_pretrained, save_pretrained
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.integrity import fingerprint


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    def make(folder: Path) -> None:
        observed_model(folder).name(0, "the first atom")

    return made_once(tmp_path_factory, "hub-world", make) / "model"


@pytest.fixture
def hub(trained: Path, tmp_path: Path) -> Path:
    return save_pretrained(trained, tmp_path / "hub")


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_every_answer_is_the_same_afterwards(trained: Path, hub: Path, tmp_path: Path) -> None:
    before, after = wa.load(trained), from_pretrained(hub, tmp_path / "again")
    text = " ".join([*before.words[5:12], WORD, *before.words[12:20]])
    for ask in (
        lambda model: model.senses(WORD),
        lambda model: model.senses(WORD, method="code"),
        lambda model: model.disambiguate(WORD, text),
        lambda model: model.atom(0),
        lambda model: model.near_words(WORD),
        lambda model: model.induce("unheard", [text]).tolist(),
    ):
        assert repr(ask(before)) == repr(ask(after))
    assert after.label(0) == "the first atom"


def test_a_second_export_has_the_same_bytes(hub: Path, tmp_path: Path) -> None:
    again = save_pretrained(from_pretrained(hub, tmp_path / "again"), tmp_path / "hub2")
    assert contents(again) == contents(hub)


def test_what_only_training_needs_and_private_paths_stay_behind(trained: Path, hub: Path) -> None:
    config = (hub / CONFIG).read_text()
    assert "counts-" not in "".join(json.loads(config)["stages"]["count"]["files"])
    assert str(trained.parent) not in config
    assert (hub / TENSORS).stat().st_size < sum(path.stat().st_size for path in trained.glob("*.npy"))


@pytest.mark.skipif(not (ENGLISH / "manifest.json").exists(), reason="no English model")
def test_the_bundled_model_comes_back_as_it_is(tmp_path: Path) -> None:
    hub = save_pretrained(ENGLISH, tmp_path / "hub")
    from_pretrained(hub, tmp_path / "again")
    assert contents(tmp_path / "again") == contents(ENGLISH)
    card = (hub / CARD).read_text("utf-8")
    assert 'license: "cc-by-sa-4.0"' in card
    assert "## Limitations" in card


def test_the_card_names_language_licence_and_a_command(trained: Path, tmp_path: Path) -> None:
    card = (save_pretrained(wa.load(trained), tmp_path / "hub", license="mit") / CARD).read_text("utf-8")
    head = card.split("---")[1]
    assert 'language: "en"' in head
    assert 'license: "mit"' in head
    assert "wordatoms senses " in card


def test_the_commands(trained: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    hub, new = str(tmp_path / "hub"), str(tmp_path / "new")
    assert run(cli, ["export", str(trained), "-o", hub, "--format", "huggingface"]).exit_code == 0
    assert run(cli, ["import", hub, "-o", new]).exit_code == 0
    first, second = (run(cli, ["senses", WORD, "--method", "code", "--model", each]) for each in (str(trained), new))
    assert first.output == second.output
    assert run(cli, ["import", hub, "-o", new, "--max-words", "3"]).exit_code == 2
    assert run(cli, ["export", str(trained), "-o", hub + "2", "--license", "mit"]).exit_code == 2
    for again in (["import", hub, "-o", new], ["import", str(tmp_path), "-o", new + "2"]):
        assert isinstance(run(cli, again).exception, WordatomsError)


# --- folders from strangers


def spoil(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    """Change the configuration."""

    def spoil_config(hub: Path) -> None:
        config = json.loads((hub / CONFIG).read_text())
        change(config)
        (hub / CONFIG).write_text(json.dumps(config))

    return spoil_config


def replace_file(name: str, content: bytes) -> Callable[[Path], None]:
    """Replace a file, and make its checksum fit."""

    def write(hub: Path) -> None:
        (hub / name).write_bytes(content)
        spoil(lambda config: config["files"].update({name: fingerprint(hub / name)}))(hub)

    return write


def pipe(hub: Path) -> None:
    (hub / "words.txt").unlink()
    os.mkfifo(hub / "words.txt")


SPOILT = {
    "checksum": lambda hub: (hub / "words.txt").write_text("a\n"),
    "missing file": lambda hub: (hub / "map.json").unlink(),
    "pipe": pipe,
    "no tensors": lambda hub: (hub / TENSORS).unlink(),
    "tensors of another kind": replace_file(TENSORS, b"PK\x03\x04" * 9),
    "no tensor": replace_file(TENSORS, (2).to_bytes(8, "little") + b"{}"),
    "words missing": replace_file("words.txt", b"one\n"),
    "broken words": replace_file("words.txt", b"\xff\xfe\n"),
    "empty config": lambda hub: (hub / CONFIG).write_bytes(b""),
    "config is a list": lambda hub: (hub / CONFIG).write_bytes(b"[]"),
    "nested config": lambda hub: (hub / CONFIG).write_bytes(b"[" * 200_000),
    "another type": spoil(lambda config: config.update(model_type="bert")),
    "newer": spoil(lambda config: config.update(layout=99)),
    "layout is text": spoil(lambda config: config.update(layout="1")),
    "outside": spoil(lambda config: config["stages"]["count"]["files"].append("../../evil.txt")),
    "outside, in files": spoil(lambda config: config["files"].update({"../evil.txt": {"n_bytes": 1}})),
    "manifest": spoil(lambda config: config["stages"]["count"]["files"].append("manifest.json")),
    "program": spoil(lambda config: config["stages"]["count"]["files"].append("run.py")),
    "hidden": spoil(lambda config: config["stages"]["count"]["files"].append(".work.txt")),
    "no checksum": spoil(lambda config: config["files"].pop("words.txt")),
    "no stages": spoil(lambda config: config.update(stages={})),
    "stage without settings": spoil(lambda config: config["stages"]["count"].pop("settings")),
    "stage is a number": spoil(lambda config: config["stages"].update(count=3)),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_bad_folder_is_refused_and_nothing_is_left(hub: Path, tmp_path: Path, name: str) -> None:
    SPOILT[name](hub)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises((ModelError, InputError)) as caught:
        from_pretrained(hub, tmp_path / "new")
    assert len(str(caught.value).splitlines()) == 1
    assert ".work/" not in str(caught.value)
    assert not (tmp_path / "new").exists()
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_refused_folder_leaves_the_old_model_as_it_is(trained: Path, hub: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "old")
    before = contents(tmp_path / "old")
    SPOILT["words missing"](hub)
    with pytest.raises(ModelError):
        from_pretrained(hub, tmp_path / "old", force=True)
    assert contents(tmp_path / "old") == before


def test_an_existing_model_needs_force(hub: Path, tmp_path: Path) -> None:
    from_pretrained(hub, tmp_path / "new")
    with pytest.raises(ModelError, match="--force"):
        from_pretrained(hub, tmp_path / "new")
    assert from_pretrained(hub, tmp_path / "new", force=True).words


def test_a_folder_of_something_else_is_not_replaced(trained: Path, tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        save_pretrained(trained, tmp_path / "hub", force=True)
    assert (tmp_path / "hub" / "thesis.txt").read_text() == "mine"

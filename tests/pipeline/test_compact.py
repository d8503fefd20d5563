"""Compact twins of models."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from invoking import invoke, refused
from planted import planted_model
from sealing import reseal
from wordatoms import load, train
from wordatoms.counts.cooccurrence import Counts
from wordatoms.errors import ModelError
from wordatoms.pipeline.atomize import atomize
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder, read_manifest, write_manifest

TEXT = Path(__file__).parents[1] / "data" / "small.txt"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    path = tmp_path_factory.mktemp("full") / "model"
    settings = CountSettings(min_count=2)
    return train([TEXT], path, method="pmi", settings=settings, parameters={"dim": 20}, run=Run(threads=1))


def all_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_answers_as_the_model_does(model: SenseModel, tmp_path: Path) -> None:
    twin = load(compact(model.folder, tmp_path / "twin").path)
    assert twin.words == model.words
    assert twin.senses("tie", method="code") == model.senses("tie", method="code")
    np.testing.assert_allclose(
        twin.embeddings["tie"], model.embeddings["tie"], atol=0.025 * np.abs(model.embeddings["tie"]).max()
    )
    text = "they tied the game at the end"
    assert [each.word for each in twin.disambiguate("tie", text)] == [
        each.word for each in model.disambiguate("tie", text)
    ]
    assert twin.layout.tobytes() == model.layout.tobytes()
    assert "compact" in twin.folder.manifest


def test_it_keeps_nothing_that_only_training_needs(model: SenseModel, tmp_path: Path) -> None:
    made = compact(model.folder, tmp_path / "twin")
    names = {path.name for path in made.path.iterdir()}
    assert not [name for name in names if name.startswith(("counts", "contexts", "state-", "."))]
    assert names == {"manifest.json", *(name for record in made.stages.values() for name in record["files"])}
    with pytest.raises(ModelError, match="has no counts"):
        Counts.load(made.path)


def test_the_same_bytes_wherever_and_whenever(model: SenseModel, tmp_path: Path) -> None:
    first = compact(model.folder, tmp_path / "first").path
    copied = shutil.copytree(model.path, tmp_path / "elsewhere")
    manifest = read_manifest(copied)
    for record in manifest["stages"].values():
        record |= {"seconds": 99.0, "made": "2000-01-01T00:00:00+00:00", "peak_memory": 1}
        for file in record.get("inputs", []):
            file["path"] = f"/other/{Path(file['path']).name}"
    write_manifest(copied, manifest)
    assert all_bytes(compact(ModelFolder(copied), tmp_path / "second").path) == all_bytes(first)
    assert str(TEXT.parent) not in (first / "manifest.json").read_text()


def test_no_piece_of_the_text_can_be_read_off(model: SenseModel, tmp_path: Path) -> None:
    windows, shuffled = (
        load(folder).induced_map.windows for folder in (model.path, compact(model.folder, tmp_path / "twin").path)
    )
    assert (np.sort(windows, axis=1) == np.sort(shuffled, axis=1)).all()
    middle = windows.shape[1] // 2
    assert (windows[:, middle] == shuffled[:, middle]).all()
    moved = (windows != shuffled).sum(axis=1)
    assert np.median(moved) > 0.7 * (windows >= 0).sum(axis=1).mean()


def test_the_command_writes_and_replaces(model: SenseModel, tmp_path: Path) -> None:
    target = tmp_path / "new" / "twin"
    given = ("export", model.path, "-o", target, "--format", "compact")
    assert "compact model" in invoke(*given).stderr
    before = all_bytes(target)
    invoke(*given)  # the same copy is there already
    assert all_bytes(target) == before
    (target / "notes.json").write_text("{}")
    assert "exists already; pass --force" in refused(*given)
    (target / "notes.json").unlink()
    invoke(*given, "--force", "--quiet")
    assert all_bytes(target) == before
    assert [path.name for path in target.parent.iterdir()] == ["twin"]
    shown = invoke("info", target).stdout
    assert "method: pmi" in shown
    shown, expected = (
        invoke("senses", "tie", "--method", "code", "--model", path).stdout for path in (target, model.path)
    )
    assert shown == expected


def test_what_cannot_be_written_is_refused(model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear")
    assert "contains other files" in refused(
        "export", model.path, "-o", tmp_path / "other", "--format", "compact", "--force"
    )
    assert "is a file" in refused("export", model.path, "-o", tmp_path / "other/letter.txt", "--format", "compact")
    assert "is the model itself" in refused("export", model.path, "-o", model.path, "--format", "compact", "--force")
    twin = compact(model.folder, tmp_path / "twin")
    assert "is already compact" in refused("export", twin.path, "-o", tmp_path / "third", "--format", "compact")
    assert (tmp_path / "other" / "letter.txt").read_text() == "dear"


def test_a_model_of_imported_vectors_has_a_twin_and_its_atoms_can_be_made_anew(tmp_path: Path) -> None:
    planted = planted_model(tmp_path / "planted")
    twin = compact(planted, tmp_path / "twin")
    assert load(twin.path).senses("both3") == load(planted.path).senses("both3")
    assert atomize(twin, run=Run(threads=1), force=True)
    assert load(twin.path).senses("both3")


def test_the_list_of_forms_says_what_the_dictionary_would(model: SenseModel, tmp_path: Path) -> None:
    twin = load(compact(model.folder, tmp_path / "twin").path)
    forms = model.parts.word_forms
    for each in (model, twin):
        assert [each.forms(word) for word in model.words] == [forms.of(word) for word in model.words]
    assert twin.senses_of_forms("tie") == model.senses_of_forms("tie")
    assert twin.sense_weights("tying") == model.sense_weights("tying")  # unknown itself, and so not in the list
    (twin.path / "forms.txt").write_text("tie ties")
    reseal(twin.path)
    assert "no list of words and their forms" in refused("senses", "tie", "--model", twin.path)


def test_damaged_bytes_are_one_sentence(model: SenseModel, tmp_path: Path) -> None:
    twin = compact(model.folder, tmp_path / "twin").path
    (twin / "vectors-scales.npy").unlink()
    assert "vectors-scales.npy is missing" in refused("nearest", "tie", "--model", twin)


def test_notes_go_with_it_and_an_interrupt_loses_nothing(
    model: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = load(shutil.copytree(model.path, tmp_path / "full"))
    full.name(0, "weather")
    twin = compact(full.folder, tmp_path / "twin").path
    assert load(twin).label(0) == "weather"
    before = all_bytes(twin)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ModelFolder, "install_model", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compact(model.folder, twin, force=True)
    assert all_bytes(twin) == before


def test_a_compact_model_trains_no_other(model: SenseModel, tmp_path: Path) -> None:
    twin = compact(model.folder, tmp_path / "twin").path
    assert "is compact and has no counts" in refused("embed", twin, "-o", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_export_stopped_late_said_that_the_model_exists_already(model: SenseModel, tmp_path: Path) -> None:
    """Everything was written, but the process was killed before it could say so."""
    first = all_bytes(compact(model.folder, tmp_path / "twin").path)
    assert all_bytes(compact(model.folder, tmp_path / "twin").path) == first
    damaged = tmp_path / "twin" / "codes-atoms.npy"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\x01")
    with pytest.raises(ModelError, match="exists already"):
        compact(model.folder, tmp_path / "twin")


def test_export_stopped_late_left_its_lock_for_ever(model: SenseModel, tmp_path: Path) -> None:
    """The kill came after the last file was in place, and the next export found nothing to do."""
    twin = compact(model.folder, tmp_path / "twin")
    first = all_bytes(twin.path)
    twin.work.mkdir()
    (twin.work / "lock").touch()
    assert all_bytes(compact(model.folder, tmp_path / "twin").path) == first


def test_copy_of_another_model_is_not_taken_for_this_one(model: SenseModel, tmp_path: Path) -> None:
    compact(model.folder, tmp_path / "twin")
    other = shutil.copytree(model.path, tmp_path / "other")
    codes = other / "codes-weights.npy"
    codes.write_bytes(codes.read_bytes()[:-4] + b"\0\0\0\0")
    reseal(other)
    with pytest.raises(ModelError, match="exists already"):
        compact(ModelFolder(other), tmp_path / "twin")

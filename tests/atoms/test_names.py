"""Names of atoms that come with a model: they take the place of labels, for the atoms they were given to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from planted import planted_model
from wordatoms.atoms.meta_atoms import Region
from wordatoms.atoms.names import FILE, AtomExample, AtomNames
from wordatoms.cli.root import cli
from wordatoms.errors import ModelError
from wordatoms.pipeline.compact import compact
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    planted_model(path)
    plain = SenseModel(path)
    example = AtomExample("ship", "The ship left the harbour at noon.")
    regions = (Region("The land", (1,)),)
    AtomNames(plain.atoms.fingerprint, "hand", {1: "seafaring"}, {1: example}, {0: "the sea"}, regions).save(path)
    return path


def test_a_name_takes_the_place_of_the_label(folder: Path) -> None:
    model = SenseModel(folder)
    assert model.label(1) == "seafaring"
    assert model.is_named(1)
    assert not model.is_named(0)
    assert model.search("seafaring")[0].atom == 1
    assert model.meta_atoms.labels[0] == "the sea"
    assert model.atom(1).example == AtomExample("ship", "The ship left the harbour at noon.")
    shown = CliRunner().invoke(cli, ["atoms", "1", "--model", str(folder)]).output
    assert "atom 1: seafaring" in shown
    assert "for example: The ship left the harbour at noon." in shown


def test_meta_atoms_stand_under_their_region(folder: Path) -> None:
    meta_atoms = SenseModel(folder).meta_atoms
    assert meta_atoms.regions == (Region("The land", (1,)),)
    inside = meta_atoms.members[1]
    assert [atom for atom, region in enumerate(meta_atoms.atom_regions) if region == 0] == sorted(inside)
    shown = CliRunner().invoke(cli, ["atoms", "--meta", "--model", str(folder)]).output
    assert shown.startswith("THE LAND\nmeta-atom 1: ")
    assert shown.index("OTHER") < shown.index("meta-atom 0: the sea")


@pytest.mark.parametrize("regions", [[["a", [0, 0]]], [["a", [0]], ["b", [0]]], [["a", [99]]], [["a", [-1]]]])
def test_regions_that_cannot_be_are_refused(folder: Path, regions: list[object]) -> None:
    content = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**content, "regions": regions}))
    with pytest.raises(ModelError, match="hold a meta-atom twice, or one beyond"):
        _ = SenseModel(folder).meta_atoms


def test_a_user_may_name_it_otherwise(folder: Path) -> None:
    SenseModel(folder).name(1, "boats")
    assert SenseModel(folder).label(1) == "boats"


def test_a_compact_copy_keeps_the_names(folder: Path, tmp_path: Path) -> None:
    compact(ModelFolder(folder), tmp_path / "small")
    assert SenseModel(tmp_path / "small").label(1) == "seafaring"


def test_names_of_other_atoms_are_ignored(folder: Path) -> None:
    content = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**content, "atoms": "0" * 16}))
    assert SenseModel(folder).label(1) != "seafaring"


@pytest.mark.parametrize("damage", ["{", '{"atoms": 1}', "[]", '{"atoms": "x", "by": "", "names": {"a": 1}}'])
def test_damaged_names_are_one_sentence(folder: Path, damage: str) -> None:
    (folder / FILE).write_text(damage)
    with pytest.raises(ModelError, match=r"names.json is damaged .*; repair or remove it"):
        SenseModel(folder).label(1)


def test_a_name_beyond_the_atoms_is_refused(folder: Path) -> None:
    content = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**content, "names": {"99999": "nothing"}}))
    with pytest.raises(ModelError, match="names atoms beyond"):
        SenseModel(folder).label(1)


def test_verifying_a_model_reads_its_names(folder: Path) -> None:
    assert CliRunner().invoke(cli, ["info", str(folder), "--verify"]).exit_code == 0
    (folder / FILE).write_text("x")
    result = CliRunner().invoke(cli, ["info", str(folder), "--verify"])
    assert result.exit_code == 1
    assert "names.json is damaged" in str(result.exception)

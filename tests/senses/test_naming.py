"""Names of atoms, carried over from another model."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from invoking import invoke, refused
from naive_posterior import world_embeddings, world_map, world_model
from planted import planted_model
from wordatoms import to_html
from wordatoms.atoms.names import AtomNames
from wordatoms.errors import InputError, ModelError
from wordatoms.senses.comparison import atom_likeness
from wordatoms.senses.model import SenseModel
from wordatoms.senses.naming import carry_names, save_names

NAMES = {0: "money", 1: "rivers"}


@pytest.fixture
def named(tmp_path: Path) -> SenseModel:
    """A model with names for two of its three atoms."""
    model = world_model(tmp_path / "named", world_embeddings(), induced_map=world_map())
    AtomNames(model.atoms.fingerprint, "hand", NAMES).save(model.path)
    return SenseModel(model.path)


@pytest.fixture
def plain(tmp_path: Path) -> SenseModel:
    """The same words without names, in a space that is turned: the atoms have to be recognised by their words."""
    embeddings = world_embeddings()
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(embeddings.dim, embeddings.dim)))[0].astype(np.float32)
    return world_model(tmp_path / "plain", replace(embeddings, vectors=embeddings.vectors @ turn))


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with clear atoms, all of which have names."""
    path = tmp_path_factory.mktemp("naming") / "planted"
    planted_model(path)
    model = SenseModel(path)
    names = {atom: f"name {atom}" for atom in range(len(model.atoms))}
    AtomNames(model.atoms.fingerprint, "hand", names).save(path)
    return path


@pytest.fixture
def copy(planted: Path, tmp_path: Path) -> Path:
    """The same model without names."""
    shutil.copytree(planted, tmp_path / "copy")
    (tmp_path / "copy" / "names.json").unlink()
    return tmp_path / "copy"


def naive_names(model: SenseModel, source: SenseModel, least: float) -> dict[int, str]:
    """Pair every atom with every other one."""
    ours, theirs = range(len(model.atoms)), range(len(source.atoms))
    alike = {(a, b): float(atom_likeness(model, [a], source, [b])[0, 0]) for a in ours for b in theirs}
    best = {a: max(theirs, key=lambda b: alike[a, b]) for a in ours}
    back = {b: max(ours, key=lambda a: alike[a, b]) for b in theirs}
    given = source.parts.atom_names.names
    return {a: given[b] for a, b in best.items() if back[b] == a and alike[a, b] >= least and b in given}


@pytest.mark.parametrize("least", [-1.0, 0.5, 0.8, 0.95, 1.1])
def test_as_the_naive_twin(plain: SenseModel, named: SenseModel, least: float) -> None:
    found = carry_names(plain, named, least_alike=least)
    assert found.names == naive_names(plain, named, least)
    assert (found.by, found.source, found.examples) == ("hand", "named", {})


def test_atoms_of_a_copy_get_their_names(planted: Path, copy: Path) -> None:
    names = carry_names(SenseModel(copy), SenseModel(planted)).names
    assert len(names) > len(SenseModel(copy).atoms) / 2
    assert names == {atom: f"name {atom}" for atom in names}


def test_names_say_where_they_come_from(planted: Path, copy: Path) -> None:
    names = carry_names(SenseModel(copy), SenseModel(planted)).names
    unnamed, named = next(atom for atom in names if atom), 0
    save_names(SenseModel(copy), AtomNames(SenseModel(copy).atoms.fingerprint, "hand", {named: "x"}, source="planted"))
    model = SenseModel(copy)
    assert model.atom(named).named_after == "planted"
    assert "planted" in to_html(model.atom(named))
    assert model.atom(unnamed).named_after == ""
    assert SenseModel(planted).atom(named).named_after == "", "names that were given to these atoms"
    model.name(named, "cash")
    assert model.atom(named).named_after == "", "the user named it"
    assert json.loads((copy / "names.json").read_text())["source"] == "planted"


def test_carried_names_are_replaced_and_given_ones_are_not(plain: SenseModel, named: SenseModel) -> None:
    save_names(plain, AtomNames(plain.atoms.fingerprint, "hand", {0: "wrong"}, source="elsewhere"))
    save_names(SenseModel(plain.path), carry_names(plain, named, least_alike=0.5))
    assert "wrong" not in SenseModel(plain.path).atoms.labels
    with pytest.raises(ModelError, match="have names that were given to them"):
        save_names(named, AtomNames(named.atoms.fingerprint, "hand", {0: "wrong"}, source="elsewhere"))
    assert SenseModel(named.path).label(0) == "money"


def test_sources_that_cannot_be_used(plain: SenseModel, named: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="have no names that could be carried over"):
        carry_names(named, plain)
    monkeypatch.setitem(plain.parts.__dict__, "language", "de")
    with pytest.raises(InputError, match=r"is of the language 'de' and .* of 'en'"):
        carry_names(plain, named)


def test_the_command(planted: Path, copy: Path) -> None:
    expected = carry_names(SenseModel(copy), SenseModel(planted)).names
    result = invoke("atoms", "--model", copy, "--names-from", planted)
    assert f"{len(expected)} of {len(SenseModel(copy).atoms)} atoms are named after those of planted" in result.stderr
    assert all(name in result.stdout for name in expected.values())
    some = [*map(str, expected)][:2]
    assert invoke("atoms", *some, "--model", copy).stdout.count("named after an atom of planted") == 2
    answer = json.loads(invoke("atoms", "--model", copy, "--names-from", planted, "--json").stdout)
    assert answer == {"source": "planted", "names": {str(atom): name for atom, name in expected.items()}}
    assert "names that were given" in refused("atoms", "--model", planted, "--names-from", planted)
    assert "pass no IDs" in invoke("atoms", "1", "--model", copy, "--names-from", "english", code=2).stderr


def test_the_bundled_model_is_called_english(copy: Path) -> None:
    assert (
        "atoms are named after those of the bundled English model"
        in invoke("atoms", "--model", copy, "--names-from", "english").stderr
    )

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planted import N_ATOMS, planted_atoms, planted_embeddings
from wordatoms.atoms.atoms import Atoms, describe_atoms, renumbered
from wordatoms.atoms.meta_atoms import MetaAtoms, make_meta_atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.errors import InputError, ModelError

EMBEDDINGS = planted_embeddings()


@pytest.fixture(scope="module")
def atoms() -> Atoms:
    vectors = planted_atoms().astype(np.float32)
    return describe_atoms(EMBEDDINGS, vectors, sparse_code(EMBEDDINGS.unit_vectors, vectors, sparsity=2))


def test_nearest_words_are_those_of_the_embedding(atoms: Atoms) -> None:
    near = EMBEDDINGS.nearest(atoms.vectors[3], 30)
    assert [EMBEDDINGS.words[row] for row in atoms.nearest[3]] == [each.word for each in near]
    assert np.allclose(atoms.cosines[3], [each.similarity for each in near], atol=1e-6)
    assert all(word.startswith(("d3", "both3")) for word in atoms.labels[3].split(", "))


def test_carriers_are_the_words_with_a_positive_weight(atoms: Atoms) -> None:
    rows, weights = atoms.carriers(4)
    expected = [row for row in range(len(EMBEDDINGS)) if 4 in atoms.codes.atoms[row][atoms.codes.weights[row] > 0]]
    assert sorted(rows.tolist()) == expected
    assert (np.diff(weights) <= 0).all()
    assert atoms.n_words[4] == len(expected)


def test_carriers_of_every_atom_are_those_of_the_codes(atoms: Atoms) -> None:
    for atom in range(len(atoms)):
        found = [(row, code[atom]) for row in range(len(atoms.codes)) if atom in (code := atoms.codes.positive(row))]
        rows, weights = atoms.carriers(atom)
        expected = sorted(found, key=lambda pair: (-pair[1], pair[0]))
        assert list(zip(rows.tolist(), weights.tolist(), strict=True)) == expected


def test_closest_and_neighbours(atoms: Atoms) -> None:
    assert atoms.closest(5 * atoms.vectors[7], 1) == [(7, pytest.approx(1, abs=1e-5))]
    assert 7 not in [atom for atom, _ in atoms.neighbours(7, N_ATOMS)]
    assert atoms.closest(np.zeros(atoms.dim), 3)[0] == (0, 0.0)


def test_renumbered_codes_stand_for_the_same_vectors(atoms: Atoms) -> None:
    order = np.random.default_rng(0).permutation(N_ATOMS)
    again = renumbered(atoms.codes, order)
    assert np.array_equal(again.decode(atoms.vectors[order]), atoms.codes.decode(atoms.vectors))


def test_save_and_load(atoms: Atoms, tmp_path: Path) -> None:
    atoms.save(tmp_path, EMBEDDINGS.words)
    loaded = Atoms.load(tmp_path)
    assert loaded.labels == atoms.labels
    assert loaded.fingerprint == atoms.fingerprint
    for name in ("vectors", "nearest", "cosines"):
        assert np.array_equal(getattr(loaded, name), getattr(atoms, name))
    assert np.array_equal(loaded.codes.weights, atoms.codes.weights)


@pytest.mark.parametrize("content", ["", "[1]", '{"labels": "abc"}', '{"labels": [1, 2]}', "{}"])
def test_damaged_description(atoms: Atoms, tmp_path: Path, content: str) -> None:
    atoms.save(tmp_path, EMBEDDINGS.words)
    (tmp_path / "atoms.json").write_text(content)
    with pytest.raises(ModelError, match="atomize --force"):
        Atoms.load(tmp_path)


def test_atoms_that_do_not_fit_together(atoms: Atoms) -> None:
    with pytest.raises(InputError, match="20 atoms but 20 lists of nearest words, 19"):
        Atoms(atoms.vectors, atoms.codes, atoms.nearest, atoms.cosines, atoms.labels[1:])


def test_meta_atoms_group_and_come_back(atoms: Atoms, tmp_path: Path) -> None:
    meta = make_meta_atoms(EMBEDDINGS, atoms, n_meta_atoms=4)
    assert len(meta) == 2, "a tenth of few atoms"
    meta.save(tmp_path)
    loaded = MetaAtoms.load(tmp_path, N_ATOMS)
    assert loaded.members == meta.members
    assert loaded.labels == meta.labels
    with pytest.raises(ModelError, match="has 7 atoms but meta-atoms of 20"):
        MetaAtoms.load(tmp_path, 7)
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(ModelError, match="no usable meta-atoms"):
        MetaAtoms.load(tmp_path, N_ATOMS)

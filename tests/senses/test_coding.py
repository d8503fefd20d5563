from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planted import N_ATOMS, planted_model
from wordatoms.errors import InputError
from wordatoms.senses import coding
from wordatoms.senses.model import SenseModel


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return SenseModel(planted_model(tmp_path_factory.mktemp("coding") / "model").path)


def test_the_vectors_of_the_model_get_the_codes_of_the_model(model: SenseModel) -> None:
    codes = model.code(model.embeddings.vectors)
    np.testing.assert_array_equal(codes.atoms, model.atoms.codes.atoms)
    np.testing.assert_allclose(
        codes.weights, model.atoms.codes.weights, rtol=1e-5
    )  # blocks of other sizes round otherwise


def test_blocks_and_threads_do_not_change_the_codes(
    model: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = model.code(model.embeddings.vectors, threads=1)
    monkeypatch.setattr(coding, "BLOCK_NUMBERS", 1)
    monkeypatch.setattr(coding, "ROWS_AT_ONCE", 77)
    np.save(tmp_path / "x.npy", model.embeddings.vectors)
    found = model.code(np.load(tmp_path / "x.npy", mmap_mode="r"), threads=3)
    np.testing.assert_array_equal(found.atoms, expected.atoms)
    np.testing.assert_array_equal(found.weights, expected.weights)


def test_scale_and_type_of_vectors(model: SenseModel) -> None:
    atom = model.atoms.vectors[[4]]
    for vectors in (atom, 1000 * atom, atom.astype(np.float64), atom.astype(np.float16), atom.tolist()):
        assert next(iter(model.code(vectors).positive(0).items())) == (4, pytest.approx(1, abs=1e-3))
    integers = np.rint(1000 * atom).astype(np.int32)
    assert next(iter(model.code(integers).positive(0))) == 4


def test_rows_of_zeros_have_no_atoms(model: SenseModel) -> None:
    codes = model.code(np.zeros((3, model.atoms.dim)))
    assert (codes.atoms == -1).all()
    assert (codes.weights == 0).all()


def test_other_settings(model: SenseModel) -> None:
    codes = model.code(-model.atoms.vectors, sparsity=1, nonnegative=True)
    assert codes.sparsity == 1
    assert codes.share_positive in (0, 1)


def test_bad_vectors_are_one_sentence(model: SenseModel) -> None:
    dim = model.atoms.dim
    holed = np.ones((5, dim))
    holed[3, 1] = np.nan
    for vectors, message in [
        (np.ones((2, dim + 1)), f"have {dim + 1} dimensions but the atoms of this model {dim}"),
        (np.ones(dim), "one row per vector"),
        (holed, "row 3 of vectors holds NaN"),
        (np.full((1, dim), 1e39), "too large for float32"),
        (np.ones((1, dim), complex), "complex128"),
        (np.ones((0, dim)), "one row per vector"),
    ]:
        with pytest.raises(InputError, match=message):
            model.code(vectors)
    with pytest.raises(InputError, match="sparsity is 0"):
        model.code(np.ones((1, dim)), sparsity=0)
    with pytest.raises(InputError, match=f"only {N_ATOMS}|only {len(model.atoms)} atoms"):
        model.code(np.ones((1, dim)), sparsity=1000)

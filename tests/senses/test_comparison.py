"""One word in two models: a planted space and the same one turned, so that it is known which senses belong together."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import wordatoms as wa
from naive_posterior import build_stage, world_embeddings, world_model
from planted import DIM, N_ATOMS, planted_embeddings, planted_model
from wordatoms.cli.compare import compare
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.run import Run
from wordatoms.senses.comparison import Comparison, Pair, atom_likeness, compare_senses
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder

NEW_WORD = "both3x"


def turned_embeddings() -> Embeddings:
    """The planted words in a space turned at random, in another order; one word has another name."""
    embeddings, rng = planted_embeddings(), np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(DIM, DIM)))[0]
    order = rng.permutation(len(embeddings))
    words = [embeddings.words[row] for row in order]
    words[words.index("both7")] = NEW_WORD
    vectors = (embeddings.vectors @ turn)[order].astype(np.float32)
    return Embeddings(tuple(words), vectors, counts=np.arange(len(words), 0, -1))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[SenseModel, SenseModel]:
    folder = tmp_path_factory.mktemp("compare")
    first = planted_model(folder / "first").path
    second = ModelFolder(folder / "second", create=True)
    build_stage(second, "import", turned_embeddings().save)
    atomize(second, AtomSettings(n_atoms=N_ATOMS, sparsity=2, n_restarts=3, n_iterations=10), run=Run(threads=1))
    return wa.load(first), wa.load(second.path)


def discourse(model: SenseModel, atom: int) -> str:
    """What an atom was planted as: the beginning of its nearest plain words."""
    return next(near.word for near in model.nearest_words(atom, 10) if near.word[0] == "d").partition("w")[0]


@pytest.mark.parametrize("number", [0, 3, 12])
def test_planted_senses_are_paired(models: tuple[SenseModel, SenseModel], number: int) -> None:
    found = compare_senses(*models, f"both{number}")
    assert found.known == (True, True)
    paired = [pair for pair in found.pairs if pair.similarity is not None]
    assert {discourse(models[0], pair.first) for pair in paired} == {f"d{number}", f"d{(number + 1) % N_ATOMS}"}
    for pair in paired:
        assert discourse(models[0], pair.first) == discourse(models[1], pair.second)
        assert pair.similarity > 0.8


def test_every_sense_is_in_one_pair(models: tuple[SenseModel, SenseModel]) -> None:
    found = compare_senses(*models, "d5w3")
    for side, senses in enumerate(found.senses):
        assert sorted(pair[side] for pair in found.pairs if pair[side] is not None) == sorted(s.atom for s in senses)
    similarities = [pair.similarity for pair in found.pairs if pair.similarity is not None]
    assert similarities == sorted(similarities, reverse=True)


def test_the_other_way_round_is_the_same(models: tuple[SenseModel, SenseModel]) -> None:
    there, back = compare_senses(*models, "both4"), compare_senses(*reversed(models), "both4")
    matched = {(p.first, p.second) for p in there.pairs if p.similarity is not None}
    assert matched == {(p.second, p.first) for p in back.pairs if p.similarity is not None}


def test_a_model_is_like_itself(models: tuple[SenseModel, SenseModel]) -> None:
    atoms = range(len(models[0].atoms))
    likeness = atom_likeness(models[0], atoms, models[0], atoms)
    assert (likeness.argmax(axis=1) == np.array(atoms)).all()
    assert np.allclose(likeness, likeness.T, atol=1e-6)
    found = compare_senses(models[0], models[0], "both3")
    assert all(pair.first == pair.second for pair in found.pairs)


def test_word_that_one_model_does_not_know(models: tuple[SenseModel, SenseModel]) -> None:
    found = compare_senses(*models, "both7")
    assert found.known == (True, False)
    assert found.senses[1] == ()
    assert all(pair.second is None and pair.similarity is None for pair in found.pairs)
    assert compare_senses(*models, NEW_WORD).known == (False, True)
    with pytest.raises(UnknownWordError, match="not among"):
        compare_senses(*models, "nothing")


def test_strict_comparisons_pair_nothing(models: tuple[SenseModel, SenseModel]) -> None:
    found = compare_senses(*models, "both3", least_alike=1.1)
    assert all(pair.similarity is None for pair in found.pairs)
    with pytest.raises(InputError, match="n_nearest is 0"):
        compare_senses(*models, "both3", n_nearest=0)


def test_atoms_without_common_words_are_not_alike(tmp_path: Path) -> None:
    embeddings = world_embeddings()
    others = replace(embeddings, words=tuple(f"x{word}" for word in embeddings.words))
    first, second = (world_model(tmp_path / each.words[0], each) for each in (embeddings, others))
    assert not atom_likeness(first, [0, 1, 2], second, [0, 1, 2]).any()


def test_nearest_words_on_request(models: tuple[SenseModel, SenseModel]) -> None:
    assert compare_senses(*models, "both3").nearest == ((), ())
    near = compare_senses(*models, "both3", n_near_words=3).nearest
    assert [len(each) for each in near] == [3, 3]


@given(st.integers(0, N_ATOMS - 1), st.floats(-1, 1))
def test_pairs_are_one_to_one(models: tuple[SenseModel, SenseModel], number: int, least_alike: float) -> None:
    found: Comparison = compare_senses(*models, f"both{number}", least_alike=least_alike)
    for side in (0, 1):
        atoms = [pair[side] for pair in found.pairs if pair[side] is not None]
        assert len(atoms) == len(set(atoms))
    assert all(p.similarity >= least_alike for p in found.pairs if p.similarity is not None)


# --- the command


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(compare, [*map(str, arguments)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_two_columns(models: tuple[SenseModel, SenseModel]) -> None:
    first, second = (model.path for model in models)
    lines = invoke(first, second, "both3").splitlines()
    assert lines[0] == "both3"
    assert lines[1].split() == ["alike", "weight", str(first), "weight", str(second)]
    assert sum(line.startswith("nearest in") for line in lines) == 2
    assert "does not know it" in invoke(first, second, "both7")


def test_as_json(models: tuple[SenseModel, SenseModel]) -> None:
    first, second = (model.path for model in models)
    found = json.loads(invoke(first, second, "both3", "--json", "-n", "4"))
    assert set(found) == {"models", "word", "known", "senses", "pairs", "nearest"}
    assert len(found["senses"][0][0]["nearest"]) == 4
    assert {*found["pairs"][0]} == {*Pair._fields}


def test_the_shipped_model_has_a_name(models: tuple[SenseModel, SenseModel]) -> None:
    assert "tie" in invoke("english", models[0].path, "tie")

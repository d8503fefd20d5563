"""The nearest words of all words, kept with a model."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import naive_vectors
from invoking import invoke
from planted import planted_embeddings, planted_model
from sealing import reseal
from wordatoms import load
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.neighbours import FILE, N_KEPT, Neighbours, find_neighbours, n_blocks
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline import atomize as atomizing
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.compact import compact
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.parts import ModelParts
from wordatoms.storage.files import save_array
from wordatoms.storage.folder import read_manifest, write_manifest


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return load(planted_model(tmp_path_factory.mktemp("neighbours") / "model").path)


def embedding(vectors: NDArray[np.float32]) -> Embeddings:
    return Embeddings([f"w{row}" for row in range(len(vectors))], vectors)


FEW_NUMBERS = st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), min_size=3, max_size=3), min_size=1)


@settings(max_examples=60)
@given(FEW_NUMBERS, st.integers(1, 6))
def test_they_are_those_of_the_naive_twin_ties_by_row(numbers: list[list[float]], n: int) -> None:
    embeddings = embedding(np.array(numbers, np.float32))
    found = find_neighbours(embeddings, n, threads=1)
    assert len(found) == len(embeddings)
    for row, word in enumerate(embeddings.words):
        expected = naive_vectors.nearest(embeddings.words, embeddings.vectors, embeddings.vectors[row], {word})[:n]
        near = found.of(row, n, embeddings)
        assert [each.word for each in near] == [each for _, each in expected]
        assert [each.similarity for each in near] == pytest.approx([cosine for cosine, _ in expected], abs=1e-8)
        assert found.of(row, 1, embeddings) == near[:1]


def test_they_are_those_of_the_search_to_the_last_bit(model: SenseModel) -> None:
    assert model.neighbours is not None
    for word in model.words[::29]:
        for n in (1, N_KEPT, N_KEPT + 1):
            assert model.near_words(word, n) == model.embeddings.nearest(word, n)
    with pytest.raises(InputError, match="n is 0"):
        model.near_words("both3", 0)
    with pytest.raises(InputError, match="n is '3'"):
        model.near_words("both3", "3")  # type: ignore[arg-type]


def test_the_same_rows_on_any_number_of_threads() -> None:
    embeddings, n_steps = planted_embeddings(), []
    with threadpool_limits(limits=1):
        alone = find_neighbours(embeddings, threads=1)
    together = find_neighbours(embeddings, threads=3, callback=lambda: n_steps.append(1))
    assert alone.rows.tobytes() == together.rows.tobytes()
    assert len(n_steps) == n_blocks(len(embeddings))


@pytest.mark.parametrize("n_words", [1, 2, N_KEPT])
def test_few_words_have_few_neighbours(n_words: int, tmp_path: Path) -> None:
    embeddings = embedding(np.random.default_rng(0).normal(size=(n_words, 4)).astype(np.float32))
    found = find_neighbours(embeddings)
    assert found.n_kept == n_words - 1
    found.save(tmp_path)
    assert Neighbours.load(tmp_path, n_words).rows.tobytes() == found.rows.tobytes()


# --- in a model


def test_a_model_without_them_searches(model: SenseModel, tmp_path: Path) -> None:
    old = shutil.copytree(model.path, tmp_path / "old")
    manifest = read_manifest(old)
    del manifest["stages"]["atomize"]["files"][FILE]
    write_manifest(old, manifest)
    assert load(old).neighbours is None, "what no stage names may belong to other vectors"
    (old / FILE).unlink()
    assert load(old).near_words("both3", 5) == model.near_words("both3", 5)
    for number in ("3", "20"):
        given = ("nearest", "both3", "D4w7", "-n", number, "--json", "--model")
        assert invoke(*given, old).stdout == invoke(*given, model.path).stdout


def test_a_compact_twin_has_those_of_its_own_vectors(model: SenseModel, tmp_path: Path) -> None:
    twin = load(compact(model.folder, tmp_path / "twin", run=Run(threads=1)).path)
    assert twin.neighbours is not None
    assert (twin.neighbours.rows == find_neighbours(twin.embeddings).rows).all()
    for word in twin.words[::83]:
        assert twin.near_words(word, N_KEPT) == twin.embeddings.nearest(word, N_KEPT)


def test_they_are_of_the_words_whatever_the_atoms_are_learned_from(
    model: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(atomizing, "_find_neighbours", lambda embeddings, *_: asked.append(embeddings))
    induced = Embeddings(model.words, model.embeddings.vectors[::-1].copy())
    vectors = {"word": model.embeddings, "induced": induced}
    monkeypatch.setattr(atomizing, "load_vectors", lambda _path, kind: vectors[kind])
    monkeypatch.setattr(atomizing, "_input_hashes", lambda *_: {})
    folder = load(shutil.copytree(model.path, tmp_path / "model")).folder
    atomize(
        folder, AtomSettings(n_atoms=5, n_restarts=2, n_iterations=1, vectors="induced"), run=Run(threads=1), force=True
    )
    assert asked == [model.embeddings]
    assert not (folder.path / FILE).exists()


def test_too_many_words_have_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomizing, "MOST_WORDS", 619)
    model = load(planted_model(tmp_path / "model", n_iterations=1).path)
    assert model.neighbours is None
    assert len(model.near_words("both3", 4)) == 4


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (np.zeros((4, 2), np.int32), "is for 4 words, not 620"),
        (np.zeros((620, 2), np.int64), "int64"),
        (np.zeros(620, np.int32), "of shape"),
        (np.full((620, 2), 620, np.int32), "rows 620 to 620 of 620 words"),
        (np.full((620, 2), -1, np.int32), "rows -1 to -1"),
    ],
)
def test_broken_ones_are_one_sentence(
    model: SenseModel, tmp_path: Path, broken: NDArray[np.int32], sentence: str
) -> None:
    folder = shutil.copytree(model.path, tmp_path / "model")
    save_array(folder / FILE, broken)
    reseal(folder)
    with pytest.raises(ModelError, match=sentence):
        ModelParts(folder).near_words("both3")

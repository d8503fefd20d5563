from __future__ import annotations

import errno
import json
from pathlib import Path

import numpy as np
import pytest

from invoking import invoke
from planted import N_ATOMS, planted_model
from wordatoms.atoms.learning import OverlapPoint, best_size
from wordatoms.cli.output import advise_on_atoms
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.atomize import AtomSettings, atomize, read_atom_report
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.progress import Display, Plan
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder

SETTINGS = AtomSettings(n_atoms=N_ATOMS, sparsity=2, n_restarts=3, n_iterations=10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return planted_model(tmp_path_factory.mktemp("atomizing") / "model")


def contents(folder: ModelFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.path.iterdir() if path.suffix == ".npy"}


def test_done_stage_is_skipped_and_other_settings_are_refused(folder: ModelFolder) -> None:
    assert not atomize(folder, SETTINGS)
    with pytest.raises(ModelError, match="made with sparsity 2, you ask for sparsity 3"):
        atomize(folder, AtomSettings(n_atoms=N_ATOMS, sparsity=3, n_restarts=3, n_iterations=10))


def test_report_adds_up(folder: ModelFolder) -> None:
    report = read_atom_report(folder)
    assert report["n_learned"] == 3 * N_ATOMS
    left_out = sum(report[name] for name in ("n_unrepeated", "n_merged", "n_overused", "n_incoherent"))
    assert report["n_learned"] - left_out == report["n_atoms"] == len(SenseModel(folder.path).atoms)
    assert len(report["overlap_pairs"]) == 6
    assert 0 <= report["error"] < 0.2


def test_list_for_people_names_every_atom(folder: ModelFolder) -> None:
    model = SenseModel(folder.path)
    lines = (folder.path / "atoms.txt").read_text("utf-8").splitlines()
    assert [line.split("\t")[:2] for line in lines] == [[str(k), label] for k, label in enumerate(model.atoms.labels)]


def test_interrupted_stage_goes_on_with_the_same_bytes(
    folder: ModelFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordatoms.pipeline import atomize as atomizing

    calls: list[int] = []

    def learn_two(*given: object, random_state: int, **options: object) -> object:
        calls.append(random_state)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return learn_run(*given, random_state=random_state, **options)  # type: ignore[arg-type]

    learn_run = atomizing.learn_run
    monkeypatch.setattr(atomizing, "learn_run", learn_two)
    with pytest.raises(KeyboardInterrupt):
        planted_model(tmp_path / "model")
    again = ModelFolder(tmp_path / "model")
    assert "atomize" not in again.stages
    assert atomize(again, SETTINGS, run=Run(threads=2))
    assert calls == [0, 1, 2, 2], "finished runs are not made again"
    assert contents(again) == contents(folder)
    assert not again.work.exists()


def test_new_atoms_set_notes_on_the_old_ones_aside(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model")
    SenseModel(folder.path).name(0, "mine")
    atomize(folder, SETTINGS, force=True)
    assert SenseModel(folder.path).label(0) == "mine", "the same atoms keep their notes"
    atomize(folder, AtomSettings(n_atoms=15, sparsity=2, n_restarts=2, n_iterations=5), force=True)
    assert SenseModel(folder.path).label(0) != "mine"
    assert json.loads((folder.path / "notes-1.json").read_text())["names"] == {"0": "mine"}


def test_auto_chooses_by_overlap_and_shows_the_curve(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model", n_atoms="auto", sizes=(5, N_ATOMS, 60), n_iterations=6)
    report = read_atom_report(folder)
    assert [point["n_atoms"] for point in report["overlap_curve"]] == [5, N_ATOMS, 60]
    assert report["n_atoms_per_run"] == best_size([OverlapPoint(**point) for point in report["overlap_curve"]])


def test_default_size_follows_the_vocabulary(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model", n_atoms=None, n_iterations=2)
    assert read_atom_report(folder)["n_atoms_per_run"] == 620 // 5


def test_default_size_is_halved_until_atoms_come_back(tmp_path: Path) -> None:
    """Vectors without structure have no atoms that two runs would both find."""
    write_noise(tmp_path / "noise.txt")
    folder = ModelFolder(tmp_path / "model", create=True)
    import_vectors(tmp_path / "noise.txt", folder)
    atomize(folder, AtomSettings(sparsity=2, n_restarts=3, n_iterations=2))
    report = read_atom_report(folder)
    assert [point["n_atoms"] for point in report["overlap_curve"]] == [200, 100, 50], "not below 50"
    assert report["n_atoms_per_run"] == 50
    atomize(folder, AtomSettings(sparsity=2, n_restarts=1, n_iterations=2), force=True)
    assert read_atom_report(folder)["n_atoms_per_run"] == 200, "one run has nothing to be compared with"


def write_noise(path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(1000, 30))
    path.write_text("".join(f"w{row} {' '.join(f'{x:.4f}' for x in vector)}\n" for row, vector in enumerate(vectors)))


def test_few_recurring_atoms_are_pointed_out_with_what_to_do(tmp_path: Path) -> None:
    write_noise(tmp_path / "noise.txt")
    model = tmp_path / "my model"
    import_vectors(tmp_path / "noise.txt", ModelFolder(model, create=True))
    given = ("atomize", model, "--sparsity", "2", "--restarts", "2", "--iterations", "2")
    said = invoke(*given, "--atoms", "200").stderr
    assert "of the atoms of one run come back in another: there is too little data for runs of 200 atoms" in said
    assert f"fewer atoms are more reliable: wordatoms atomize '{model}' --atoms 100 --force" in said
    assert said.splitlines()[-1] == f"next: wordatoms senses WORD --model '{model}'"
    assert not advise_on_atoms({"overlap": 0.7, "n_atoms_per_run": 200}, "model")
    assert not advise_on_atoms({"overlap": None, "n_atoms_per_run": 200}, "model")


def test_progress_of_the_runs_adds_up(tmp_path: Path) -> None:
    plan = Plan({"atomize": ("atoms",)}, lambda _n_bytes, _n_words: {"atoms": 1.0})
    shares: list[float] = []

    class Shares(Display):
        def title(self, step: str, detail: str = "") -> str:
            shares.append(plan.share)
            titles.append(detail)
            return super().title(step, detail)

    titles: list[str] = []
    write_noise(tmp_path / "noise.txt")
    folder = ModelFolder(tmp_path / "model", create=True)
    import_vectors(tmp_path / "noise.txt", folder)
    atomize(folder, AtomSettings(sparsity=2, n_restarts=3, n_iterations=2), run=Run(progress=Shares(plan)))
    assert titles[:3] == ["200 atoms, run 1 of 3", "200 atoms, run 2 of 3", "100 atoms, run 1 of 3"]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.5 < shares[-2] < 1
    assert plan.share == 1


def test_sparsity_by_frequency(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model", sparsity_range=(1, 4))
    codes = SenseModel(folder.path).atoms.codes
    n_used = (codes.atoms >= 0).sum(axis=1)
    assert codes.sparsity == 4
    assert n_used[:100].mean() > n_used[-100:].mean()


def test_nonnegative_atoms(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model", nonnegative=True)
    assert SenseModel(folder.path).atoms.codes.weights.min() >= 0
    assert read_atom_report(folder)["share_nonnegative"] == 1


def test_model_without_vectors(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="has no 'embed' stage yet; run: wordatoms embed"):
        atomize(ModelFolder(tmp_path / "new", create=True))


def test_unknown_kind_of_vectors(folder: ModelFolder) -> None:
    with pytest.raises(InputError, match="vectors is 'both'"):
        atomize(folder, AtomSettings(vectors="both"))  # type: ignore[arg-type]


def test_induced_vectors_need_the_map(folder: ModelFolder) -> None:
    with pytest.raises(ModelError, match="has no 'map' stage yet; run: wordatoms map"):
        atomize(folder, AtomSettings(vectors="induced"))


def test_atoms_are_unit_vectors_in_single_precision(folder: ModelFolder) -> None:
    atoms = SenseModel(folder.path).atoms
    assert atoms.vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(atoms.vectors, axis=1), 1, atol=1e-5)


def test_full_disk_leaves_the_old_atoms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = planted_model(tmp_path / "model")
    before = contents(folder)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("wordatoms.atoms.meta_atoms.MetaAtoms.save", full)
    with pytest.raises(OSError, match="No space left"):
        atomize(folder, AtomSettings(n_atoms=15, sparsity=2, n_restarts=2, n_iterations=2), force=True)
    assert contents(ModelFolder(folder.path)) == before
    assert SenseModel(folder.path).senses("both3")


@pytest.mark.parametrize("n_words", [1, 2, 5, 8])
def test_few_words_have_atoms_too(tmp_path: Path, n_words: int) -> None:
    vectors = tmp_path / "few.txt"
    rng = np.random.default_rng(n_words)
    vectors.write_text("".join(f"w{row} {' '.join(map(str, rng.normal(size=4)))}\n" for row in range(n_words)))
    folder = ModelFolder(tmp_path / "model", create=True)
    import_vectors(vectors, folder)
    assert atomize(folder)
    assert len(SenseModel(folder.path).atoms) >= 1


def test_nothing_but_zero_vectors(tmp_path: Path) -> None:
    vectors = tmp_path / "zero.txt"
    vectors.write_text("a 0 0\nb 0 0\n")
    folder = ModelFolder(tmp_path / "model", create=True)
    import_vectors(vectors, folder)
    with pytest.raises(InputError, match="all word vectors are zero"):
        atomize(folder)

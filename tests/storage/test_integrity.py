"""Files that are missing, cut off, exchanged or changed in one bit are found, and named in one sentence."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import wordatoms as wa
from invoking import invoke, refused
from planted import planted_model
from sealing import reseal
from wordatoms.errors import ModelError
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.storage import integrity
from wordatoms.storage.folder import ModelFolder, read_manifest

TEXT = Path(__file__).parents[1] / "data" / "small.txt"
QUICK = {"n_atoms": 10, "n_restarts": 1, "n_iterations": 2}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return planted_model(tmp_path_factory.mktemp("planted") / "model").path


@pytest.fixture
def copy(planted: Path, tmp_path: Path) -> Path:
    return shutil.copytree(planted, tmp_path / "model")


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[random.Random(path.name).randrange(len(content))] ^= 1 << random.Random(path.name).randrange(8)
    path.write_bytes(content)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def exchange(path: Path) -> None:
    """With a file of the same size from another model, or as good as that."""
    path.write_bytes(bytes(path.stat().st_size))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "is missing": Path.unlink,
    "instead of": cut_off,
    "checksum mismatch": flip_a_bit,
    "damaged (checksum mismatch)": exchange,
}


def names_in(folder: Path) -> list[str]:
    return [name for record in ModelFolder(folder).stages.values() for name in record["files"]]


@pytest.mark.parametrize("fault", DAMAGES)
def test_every_small_file_is_checked_when_a_model_is_opened(copy: Path, fault: str) -> None:
    for name in names_in(copy):
        whole = (copy / name).read_bytes()
        if not whole:  # no word of the planted model has forms
            continue
        DAMAGES[fault](copy / name)
        with pytest.raises(ModelError) as caught:
            wa.load(copy)
        assert str(caught.value).startswith(str(copy / name))
        assert fault in str(caught.value)
        assert "again with the same options to replace damaged files." in str(caught.value)
        (copy / name).write_bytes(whole)
    assert wa.load(copy).senses("both3")


def test_large_files_are_read_on_request(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(integrity, "SMALL", 10_000)
    flip_a_bit(copy / "vectors.npy")
    assert wa.load(copy).words
    with pytest.raises(ModelError, match=r"vectors\.npy is damaged \(checksum mismatch\)"):
        wa.load(copy, verify=True)


def test_two_files_that_were_exchanged(copy: Path) -> None:
    one, other = copy / "atoms-nearest.npy", copy / "atoms-cosines.npy"
    first = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(first)
    with pytest.raises(ModelError, match=r"checksum mismatch\) \(and 1 more\); run wordatoms atomize"):
        wa.load(copy)


def test_files_of_ones_own_are_nobodys_business(copy: Path) -> None:
    (copy / "my-notes.txt").write_text("mine")
    wa.load(copy, verify=True)


def test_a_model_from_before_there_were_checksums(copy: Path) -> None:
    manifest = read_manifest(copy)
    for record in manifest["stages"].values():
        for file in record["files"].values():
            del file["sha256"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    assert wa.load(copy, verify=True).senses("both3")
    assert "there" in invoke("info", copy, "--verify").stdout


@pytest.mark.parametrize("seed", range(60))
def test_a_flipped_bit_in_the_manifest(copy: Path, seed: int) -> None:
    before, content = read_manifest(copy), bytearray((copy / "manifest.json").read_bytes())
    content[random.Random(seed).randrange(len(content))] ^= 1 << random.Random(-seed).randrange(8)
    (copy / "manifest.json").write_bytes(content)
    try:
        assert ModelFolder(copy).manifest == before
    except ModelError as error:
        assert "manifest.json" in str(error)  # noqa: PT017


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", "manifest.json", ".."])
def test_a_manifest_that_names_files_elsewhere(copy: Path, name: str) -> None:
    manifest = read_manifest(copy)
    manifest["stages"]["atomize"]["files"][name] = {"n_bytes": 1, "sha256": ""}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match=r"manifest\.json is damaged"):
        ModelFolder(copy)


def test_info_tells_the_state_of_every_file(copy: Path) -> None:
    result = json.loads(invoke("info", copy, "--verify", "--json").stdout)
    assert result["whole"]
    assert [file["name"] for file in result["files"]] == names_in(copy)
    flip_a_bit(copy / "atoms.npy")
    (copy / "meta.json").unlink()
    assert "(and 1 more)" in refused("info", copy, "--verify")


def test_broken_vectors_are_not_built_on(copy: Path) -> None:
    flip_a_bit(copy / "vectors.npy")
    with pytest.raises(ModelError, match=r"vectors\.npy is damaged \(checksum mismatch\); run wordatoms import again"):
        atomize(ModelFolder(copy), AtomSettings(**QUICK), run=Run(threads=1), force=True)  # type: ignore[arg-type]
    assert "atomize" in ModelFolder(copy).stages


def test_a_broken_model_has_no_twin(copy: Path, tmp_path: Path) -> None:
    flip_a_bit(copy / "vectors.npy")
    with pytest.raises(ModelError, match=r"vectors\.npy is damaged"):
        compact(ModelFolder(copy), tmp_path / "twin")
    assert not (tmp_path / "twin").exists()


def test_training_again_makes_anew_what_is_broken(tmp_path: Path) -> None:
    def train() -> None:
        settings = {"settings": CountSettings(min_count=2), "atom_settings": AtomSettings(**QUICK)}  # type: ignore[arg-type]
        wa.train([TEXT], tmp_path / "model", parameters={"dim": 5}, run=Run(threads=1), **settings)

    train()
    model = ModelFolder(tmp_path / "model")
    before = {name: (model.path / name).read_bytes() for name in names_in(model.path)}
    for name in ("counts-values.npy", "vectors.npy", "map-matrix.npy", "atoms.npy"):
        flip_a_bit(model.path / name)
        train()
        assert {name: (model.path / name).read_bytes() for name in before} == before


def test_a_reader_notices_that_the_model_was_made_anew(copy: Path) -> None:
    reader = wa.load(copy)
    assert reader.embeddings["both3"].any()
    atomize(ModelFolder(copy), AtomSettings(**QUICK), run=Run(threads=1), force=True)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="was changed by another process since it was opened; open it again"):
        reader.senses("both3")
    assert wa.load(copy).senses("both3")


def test_what_is_left_of_a_stage_that_is_no_longer_valid_is_no_part_of_the_model(copy: Path) -> None:
    manifest = read_manifest(copy)
    del manifest["stages"]["atomize"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="has no atoms yet; run: wordatoms atomize"):
        wa.load(copy).senses("both3")
    del manifest["stages"]["import"]
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="has no words yet"):
        _ = wa.load(copy).words


def test_resealing_is_as_good_as_writing(copy: Path) -> None:
    (copy / "atoms.txt").write_text("something else")
    reseal(copy)
    wa.load(copy, verify=True)

"""The English model inside the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordatoms as wa
from invoking import invoke, refused
from planted import planted_model
from wordatoms.errors import ModelError
from wordatoms.storage import bundled as shipped
from wordatoms.storage.folder import ModelFolder, fingerprint

MOST_MB = 110
"""What the package may weigh; the wheel is smaller still."""


@pytest.fixture(scope="module")
def english() -> wa.SenseModel:
    return wa.load()


def test_the_files_are_those_of_the_manifest(english: wa.SenseModel) -> None:
    files = {name: file for record in english.folder.stages.values() for name, file in record["files"].items()}
    assert {name: fingerprint(english.path / name) for name in files} == files
    beside = {"manifest.json", "names.json", "card.json", "LICENCE.txt"}
    assert {path.name for path in english.path.iterdir()} == {*files, *beside}
    assert sum(path.stat().st_size for path in english.path.iterdir()) < MOST_MB * 1e6


def test_all_parts_are_there(english: wa.SenseModel) -> None:
    assert len(english.words) >= 50_000
    assert english.embeddings.dim == 300
    assert len(english.atoms) > 1500
    assert len(english.layout) == len(english.atoms)
    assert len(english.meta_atoms) == 196
    assert 20 <= len(english.meta_atoms.regions) <= 30
    assert english.meta_atoms.atom_regions.min() == 0  # every atom is in a region
    assert english.induced_map.moments is not None
    assert set(english.folder.stages) == {"count", "embed", "map", "atomize", "tune", "observe", "phrases"}
    assert english.posterior.settings == english.reading


@pytest.mark.parametrize(
    ("word", "senses"),
    {
        "tie": [{"knotted", "fastened"}, {"score", "scored"}, {"friendship"}],
        "cell": [{"tissue", "membrane"}, {"prison", "dungeon"}, {"electrode"}],
        "port": [{"harbour"}, {"starboard"}, {"wine"}],
        "bank": [{"loans", "mortgage", "equity", "banking", "credit"}],
        "spring": [{"autumn", "summer", "winter", "april"}],
    }.items(),
)
def test_senses_that_everybody_knows(word: str, senses: list[set[str]], english: wa.SenseModel) -> None:
    shown = [{near.word for near in sense.nearest} for sense in english.senses(word, forms=True)]
    for wanted in senses:
        assert any(wanted & found for found in shown), (word, wanted, shown)


def test_it_knows_phrases(english: wa.SenseModel) -> None:
    assert "frozen sweet food" in [sense.label for sense in english.senses("Ice Cream")]
    assert english.similarity("prime minister", "chancellor") > english.similarity("prime minister", "banana")
    assert "chicago" in invoke("nearest", "New York").stdout


def test_atoms_are_named_and_senses_have_sentences(english: wa.SenseModel) -> None:
    names = english.parts.atom_names
    assert len(names.names) > 0.99 * len(english.atoms)
    assert len(names.meta) == len(english.meta_atoms)
    assert english.uses is not None
    assert names.uses == english.uses.fingerprint
    assert {example.source for example in english.examples("cell")} == {""}
    assert "prison" in english.examples("cell")[1].text


def test_the_sense_of_a_sentence_that_comes_with_it_is_the_likeliest(english: wa.SenseModel) -> None:
    for word in ("cell", "port", "bank", "seal", "plant"):
        for example in english.examples(word):
            usage = wa.Usage.from_text(example.text, span=(example.start, example.end))
            (found,) = english.disambiguate(word, usage)
            assert found.sense.sense == example.sense, example


def test_commands_answer_without_a_model() -> None:
    assert "atom" in invoke("senses", "tie").stdout
    assert "method: " in invoke("info").stdout
    assert invoke("nearest", "tie", "-n", "3").stdout.count("\n") == 4


def test_notes_on_it_are_kept_in_the_users_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(shipped.HOME_VARIABLE, str(tmp_path / "home"))
    before = sorted(path.name for path in shipped.ENGLISH.iterdir())
    model = wa.load()
    atom = model.senses("tie")[0].atom
    model.name(atom, "neckwear")
    assert wa.load().senses("tie")[0].atom_label == "neckwear"
    assert sorted(path.name for path in shipped.ENGLISH.iterdir()) == before
    monkeypatch.setenv(shipped.HOME_VARIABLE, str(tmp_path / "other"))
    assert wa.load().senses("tie")[0].atom_label != "neckwear"


def test_notes_on_other_models_stay_with_them(tmp_path: Path) -> None:
    assert shipped.notes_folder(planted_model(tmp_path / "model").path) == tmp_path / "model"


def test_without_it_one_sentence_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "ENGLISH", tmp_path)
    with pytest.raises(ModelError, match="no bundled English model"):
        wa.load()
    assert "no bundled English model" in refused("senses", "tie")


def test_it_is_a_model_folder_like_any_other(english: wa.SenseModel) -> None:
    assert ModelFolder(english.path).manifest["compact"]


@pytest.mark.parametrize("command", [("atomize",), ("map", "--text", __file__)])
def test_no_stage_is_made_anew_inside_the_package(command: tuple[str, ...]) -> None:
    name, *options = command
    assert "is the bundled model and is read-only" in refused(name, shipped.ENGLISH, *options, "--force")
    assert not (shipped.ENGLISH / ".work").exists()

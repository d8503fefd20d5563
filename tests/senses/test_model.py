from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import wordatoms as wa
from planted import N_ATOMS, planted_model
from sealing import reseal
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model import SenseModel


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return wa.load(planted_model(tmp_path_factory.mktemp("senses") / "model").path)


@pytest.fixture
def model(shared_model: SenseModel) -> SenseModel:
    (shared_model.path / "notes.json").unlink(missing_ok=True)
    return shared_model


def test_senses_of_a_word_made_of_two_atoms(model: SenseModel) -> None:
    first, second = model.senses("both3")
    assert first.weight > second.weight > 0
    assert {near.word[:3] for near in first.nearest} <= {"d3w", "bot"}
    assert {near.word[:3] for near in second.nearest} <= {"d4w", "bot"}
    assert first.forms == {"both3": first.weight}
    assert not first.picked


def test_linked_words_share_the_atom_and_leave_the_word_out(model: SenseModel) -> None:
    _, second = model.senses("both3", n_linked=100)
    linked = [link.word for link in second.linked]
    assert "both4" in linked
    assert "both3" not in linked
    assert [link.weight for link in second.linked] == sorted((link.weight for link in second.linked), reverse=True)


def test_word_in_capitals_is_found(model: SenseModel) -> None:
    assert model.senses("BOTH3") == model.senses("both3")


def test_unknown_word_has_nearest_spellings(model: SenseModel) -> None:
    with pytest.raises(UnknownWordError, match="did you mean both3"):
        model.senses("bothh3")


def test_forms_are_pooled_by_their_counts(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SenseModel, "forms", lambda _, word: (word, "both8"))
    pooled = model.senses("both3", forms=True)
    assert len(pooled) == 4
    alone = {sense.atom: sense.weight for word in ("both3", "both8") for sense in model.senses(word)}
    counts = dict(zip(model.words, model.embeddings.counts.tolist(), strict=True))
    total = counts["both3"] + counts["both8"]
    for sense in pooled:
        (form,) = sense.forms
        assert sense.weight == pytest.approx(alone[sense.atom] * counts[form] / total)


def test_candidates_are_the_closest_atoms(model: SenseModel) -> None:
    candidates = model.candidates("both3", N_ATOMS)
    cosines = [candidate.similarity for candidate in candidates]
    assert cosines == sorted(cosines, reverse=True)
    weights = {candidate.atom: candidate.weight for candidate in candidates if candidate.weight is not None}
    assert weights == {sense.atom: sense.weight for sense in model.senses("both3")}
    assert candidates[0].weight == max(weights.values())


def test_picks_are_shown_from_then_on(model: SenseModel) -> None:
    first, second = (sense.atom for sense in model.senses("both3"))
    other = next(atom for atom in range(N_ATOMS) if atom not in (first, second))
    model.pick("both3", [second, other, second])
    reopened = wa.load(model.path)
    assert {sense.atom for sense in reopened.senses("both3")} == {second, other}
    assert all(sense.picked for sense in reopened.senses("both3"))
    assert [c.atom for c in reopened.candidates("both3", N_ATOMS) if c.picked] == [second, other]
    reopened.pick("both3", [])
    assert [sense.atom for sense in model.senses("both3")] == [first, second]


def test_pick_of_an_atom_that_is_not_there(model: SenseModel) -> None:
    with pytest.raises(InputError, match="there is no atom 99; the atoms have the ids 0 to"):
        model.pick("both3", [99])
    assert model.notes == Notes(model.atoms.fingerprint)


def test_hidden_atom_is_no_sense(model: SenseModel) -> None:
    first, second = (sense.atom for sense in model.senses("both3"))
    model.hide(first)
    assert [sense.atom for sense in model.senses("both3")] == [second]
    assert model.atom(first).hidden
    model.hide(first, hidden=False)
    assert len(model.senses("both3")) == 2


def test_own_name_replaces_the_label(model: SenseModel) -> None:
    atom = model.senses("both3")[0].atom
    made_up = model.label(atom)
    model.name(atom, "discourse three")
    assert model.senses("both3")[0].label == "discourse three"
    assert [(match.atom, match.label) for match in model.search("three")] == [(atom, "discourse three")]
    model.name(atom, "")
    assert model.label(atom) == made_up
    with pytest.raises(InputError, match="one line"):
        model.name(atom, "two\nlines")


def test_atom_view(model: SenseModel) -> None:
    atom = model.senses("both3")[0].atom
    view = model.atom(atom, n=5)
    assert len(view.nearest) == len(view.words) == len(view.neighbours) == 5
    assert view.n_words == len(model.atoms.carriers(atom)[0])
    assert atom not in [near for near, *_ in view.neighbours]
    assert view.meta


def test_more_nearest_words_than_are_stored(model: SenseModel) -> None:
    many = model.nearest_words(0, 60)
    assert len(many) == 60
    assert [near.word for near in many[:30]] == [near.word for near in model.nearest_words(0, 30)]


def test_search_for_a_word_starts_with_its_senses(model: SenseModel) -> None:
    found = [match.atom for match in model.search("both3")]
    assert found[:2] == [sense.atom for sense in model.senses("both3")]
    with pytest.raises(UnknownWordError):
        model.search("nothing like it")


def test_search_finds_labels_and_leaves_hidden_atoms_out(model: SenseModel) -> None:
    atom = model.senses("both3")[0].atom
    label = model.atoms.labels[atom]
    first = model.search(label.upper())[0]
    assert (first.atom, first.label, first.why) == (atom, label, f"its label is {label}")
    assert atom in [match.atom for match in model.search(label[: len(label) // 2])]
    model.hide(atom)
    assert atom not in [match.atom for match in model.search(label)]
    with pytest.raises(UnknownWordError):
        model.search(" ")


def test_every_atom_has_one_home_in_the_tree(model: SenseModel) -> None:
    members = [atom for atoms in model.meta_atoms.members.values() for atom in atoms]
    assert len(members) == len(set(members))
    assert set(members) <= set(range(len(model.atoms)))


def test_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"no manifest\.json"):
        wa.load(tmp_path)


def test_model_without_atoms(model: SenseModel, tmp_path: Path) -> None:
    for name in ("manifest.json", "words.txt"):
        (tmp_path / name).write_bytes((model.path / name).read_bytes())
    reseal(tmp_path)
    with pytest.raises(ModelError, match="has no atoms yet; run: wordatoms atomize"):
        wa.load(tmp_path).senses("both3")


@pytest.mark.parametrize("name", ["atoms.npy", "atoms-nearest.npy", "codes-atoms.npy", "codes-weights.npy"])
def test_damaged_file_is_one_sentence(model: SenseModel, tmp_path: Path, name: str) -> None:
    for path in model.path.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    np.save(tmp_path / name, np.full((3, 2), 10**6, np.int32 if name != "codes-weights.npy" else np.float32))
    with pytest.raises(ModelError, match=rf"{name} has \d+ bytes instead of"):
        wa.load(tmp_path)
    reseal(tmp_path)
    with pytest.raises(ModelError, match=r"holds no usable"):
        wa.load(tmp_path).senses("both3")


def test_few_words_are_looked_up_as_in_the_whole_list(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = wa.load(model.path), wa.load(model.path)
    monkeypatch.setattr("wordatoms.senses.parts.MOST_SEARCHED", 5)
    for n_words, word in enumerate(many.words):
        assert "word_list" in many.parts.__dict__
        assert few.row(word.upper()) == many.row(word)
        assert few.senses(word) == many.senses(word)
        assert n_words or "word_list" not in few.parts.__dict__
    assert "word_list" in few.parts.__dict__
    for each in (few, many):
        with pytest.raises(UnknownWordError):
            each.row("unknown")


NOT_IMPORTED = [
    *("numba", "sklearn", "scipy", "simplemma", "pandas"),
    *("concurrent.futures", "zipfile", "filecmp", "uuid", "difflib", "csv", "wordatoms.text.shards"),
]
"""What a question about a word does not load."""


def test_question_imports_nothing_heavy(model: SenseModel) -> None:
    program = (
        f"import sys, wordatoms as wa; wa.load({str(model.path)!r}).senses('both3');"
        f"print([name for name in {NOT_IMPORTED} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

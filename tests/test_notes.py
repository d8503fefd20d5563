from __future__ import annotations

from pathlib import Path

import pytest

from wordatoms.errors import ModelError
from wordatoms.notes import Notes, set_aside


def test_saved_notes_come_back(tmp_path: Path) -> None:
    notes = Notes("abc", {3: "neckwear"}, frozenset({5, 1}), {"tie": (3, 7)})
    notes.save(tmp_path)
    assert Notes.load(tmp_path, "abc") == notes


def test_notes_on_other_atoms_do_not_count(tmp_path: Path) -> None:
    Notes("abc", {3: "neckwear"}).save(tmp_path)
    assert Notes.load(tmp_path, "other") == Notes("other")
    assert Notes.load(tmp_path / "nowhere", "other") == Notes("other")


@pytest.mark.parametrize("content", ["", "[]", '{"atoms": "abc"}', '{"atoms":"a","names":[],"hidden":[],"picks":{}}'])
def test_damaged_notes_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "notes.json").write_text(content)
    with pytest.raises(ModelError, match=r"notes\.json is damaged"):
        Notes.load(tmp_path, "abc")


def test_notes_on_old_atoms_are_kept_under_another_name(tmp_path: Path) -> None:
    for number, atoms in enumerate(["abc", "def"], 1):
        Notes(atoms).save(tmp_path)
        assert set_aside(tmp_path, "new") == tmp_path / f"notes-{number}.json"
    assert set_aside(tmp_path, "new") is None


def test_notes_on_the_same_atoms_stay(tmp_path: Path) -> None:
    Notes("abc").save(tmp_path)
    assert set_aside(tmp_path, "abc") is None
    assert (tmp_path / "notes.json").exists()

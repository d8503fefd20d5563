from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from wordatoms.errors import ModelError
from wordatoms.senses.annotations import Notes, change_notes, set_aside


def test_saved_notes_come_back(tmp_path: Path) -> None:
    notes = Notes("abc", {3: "neckwear"}, frozenset({5, 1}), {"tie": (3, 7)})
    notes.save(tmp_path)
    assert Notes.load(tmp_path, "abc", 10) == notes


def test_notes_on_other_atoms_do_not_count(tmp_path: Path) -> None:
    Notes("abc", {3: "neckwear"}).save(tmp_path)
    assert Notes.load(tmp_path, "other", 10) == Notes("other")
    assert Notes.load(tmp_path / "nowhere", "other", 10) == Notes("other")


@pytest.mark.parametrize("content", ["", "[]", '{"atoms": "abc"}', '{"atoms":"a","names":[],"hidden":[],"picks":{}}'])
def test_damaged_notes_are_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "notes.json").write_text(content)
    with pytest.raises(ModelError, match=r"notes\.json is damaged"):
        Notes.load(tmp_path, "abc", 10)


def test_notes_on_old_atoms_are_kept_under_another_name(tmp_path: Path) -> None:
    for number, atoms in enumerate(["abc", "def"], 1):
        Notes(atoms).save(tmp_path)
        assert set_aside(tmp_path, "new") == tmp_path / f"notes-{number}.json"
    assert set_aside(tmp_path, "new") is None


def test_notes_on_the_same_atoms_stay(tmp_path: Path) -> None:
    Notes("abc").save(tmp_path)
    assert set_aside(tmp_path, "abc") is None
    assert (tmp_path / "notes.json").exists()


def test_damaged_notes_are_set_aside_too(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_bytes(b"\xff\xfe broken")
    assert set_aside(tmp_path, "abc") == tmp_path / "notes-1.json"


@pytest.mark.parametrize(
    "notes", [Notes("abc", {10: "x"}), Notes("abc", {}, frozenset({-1})), Notes("abc", picks={"tie": (99,)})]
)
def test_notes_on_atoms_that_are_not_there(tmp_path: Path, notes: Notes) -> None:
    notes.save(tmp_path)
    with pytest.raises(ModelError, match="names atom"):
        Notes.load(tmp_path, "abc", 10)


def test_changes_at_once_are_all_kept(tmp_path: Path) -> None:
    def name(atom: int) -> None:
        change_notes(tmp_path, "abc", 100, lambda notes: replace(notes, names={**notes.names, atom: "x"}))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(name, range(100)))
    assert len(Notes.load(tmp_path, "abc", 100).names) == 100

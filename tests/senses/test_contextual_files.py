"""Atoms of contextual vectors from a file: what was printed comes back, and anything else is one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from explorerworld import world_contextual, world_models
from wordatoms.errors import InputError
from wordatoms.senses.contextual_files import read_contextual_atoms
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import to_json


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_models(tmp_path_factory.mktemp("models"))[0]


def test_what_was_printed_comes_back(model: SenseModel, tmp_path: Path) -> None:
    found = world_contextual(model)
    (tmp_path / "states.json").write_text(json.dumps(to_json(found)))
    assert read_contextual_atoms(tmp_path / "states.json", model) == found


def beyond(content: dict[str, Any]) -> None:
    content["atoms"][0]["coincides"][0]["atom"] = 3


DAMAGE: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no atoms": (lambda content: content.pop("atoms"), "'atoms' is missing"),
    "a text for a number": (lambda content: content.update(explained="much"), "'much' is not a number"),
    "a number for a text": (lambda content: content["words"].append(3), "'3' is not a text"),
    "a number for a list": (lambda content: content.update(atoms=3), "'3' is not a list"),
    "less than none": (lambda content: content["atoms"][0].update(n_words=-1), "'-1' is not a number from 0 up"),
    "a place outside": (lambda content: content["atoms"][0]["examples"][0].update(end=99), "outside its text"),
    "an atom without words": (lambda content: content["atoms"][0].update(words=[]), "an atom has no words"),
    "half a surrogate pair": (lambda content: content["words"].append("\ud800"), "surrogates not allowed"),
    "an atom as a number": (lambda content: content["atoms"].append(3), "has no contextual atoms"),
    "other atoms": (lambda content: content.update(discourse_atoms="0"), "the atoms of another model"),
    "an atom beyond": (beyond, "the atoms of another model"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_other_content_is_one_sentence(name: str, model: SenseModel, tmp_path: Path) -> None:
    damage, sentence = DAMAGE[name]
    content = to_json(world_contextual(model))
    damage(content)
    (tmp_path / "states.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match="wordatoms observe MODEL --encoder") as caught:
        read_contextual_atoms(tmp_path / "states.json", model)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b"\xff", b'{"encoder": NaN}', b"[" * 100_000])
def test_other_files_are_one_sentence(content: bytes, model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "states.json").write_bytes(content)
    with pytest.raises(InputError, match="has no contextual atoms"):
        read_contextual_atoms(tmp_path / "states.json", model)


def test_a_list_was_refused_in_words_of_the_program(model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "states.json").write_text("[1]")
    with pytest.raises(InputError, match="it is not an object with names and values"):
        read_contextual_atoms(tmp_path / "states.json", model)


def test_a_file_that_is_not_there_is_one_sentence(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_contextual_atoms(tmp_path / "none.json", model)
    with pytest.raises(InputError, match="cannot be read"):
        read_contextual_atoms(tmp_path, model)

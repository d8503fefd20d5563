"""Atoms of contextual vectors from a file, as `wordatoms observe --encoder --json` prints them.

The file may come from a stranger: every value is checked, and it must belong to the discourse atoms of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from wordatoms.errors import InputError
from wordatoms.senses.contextual_atoms import (
    Agreement,
    Coincidence,
    ContextualAtom,
    ContextualAtoms,
    ContextualExample,
    Share,
)
from wordatoms.senses.model import SenseModel
from wordatoms.storage.untrusted import read_json

COMMAND = "wordatoms observe MODEL --encoder DIR --text FILE --json"


def read_contextual_atoms(path: Path | str, model: SenseModel) -> ContextualAtoms:
    """Read atoms of contextual vectors that were compared with the discourse atoms of a model.

    Parameters
    ----------
    path : Path or str
        File with the output of `wordatoms observe --encoder --json`.
    model : SenseModel

    Returns
    -------
    ContextualAtoms

    Raises
    ------
    InputError
        If the file cannot be read, is something else, or belongs to another model.
    """
    try:
        found = _contextual_atoms(read_json(Path(path)))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); pass the output of: {COMMAND}") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)[:100]
        raise InputError(f"{path} has no contextual atoms ({reason}); pass the output of: {COMMAND}") from None
    coincide = [each.atom for atom in found.atoms for each in atom.coincides]
    if found.discourse_atoms != model.atoms.fingerprint or any(not 0 <= atom < len(model.atoms) for atom in coincide):
        raise InputError(
            f"the contextual atoms in {path} were compared with the atoms of another model than {model.path}; "
            f"make them again: {COMMAND}"
        )
    return found


def _contextual_atoms(content: Any) -> ContextualAtoms:
    if not isinstance(content, Mapping):
        raise TypeError("it is not an object with names and values")
    return ContextualAtoms(
        _text(content["encoder"]),
        _text(content["discourse_atoms"]),
        tuple(_text(word) for word in _list(content["words"])),
        _count(content["n_occurrences"]),
        _count(content["n_told"]),
        _number(content["by_word"]),
        _number(content["by_sense"]),
        _number(content["explained"]),
        _agreement(content["same_word"]),
        _agreement(content["different_words"]),
        tuple(_atom(each) for each in _list(content["atoms"])),
    )


def _atom(content: Mapping[str, Any]) -> ContextualAtom:
    if not content["words"]:
        raise ValueError("an atom has no words")
    return ContextualAtom(
        _count(content["number"]),
        _count(content["n_occurrences"]),
        tuple(Share(_text(each["word"]), _count(each["n"])) for each in _list(content["words"])),
        _count(content["n_words"]),
        tuple(
            Coincidence(
                _count(each["atom"]),
                _text(each["label"]),
                _count(each["n"]),
                _number(each["share"]),
                _number(each["lift"]),
            )
            for each in _list(content["coincides"])
        ),
        tuple(_example(each) for each in _list(content["examples"])),
    )


def _example(content: Mapping[str, Any]) -> ContextualExample:
    text, start, end = _text(content["text"]), _count(content["start"]), _count(content["end"])
    if not start <= end <= len(text):
        raise ValueError("the place of a word is outside its text")
    weight, sense = _number(content["weight"]), _text(content["sense"])
    return ContextualExample(_text(content["word"]), text, start, end, weight, sense)


def _agreement(content: Mapping[str, Any]) -> Agreement:
    return Agreement(*(None if content[name] is None else _number(content[name]) for name in Agreement._fields))


def _list(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{str(value)[:40]!r} is not a list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:40]!r} is not a text")
    value.encode()  # half of a surrogate pair is no text that could be shown
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{str(value)[:40]!r} is not a number")
    return float(value)


def _count(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{str(value)[:40]!r} is not a number from 0 up")
    return value

"""The size of a model in a few numbers."""

from __future__ import annotations

from typing import Any

from wordatoms.errors import ModelError
from wordatoms.pipeline.atomize import read_atom_report
from wordatoms.senses.parts import model_language
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json


def folder_facts(folder: ModelFolder) -> dict[str, Any]:
    """Return the tokens, words, dimensions, fit of the map and number of atoms, for the stages that are done."""
    facts: dict[str, Any] = {"language": model_language(folder)} if folder.stages else {}
    if "count" in folder.stages:
        facts |= _read(folder, "vocabulary.json", {"tokens": ("n_tokens", int)})
    if not {"embed", "import"}.isdisjoint(folder.stages):
        names = {
            "items" if folder.has_items else "words": ("n_words", int),
            "dimensions": ("dim", int),
            "method": ("method", str),
        }
        facts |= _read(folder, "embeddings.json", names)
    if "map" in folder.stages:
        facts |= _read(folder, "map.json", {"held_out_cosine_of_the_map": ("held_out", float | None)})
    if "atomize" in folder.stages:
        facts |= {"atoms": read_atom_report(folder)["n_atoms"]}
    return facts


def _read(folder: ModelFolder, file: str, names: dict[str, tuple[str, Any]]) -> dict[str, Any]:
    """Read values of a JSON file under new names, and check their types."""
    try:
        content = read_json(folder.path / file)
        found = {new: content[old] for new, (old, _) in names.items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder.path / file} cannot be read ({error}); run that stage again with --force."
        ) from error
    for new, (old, kind) in names.items():
        if not isinstance(found[new], kind) or found[new] == float("inf"):
            raise ModelError(f"{folder.path / file} has no valid '{old}'; run that stage again with --force.")
    return found

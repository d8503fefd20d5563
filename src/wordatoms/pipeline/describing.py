"""What a model's folder holds, in a few numbers."""

from __future__ import annotations

import json
from typing import Any

from wordatoms.errors import ModelError
from wordatoms.folder import ModelFolder
from wordatoms.pipeline.atomizing import read_atom_report


def folder_facts(folder: ModelFolder) -> dict[str, Any]:
    """Words, tokens, dimensions, the map's fit and the number of atoms, as far as the stages are done."""
    facts: dict[str, Any] = {}
    if "count" in folder.stages:
        vocabulary = _read(folder, "vocabulary.json")
        facts |= {"tokens": vocabulary.get("n_tokens")}
    if not {"embed", "import"}.isdisjoint(folder.stages):
        embeddings = _read(folder, "embeddings.json")
        facts |= {"words": embeddings.get("n_words"), "dimensions": embeddings.get("dim")}
        facts |= {"method": embeddings.get("method")}
    if "map" in folder.stages:
        facts |= {"map": f"held-out cosine {_read(folder, 'map.json').get('held_out')}"}
    if "atomize" in folder.stages:
        facts |= {"atoms": read_atom_report(folder)["n_atoms"]}
    return facts


def _read(folder: ModelFolder, name: str) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads((folder.path / name).read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder.path / name} cannot be read ({error}); make that stage again.") from error
    return content

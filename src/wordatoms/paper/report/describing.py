"""What a model is, in a few facts for the head of the report; without paths, which are nobody's business."""

from __future__ import annotations

from typing import Any

from wordatoms.pipeline.info import folder_facts
from wordatoms.senses.model import SenseModel
from wordatoms.storage.bundled import ENGLISH


def describe_model(model: SenseModel) -> dict[str, Any]:
    """Name, vectors, words, atoms, text and the settings of its stages."""
    stages, embeddings = model.folder.stages, model.embeddings
    facts: dict[str, Any] = {
        "name": "the English model that comes with wordatoms" if model.path == ENGLISH else model.path.resolve().name,
        "method": embeddings.method,
        "words": len(embeddings),
        "dimensions": embeddings.dim,
        "tokens": folder_facts(model.folder).get("tokens") or embeddings.n_tokens,
        "atoms": len(model.atoms) if "atomize" in stages else None,
        "stages": list(stages),
    }
    if "atomize" in stages:
        settings = stages["atomize"]["settings"]
        facts["atoms_settings"] = {name: settings.get(name) for name in ("n_restarts", "sparsity", "vectors", "seed")}
    if "map" in stages:
        settings = stages["map"]["settings"]
        facts["map_settings"] = {name: settings.get(name) for name in ("window", "a", "include_target", "weighting")}
    return facts

"""How text is cut into the words of a model: as its text was when it was counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wordatoms.embeddings.embeddings import load_words
from wordatoms.errors import ModelError
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.tokenizer import Tokenizer

N_TELLING_WORDS = 1000
"""Capitals among so many words at the top of imported vectors say that their text was not lower-cased."""


def model_tokenizer(folder: ModelFolder) -> Tokenizer:
    """The tokenizer of the counted text; for imported vectors one that keeps case if the vectors suggest it."""
    if "count" in folder.stages:
        return _counted_with(folder.stages["count"]["settings"], folder)
    words, _ = load_words(folder.path)
    return Tokenizer(keep_case=any(word != word.lower() for word in words[:N_TELLING_WORDS]))


def _counted_with(settings: Mapping[str, Any], folder: ModelFolder) -> Tokenizer:
    """The tokenizer that the stage `count` wrote down."""
    keep_case, pretokenized, phrases = (settings.get(name) for name in ("keep_case", "pretokenized", "phrases"))
    if not (isinstance(keep_case, bool) and isinstance(pretokenized, bool) and _are_texts(phrases)):
        raise ModelError(
            f"{folder.path / 'manifest.json'} does not say how the text was cut into words; count the text again."
        )
    return Tokenizer(keep_case, pretokenized, tuple(phrases or ()))


def _are_texts(phrases: Any) -> bool:
    return isinstance(phrases, list) and all(isinstance(phrase, str) for phrase in phrases)

"""How text is cut into the words of a model: as its text was when it was counted."""

from __future__ import annotations

from wordatoms.embeddings import load_words
from wordatoms.folder import ModelFolder
from wordatoms.tokens import Tokenizer

N_TELLING_WORDS = 1000
"""Capitals among so many words at the top of imported vectors say that their text was not lower-cased."""


def model_tokenizer(folder: ModelFolder) -> Tokenizer:
    """The tokenizer of the counted text; for imported vectors one that keeps case if the vectors suggest it."""
    if "count" in folder.stages:
        settings = folder.stages["count"]["settings"]
        return Tokenizer(settings["keep_case"], settings["pretokenized"], tuple(settings["phrases"]))
    words, _ = load_words(folder.path)
    return Tokenizer(keep_case=any(word != word.lower() for word in words[:N_TELLING_WORDS]))

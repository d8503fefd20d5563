"""The planted model with words that a tokeniser leaves whole: its digits become letters, d3w7 is ddwh."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import planted
import wordatoms as wa
from wordatoms.embeddings.embeddings import Embeddings

LETTERS = str.maketrans("0123456789", "abcdefghij")


def lettered(word: str) -> str:
    return word.translate(LETTERS)


def lettered_embeddings() -> Embeddings:
    embeddings = PLANTED()
    return replace(embeddings, words=[lettered(word) for word in embeddings.words])


PLANTED = planted.planted_embeddings


def lettered_model(path: Path) -> wa.SenseModel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planted, "planted_embeddings", lettered_embeddings)
        return wa.load(planted.planted_model(path).path)


def discourse(atom: int, words: range) -> str:
    """Some words of one planted atom."""
    return " ".join(lettered(f"d{atom}w{word}") for word in words)

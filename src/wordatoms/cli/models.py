"""Opening the model that a command was given."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wordatoms.errors import ModelError

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.run import Run
    from wordatoms.senses.model import SenseModel


def load_embeddings(model: str, *, items: bool = False) -> Embeddings:
    """Load the vectors of a model, which may have no atoms yet; one of items only if they are welcome."""
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if not {"embed", "import"} & set(folder.stages):
        raise ModelError(f"{model} has no vectors yet; run: wordatoms embed {model}")
    if not items:
        folder.require_words()
    folder.check()
    try:
        return Embeddings.load(folder.path)
    finally:  # words and vectors of two models may load without an error
        folder.check_unchanged()


def find_model(model: str) -> str:
    """Return the folder of a model; "english" is the bundled one, unless there is a folder of that name."""
    from wordatoms.storage.bundled import ENGLISH, bundled_model

    return str(bundled_model()) if model == ENGLISH.name and not Path(model).exists() else model


def load_model(model: str, encoder: str | None = None, run: Run | None = None, *, items: bool = False) -> SenseModel:
    """Open a model with atoms, and an encoder that reads along; a model of items only if it is welcome."""
    from wordatoms.senses.model import SenseModel
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if "atomize" not in folder.stages:
        raise ModelError(f"{model} has no atoms yet; run: wordatoms atomize {model}")
    if not items:
        folder.require_words()
    return SenseModel(folder.path, encoder=encoder, run=run)

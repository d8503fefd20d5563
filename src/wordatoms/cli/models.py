"""Opening the model that a command was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.senses.model import SenseModel


def load_embeddings(model: str) -> Embeddings:
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.errors import ModelError
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if not {"embed", "import"} & set(folder.stages):
        raise ModelError(f"{model} has no vectors yet; run: wordatoms embed {model}")
    folder.check()
    return Embeddings.load(folder.path)


def load_model(model: str) -> SenseModel:
    from wordatoms.errors import ModelError
    from wordatoms.senses.model import SenseModel
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    if "atomize" not in folder.stages:
        raise ModelError(f"{model} has no atoms yet; run: wordatoms atomize {model}")
    return SenseModel(folder.path)

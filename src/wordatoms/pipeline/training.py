"""All stages in one go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordatoms.embeddings import Embeddings
from wordatoms.folder import ModelFolder
from wordatoms.pipeline.counting import count
from wordatoms.pipeline.embedding import chosen_parameters, embed
from wordatoms.pipeline.sources import CountSettings
from wordatoms.vocabulary import DEFAULT_MEMORY


def train(
    sources: Sequence[str | Path],
    folder: str | Path,
    *,
    method: str = "sn",
    settings: CountSettings | None = None,
    parameters: dict[str, Any] | None = None,
    memory: int = DEFAULT_MEMORY,
    random_state: int = 0,
    threads: int | None = None,
    force: bool = False,
    quiet: bool = True,
) -> Embeddings:
    """Text → embeddings in a model's folder, whatever is done already skipped."""
    chosen_parameters(method, parameters or {})  # a mistake there should not wait for the counting
    model = ModelFolder(folder, create=True)
    common: dict[str, Any] = {"threads": threads, "force": force, "quiet": quiet}
    count(sources, model, settings, memory=memory, **common)
    embed(model, method, parameters=parameters, sources=sources, random_state=random_state, **common)
    return Embeddings.load(model.path)

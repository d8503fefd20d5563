"""All stages in one go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wordatoms.counts.vocabulary import DEFAULT_MEMORY
from wordatoms.engine.threads import Engine
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import chosen_parameters, embed
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.sources import CountSettings
from wordatoms.progress import Display
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder

STEPS = ("words", "pairs", "vectors", "windows", "contexts", "atoms")
"""What the progress display counts."""


def train(
    sources: Sequence[str | Path],
    folder: str | Path,
    *,
    method: str = "pmi",
    settings: CountSettings | None = None,
    parameters: dict[str, Any] | None = None,
    atom_settings: AtomSettings | None = None,
    memory: int = DEFAULT_MEMORY,
    random_state: int = 0,
    threads: int | None = None,
    engine: Engine | None = None,
    force: bool = False,
    quiet: bool = True,
) -> SenseModel:
    """Text → senses in a model's folder, whatever is done already skipped.

    The text is read by the `engine`: threads of this process, or a `wordatoms.engine.dask.DaskEngine`.
    """
    chosen_parameters(method, parameters or {})  # a mistake there should not wait for the counting
    model = ModelFolder(folder, create=True)
    run: dict[str, Any] = {"threads": threads, "force": force, "display": Display(STEPS, quiet=quiet)}
    reading: dict[str, Any] = {"memory": memory, "engine": engine, **run}
    count(sources, model, settings, **reading)
    embed(model, method, parameters=parameters, sources=sources, random_state=random_state, **run)
    if not any(is_stream(source) for source in sources):
        map_contexts(model, MapSettings(seed=random_state), sources=sources, **reading)
    atomize(model, atom_settings, random_state=random_state, **run)
    return SenseModel(model.path)


def is_stream(source: str | Path) -> bool:
    """Whether a text can be read only once."""
    return str(source) == "-" or Path(source).is_fifo()

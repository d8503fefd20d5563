"""Text and embeddings → average contexts → the map A of section 2.

Finished parts are kept until the stage is done, so that an interrupted one resumes from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wordatoms.contexts.averages import ContextAverages, context_sums
from wordatoms.contexts.induced_map import WEIGHTINGS, InducedMap, learn_map
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.window_shapes import check_window
from wordatoms.contexts.windows import sample_windows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.sources import (
    CountSettings,
    as_input,
    counted_text,
    digest,
    kept_parts,
    opened_text,
    settings_of,
    trusting_record,
)
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.parts import model_tokenizer
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus
from wordatoms.text.files import find_files
from wordatoms.text.tables import table_kind


@dataclass(frozen=True)
class MapSettings:
    """How the map is learned; with the text and the vectors, these settings determine its bytes."""

    window: int = 10
    a: float = DEFAULT_A
    weighting: str = "auto"
    include_target: bool = False
    remove_common: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_window(self.window)
        if not self.a > 0:
            raise InputError(f"a is {self.a}; pass a positive number, or infinity for the plain mean.")
        if self.weighting not in ("auto", *WEIGHTINGS):
            raise InputError(f"weighting is '{self.weighting}'; pass auto, {', '.join(WEIGHTINGS)}.")

    def record(self) -> dict[str, Any]:
        """Return the settings for the manifest, where an infinite `a` is null."""
        return {**asdict(self), "a": self.a if math.isfinite(self.a) else None}


def map_contexts(
    folder: ModelFolder,
    settings: MapSettings | None = None,
    *,
    sources: Sequence[str | Path] = (),
    column: str | None = None,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Average the contexts of all words and learn the map A: stage 3 of `train`.

    Parameters
    ----------
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    settings : MapSettings, optional
        Window, weights and seed.
    sources : sequence of str or Path, optional
        Text; by default the one that was counted. Imported vectors need it.
    column : str, optional
        The column of `sources` that has the text, if they are tables; by default the one that was counted.
    force : bool, default False
        Run the stage again.
    run : Run, optional
        Threads, memory, engine and progress; none of them changes the result.

    Returns
    -------
    bool
        False if the model already had the result of this stage with the same settings.

    Examples
    --------
    >>> from wordatoms.pipeline.map import map_contexts
    >>> from wordatoms.storage.folder import ModelFolder
    >>> map_contexts(ModelFolder("my.model"))  # doctest: +SKIP
    True
    """
    settings = settings or MapSettings()
    folder.require_words()
    with folder.working():
        embedded = embedding_record(folder)
        if not sources and _is_done(folder, settings, embedded, force=force):
            return False  # without looking for the text
        with model_text(folder, sources, run, column=column) as corpus:
            facts = _facts(settings, embedded, digest(corpus.files))
            if folder.is_done("map", facts, force=force):
                return False

            def make(forget: Callable[[], None]) -> list[str]:
                contexts, learned = _map(corpus, folder, settings, run)
                with folder.staging() as staged:
                    contexts.save(staged)
                    learned.save(staged)
                    return folder.install(staged, forget)

            folder.build("map", facts, make, inputs=[as_input(file) for file in corpus.files])
    return True


def embedding_record(folder: ModelFolder) -> dict[str, Any]:
    """Return the record of the stage that made the vectors."""
    record: dict[str, Any] | None = folder.stages.get("embed") or folder.stages.get("import")
    if record is None:
        raise ModelError(f"{folder.path} has no vectors yet; run: wordatoms embed {folder.path}")
    return record


@contextmanager
def model_text(
    folder: ModelFolder, sources: Sequence[str | Path], run: Run = DEFAULT_RUN, *, column: str | None = None
) -> Iterator[Corpus]:
    """Open the given text, or by default the text that was counted.

    Tables have their text in the given column, or by default in that of the text that was counted.
    """
    counted = folder.stages.get("count")
    if sources:
        reading = settings_of(counted) if counted else CountSettings()
        if column or not any(map(table_kind, find_files(sources))):
            reading = replace(reading, column=column)
        with opened_text(sources, folder, reading, run) as corpus:
            yield corpus
        return
    if column:
        raise InputError(f"the column {column!r} was named without a table; pass it with --text.")
    if not counted:
        raise InputError(f"{folder.path} has imported vectors, which come without a text; pass one with --text.")
    with counted_text(folder, (), run) as corpus:
        yield corpus


def _facts(settings: MapSettings, embedded: dict[str, Any], text: str) -> dict[str, Any]:
    with trusting_record():
        return {**settings.record(), "vectors": embedded["files"]["vectors.npy"]["sha256"], "text": text}


def _is_done(folder: ModelFolder, settings: MapSettings, embedded: dict[str, Any], *, force: bool) -> bool:
    """Tell whether the stage is done without reading the text; the hash of the counted text is recorded."""
    if "map" not in folder.stages:
        return False
    with trusting_record():
        text = folder.stages.get("count", folder.stages["map"])["settings"]["text"]
    return folder.is_done("map", _facts(settings, embedded, text), force=force)


def _map(corpus: Corpus, folder: ModelFolder, settings: MapSettings, run: Run) -> tuple[ContextAverages, InducedMap]:
    embeddings, tokenizer = Embeddings.load(folder.path), model_tokenizer(folder)
    sif = SIF(embeddings, p_words(embeddings), settings.a, tokenizer=tokenizer)
    common: dict[str, Any] = {"window": settings.window, "tokenizer": tokenizer, "run": run}
    common |= {"work": folder.work, "keep": kept_parts(folder)}
    windows = sample_windows(corpus, embeddings.words, random_state=settings.seed, **common)
    sums = context_sums(
        corpus,
        embeddings.words,
        sif.weighted_vectors(),
        outside=not settings.include_target,
        inside=settings.include_target,
        **common,
    )
    averages = sums.averages(include_target=settings.include_target)
    contexts = ContextAverages(averages, sums.n_contexts, settings.window, settings.include_target)
    if not len(windows):
        raise InputError("no line of the text contains two words of the model; pass a text with words that it knows.")
    choices = {"weighting": settings.weighting, "remove_common": settings.remove_common}
    return contexts, learn_map(contexts, sif, windows, random_state=settings.seed, **choices)  # type: ignore[arg-type]

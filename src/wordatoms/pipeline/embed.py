"""Counts, or text for methods that read it → embeddings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.vocabulary import Vocabulary, write_lines
from wordatoms.embeddings.trainers import find_trainer, train_embeddings
from wordatoms.errors import InputError
from wordatoms.pipeline.sources import counted_text, recorded_hashes, settings_of
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.files import Checkpoint
from wordatoms.storage.folder import ModelFolder


def embed(
    folder: ModelFolder,
    method: str = "pmi",
    *,
    parameters: dict[str, Any] | None = None,
    sources: Sequence[str | Path] = (),
    random_state: int = 0,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Learn the word vectors of a model from its counts: stage 2 of `train`.

    Parameters
    ----------
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    method : str, default "pmi"
        One of `wordatoms.embeddings.trainers.TRAINERS`.
    parameters : dict, optional
        Parameters of the method, such as `{"dim": 300}`.
    sources : sequence of str or Path, optional
        Where the text is now, if it has moved; only for methods that read text.
    random_state : int, default 0
        Seed.
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
    >>> from wordatoms.pipeline.embed import embed
    >>> from wordatoms.storage.folder import ModelFolder
    >>> embed(ModelFolder("my.model"), "glove", parameters={"dim": 100})  # doctest: +SKIP
    True
    """
    chosen = chosen_parameters(method, parameters or {})
    with folder.working():
        settings = _settings(folder, method, chosen, random_state)
        if folder.is_done("embed", settings, force=force):
            return False
        checkpoint = Checkpoint(folder.work / f"{method}.npz", settings)

        def make(forget: Callable[[], None]) -> list[str]:
            lines = _lines(folder, sources, run) if find_trainer(method).reads_text else None
            with run.progress.training_bar("vectors", detail=method) as callback:
                embeddings = train_embeddings(
                    Counts.load(folder.path),
                    method,
                    lines=lines,
                    **chosen,
                    random_state=random_state,
                    threads=run.threads,
                    checkpoint=checkpoint,
                    callback=callback,
                )
            with folder.staging() as staged:
                embeddings.save(staged)
                (staged / "words.txt").unlink()  # stage count has written them
                return folder.install(staged, forget)

        folder.build("embed", settings, make)
    return True


def _settings(folder: ModelFolder, method: str, parameters: dict[str, Any], random_state: int) -> dict[str, Any]:
    """Return everything that the vectors depend on."""
    counted = folder.require("count", f"run: wordatoms count TEXT… -o {folder.path}")
    hashes = {name: file["sha256"] for name, file in counted["files"].items() if name.endswith(".npy")}
    settings = {"method": method, **parameters, "seed": random_state, "counts": hashes}
    if find_trainer(method).reads_text:
        settings["text"] = recorded_hashes(counted)  # here the order matters
    return settings


def chosen_parameters(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return all parameters of a method: the given ones, and defaults for the others."""
    defaults = find_trainer(method).parameters()
    unknown = sorted(set(parameters) - set(defaults))
    if unknown:
        raise InputError(f"{method} has no parameter '{unknown[0]}'; it has {', '.join(defaults)}.")
    return {**defaults, **{name: _converted(name, value, defaults[name]) for name, value in parameters.items()}}


def _converted(name: str, value: Any, default: Any) -> Any:
    """Convert a parameter to the type of its default."""
    kind = type(default)
    if default is None or (type(value) is kind and value == value):  # not NaN
        return value
    if kind is float and type(value) is int:
        return float(value)
    if kind is bool and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    expected = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}.get(kind, str(kind))
    raise InputError(f"{name} is '{value}'; pass {expected}, such as {default}.")


def _lines(folder: ModelFolder, sources: Sequence[str | Path], run: Run) -> Path:
    """Write the text that was counted as lines of words between spaces, unless that is done."""
    counted = folder.stages["count"]
    key = json.dumps([counted["settings"], counted["inputs"], counted["files"]], sort_keys=True)
    path = folder.work / "lines" / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.txt"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with counted_text(folder, sources, run) as corpus:
        write_lines(corpus, Vocabulary.load(folder.path), path, tokenizer=settings_of(counted).tokenizer, run=run)
    return path

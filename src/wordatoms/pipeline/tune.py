"""A model and text that it has not seen → settings for reading contexts (`wordatoms.tuning.choice`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from wordatoms.atoms.atoms import Atoms
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import TUNING, ReadingSettings, load_reading
from wordatoms.contexts.windows import WordWindows, windows_of_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, require_several
from wordatoms.pipeline.atomize import AtomSettings, atomize, learn_atoms, read_atom_report
from wordatoms.pipeline.map import model_text
from wordatoms.pipeline.sources import as_input, text_key
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.parts import model_tokenizer
from wordatoms.storage.files import write_json
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json
from wordatoms.text.corpus import Corpus
from wordatoms.tuning.choice import GRID, OnTrial, Trial, TuningResult, choose_settings, make_bench
from wordatoms.tuning.pseudowords import N_CONTEXTS, PseudowordSet, candidate_words, draw_pseudowords

FEWEST_PSEUDOWORDS = 20
"""Fewer would make the choice random."""


@dataclass(frozen=True)
class TuneSettings:
    """What is tried and on what; with the model and the text, these settings determine the choice."""

    grid: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Values to try for each setting; the others have defaults."""
    n_atoms: tuple[int, ...] = ()
    """Numbers of atoms to try; if empty, the atoms are kept."""
    sparsities: tuple[int, ...] = ()
    """Maximum atoms per word to try."""
    n_pseudowords: int = 400
    n_candidates: int = 3000
    """Words that pseudowords may be made of."""
    n_contexts: int = N_CONTEXTS
    seed: int = 0

    @property
    def widest(self) -> int:
        """The largest window among those tried."""
        return int(max(self.grid.get("window", GRID["window"])))


@dataclass(frozen=True, eq=False)
class _Text:
    """What was read from the held-out text."""

    pseudowords: PseudowordSet
    windows: WordWindows


def tune(
    folder: ModelFolder,
    sources: Sequence[str | Path],
    settings: TuneSettings | None = None,
    *,
    column: str | None = None,
    force: bool = False,
    run: Run = DEFAULT_RUN,
    on_trial: OnTrial | None = None,
) -> TuningResult | None:
    """Choose how contexts are read by pseudowords in a text, and save the settings in the model.

    Parameters
    ----------
    folder : ModelFolder
        A model with a map and atoms: `ModelFolder(path)` from `wordatoms.storage.folder`.
    sources : sequence of str or Path
        Text that the model was not trained on.
    settings : TuneSettings, optional
        What is tried.
    column : str, optional
        The column of `sources` that has the text, if they are tables; by default the one that was counted.
    force : bool, default False
        Tune again.
    run : Run, optional
        Threads, memory and progress.
    on_trial : callable, optional
        Called with each `Trial`.

    Returns
    -------
    TuningResult or None
        The chosen settings and all trials; None if the model was already tuned in this way.

    Examples
    --------
    >>> from wordatoms.pipeline.tune import tune
    >>> from wordatoms.storage.folder import ModelFolder
    >>> tune(ModelFolder("my.model"), ["held-out.txt"]).to_frame()  # doctest: +SKIP
    """
    require_several(sources, "the sources", "files")
    settings = settings or TuneSettings()
    if not sources:
        raise InputError("there is no text to tune on; pass some that the model was not trained on.")
    if settings.n_pseudowords < FEWEST_PSEUDOWORDS:
        raise InputError(
            f"{settings.n_pseudowords} pseudowords are too few to choose by; pass {FEWEST_PSEUDOWORDS} or more."
        )
    folder.require_words()
    for stage in ("map", "atomize"):
        folder.require(stage, f"run: wordatoms {stage} {folder.path}")
    with folder.working(), model_text(folder, sources, run, column=column) as corpus:
        facts = _facts(settings, corpus)
        if folder.is_done("tune", facts, force=force):
            return None
        folder.check_inputs("tune", facts)
        text = _read(folder, corpus, settings, run)
        trials: list[Trial] = []
        chosen = _choose_atoms(folder, text, settings, run, _telling(trials, on_trial))
    if chosen:
        atomize(folder, chosen, random_state=_seed_of_atoms(folder), force=True, run=run)
    with folder.working():
        result = _choose(folder, Atoms.load(folder.path), text, settings, on_trial)
        result = replace(result, trials=(*trials, *result.trials))
        _keep(folder, facts, result, corpus, len(text.pseudowords))
    return result


def adopt_tuning(folder: ModelFolder, other: ModelFolder) -> ReadingSettings:
    """Copy the tuned settings of another model, such as one that was trained without the held-out text.

    Parameters
    ----------
    folder : ModelFolder
        The model that gets the settings.
    other : ModelFolder
        A tuned model.

    Returns
    -------
    ReadingSettings

    Examples
    --------
    >>> from wordatoms.pipeline.tune import adopt_tuning
    >>> from wordatoms.storage.folder import ModelFolder
    >>> adopt_tuning(ModelFolder("my.model"), ModelFolder("held-out.model"))  # doctest: +SKIP
    """
    record = other.require("tune", f"run: wordatoms tune {other.path} --text …")
    other.check("tune")
    chosen = load_reading(other)
    for stage in ("map", "atomize"):
        folder.require(stage, f"run: wordatoms {stage} {folder.path}")

    def make(forget: Callable[[], None]) -> list[str]:
        content = read_json(other.path / TUNING)
        forget()
        write_json(folder.path / TUNING, content)
        return [TUNING]

    with folder.working():
        folder.build("tune", {**record["settings"], "from": str(other.path)}, make, inputs=record.get("inputs", []))
    return chosen


def is_held_out(folder: ModelFolder, inputs: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether none of these files was counted for the model."""
    counted = {file["sha256"] for file in folder.stages.get("count", {}).get("inputs", [])}
    return counted.isdisjoint(file["sha256"] for file in inputs)


def _facts(settings: TuneSettings, corpus: Corpus) -> dict[str, Any]:
    grid = {name: list(values) for name, values in {**GRID, **settings.grid}.items()}
    others = {part.name: getattr(settings, part.name) for part in fields(settings) if part.name != "grid"}
    return {**others, "grid": grid, "text": sorted(map(text_key, corpus.files))}


def _read(folder: ModelFolder, corpus: Corpus, settings: TuneSettings, run: Run) -> _Text:
    """Collect the windows of the words that pseudowords are made of, in one pass over the text."""
    embeddings = Embeddings.load(folder.path)
    candidates = candidate_words(embeddings, settings.n_candidates, random_state=settings.seed)
    if not len(candidates):
        raise InputError(
            f"none of the {len(embeddings):,} words of {folder.path} is rare enough for a pseudoword; "
            "tune a model that was trained on more text."
        )
    windows = windows_of_words(
        corpus,
        embeddings.words,
        candidates,
        n_windows=settings.n_contexts,
        window=settings.widest,
        tokenizer=model_tokenizer(folder),
        random_state=settings.seed,
        run=run,
    )
    pseudowords = draw_pseudowords(
        embeddings,
        ContextAverages.load(folder.path),
        InducedMap.load(folder.path),
        windows,
        n_pseudowords=settings.n_pseudowords,
        n_contexts=settings.n_contexts,
        random_state=settings.seed,
    )
    if len(pseudowords) < FEWEST_PSEUDOWORDS:
        raise InputError(
            f"the text gives {len(pseudowords)} pseudowords, too few to choose by ({FEWEST_PSEUDOWORDS} or more); pass "
            "a longer text."
        )
    return _Text(pseudowords, windows)


def _choose_atoms(
    folder: ModelFolder,
    text: _Text,
    settings: TuneSettings,
    run: Run,
    tell: Callable[[Trial], None],
) -> AtomSettings | None:
    """Choose the number of atoms, then the sparsity; None if the current ones are best."""
    asked = {"n_atoms": settings.n_atoms, "sparsity": settings.sparsities}
    if not any(asked.values()):
        return None
    current = settings_of_atoms(folder)
    best, scores = current, {current: _score(folder, Atoms.load(folder.path), text, settings)}
    for name, values in asked.items():
        for value in dict.fromkeys([getattr(best, name), *values] if values else ()):  # the current one as well
            tried = replace(best, **{name: value})  # type: ignore[arg-type]
            if tried not in scores:
                atoms = learn_atoms(folder, tried, random_state=_seed_of_atoms(folder), run=run)
                scores[tried] = _score(folder, atoms, text, settings)
            tell(Trial(name, value, "put together", scores[tried]))
        best = max(scores, key=lambda each: scores[each])
    return None if best == current else best


def _score(folder: ModelFolder, atoms: Atoms, text: _Text, settings: TuneSettings) -> float:
    embeddings, induced_map = Embeddings.load(folder.path), InducedMap.load(folder.path)
    half = text.pseudowords.halves()[0]
    bench = make_bench(embeddings, induced_map, atoms, half, text.windows, random_state=settings.seed)
    return bench.measure(
        "put together", replace(ReadingSettings(), window=min(ReadingSettings().window, settings.widest))
    )


def _choose(
    folder: ModelFolder, atoms: Atoms, text: _Text, settings: TuneSettings, on_trial: OnTrial | None
) -> TuningResult:
    embeddings, induced_map = Embeddings.load(folder.path), InducedMap.load(folder.path)
    choosing, checking = (
        make_bench(embeddings, induced_map, atoms, half, text.windows, random_state=settings.seed)
        for half in text.pseudowords.halves()
    )
    return choose_settings(choosing, checking, grid=settings.grid, on_trial=on_trial)


def _keep(folder: ModelFolder, facts: dict[str, Any], result: TuningResult, corpus: Corpus, n_pseudowords: int) -> None:
    inputs = [as_input(file) for file in corpus.files]

    def make(forget: Callable[[], None]) -> list[str]:
        forget()
        content = {
            "settings": result.settings.record(),
            "figures": result.figures(),
            "n_pseudowords": n_pseudowords,
            "held_out": is_held_out(folder, inputs),
            "trials": [trial._asdict() for trial in result.trials],
        }
        write_json(folder.path / TUNING, content)
        return [TUNING]

    folder.build("tune", facts, make, inputs=inputs)


def _telling(trials: list[Trial], on_trial: OnTrial | None) -> Callable[[Trial], None]:
    def tell(trial: Trial) -> None:
        trials.append(trial)
        if on_trial:
            on_trial(trial)

    return tell


def settings_of_atoms(folder: ModelFolder) -> AtomSettings:
    """Return the settings of a model's atoms, with the number of atoms that was chosen."""
    recorded = folder.stages["atomize"]["settings"]
    known = {part.name: recorded[part.name] for part in fields(AtomSettings) if part.name in recorded}
    for name in ("sizes", "sparsity_range"):
        known[name] = tuple(known[name]) if known.get(name) else None
    return AtomSettings(**{**known, "n_atoms": int(read_atom_report(folder)["n_atoms_per_run"])})


def _seed_of_atoms(folder: ModelFolder) -> int:
    return int(folder.stages["atomize"]["settings"].get("seed", 0))

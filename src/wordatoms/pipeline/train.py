"""All stages of a training, in their order: count, embed, map, atomize, observe.

Each stage is skipped where the model already has it with the same settings, so an interrupted training resumes when it
is started again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.trainers import find_trainer
from wordatoms.errors import InputError, require_several
from wordatoms.pipeline.atomize import AtomSettings, atomize, read_atom_report
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import chosen_parameters, embed
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.observe import ObserveSettings, observe
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.uses import SenseUses
from wordatoms.storage.folder import ModelFolder

STEPS = ("words", "pairs", "vectors", "windows", "contexts", "atoms", "occurrences", "senses")
"""The progress bars of a training, which are numbered in this order."""


@dataclass(frozen=True)
class StageDone:
    """What a stage has left in a model; `train` reports one after each stage."""

    folder: ModelFolder
    stage: str
    made: bool
    """False where the stage was skipped, because the model already has it."""

    @property
    def seconds(self) -> float:
        return float(self.folder.stages[self.stage]["seconds"])

    @property
    def peak_memory(self) -> int | None:
        """Bytes, where they were measured."""
        found: int | None = self.folder.stages[self.stage].get("peak_memory")
        return found

    @property
    def summary(self) -> str:
        """The result of the stage in a few words."""
        if self.stage == "count":
            return repr(Vocabulary.load(self.folder.path))
        if self.stage == "embed":
            return f"{self.folder.stages['embed']['settings']['method']} vectors"
        if self.stage == "map":
            return repr(InducedMap.load(self.folder.path))
        if self.stage == "observe":
            return repr(SenseUses.load(self.folder.path))
        return f"{read_atom_report(self.folder)['n_atoms']:,} atoms"


OnStage = Callable[[StageDone], None]


def train(
    sources: Sequence[str | Path],
    folder: str | Path,
    *,
    method: str = "pmi",
    settings: CountSettings | None = None,
    parameters: dict[str, Any] | None = None,
    atom_settings: AtomSettings | None = None,
    random_state: int = 0,
    force: bool = False,
    run: Run = DEFAULT_RUN,
    on_stage: OnStage | None = None,
) -> SenseModel:
    """Train a model on text: count words and pairs, embed, learn the map A and the atoms, observe the uses of words.

    Parameters
    ----------
    sources : sequence of str or Path
        Files, folders or globs of text, one paragraph per line; compressed files, MediaWiki dumps and the output of
        WikiExtractor are recognised. Tables need `settings` that name the column with the text.
    folder : str or Path
        The model's folder. Stages that it already has with the same settings are skipped.
    method : str, default "pmi"
        Embedding method: one of `wordatoms.embeddings.trainers.TRAINERS`.
    settings : CountSettings, optional
        How text is split into words and counted.
    parameters : dict, optional
        Parameters of the embedding method, such as `{"dim": 300}`.
    atom_settings : AtomSettings, optional
        Number of atoms, sparsity and restarts.
    random_state : int, default 0
        Seed of all random choices.
    force : bool, default False
        Run every stage again.
    run : Run, optional
        Threads, memory, engine and progress; none of them changes the result.
    on_stage : callable, optional
        Called with a `StageDone` after each stage.

    Returns
    -------
    SenseModel
        The trained model. A text that is a stream can be read only once: the model then has no map from contexts to
        words and no senses by use.

    Examples
    --------
    >>> import wordatoms as wa
    >>> model = wa.train(["corpus/"], "my.model", parameters={"dim": 100})  # doctest: +SKIP
    >>> model = wa.train(["news.csv"], "news.model", settings=wa.CountSettings(column="text"))  # doctest: +SKIP
    """
    require_several(sources, "the sources", "files")
    check_training(sources, method, parameters or {})
    model = ModelFolder(folder, create=True)
    run = replace(run, progress=run.progress.with_steps(STEPS))

    def report(stage: str, made: bool) -> None:
        if on_stage:
            on_stage(StageDone(model, stage, made))

    report("count", count(sources, model, settings, force=force, run=run))
    _check_atoms(model, atom_settings)
    embedding: dict[str, Any] = {"parameters": parameters, "sources": sources, "random_state": random_state}
    report("embed", embed(model, method, **embedding, force=force, run=run))
    if not streams_of(sources):
        map_settings = MapSettings(seed=random_state)
        report("map", map_contexts(model, map_settings, sources=sources, force=force, run=run))
    report("atomize", atomize(model, atom_settings, random_state=random_state, force=force, run=run))
    if not streams_of(sources):
        observe_settings = ObserveSettings(seed=random_state)
        report("observe", observe(model, observe_settings, sources=sources, force=force, run=run))
    return SenseModel(model.path)


def check_training(sources: Sequence[str | Path], method: str, parameters: dict[str, Any]) -> None:
    """Raise for mistakes that would otherwise be found only after the text has been counted."""
    chosen_parameters(method, parameters)
    trainer, streams = find_trainer(method), streams_of(sources)
    trainer.check_installed()
    if trainer.reads_text and streams:
        raise InputError(
            f"{trainer.title} reads the text more than once, and '{streams[0]}' is a stream; save it to a file."
        )


def _check_atoms(folder: ModelFolder, settings: AtomSettings | None) -> None:
    """Raise for more atoms than words before the vectors are trained."""
    n_atoms, n_words = settings.n_atoms if settings else None, len(Vocabulary.load(folder.path))
    if isinstance(n_atoms, int) and n_atoms > n_words:
        raise InputError(f"{n_atoms:,} atoms were asked for but there are {n_words:,} words; pass fewer atoms.")


def streams_of(sources: Sequence[str | Path]) -> list[str]:
    """The sources that can be read only once."""
    return [str(source) for source in sources if str(source) == "-" or Path(source).is_fifo()]

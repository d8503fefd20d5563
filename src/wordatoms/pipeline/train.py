"""All stages of a training, in their order: count, embed, map, atomize, observe.

Each stage is skipped where the model already has it with the same settings, so an interrupted training resumes when it
is started again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from wordatoms.atoms.learning import N_LAST_ITERATIONS, WORDS_PER_ATOM
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.trainers import find_trainer
from wordatoms.errors import InputError, require_several
from wordatoms.pipeline.atomize import MOST_ATOMS, AtomSettings, atomize, read_atom_report
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import chosen_parameters, embed
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.observe import ObserveSettings, observe
from wordatoms.pipeline.sources import CountSettings
from wordatoms.progress import Plan
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.inventory import Inventory
from wordatoms.senses.model import SenseModel
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.uses import SenseUses
from wordatoms.storage.folder import ModelFolder

STEPS = {
    "count": ("words", "pairs"),
    "embed": ("vectors",),
    "map": ("windows", "contexts"),
    "atomize": ("atoms", "neighbours"),
    "observe": ("occurrences", "senses"),
}
"""The steps of each stage that report their progress."""
READ_ONCE = ("count", "embed", "atomize")
"""The stages of a training on a stream, which can be read only once."""


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
        if self.stage == "phrases":
            return repr(ModelParts(self.folder.path).phrases)
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
    inventory: Inventory | None = None,
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
    inventory : Inventory, optional
        Senses that words are known to have (`read_inventory`); those of other words are found in the text.
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
    stages = READ_ONCE if streams_of(sources) else STEPS
    expected = partial(expected_seconds, method=method, settings=settings, atom_settings=atom_settings)
    plan = Plan({stage: STEPS[stage] for stage in stages}, expected)
    run = replace(run, progress=run.progress.with_plan(plan))

    def report(stage: str, made: bool) -> None:
        plan.finish(stage, made=made)
        if on_stage:
            on_stage(StageDone(model, stage, made))

    report("count", count(sources, model, settings, force=force, run=run))
    plan.know(n_words=_check_atoms(model, atom_settings))
    embedding: dict[str, Any] = {"parameters": parameters, "sources": sources, "random_state": random_state}
    report("embed", embed(model, method, **embedding, force=force, run=run))
    if "map" in stages:
        map_settings = MapSettings(seed=random_state)
        report("map", map_contexts(model, map_settings, sources=sources, force=force, run=run))
    report("atomize", atomize(model, atom_settings, random_state=random_state, force=force, run=run))
    if "observe" in stages:
        observe_settings = ObserveSettings(seed=random_state)
        reading: dict[str, Any] = {"sources": sources, "force": force, "run": run}
        report("observe", observe(model, observe_settings, inventory=inventory, **reading))
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


def expected_seconds(
    n_bytes: int,
    n_words: int | None,
    *,
    method: str,
    settings: CountSettings | None,
    atom_settings: AtomSettings | None,
) -> dict[str, float]:
    """Return about how long each step takes, in the seconds of some machine, for a guess at the time left.

    Factors are those of the bundled English model (2 GB, 60,000 words, 2,500 atoms) on two cores. Before the words are
    counted, their number is guessed: it grows with the root of the text.
    """
    counting, atoms = settings or CountSettings(), atom_settings or AtomSettings()
    n_tokens = n_bytes / 6
    words = n_words or min(counting.max_words or 1 << 30, 16 * math.sqrt(n_tokens))
    runs = atoms.n_restarts * atoms.n_iterations + N_LAST_ITERATIONS
    n_atoms = atoms.n_atoms if isinstance(atoms.n_atoms, int) else min(MOST_ATOMS, words / WORDS_PER_ATOM)
    n_read = min(n_tokens / 2, 0.4 * words * ObserveSettings().n_occurrences)  # most words are rare
    return {
        "words": 1 + 1.5e-8 * n_bytes,
        "pairs": 1 + 3e-8 * n_bytes,
        "vectors": 2e-3 * words * (10 if find_trainer(method).has_epochs else 1),
        "windows": 1 + 1e-8 * n_bytes,
        "contexts": 1 + 4e-8 * n_bytes,
        "atoms": 1.2e-8 * words * n_atoms * runs,
        "neighbours": 5 + 3e-9 * words**2,
        "occurrences": 1 + 5e-8 * n_bytes,
        "senses": 8e-5 * n_read,
    }


def _check_atoms(folder: ModelFolder, settings: AtomSettings | None) -> int:
    """Return the number of words; raise for more atoms than words before the vectors are trained."""
    n_atoms, n_words = settings.n_atoms if settings else None, len(Vocabulary.load(folder.path))
    if isinstance(n_atoms, int) and n_atoms > n_words:
        raise InputError(f"{n_atoms:,} atoms were asked for but there are {n_words:,} words; pass fewer atoms.")
    return n_words


def streams_of(sources: Sequence[str | Path]) -> list[str]:
    """The sources that can be read only once."""
    return [str(source) for source in sources if str(source) == "-" or Path(source).is_fifo()]

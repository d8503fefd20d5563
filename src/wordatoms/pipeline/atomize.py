"""Embeddings → atoms and sparse codes (section 5), meta-atoms, a layout of the atoms, inflected forms and neighbours.

Each finished run of k-SVD is kept until all are done, so that an interrupted stage resumes after the last one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.ksvd import KSVDCallback
from wordatoms.atoms.labels import make_labels
from wordatoms.atoms.layout import FILE as LAYOUT
from wordatoms.atoms.layout import lay_out
from wordatoms.atoms.learning import (
    N_LAST_ITERATIONS,
    WORDS_PER_ATOM,
    WORTH_ADDING,
    AtomReport,
    KSVDRun,
    OverlapPoint,
    best_size,
    combine_runs,
    default_sizes,
    learn_run,
    overlap_point,
    sparsity_by_count,
)
from wordatoms.atoms.meta_atoms import N_META_ATOMS, MakeLabels, make_meta_atoms
from wordatoms.contexts.inflection import FILE as FORMS
from wordatoms.contexts.inflection import format_forms, is_common
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.items import ItemTexts
from wordatoms.embeddings.neighbours import MOST_WORDS, Neighbours, find_neighbours, n_blocks
from wordatoms.errors import InputError, ModelError
from wordatoms.progress import TrainingReport
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.annotations import set_aside
from wordatoms.senses.item_labels import label_by_texts
from wordatoms.senses.parts import load_vectors, make_word_forms, model_language
from wordatoms.storage.files import Checkpoint, save_array, write_atomic, write_json
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json

MOST_ATOMS = 2000
"""The default number of atoms; fewer for small vocabularies."""
FEWEST_ATOMS = 50
"""The default number of atoms is not halved below this."""
REPORT = "atom-report.json"
RUNS = "atoms"
"""Folder of finished runs, which are kept until all are done."""


@dataclass(frozen=True)
class AtomSettings:
    """How atoms are learned from the vectors of a model.

    Parameters
    ----------
    n_atoms : int or "auto", optional
        Atoms per run of k-SVD, and at most in the end; "auto" chooses among `sizes` by the overlap of two runs. By
        default 2000, or a fifth of the number of words if that is less; then half as many as long as less than half of
        the atoms of a run come back in a second one, as in a small text.
    sizes : tuple of int, optional
        Numbers of atoms that "auto" tries; by default they depend on the number of words.
    sparsity : int, default 5
        Maximum atoms per word.
    sparsity_range : (int, int), optional
        Maximum atoms of the rarest and of the most frequent words, growing with the logarithm of the count; replaces
        `sparsity`.
    n_restarts : int, default 5
        Runs of k-SVD from different seeds; atoms that only one run finds are dropped.
    n_iterations : int, default 25
        Iterations per run.
    nonnegative : bool, default False
        Allow no negative coefficients.
    vectors : {"word", "induced"}, default "word"
        Learn from the word vectors or from the induced vectors.
    n_meta_atoms : int, default 200
        Number of meta-atoms, which group the atoms; at most a tenth of the atoms.

    Examples
    --------
    >>> from wordatoms import AtomSettings
    >>> AtomSettings(n_atoms=500).sparsity
    5
    """

    n_atoms: int | Literal["auto"] | None = None
    sizes: tuple[int, ...] | None = None
    sparsity: int = 5
    sparsity_range: tuple[int, int] | None = None
    n_restarts: int = 5
    n_iterations: int = 25
    nonnegative: bool = False
    vectors: Literal["word", "induced"] = "word"
    n_meta_atoms: int = N_META_ATOMS


def atomize(
    folder: ModelFolder,
    settings: AtomSettings | None = None,
    *,
    random_state: int = 0,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Learn the atoms of a model's vectors: stage 4 of `train`.

    Parameters
    ----------
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    settings : AtomSettings, optional
        Number of atoms, sparsity and restarts.
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
    >>> import wordatoms as wa
    >>> from wordatoms.pipeline.atomize import atomize
    >>> from wordatoms.storage.folder import ModelFolder
    >>> atomize(ModelFolder("my.model"), wa.AtomSettings(n_atoms=1000))  # doctest: +SKIP
    True
    """
    settings = settings or AtomSettings()
    with folder.working():
        facts = _facts(folder, settings, random_state)
        if folder.is_done("atomize", facts, force=force):
            return False
        learner = _make_learner(folder, settings, facts, run)
        embeddings = learner.embeddings

        def make(forget: Callable[[], None]) -> list[str]:
            atoms, report = learner.learn()
            make_all_labels = _labeller(folder, embeddings)
            atoms = replace(atoms, labels=make_all_labels(atoms.nearest, atoms.cosines))
            meta = make_meta_atoms(
                embeddings,
                atoms,
                n_meta_atoms=settings.n_meta_atoms,
                random_state=random_state,
                threads=run.threads,
                make_labels=make_all_labels,
            )
            layout = lay_out(atoms.vectors, random_state=random_state)
            word_vectors = embeddings if settings.vectors == "word" else load_vectors(folder.path, "word")
            neighbours = _find_neighbours(word_vectors, run)
            with folder.staging() as staged:
                atoms.save(staged, embeddings.words)
                meta.save(staged)
                save_array(staged / LAYOUT, layout)
                if neighbours is not None:
                    neighbours.save(staged)
                with write_atomic(staged / FORMS) as file:
                    file.write(b"" if folder.has_items else _list_forms(embeddings, model_language(folder)))
                write_json(staged / REPORT, report)
                forget()
                set_aside(folder.path, atoms.fingerprint)  # notes on the old atoms, which are gone now
                return folder.install(staged, forget)

        folder.build("atomize", facts, make)
    return True


def _labeller(folder: ModelFolder, embeddings: Embeddings) -> MakeLabels:
    """Return what labels atoms, given their nearest rows: by words of the language, or by what the texts share."""
    if folder.has_items:
        texts = ItemTexts.load(folder.path, len(embeddings))
        return lambda nearest, _: label_by_texts(texts, nearest)
    known = partial(is_common, language=model_language(folder))
    return lambda nearest, cosines: make_labels(embeddings, nearest, cosines, known)


def _list_forms(embeddings: Embeddings, language: str) -> bytes:
    return format_forms(make_word_forms(embeddings.words, embeddings.counts, language))


def _find_neighbours(embeddings: Embeddings, run: Run) -> Neighbours | None:
    """Find the neighbours of all words; None if there are too many words for that."""
    if len(embeddings) > MOST_WORDS:
        return None
    with run.progress.item_bar("neighbours", n_items=n_blocks(len(embeddings))) as step:
        return find_neighbours(embeddings, threads=run.threads, callback=step)


def learn_atoms(folder: ModelFolder, settings: AtomSettings, *, random_state: int = 0, run: Run = DEFAULT_RUN) -> Atoms:
    """Learn atoms with these settings on trial; the model is not changed."""
    facts = _facts(folder, settings, random_state)
    learner = _make_learner(folder, settings, facts, run)
    atoms, _ = learner.learn()
    learner.forget_runs()
    return atoms


def _facts(folder: ModelFolder, settings: AtomSettings, random_state: int) -> dict[str, Any]:
    return {**asdict(settings), "seed": random_state, "input": _input_hashes(folder, settings.vectors)}


def _make_learner(folder: ModelFolder, settings: AtomSettings, facts: dict[str, Any], run: Run) -> _Learner:
    folder.check_inputs("atomize", facts)
    embeddings = load_vectors(folder.path, settings.vectors)
    return _Learner(embeddings, settings, facts, folder.work / RUNS, run)


@dataclass
class _WorkLeft:
    """How much of the learning is done; what is left changes when the number of atoms does."""

    done: int = 0
    left: int = 0

    def take(self, cost: int) -> tuple[float, float]:
        """Do a piece of work; return the shares of the whole at which it begins and ends."""
        total = max(self.done + max(self.left, cost), 1)
        begin, self.done, self.left = self.done, self.done + cost, max(self.left - cost, 0)
        return begin / total, self.done / total


@dataclass(frozen=True)
class _Learner:
    """Runs k-SVD on one embedding, and keeps each run on disk until the stage is done."""

    embeddings: Embeddings
    settings: AtomSettings
    facts: dict[str, Any]
    work: Path
    resources: Run
    work_left: _WorkLeft = field(default_factory=_WorkLeft)

    @property
    def coding(self) -> dict[str, Any]:
        settings = self.settings
        limits: int | NDArray[np.int64] = settings.sparsity
        if settings.sparsity_range:
            limits = sparsity_by_count(self.embeddings, *settings.sparsity_range)
        return {"sparsity": limits, "nonnegative": settings.nonnegative, "threads": self.resources.threads}

    def learn(self) -> tuple[Atoms, dict[str, Any]]:
        """Return the combined atoms of all runs and a report on them."""
        n_atoms, curve = self.choose_size()
        atoms, report = self.combine([self.run(n_atoms, restart) for restart in range(self.settings.n_restarts)])
        points = [point._asdict() for point in curve]
        return atoms, {"n_atoms_per_run": n_atoms, **report.to_json(), "overlap_curve": points}

    def choose_size(self) -> tuple[int, list[OverlapPoint]]:
        """Return the number of atoms, and the overlap curve if it was chosen by that."""
        n_words = int(np.count_nonzero(self.embeddings.vectors.any(axis=1)))
        if self.settings.n_atoms is None:
            return self._halve(max(1, min(MOST_ATOMS, n_words // WORDS_PER_ATOM)))
        if self.settings.n_atoms != "auto":
            self.work_left.left = self._cost(self.settings.n_atoms)
            return self.settings.n_atoms, []
        sizes = self.settings.sizes or default_sizes(n_words)
        self.work_left.left = sum(self._run_cost(size) for size in sizes) * 2 + self._cost(max(sizes))
        curve = [self._overlap(size) for size in sizes]
        return best_size(curve), curve

    def _halve(self, n_atoms: int) -> tuple[int, list[OverlapPoint]]:
        """Halve the number of atoms until at least half of those of a run come back in a second one."""
        curve: list[OverlapPoint] = []
        while self.settings.n_restarts > 1:
            self.work_left.left = self._cost(n_atoms)
            curve.append(self._overlap(n_atoms))
            if curve[-1].overlap >= WORTH_ADDING or n_atoms // 2 < FEWEST_ATOMS:
                break
            n_atoms //= 2
        return n_atoms, curve if len(curve) > 1 else []

    def _overlap(self, n_atoms: int) -> OverlapPoint:
        return overlap_point([self.run(n_atoms, restart) for restart in range(2)])

    def _cost(self, n_atoms: int) -> int:
        """Return how long all runs take, in the unit of `_run_cost`."""
        return self._run_cost(n_atoms) * self.settings.n_restarts + n_atoms * N_LAST_ITERATIONS

    def _run_cost(self, n_atoms: int) -> int:
        """Return how long a run takes: its time grows with the number of atoms."""
        return n_atoms * self.settings.n_iterations

    def run(self, n_atoms: int, restart: int) -> KSVDRun:
        unneeded = ("n_atoms", "n_restarts", "sizes", "n_meta_atoms", "seed")
        key = {name: value for name, value in self.facts.items() if name not in unneeded}
        seed = self.facts["seed"] + restart
        checkpoint = Checkpoint(self.work / f"{n_atoms}-{seed}.npz", {**key, "n_atoms": n_atoms, "seed": seed})
        saved = checkpoint.load()
        if saved:
            return KSVDRun(saved.arrays["atoms"], saved.arrays["n_users"], float(saved.arrays["error"]))
        run = self._learn(n_atoms, restart, seed)
        checkpoint.save(1, {"atoms": run.atoms, "n_users": run.n_users, "error": np.array(run.error)})
        return run

    def _learn(self, n_atoms: int, restart: int, seed: int) -> KSVDRun:
        n_iterations = self.settings.n_iterations
        detail = f"{n_atoms:,} atoms, run {restart + 1} of {self.settings.n_restarts}"
        with self._bar(detail, n_iterations, self._run_cost(n_atoms)) as callback:
            settings = {"n_iterations": n_iterations, "random_state": seed, "callback": callback, **self.coding}
            return learn_run(self.embeddings, n_atoms=n_atoms, **settings)

    def combine(self, runs: Sequence[KSVDRun]) -> tuple[Atoms, AtomReport]:
        with self._bar("all runs together", N_LAST_ITERATIONS, self.work_left.left) as callback:
            return combine_runs(self.embeddings, runs, callback=callback, **self.coding)

    @contextmanager
    def _bar(self, detail: str, n_iterations: int, cost: int) -> Iterator[KSVDCallback]:
        part = self.work_left.take(cost)
        with self.resources.progress.training_bar("atoms", detail=detail, part=part) as report:
            yield lambda iteration, error, seconds: report(TrainingReport(iteration, n_iterations, error, seconds))

    def forget_runs(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)


def _input_hashes(folder: ModelFolder, vectors: str) -> dict[str, str]:
    """Return the checksums of the files that the atoms are learned from."""
    if vectors not in ("word", "induced"):
        raise InputError(f"vectors is '{vectors}'; pass 'word' or 'induced'.")
    stages = ["import" if "import" in folder.stages else "embed", *(["map"] if vectors == "induced" else [])]
    records = [folder.require(stage, f"run: wordatoms {stage} {folder.path}") for stage in stages]
    files = {name: file for record in records for name, file in record["files"].items()}
    return {name: file["sha256"] for name, file in files.items() if name.endswith(".npy") and "state-" not in name}


def read_atom_report(folder: ModelFolder) -> dict[str, Any]:
    """Read the report on how the atoms of a model were learned."""
    path = folder.path / REPORT
    try:
        report: dict[str, Any] = read_json(path)
        _check_report(report)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{path} cannot be read ({error}); run: wordatoms atomize {folder.path} --force") from error
    return report


def _check_report(report: dict[str, Any]) -> None:
    """Raise for a report that is damaged or comes from another version."""
    lists = {"overlap_pairs", "words_per_atom", "overlap_curve"}
    numbers = {field.name for field in fields(AtomReport)} - lists | {"n_atoms_per_run"}
    for name in numbers:
        if not isinstance(report[name], int | float) and (name, report[name]) != ("overlap", None):
            raise TypeError(f"'{name}' is not a number")
    if len(report["words_per_atom"]) != 5 or not isinstance(report["overlap_curve"], list):
        raise TypeError("'words_per_atom' or 'overlap_curve' has the wrong type")
    for point in report["overlap_curve"]:
        OverlapPoint(**point)

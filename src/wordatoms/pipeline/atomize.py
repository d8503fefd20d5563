"""Embeddings → atoms, the senses of every word, meta-atoms, a map of the atoms, the forms and neighbours of all words.

Each finished run of k-SVD is kept until all are done, so that an interrupted stage goes on from the last one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.ksvd import KSVDCallback
from wordatoms.atoms.layout import FILE as LAYOUT
from wordatoms.atoms.layout import lay_out
from wordatoms.atoms.learning import (
    N_LAST_ITERATIONS,
    WORDS_PER_ATOM,
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
from wordatoms.atoms.meta_atoms import N_META_ATOMS, make_meta_atoms
from wordatoms.contexts.inflection import FILE as FORMS
from wordatoms.contexts.inflection import format_forms
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.neighbours import MOST_WORDS, Neighbours, find_neighbours, n_blocks
from wordatoms.errors import InputError, ModelError
from wordatoms.progress import TrainingReport
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.annotations import set_aside
from wordatoms.senses.parts import load_vectors
from wordatoms.storage.files import Checkpoint, save_array, write_atomic, write_json
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.untrusted import read_json

MOST_ATOMS = 2000
"""The default number of atoms, or fewer where there are not words enough."""
REPORT = "atom-report.json"
RUNS = "atoms"
"""Where finished runs are kept until all are done."""


@dataclass(frozen=True)
class AtomSettings:
    """Settings of the k-SVD that learns the atoms, and of the meta-atoms.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.AtomSettings(n_atoms=500, sparsity=3).n_restarts
    5
    """

    n_atoms: int | Literal["auto"] | None = None
    """Number of atoms. None takes the default; "auto" chooses among `sizes` by the overlap of restarts."""
    sizes: tuple[int, ...] | None = None
    """Numbers of atoms that "auto" tries; None takes those that suit the number of words."""
    sparsity: int = 5
    """Maximum atoms per word."""
    sparsity_range: tuple[int, int] | None = None
    """Fewest and most atoms of a word, growing with the logarithm of its count; instead of `sparsity`."""
    n_restarts: int = 5
    """Runs of k-SVD from different starts."""
    n_iterations: int = 25
    """Iterations of k-SVD per run."""
    nonnegative: bool = False
    """Whether weights must not be negative."""
    vectors: Literal["word", "induced"] = "word"
    """Learn from the word vectors or from the induced ones."""
    n_meta_atoms: int = N_META_ATOMS
    """Number of meta-atoms."""


def atomize(
    folder: ModelFolder,
    settings: AtomSettings | None = None,
    *,
    random_state: int = 0,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Learn the atoms of a model's vectors. False where they were there already."""
    settings = settings or AtomSettings()
    with folder.working():
        facts = _facts(folder, settings, random_state)
        if folder.is_done("atomize", facts, force=force):
            return False
        learner = _make_learner(folder, settings, facts, run)
        embeddings = learner.embeddings

        def make(forget: Callable[[], None]) -> list[str]:
            atoms, report = learner.learn()
            meta = make_meta_atoms(
                embeddings, atoms, n_meta_atoms=settings.n_meta_atoms, random_state=random_state, threads=run.threads
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
                    file.write(format_forms(embeddings.words))
                write_json(staged / REPORT, report)
                forget()
                set_aside(folder.path, atoms.fingerprint)  # those on the old atoms, once these are gone
                return folder.install(staged, forget)

        folder.build("atomize", facts, make)
    return True


def _find_neighbours(embeddings: Embeddings, run: Run) -> Neighbours | None:
    """Of all words; none where these are so many that it would take too long."""
    if len(embeddings) > MOST_WORDS:
        return None
    with run.progress.item_bar("neighbours", n_items=n_blocks(len(embeddings))) as step:
        return find_neighbours(embeddings, threads=run.threads, callback=step)


def learn_atoms(folder: ModelFolder, settings: AtomSettings, *, random_state: int = 0, run: Run = DEFAULT_RUN) -> Atoms:
    """The atoms of a model's vectors with these settings, on trial: the model stays as it is."""
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


@dataclass(frozen=True)
class _Learner:
    """Runs of k-SVD on one embedding, each kept on disk until the stage is done."""

    embeddings: Embeddings
    settings: AtomSettings
    facts: dict[str, Any]
    work: Path
    resources: Run

    @property
    def coding(self) -> dict[str, Any]:
        settings = self.settings
        limits: int | NDArray[np.int64] = settings.sparsity
        if settings.sparsity_range:
            limits = sparsity_by_count(self.embeddings, *settings.sparsity_range)
        return {"sparsity": limits, "nonnegative": settings.nonnegative, "threads": self.resources.threads}

    def learn(self) -> tuple[Atoms, dict[str, Any]]:
        """The atoms of all runs together, and the report on them."""
        n_atoms, curve = self.choose_size()
        atoms, report = self.combine([self.run(n_atoms, restart) for restart in range(self.settings.n_restarts)])
        points = [point._asdict() for point in curve]
        return atoms, {"n_atoms_per_run": n_atoms, **report.to_json(), "overlap_curve": points}

    def choose_size(self) -> tuple[int, list[OverlapPoint]]:
        """The number of atoms, and the curve behind it where it was chosen by overlap."""
        n_words = int(np.count_nonzero(self.embeddings.vectors.any(axis=1)))
        if self.settings.n_atoms is None:
            return max(1, min(MOST_ATOMS, n_words // WORDS_PER_ATOM)), []
        if self.settings.n_atoms != "auto":
            return self.settings.n_atoms, []
        sizes = self.settings.sizes or default_sizes(n_words)
        curve = [overlap_point([self.run(size, restart) for restart in range(2)]) for size in sizes]
        return best_size(curve), curve

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
        with self._bar(f"run {restart + 1} of {n_atoms:,}", n_iterations) as callback:
            settings = {"n_iterations": n_iterations, "random_state": seed, "callback": callback, **self.coding}
            return learn_run(self.embeddings, n_atoms=n_atoms, **settings)

    def combine(self, runs: Sequence[KSVDRun]) -> tuple[Atoms, AtomReport]:
        with self._bar("all runs together", N_LAST_ITERATIONS) as callback:
            return combine_runs(self.embeddings, runs, callback=callback, **self.coding)

    @contextmanager
    def _bar(self, detail: str, n_iterations: int) -> Iterator[KSVDCallback]:
        with self.resources.progress.training_bar("atoms", detail=detail) as report:
            yield lambda iteration, error, seconds: report(TrainingReport(iteration, n_iterations, error, seconds))

    def forget_runs(self) -> None:
        shutil.rmtree(self.work, ignore_errors=True)


def _input_hashes(folder: ModelFolder, vectors: str) -> dict[str, str]:
    """The checksums of what the atoms are learned from."""
    if vectors not in ("word", "induced"):
        raise InputError(f"vectors is '{vectors}'; pass 'word' or 'induced'.")
    stages = ["import" if "import" in folder.stages else "embed", *(["map"] if vectors == "induced" else [])]
    records = [folder.require(stage, f"run: wordatoms {stage} {folder.path}") for stage in stages]
    files = {name: file for record in records for name, file in record["files"].items()}
    return {name: file["sha256"] for name, file in files.items() if name.endswith(".npy") and "state-" not in name}


def read_atom_report(folder: ModelFolder) -> dict[str, Any]:
    """What happened on the way to the atoms of a model."""
    path = folder.path / REPORT
    try:
        report: dict[str, Any] = read_json(path)
        _check_report(report)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ModelError(f"{path} cannot be read ({error}); run: wordatoms atomize {folder.path} --force") from error
    return report


def _check_report(report: dict[str, Any]) -> None:
    """The file may be damaged, or come from another version."""
    lists = {"overlap_pairs", "words_per_atom", "overlap_curve"}
    numbers = {field.name for field in fields(AtomReport)} - lists | {"n_atoms_per_run"}
    for name in numbers:
        if not isinstance(report[name], int | float) and (name, report[name]) != ("overlap", None):
            raise TypeError(f"'{name}' is no number")
    if len(report["words_per_atom"]) != 5 or not isinstance(report["overlap_curve"], list):
        raise TypeError("'words_per_atom' or 'overlap_curve' is not of its kind")
    for point in report["overlap_curve"]:
        OverlapPoint(**point)

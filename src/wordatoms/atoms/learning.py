"""From word vectors to atoms: restarts of k-SVD, merging, a last k-SVD, dropping what means nothing, coding all words.

Section 5 of the paper learns several bases from different random starts, combines them, and leaves out about 100 atoms
that very many words use or that no word is close to. Here:

1. k-SVD from several seeds;
2. an atom stays if it comes back in at least two of the runs (a cosine above 0.8), and atoms this near to each other
   become one, their mean direction;
3. a shorter k-SVD starts from these, because means of atoms fit the words less well than atoms do; it may move them a
   little, and those that have become near to each other are merged once more;
4. an atom is dropped if unusually many words use it, or if its nearest words are no nearer to it than words are to a
   sum of five random words with random signs (which cancel what all words have in common);
5. all words are coded over what is left (at length 1, so that weights can be compared between words), and the atoms
   are numbered by falling use.

Left out: choosing the number of atoms (`wordatoms.atoms.choosing`) and the meta-atoms (`wordatoms.atoms.meta_atoms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms, describe_atoms, nearest_words, renumbered
from wordatoms.atoms.ksvd import KSVDCallback, ksvd
from wordatoms.atoms.sparse_coding import SparseCodes, Sparsity, sparse_code
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError

Vectors = NDArray[np.float32]

OVERLAP_COSINE = 0.85
"""Two atoms of different runs this near count as the same when overlap is measured, as in the paper."""
MERGE_COSINE = 0.8
"""Atoms nearer than this become one."""
FEWEST_RUNS = 2
"""An atom must come back in so many runs."""
N_LAST_ITERATIONS = 10
"""Of the k-SVD that starts from the merged atoms."""
N_COHERENCE = 10
"""Nearest words that are looked at to see whether an atom means anything."""
N_MIXED_WORDS = 5
N_MIXTURES = 200
"""Sums of random words, and how many of them: what an atom without meaning would look like."""
OUTLIER = 4.0
"""Robust standard deviations (of the logarithm) above the median at which the users of an atom are too many."""


class KSVDRun(NamedTuple):
    """One k-SVD: its atoms, how many words use each, and its relative error."""

    atoms: Vectors
    n_users: NDArray[np.int64]
    error: float


@dataclass(frozen=True)
class AtomReport:
    """What happened on the way from the runs to the atoms."""

    n_runs: int
    overlap: float | None
    """The mean share of the atoms of one run that have a match above 0.85 in another; None of one run alone."""
    overlap_pairs: tuple[tuple[int, int, float], ...]
    """That share for each ordered pair of runs."""
    n_learned: int
    """Atoms of all runs together."""
    n_unrepeated: int
    """Left out because no other run has them."""
    n_merged: int
    """Gone into another atom."""
    merged_error: float
    """The relative error of the atoms that were left then, before the last k-SVD."""
    n_overused: int
    """Dropped because unusually many words use them."""
    n_incoherent: int
    """Dropped because no words are close to them."""
    n_atoms: int
    most_users: float
    """The number of users above which an atom was dropped."""
    least_coherence: float
    """The mean cosine to its nearest words below which an atom was dropped."""
    run_error: float
    """The mean relative error of the runs."""
    error: float
    """The relative error of the codes over the final atoms."""
    share_nonnegative: float
    """Of all coefficients."""
    atoms_per_word: float
    """Mean number of atoms with a positive weight."""
    words_per_atom: tuple[float, ...]
    """Least, lower quartile, median, upper quartile and most words with a sense in an atom."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Combined(NamedTuple):
    """The atoms of several runs put together."""

    atoms: Vectors
    n_unrepeated: int
    n_merged: int


class Meaningless(NamedTuple):
    """Which atoms mean nothing, and the bounds they are beyond."""

    overused: NDArray[np.bool_]
    incoherent: NDArray[np.bool_]
    most_users: float
    least_coherence: float


def learn_atoms(
    embeddings: Embeddings,
    *,
    n_atoms: int = 2000,
    sparsity: Sparsity = 5,
    n_restarts: int = 5,
    n_iterations: int = 25,
    nonnegative: bool = False,
    random_state: int = 0,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
) -> tuple[Atoms, AtomReport]:
    """The atoms of an embedding, from one k-SVD for each of the seeds random_state, random_state + 1, …"""
    runs = [
        learn_run(
            embeddings,
            n_atoms=n_atoms,
            sparsity=sparsity,
            n_iterations=n_iterations,
            nonnegative=nonnegative,
            random_state=random_state + restart,
            threads=threads,
            callback=callback,
        )
        for restart in range(n_restarts)
    ]
    options: dict[str, Any] = {"sparsity": sparsity, "nonnegative": nonnegative, "threads": threads}
    return combine_runs(embeddings, runs, **options, callback=callback)


def learn_run(embeddings: Embeddings, *, n_atoms: int, sparsity: Sparsity = 5, **options: Any) -> KSVDRun:
    """One k-SVD of the word vectors; options as of `ksvd`."""
    n_known = int(np.count_nonzero(embeddings.vectors.any(axis=1)))
    if not n_known:
        raise InputError("all vectors are zero, and there is nothing to learn atoms from; train or import others.")
    if n_atoms > n_known:
        raise InputError(
            f"{n_atoms:,} atoms were asked for but only {n_known:,} words have a vector; pass fewer atoms."
        )
    result = ksvd(embeddings.vectors, n_atoms=n_atoms, sparsity=np.minimum(sparsity, n_atoms), **options)
    return KSVDRun(result.atoms, _n_users(result.codes), result.error)


def combine_runs(
    embeddings: Embeddings,
    runs: Sequence[KSVDRun],
    *,
    sparsity: Sparsity = 5,
    nonnegative: bool = False,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
) -> tuple[Atoms, AtomReport]:
    """One set of atoms from several runs, without those that mean nothing; and what was done."""
    options: dict[str, Any] = {"sparsity": sparsity, "nonnegative": nonnegative, "threads": threads}
    combined = merge_runs(runs)
    last = learn_run(
        embeddings,
        n_atoms=len(combined.atoms),
        start=combined.atoms,
        n_iterations=N_LAST_ITERATIONS,
        callback=callback,
        **options,
    )
    meaningless = find_meaningless(embeddings, last)
    meaningful = last.atoms[~(meaningless.overused | meaningless.incoherent)]
    kept = merge_near(meaningful)
    atoms = _by_use(embeddings, kept, _code_words(embeddings, kept, **options))
    pairs = overlaps([run.atoms for run in runs])
    report = AtomReport(
        n_runs=len(runs),
        overlap=float(np.mean([share for *_, share in pairs])) if pairs else None,
        overlap_pairs=tuple(pairs),
        n_learned=sum(len(run.atoms) for run in runs),
        n_unrepeated=combined.n_unrepeated,
        n_merged=combined.n_merged + len(meaningful) - len(kept),
        merged_error=_relative_error(embeddings, combined.atoms, _code_words(embeddings, combined.atoms, **options)),
        n_overused=int(meaningless.overused.sum()),
        n_incoherent=int((meaningless.incoherent & ~meaningless.overused).sum()),
        n_atoms=len(atoms),
        most_users=meaningless.most_users,
        least_coherence=meaningless.least_coherence,
        run_error=float(np.mean([run.error for run in runs])),
        error=_relative_error(embeddings, atoms.vectors, atoms.codes),
        **_code_facts(atoms),
    )
    return atoms, report


def _code_words(embeddings: Embeddings, atoms: Vectors, *, sparsity: Sparsity, **options: Any) -> SparseCodes:
    """The codes of all words at length 1, over atoms that may be fewer than the sparsity."""
    return sparse_code(embeddings.unit_vectors, atoms, sparsity=np.minimum(sparsity, len(atoms)), **options)


# --- several runs


def overlaps(runs: Sequence[Vectors]) -> list[tuple[int, int, float]]:
    """For each ordered pair of runs, the share of the atoms of the first that have a match in the second."""
    return [
        (first, second, float(((atoms @ others.T).max(axis=1) > OVERLAP_COSINE).mean()))
        for first, atoms in enumerate(runs)
        for second, others in enumerate(runs)
        if first != second
    ]


def merge_runs(runs: Sequence[KSVDRun]) -> Combined:
    """The atoms that come back in several runs, each group of near ones as one."""
    atoms = np.concatenate([run.atoms for run in runs])
    origins = np.repeat(np.arange(len(runs)), [len(run.atoms) for run in runs])
    n_users = np.concatenate([run.n_users for run in runs])
    n_found = _n_runs_with_match(atoms, origins)
    repeated = np.flatnonzero(n_found >= min(FEWEST_RUNS, len(runs)))
    if not len(repeated):
        raise InputError("no atom came back in a second run; ask for fewer atoms, or for one restart.")
    order = repeated[np.lexsort((repeated, -n_users[repeated], -n_found[repeated]))]
    merged = merge_near(atoms[order])
    return Combined(merged, len(atoms) - len(repeated), len(repeated) - len(merged))


def _n_runs_with_match(atoms: Vectors, origins: NDArray[np.intp]) -> NDArray[np.int64]:
    """In how many runs each atom is found, its own included."""
    n_found = np.zeros(len(atoms), np.int64)
    for run in np.unique(origins):
        n_found += (atoms @ atoms[origins == run].T).max(axis=1) > MERGE_COSINE
    return n_found


def merge_near(atoms: Vectors) -> Vectors:
    """Atoms of which no two are near each other."""
    while len(merged := _merge_once(atoms)) < len(atoms):
        atoms = merged
    return atoms


def _merge_once(atoms: Vectors) -> Vectors:
    """Each atom takes in those near it that are still alone, the first atoms first."""
    alone = np.ones(len(atoms), bool)
    merged = []
    for place, atom in enumerate(atoms):
        if alone[place]:
            group = alone & (atoms @ atom > MERGE_COSINE)
            group[place] = True  # whatever rounding says of its own cosine
            alone &= ~group
            mean = atoms[group].sum(axis=0, dtype=np.float64)
            merged.append(mean / np.linalg.norm(mean))
    return np.array(merged, np.float32)


# --- atoms without meaning


def find_meaningless(embeddings: Embeddings, run: KSVDRun) -> Meaningless:
    """The atoms that unusually many words use, and those without close words."""
    most, least = _most_users(run.n_users), least_coherence(embeddings)
    overused, incoherent = run.n_users > most, coherences(embeddings, run.atoms) < least
    if (overused | incoherent).all():  # so few words that nothing stands out
        overused, incoherent = np.zeros_like(overused), np.zeros_like(incoherent)
    return Meaningless(overused, incoherent, most, least)


def coherences(embeddings: Embeddings, vectors: Vectors) -> NDArray[np.float64]:
    """The mean cosine of each vector with its nearest words."""
    cosines = nearest_words(embeddings, vectors, N_COHERENCE)[1]
    return np.asarray(cosines.mean(axis=1, dtype=np.float64))


def least_coherence(embeddings: Embeddings) -> float:
    """Above the coherence of nearly all sums of random words with random signs."""
    rng = np.random.default_rng(0)
    known = np.flatnonzero(embeddings.vectors.any(axis=1))
    chosen = rng.choice(known, (N_MIXTURES, N_MIXED_WORDS))
    signs = rng.choice(np.array([-1, 1], np.float32), (N_MIXTURES, N_MIXED_WORDS, 1))
    mixtures = (signs * embeddings.unit_vectors[chosen]).sum(axis=1)
    return float(np.quantile(coherences(embeddings, mixtures), 0.95))


def _most_users(n_users: NDArray[np.int64]) -> float:
    """The number of users above which an atom stands far outside the others, by median and quartiles."""
    logs = np.log1p(n_users)
    lower, median, upper = np.quantile(logs, [0.25, 0.5, 0.75])
    spread = max((upper - lower) / 1.349, 0.1)  # the quartiles of a normal distribution are 1.349 deviations apart
    return float(np.expm1(median + OUTLIER * spread))


# --- the final atoms


def _n_users(codes: SparseCodes) -> NDArray[np.int64]:
    return np.bincount(codes.atoms[codes.atoms >= 0], minlength=codes.n_atoms)


def _by_use(embeddings: Embeddings, vectors: Vectors, codes: SparseCodes) -> Atoms:
    """The atoms numbered by falling use."""
    order = np.argsort(-_n_users(codes), kind="stable")
    return describe_atoms(embeddings, vectors[order], renumbered(codes, order))


def _relative_error(embeddings: Embeddings, atoms: Vectors, codes: SparseCodes) -> float:
    """Of the word vectors as they are: the error of a unit vector counts by the squared length of the vector."""
    left = total = 0.0
    for start in range(0, len(embeddings), 4096):
        block = slice(start, start + 4096)
        rest = embeddings.unit_vectors[block] - codes[block].decode(atoms)
        squares = np.square(embeddings.vectors[block], dtype=np.float64).sum(axis=1)
        left += float(np.square(rest, dtype=np.float64).sum(axis=1) @ squares)
        total += float(squares.sum())
    return left / total if total else 0.0


def _code_facts(atoms: Atoms) -> dict[str, Any]:
    positive = atoms.codes.weights > 0
    return {
        "share_nonnegative": atoms.codes.share_positive,
        "atoms_per_word": float(positive.sum(axis=1).mean()),
        "words_per_atom": tuple(np.quantile(atoms.n_words, [0, 0.25, 0.5, 0.75, 1]).tolist()),
    }

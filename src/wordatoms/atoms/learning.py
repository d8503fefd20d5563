"""From word vectors to atoms: k-SVD runs, merging, a last k-SVD, dropping of meaningless atoms, coding of words.

Section 5 of the paper learns several bases from different random starts, combines them, and drops about 100 atoms that
very many words use or that no word is close to. Here:

1. k-SVD from several seeds;
2. an atom is kept if it comes back in at least two of the runs (with a cosine above 0.8), and atoms this close to each
   other are merged into their mean direction; of more than a run has, those that most runs found are kept;
3. a shorter k-SVD starts from the merged atoms, because means of atoms fit the words less well than atoms do; it may
   move atoms close to each other, and these are merged again;
4. an atom is dropped if its nearest words are no closer to it than words are to a sum of five random words with random
   signs (which cancel what all words have in common);
5. all words are coded over the remaining atoms, as unit vectors, so that weights are comparable between words. Atoms
   that unusually many words use are dropped and the words coded again, until there are none. Atoms are numbered by
   decreasing use.

The number of atoms is chosen as in the paper: at the right size, a large share of the atoms of one run have a very
close atom in another run; with too many atoms, each run splits what belongs together in its own way. The paper also
lets the number of atoms of a word grow with its frequency (`sparsity_by_count`).

Left out: the meta-atoms (`wordatoms.atoms.meta_atoms`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
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
"""Atoms of different runs closer than this are the same when overlap is measured, as in the paper."""
MERGE_COSINE = 0.8
"""Atoms closer than this are merged."""
FEWEST_RUNS = 2
"""Runs that must contain an atom for it to be kept."""
N_LAST_ITERATIONS = 10
"""Iterations of the k-SVD that starts from the merged atoms."""
N_COHERENCE = 10
"""The coherence of an atom is its mean cosine with this many nearest words."""
N_MIXED_WORDS = 5
"""Random words in a sum that looks like an atom without meaning."""
N_MIXTURES = 200
"""Number of such sums."""
OUTLIER = 4.0
"""An atom is overused if the logarithm of its users is this many robust standard deviations above the median."""
SIZES = (500, 1000, 1500, 2000, 3000, 4000)
"""Numbers of atoms to choose from, for a large vocabulary."""
WORDS_PER_ATOM = 5
"""Minimum number of words per atom."""
WORTH_ADDING = 0.5
"""More atoms are worth adding as long as this share of them come back in another run."""


class KSVDRun(NamedTuple):
    """The atoms of one k-SVD, the number of words that use each, and the relative error."""

    atoms: Vectors
    n_users: NDArray[np.int64]
    error: float


@dataclass(frozen=True)
class AtomReport:
    """What happened between the runs and the final atoms."""

    n_runs: int
    overlap: float | None
    """Mean share of the atoms of one run with a match above 0.85 in another; None for a single run."""
    overlap_pairs: tuple[tuple[int, int, float], ...]
    """(first run, second run, share) for each ordered pair of runs."""
    n_learned: int
    """Atoms of all runs together."""
    n_unrepeated: int
    """Atoms left out because no other run has them, or too few to be among as many as were asked for."""
    n_merged: int
    """Atoms merged into another one."""
    merged_error: float
    """Relative error with the merged atoms, before the last k-SVD."""
    n_overused: int
    """Atoms dropped because unusually many words use them."""
    n_incoherent: int
    """Atoms dropped because no words are close to them."""
    n_atoms: int
    most_users: float
    """Number of users that no atom exceeds."""
    least_coherence: float
    """Coherence below which an atom was dropped."""
    run_error: float
    """Mean relative error of the runs."""
    error: float
    """Relative error of the codes over the final atoms."""
    share_nonnegative: float
    """Share of the non-zero weights that are positive."""
    atoms_per_word: float
    """Mean number of atoms with a positive weight."""
    words_per_atom: tuple[float, ...]
    """Minimum, quartiles and maximum of the number of words with a sense in an atom."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Combined(NamedTuple):
    """The merged atoms of several runs."""

    atoms: Vectors
    n_unrepeated: int
    n_merged: int


class Coded(NamedTuple):
    """Atoms none of which is overused, and the codes of all words over them."""

    atoms: Vectors
    codes: SparseCodes
    n_overused: int
    """Atoms dropped."""
    most_users: float
    """The bound that no atom exceeds."""


def learn_run(embeddings: Embeddings, *, n_atoms: int, sparsity: Sparsity = 5, **options: Any) -> KSVDRun:
    """Run k-SVD on the word vectors, with the options of `ksvd`."""
    n_known = int(np.count_nonzero(embeddings.vectors.any(axis=1)))
    if not n_known:
        raise InputError("all word vectors are zero, so there are no atoms to learn; train or import other vectors.")
    if n_atoms > n_known:
        raise InputError(
            f"{n_atoms:,} atoms were asked for but only {n_known:,} words or items have a vector; pass fewer atoms."
        )
    result = ksvd(embeddings.vectors, n_atoms=n_atoms, sparsity=np.minimum(sparsity, n_atoms), **options)
    return KSVDRun(result.atoms, count_users(result.codes), result.error)


def combine_runs(
    embeddings: Embeddings,
    runs: Sequence[KSVDRun],
    *,
    sparsity: Sparsity = 5,
    nonnegative: bool = False,
    threads: int | None = None,
    callback: KSVDCallback | None = None,
) -> tuple[Atoms, AtomReport]:
    """Combine several runs into one set of meaningful atoms; return it with a report."""
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
    merged = merge_near(last.atoms)
    least = least_coherence(embeddings)
    incoherent = find_incoherent(embeddings, merged, least)
    coded = drop_overused(embeddings, merged[~incoherent], **options)
    by_use = np.argsort(-count_users(coded.codes), kind="stable")  # atoms are numbered by decreasing use
    atoms = describe_atoms(embeddings, coded.atoms[by_use], renumbered(coded.codes, by_use))
    pairs = overlaps([run.atoms for run in runs])
    report = AtomReport(
        n_runs=len(runs),
        overlap=float(np.mean([share for *_, share in pairs])) if pairs else None,
        overlap_pairs=tuple(pairs),
        n_learned=sum(len(run.atoms) for run in runs),
        n_unrepeated=combined.n_unrepeated,
        n_merged=combined.n_merged + len(last.atoms) - len(merged),
        merged_error=relative_error(embeddings, combined.atoms, _code_words(embeddings, combined.atoms, **options)),
        n_overused=coded.n_overused,
        n_incoherent=int(incoherent.sum()),
        n_atoms=len(atoms),
        most_users=coded.most_users,
        least_coherence=least,
        run_error=float(np.mean([run.error for run in runs])),
        error=relative_error(embeddings, atoms.vectors, atoms.codes),
        **_code_facts(atoms),
    )
    return atoms, report


def _code_words(embeddings: Embeddings, atoms: Vectors, *, sparsity: Sparsity, **options: Any) -> SparseCodes:
    """The codes of all words as unit vectors; there may be fewer atoms than the sparsity."""
    return sparse_code(embeddings.unit_vectors, atoms, sparsity=np.minimum(sparsity, len(atoms)), **options)


# --- combining runs


def overlaps(runs: Sequence[Vectors]) -> list[tuple[int, int, float]]:
    """The share of the atoms of one run with a match in another, for each ordered pair of runs."""
    return [
        (first, second, float(((atoms @ others.T).max(axis=1) > OVERLAP_COSINE).mean()))
        for first, atoms in enumerate(runs)
        for second, others in enumerate(runs)
        if first != second
    ]


def merge_runs(runs: Sequence[KSVDRun]) -> Combined:
    """Keep the atoms that come back in several runs, and merge those close to each other.

    There may be more of them than each run has. Those that most runs found, as many as a run has, are kept: a person
    who asks for 40 atoms gets no more.
    """
    atoms = np.concatenate([run.atoms for run in runs])
    origins = np.repeat(np.arange(len(runs)), [len(run.atoms) for run in runs])
    n_users = np.concatenate([run.n_users for run in runs])
    n_found = _n_runs_with_match(atoms, origins)
    repeated = np.flatnonzero(n_found >= min(FEWEST_RUNS, len(runs)))
    if not len(repeated):
        raise InputError("no atom came back in a second run; ask for fewer atoms, or for one restart.")
    # merging is greedy: the atoms found in most runs, then the most used ones, gather their neighbours first
    order = repeated[np.lexsort((repeated, -n_users[repeated], -n_found[repeated]))]
    merged = merge_near(atoms[order])
    kept = merged[: max(len(run.atoms) for run in runs)]
    return Combined(kept, len(atoms) - len(repeated) + len(merged) - len(kept), len(repeated) - len(merged))


def _n_runs_with_match(atoms: Vectors, origins: NDArray[np.intp]) -> NDArray[np.int64]:
    """The number of runs that contain each atom, including its own."""
    n_found = np.zeros(len(atoms), np.int64)
    for run in np.unique(origins):
        n_found += (atoms @ atoms[origins == run].T).max(axis=1) > MERGE_COSINE
    return n_found


def merge_near(atoms: Vectors) -> Vectors:
    """Merge atoms until no two of them are close to each other."""
    while len(merged := _merge_once(atoms)) < len(atoms):
        atoms = merged
    return atoms


def _merge_once(atoms: Vectors) -> Vectors:
    """Merge each atom, in order, with the unmerged atoms close to it."""
    alone = np.ones(len(atoms), bool)
    merged = []
    for place, atom in enumerate(atoms):
        if alone[place]:
            group = alone & (atoms @ atom > MERGE_COSINE)
            group[place] = True  # whatever the computed cosine with itself
            alone &= ~group
            mean = atoms[group].sum(axis=0, dtype=np.float64)
            merged.append(mean / np.linalg.norm(mean))
    return np.array(merged, np.float32)


# --- atoms without meaning


def find_incoherent(embeddings: Embeddings, atoms: Vectors, least: float) -> NDArray[np.bool_]:
    """Find the atoms without close words; none if all are, as in a vocabulary so small that nothing stands out."""
    incoherent = coherences(embeddings, atoms) < least
    return incoherent & ~incoherent.all()


def drop_overused(
    embeddings: Embeddings,
    atoms: Vectors,
    *,
    sparsity: Sparsity = 5,
    nonnegative: bool = False,
    threads: int | None = None,
) -> Coded:
    """Code all words, drop the atoms that unusually many of them use, and repeat until no atom exceeds the bound.

    The bound is taken from the codes that it is checked on: the words of a dropped atom move to others. It is above the
    median, so at least half of the atoms pass each time and the repetition ends.
    """
    n_before = len(atoms)
    while True:
        codes = _code_words(embeddings, atoms, sparsity=sparsity, nonnegative=nonnegative, threads=threads)
        n_users = count_users(codes)
        most = most_users(n_users)
        if n_users.max() <= most:
            return Coded(atoms, codes, n_before - len(atoms), most)
        atoms = atoms[n_users <= most]


def coherences(embeddings: Embeddings, vectors: Vectors) -> NDArray[np.float64]:
    """Mean cosine of each vector with its nearest words."""
    cosines = nearest_words(embeddings, vectors, N_COHERENCE)[1]
    return np.asarray(cosines.mean(axis=1, dtype=np.float64))


def least_coherence(embeddings: Embeddings) -> float:
    """The coherence that 95% of the sums of random words with random signs stay below."""
    rng = np.random.default_rng(0)
    known = np.flatnonzero(embeddings.vectors.any(axis=1))
    chosen = rng.choice(known, (N_MIXTURES, N_MIXED_WORDS))
    signs = rng.choice(np.array([-1, 1], np.float32), (N_MIXTURES, N_MIXED_WORDS, 1))
    mixtures = (signs * embeddings.unit_vectors[chosen]).sum(axis=1)
    return float(np.quantile(coherences(embeddings, mixtures), 0.95))


def most_users(n_users: NDArray[np.int64]) -> float:
    """The number of users above which an atom is an outlier, by median and quartiles of the logarithm."""
    logs = np.log1p(n_users)
    lower, median, upper = np.quantile(logs, [0.25, 0.5, 0.75])
    spread = max((upper - lower) / 1.349, 0.1)  # normal quartiles are 1.349 deviations apart
    return float(np.expm1(median + OUTLIER * spread))


# --- the final atoms


def count_users(codes: SparseCodes) -> NDArray[np.int64]:
    """The number of words whose code has each atom, with a weight of either sign."""
    return np.bincount(codes.atoms[codes.atoms >= 0], minlength=codes.n_atoms)


def relative_error(embeddings: Embeddings, atoms: Vectors, codes: SparseCodes) -> float:
    """Relative error on the original vectors: errors of unit vectors are weighted by the squared lengths."""
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


# --- how many atoms, and how many per word


def default_sizes(n_words: int) -> tuple[int, ...]:
    """Numbers of atoms to choose from; fractions of a small vocabulary."""
    sizes = tuple(size for size in SIZES if size * WORDS_PER_ATOM <= n_words)
    if len(sizes) >= 3:
        return sizes
    shares = sorted({n_words // parts for parts in (80, 40, 25, 15, 10, WORDS_PER_ATOM)} - {0})
    return tuple(shares)


class OverlapPoint(NamedTuple):
    """How far runs of one size agree."""

    n_atoms: int
    overlap: float
    """Mean share of the atoms of one run with a match above 0.85 in the other."""
    n_common: float
    """The overlap as a number of atoms."""
    error: float
    """The mean relative error of the runs."""


def overlap_point(runs: Sequence[KSVDRun]) -> OverlapPoint:
    shares = [share for *_, share in overlaps([run.atoms for run in runs])]
    overlap, n_atoms = float(np.mean(shares)), len(runs[0].atoms)
    return OverlapPoint(n_atoms, overlap, overlap * n_atoms, float(np.mean([run.error for run in runs])))


def best_size(curve: Sequence[OverlapPoint]) -> int:
    """The size beyond which less than half of the added atoms come back in another run."""
    for smaller, larger in pairwise(curve):
        if larger.n_common - smaller.n_common < WORTH_ADDING * (larger.n_atoms - smaller.n_atoms):
            return smaller.n_atoms
    return curve[-1].n_atoms


def sparsity_by_count(embeddings: Embeddings, fewest: int, most: int) -> NDArray[np.int64]:
    """Atoms per word, from `fewest` to `most`, linear in the logarithm of the word's count."""
    if embeddings.counts is None:
        raise InputError("the counts of these words are unknown; pass one sparsity for all words.")
    if not 1 <= fewest <= most:
        raise InputError(
            f"the sparsity range is from {fewest} to {most}; pass two increasing numbers, such as 3 and 7."
        )
    logs = np.log1p(embeddings.counts.astype(np.float64))
    spread = logs.max() - logs.min() or 1.0
    sparsity = np.rint(fewest + (most - fewest) * (logs - logs.min()) / spread)
    return np.asarray(sparsity, np.int64)

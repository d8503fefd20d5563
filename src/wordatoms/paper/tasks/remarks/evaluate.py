"""Five remarks that the paper makes in passing, each as a number with something to compare it to.

1. *The discourse of a typical place in text is a linear combination of around 3–4 atoms* (Section 3). Every other word
   of a random window gives one estimate of its discourse vector (SIF, then A); the remaining words give a second one.
   The first estimate is coded with a growing number of atoms. Atoms that belong to the discourse bring the sum closer
   to the second estimate; atoms that fit noise do not. The number reported is the smallest within 2% of the largest
   cosine; the JSON has the whole curve. Baseline: the first estimate without atoms.
2. *Discourses look alike above an inner product of .85 and quite different below .5* (Section 3). For pairs of unit
   vectors with a given inner product, in the plane of two discourses: the share of their 20 nearest words in common.
3. *Most coefficients are non-negative though unrestricted* (Section 5). Baseline: vectors of random directions.
4. *Σ_j α²_wj is bounded by approximately ‖v_w‖²* (Section 5), because the atoms of a word are fairly different. Words
   are coded at length 1, so the bound is 1. The paper gives neither a share of words nor a tolerance, so two readings
   are judged that need none: that the bound holds for every word, and that it holds on average. Baseline: as many
   atoms that are nearest to the word, which are alike, fitted by least squares.
5. *(Σ⁻¹ + 4I)^(-1/2), which maps the vectors v of the generative model to trained ones, v̂, is close to a multiple of
   the identity, so that v̂ can stand for v* (Section 2, of GloVe and word2vec). The vectors of the generative model have
   the same variance in all directions, so this matrix M is, up to scale, the square root of the covariance of the
   trained vectors. Measured for vectors by any method (`identity_test`): the relative distance of M from the nearest
   multiple of the identity, and the mean cosine of v̂ with v = M⁻¹v̂. Baseline: A in place of M, which need not be close
   to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.induced_map import InducedMap, cosines
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.posterior import to_unit

MOST_ATOMS = 8
NEARLY = 0.98
COSINES = (0.95, 0.85, 0.7, 0.5, 0.3)
N_NEAREST = 20
N_PAIRS = 300
N_RANDOM_WORDS = 1000
SLACK = 0.05
"""A tolerance for the bound on squared coefficients; shown beside the verdicts, which do not depend on it."""
PAPER = {
    "atoms_per_discourse": "3-4",
    "alike_above": 0.85,
    "different_below": 0.5,
    "nonnegative": "most",
    "squared_coefficients": "at most about ‖v‖²",
}

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class AtomStep:
    """How close a number of atoms, fitted to one half of a window, comes to the other half; a mean over windows."""

    n_atoms: int
    explained: float
    """The share of the squared length of the first half that is explained."""
    cosine: float
    """With the second half."""


@dataclass(frozen=True)
class Likeness:
    """The share of nearest words that two discourses have in common, on average."""

    cosine: float
    in_common: float


@dataclass(frozen=True)
class SquaredSums:
    """Σ α² of the words, whose vectors have length 1."""

    bounded: float
    """The share of words with a sum of at most 1."""
    within: float
    """The share of words with a sum of at most 1.05."""
    mean: float
    largest: float
    bounded_nearest: float
    """The share with a sum of at most 1 for the atoms nearest to a word."""
    mean_nearest: float


@dataclass(frozen=True)
class IdentityTest:
    """How close M = (Σ⁻¹ + 4I)^(-1/2) is to a multiple of the identity."""

    distance: float
    cosine: float
    """The mean cosine of the trained vectors with those of the generative model."""
    distance_map: float
    """The distance of A, for comparison."""
    cosine_map: float


@dataclass(frozen=True)
class RemarksResult(TaskResult):
    steps: tuple[AtomStep, ...]
    cosine_without_atoms: float
    n_best: tuple[int, ...]
    """For each window, the number of atoms that comes closest to its other half."""
    likeness: tuple[Likeness, ...]
    nonnegative: float
    nonnegative_random: float
    bound: SquaredSums
    identity: IdentityTest

    @property
    def n_needed(self) -> int:
        """The smallest number of atoms within 2% of the best mean cosine."""
        best = max(step.cosine for step in self.steps)
        return next(step.n_atoms for step in self.steps if step.cosine >= NEARLY * best)

    def rows(self) -> list[dict[str, Any]]:
        best = max(step.cosine for step in self.steps)
        alike = {each.cosine: each.in_common for each in self.likeness}
        halves = f"cosine {best:.3f}, {self.cosine_without_atoms:.3f} without atoms"
        return [
            _row("atoms a discourse needs", self.n_needed, "3–4", halves),
            _row("nearest words in common at .85", alike[0.85], "look alike", f"{alike[0.95]:.3f} at .95"),
            _row("nearest words in common at .5", alike[0.5], "quite different", f"{alike[0.3]:.3f} at .3"),
            _row("non-negative coefficients", self.nonnegative, "most", f"{self.nonnegative_random:.3f} if random"),
            _row("words with Σα² ≤ ‖v‖²", self.bound.bounded, "all", f"{self.bound.bounded_nearest:.3f} of nearest"),
            _row("mean of Σα² / ‖v‖²", self.bound.mean, "at most 1", f"{self.bound.mean_nearest:.3f} of nearest"),
            _row(
                "distance of (Σ⁻¹+4I)^(-1/2) from cI",
                self.identity.distance,
                "close",
                f"{self.identity.distance_map:.3f} of A",
            ),
            _row("cosine of v̂ and v", self.identity.cosine, "close to 1", f"{self.identity.cosine_map:.3f} with A"),
        ]

    @property
    def verdict(self) -> str:
        return (
            f"The paper has 3–4 atoms in a discourse, ours {self.n_needed} within 2% of the best; "
            "most coefficients non-negative, ours "
            f"{self.nonnegative:.0%}; Σα² at most about ‖v‖², ours for {self.bound.bounded:.1%} of the words, "
            f"{self.bound.mean:.2f} on average; a matrix "
            f"close to a multiple of the identity, ours off by {self.identity.distance:.0%}, with a cosine of "
            f"{self.identity.cosine:.2f} between the vectors before and after it."
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "scores": {
                "atoms_per_discourse": self.n_needed,
                "in_common": {str(each.cosine): each.in_common for each in self.likeness},
                "nonnegative": self.nonnegative,
                "squared_coefficients": vars(self.bound),
                "identity": vars(self.identity),
            },
            "baselines": {
                "cosine_without_atoms": self.cosine_without_atoms,
                "nonnegative_random_directions": self.nonnegative_random,
                "squared_coefficients_of_nearest_atoms": self.bound.bounded_nearest,
                "distance_from_identity_of_map": self.identity.distance_map,
            },
            "paper": PAPER,
            "verdict": self.verdict,
            "items": {
                "steps": [vars(step) for step in self.steps],
                "windows_by_best_n_atoms": np.bincount(self.n_best, minlength=MOST_ATOMS + 1)[1:].tolist(),
            },
        }


def _row(remark: str, ours: float | int, paper: str, beside: str) -> dict[str, Any]:
    return {"remark": remark, "ours": ours, "paper": paper, "beside_it": beside}


def evaluate_remarks(
    embeddings: Embeddings, atoms: Atoms, induced_map: InducedMap, *, random_state: int = 0, threads: int | None = None
) -> RemarksResult:
    """Measure all five remarks on the random windows stored with the map."""
    rng = np.random.default_rng(random_state)
    first, second = half_discourses(embeddings, induced_map)
    steps, n_best = _steps(first, second, atoms, threads)
    directions = rng.normal(size=(1000, embeddings.dim)).astype(np.float32)
    random_codes = sparse_code(directions, atoms.vectors, sparsity=atoms.codes.sparsity, threads=threads)
    return RemarksResult(
        steps,
        float(cosines(first, second).mean()),
        n_best,
        tuple(Likeness(cosine, _in_common(embeddings, first, cosine, rng)) for cosine in COSINES),
        atoms.codes.share_positive,
        random_codes.share_positive,
        squared_sums(embeddings.unit_vectors, atoms, rng),
        identity_test(embeddings, induced_map),
    )


# --- discourses and their atoms


def half_discourses(embeddings: Embeddings, induced_map: InducedMap) -> tuple[Matrix, Matrix]:
    """Two unit discourse vectors per window: one from every other word, one from the remaining words."""
    sif, windows = induced_map.sif(embeddings), induced_map.windows
    places = np.arange(windows.shape[1]) % 2 == 0
    halves = [sif.window_vectors(np.where(half, windows, -1), include_target=True) for half in (places, ~places)]
    usable = ~(halves[0].is_empty | halves[1].is_empty)
    if not usable.any():
        raise InputError("the windows of this model hold too few known words; run the map stage on a longer text.")
    first, second = (to_unit(induced_map.apply(half.vectors[usable])) for half in halves)
    return first, second


def _steps(
    first: Matrix, second: Matrix, atoms: Atoms, threads: int | None
) -> tuple[tuple[AtomStep, ...], tuple[int, ...]]:
    """The result for each number of atoms, and the best number for each window."""
    steps, nearness = [], []
    for sparsity in range(1, min(MOST_ATOMS, len(atoms)) + 1):
        coded = sparse_code(first, atoms.vectors, sparsity=sparsity, threads=threads).decode(atoms.vectors)
        explained = 1 - np.square(first - coded, dtype=np.float64).sum(axis=1).mean()
        nearness.append(cosines(coded, second))
        steps.append(AtomStep(sparsity, float(explained), float(nearness[-1].mean())))
    return tuple(steps), tuple((np.argmax(nearness, axis=0) + 1).tolist())


# --- discourses at an angle


def _in_common(embeddings: Embeddings, discourses: Matrix, cosine: float, rng: np.random.Generator) -> float:
    """The mean share of nearest words that two vectors have in common."""
    first, second = discourses[rng.integers(len(discourses), size=(2, N_PAIRS))]
    across = second - (first * second).sum(axis=1, keepdims=True) * first
    turned = cosine * first + np.sqrt(1 - cosine**2) * to_unit(across)
    lists = zip(
        embeddings.nearest_batch(first, N_NEAREST),
        embeddings.nearest_batch(turned.astype(np.float32), N_NEAREST),
        strict=True,
    )
    shares = [len({near.word for near in one} & {near.word for near in other}) / len(one) for one, other in lists]
    return float(np.mean(shares))


# --- coefficients and covariance


def squared_sums(unit_vectors: Matrix, atoms: Atoms, rng: np.random.Generator) -> SquaredSums:
    """Σ α² of all words, and of random words with the atoms nearest to them."""
    known = np.flatnonzero(np.linalg.norm(unit_vectors, axis=1) > 0)
    sums = np.square(atoms.codes.weights[known], dtype=np.float64).sum(axis=1)
    drawn = unit_vectors[rng.choice(known, min(N_RANDOM_WORDS, len(known)), replace=False)]
    nearest = np.argsort(-(drawn @ atoms.vectors.T), axis=1, kind="stable")[:, : atoms.codes.sparsity]
    fits = [
        np.linalg.lstsq(atoms.vectors[rows].T, vector, rcond=None)[0]
        for rows, vector in zip(nearest, drawn, strict=True)
    ]
    of_nearest = np.square(fits, dtype=np.float64).sum(axis=1)
    return SquaredSums(
        float((sums <= 1).mean()),
        float((sums <= 1 + SLACK).mean()),
        float(sums.mean()),
        float(sums.max()),
        float((of_nearest <= 1).mean()),
        float(of_nearest.mean()),
    )


def identity_test(embeddings: Embeddings, induced_map: InducedMap) -> IdentityTest:
    """Compare M, and A, with multiples of the identity."""
    root = _covariance_root(embeddings.vectors)
    matrix = induced_map.matrix.astype(np.float64)
    vectors = embeddings.vectors.astype(np.float64)
    with one_blas_thread():
        before = vectors @ np.linalg.pinv(root)  # M is symmetric
        mapped = vectors @ matrix.T
    return IdentityTest(
        distance_from_identity(root),
        float(cosines(before, vectors).mean()),
        distance_from_identity(matrix),
        float(cosines(mapped, vectors).mean()),
    )


def _covariance_root(vectors: Matrix) -> NDArray[np.float64]:
    """The symmetric root of the covariance of the words' vectors."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    with one_blas_thread():
        values, directions = np.linalg.eigh(centred.T @ centred / len(centred))
        root: NDArray[np.float64] = (directions * np.sqrt(values.clip(0))) @ directions.T
    return root


def distance_from_identity(matrix: NDArray[np.float64]) -> float:
    """‖M − cI‖ / ‖M‖ in the Frobenius norm, for the best c; 0 for a multiple of the identity, 1 at most."""
    nearest = np.trace(matrix) / len(matrix)
    length = float(np.linalg.norm(matrix))
    return float(np.linalg.norm(matrix - nearest * np.eye(len(matrix)))) / length if length else 0.0

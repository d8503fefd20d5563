"""Contexts, the posterior over atoms and clusters with plain loops, and the small world they are compared in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms, describe_atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import TUNING, ReadingSettings
from wordatoms.contexts.usages import Usage
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.senses.model import SenseModel, load
from wordatoms.storage.folder import ModelFolder

Vector = list[float]

# The world: three discourses, and words made of two of them.

DIM = 6
WINDOW = 3
SETTINGS = ReadingSettings(a=1e-2, window=5, scale=8.0)
"""Of a model of this world, where no others are given."""
DISCOURSES = (
    ("money", "loan", "credit", "cash", "account"),
    ("river", "water", "shore", "flood", "boat"),
    ("song", "choir", "tune", "opera", "singer"),
)
MIXED = ("bank", "banks", "geese")
"""Two parts money to one part river; the other way round; river and song."""
WORDS = [word for words in DISCOURSES for word in words] + [*MIXED]


def world_embeddings() -> Embeddings:
    axes = np.eye(3, DIM)
    plain = np.repeat(axes, [len(words) for words in DISCOURSES], axis=0)
    mixed = np.array([2 * axes[0] + axes[1], axes[0] + 2 * axes[1], axes[1] + axes[2]])
    noise = np.random.default_rng(12).normal(scale=0.05, size=(len(WORDS), DIM))
    vectors = (np.concatenate([plain, mixed]) + noise) * np.linspace(1, 2, len(WORDS))[:, None]
    return Embeddings(WORDS, vectors.astype(np.float32), counts=np.arange(len(WORDS), 0, -1) * 7)


def world_map(dim: int = DIM) -> InducedMap:
    """A matrix a little off the identity, all three moments, and random windows of one discourse each."""
    rng = np.random.default_rng(13)
    matrix = (np.eye(dim) + rng.normal(scale=0.05, size=(dim, dim))).astype(np.float32)
    square = rng.normal(size=(dim, dim))
    moments = np.stack([matrix, np.eye(dim), np.eye(dim) + 0.1 * square @ square.T]).astype(np.float32)
    starts = np.repeat(np.arange(3) * 5, 20)
    windows = (starts[:, None] + rng.integers(5, size=(60, 2 * WINDOW + 1))).astype(np.int32)
    windows[rng.random(windows.shape) < 0.1] = -1
    return InducedMap(matrix, np.eye(dim, dtype=np.float32)[0], windows, window=WINDOW, moments=moments)


def world_atoms(embeddings: Embeddings) -> Atoms:
    """The three discourses; every word is coded by at most two of them."""
    vectors = np.eye(3, DIM, dtype=np.float32)
    return describe_atoms(embeddings, vectors, sparse_code(embeddings.unit_vectors, vectors, sparsity=2, threads=1))


def build_stage(folder: ModelFolder, stage: str, save: Callable[[Path], object]) -> None:
    def make(_forget: Callable[[], None]) -> list[str]:
        before = {path.name for path in folder.path.iterdir()}
        save(folder.path)
        return sorted({path.name for path in folder.path.iterdir()} - before)

    with folder.working():
        folder.build(stage, {}, make)


def world_model(
    path: Path,
    embeddings: Embeddings,
    *,
    atoms: Atoms | None = None,
    induced_map: InducedMap | None = None,
    settings: ReadingSettings | None = SETTINGS,
) -> SenseModel:
    """A folder with the stages import, atomize and, where given, map and tune."""
    folder = ModelFolder(path, create=True)
    build_stage(folder, "import", embeddings.save)
    build_stage(folder, "atomize", lambda path: (atoms or world_atoms(embeddings)).save(path, embeddings.words))
    if induced_map is not None:
        build_stage(folder, "map", induced_map.save)
    if settings is not None:
        build_stage(
            folder, "tune", lambda path: (path / TUNING).write_text(json.dumps({"settings": settings.record()}))
        )
    return load(path)


# Contexts


def context_words(
    usage: Usage, words: Sequence[str], window: int, leave_out: Sequence[str] = ()
) -> list[tuple[str, int]]:
    """Known words around a usage and how far away each of them is, from far left to far right."""
    before, after = [], []
    for place in range(usage.position - 1, -1, -1):
        word = usage.tokens[place]
        if word in words and word not in leave_out and len(before) < window:
            before.append((word, len(before) + 1))
    for place in range(usage.position + usage.length, len(usage.tokens)):
        word = usage.tokens[place]
        if word in words and word not in leave_out and len(after) < window:
            after.append((word, len(after) + 1))
    return before[::-1] + after


def context_vector(
    around: Sequence[tuple[str, int]], embeddings: Embeddings, matrix: NDArray[np.float32], settings: ReadingSettings
) -> Vector:
    """The map of the mean of SIF-weighted vectors, each by its distance to the power of −falloff."""
    total_count = float(sum(embeddings.counts.tolist()))
    mean = [0.0] * embeddings.dim
    for word, distance in around:
        p_word = float(embeddings.counts[embeddings.words.index(word)]) / total_count
        sif = 1.0 if math.isinf(settings.a) else settings.a / (settings.a + p_word)
        for k in range(embeddings.dim):
            mean[k] += sif * distance**-settings.falloff * float(embeddings[word][k]) / len(around)
    return [sum(float(matrix[i, k]) * mean[k] for k in range(embeddings.dim)) for i in range(embeddings.dim)]


# The posterior


def unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(part * part for part in vector))
    return [part / length for part in vector] if length else vector


def product(vector1: Sequence[float], vector2: Sequence[float]) -> float:
    return sum(float(a) * float(b) for a, b in zip(vector1, vector2, strict=True))


def p_atoms(contexts: Sequence[Vector], atoms: NDArray[np.float32], scale: float) -> Vector:
    """p(a): the mean over contexts of exp(κ⟨v_a, v_c⟩), brought to a sum of 1 for each context."""
    filled = [unit(context) for context in contexts if any(context)]
    mean = [0.0] * len(atoms)
    for context in filled:
        powers = [math.exp(scale * product(atom, context)) for atom in atoms]
        for k, power in enumerate(powers):
            mean[k] += power / sum(powers) / len(filled)
    return mean


def p_senses(
    weights: dict[int, float], context: Vector, atoms: NDArray[np.float32], p_atom: Vector, scale: float
) -> Vector:
    """p(a|w) · exp(κ⟨v_a, v_c⟩) / p(a), brought to a sum of 1; p(a|w) where the context is empty."""
    scores = []
    for atom, weight in weights.items():
        evidence = math.exp(scale * product(atoms[atom], unit(context))) / p_atom[atom] if any(context) else 1.0
        scores.append(weight / sum(weights.values()) * evidence)
    return [score / sum(scores) for score in scores]


# Clusters


def sum_of_products(rows: NDArray[np.float64], labels: Sequence[int]) -> float:
    """Of rows with the directions of the sums of their clusters: what k-means by inner product makes large."""
    total = 0.0
    for cluster in set(labels):
        members = [row for row, label in zip(rows, labels, strict=True) if label == cluster]
        total += math.sqrt(sum(float(part) ** 2 for part in np.sum(members, axis=0)))
    return total


def partitions(n: int, k: int) -> Iterator[list[int]]:
    """All ways to put n things into at most k clusters."""

    def grow(labels: list[int]) -> Iterator[list[int]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(min(max(labels, default=-1) + 2, k)):
            yield from grow([*labels, label])

    return grow([])


def best_sum(rows: NDArray[np.float64], k: int) -> float:
    return max(sum_of_products(rows, labels) for labels in partitions(len(rows), k))


def naive_k_means(rows: NDArray[np.float64], first: Sequence[int], *, means: bool = False) -> float:
    """The sum that one run of k-means reaches from these rows as first centres: directions, or means."""
    centres = [np.array(rows[row] if means else unit(rows[row].tolist())) for row in first]
    labels: list[int] = []
    for _ in range(50):
        assigned = [max(range(len(centres)), key=lambda k, row=row: product(row, centres[k])) for row in rows]
        if assigned == labels:
            break
        labels = assigned
        for k in range(len(centres)):
            members = [row for row, label in zip(rows, labels, strict=True) if label == k]
            if members:
                centres[k] = np.mean(members, axis=0) if means else np.array(unit(np.sum(members, axis=0).tolist()))
    return sum(max(product(row, centre) for centre in centres) for row in rows)

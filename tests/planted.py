"""An embedding whose atoms are known: 20 random directions, words mostly of one of them, and words made of two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.tasks.lineup.data import LineupSense, Testbed
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.run import Run
from wordatoms.storage.folder import ModelFolder

N_ATOMS = 20
DIM = 40
N_PLAIN = 30
"""Words that belong to each atom, with a little of another: d3w7 is word 7 of discourse 3."""


def planted_atoms() -> NDArray[np.float64]:
    atoms = np.random.default_rng(5).normal(size=(N_ATOMS, DIM))
    return atoms / np.linalg.norm(atoms, axis=1, keepdims=True)


def planted_embeddings() -> Embeddings:
    """Plain words, then `both0` … `both19`: two parts of atom k to one part of atom k + 1."""
    rng, atoms = np.random.default_rng(6), planted_atoms()
    others = atoms[(np.repeat(np.arange(N_ATOMS), N_PLAIN) + rng.integers(1, N_ATOMS, N_ATOMS * N_PLAIN)) % N_ATOMS]
    plain = np.repeat(atoms, N_PLAIN, axis=0) + 0.4 * others + rng.normal(scale=0.01, size=others.shape)
    both = 2 * atoms + np.roll(atoms, -1, axis=0)
    words = [f"d{atom}w{word}" for atom in range(N_ATOMS) for word in range(N_PLAIN)]
    words += [f"both{atom}" for atom in range(N_ATOMS)]
    vectors = np.concatenate([plain * rng.uniform(1, 3, (len(plain), 1)), both])
    return Embeddings(words, vectors.astype(np.float32), counts=np.arange(len(words), 0, -1) * 10)


def planted_model(path: Path, **settings: object) -> ModelFolder:
    """A model of the planted embedding, its atoms learned."""
    folder, embeddings = ModelFolder(path, create=True), planted_embeddings()

    def make(_forget: Callable[[], None]) -> list[str]:
        embeddings.save(path)
        return ["words.txt", "vectors.npy", "embeddings.json"]

    with folder.working():
        folder.build("import", {}, make)
    chosen: dict[str, object] = {"n_atoms": N_ATOMS, "sparsity": 2, "n_restarts": 3, "n_iterations": 10, **settings}
    atomize(folder, AtomSettings(**chosen), run=Run(threads=1))  # type: ignore[arg-type]
    return folder


def planted_testbed(*more: str) -> Testbed:
    """The words made of two atoms, k and k + 1; a sense is eight words that belong to the atom."""
    found = {}
    for k in range(0, N_ATOMS, 2):
        atoms = (k, (k + 1) % N_ATOMS)
        found[f"both{k}"] = tuple(LineupSense(tuple(f"d{atom}w{word}" for word in range(8))) for atom in atoms)
    for word in more:
        found[word] = tuple(LineupSense(tuple(f"{word}{part}{k}" for k in range(8))) for part in "xy")
    return Testbed(found)

"""Atoms of discourse: unit vectors, the sparse codes of all words over them, and what people see of them.

Section 3 of the paper: the vector of a word is a sum of at most `sparsity` atoms, and each atom with a positive weight
is a sense of the word. The content of an atom is read off its nearest words; those and a short label are stored, so
that a question costs no search over all words. An atom's id is its row, by falling use, and stays what it is.

Left out: how atoms are learned (`wordatoms.atoms.learning`) and what a person adds to them
(`wordatoms.senses.annotations`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.labels import make_label
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.storage.files import load_array, save_array, write_atomic, write_json
from wordatoms.storage.untrusted import read_json

N_NEAREST = 30
"""Nearest words kept with each atom."""


@dataclass(frozen=True, eq=False, repr=False)
class Atoms:
    """Atoms and the codes of all words; words are rows of the embedding they were learned from."""

    vectors: NDArray[np.float32]
    """(n_atoms, dim), each of length 1."""
    codes: SparseCodes
    """Of all words, in the order of the vocabulary."""
    nearest: NDArray[np.int32]
    """(n_atoms, n_nearest): rows of the words nearest to each atom, the nearest first."""
    cosines: NDArray[np.float32]
    """(n_atoms, n_nearest): how near they are."""
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self)

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        return f"Atoms({len(self):,} atoms, {len(self.codes):,} words, up to {self.codes.sparsity} atoms per word)"

    @property
    def dim(self) -> int:
        return int(self.vectors.shape[1])

    def check_id(self, atom: int) -> int:
        if not isinstance(atom, int | np.integer) or not 0 <= atom < len(self):
            raise InputError(f"there is no atom {atom}; the atoms have the ids 0 to {len(self) - 1}.")
        return atom

    def carriers(self, atom: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Rows of the words that have a sense in this atom, the heaviest first, and their weights."""
        all_rows, all_weights, starts = self._by_atom
        part = slice(starts[atom], starts[atom + 1])
        rows, weights = all_rows[part], all_weights[part]
        order = np.argsort(-weights, kind="stable")
        return rows[order], weights[order]

    @cached_property
    def _by_atom(self) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[np.intp]]:
        """Rows and weights of the words with a sense in atom 0, then in atom 1 …, and where each atom begins."""
        places = np.flatnonzero(self.codes.weights.ravel() > 0)
        numbers = self.codes.atoms.ravel()[places].astype(np.min_scalar_type(len(self)))  # small ones sort much faster
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(self) + 1))
        return places[order] // self.codes.sparsity, self.codes.weights.ravel()[places[order]], starts

    def neighbours(self, atom: int, n: int = 10) -> list[tuple[int, float]]:
        """The atoms nearest to this one and their cosines."""
        return [pair for pair in self.closest(self.vectors[atom], n + 1) if pair[0] != atom][:n]

    def closest(self, vector: NDArray[Any], n: int = 20) -> list[tuple[int, float]]:
        """The atoms nearest to a vector and their cosines."""
        length = float(np.linalg.norm(vector)) or 1.0
        cosines = self.vectors @ (vector / length).astype(np.float32)
        return [(int(atom), float(cosines[atom])) for atom in np.argsort(-cosines, kind="stable")[:n]]

    def containing(self, row: int) -> list[int]:
        """The atoms that a word belongs to: it is a sense of it, or among its nearest words."""
        senses = self.codes.atoms[row][self.codes.weights[row] > 0].tolist()
        near = np.flatnonzero((self.nearest == row).any(axis=1)).tolist()
        return [*senses, *(atom for atom in near if atom not in senses)]

    @cached_property
    def n_words(self) -> NDArray[np.intp]:
        """How many words have a sense in each atom, (n_atoms,)."""
        used = self.codes.atoms[self.codes.weights > 0]
        return np.bincount(used, minlength=len(self))

    @cached_property
    def fingerprint(self) -> str:
        """Tells these atoms from all others."""
        return hashlib.sha256(np.ascontiguousarray(self.vectors).tobytes()).hexdigest()[:16]

    # --- files

    def save(self, folder: Path, words: Sequence[str]) -> None:
        """Write the atoms into a folder, with a list for people; the description comes last."""
        folder = Path(folder)
        (folder / "atoms.json").unlink(missing_ok=True)
        save_array(folder / "atoms.npy", self.vectors)
        save_array(folder / "atoms-nearest.npy", self.nearest)
        save_array(folder / "atoms-cosines.npy", self.cosines)
        self.codes.save(folder)
        with write_atomic(folder / "atoms.txt") as file:
            file.write(self._as_text(words).encode())
        write_json(folder / "atoms.json", {"n_atoms": len(self), "n_words": len(self.codes), "labels": self.labels})

    def _as_text(self, words: Sequence[str]) -> str:
        lines = (
            f"{atom}\t{label}\t{' '.join(words[row] for row in near)}\n"
            for atom, (label, near) in enumerate(zip(self.labels, self.nearest.tolist(), strict=True))
        )
        return "".join(lines)

    @classmethod
    def load(cls, folder: Path) -> Atoms:
        """Atoms that `save` wrote; the arrays stay on disk until they are looked at."""
        folder = Path(folder)
        labels = _read_labels(folder / "atoms.json")
        vectors, nearest, cosines = (
            load_array(folder / name) for name in ("atoms.npy", "atoms-nearest.npy", "atoms-cosines.npy")
        )
        try:
            return cls(vectors, SparseCodes.load(folder, n_atoms=len(vectors)), nearest, cosines, labels)
        except (InputError, TypeError) as error:
            raise ModelError(f"{folder} holds no usable atoms: {error}") from error


def describe_atoms(embeddings: Embeddings, vectors: NDArray[np.float32], codes: SparseCodes) -> Atoms:
    """Atoms with their nearest words among those of an embedding, and a label each."""
    nearest, cosines = nearest_words(embeddings, vectors, N_NEAREST)
    labels = tuple(make_label([embeddings.words[row] for row in near]) for near in nearest.tolist())
    return Atoms(vectors, codes, nearest, cosines, labels)


def renumbered(codes: SparseCodes, order: NDArray[np.intp]) -> SparseCodes:
    """The codes over the same atoms in another order: `order[k]` is the atom that becomes atom k."""
    new_ids = np.empty(len(order) + 1, np.int32)
    new_ids[order] = np.arange(len(order), dtype=np.int32)
    new_ids[-1] = -1  # an absent atom stays absent
    return SparseCodes(new_ids[codes.atoms], codes.weights, codes.n_atoms)


def nearest_words(
    embeddings: Embeddings, vectors: NDArray[np.float32], n: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Rows and cosines of the words nearest to each vector, the nearest first."""
    found = embeddings.nearest_batch(vectors, min(n, len(embeddings)))
    rows = [embeddings.find_rows([near.word for near in nearby]) for nearby in found]
    cosines = [[near.similarity for near in nearby] for nearby in found]
    return np.array(rows, np.int32), np.array(cosines, np.float32)


def _check(atoms: Atoms) -> None:
    vectors, nearest, cosines = atoms.vectors, atoms.nearest, atoms.cosines
    if vectors.ndim != 2 or vectors.dtype != np.float32 or not np.isfinite(vectors).all():
        raise InputError("the vectors of the atoms are no table of finite numbers of single precision.")
    if not (len(vectors) == len(nearest) == len(atoms.labels) == atoms.codes.n_atoms):
        raise InputError(
            f"there are {len(vectors):,} atoms but {len(nearest):,} lists of nearest words, {len(atoms.labels):,} "
            f"labels and codes over {atoms.codes.n_atoms:,} atoms."
        )
    if cosines.dtype != np.float32 or not np.isfinite(cosines).all():
        raise InputError("the cosines of the nearest words are no finite numbers of single precision.")
    if nearest.ndim != 2 or nearest.shape != cosines.shape or nearest.dtype != np.int32:
        raise InputError(f"the nearest words are {nearest.dtype} {nearest.shape}, their cosines {cosines.shape}.")
    if nearest.size and not 0 <= nearest.min() <= nearest.max() < len(atoms.codes):
        raise InputError(f"nearest words are rows {nearest.min()} to {nearest.max()} of {len(atoms.codes):,} words.")


def _read_labels(path: Path) -> tuple[str, ...]:
    try:
        labels = read_json(path)["labels"]
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no atoms yet; run: wordatoms atomize {path.parent}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is damaged ({error}); make the atoms again.") from error
    if not (isinstance(labels, list) and all(isinstance(label, str) for label in labels)):
        raise ModelError(f"{path} holds no list of labels; make the atoms again.")
    return tuple(labels)

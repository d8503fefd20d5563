"""Atoms of discourse: unit vectors, the sparse codes of all words over them, their nearest words and their labels.

Section 3 of the paper: a word vector is a weighted sum of at most `sparsity` atoms, and each atom with a positive
weight is a sense of the word. An atom is understood from its nearest words, so these are stored with a label of three
of them, and a lookup needs no search over the vocabulary. An atom's id is its row; rows are sorted by decreasing use.

Left out: learning atoms (`wordatoms.atoms.learning`) and the names and remarks that users give them
(`wordatoms.senses.annotations`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.labels import make_labels
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError, require_extra
from wordatoms.storage.files import load_array, save_array, write_atomic, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame

N_NEAREST = 30
"""Nearest words stored with each atom."""
MOST_SEARCHED = 20
"""Atoms whose words are searched one by one; for more, the words of all atoms are sorted."""


@dataclass(frozen=True, eq=False, repr=False)
class Atoms(Tabular):
    """Atoms of discourse and the codes of all words over them.

    Words are given by their rows in the embedding that the atoms were learned from.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n_atoms, dim)
        Unit vectors; the row of an atom is its id.
    codes : SparseCodes
        The atoms of each word and their weights, in the order of the vocabulary.
    nearest : ndarray of int32, shape (n_atoms, n_nearest)
        Rows of the words nearest to each atom, nearest first.
    cosines : ndarray of float32, shape (n_atoms, n_nearest)
        Their cosines with the atom.
    labels : tuple of str
        A short label for each atom.

    Raises
    ------
    InputError
        If the arrays have wrong types, or shapes that do not fit together.

    Examples
    --------
    >>> import wordatoms as wa
    >>> atoms = wa.load().atoms
    >>> atoms
    Atoms(1,966 atoms, 60,000 words, up to 5 atoms per word)
    >>> atoms.labels[110]
    'clothing'
    """

    vectors: NDArray[np.float32]
    codes: SparseCodes
    nearest: NDArray[np.int32]
    cosines: NDArray[np.float32]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        _check(self)

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        return f"Atoms({len(self):,} atoms, {len(self.codes):,} words, up to {self.codes.sparsity} atoms per word)"

    @property
    def dim(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self.vectors.shape[1])

    @cached_property
    def n_words(self) -> NDArray[np.intp]:
        """Number of words with a sense in each atom, shape (n_atoms,)."""
        return np.bincount(self.codes.atoms[self.codes.weights > 0], minlength=len(self))

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the vectors, by which annotations recognise the atoms they belong to."""
        return hashlib.sha256(np.ascontiguousarray(self.vectors).tobytes()).hexdigest()[:16]

    def to_frame(self) -> DataFrame:
        """Convert to a table.

        Returns
        -------
        pandas.DataFrame
            A line per atom: atom, label, n_words, the number of words that have a sense in it.
        """
        columns = {"atom": np.arange(len(self)), "label": list(self.labels), "n_words": self.n_words}
        return require_extra("pandas", "pandas").DataFrame(columns)

    def check_id(self, atom: int) -> int:
        """Check that an atom exists.

        Parameters
        ----------
        atom : int
            Id of an atom.

        Returns
        -------
        int
            The same id.

        Raises
        ------
        InputError
            If there is no such atom.
        """
        if not isinstance(atom, int | np.integer) or not 0 <= atom < len(self):
            raise InputError(f"there is no atom {atom}; the atoms have the ids 0 to {len(self) - 1}.")
        return atom

    def carriers(self, atom: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Find the words that have a sense in an atom.

        Parameters
        ----------
        atom : int
            Id of the atom.

        Returns
        -------
        rows : ndarray of int, shape (n_carriers,)
            Rows of the words, largest weight first.
        weights : ndarray, shape (n_carriers,)
            The weights of the atom in these words.

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> rows, weights = model.atoms.carriers(873)
        >>> [model.embeddings.words[row] for row in rows[:3]]
        ['clinched', 'playoff', 'clinching']
        """
        rows, weights = self._carriers(atom)
        order = np.argsort(-weights, kind="stable")
        return rows[order], weights[order]

    def _carriers(self, atom: int) -> tuple[NDArray[np.intp], NDArray[Any]]:
        if "_by_atom" not in self.__dict__ and 0 <= atom < len(self) and len(self._searched) < MOST_SEARCHED:
            self._searched.add(atom)
            rows, columns = np.nonzero((self.codes.atoms == atom) & (self.codes.weights > 0))
            return rows, self.codes.weights[rows, columns]
        all_rows, all_weights, starts = self._by_atom
        part = slice(starts[atom], starts[atom + 1])
        return all_rows[part], all_weights[part]

    @cached_property
    def _searched(self) -> set[int]:
        """Atoms whose words were searched one by one, which a query about a few is faster with than with `_by_atom`."""
        return set()

    @cached_property
    def _by_atom(self) -> tuple[NDArray[np.intp], NDArray[Any], NDArray[np.intp]]:
        """Rows and weights of the words with a sense in atom 0, then in atom 1 …, and where each atom starts."""
        places = np.flatnonzero(self.codes.weights.ravel() > 0)
        # numpy sorts integers of 8 and 16 bits by radix sort, many times faster than wider ones
        numbers = self.codes.atoms.ravel()[places].astype(np.min_scalar_type(len(self)))
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(self) + 1))
        return places[order] // self.codes.sparsity, self.codes.weights.ravel()[places[order]], starts

    @cached_property
    def _near(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Atoms that have the word of row 0 among their stored nearest words, then row 1 …, and where each starts."""
        rows = self.nearest.ravel()
        order = np.argsort(rows, kind="stable")
        return order // self.nearest.shape[1], np.searchsorted(rows[order], np.arange(len(self.codes) + 1))

    def neighbours(self, atom: int, n: int = 10) -> list[tuple[int, float]]:
        """Find the atoms nearest to an atom.

        Parameters
        ----------
        atom : int
            Id of the atom.
        n : int, default 10
            Maximum number of neighbours.

        Returns
        -------
        list of (int, float)
            Ids and cosines, nearest first, without the atom itself.

        Examples
        --------
        >>> import wordatoms as wa
        >>> atoms = wa.load().atoms
        >>> [atoms.labels[near] for near, cosine in atoms.neighbours(561, 2)]
        ['song rhythm and melody', 'music subcultures']
        """
        return [pair for pair in self.closest(self.vectors[atom], n + 1) if pair[0] != atom][:n]

    def closest(self, vector: NDArray[Any], n: int = 20) -> list[tuple[int, float]]:
        """Find the atoms nearest to a vector.

        Parameters
        ----------
        vector : ndarray, shape (dim,)
            A vector of any length.
        n : int, default 20
            Maximum number of atoms.

        Returns
        -------
        list of (int, float)
            Ids and cosines, nearest first.

        Examples
        --------
        >>> import wordatoms as wa
        >>> model = wa.load()
        >>> [(atom, round(cosine, 2)) for atom, cosine in model.atoms.closest(model.embeddings["tie"], 2)]
        [(259, 0.62), (110, 0.59)]
        """
        length = float(np.linalg.norm(vector)) or 1.0
        cosines = self.vectors @ (vector / length).astype(np.float32)
        return [(int(atom), float(cosines[atom])) for atom in np.argsort(-cosines, kind="stable")[:n]]

    def containing(self, row: int) -> list[int]:
        """Find the atoms that a word belongs to.

        Parameters
        ----------
        row : int
            Row of the word.

        Returns
        -------
        list of int
            Ids of the atoms in which the word has a sense, largest weight first; then those that have the word among
            their stored nearest words.
        """
        senses = self.codes.atoms[row][self.codes.weights[row] > 0].tolist()
        places, starts = self._near
        near = np.unique(places[starts[row] : starts[row + 1]]).tolist()
        return [*senses, *(atom for atom in near if atom not in senses)]

    # --- files

    def save(self, folder: Path, words: Sequence[str]) -> None:
        """Write the atoms into a folder.

        Parameters
        ----------
        folder : Path
            An existing folder.
        words : sequence of str
            The words of the vocabulary, for the readable list `atoms.txt`.
        """
        folder = Path(folder)
        # atoms.json is removed first and written last: without it an interrupted save is no set of atoms
        (folder / "atoms.json").unlink(missing_ok=True)
        save_array(folder / "atoms.npy", self.vectors)
        save_array(folder / "atoms-nearest.npy", self.nearest)
        save_array(folder / "atoms-cosines.npy", self.cosines)
        self.codes.save(folder)
        with write_atomic(folder / "atoms.txt") as file:
            for atom, (label, near) in enumerate(zip(self.labels, self.nearest.tolist(), strict=True)):
                file.write(f"{atom}\t{label}\t{' '.join(words[row] for row in near)}\n".encode())
        write_json(folder / "atoms.json", {"n_atoms": len(self), "n_words": len(self.codes), "labels": self.labels})

    @classmethod
    def load(cls, folder: Path) -> Atoms:
        """Load atoms that `save` wrote.

        Parameters
        ----------
        folder : Path
            The folder of a model.

        Returns
        -------
        Atoms

        Raises
        ------
        ModelError
            If the files are missing, damaged or inconsistent.
        """
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
    """Look up the nearest words of atoms, and label the atoms by them."""
    nearest, cosines = nearest_words(embeddings, vectors, N_NEAREST)
    return Atoms(vectors, codes, nearest, cosines, make_labels(embeddings, nearest, cosines))


def renumbered(codes: SparseCodes, order: NDArray[np.intp]) -> SparseCodes:
    """The same codes when atom `order[k]` becomes atom k."""
    new_ids = np.empty(len(order) + 1, np.int32)
    new_ids[order] = np.arange(len(order), dtype=np.int32)
    new_ids[-1] = -1  # an absent atom is -1, which indexes this last entry
    return SparseCodes(new_ids[codes.atoms], codes.weights, codes.n_atoms)


def nearest_words(
    embeddings: Embeddings, vectors: NDArray[np.float32], n: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Rows and cosines of the words nearest to each vector, nearest first."""
    found = embeddings.nearest_batch(vectors, min(n, len(embeddings)))
    rows = [embeddings.find_rows([near.word for near in nearby]) for nearby in found]
    cosines = [[near.similarity for near in nearby] for nearby in found]
    return np.array(rows, np.int32), np.array(cosines, np.float32)


def _check(atoms: Atoms) -> None:
    vectors, nearest, cosines = atoms.vectors, atoms.nearest, atoms.cosines
    if vectors.ndim != 2 or vectors.dtype != np.float32 or not np.isfinite(vectors).all():
        raise InputError(
            f"the vectors are {vectors.dtype} of shape {vectors.shape}; pass finite float32, a row per atom."
        )
    if not (len(vectors) == len(nearest) == len(atoms.labels) == atoms.codes.n_atoms):
        raise InputError(
            f"there are {len(vectors):,} atoms but {len(nearest):,} lists of nearest words, {len(atoms.labels):,} "
            f"labels and codes over {atoms.codes.n_atoms:,} atoms; pass one of each per atom."
        )
    if cosines.dtype != np.float32 or not np.isfinite(cosines).all():
        raise InputError(f"the cosines are {cosines.dtype} or not finite; pass finite float32.")
    if nearest.ndim != 2 or nearest.shape != cosines.shape or nearest.dtype != np.int32:
        raise InputError(
            f"the nearest words are {nearest.dtype} {nearest.shape} and their cosines {cosines.shape}; "
            "pass int32 and the same shape."
        )
    if nearest.size and not 0 <= nearest.min() <= nearest.max() < len(atoms.codes):
        raise InputError(f"nearest words are rows {nearest.min()} to {nearest.max()} of {len(atoms.codes):,} words.")


def _read_labels(path: Path) -> tuple[str, ...]:
    advice = "Run `wordatoms atomize --force`."
    try:
        labels = read_json(path)["labels"]
    except FileNotFoundError:
        raise ModelError(f"{path.parent} has no atoms yet; run: wordatoms atomize {path.parent}") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path} is damaged ({error}). {advice}") from error
    if not (isinstance(labels, list) and all(isinstance(label, str) for label in labels)):
        raise ModelError(f"{path} has no list of labels. {advice}")
    return tuple(labels)

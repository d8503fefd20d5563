"""Meta-atoms: a sparse coding of the atoms themselves, which groups them.

Follows a part of the paper that is commented out in its source: atoms for jazz, rock and classical music are near each
other, and a second sparse coding with sparsity 2 over 200 meta-atoms finds *music* behind them; the atom of
biochemistry is a sum of those of biology and chemistry. Weights are non-negative here, or a group could contain an atom
for being its opposite. An atom is a member of the meta-atom with its largest weight.

A person may gather the meta-atoms in named regions, a table of contents of the model (`wordatoms.atoms.names`). Left
out: regions found by a program; clusters of meta-atoms mixed subjects that no reader would put under one heading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import N_NEAREST, Atoms, nearest_words, renumbered
from wordatoms.atoms.labels import make_labels as label_by_words
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.storage.files import load_array, save_array, write_json
from wordatoms.storage.untrusted import read_json

MakeLabels = Callable[[NDArray[np.int32], NDArray[np.float32]], tuple[str, ...]]
"""Makes labels of the rows nearest to each vector and their cosines."""
N_META_ATOMS = 200
SPARSITY = 2


class Region(NamedTuple):
    """A heading over some meta-atoms, given by a person."""

    name: str
    meta_atoms: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class MetaAtoms:
    """Meta-atoms and the codes of all atoms over them."""

    vectors: NDArray[np.float32]
    """Unit vectors, shape (n_meta_atoms, dim)."""
    codes: SparseCodes
    """The codes of the atoms, one row per atom id."""
    labels: tuple[str, ...]
    regions: tuple[Region, ...] = ()
    """A table of contents; empty if nobody made one."""

    def __post_init__(self) -> None:
        if self.vectors.dtype != np.float32 or not np.isfinite(self.vectors).all():
            raise InputError(f"the vectors are {self.vectors.dtype} or not finite; pass finite float32.")
        if not (self.vectors.ndim == 2 and len(self.vectors) == len(self.labels) == self.codes.n_atoms):
            raise InputError(
                f"there are {len(self.vectors):,} meta-atoms but {len(self.labels):,} labels and codes over "
                f"{self.codes.n_atoms:,}; pass one of each per meta-atom."
            )

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        return f"MetaAtoms({len(self):,} meta-atoms of {len(self.codes):,} atoms)"

    def of_atom(self, atom: int) -> list[tuple[int, float]]:
        """The meta-atoms in an atom and their weights, largest first."""
        return list(self.codes.positive(atom).items())

    @cached_property
    def members(self) -> Mapping[int, list[int]]:
        """The atoms of each meta-atom, largest weight first."""
        groups: dict[int, list[int]] = {meta: [] for meta in range(len(self))}
        weights = self.codes.weights[:, 0]  # the largest weight of a code comes first
        for atom in np.argsort(-weights, kind="stable").tolist():
            if weights[atom] > 0:
                groups[int(self.codes.atoms[atom, 0])].append(atom)
        return groups

    @cached_property
    def atom_regions(self) -> NDArray[np.intp]:
        """The region of each atom, that of its meta-atom, (n_atoms,); -1 for none."""
        of_meta = np.full(len(self) + 1, -1, np.intp)  # the last one for atoms without a meta-atom
        for number, region in enumerate(self.regions):
            of_meta[list(region.meta_atoms)] = number
        return np.asarray(of_meta[np.where(self.codes.weights[:, 0] > 0, self.codes.atoms[:, 0], -1)])

    def save(self, folder: Path) -> None:
        folder = Path(folder)
        (folder / "meta.json").unlink(missing_ok=True)
        save_array(folder / "meta-atoms.npy", self.vectors)
        self.codes.save(folder, "meta-codes")
        write_json(folder / "meta.json", {"labels": self.labels})

    @classmethod
    def load(cls, folder: Path, n_atoms: int) -> MetaAtoms:
        """Load and check the meta-atoms of a model with `n_atoms` atoms."""
        folder, advice = Path(folder), "Run `wordatoms atomize --force`."
        try:
            labels = tuple(map(str, read_json(folder / "meta.json")["labels"]))
            vectors = load_array(folder / "meta-atoms.npy")
            found = cls(vectors, SparseCodes.load(folder, "meta-codes", n_atoms=len(vectors)), labels)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{folder} holds no usable meta-atoms ({error}). {advice}") from error
        if len(found.codes) != n_atoms:
            raise ModelError(f"{folder} has {n_atoms:,} atoms but meta-atoms of {len(found.codes):,}. {advice}")
        return found


def make_meta_atoms(
    embeddings: Embeddings,
    atoms: Atoms,
    *,
    n_meta_atoms: int = N_META_ATOMS,
    random_state: int = 0,
    threads: int | None = None,
    make_labels: MakeLabels | None = None,
) -> MetaAtoms:
    """Group atoms by a second sparse coding, into at most one group for every ten atoms.

    `make_labels` labels the groups, given the rows nearest to each and their cosines; by default with nearest words.
    """
    from wordatoms.atoms.ksvd import ksvd

    n_meta = max(1, min(n_meta_atoms, len(atoms) // 10))
    settings: dict[str, Any] = {"n_atoms": n_meta, "sparsity": min(SPARSITY, n_meta), "nonnegative": True}
    result = ksvd(atoms.vectors, **settings, random_state=random_state, threads=threads)
    homes = result.codes.atoms[:, 0]
    order = np.argsort(-np.bincount(homes[homes >= 0], minlength=n_meta), kind="stable")
    vectors = result.atoms[order]
    near = nearest_words(embeddings, vectors, N_NEAREST)
    labels = make_labels(*near) if make_labels else label_by_words(embeddings, *near)
    return MetaAtoms(vectors, renumbered(result.codes, order), labels)

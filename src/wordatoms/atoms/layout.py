"""A map of the atoms: a place in the plane for each, so that atoms of like content lie near each other.

t-SNE (scikit-learn's) on the cosines, started from the two main directions, on one thread, so that the same atoms lie
in the same places with any number of cores. Beyond the paper, which shows atoms by lists of words only.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import ModelError
from wordatoms.storage.files import load_array

Layout = NDArray[np.float32]
"""(n_atoms, 2), around 0, the furthest coordinate at 1."""

FILE = "atoms-layout.npy"
PERPLEXITY = 20.0
"""About how many neighbours an atom is kept close to."""
FEW_ATOMS = 10
"""So few have no neighbourhoods to keep: they lie along their two main directions."""


def lay_out(vectors: NDArray[np.float32], *, random_state: int = 0) -> Layout:
    """The places of atoms (n_atoms, dim) in the plane."""
    is_plain = len(vectors) <= FEW_ATOMS or vectors.shape[1] <= 2
    places = _main_directions(vectors) if is_plain else _neighbourhoods(vectors, random_state)
    centred = places - (places.max(axis=0) + places.min(axis=0)) / 2
    return np.asarray(centred / (np.abs(centred).max() or 1.0), np.float32)


def _main_directions(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    places = np.zeros((len(vectors), 2))
    n_directions = min(2, len(sizes))
    places[:, :n_directions] = (left * sizes)[:, :n_directions]
    return places


def _neighbourhoods(vectors: NDArray[np.float32], random_state: int) -> NDArray[np.float32]:
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    settings = {"perplexity": perplexity, "metric": "cosine", "init": "pca", "random_state": random_state, "n_jobs": 1}
    with threadpool_limits(limits=1):  # BLAS and OpenMP: sums in one order
        return np.asarray(TSNE(n_components=2, **settings).fit_transform(np.ascontiguousarray(vectors)))


def load_layout(folder: Path, n_atoms: int) -> Layout:
    """The layout in a model's folder, read with care."""
    layout = load_array(Path(folder) / FILE)
    if layout.shape != (n_atoms, 2) or layout.dtype != np.float32 or not np.isfinite(layout).all():
        raise ModelError(
            f"{Path(folder) / FILE} is no place in the plane for each of {n_atoms:,} atoms; make them again."
        )
    return layout

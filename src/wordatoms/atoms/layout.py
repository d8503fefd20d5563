"""A two-dimensional map of the atoms, in which atoms of similar content are close to each other.

t-SNE (scikit-learn's) on cosines. The paper has no such map; it shows atoms as lists of words.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import ModelError
from wordatoms.storage.files import load_array

Layout = NDArray[np.float32]
"""Shape (n_atoms, 2), centred at 0, with the largest absolute coordinate 1."""

FILE = "atoms-layout.npy"
PERPLEXITY = 20.0
"""About the number of neighbours that t-SNE keeps close to an atom."""
FEW_ATOMS = 10
"""With so few atoms there are no neighbourhoods to keep; they are placed by their two main directions."""


def lay_out(vectors: NDArray[np.float32], *, random_state: int = 0) -> Layout:
    """Place atoms, (n_atoms, dim), in the plane."""
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
    # a PCA start instead of a random one: nearly the same map for nearly the same atoms
    settings = {"perplexity": perplexity, "metric": "cosine", "init": "pca", "random_state": random_state, "n_jobs": 1}
    # one thread of BLAS and of OpenMP: the order of sums, and so the map, must not depend on the number of cores
    with threadpool_limits(limits=1):
        return np.asarray(TSNE(n_components=2, **settings).fit_transform(np.ascontiguousarray(vectors)))


def load_layout(folder: Path, n_atoms: int) -> Layout:
    """Load and check the layout in a model's folder."""
    path = Path(folder) / FILE
    layout = load_array(path)
    if layout.shape != (n_atoms, 2) or layout.dtype != np.float32 or not np.isfinite(layout).all():
        raise ModelError(
            f"{path} holds {layout.dtype} of shape {layout.shape}, expected finite float32 of shape ({n_atoms}, 2). "
            "Run `wordatoms atomize --force`."
        )
    return layout

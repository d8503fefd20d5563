"""The obvious way to documents as distributions over atoms: one window after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import SIF
from wordatoms.text.tokenizer import Tokenizer

N_SHARING = 30


def distribution(
    text: str,
    sif: SIF,
    atoms: NDArray[np.float32],
    *,
    window: int,
    step: int,
    matrix: NDArray[np.float32] | None = None,
    remove_common: bool = True,
    scale: float | None = None,
) -> NDArray[np.float64]:
    """The share of each atom; zeros for a text without known words."""
    words = [word for word in Tokenizer().tokens(text) if word in sif.embeddings]
    width = 2 * window + 1
    pieces = [words[start : start + width] for start in range(0, max(len(words) - width, 0), step)] + [words[-width:]]
    totals = np.zeros(len(atoms))
    for piece in pieces if words else []:
        vector = sum(
            float(sif.weights[sif.embeddings._rows[word]]) * sif.embeddings[word].astype(float) for word in piece
        )
        if remove_common:
            vector = vector - (vector @ sif.common_direction) * sif.common_direction
        if matrix is not None:
            vector = matrix.astype(float) @ vector
        cosines = atoms @ (vector / np.linalg.norm(vector))
        if scale is None:
            totals[cosines.argmax()] += 1 / len(pieces)
        else:
            far = np.argsort(-cosines)[N_SHARING:]
            powers = np.exp(scale * cosines)
            powers[far] = 0
            totals += powers / powers.sum() / len(pieces)
    totals[totals < min(1e-4, 1 / len(pieces))] = 0
    return totals / totals.sum() if totals.any() else totals

"""Quantized vectors, one byte per number: each row as integers times its own scale.

A quarter of the size of single precision, and less when compressed, because the integers are small: with the 47 that
word vectors take, a number has five bits. Rounding errs by at most half a step of the row's largest number, which turns
a vector of 300 dimensions by about three degrees. Left out: product quantization, which would need a decoder for every
query.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import ModelError
from wordatoms.storage.files import load_array, load_rows_of, save_array

MOST = 23
"""Largest integer of a word vector."""
VECTORS, SCALES = "vectors.npy", "vectors-scales.npy"


class ByteVectors(NamedTuple):
    """Vectors as integers, and a scale for each."""

    numbers: NDArray[np.int8]
    """Shape (n, dim)."""
    scales: NDArray[np.float32]
    """Shape (n,); 0 for a row of zeros."""

    def expand(self) -> NDArray[np.float32]:
        """The vectors in single precision, (n, dim)."""
        with np.errstate(over="ignore", invalid="ignore"):  # `Embeddings` refuses vectors that are not finite
            return np.multiply(self.numbers, self.scales[:, None], dtype=np.float32)


def to_bytes(vectors: NDArray[np.float32], most: int = MOST) -> ByteVectors:
    """Round vectors, (n, dim), to integers from -most to most; fewer of them compress better."""
    scales = (np.abs(vectors).max(axis=1, initial=0) / most).astype(np.float32)
    steps = np.where(scales > 0, scales, 1)[:, None]
    return ByteVectors(np.clip(np.rint(vectors / steps), -most, most).astype(np.int8), scales)


def save_bytes(folder: Path, vectors: ByteVectors) -> None:
    save_array(folder / VECTORS, vectors.numbers)
    save_array(folder / SCALES, vectors.scales)


def load_rows(folder: Path, rows: Sequence[int] | None = None) -> NDArray[Any]:
    """Load the vectors in a model's folder, or those of some rows, expanded if quantized."""
    vectors = load_array(folder / VECTORS) if rows is None else load_rows_of(folder / VECTORS, rows)
    if vectors.dtype != np.int8:
        return vectors
    scales = load_array(folder / SCALES)
    if rows is not None:
        scales = scales[list(rows)] if max(rows, default=-1) < len(scales) else scales[:0]
    if vectors.ndim != 2 or scales.shape != vectors.shape[:1] or scales.dtype != np.float32 or (scales < 0).any():
        raise ModelError(
            f"{folder / SCALES} holds {scales.dtype} of shape {scales.shape} for vectors of shape {vectors.shape}; "
            "get the model again."
        )
    return ByteVectors(vectors, scales).expand()

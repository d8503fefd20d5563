"""Phrases with a vector of their own, such as *new york*, *prime minister* and *ice cream*.

A phrase is no word of the vocabulary: joined in the text, its uses would be taken from its parts, and *york* would lose
nearly all of its own. Its vector is induced from its contexts instead (Section 4), and coded over the atoms like that
of a word; so it has senses by its code and nearest words. The same contexts show its senses by use, which are kept like
those of words: phrase k stands in the row after those of all words and k phrases.

Left out: finding phrases and their contexts in a text (`wordatoms.pipeline.phrases`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.embeddings.quantized import ByteVectors, to_bytes
from wordatoms.errors import ModelError
from wordatoms.senses.uses import DESCRIPTION, SenseUses
from wordatoms.storage.files import load_array, save_array, write_atomic
from wordatoms.text.tokenizer import Tokenizer

LIST, VECTORS, SCALES, CODES = "phrases.txt", "phrases-vectors.npy", "phrases-scales.npy", "phrases-codes"
PREFIX = "phrases-"
"""Beginning of the names of the files of senses by use."""


@dataclass(frozen=True, eq=False, repr=False)
class Phrases:
    """Phrases, their vectors, and the codes of these over the atoms of a model."""

    phrases: tuple[str, ...]
    """Words with single spaces between them."""
    vectors: NDArray[np.float32]
    """Shape (n, dim)."""
    codes: SparseCodes
    uses: SenseUses | None = None
    """Senses by use, of rows for all words and then for all phrases; None if the words have none either."""

    def __len__(self) -> int:
        return len(self.phrases)

    def __repr__(self) -> str:
        return f"Phrases({len(self):,} phrases)"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {phrase: number for number, phrase in enumerate(self.phrases)}

    def find(self, text: str, tokenizer: Tokenizer) -> int | None:
        """Return the number of a phrase as a person typed it; None if it is not among them."""
        return self._numbers.get(" ".join(tokenizer.words(text)))

    def save(self, folder: Path, *, compact: bool = False) -> list[str]:
        """Write the phrases, compact with vectors as small integers; return the names of the files."""
        names = [LIST, VECTORS, f"{CODES}-atoms.npy", f"{CODES}-weights.npy"]
        with write_atomic(folder / LIST) as file:
            file.write("".join(f"{phrase}\n" for phrase in self.phrases).encode())
        if compact:
            quantized = to_bytes(self.vectors)
            save_array(folder / VECTORS, quantized.numbers)
            save_array(folder / SCALES, quantized.scales)
            names.append(SCALES)
        else:
            save_array(folder / VECTORS, self.vectors)
        self.codes.save(folder, CODES)
        if self.uses is not None:
            self.uses.save(folder, compact=compact, prefix=PREFIX)
            names += sorted(path.name for path in folder.glob(f"{PREFIX}uses*"))
        return names

    @classmethod
    def load(cls, folder: Path, *, n_words: int, n_atoms: int, dim: int) -> Phrases:
        """Load and check the phrases of a model."""
        try:
            phrases = tuple((folder / LIST).read_bytes().decode().split("\n")[:-1])
            vectors = _load_vectors(folder)
            codes = SparseCodes.load(folder, CODES, n_atoms=n_atoms)
        except (OSError, ValueError) as error:
            raise ModelError(f"{folder} holds no usable phrases ({error}). Run: wordatoms phrases --force") from error
        if vectors.shape != (len(phrases), dim) or len(codes) != len(phrases) or not np.isfinite(vectors).all():
            raise ModelError(
                f"{folder} has {len(phrases):,} phrases but vectors of shape {vectors.shape} and {len(codes):,} codes. "
                "Run: wordatoms phrases --force"
            )
        uses = SenseUses.load(folder, prefix=PREFIX) if (folder / f"{PREFIX}{DESCRIPTION}").is_file() else None
        if uses is not None and (
            len(uses.families) != n_words + len(phrases)
            or uses.atoms.max(initial=-1) >= n_atoms
            or uses.nearest.max(initial=-1) >= n_words
            or uses.stored.shape[1] != dim
        ):
            raise ModelError(
                f"the senses by use of the phrases in {folder} belong to other words or atoms. Run: wordatoms phrases "
                "--force"
            )
        return cls(phrases, vectors, codes, uses)


def _load_vectors(folder: Path) -> NDArray[Any]:
    vectors = load_array(folder / VECTORS)
    if vectors.dtype != np.int8:
        return np.asarray(vectors, np.float32)
    scales = load_array(folder / SCALES)
    if vectors.ndim != 2 or scales.shape != vectors.shape[:1]:
        raise ValueError(f"scales of shape {scales.shape} for vectors of shape {vectors.shape}")
    return ByteVectors(vectors, np.asarray(scales, np.float32)).expand()

"""Rolling windows over documents, and the atoms that each window is about.

A window is 2 · window + 1 known words. Its SIF vector (Section 2 of the paper) loses the common direction and goes
through the map A of Theorem 1 where the model has one. A model without that map has no stored common direction either;
the direction of Σ p(w)·a/(a+p(w))·v_w takes its place, the mean of all windows if words came independently.

Sums over windows are differences of running sums, so a document costs the same whatever the window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words
from wordatoms.contexts.windows import check_window
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import softmax
from wordatoms.text.tokenizer import Lexicon

DEFAULT_WINDOW = 10
DEFAULT_SCALE = 30.0
SMALLEST_SHARE = 1e-4
"""Of a soft distribution; what is below is left out, and the rest sums to 1 again."""
PIECE_CHARACTERS = 1 << 20
BLOCK_WINDOWS = 1024

Rows = NDArray[np.int32]


class Part(NamedTuple):
    """Distributions of some documents, one after the other."""

    names: list[str]
    sizes: NDArray[np.int64]
    """How many atoms each document has."""
    atoms: NDArray[np.int64]
    shares: NDArray[np.float64]
    n_words: NDArray[np.int64]
    n_windows: NDArray[np.int64]
    n_characters: int


@dataclass(frozen=True, eq=False)
class WindowAtoms:
    """What turns documents into distributions over the atoms of one model."""

    lexicon: Lexicon
    sif: SIF
    learned: InducedMap | None
    atoms: NDArray[np.float32]
    """Those that are not hidden, (n_shown, dim)."""
    shown: NDArray[np.int64]
    """Their ids."""
    labels: tuple[str, ...]
    """Of all atoms."""
    window: int
    step: int
    remove_common: bool
    scale: float | None
    """Of soft shares; none for the nearest atom alone."""

    @classmethod
    def of_model(
        cls, model: SenseModel, window: int | None, step: int | None, *, remove_common: bool, scale: float | None
    ) -> WindowAtoms:
        learned = model.induced_map if "map" in model.folder.stages else None
        notes = model.notes
        shown = np.array([atom for atom in range(len(model.atoms)) if atom not in notes.hidden], np.int64)
        words = window if window is not None else learned.window if learned else DEFAULT_WINDOW
        step = words if step is None else step
        _check_numbers(words, step, scale, len(shown))
        return cls(
            Lexicon(model.words, tokenizer=model.tokenizer),
            learned.sif(model.embeddings) if learned else _plain_sif(model.embeddings),
            learned,
            np.ascontiguousarray(model.atoms.vectors[shown]),
            shown,
            tuple(model.label(atom, notes) for atom in range(len(model.atoms))),
            words,
            step,
            remove_common,
            scale,
        )

    def part(self, group: Sequence[tuple[str, str]]) -> Part:
        """The distributions of some documents, given by name and text."""
        lexicon = self.lexicon.copy()
        words = [self._known_rows(text, lexicon) for _, text in group]
        totals, n_windows = np.zeros((len(group), len(self.shown))), np.zeros(len(group), np.int64)
        for owners, vectors in self._blocks(words):
            self._add(owners, vectors, totals)
            n_windows += np.bincount(owners, minlength=len(group))
        shares = _shares(totals, n_windows)
        documents, atoms = np.nonzero(shares)
        return Part(
            [name for name, _ in group],
            np.bincount(documents, minlength=len(group)),
            self.shown[atoms],
            shares[documents, atoms],
            np.array([len(rows) for rows in words], np.int64),
            n_windows,
            sum(len(text) for _, text in group),
        )

    def _known_rows(self, text: str, lexicon: Lexicon) -> Rows:
        """The known words of a document, as rows."""
        found = [np.zeros(0, np.int32)]
        for piece in _pieces(text):
            ids = lexicon.encode(piece.encode("utf-8", "replace"))
            found.append(ids[(ids >= 0) & (ids < len(self.sif.embeddings))])
        return np.concatenate(found)

    def _blocks(self, documents: Sequence[Rows]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """The windows of all documents, many at a time: the document of each, and its vector."""
        owners: list[NDArray[np.int64]] = []
        vectors: list[NDArray[np.float32]] = []
        n_held = 0
        for number, rows in enumerate(documents):
            for means in self._means(rows):
                owners.append(np.full(len(means), number))
                vectors.append(means)
                n_held += len(means)
                if n_held >= BLOCK_WINDOWS:
                    yield self._with_direction(np.concatenate(owners), np.concatenate(vectors))
                    owners, vectors, n_held = [], [], 0
        if n_held:
            yield self._with_direction(np.concatenate(owners), np.concatenate(vectors))

    def _means(self, rows: Rows) -> Iterator[NDArray[np.float32]]:
        """SIF vectors of the windows of one document, in blocks."""
        width = min(2 * self.window + 1, len(rows))
        starts = window_starts(len(rows), width, self.step)
        for first in range(0, len(starts), BLOCK_WINDOWS):
            block = starts[first : first + BLOCK_WINDOWS]
            inside = rows[block[0] : block[-1] + width]
            weighted = self.sif.weights[inside][:, None] * self.sif.embeddings.vectors[inside]
            sums = np.zeros((len(inside) + 1, weighted.shape[1]))
            np.cumsum(weighted, axis=0, dtype=np.float64, out=sums[1:])
            begins = block - block[0]
            yield np.asarray((sums[begins + width] - sums[begins]) / width, np.float32)

    def _with_direction(
        self, owners: NDArray[np.int64], vectors: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Windows where the atoms are, at length 1; one without a direction (words with zero vectors) is no window."""
        if self.remove_common:
            vectors = self.sif.remove_common(vectors)
        if self.learned is not None:
            vectors = self.learned.apply(vectors)
        lengths = np.linalg.norm(vectors, axis=1)
        kept = lengths > 0
        return owners[kept], vectors[kept] / lengths[kept, None]

    def _add(self, owners: NDArray[np.int64], vectors: NDArray[np.float32], totals: NDArray[np.float64]) -> None:
        """Add what windows are about to what their documents are about."""
        cosines = vectors @ self.atoms.T
        if self.scale is None:
            np.add.at(totals, (owners, cosines.argmax(axis=1)), 1)
            return
        np.add.at(totals, owners, softmax(self.scale * cosines.astype(np.float64)))


def window_starts(n_words: int, width: int, step: int) -> NDArray[np.int64]:
    """Where the windows of a document begin; the last one ends where the document does."""
    if not n_words:
        return np.zeros(0, np.int64)
    return np.append(np.arange(0, n_words - width, step), n_words - width)


def _shares(totals: NDArray[np.float64], n_windows: NDArray[np.int64]) -> NDArray[np.float64]:
    shares = totals / np.maximum(n_windows, 1)[:, None]
    shares[shares < np.minimum(SMALLEST_SHARE, 1 / np.maximum(n_windows, 1))[:, None]] = 0
    sums = shares.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(shares, sums, out=shares, where=sums > 0))


def _pieces(text: str) -> Iterator[str]:
    """A long text in pieces that end at white space where there is any."""
    start = 0
    while len(text) - start > PIECE_CHARACTERS:
        end = max(text.rfind(space, start, start + PIECE_CHARACTERS) for space in " \n") + 1
        end = end if end > start else start + PIECE_CHARACTERS
        yield text[start:end]
        start = end
    yield text[start:]


def _plain_sif(embeddings: Embeddings) -> SIF:
    """SIF for a model without the stage `map`."""
    sif = SIF(embeddings, p_words(embeddings), DEFAULT_A)
    mean = (sif.p_word * sif.weights) @ embeddings.vectors
    length = float(np.linalg.norm(mean)) or 1.0
    return SIF(embeddings, sif.p_word, DEFAULT_A, np.asarray(mean / length, np.float32))


def _check_numbers(window: int, step: int, scale: float | None, n_shown: int) -> None:
    check_window(window)
    if step < 1:
        raise InputError(f"step is {step}; pass 1 word or more.")
    if scale is not None and not 0 < scale < np.inf:
        raise InputError(f"scale is {scale}; pass a positive number.")
    if not n_shown:
        raise InputError("all atoms of the model are hidden; unhide some: wordatoms atoms ID --unhide")

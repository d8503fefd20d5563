"""Passages: where a window is in its document, and which words decided for its atom.

A tokenizer says what the words are, not where, and finding the place of every word is slow. So a text is encoded with a
line for each run of letters between spaces, which gives the run of every known word at once, and places are found in
the few runs of a window only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.senses.topics import WindowAtoms
from wordatoms.text.spans import Span, find_spans
from wordatoms.text.tokenizer import Lexicon

N_DECIDING = 5
LEAST_PULL = 0.25
"""A word decided if it pulls at least this part of what the strongest one does."""
LINE_END = -1
"""What stands for the end of a line among the numbers of words."""


class Places(NamedTuple):
    """Where the run of letters between spaces of each known word of a text begins and ends, two arrays (n_words,)."""

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


class Cut(NamedTuple):
    """A passage by its places in the text, with the words that decided, in the order of the text."""

    begin: int
    end: int
    deciding: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class PassageCutter:
    """Finds windows in texts; one for each thread."""

    windows: WindowAtoms

    def places(self, text: str) -> Places:
        """Return the places of the known words of a text in normal form."""
        if self.windows.lexicon.tokenizer.phrases:  # they may span spaces
            known = self._known(find_spans(text, self.windows.lexicon.tokenizer))
            return Places(np.array([span.start for span in known]), np.array([span.end for span in known]))
        letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        ends = np.append(np.flatnonzero((letters == ord(" ")) | (letters == ord("\n"))), len(text))
        begins = np.append(0, ends[:-1] + 1)
        ids = self._lexicon.encode(text.replace(" ", "\n").encode("utf-8", "replace"))
        is_known = (ids >= 0) & (ids < len(self.windows.sif.embeddings))
        runs = np.cumsum(ids == LINE_END)[is_known]
        return Places(begins[runs], ends[runs])

    def cut(self, text: str, start: int, width: int, atom: int) -> Cut:
        """Return the passage of a window, which begins with a known word of a text in normal form."""
        begins, ends = self.places(text)
        offset, n_before = int(begins[start]), start - int(np.searchsorted(begins, begins[start]))
        piece = text[offset : int(ends[min(start + width, len(ends)) - 1])]
        known = self._known(find_spans(piece, self.windows.lexicon.tokenizer))
        spans = known[n_before : n_before + width] or known
        deciding = ((offset + span.start, offset + span.end) for span in self._deciding(spans, atom))
        return Cut(offset + spans[0].start, offset + spans[-1].end, tuple(deciding))

    def _known(self, spans: list[Span]) -> list[Span]:
        return [span for span in spans if span.word in self.windows.sif.embeddings]

    def _deciding(self, spans: list[Span], atom: int) -> list[Span]:
        """Return the words with the largest shares in the product of window and atom."""
        sif = self.windows.sif
        rows = sif.embeddings.find_rows([span.word for span in spans])
        pulls = sif.weights[rows] * (sif.embeddings.vectors[rows] @ self._direction(atom))
        order = np.argsort(-pulls, kind="stable")[:N_DECIDING]
        least = LEAST_PULL * max(float(pulls.max()), 0.0)
        return [spans[place] for place in sorted(order.tolist()) if pulls[place] > least]

    def _direction(self, atom: int) -> NDArray[np.float32]:
        """Return the vector whose product with a SIF vector is that of the window and the atom."""
        windows = self.windows
        vector: NDArray[np.float32] = windows.atoms[np.searchsorted(windows.shown, atom)]
        if windows.learned is not None:
            vector = vector @ windows.learned.matrix
        return windows.sif.remove_common(vector[None])[0] if windows.remove_common else vector

    @cached_property
    def _lexicon(self) -> Lexicon:
        return self.windows.lexicon.for_reading()

"""What the explorer looks up at every key stroke, indexed once per model: words by their beginnings and letters.

A library call may look at all words for an answer; a web page that asks eight times a second had better not.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

N_SUGGESTED = 3
LEAST_ALIKE = 0.75
"""Spellings less alike than this (by difflib's ratio) are no suggestions."""
N_COMPARED = 100
"""Spellings that are compared letter by letter, those with the most letters in common."""
N_KINDS = 64
"""Letters are told apart by their code modulo this: a collision lets a wrong candidate in, never a right one out."""
LONGEST = 127
"""Of words that are suggested, so that letters are counted in bytes."""


class Beginnings:
    """Words by their beginnings."""

    def __init__(self, words: Sequence[str]) -> None:
        self._rows = np.array(sorted(range(len(words)), key=words.__getitem__), np.intp)
        self._sorted = [words[row] for row in self._rows.tolist()]
        self._words = words

    def complete(self, beginning: str, n: int) -> list[str]:
        """The first `n` words of the vocabulary with this beginning, in its order."""
        first = bisect_left(self._sorted, beginning)
        last = bisect_left(self._sorted, beginning + "\U0010ffff", lo=first)
        rows = self._rows[first:last]
        best = np.sort(np.partition(rows, n)[:n] if len(rows) > n else rows)
        return [self._words[row] for row in best.tolist()]


class Spellings:
    """Words by their letters, to suggest some that look like an unknown one."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = [word for word in words if len(word) <= LONGEST]
        self._lengths = np.array([len(word) for word in self._words], np.int32)
        codes = np.frombuffer("".join(self._words).encode("utf-32-le"), np.uint32) % N_KINDS
        places = np.repeat(np.arange(len(self._words)), self._lengths) * N_KINDS + codes
        counts = np.bincount(places, minlength=len(self._words) * N_KINDS)
        self._letters = np.ascontiguousarray(counts.astype(np.int8).reshape(len(self._words), N_KINDS).T)

    def suggest(self, word: str) -> list[str]:
        """The nearest spellings, the nearest first."""
        if len(word) > LONGEST:
            return []
        codes = np.frombuffer(word.encode("utf-32-le", "replace"), np.uint32) % N_KINDS
        shared = np.zeros(len(self._words), np.int8)
        for code, count in zip(*np.unique(codes, return_counts=True), strict=True):
            shared += np.minimum(self._letters[code], np.int8(count))
        bounds = 2.0 * shared / np.maximum(self._lengths + len(word), 1)  # no ratio is above its bound
        likely = np.flatnonzero(bounds >= LEAST_ALIKE)
        best = likely[np.argsort(-bounds[likely], kind="stable")[:N_COMPARED]]
        candidates = [self._words[place] for place in best.tolist()]
        return difflib.get_close_matches(word, candidates, n=N_SUGGESTED, cutoff=LEAST_ALIKE)

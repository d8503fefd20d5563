"""The senses of a word and its inflected forms together, and those of each form.

All forms of a word are one family with one list of senses; a form has those that its own contexts confirm. The senses
are those of a list, if it names any (`wordatoms.senses.listed`), or else found (`wordatoms.senses.observing`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.occurrences import Occurrences
from wordatoms.contexts.reader import ContextReader
from wordatoms.senses.listed import find_listed_senses
from wordatoms.senses.observing import (
    Background,
    ListedSenses,
    Senses,
    context_sums,
    find_senses,
    lifts_of,
    near_views,
)
from wordatoms.senses.posterior import to_unit

N_EXAMPLES = 2
"""Places of typical occurrences kept for each sense."""


class FamilySenses(NamedTuple):
    """The senses of a word and its forms."""

    vectors: NDArray[np.float32]
    """At length 1, (n_senses, dim)."""
    atoms: NDArray[np.int32]
    """The atom that names each sense, -1 for none, (n_senses,)."""
    is_general: NDArray[np.bool_]
    names: tuple[str, ...]
    """From the list of senses; empty for senses that were found."""
    members: tuple[MemberUses, ...]


class MemberUses(NamedTuple):
    """The senses of one word as its own occurrences show them."""

    row: int
    senses: NDArray[np.int32]
    """Numbers of the senses within the family."""
    shares: NDArray[np.float32]
    numbers: NDArray[np.int32]
    """Sampled occurrences of each sense."""
    n_occurrences: int
    examples: NDArray[np.int64]
    """The places (file, offset) of typical occurrences of each sense, -1 for none, (n_senses, N_EXAMPLES, 2)."""


@dataclass(frozen=True, eq=False)
class Observer:
    """Finds the senses of families of words."""

    reader: ContextReader
    occurrences: Occurrences
    background: Background
    code_atoms: Callable[[int], Iterable[int]]
    """The atoms in the code of a word."""
    listed: Callable[[Sequence[int]], ListedSenses | None] = lambda _: None
    """The senses that a list names for a family."""
    most_similar: float | None = None
    """Found senses that are more similar than this are one; see `find_senses`."""

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.asarray(self.reader.embeddings.counts)

    def observe(self, family: Sequence[int]) -> FamilySenses:
        """Return the senses of a word and its forms, given as rows."""
        found = [self.occurrences.of(row) for row in family]
        windows = np.concatenate([each.windows for each in found])
        windows = np.where(np.isin(windows, family), -1, windows).astype(np.int32)  # a word is no evidence for itself
        units = to_unit(context_sums(self.reader, windows, self.background.mean))
        owners = np.repeat(np.arange(len(family)), [len(each.windows) for each in found])
        weights = self._weights(family, owners)
        if listed := self.listed(family):
            forms = np.asarray(family, np.int64)[owners]
            senses = find_listed_senses(units, forms, weights, listed, self.background)
        else:
            atoms = {atom for row in family for atom in self.code_atoms(row)}
            views = near_views(self.reader, windows)
            senses = find_senses(units, views, weights, atoms, self.background, self.most_similar)
        files, offsets = (np.concatenate([each[part] for each in found]) for part in (1, 2))
        places = np.stack([files.astype(np.int64), offsets], axis=1)
        members = [self._member(row, senses, units[owners == n], places[owners == n]) for n, row in enumerate(family)]
        return FamilySenses(senses.vectors, senses.atoms, senses.is_general, senses.names, tuple(members))

    def _weights(self, family: Sequence[int], owners: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the share of all occurrences of the family that each sampled one stands for, (n,)."""
        counts = self._counts[list(family)].astype(np.float64)
        sizes = np.maximum(np.bincount(owners, minlength=len(family)), 1)
        weights = (counts / sizes)[owners]
        return np.asarray(weights / max(weights.sum(), 1e-12))

    def _member(self, row: int, senses: Senses, units: NDArray[np.float32], places: NDArray[np.int64]) -> MemberUses:
        n_senses = len(senses.vectors)
        p_senses = senses.assign(units, row)
        shares, numbers = np.zeros(n_senses), np.zeros(n_senses, np.int64)
        if len(units):
            shares = p_senses[:, :-1].mean(axis=0)
            numbers = np.bincount(p_senses.argmax(axis=1), minlength=n_senses + 1)[:-1]
        products = units @ senses.vectors.T
        lifts = lifts_of(products, senses.thresholds, senses.p_random)
        chosen = np.flatnonzero(senses.confirmed(shares, numbers, lifts, len(units)))
        chosen = chosen[np.argsort(-shares[chosen], kind="stable")]
        examples = np.full((len(chosen), N_EXAMPLES, 2), -1, np.int64)
        for each, sense in zip(examples, chosen, strict=True):
            likely = np.flatnonzero(p_senses.argmax(axis=1) == sense)
            best = likely[np.argsort(-products[likely, sense], kind="stable")][:N_EXAMPLES]
            each[: len(best)] = places[best]
        total = max(float(shares[chosen].sum()), 1e-12)
        return MemberUses(
            row,
            chosen.astype(np.int32),
            (shares[chosen] / total).astype(np.float32),
            numbers[chosen].astype(np.int32),
            len(units),
            examples,
        )


def word_families(words: Sequence[str], forms: Callable[[str], Sequence[str]]) -> list[tuple[int, ...]]:
    """Group words with their inflected forms, as rows: words that are forms of each other are one family."""
    rows: Mapping[str, int] = {word: row for row, word in enumerate(words)}
    others = [frozenset(rows[form] for form in forms(word)[1:] if form in rows) for word in words]
    family_of = list(range(len(words)))

    def find(row: int) -> int:
        while family_of[row] != row:
            row = family_of[row]
        return row

    for row, mutual in enumerate(others):
        for other in sorted(mutual):
            if row in others[other]:
                first, second = sorted((find(row), find(other)))
                family_of[second] = first
    families: dict[int, list[int]] = {}
    for row in range(len(words)):
        families.setdefault(find(row), []).append(row)
    return [tuple(family) for family in families.values()]

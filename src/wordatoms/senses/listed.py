"""Find the senses that a list names in the occurrences of a word: how often is each used, and what stands around it?

The cue words of a sense, taken through the map like a context, are where the sense is looked for. Contexts are then
assigned to senses and each sense becomes the mean of its contexts, in turn, as for senses that are found
(`wordatoms.senses.observing`). Its cues count as much as `ANCHOR` of the uses: a rare sense stays near to them instead
of drifting to the subjects of the frequent ones, and a frequent sense goes where its contexts are. A sense that hardly
any context chooses, or random contexts choose as often, is not confirmed and dropped. Two senses whose contexts say the
same are one: a list may name it twice, in other words.

The numbers were chosen on pseudowords of words with one listed sense, related and unrelated, and by how well the cues
that were used tell to which sense other cues belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.reader import ContextReader
from wordatoms.senses.inventory import Inventory, ListedSense
from wordatoms.senses.observing import (
    ANY_FORM,
    LISTED_NONE_COSINE,
    Background,
    ListedSenses,
    Senses,
    assign,
    lifts_of,
    nearest_atoms,
    nearness,
)
from wordatoms.senses.posterior import to_unit

ANCHOR = 1.0
"""The cues of a sense count as much as this share of the uses; chosen on half of our own sentences, between .1 and 4,
where pseudowords do not care. With more, senses would hardly learn from their contexts."""
EVEN = 0.2
"""Uses, as a share of all, that are taken to be spread evenly over the senses, so that a rare one does not starve."""
N_ROUNDS = 4
LISTED_MOST_SIMILAR = 0.65
"""Senses of a list whose vectors have a cosine above this are one. Of those above it in the English list, nearly
all were two names of one sense or of a part of it (*rail*: train track, train travel)."""
UNLISTED_SIMILAR = 0.25
"""In place of `MOST_SIMILAR` for words that a list leaves out: they have one sense more often than not."""


@dataclass(frozen=True)
class ListReader:
    """Looks up what an inventory lists for a family, and takes the cues through the map."""

    inventory: Inventory
    words: Sequence[str]
    rows: Mapping[str, int]
    reader: ContextReader
    mean: NDArray[np.float32]
    """What the average word adds to a context; see `Background`."""

    def __call__(self, family: Sequence[int]) -> ListedSenses | None:
        """Return the listed senses of a word and its forms, given as rows.

        The senses of the shortest listed form belong to all forms, those of any other form to it alone.
        """
        listed = [row for row in family if self.inventory.of(self.words[row])]
        if not listed:
            return None
        shared = min(listed, key=lambda row: (len(self.words[row]), row))
        names, cues, forms = [], [], []
        for row in sorted(listed, key=lambda row: row != shared):
            for sense in self.inventory.of(self.words[row]):
                known = self._known_cues(sense, family)
                if known and sense.name not in names:
                    names.append(sense.name)
                    cues.append(self._direction(known))
                    forms.append(ANY_FORM if row == shared else row)
        return ListedSenses(tuple(names), np.stack(cues), np.array(forms, np.int64)) if names else None

    def _known_cues(self, sense: ListedSense, family: Sequence[int]) -> list[int]:
        rows = (self.rows.get(cue, -1) for cue in sense.cues)
        return [row for row in rows if row >= 0 and row not in family]

    def _direction(self, rows: list[int]) -> NDArray[np.float32]:
        """Return the mean of the directions of words, as if each were a context, at length 1, (dim,)."""
        mapped = np.asarray(self.reader.embeddings.vectors[rows], np.float32) @ self.reader.matrix.T
        return np.asarray(to_unit(to_unit(mapped - self.mean).sum(axis=0)[None])[0])


def find_listed_senses(
    units: NDArray[np.float32],
    forms: NDArray[np.int64],
    weights: NDArray[np.float64],
    listed: ListedSenses,
    background: Background,
) -> Senses:
    """Find the senses of a list in the contexts of a family, (n, dim).

    `forms` are the rows of the forms that the contexts belong to, (n,); `weights` sum to 1.
    """
    senses = _learn(units, forms, weights, listed, background)
    while pair := _named_twice(senses):
        listed = listed.joined(*pair)
        senses = _learn(units, forms, weights, listed, background)
    p_senses = assign(units, senses.vectors, senses.shares * listed.belongs(forms), LISTED_NONE_COSINE)
    numbers = np.bincount(p_senses.argmax(axis=1), minlength=len(listed.names) + 1)[:-1]
    lifts = lifts_of(units @ senses.vectors.T, senses.thresholds, senses.p_random, weights)
    kept = senses.confirmed(weights @ p_senses[:, :-1], numbers, lifts, len(units))
    if not kept.any():
        kept[senses.shares.argmax()] = True
    return senses if kept.all() else _learn(units, forms, weights, listed.only(kept), background)


def _named_twice(senses: Senses) -> tuple[int, int] | None:
    """Return the two most similar senses of the same forms if they are one, that which is listed first as the first."""
    assert senses.listed
    alike = senses.vectors @ senses.vectors.T
    alike[senses.listed.forms[:, None] != senses.listed.forms] = -1
    np.fill_diagonal(alike, -1)
    first, second = np.unravel_index(alike.argmax(), alike.shape)
    if alike[first, second] <= LISTED_MOST_SIMILAR:
        return None
    return min(int(first), int(second)), max(int(first), int(second))


def _learn(
    units: NDArray[np.float32],
    forms: NDArray[np.int64],
    weights: NDArray[np.float64],
    listed: ListedSenses,
    background: Background,
) -> Senses:
    n_senses, belongs = len(listed.names), listed.belongs(forms)
    vectors, shares = listed.cues, np.full(n_senses, 1 / n_senses)
    p_senses = np.zeros((len(units), n_senses + 1))
    for _ in range(N_ROUNDS):
        p_senses = assign(units, vectors, shares * belongs, LISTED_NONE_COSINE)
        chosen = p_senses[:, :-1] * weights[:, None]
        used = chosen.sum(axis=0)
        sums = chosen.T @ units
        typical = float(np.median(np.linalg.norm(sums, axis=1) / np.maximum(used, 1e-9)))
        vectors = to_unit(sums + ANCHOR * (typical or 1.0) * listed.cues)
        shares = (used + EVEN / n_senses) / (used.sum() + EVEN)
    is_general = np.zeros(n_senses, np.bool_)
    thresholds, p_random = nearness(p_senses, units, vectors, background)
    atoms = nearest_atoms(vectors, is_general, background)
    return Senses(vectors, shares, atoms, is_general, thresholds, p_random, listed)

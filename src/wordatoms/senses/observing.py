"""Find the senses of words in their occurrences: which senses does the text itself show?

A word's vector is the sum of its senses weighted by how often they are used (Theorem 2), so a rare sense all but
vanishes in it; the occurrences still show it. For a word and its inflected forms together:

1. Contexts become vectors by the map for single contexts. Every word counts by how it differs from the average word of
   random contexts, so that function words add nothing; then contexts are brought to length 1. To look for candidates,
   the main directions of random contexts are removed as well: they are styles of writing, not meanings.
2. Candidates are the atoms of the words' codes, and every atom that is nearest to the contexts of these words clearly
   more often than to random contexts.
3. Contexts are assigned to senses and each sense becomes the mean of its contexts, v_s = A·E[context | sense], in turn.
   A context that is near to no sense is left out.
4. Two senses are one if they rise and fall together over the word's own contexts (their products with these contexts
   are correlated) and have the same words next to the target. A subject changes the words far away, another sense
   those nearby too.
5. A sense that the word's contexts choose hardly more often than random contexts do is a subject that any word is used
   in. These contexts become the general sense of the word, without an atom. What is rarely used is dropped.

Left out: senses that a list names (`wordatoms.senses.listed`), the senses of single forms
(`wordatoms.senses.families`), the sample of occurrences (`wordatoms.contexts.occurrences`) and the questions
(`wordatoms.senses.uses`). The numbers below were chosen on pseudowords of one to five words that have one sense in
WordNet, with equal and unequal shares (each should be found, and found once), and by looking at twelve well-known
words: the parts of a pseudoword differ more than senses do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.occurrences import Occurrences
from wordatoms.contexts.reader import ContextReader
from wordatoms.senses.posterior import softmax, to_unit

SHARPNESS = 30.0
"""Factor of the cosines of contexts and senses when contexts are assigned."""
NONE_COSINE, NONE_SHARE = 0.27, 0.1
"""A context is left out as if there were another sense, with this cosine to all contexts and this share of the uses."""
LEAST_RATIO = 4.0
"""An atom is a candidate if it is nearest to a word's contexts this many times as often as to random contexts …"""
LEAST_CANDIDATE_SHARE, LEAST_CANDIDATES = 0.002, 3
"""… and to at least this share of them, and this many."""
LEAST_SHARE, LEAST_OCCURRENCES = 0.004, 6
"""Senses with a smaller share of the uses, or in fewer sampled occurrences, are dropped …"""
LEAST_LISTED_SHARE, LEAST_LISTED_OCCURRENCES = 0.001, 3
"""… and those of a list, which are known to exist, only below these."""
MOST_SIMILAR = 0.5
"""Senses that are more similar than this are one: the correlation of their products with the word's contexts, …"""
VIEWS = {"around": 0.4, "before": 0.2, "after": 0.2}
"""… and, with these weights, the cosines of the words around the target, of the word before and of the one after it,
each as it differs from the mean over the word's contexts."""
N_AROUND = 3
"""Words on each side that are around the target."""
LEAST_LIFT = 2.0
"""A sense's contexts are at least this many times as frequent as random contexts that are as near to it."""
LISTED_NONE_COSINE = 0.15
"""In place of `NONE_COSINE` for the senses of a list, which leaves fewer contexts without a sense."""
LEAST_LISTED_LIFT, CERTAIN_SHARE = 0.4, 0.1
"""A listed sense needs this lift, or this share of the uses: abstract senses are near to contexts of all kinds."""
N_DIRECTIONS = 5
"""Main directions of random contexts that are removed to find candidates."""
N_ROUNDS = 5
N_RANDOM, N_COMPARED = 20_000, 4000
"""Random contexts, and how many of them each sense is compared with."""
N_SEARCHED = 1000
"""Contexts of a family that are searched for candidates."""
LEAST_ATOM_COSINE = 0.4
"""A sense has the nearest atom as its name if their cosine is at least this."""


ANY_FORM = -1
"""In place of a form: the sense belongs to all forms of the word."""


class Background(NamedTuple):
    """What all words share: random contexts and the atoms."""

    mean: NDArray[np.float32]
    """What the average word adds to random contexts per unit of its weight, (dim,)."""
    typical_length: float
    """The median length of the sums of random contexts."""
    directions: NDArray[np.float32]
    """The main directions of random contexts, (N_DIRECTIONS, dim)."""
    contexts: NDArray[np.float32]
    """Some random contexts at length 1, (n, dim)."""
    atoms: NDArray[np.float32]
    """Atoms without the main directions, at length 1, (n_atoms, dim)."""
    p_nearest: NDArray[np.float64]
    """Share of random contexts that each atom is nearest to, (n_atoms,)."""

    def strip(self, vectors: NDArray[Any]) -> NDArray[np.float32]:
        """Remove the main directions, and bring rows to length 1."""
        return to_unit(vectors - (vectors @ self.directions.T) @ self.directions)


def context_sums(
    reader: ContextReader, windows: NDArray[np.int32], mean: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """Return the weighted sum of the words of each context through the map, less `mean` for each word, (n, dim)."""
    from wordatoms.kernels import contexts as kernel

    sums = np.zeros((len(windows), reader.embeddings.dim), np.float32)
    nearness = reader.nearness(windows.shape[1] // 2)
    kernel.add_weighted(windows, reader.sif_weights, nearness, reader.embeddings.vectors, sums)
    mapped = sums @ reader.matrix.T
    return mapped if mean is None else mapped - reader.word_weights(windows).sum(axis=1, keepdims=True) * mean


def near_views(reader: ContextReader, windows: NDArray[np.int32]) -> dict[str, NDArray[np.float32]]:
    """Return what stands next to the target in each context, (n, dim) each; see `VIEWS`."""
    middle = windows.shape[1] // 2
    around = slice(max(middle - N_AROUND, 0), middle + N_AROUND)
    places = {
        "around": windows[:, around],
        "before": windows[:, middle - 1 : middle],
        "after": windows[:, middle:][:, :1],
    }
    weights = {"around": reader.sif_weights, "before": None, "after": None}  # a word next to it counts by its grammar
    return {name: _sum_units(reader.word_units, places[name], weights[name]) for name in VIEWS}


def _sum_units(
    units: NDArray[np.float32], windows: NDArray[np.int32], weights: NDArray[np.float32] | None
) -> NDArray[np.float32]:
    total = np.zeros((len(windows), units.shape[1]), np.float32)
    for words in windows.T:
        factor = (words >= 0) * (np.float32(1) if weights is None else weights[words])
        total += factor[:, None] * units[words]
    return total


def learn_background(
    reader: ContextReader, atoms: NDArray[np.float32], occurrences: Occurrences, *, random_state: int = 0
) -> Background:
    """Draw random contexts, words in proportion to their frequency, and describe them."""
    counts = np.asarray(reader.embeddings.counts, np.float64)
    rng = np.random.default_rng(random_state)
    drawn = np.bincount(rng.choice(len(counts), N_RANDOM, p=counts / counts.sum()), minlength=len(counts))
    windows = np.concatenate([occurrences.of(int(row)).windows[: drawn[row]] for row in np.flatnonzero(drawn)])
    return describe_background(reader, atoms, windows[(windows >= 0).any(axis=1)])


def describe_background(reader: ContextReader, atoms: NDArray[np.float32], windows: NDArray[np.int32]) -> Background:
    """Return what random contexts have in common."""
    weight = float(reader.word_weights(windows).sum(dtype=np.float64))
    mean = (context_sums(reader, windows).sum(axis=0, dtype=np.float64) / max(weight, 1e-12)).astype(np.float32)
    contexts = context_sums(reader, windows, mean)
    directions = np.linalg.eigh((contexts.T @ contexts).astype(np.float64))[1].T[::-1][:N_DIRECTIONS]
    directions = directions.astype(np.float32)
    background = Background(
        mean,
        float(np.median(np.linalg.norm(contexts, axis=1))),
        directions,
        to_unit(contexts[:: max(1, len(contexts) // N_COMPARED)]),
        to_unit(atoms - (atoms @ directions.T) @ directions),
        np.zeros(len(atoms)),
    )
    nearest = (background.strip(contexts) @ background.atoms.T).argmax(axis=1)
    p_nearest = np.bincount(nearest, minlength=len(atoms)) / max(len(contexts), 1)
    return background._replace(p_nearest=np.maximum(p_nearest, 1 / max(len(contexts), 1)))


class ListedSenses(NamedTuple):
    """What a list says of a family of words."""

    names: tuple[str, ...]
    cues: NDArray[np.float32]
    """The direction of the cue words of each sense, at length 1, (n_senses, dim)."""
    forms: NDArray[np.int64]
    """Row of the only form that has the sense, or `ANY_FORM`, (n_senses,)."""

    def belongs(self, forms: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which senses each of some forms can have, (n, n_senses)."""
        return np.asarray((self.forms == ANY_FORM) | (self.forms == forms[:, None]))

    def only(self, kept: NDArray[np.bool_]) -> ListedSenses:
        """Return some of the senses."""
        names = tuple(name for name, keep in zip(self.names, kept, strict=True) if keep)
        return ListedSenses(names, self.cues[kept], self.forms[kept])

    def joined(self, kept: int, other: int) -> ListedSenses:
        """Return the senses with two of them made one, which has the name of the first and the cues of both."""
        cues = self.cues.copy()
        cues[kept] = to_unit((cues[kept] + cues[other])[None])[0]
        return self._replace(cues=cues).only(np.arange(len(self.names)) != other)


class Senses(NamedTuple):
    """Senses found in the contexts of a family."""

    vectors: NDArray[np.float32]
    shares: NDArray[np.float64]
    atoms: NDArray[np.int32]
    is_general: NDArray[np.bool_]
    thresholds: NDArray[np.float64]
    """The median product of each sense with its own contexts."""
    p_random: NDArray[np.float64]
    """Share of random contexts whose product is larger than that."""

    listed: ListedSenses | None = None
    """What the list says of these senses; None if they were found without one."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the senses in the list; empty ones for senses that were found."""
        return self.listed.names if self.listed else ("",) * len(self.vectors)

    def assign(self, units: NDArray[np.float32], form: int) -> NDArray[np.float64]:
        """Return the probability of each sense in contexts of a form, and last that of none, (n, n_senses + 1)."""
        if self.listed is None:
            return assign(units, self.vectors, self.shares)
        shares = self.shares * self.listed.belongs(np.array([form]))[0]
        return assign(units, self.vectors, shares, LISTED_NONE_COSINE)

    def confirmed(
        self, shares: NDArray[np.float64], numbers: NDArray[np.int64], lifts: NDArray[np.float64], n: int
    ) -> NDArray[np.bool_]:
        """Tell which senses n contexts confirm, by their shares, their numbers of contexts and their lifts."""
        if self.listed is None:
            return is_used(shares, numbers, n) & (self.is_general | (lifts >= LEAST_LIFT))
        used = is_used(shares, numbers, n, listed=True)
        return used & ((lifts >= LEAST_LISTED_LIFT) | (shares >= CERTAIN_SHARE))


def is_used(
    shares: NDArray[np.float64],
    numbers: NDArray[np.int64],
    n: int,
    *,
    listed: bool = False,
) -> NDArray[np.bool_]:
    """Tell which senses n contexts use often enough; fewer uses are enough for those of a list."""
    least_share, least_number = LEAST_SHARE, LEAST_OCCURRENCES
    if listed:
        least_share, least_number = LEAST_LISTED_SHARE, LEAST_LISTED_OCCURRENCES
    return np.asarray((shares >= least_share) & (numbers >= min(least_number, max(n // 8, 1))))


def assign(
    units: NDArray[np.float32],
    vectors: NDArray[np.float32],
    shares: NDArray[np.float64],
    none_cosine: float | None = None,
) -> NDArray[np.float64]:
    """Return the probability of each sense in each context, and last that of none, (n, n_senses + 1).

    `shares` are of all contexts, or of each of them, (n, n_senses), and 0 for a sense that a context cannot have;
    `none_cosine` is `NONE_COSINE` by default.
    """
    logits = np.empty((len(units), len(vectors) + 1))
    possible = np.where(shares > 0, np.log(np.maximum(shares, 1e-9)), -np.inf)
    logits[:, :-1] = SHARPNESS * (units @ vectors.T) + possible
    logits[:, -1] = SHARPNESS * (NONE_COSINE if none_cosine is None else none_cosine) + np.log(NONE_SHARE)
    return softmax(logits)


def find_senses(
    units: NDArray[np.float32],
    views: Mapping[str, NDArray[np.float32]],
    weights: NDArray[np.float64],
    code_atoms: Iterable[int],
    background: Background,
    most_similar: float | None = None,
) -> Senses:
    """Find the senses in the contexts of a family, (n, dim); `weights` sum to 1.

    Senses that are more similar than `most_similar`, by default `MOST_SIMILAR`, are one.
    """
    sums = background.atoms[_candidates(units, code_atoms, background)]
    shares = np.full(len(sums), 1 / max(len(sums), 1))
    seen = background.strip(units)  # candidates are atoms without the main directions
    p_senses = np.zeros((len(units), 0))
    for _ in range(N_ROUNDS):
        p_senses = assign(seen, to_unit(sums), shares)[:, :-1] * weights[:, None]
        shares = p_senses.sum(axis=0)
        kept = shares >= LEAST_SHARE / 4
        p_senses, shares, seen = p_senses[:, kept], shares[kept], units
        sums = np.asarray(p_senses.T @ units, np.float32)
    grams = [(1.0, sums @ _covariance(units, weights) @ sums.T)]
    for name, weight in VIEWS.items():
        near = p_senses.T @ (views[name] - (weights @ views[name]).astype(np.float32))
        grams.append((weight, near @ near.T))
    groups = _merge(grams, MOST_SIMILAR if most_similar is None else most_similar)
    sums = np.stack([sums[group].sum(axis=0) for group in groups]) if groups else sums.reshape(-1, units.shape[1])
    shares = np.array([shares[group].sum() for group in groups])
    return _keep_confirmed(to_unit(sums), shares, units, weights, background)


def _candidates(units: NDArray[np.float32], code_atoms: Iterable[int], background: Background) -> list[int]:
    step = max(1, -(-len(units) // N_SEARCHED))
    searched = background.strip(units[::step])
    nearest = np.bincount((searched @ background.atoms.T).argmax(axis=1), minlength=len(background.atoms))
    enough = max(LEAST_CANDIDATES, LEAST_CANDIDATE_SHARE * len(searched))
    often = (nearest >= enough) & (nearest >= LEAST_RATIO * background.p_nearest * len(searched))
    return sorted({*np.flatnonzero(often).tolist(), *code_atoms})


def _covariance(units: NDArray[np.float32], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = units - (weights @ units).astype(np.float32)
    return np.asarray((centred.T * weights.astype(np.float32)) @ centred, np.float64)


def _merge(grams: Sequence[tuple[float, NDArray[np.float64]]], most_similar: float) -> list[list[int]]:
    """Put the two most similar senses together, again and again, and return the senses of each group.

    A sense is a sum over its contexts, and a group the sum of its senses, so the inner products of groups are sums of
    those that are given with their weights.
    """
    products = [(weight, np.array(gram, np.float64)) for weight, gram in grams]
    groups = [[number] for number in range(len(products[0][1]))]
    while len(groups) > 1:
        similar = np.sum([weight * _scaled(gram) for weight, gram in products], axis=0)
        np.fill_diagonal(similar, -np.inf)
        first, second = sorted(np.unravel_index(similar.argmax(), similar.shape))
        if similar[first, second] < most_similar:
            break
        groups[first] += groups.pop(second)
        products = [(weight, _add_up(gram, int(first), int(second))) for weight, gram in products]
    return groups


def _add_up(gram: NDArray[np.float64], first: int, second: int) -> NDArray[np.float64]:
    """Return the inner products after one row was added to another and removed."""
    gram[first] += gram[second]
    gram[:, first] += gram[:, second]
    return np.delete(np.delete(gram, second, axis=0), second, axis=1)


def _scaled(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return correlations for covariances, and cosines for inner products."""
    deviations = np.sqrt(np.maximum(np.diag(products), 1e-12))
    return np.asarray(products / np.outer(deviations, deviations))


def _keep_confirmed(
    vectors: NDArray[np.float32],
    shares: NDArray[np.float64],
    units: NDArray[np.float32],
    weights: NDArray[np.float64],
    background: Background,
) -> Senses:
    """Drop what is rarely used, and make one general sense of what random contexts choose as often."""
    p_senses = assign(units, vectors, shares)
    thresholds, p_random = nearness(p_senses, units, vectors, background)
    lifts = lifts_of(units @ vectors.T, thresholds, p_random, weights)
    is_general = lifts < LEAST_LIFT
    if is_general.any():
        pooled = p_senses[:, :-1][:, is_general].sum(axis=1) * weights
        general = to_unit((pooled @ units)[None])
        vectors = np.concatenate([vectors[~is_general], general])
        shares = np.append(shares[~is_general], pooled.sum())
    flags = np.zeros(len(vectors), np.bool_)
    flags[len(vectors) - int(is_general.any()) :] = True
    p_senses = assign(units, vectors, shares)
    numbers = np.bincount(p_senses.argmax(axis=1), minlength=len(vectors) + 1)[:-1]
    shares = (p_senses[:, :-1] * weights[:, None]).sum(axis=0)
    kept = is_used(shares, numbers, len(units))
    if not kept.any() and len(vectors):
        kept[shares.argmax()] = True
    vectors, shares, flags = vectors[kept], shares[kept], flags[kept]
    thresholds, p_random = nearness(assign(units, vectors, shares), units, vectors, background)
    return Senses(vectors, shares, nearest_atoms(vectors, flags, background), flags, thresholds, p_random)


def nearness(
    p_senses: NDArray[np.float64], units: NDArray[np.float32], vectors: NDArray[np.float32], background: Background
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the median product of each sense with its contexts, and the share of random contexts above it."""
    products, random = units @ vectors.T, background.contexts @ vectors.T
    chosen = p_senses.argmax(axis=1)
    thresholds = np.array(
        [np.median(products[chosen == n, n]) if (chosen == n).any() else 1.0 for n in range(len(vectors))]
    )
    p_random = (random > thresholds).mean(axis=0) if len(vectors) else np.zeros(0)
    return thresholds, np.asarray(p_random + 1 / max(len(random), 1))


def lifts_of(
    products: NDArray[Any],
    thresholds: NDArray[np.float64],
    p_random: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return how many times as often as random contexts the given ones are near to each sense."""
    if not len(products):
        return np.zeros(len(thresholds))
    is_near = products > thresholds
    share = is_near.mean(axis=0) if weights is None else weights @ is_near
    return np.asarray(share / p_random)


def nearest_atoms(
    vectors: NDArray[np.float32], is_general: NDArray[np.bool_], background: Background
) -> NDArray[np.int32]:
    """Return the nearest atom of each sense; -1 for a general sense or if none is near."""
    if not len(vectors):
        return np.zeros(0, np.int32)
    cosines = background.strip(vectors) @ background.atoms.T
    is_named = ~is_general & (cosines.max(axis=1) >= LEAST_ATOM_COSINE)
    return np.where(is_named, cosines.argmax(axis=1), -1).astype(np.int32)

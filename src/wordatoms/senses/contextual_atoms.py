"""Atoms of contextual vectors: a dictionary over the states that an encoder gives to words in their texts.

Equation (2) of the paper, for occurrences in the place of words: the state of an occurrence is nearly a sum of a few
contextual atoms, with weights from 0 up. Sampled occurrences of some ambiguous words are encoded, k-SVD learns the
atoms, and our own reading, without the encoder, tells the discourse atom of the sense that is meant in each occurrence.
An occurrence belongs to the contextual atom with the largest weight in its code.

Most of a state says which word it is. So states are taken as elsewhere without the mean of their form
(`wordatoms.senses.second_eye`); with `keep_words` only the mean of all states is taken away.

Nothing is stored in the model; the explorer shows what `wordatoms observe --encoder --json` printed
(`wordatoms.senses.contextual_files`). Left out: atoms of other places of a text than those of the chosen words.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.frames import Framed
from wordatoms.senses.model import SenseModel
from wordatoms.senses.posterior import to_unit
from wordatoms.senses.reading import function_words
from wordatoms.senses.uses import NO_ATOM
from wordatoms.text.spans import Passage

N_OCCURRENCES = 100
N_WORDS = 40
SPARSITY = 3
OCCURRENCES_PER_ATOM = 20
MOST_ATOMS = 200
"""By default there is one contextual atom for so many occurrences, and no more than this."""
MOST_RANK = 10_000
"""Only words among the most frequent ones are chosen by themselves: a text has enough occurrences of them."""
N_CHARACTERS = 1500
"""Characters kept on each side of an occurrence; an encoder reads fewer."""
N_QUOTED = 60
"""Characters shown on each side of an occurrence."""
N_WORDS_SHOWN, N_COINCIDING = 8, 3
LEAST_OCCURRENCES = 20
_WORD = re.compile(r"\w+")


class Share(NamedTuple):
    """A word, and how many occurrences of a contextual atom are its own."""

    word: str
    n: int


class Coincidence(NamedTuple):
    """A discourse atom that occurrences of a contextual atom have by our reading."""

    atom: int
    label: str
    n: int
    share: float
    """Of the occurrences of the contextual atom that have a discourse atom by our reading."""
    lift: float
    """This share divided by that among all occurrences."""


@dataclass(frozen=True, repr=False)
class ContextualExample(Framed):
    """An occurrence that shows a contextual atom; `start` and `end` are the characters of the word in the text."""

    word: str
    text: str
    start: int
    end: int
    weight: float
    sense: str
    """The label of the sense by our reading; empty where it cannot tell."""


@dataclass(frozen=True, repr=False)
class ContextualAtom(Framed):
    """An atom of an encoder's states, with the occurrences in whose code it has the largest weight."""

    number: int
    n_occurrences: int
    words: tuple[Share, ...]
    n_words: int
    coincides: tuple[Coincidence, ...]
    examples: tuple[ContextualExample, ...]


class Agreement(NamedTuple):
    """How often two occurrences agree: with one contextual atom, and in all pairs; None where there are no pairs."""

    together: float | None
    all_pairs: float | None


@dataclass(frozen=True, repr=False)
class ContextualAtoms(Framed):
    """The atoms of an encoder's states of some words; see `contextual_atoms`."""

    encoder: str
    """Name of the folder of the encoder."""
    discourse_atoms: str
    """Fingerprint of the discourse atoms that they are compared with."""
    words: tuple[str, ...]
    n_occurrences: int
    n_told: int
    """Occurrences of which our reading tells the sense."""
    by_word: float
    """Share of the variance of the states that the words' forms explain, beyond chance."""
    by_sense: float
    """Share of the variance within forms that the senses of our reading explain, beyond chance."""
    explained: float
    """Share of what the dictionary was learned from that its codes explain."""
    same_word: Agreement
    """Occurrences of one word in their sense."""
    different_words: Agreement
    """Occurrences of different words in their discourse atom."""
    atoms: tuple[ContextualAtom, ...]
    """By falling number of occurrences; those of none are left out."""


class _Occurrence(NamedTuple):
    word: str
    usage: Usage
    atom: int
    """Discourse atom of the sense by our reading, or -1."""
    sense: str


def contextual_atoms(
    model: SenseModel,
    lines: Iterable[str],
    words: Sequence[str],
    *,
    n_occurrences: int = N_OCCURRENCES,
    n_atoms: int | None = None,
    n_examples: int = 3,
    keep_words: bool = False,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> ContextualAtoms:
    """Learn atoms of the states that the encoder of a model gives to occurrences of some words.

    Parameters
    ----------
    model : SenseModel
        With an encoder that reads along.
    lines : iterable of str
        The text.
    words : sequence of str
        Words with senses, sampled in all their forms; see `most_ambiguous`.
    n_occurrences : int, default 100
        Maximum occurrences per word, one from a line.
    n_atoms : int, optional
        Number of contextual atoms, by default one for 20 occurrences, up to 200.
    n_examples : int, default 3
        Examples of each atom.
    keep_words : bool, default False
        Take away only the mean of all states, not that of each form.
    random_state : int, default 0
    run : Run, optional

    Returns
    -------
    ContextualAtoms

    Raises
    ------
    InputError
        If the model has no encoder, a word is unknown or has no senses, or the text has too few occurrences.
    """
    from wordatoms.atoms.ksvd import ksvd

    eye = model.second_eye
    if eye is None:
        raise InputError("the model has no encoder that reads along; pass the folder of one.")
    if not words:
        raise InputError("there is no word to observe; name some.")
    known = tuple(dict.fromkeys(model.words[model.row(word)] for word in words))
    occurrences = _read(model.without_encoder(), sample(model, lines, known, n_occurrences, random_state))
    n = len(occurrences)
    if n < LEAST_OCCURRENCES:
        raise InputError(f"the text has {n} occurrences of the words; pass one with {LEAST_OCCURRENCES} or more.")
    n_atoms = n_atoms or int(np.clip(n // OCCURRENCES_PER_ATOM, 2, MOST_ATOMS))
    if n_atoms >= n:
        raise InputError(f"{n_atoms:,} atoms were asked for, but there are {n:,} occurrences; pass fewer atoms.")
    states = eye.states([each.usage for each in occurrences])
    views = to_unit(states - states.mean(axis=0)) if keep_words else _views(model, occurrences)
    made = ksvd(
        views, n_atoms=n_atoms, sparsity=min(SPARSITY, n_atoms), nonnegative=True, random_state=random_state,
        threads=run.n_threads,
    )  # fmt: skip
    forms = [(each.word, each.usage.form.lower()) for each in occurrences]
    senses = [(*form, each.atom, each.sense) for form, each in zip(forms, occurrences, strict=True)]
    within = states - _group_means(states, forms)
    return ContextualAtoms(
        eye.encoder.path.resolve().name,
        model.atoms.fingerprint,
        known,
        n,
        sum(bool(each.sense) for each in occurrences),
        explained_by(states, forms),
        explained_by(within, senses, n_before=len(set(forms))),
        1 - made.error,
        *_agreements(occurrences, made.codes.atoms[:, 0]),
        _describe(model, occurrences, made.codes, n_examples),
    )


def most_ambiguous(model: SenseModel, n: int = N_WORDS) -> list[str]:
    """Return the frequent words whose uses are spread over the most discourse atoms, by entropy.

    Forms of a word that is chosen are left out: they are sampled with it.

    Parameters
    ----------
    model : SenseModel
    n : int, default 40

    Returns
    -------
    list of str

    Raises
    ------
    InputError
        If the model has no senses by use.
    """
    uses, skipped = model.uses, function_words(model)
    if uses is None:
        raise InputError(f"{model.path} has no senses by use, so its most ambiguous words are not known; name words.")
    entropies: dict[str, float] = {}
    for row, word in enumerate(model.words[:MOST_RANK]):
        if word in skipped or not word.isalpha():
            continue
        shares: Counter[int] = Counter()
        for use in uses.of(row):
            if use.atom != NO_ATOM:
                shares[use.atom] += use.share  # type: ignore[assignment]
        p = np.array([*shares.values()])
        if len(p) > 1:
            entropies[word] = float(-(p * np.log(p / p.sum())).sum())
    chosen: dict[str, tuple[str, ...]] = {}
    for word in sorted(entropies, key=lambda word: (-entropies[word], word)):
        if len(chosen) < n and not any(word in forms for forms in chosen.values()):
            chosen[word] = model.forms(word)
    return list(chosen)


# --- occurrences


def sample(
    model: SenseModel, lines: Iterable[str], words: Sequence[str], n_most: int, random_state: int = 0
) -> dict[str, list[Usage]]:
    """Return up to `n_most` random occurrences of each word in any form, one from a line; equal lines count once."""
    targets = {form: word for word in reversed(words) for form in (*model.forms(word), word)}
    kept: dict[str, list[tuple[int, Passage]]] = {word: [] for word in words}
    seen: dict[str, set[int]] = {word: set() for word in words}
    for line in lines:
        if targets.keys().isdisjoint(_WORD.findall(line.lower())):
            continue
        first: dict[str, re.Match[str]] = {}
        for match in _WORD.finditer(line):
            if (word := targets.get(match[0].lower())) is not None:
                first.setdefault(word, match)
        for word, match in first.items():
            start = max(match.start() - N_CHARACTERS, 0)
            part = line[start : match.end() + N_CHARACTERS].strip("\r\n")
            order = _hash(f"{random_state} {word} {part}")
            entry = (-order, Passage(part, match.start() - start, match.end() - start))
            if order in seen[word] or (len(kept[word]) == n_most and entry[0] <= kept[word][0][0]):
                continue
            seen[word].add(order)
            if len(kept[word]) < n_most:
                heapq.heappush(kept[word], entry)
            else:
                seen[word].discard(-heapq.heappushpop(kept[word], entry)[0])
    return {
        word: [
            usage
            for _, (text, start, end) in sorted(found, reverse=True)
            if (usage := Usage.from_text(text, span=(start, end), tokenizer=model.tokenizer)).form.lower() in targets
        ]
        for word, found in kept.items()
    }


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _read(model: SenseModel, found: dict[str, list[Usage]]) -> list[_Occurrence]:
    """Return the occurrences with what our own reading says about each."""
    occurrences: list[_Occurrence] = []
    for word, usages in found.items():
        disambiguator = model.disambiguator(word, n_nearest=0)
        if disambiguator is None:
            raise InputError(f"{word!r} has no senses in the model; pass other words.")
        if not usages:
            continue
        read, meanings = disambiguator.read(usages), disambiguator.senses_read
        best = read.p_senses[:, :-1].argmax(axis=1).tolist()
        for usage, place, is_clear in zip(usages, best, read.is_clear.tolist(), strict=True):
            meaning = meanings[place]
            atom, sense = (meaning.atom, meaning.label) if is_clear else (NO_ATOM, "")
            occurrences.append(_Occurrence(word, usage, atom, sense))
    return occurrences


def _views(model: SenseModel, occurrences: Sequence[_Occurrence]) -> NDArray[np.float32]:
    assert model.second_eye is not None
    words = dict.fromkeys(each.word for each in occurrences)  # occurrences of a word stand together
    of_words = [[each.usage for each in occurrences if each.word == word] for word in words]
    return np.concatenate([model.second_eye.views(usages) for usages in of_words])


# --- figures


def _group_means(rows: NDArray[np.float32], groups: Sequence[object]) -> NDArray[np.float32]:
    """Return for each row the mean of its group."""
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    places = np.array([numbers[group] for group in groups])
    sums = np.zeros((len(numbers), rows.shape[1]), np.float64)
    np.add.at(sums, places, rows)
    return np.asarray((sums / np.bincount(places)[:, None])[places], np.float32)


def explained_by(rows: NDArray[np.float32], groups: Sequence[object], *, n_before: int = 1) -> float:
    """Return the share of the variance of rows that their groups explain beyond chance (epsilon squared).

    `n_before` groups have been taken away before; by default the mean of all rows is.
    """
    total = float(((rows - rows.mean(axis=0)) ** 2).sum())
    rest = float(((rows - _group_means(rows, groups)) ** 2).sum())
    n_groups, n = len(set(groups)), len(rows)
    if total <= 0 or n <= n_groups:
        return 0.0
    return (total - rest - (n_groups - n_before) * rest / (n - n_groups)) / total


def _agreements(occurrences: Sequence[_Occurrence], belongs: NDArray[np.int32]) -> tuple[Agreement, Agreement]:
    """Return the agreement of occurrences of one word in its sense, and of different words in the discourse atom."""
    read = [(group, each) for group, each in zip(belongs.tolist(), occurrences, strict=True) if group >= 0]
    by_sense = [(group, each.word, each.sense) for group, each in read if each.sense]
    by_atom = [(group, each.word, str(each.atom)) for group, each in read if each.atom != NO_ATOM]

    def agreement(told: list[tuple[int, str, str]], which: int) -> Agreement:
        everywhere = [(0, word, label) for _, word, label in told]
        return Agreement(pair_agreement(told)[which], pair_agreement(everywhere)[which])

    return agreement(by_sense, 0), agreement(by_atom, 1)


def pair_agreement(told: Sequence[tuple[int, str, str]]) -> tuple[float | None, float | None]:
    """Return how many pairs within a group have one label, for pairs of one word and of different words.

    Each occurrence is given by its group, its word and its label.
    """

    def n_pairs(keys: Iterable[object]) -> int:
        return sum(n * (n - 1) // 2 for n in Counter(keys).values())

    same_word, one_word = n_pairs(told), n_pairs((group, word) for group, word, _ in told)
    same, pairs = n_pairs((group, label) for group, _, label in told), n_pairs(group for group, _, _ in told)
    different = pairs - one_word
    return same_word / one_word if one_word else None, (same - same_word) / different if different else None


def _describe(
    model: SenseModel, occurrences: Sequence[_Occurrence], codes: SparseCodes, n_examples: int
) -> tuple[ContextualAtom, ...]:
    belongs, weights = codes.atoms[:, 0], codes.weights[:, 0]
    everywhere = Counter(each.atom for each in occurrences if each.atom != NO_ATOM)
    described = []
    for number in range(codes.n_atoms):
        places = np.flatnonzero(belongs == number)
        places = places[np.argsort(-weights[places], kind="stable")]
        members = [occurrences[place] for place in places.tolist()]
        words = Counter(each.word for each in members)
        described.append(
            ContextualAtom(
                number,
                len(members),
                tuple(Share(word, n) for word, n in words.most_common(N_WORDS_SHOWN)),
                len(words),
                _coincidences(model, members, everywhere),
                _examples(members, weights[places].tolist(), n_examples),
            )
        )
    return tuple(sorted((each for each in described if each.n_occurrences), key=lambda each: -each.n_occurrences))


def _coincidences(
    model: SenseModel, members: Sequence[_Occurrence], everywhere: Counter[int]
) -> tuple[Coincidence, ...]:
    found = Counter(each.atom for each in members if each.atom != NO_ATOM)
    n_here, n_all = found.total(), everywhere.total()
    return tuple(
        Coincidence(atom, model.label(atom), n, n / n_here, (n / n_here) / (everywhere[atom] / n_all))
        for atom, n in found.most_common(N_COINCIDING)
    )


def _examples(members: Sequence[_Occurrence], weights: Sequence[float], n: int) -> tuple[ContextualExample, ...]:
    """Return the occurrences with the largest weights, first one of each word."""
    seen: set[str] = set()
    first: list[int] = []
    others: list[int] = []
    for place, each in enumerate(members):
        (others if each.word in seen else first).append(place)
        seen.add(each.word)
    return tuple(_example(members[place], weights[place]) for place in [*first, *others][:n])


def _example(occurrence: _Occurrence, weight: float) -> ContextualExample:
    text, start, end = occurrence.usage.passage
    first, last = max(start - N_QUOTED, 0), min(end + N_QUOTED, len(text))
    shown = ("…" if first else "") + text[first:last] + ("…" if last < len(text) else "")
    shift = first - bool(first)
    return ContextualExample(occurrence.word, shown, start - shift, end - shift, weight, occurrence.sense)

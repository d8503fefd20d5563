"""The police lineup (Section 6.3): words, their senses as lists of related words, and lineups drawn from them.

A testbed has words with two or more senses, and every sense has eight related words. A lineup shows one word and `n`
senses: its own, and senses drawn from other words; the task is to find its own. The paper's testbed (200 words, 704
senses, made by students) was never published. The bundled one is generated from WordNet 3.0, see
`wordatoms.paper.tasks.lineup.building`.

Left out: the test itself (`wordatoms.paper.tasks.lineup.evaluate`; for people, `wordatoms lineup play`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.inflection import lemma
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.storage.files import write_atomic

N_RELATED = 8
"""Number of related words of a sense."""
COLUMNS = ("word", "sense", "synsets", "related words")
NOTICE = (
    "# A police lineup made from WordNet 3.0 by: wordatoms lineup build",
    "# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved. See WORDNET-LICENCE.txt",
)


class LineupSense(NamedTuple):
    """One sense of a word, as the test shows it: a list of related words."""

    related: tuple[str, ...]
    """Eight different words."""
    synsets: tuple[str, ...] = ()
    """Its WordNet synsets, as part of speech and offset, such as `n02139199`."""


@dataclass(frozen=True, repr=False)
class Testbed(Mapping[str, tuple[LineupSense, ...]]):
    """Words and their senses; `testbed["bat"]` are the senses of *bat*."""

    __test__ = False  # pytest would collect the class by its name

    senses_of: Mapping[str, tuple[LineupSense, ...]]

    def __post_init__(self) -> None:
        if len(self.senses_of) < 2:
            raise InputError(
                f"the testbed has {len(self.senses_of)} words; it needs two or more, to draw senses of other words."
            )
        for word, senses in self.senses_of.items():
            _check_senses(word, senses)

    def __getitem__(self, word: str) -> tuple[LineupSense, ...]:
        try:
            return self.senses_of[word]
        except KeyError:
            raise UnknownWordError(word, tuple(self.senses_of)) from None

    def __contains__(self, word: object) -> bool:
        return word in self.senses_of

    def __iter__(self) -> Iterator[str]:
        return iter(self.senses_of)

    def __len__(self) -> int:
        """The number of words."""
        return len(self.senses_of)

    def __repr__(self) -> str:
        return f"Testbed({len(self)} words, {len(self.senses)} senses)"

    @cached_property
    def senses(self) -> tuple[LineupSense, ...]:
        """The senses of all words in order; lineups refer to senses by their index here."""
        return tuple(sense for senses in self.senses_of.values() for sense in senses)

    @cached_property
    def owners(self) -> NDArray[np.intp]:
        """The index of the word that each of the `senses` belongs to, (n_senses,)."""
        return np.repeat(np.arange(len(self)), [len(senses) for senses in self.senses_of.values()])

    def number(self, word: str) -> int:
        """The index of a word."""
        if word not in self._numbers:
            raise UnknownWordError(word, tuple(self.senses_of))
        return self._numbers[word]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self)}

    @cached_property
    def relatives(self) -> tuple[frozenset[int], ...]:
        """For each word, the indices of the words that are inflected forms of the same word, including itself."""
        forms = [{word, lemma(word)} for word in self]
        holders: dict[str, set[int]] = {}
        for number, spellings in enumerate(forms):
            for form in spellings:
                holders.setdefault(form, set()).add(number)
        return tuple(frozenset().union(*(holders[form] for form in spellings)) for spellings in forms)

    @cached_property
    def barred(self) -> NDArray[np.bool_]:
        """Whether a sense of another word may not be shown with a word, (n_words, n_senses).

        These are the senses of words that share an inflected form with it, and senses that share a synset with one of
        its own: the *fan* who is a *buff* is a sense of both.
        """
        related = np.array([np.isin(self.owners, [*near]) for near in self.relatives])
        synsets = [set(sense.synsets) for sense in self.senses]
        own = [set().union(*(sense.synsets for sense in senses)) for senses in self.senses_of.values()]
        shared = np.array([[not of_word.isdisjoint(each) for each in synsets] for of_word in own])
        return np.asarray((related | shared) & (self.owners != np.arange(len(self))[:, None]))

    @cached_property
    def most_shown(self) -> int:
        """The maximum number of senses that a lineup of any word can show."""
        return int((~self.barred).sum(axis=1).min())

    @cached_property
    def digest(self) -> str:
        """A digest of all words and their lists, by which results on the same testbed are known."""
        lines = [" ".join((word, *sense.related)) for word, senses in self.senses_of.items() for sense in senses]
        return sha256("\n".join(lines).encode()).hexdigest()[:16]

    # --- files

    def save(self, path: Path) -> None:
        """Write the testbed as text: word, number of the sense, synsets and related words, separated by tabs."""
        lines = [*NOTICE, "\t".join(COLUMNS)]
        for word, senses in self.senses_of.items():
            for number, sense in enumerate(senses, 1):
                lines.append(f"{word}\t{number}\t{' '.join(sense.synsets)}\t{' '.join(sense.related)}")
        with write_atomic(Path(path)) as file:
            file.write("".join(f"{line}\n" for line in lines).encode())

    @classmethod
    def load(cls, path: Path) -> Testbed:
        """Load a testbed in the format of `save`."""
        return parse_testbed(_read(Path(path)), str(path))


def load_testbed(path: str | Path | None = None) -> Testbed:
    """Load a testbed of the police lineup.

    Parameters
    ----------
    path : str or Path, optional
        A file; by default the bundled testbed.

    Returns
    -------
    Testbed
        Words and their senses, each a list of related words.

    Examples
    --------
    >>> from wordatoms.paper.tasks.lineup.data import load_testbed
    >>> len(load_testbed())
    200
    """
    if path is not None:
        return Testbed.load(Path(path))
    shipped = resources.files("wordatoms") / "data" / "lineup.tsv"
    return parse_testbed(shipped.read_text("utf-8"), str(shipped))


def parse_testbed(text: str, name: str) -> Testbed:
    """Parse a testbed; errors call the source of the text by `name`."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line and not line.startswith("#")]
    if not lines or tuple(lines[0][1].split("\t")) != COLUMNS:
        raise ModelError(
            f"{name} is not a lineup testbed: expected a first line with the columns {', '.join(COLUMNS)}."
        )
    found: dict[str, list[LineupSense]] = {}
    for number, line in lines[1:]:
        fields = line.split("\t")
        senses = found.setdefault(fields[0], [])
        if len(fields) != len(COLUMNS) or fields[1] != str(len(senses) + 1):
            raise ModelError(
                f"{name}, line {number}: expected {', '.join(COLUMNS)}, separated by tabs, and sense {len(senses) + 1} "
                f"of '{fields[0]}'."
            )
        senses.append(LineupSense(tuple(fields[3].split(" ")), tuple(fields[2].split())))
    try:
        return Testbed({word: tuple(senses) for word, senses in found.items()})
    except InputError as error:
        raise ModelError(f"{name}: {error}") from error


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise ModelError(f"{path} cannot be read ({error.strerror}); pass a lineup testbed.") from error
    except UnicodeDecodeError:
        raise ModelError(f"{path} is not UTF-8; pass a lineup testbed.") from None


def _check_senses(word: str, senses: Sequence[LineupSense]) -> None:
    if not _is_plain(word):
        raise InputError(f"{word!r} is not a valid word; write it in lower case, without spaces.")
    if len(senses) < 2:
        raise InputError(f"'{word}' has {len(senses)} sense; a word needs two or more.")
    for number, sense in enumerate(senses, 1):
        if len(set(sense.related)) != N_RELATED or len(sense.related) != N_RELATED:
            raise InputError(
                f"sense {number} of '{word}' has {len(sense.related)} words; list {N_RELATED} different words."
            )
        if not all(map(_is_plain, (*sense.related, *sense.synsets))):
            raise InputError(
                f"sense {number} of '{word}' has words with spaces or capitals; write words in lower case."
            )


def _is_plain(word: str) -> bool:
    return word == word.lower() and word[:1] not in ("", "#") and not any(letter.isspace() for letter in word)


# Lineups


class Lineups(NamedTuple):
    """One lineup for each of some words."""

    words: tuple[str, ...]
    senses: NDArray[np.intp]
    """Indices of senses of the testbed, in the order in which they are shown, (n_lineups, n)."""
    is_true: NDArray[np.bool_]
    """Whether each is a sense of the word, (n_lineups, n)."""


def draw_lineups(
    testbed: Testbed, n: int = 20, *, words: Iterable[str] | None = None, random_state: int | Sequence[int] = 0
) -> Lineups:
    """Draw a lineup for each word: its own senses and random senses of other words, shuffled.

    Senses of other words that share an inflected form or a synset with the word are not drawn.

    Parameters
    ----------
    testbed : Testbed
    n : int, default 20
        Senses in a lineup.
    words : iterable of str, optional
        By default all words.
    random_state : int or sequence of int, default 0
        Seed.

    Returns
    -------
    Lineups

    Examples
    --------
    >>> from wordatoms.paper.tasks.lineup.data import draw_lineups, load_testbed
    >>> draw_lineups(load_testbed(), 10, words=["bat"]).senses.shape
    (1, 10)
    """
    chosen = tuple(testbed if words is None else words)
    if not chosen:
        raise InputError("there are no words to draw lineups for; pass at least one.")
    numbers = [testbed.number(word) for word in chosen]
    own = testbed.owners == np.array(numbers)[:, None]
    unwanted = testbed.barred[numbers]
    _check_size(testbed, chosen, n, (~unwanted).sum(axis=1))
    rng = np.random.default_rng(random_state)
    lots = np.where(own, -1.0, np.where(unwanted, np.inf, rng.random(own.shape)))
    drawn = rng.permuted(np.argsort(lots, axis=1, kind="stable")[:, :n], axis=1)
    return Lineups(chosen, drawn, np.take_along_axis(own, drawn, axis=1))


def _check_size(testbed: Testbed, words: Sequence[str], n: int, n_senses: NDArray[np.intp]) -> None:
    for word, n_usable in zip(words, n_senses.tolist(), strict=True):
        if not len(testbed[word]) <= n <= n_usable:
            raise InputError(
                f"n is {n}, but a lineup for '{word}' needs its {len(testbed[word])} senses and has {n_usable} to draw "
                "from; pass an n in this range."
            )

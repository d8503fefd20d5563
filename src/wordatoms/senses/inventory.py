"""A list of the senses that words are known to have: a name for each, and words that stand near the word in it.

Occurrences alone show subjects as often as senses: *generally* is used in law and in botany, but means the same. And
they tell no names. A list says which senses to look for; the text says how often each is used, what stands around it,
and which of them it lacks (`wordatoms.senses.observing`). Words that are not listed are read without help.

The file has one sense per line, in UTF-8: the word, a name, and cue words between spaces, separated by tabs. A sense
belongs to the word and its inflected forms; a word that is itself an inflected form may have senses of its own
(*goods*: merchandise). Empty lines and lines that begin with # are skipped.

Left out: how senses are found (`wordatoms.senses.observing`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from wordatoms.errors import InputError
from wordatoms.storage.bundled import ENGLISH_SENSES
from wordatoms.storage.untrusted import read_bytes

ENGLISH = "english"
"""In place of a path: the list that comes with the package."""
LARGEST = 1 << 26
"""Bytes of a list; the English one has about a million and a half."""
MOST_SENSES = 50
"""Senses of one word; more are a mistake in the file."""
LONGEST_NAME = 100
COMMENT = "#"


class ListedSense(NamedTuple):
    """A sense that a word is known to have."""

    word: str
    name: str
    cues: tuple[str, ...]
    """Words that stand near the word in this sense, or mean about the same."""


@dataclass(frozen=True)
class Inventory:
    """The known senses of words.

    Parameters
    ----------
    senses : tuple of ListedSense
        Each with a word, a name and one or more cue words.

    Examples
    --------
    >>> from wordatoms.senses.inventory import Inventory, ListedSense
    >>> wine, harbour = ListedSense("port", "wine", ("glass", "old")), ListedSense("port", "harbour", ("ships",))
    >>> [sense.name for sense in Inventory((wine, harbour)).of("port")]
    ['wine', 'harbour']
    """

    senses: tuple[ListedSense, ...]

    def __len__(self) -> int:
        """Return the number of senses."""
        return len(self.senses)

    def __repr__(self) -> str:
        return f"Inventory({len(self):,} senses of {len(self._by_word):,} words)"

    def of(self, word: str) -> Sequence[ListedSense]:
        """Return the senses listed for exactly this word."""
        return self._by_word.get(word, ())

    @cached_property
    def digest(self) -> str:
        """A hash of the senses, by which a model knows whether it was observed with them."""
        lines = ("\t".join((word, name, " ".join(cues))) for word, name, cues in self.senses)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    @cached_property
    def _by_word(self) -> Mapping[str, list[ListedSense]]:
        found: dict[str, list[ListedSense]] = {}
        for sense in self.senses:
            found.setdefault(sense.word, []).append(sense)
        return found


def read_inventory(source: str | Path) -> Inventory:
    """Read a list of senses from a file; "english" is the one that comes with the package.

    Parameters
    ----------
    source : str or Path
        A file with one sense per line: word, name and cue words (between spaces), separated by tabs.

    Returns
    -------
    Inventory

    Examples
    --------
    >>> from wordatoms.senses.inventory import read_inventory
    >>> [sense.name for sense in read_inventory("english").of("strife")]
    ['bitter conflict']
    """
    path = ENGLISH_SENSES if str(source) == ENGLISH else Path(source)
    try:
        return parse_inventory(read_bytes(path, LARGEST).decode())
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8; save the list of senses as UTF-8 text.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read as a list of senses: {error.strerror or error}.") from error
    except ValueError as error:
        raise InputError(f"{path} cannot be read as a list of senses: {error}") from error


def parse_inventory(text: str) -> Inventory:
    """Read the lines of a list of senses."""
    senses = tuple(_parse_lines(text))
    if not senses:
        raise InputError("it lists no sense; expected lines of word, name and cue words, separated by tabs.")
    inventory = Inventory(senses)
    for word in dict.fromkeys(sense.word for sense in senses):
        names = [sense.name for sense in inventory.of(word)]
        if len(names) > MOST_SENSES:
            raise InputError(f"it lists {len(names)} senses of {word!r}; list {MOST_SENSES} or fewer.")
        if len(set(names)) < len(names):
            raise InputError(f"it lists a sense of {word!r} twice: {max(names, key=names.count)!r}.")
    return inventory


def _parse_lines(text: str) -> Iterator[ListedSense]:
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if not line.strip() or line.startswith(COMMENT):
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 3 or not all(fields):
            raise InputError(f"line {number} is {line[:60]!r}; expected word, name and cue words, separated by tabs.")
        word, name, cues = fields
        if len(name) > LONGEST_NAME:
            raise InputError(f"line {number}: the name has {len(name)} characters; use {LONGEST_NAME} or fewer.")
        yield ListedSense(word, name, tuple(cues.split()))

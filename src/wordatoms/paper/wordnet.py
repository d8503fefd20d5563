"""A reader for the database files of WordNet 3.0: the senses of a word, with definitions, examples and related senses.

It provides the senses for Test 2 of the paper (Section 4.2) and for the police lineup. The files (`index.noun`,
`data.noun`, …) are plain text; each is read when first needed and searched in place, so that one word takes
milliseconds. The data are not bundled: install Debian's package `wordnet-base`, or Princeton's archive of the database.

Inflected forms are reduced by WordNet's own lists (`*.exc`) and endings. Left out: verb frames, sense counts and
lexicographer files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from wordatoms.errors import InputError

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Parts of speech, and their names in the files; satellite adjectives, "s", count as adjectives."""
KINDS = {
    "!": "antonym",
    "@": "hypernym",
    "@i": "instance hypernym",
    "~": "hyponym",
    "~i": "instance hyponym",
    "#m": "member holonym",
    "#s": "substance holonym",
    "#p": "part holonym",
    "%m": "member meronym",
    "%s": "substance meronym",
    "%p": "part meronym",
    "=": "attribute",
    "+": "derivation",
    ";c": "topic",
    "-c": "member of topic",
    ";r": "region",
    "-r": "member of region",
    ";u": "usage",
    "-u": "member of usage",
    "*": "entailment",
    ">": "cause",
    "^": "also see",
    "$": "verb group",
    "&": "similar",
    "<": "participle",
    "\\": "pertainym",
}
"""Pointer symbols and their names."""
ENDINGS = {
    "n": (
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""The endings of regular forms and what takes their place, by part of speech; those of WordNet's manual (morphy)."""
COMMON_FOLDERS = (
    "/usr/share/wordnet",
    "/usr/share/wordnet/dict",
    "/usr/local/share/wordnet",
    "/usr/local/WordNet-3.0/dict",
    "/opt/homebrew/opt/wordnet/dict",
    "/opt/local/share/WordNet-3.0/dict",
)
HOW_TO_GET = (
    "install it (Debian and Ubuntu: apt-get install wordnet-base; elsewhere the database files of WordNet 3.0 from "
    "https://wordnet.princeton.edu) and pass its folder"
)

_FIRST_EXAMPLE = re.compile(r'(?:^|[;:,.)])\s*"')
_EXAMPLE = re.compile(r'"([^"]+)(?:"|$)')
_MARKER = re.compile(r"\((?:p|a|ip)\)$")
"""Position of an adjective: (p)redicative, (a)ttributive, (i)mmediately (p)ostnominal."""


class Pointer(NamedTuple):
    """A relation to another synset."""

    symbol: str
    pos: str
    offset: int


@dataclass(frozen=True)
class Synset:
    """One sense, shared by all words that have it; synsets are equal if part of speech and offset are."""

    pos: str
    """"n", "v", "a", "s" (satellite adjective) or "r"."""
    offset: int
    """Its offset in the data file of its part of speech."""
    lemmas: tuple[str, ...] = field(compare=False)
    definition: str = field(compare=False)
    examples: tuple[str, ...] = field(compare=False)
    all_pointers: tuple[Pointer, ...] = field(compare=False, repr=False)
    _wordnet: WordNet = field(compare=False, repr=False)

    def pointers(self, kind: str | None = None) -> list[Synset]:
        """Related synsets of one kind ("hypernym", or its symbol "@") or of all kinds, without duplicates."""
        if kind is not None and kind not in KINDS and kind not in KINDS.values():
            raise InputError(f"the kind of pointer is '{kind}'; pass one of {', '.join(KINDS.values())}.")
        chosen = [each for each in self.all_pointers if kind in (None, each.symbol, KINDS.get(each.symbol))]
        return [self._wordnet.synset(pos, offset) for pos, offset in dict.fromkeys(each[1:] for each in chosen)]


class WordNet:
    """WordNet in a folder with its database files."""

    def __init__(self, folder: str | Path | None = None) -> None:
        self.folder = _find_folder(folder)

    def __repr__(self) -> str:
        return f"WordNet({str(self.folder)!r})"

    def synsets(self, lemma: str, pos: str | None = None) -> list[Synset]:
        """The senses of a word in the order of WordNet, the most frequent of each part of speech first.

        The list is empty if WordNet does not have the word; inflected forms are not looked up, see `base_forms`.
        """
        return [self.synset(part, offset) for part in _parts(pos) for offset in self._files[part].find_offsets(lemma)]

    def synset(self, pos: str, offset: int) -> Synset:
        """The synset at an offset in a data file."""
        file = self._files[_parts(pos)[0]]
        return _parse_synset(file.data_line(offset), file, offset, self)

    def base_forms(self, form: str, pos: str | None = None) -> list[str]:
        """The words of which this may be an inflected form: those of the lists of exceptions, then the regular ones.

        Only words that WordNet has with that part of speech are found. A word is not a form of itself.

        Examples
        --------
        >>> from wordatoms.paper.wordnet import WordNet
        >>> WordNet().base_forms("leaves")  # doctest: +SKIP
        ['leaf', 'leave']
        """
        regular = [(part, base) for part in _parts(pos) for base in _without_ending(form, part)]
        found = [base for part, base in regular if self._files[part].find_offsets(base)]
        return [base for base in dict.fromkeys(self.irregular_bases(form, pos) + found) if base != form]

    def irregular_bases(self, form: str, pos: str | None = None) -> list[str]:
        """The words of which this is an irregular form, by the lists of exceptions."""
        listed = [(part, base) for part in _parts(pos) for base in self._files[part].exceptions.get(form, ())]
        found = [base for part, base in listed if self._files[part].find_offsets(base)]
        return [base for base in dict.fromkeys(found) if base != form]

    def lemmas(self, pos: str | None = None) -> Iterator[str]:
        """All words and phrases of one part of speech, or of all in turn."""
        for part in _parts(pos):
            for line in self._files[part].index.split(b"\n"):
                if line[:1].strip():  # the licence is indented
                    yield _spell(line.split(b" ", 1)[0].decode(errors="replace"))

    @cached_property
    def _files(self) -> dict[str, _PartFiles]:
        return {pos: _PartFiles(self.folder, name) for pos, name in PARTS.items()}


@dataclass(frozen=True)
class _PartFiles:
    """The index and data files of one part of speech, read when needed."""

    folder: Path
    name: str

    @cached_property
    def index(self) -> bytes:
        return read_database(self.folder / f"index.{self.name}")

    @cached_property
    def data(self) -> bytes:
        return read_database(self.folder / f"data.{self.name}")

    @cached_property
    def exceptions(self) -> dict[str, list[str]]:
        """The base forms of irregular forms."""
        lines = read_database(self.folder / f"{self.name}.exc").decode(errors="replace").splitlines()
        fields = [[_spell(word) for word in line.split()] for line in lines]
        return {words[0]: words[1:] for words in fields if words}

    def find_offsets(self, lemma: str) -> list[int]:
        """The offsets of a word's synsets, in order."""
        line = _find_line(self.index, "_".join(lemma.lower().split()).encode())
        if line is None:
            return []
        try:
            fields = line.split()
            n_synsets, n_symbols = int(fields[2]), int(fields[3])
            offsets = [int(text) for text in fields[6 + n_symbols :]]
        except (ValueError, IndexError):
            raise self.broken("index", f"at the word '{lemma}'") from None
        if len(offsets) != n_synsets:
            raise self.broken("index", f"at the word '{lemma}'")
        return offsets

    def data_line(self, offset: int) -> str:
        end = self.data.find(b"\n", max(offset, 0))
        line = self.data[max(offset, 0) : end if end >= 0 else None]
        if not line.startswith(b"%08d " % offset):
            raise self.broken("data", f"at byte {offset:,}, where a synset should begin")
        return line.decode(errors="replace")

    def broken(self, kind: str, where: str) -> InputError:
        return broken_database(self.folder / f"{kind}.{self.name}", where)


def read_database(path: Path) -> bytes:
    """The content of a database file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); to use WordNet, {HOW_TO_GET}.") from error


def broken_database(path: Path, where: str) -> InputError:
    return InputError(f"{path} is broken {where}; to repair it, {HOW_TO_GET}.")


def _find_folder(folder: str | Path | None) -> Path:
    if folder is not None:
        for candidate in (Path(folder), Path(folder) / "dict"):
            if (candidate / "index.noun").is_file():
                return candidate
        raise InputError(f"{folder} has no WordNet (there is no index.noun); {HOW_TO_GET}.")
    given = [os.environ["WNSEARCHDIR"]] if "WNSEARCHDIR" in os.environ else []
    given += [f"{os.environ['WNHOME']}/dict"] if "WNHOME" in os.environ else []
    for path in map(Path, (*given, *COMMON_FOLDERS)):
        if (path / "index.noun").is_file():
            return path
    raise InputError(f"WordNet is not in any of the usual places, such as {COMMON_FOLDERS[0]}; {HOW_TO_GET}.")


def _parts(pos: str | None) -> list[str]:
    """The part of speech with a letter or name, or all parts."""
    if pos is None:
        return [*PARTS]
    found = [part for part, name in PARTS.items() if pos in (part, name) or (pos, part) == ("s", "a")]
    if not found:
        raise InputError(f"the part of speech is '{pos}'; pass one of {', '.join(PARTS)}.")
    return found


def _find_line(lines: bytes, key: bytes) -> bytes | None:
    """Find the line whose first field is the key by bisection; the lines are sorted by it."""
    low, high = 0, len(lines)
    while low < high:
        middle = (low + high) // 2
        start = lines.rfind(b"\n", low, middle) + 1 or low
        end = lines.find(b"\n", middle, high)
        end = end if end >= 0 else high
        first = lines[start:end].partition(b" ")[0]  # empty in the licence, which precedes all words
        if first == key and key:
            return lines[start:end]
        low, high = (end + 1, high) if first < key else (low, start)
    return None


def _parse_synset(line: str, file: _PartFiles, offset: int, wordnet: WordNet) -> Synset:
    entry, _, gloss = line.partition("|")
    definition, examples = split_gloss(gloss)
    try:
        fields = entry.split()
        n_words = int(fields[3], 16)
        lemmas = tuple(_spell(word) for word in fields[4 : 4 + 2 * n_words : 2])
        pointers = _parse_pointers(fields[4 + 2 * n_words :])
    except (ValueError, IndexError):
        raise file.broken("data", f"in the synset at byte {offset:,}") from None
    if len(lemmas) != n_words or not lemmas:
        raise file.broken("data", f"in the synset at byte {offset:,}")
    return Synset(fields[2], offset, lemmas, definition, examples, pointers, wordnet)


def _parse_pointers(fields: list[str]) -> tuple[Pointer, ...]:
    """Parse the number of pointers, then four fields for each, the last of which is ignored."""
    return tuple(Pointer(fields[at], fields[at + 2], int(fields[at + 1])) for at in range(1, 4 * int(fields[0]), 4))


def _without_ending(form: str, pos: str) -> list[str]:
    """A form without each of its possible endings; as in morphy, a noun in -ss is not a plural."""
    if pos == "n" and form.endswith("ss"):
        return []
    return [form.removesuffix(ending) + base for ending, base in ENDINGS[pos] if form.endswith(ending)]


def _spell(word: str) -> str:
    return _MARKER.sub("", word).replace("_", " ")


def split_gloss(gloss: str) -> tuple[str, tuple[str, ...]]:
    """Split a gloss into the definition, up to the first quoted example, and the quoted examples."""
    gloss = gloss.strip()
    first = _FIRST_EXAMPLE.search(gloss)
    if first is None:
        return gloss.rstrip("; "), ()
    examples = tuple(found.strip() for found in _EXAMPLE.findall(gloss, first.start()) if found.strip())
    return gloss[: first.start() + 1].rstrip('"; :,'), examples

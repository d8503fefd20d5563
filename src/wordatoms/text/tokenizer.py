"""Tokens: what counts as a word, and the lexicon that numbers words.

A token is a run of letters and combining marks with inner apostrophes (’ counts as '), or a run of digits, in any
script; words are normalized to Unicode form C and lower-cased. `Tokenizer.tokens` is the plain version for a sentence;
`Lexicon.encode` is the fast one for whole texts and gives the same tokens. Scripts written without spaces are not
segmented: segment the text first and pass `pretokenized`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError

APOSTROPHES = "'’"
JOINERS = "\u200c\u200d"
"""Zero-width (non-)joiners, written inside words in Persian and Indic scripts."""
IGNORED = "\u00ad\u2060" + "".join(map(chr, range(0xFE00, 0xFE10)))
"""Soft hyphen, word joiner and variation selectors, which only change how a word looks."""
PHRASE_JOINT = "_"
WORDS_AT_ONCE = 1 << 16

_ASSIGNED_PLANES = (range(0x33480), range(0xE0000, 0xE0200))
"""Code points with letters, marks, digits and spaces; the rest of Unicode is unassigned, private or surrogates."""


@dataclass(frozen=True)
class Tokenizer:
    """Splits text into words.

    A token is a run of letters with inner apostrophes, or a run of digits, in lower case and Unicode form C.

    Parameters
    ----------
    keep_case : bool, default False
        Keep upper-case letters.
    pretokenized : bool, default False
        Split at white space only.
    phrases : tuple of str, default ()
        Word sequences such as "new york" that become one word, `new_york`.

    Examples
    --------
    >>> from wordatoms import Tokenizer
    >>> Tokenizer().tokens("Don’t tie it in New York.")
    ["don't", 'tie', 'it', 'in', 'new', 'york']
    >>> Tokenizer(keep_case=True, phrases=("New York",)).tokens("Don’t tie it in New York.")
    ["Don't", 'tie', 'it', 'in', 'New_York']
    """

    keep_case: bool = False
    pretokenized: bool = False
    phrases: tuple[str, ...] = ()

    def tokens(self, text: str) -> list[str]:
        """Split text into tokens; phrases do not cross lines.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of str
            The tokens, phrases joined.
        """
        return [token for line in text.split("\n") for token in self._join(self.words(line))]

    def words(self, text: str) -> list[str]:
        """Split text into tokens without joining phrases.

        Parameters
        ----------
        text : str
            Any text.

        Returns
        -------
        list of str
            The tokens.
        """
        text = unicodedata.normalize("NFC", text)
        if self.pretokenized:
            found = text.split()
        else:
            found = [token.translate(_PUNCTUATION_MAP) for token in _word_pattern().findall(text)]
        return found if self.keep_case else [token.lower() for token in found]

    def _join(self, words: list[str]) -> list[str]:
        if not self.phrases:
            return words
        joined: list[str] = []
        at = 0
        while at < len(words):
            n = next((n for n in self._phrase_lengths if tuple(words[at : at + n]) in self.phrase_words), 1)
            joined.append(PHRASE_JOINT.join(words[at : at + n]))
            at += n
        return joined

    @cached_property
    def _phrase_lengths(self) -> list[int]:
        return sorted({len(words) for words in self.phrase_words}, reverse=True)

    @cached_property
    def phrase_words(self) -> dict[tuple[str, ...], None]:
        """The phrases as sequences of tokens, in order."""
        found = [tuple(self.words(phrase)) for phrase in self.phrases]
        for phrase, words in zip(self.phrases, found, strict=True):
            if len(words) < 2:
                raise InputError(f"the phrase '{phrase}' is not two or more words; give phrases such as 'new york'.")
        return dict.fromkeys(found)


_PUNCTUATION_MAP = {ord(mark): "'" for mark in APOSTROPHES} | {ord(mark): None for mark in IGNORED}


@cache
def _word_pattern() -> re.Pattern[str]:
    letters, digits = _class_of("L"), _class_of("N", only="Nd")
    inner = letters + _class_of("M") + JOINERS + IGNORED
    return re.compile(f"[{letters}][{inner}]*(?:[{APOSTROPHES}][{letters}][{inner}]*)*|[{digits}]+")


def _class_of(major: str, only: str = "") -> str:
    """Return the inside of a regular-expression class for all code points of a general category."""
    codes = [
        code
        for plane in _ASSIGNED_PLANES
        for code in plane
        if (category := unicodedata.category(chr(code)))[0] == major and (not only or category == only)
    ]
    runs = np.split(np.array(codes), np.flatnonzero(np.diff(codes) != 1) + 1)
    return "".join(f"{re.escape(chr(run[0]))}-{re.escape(chr(run[-1]))}" for run in runs)


@cache
def _code_points() -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Return the properties and the lower-case form of every code point, for the kernel."""
    from wordatoms.kernels import tokens as kernel

    chars = [chr(code) for plane in _ASSIGNED_PLANES for code in plane]
    codes = [ord(char) for char in chars]
    kinds = np.zeros(0x110000, np.uint32)
    kinds[codes] = [unicodedata.combining(char) << kernel.ORDER_SHIFT for char in chars]
    for bit, members in _properties(chars).items():
        kinds[[ord(char) for char in members]] |= np.uint32(bit)
    lower = np.arange(0x110000, dtype=np.int32)
    lower[codes] = [ord(low) if len(low := char.lower()) == 1 else ord(char) for char in chars]
    return kinds, lower


def _properties(chars: list[str]) -> dict[int, Iterable[str]]:
    """Return the characters that have each property of the kernel."""
    from wordatoms.kernels import tokens as kernel

    by_category: dict[str, list[str]] = {}
    for char in chars:
        by_category.setdefault(unicodedata.category(char), []).append(char)
    marks = {*by_category["Mn"], *by_category["Mc"], *by_category["Me"], *JOINERS}.difference(IGNORED)
    with_case = [char for char in chars if not "\U00020000" <= char < "\U000e0000"]  # not ideographs
    firsts, seconds = _composing_characters(chars)
    return {
        kernel.LETTER: [char for name in by_category if name[0] == "L" for char in by_category[name]],
        kernel.MARK: marks,
        kernel.DIGIT: by_category["Nd"],
        kernel.APOSTROPHE: APOSTROPHES,
        kernel.IGNORED: IGNORED,
        kernel.SPACE: [char for char in chars if char.isspace()],
        kernel.CASED: [char for char in with_case if _ends_sigma("א" + char)],
        kernel.CASE_IGNORABLE: [c for c in with_case if _ends_sigma("A" + c) and not _ends_sigma("א" + c)],
        kernel.CHANGES: [char for char in chars if not unicodedata.is_normalized("NFC", char)],
        kernel.FIRST: firsts,
        kernel.SECOND: seconds,
    }


def _ends_sigma(before: str) -> bool:
    """Whether a sigma after this text is final; this shows case properties, for which Python has no function."""
    return (before + "Σ").lower()[-1] == "ς"


def _composing_characters(chars: list[str]) -> tuple[list[str], list[str]]:
    """Return the characters that begin, and those that end, a pair that form C composes to one character."""
    pairs = [
        [chr(int(code, 16)) for code in parts]
        for char in chars
        if len(parts := unicodedata.decomposition(char).split()) == 2
        and not parts[0].startswith("<")
        and unicodedata.is_normalized("NFC", char)
    ]
    hangul_firsts = map(chr, (*range(0x1100, 0x1113), *range(0xAC00, 0xD7A4, 28)))
    hangul_seconds = map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)))
    return [a for a, _ in pairs] + [*hangul_firsts], [b for _, b in pairs] + [*hangul_seconds]


class Lexicon:
    """A table of words numbered in the order in which they were added; encodes text with a compiled tokenizer.

    Not thread-safe: each worker takes one `for_reading`.
    """

    def __init__(self, words: Iterable[str] = (), *, tokenizer: Tokenizer | None = None) -> None:
        self.tokenizer = tokenizer or Tokenizer()
        self.n_words = 0
        self._is_shared = False
        self._slots = np.zeros(1 << 12, np.uint64)
        self._starts = np.zeros(1 << 11, np.int64)
        self._blob = np.empty(1 << 12, np.uint64)
        self._drop_buffers()
        self._add_all(words)
        self._trie = _PhraseTrie.build(self) if self.tokenizer.phrases else None
        self._trim()

    def for_reading(self) -> Lexicon:
        """Return a lexicon of the same words for another thread, which may encode text with it but add no word.

        The two share the table of words, which may be hundreds of megabytes.
        """
        twin = object.__new__(Lexicon)
        twin.__dict__.update(self.__dict__)
        twin._is_shared = True
        for name in (
            "_slots",
            "_starts",
            "_blob",
        ):  # from another process they may come read-only, which kernels refuse
            setattr(twin, name, np.require(getattr(self, name), requirements="W"))
        twin._drop_buffers()
        return twin

    def __len__(self) -> int:
        return self.n_words

    @property
    def n_bytes(self) -> int:
        """Memory of the table."""
        return self._slots.nbytes + self._starts.nbytes + self._blob.nbytes

    def words(self) -> list[str]:
        """Return all words."""
        return unpack_words(*self.keys())

    def keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return all words packed into one array, and the start of each (with one more at the end)."""
        return self._blob[: self._starts[self.n_words]], self._starts[: self.n_words + 1]

    def hashes(self) -> NDArray[np.uint64]:
        """Return the hash of each word."""
        from wordatoms.kernels import tokens as kernel

        hashes = np.empty(self.n_words, np.uint64)
        kernel.hash_all(self._starts, self._blob, self.n_words, hashes)
        return hashes

    def _refuse_shared(self) -> None:
        if self._is_shared:
            raise RuntimeError("words were added to a lexicon that other threads read")

    def _trim(self) -> None:
        """Give back the room that was made for more words than came."""
        if self.n_words >= WORDS_AT_ONCE:
            self._blob = self._blob[: self._starts[self.n_words]].copy()
            self._starts = self._starts[: self.n_words + 2].copy()

    def _add_all(self, words: Iterable[str]) -> None:
        """Add any number of words, some at a time: encoded, they take several times the memory of the table."""
        remaining = iter(words)
        while some := list(islice(remaining, WORDS_AT_ONCE)):
            self.add(some)

    def add(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the numbers of words, adding unknown ones."""
        return self.add_keys(*pack_words(words))

    def add_keys(self, keys: NDArray[np.uint64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Like `add`, for packed words."""
        from wordatoms.kernels import tokens as kernel

        self._refuse_shared()
        n = len(starts) - 1
        self._make_room(n, len(keys))
        ids = np.empty(n, np.int64)
        self.n_words = kernel.add_keys(keys, starts, self._slots, self._starts, self._blob, self.n_words, ids)
        return ids

    def encode(self, block: bytes, *, grow: bool = False) -> NDArray[np.int32]:
        """Return the numbers of the tokens of some lines, -1 after each line, -2 for unknown words.

        With `grow`, unknown words are added instead. The array is only valid until the next call.
        """
        if grow:
            self._refuse_shared()
        if not block.endswith(b"\n"):
            block += b"\n"
        self._make_buffers(len(block))
        text = np.frombuffer(block, np.uint8)
        at = n_ids = 0
        while at < len(block):
            at, n_ids = self._encode(text, at, n_ids, grow=grow, normal=False)
            if at < len(block):  # stopped at a token that may not be in form C: normalize the rest of its line
                line_end = block.find(b"\n", at)
                rest = unicodedata.normalize("NFC", block[at : line_end + 1].decode()).encode()
                _, n_ids = self._encode(np.frombuffer(rest, np.uint8), 0, n_ids, grow=grow, normal=True)
                at = line_end + 1
        return self._ids[: self._trie.join(self._ids, n_ids) if self._trie else n_ids]

    def _encode(self, text: NDArray[np.uint8], at: int, n_ids: int, *, grow: bool, normal: bool) -> tuple[int, int]:
        """Encode whole lines from a position; return the position where it stopped and the number of ids so far."""
        from wordatoms.kernels import tokens as kernel

        kinds, lower = _code_points()
        split, keep_case = self.tokenizer.pretokenized, self.tokenizer.keep_case
        folds = _ascii_folds(split=split, keep_case=keep_case)
        state = kernel.FULL
        while state == kernel.FULL:
            state, at, self.n_words, n_ids, n_parts = kernel.encode(
                text, at, len(text), kinds, lower, folds, split, keep_case, normal, grow,
                self._slots, self._starts, self._blob, self.n_words, self._ids, n_ids, self._scratch, self._key,
            )  # fmt: skip
            if state == kernel.FULL:
                self._make_room(1, n_parts)
        return at, n_ids

    def _drop_buffers(self) -> None:
        self._ids = np.empty(0, np.int32)
        self._scratch = np.empty(0, np.uint8)
        self._key = np.empty(0, np.uint64)

    def _make_buffers(self, n_bytes: int) -> None:
        """Make room for the ids of a block and its longest token, which normalization and lower case can lengthen."""
        if n_bytes > len(self._ids):
            self._ids = np.empty(n_bytes, np.int32)
            self._scratch = np.empty(5 * n_bytes + 16, np.uint8)
            self._key = np.empty(len(self._scratch) // 8 + 1, np.uint64)

    def _make_room(self, n_words: int, n_parts: int) -> None:
        """Make room for more words and packed integers."""
        from wordatoms.kernels import tokens as kernel

        self._blob = _grown(self._blob, int(self._starts[self.n_words]) + n_parts)
        self._starts = _grown(self._starts, self.n_words + n_words + 2)
        if len(self._slots) < (need := 2 * (self.n_words + n_words)):
            self._slots = np.zeros(1 << need.bit_length(), np.uint64)
            kernel.fill_slots(self.hashes(), self._slots)


def _grown(array: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the array, or a copy with room for `length` (at least twice as long)."""
    if length <= len(array):
        return array
    longer = np.empty(max(length, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


@cache
def _ascii_folds(*, split: bool, keep_case: bool) -> NDArray[np.uint8]:
    """Return for each byte its folded form in an ASCII word (row 0) or number (row 1), or zero.

    With `split`, every ASCII character except white space is part of a word.
    """
    folds = np.zeros((2, 256), np.uint8)
    for char in map(chr, range(1, 128)):
        if char.isalpha() or (split and not char.isspace()):
            folds[0, ord(char)] = ord(char if keep_case else char.lower())
        elif char.isdigit():
            folds[1, ord(char)] = ord(char)
    return folds


def pack_words(words: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Pack words into one array, eight bytes per integer; also return the start of each (with one more at the end)."""
    encoded = [word.encode() for word in words]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([(len(word) + 7) // 8 for word in encoded], out=starts[1:])
    padded = b"".join(word.ljust(-(-len(word) // 8) * 8, b"\0") for word in encoded)
    return np.frombuffer(padded, "<u8").astype(np.uint64, copy=False), starts


def unpack_words(keys: NDArray[np.uint64], starts: NDArray[np.int64]) -> list[str]:
    """Reverse `pack_words`."""
    padded = keys.astype("<u8", copy=False).tobytes()
    bounds = (8 * starts).tolist()
    return [padded[a:b].rstrip(b"\0").decode() for a, b in pairwise(bounds)]


@dataclass(frozen=True)
class _PhraseTrie:
    """Phrases as a trie over word numbers; its nodes, numbered from 1, are prefixes of two or more words."""

    edges: NDArray[np.int64]
    """A hash table of edges: the prefix (a word, or minus a node) and the next word."""
    children: NDArray[np.int32]
    """The node that the edge in each slot leads to."""
    phrase_word: NDArray[np.int32]
    """For each node, the number of the joined word if a phrase ends there, or -1."""
    openings: NDArray[np.bool_]
    """False for hashes of two words that do not begin a phrase."""

    @classmethod
    def build(cls, lexicon: Lexicon) -> _PhraseTrie:
        phrases = lexicon.tokenizer.phrase_words
        numbers = iter(lexicon.add([word for words in phrases for word in (*words, PHRASE_JOINT.join(words))]).tolist())
        nodes: dict[int, int] = {}  # from edge to child
        ends: dict[int, int] = {}
        for words in phrases:
            parent = next(numbers)
            for number in islice(numbers, len(words) - 1):
                parent = -nodes.setdefault(parent << 32 | number, len(nodes) + 1)
            ends[-parent] = next(numbers)
        return cls._of_nodes(nodes, ends)

    @classmethod
    def _of_nodes(cls, nodes: dict[int, int], ends: dict[int, int]) -> _PhraseTrie:
        from wordatoms.kernels import tokens as kernel

        size = 1 << (2 * len(nodes)).bit_length()
        edges, children = np.full(size, kernel.NO_EDGE, np.int64), np.zeros(size, np.int32)
        openings = np.zeros(4 * size, np.bool_)
        kernel.fill_edges(np.array([*nodes], np.int64), edges, children, openings)
        phrase_word = np.full(len(nodes) + 1, -1, np.int32)
        phrase_word[[*ends]] = [*ends.values()]
        return cls(edges, children, phrase_word, openings)

    def join(self, ids: NDArray[np.int32], n_ids: int) -> int:
        from wordatoms.kernels import tokens as kernel

        joined: int = kernel.join_phrases(ids, n_ids, self.edges, self.children, self.phrase_word, self.openings)
        return joined

"""Rows of vector files, as text and as word2vec's binary format: read with the place of every mistake, and written.

A file is read from front to back, decompressed if it is gzip, bzip2, xz or zstd, so it may be a pipe. Rows are
collected in an array that grows as they come; a header is only compared with what was found, because a false one could
claim any size.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, takewhile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, VectorFileError
from wordatoms.storage.files import ArrayWriter, map_array, sync_file
from wordatoms.text.compression import CompressionError, inflate, recognise_compression

NUMBER = re.compile(rb"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+")
"""All quantifiers are possessive, so that a field of a million digits and a letter is refused without backtracking."""

_SAMPLE_LINES = 100
"""Lines that decide how many numbers a row has if there is no header."""
_LONGEST_HEADER = 64
_LONGEST_WORD = 1 << 16
_LARGEST_DIM = 1_000_000
_EXPORT_ROWS = 1024
_MAGIC = 16
"""Bytes that show how a file is compressed."""
_CHUNK = 1 << 16
"""Bytes read from disk at a time."""
_BLOCK = 1 << 22
"""Bytes of lines parsed at a time; no line may be longer."""


# --- bytes


class ByteSource:
    """The bytes of a file, to be peeked at and taken, and how many were taken."""

    def __init__(self, path: Path, chunks: Iterator[bytes]) -> None:
        self.path = path
        self.offset = 0
        self._chunks = chunks
        self._buffer = b""
        self._position = 0

    def peek(self, n: int) -> bytes:
        """The next `n` bytes without taking them; fewer at the end of the file."""
        self._fill(n)
        return self._buffer[self._position : self._position + n]

    def take(self, n: int) -> bytes:
        """Take the next `n` bytes; fewer at the end of the file."""
        taken = self.peek(n)
        self._position += len(taken)
        self.offset += len(taken)
        return taken

    def take_until(self, end: bytes, limit: int) -> bytes | None:
        """Take the bytes before the next `end`, and `end` itself; None if it is not among the next `limit` bytes."""
        self._fill(limit)
        found = self._buffer.find(end, self._position, self._position + limit)
        return None if found < 0 else self.take(found + 1 - self._position)[:-1]

    def take_lines(self) -> bytes:
        """Take about a block of whole lines; nothing at the end of the file."""
        block = self.peek(_BLOCK)
        n_whole = len(block) if len(block) < _BLOCK else block.rfind(b"\n") + 1
        if block and not n_whole:
            raise VectorFileError(
                f"{self.path}, byte {self.offset}: no line ends within {_BLOCK:,} bytes, so this is not a text "
                "file of vectors; pass its format if you know it."
            )
        return self.take(n_whole)

    def _fill(self, n: int) -> None:
        """Buffer the next `n` bytes, or all that are left."""
        n_held = len(self._buffer) - self._position
        parts = [self._buffer[self._position :]] if n_held < n else []
        while n_held < n and (chunk := next(self._chunks, None)) is not None:
            parts.append(chunk)
            n_held += len(chunk)
        if parts:
            self._buffer = b"".join(parts)
            self._position = 0


@contextmanager
def open_bytes(path: Path) -> Iterator[ByteSource]:
    """Open a file; errors while reading it become a `VectorFileError`."""
    try:
        with path.open("rb") as file:
            stored = ByteSource(path, iter(lambda: file.read(_CHUNK), b""))
            compression = recognise_compression(stored.peek(_MAGIC))
            yield ByteSource(path, inflate(stored.take, compression)) if compression else stored
    except (OSError, CompressionError) as error:
        if isinstance(error, OSError) and error.filename is not None and str(error.filename) != str(path):
            raise  # about the file to which the vectors are written
        reason = (isinstance(error, OSError) and error.strerror) or error
        raise VectorFileError(f"{path} cannot be read: {reason}; check the file or get it again.") from error


# --- headers and rows


class Header(NamedTuple):
    """The first line of word2vec's formats."""

    n_words: int
    dim: int


def parse_header(line: bytes) -> Header | None:
    match = re.fullmatch(rb"\s*([0-9]{1,18})\s+([0-9]{1,18})\s*", line)
    return Header(int(match[1]), int(match[2])) if match else None


def _checked_header(path: Path, line: bytes) -> Header:
    header = parse_header(line)
    if header is None:
        raise VectorFileError(
            f"{path}, line 1: expected a header `n_words dim` but found {line[:60]!r}; "
            "pass the format glove for a text file without a header."
        )
    if header.n_words < 1 or not 1 <= header.dim <= _LARGEST_DIM:
        raise VectorFileError(
            f"{path}, line 1: the header says {header.n_words:,} words of {header.dim:,} numbers; "
            f"expected at least 1 word, and 1 to {_LARGEST_DIM:,} numbers each."
        )
    return header


class _RowError(Exception):
    """What is wrong with a row; the caller, which knows its place in the file, adds the place."""


class RowArray:
    """Collects vectors in memory, without ever holding a second copy of them."""

    def __init__(self, dim: int) -> None:
        self._length, self._vectors = 0, np.empty((0, dim), np.float32)

    def append(self, vectors: NDArray[np.float32]) -> None:
        start, self._length = self._length, self._length + len(vectors)
        if self._length > len(self._vectors):  # little by little: of a large array the system moves pages, not bytes
            self._resize(max(self._length, len(self._vectors) * 65 // 64))
        self._vectors[start : self._length] = vectors

    def close(self) -> NDArray[np.float32]:
        self._resize(self._length)
        return self._vectors

    def _resize(self, n_rows: int) -> None:
        self._vectors.resize((n_rows, self._vectors.shape[1]), refcheck=False)  # in place


class RowFile:
    """Writes vectors to an .npy file, to be memory-mapped when it is complete."""

    def __init__(self, path: Path, dim: int) -> None:
        self._writer = ArrayWriter(path, np.float32, (dim,))

    def append(self, vectors: NDArray[np.float32]) -> None:
        self._writer.append(vectors)

    def close(self) -> NDArray[np.float32]:
        path = self._writer.close().path
        sync_file(path)
        return map_array(path)


class _Table:
    """The words and vectors read so far."""

    def __init__(self, path: Path, dim: int, unit: str, to: Path | None) -> None:
        """`unit` is the unit of places in the file: "line" or "byte"."""
        self.dim = dim
        self._path, self._unit = path, unit
        self._words: dict[str, None] = {}
        self._places = array("q")  # of each word; as values of the dictionary they would take ten times the memory
        self._rows = RowFile(to, dim) if to else RowArray(dim)

    def __len__(self) -> int:
        return len(self._words)

    def error(self, place: int, reason: object) -> VectorFileError:
        return VectorFileError(f"{self._path}, {self._unit} {place}: {reason}")

    def extend(self, words: Sequence[str], vectors: NDArray[np.float32], places: Sequence[int]) -> None:
        all_finite = np.logical_and.reduce(np.isfinite(vectors), axis=1)
        for word, place, is_finite in zip(words, places, all_finite, strict=True):
            if word in self._words:
                other = self._places[list(self._words).index(word)]
                raise self.error(place, f"{word[:60]!r} already has a vector ({self._unit} {other}); keep one.")
            self._words[word] = None
            self._places.append(place)
            if not is_finite:
                raise self.error(place, f"{word[:60]!r} has NaN, infinity or a number too large for float32.")
        self._rows.append(vectors)

    def finish(self) -> Embeddings:
        vectors = self._rows.close()
        words = tuple(self._words)
        self._words, self._places = {}, array("q")
        return Embeddings(words, vectors)


def _decode(word: bytes) -> str:
    try:
        return word.decode()
    except UnicodeDecodeError:
        raise _RowError(f"the word {word[:60]!r} is not UTF-8; convert the file to UTF-8.") from None


def _encode(word: str) -> bytes:
    try:
        return word.encode()
    except UnicodeEncodeError:
        raise InputError(f"{word!r} is not valid Unicode and cannot be exported; rename it.") from None


# --- text

_Lines = Sequence[tuple[int, bytes]]
"""Non-blank lines with their numbers, counted from 1."""


def read_text_rows(
    source: ByteSource, max_words: int | None, *, has_header: bool, to: Path | None = None
) -> Embeddings:
    """Read the rows of a text file, with or without a header, into memory or an .npy file."""
    blocks = _line_blocks(source)
    block = next(blocks, [])
    header = None
    if has_header:
        header = _checked_header(source.path, block[0][1] if block else b"")
        block = block[1:]
    table = _Table(source.path, header.dim if header else _usual_width(source.path, block), "line", to)
    n_wanted = min(header.n_words if header else sys.maxsize, max_words or sys.maxsize)
    for lines in chain([block], blocks):
        room = n_wanted - len(table)
        _add_lines(table, lines[:room])
        if len(table) == max_words:
            break
        if len(lines) > room:
            raise table.error(lines[room][0], f"the header says {n_wanted:,} words; this is one more.")
    if header and len(table) < n_wanted:
        raise VectorFileError(
            f"{source.path} ends after {len(table):,} words, but its header says {header.n_words:,}; "
            "get the whole file, or correct the header."
        )
    return table.finish()


def _line_blocks(source: ByteSource) -> Iterator[_Lines]:
    number = 1
    while block := source.take_lines():
        lines = block.removesuffix(b"\n").split(b"\n")
        yield [(i, line) for i, line in enumerate(lines, number) if line.strip()]
        number += len(lines)


def _usual_width(path: Path, lines: _Lines) -> int:
    """The number of numbers that most of the first lines end in."""
    fields = (reversed(line.split()[1:]) for _, line in lines[:_SAMPLE_LINES])  # a first field is always a word
    widths = Counter(sum(1 for _ in takewhile(NUMBER.fullmatch, ending)) for ending in fields)
    width = widths.most_common(1)[0][0] if widths else 0
    if width < 1:
        found = repr(lines[0][1][:60]) if lines else "only blank lines"
        raise VectorFileError(f"{path}, line 1: expected a word and its numbers but found {found}.")
    if width > 1 and parse_header(lines[0][1]):
        raise VectorFileError(f"{path}, line 1 is a header, which glove does not have; pass the format word2vec.")
    return width


def _add_lines(table: _Table, lines: _Lines) -> None:
    """Parse lines: plain ones all at once by a compiled kernel, all others one by one."""
    for number, line in lines:
        if len(line) <= 2 * table.dim:  # before allocating as much as the header says
            raise table.error(number, _too_few(len(line.split()) - 1, table.dim))
    vectors, word_lengths = _parse_plain_rows([line for _, line in lines], table.dim)
    words = []
    for row, (number, line) in enumerate(lines):
        try:
            if word_lengths[row] >= 0:
                words.append(_decode(line[: word_lengths[row]]))
            else:
                word, vectors[row] = _parse_odd_row(line, table.dim)
                words.append(word)
        except _RowError as error:
            raise table.error(number, error) from None
    table.extend(words, vectors, [number for number, _ in lines])


def _parse_plain_rows(lines: Sequence[bytes], dim: int) -> tuple[NDArray[np.float32], list[int]]:
    """The vectors and word lengths of plain rows; the length is -1 for all others."""
    from wordatoms.kernels.vectortext import parse_rows

    lengths = np.array([len(line) for line in lines], dtype=np.int64)
    stops = np.cumsum(lengths)
    vectors = np.empty((len(lines), dim), dtype=np.float32)
    word_lengths = np.empty(len(lines), dtype=np.int64)
    parse_rows(np.frombuffer(b"".join(lines), dtype=np.uint8), stops - lengths, stops, vectors, word_lengths)
    return vectors, word_lengths.tolist()


def _parse_odd_row(line: bytes, dim: int) -> tuple[str, NDArray[np.float32]]:
    """Parse any row, slowly: with spaces in the word or numbers of any size; raise what is wrong with it."""
    word, *fields = line.rsplit(None, dim)
    if len(fields) < dim:
        raise _RowError(_too_few(len(fields), dim))
    for field in fields:
        if not NUMBER.fullmatch(field):
            raise _RowError(f"expected {dim} finite numbers but found {field[:60]!r} among them.")
    parts = word.split()
    if len(parts) > 1 and NUMBER.fullmatch(parts[-1]):
        raise _RowError(f"expected a word and {dim} numbers but found more; repair or remove the line.")
    with np.errstate(over="ignore"):  # the caller refuses infinity
        return _decode(word), np.array([float(field) for field in fields]).astype(np.float32)


def _too_few(n_found: int, dim: int) -> str:
    return f"expected a word and {dim} numbers but found {n_found}; repair or remove the line."


def format_text_rows(embeddings: Embeddings) -> Iterator[bytes]:
    """The lines of a text file, without a header."""
    for start in range(0, len(embeddings), _EXPORT_ROWS):
        words = embeddings.words[start : start + _EXPORT_ROWS]
        # numpy formats float32 as the shortest decimal that reads back as the same number
        numbers = embeddings.vectors[start : start + _EXPORT_ROWS].astype(bytes).tolist()
        for word, fields in zip(words, numbers, strict=True):
            yield b" ".join([_text_word(word), *fields]) + b"\n"


def _text_word(word: str) -> bytes:
    """Encode a word for a line, if it can be told apart from the numbers that follow it."""
    encoded = _encode(word)
    if not re.search(rb"\s", encoded):
        return encoded
    try:
        read_back, _ = _parse_odd_row(encoded + b" 0", 1)
    except _RowError:
        read_back = ""
    if "\n" in word or read_back != word:
        raise InputError(f"{word!r} cannot be read back from text; rename it, or use the format npy.")
    return encoded


# --- word2vec's binary


def read_binary_rows(source: ByteSource, max_words: int | None, *, to: Path | None = None) -> Embeddings:
    """Read word2vec's binary format into memory or an .npy file."""
    header_line = source.take_until(b"\n", _LONGEST_HEADER) or source.peek(_LONGEST_HEADER)
    header = _checked_header(source.path, header_line)
    table = _Table(source.path, header.dim, "byte", to)
    n_wanted = min(header.n_words, max_words or sys.maxsize)
    while len(table) < n_wanted:
        offset = source.offset
        try:
            word, vector = _take_binary_row(source, header.dim)
        except _RowError as error:
            raise table.error(offset, f"in word {len(table) + 1:,} of {header.n_words:,}, {error}") from None
        table.extend([word], vector[None], [offset])
    if len(table) == header.n_words and source.peek(2) not in (b"", b"\n"):
        raise table.error(source.offset, f"the header says {n_wanted:,} words, but the file continues.")
    return table.finish()


def _take_binary_row(source: ByteSource, dim: int) -> tuple[str, NDArray[np.float32]]:
    encoded = source.take_until(b" ", _LONGEST_WORD)
    if encoded is None:
        raise _RowError("no space ends the word; the file is cut short, or its header is wrong.")
    word = _decode(encoded.lstrip(b"\n"))  # some programs end each row with a newline, some do not
    if not word:
        raise _RowError("the word is empty; the header may be wrong.")
    numbers = source.take(4 * dim)
    if len(numbers) < 4 * dim:
        raise _RowError(f"the file ends after {len(numbers):,} of the {4 * dim:,} bytes of {word[:60]!r}.")
    return word, np.frombuffer(numbers, dtype="<f4")


def format_binary_rows(embeddings: Embeddings) -> Iterator[bytes]:
    """The rows of word2vec's binary format, without the header."""
    for word, vector in zip(embeddings.words, embeddings.vectors, strict=True):
        if " " in word or word.startswith("\n"):
            raise InputError(f"{word!r} contains a space or a newline; rename it, or use the format npy.")
        yield b"%b %b\n" % (_encode(word), vector.astype("<f4").tobytes())

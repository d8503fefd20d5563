"""Word vectors in the file formats of other programs: GloVe, word2vec, fastText and numpy.

    glove            text: a line `word number … number` per word
    word2vec         the same after a line `n_words dim`
    fasttext         the .vec files of fastText, the same as word2vec
    word2vec-binary  a line `n_words dim`; then word, space and dim little-endian 32-bit floats per word
    npy              an array x.npy; its words, one per line, in x.words, x.txt or words.txt in the same folder
    safetensors      a tensor x.safetensors, with its words as for npy
    parquet          a table with a column `word` (or a list of words as for npy) and one of lists of numbers

All but the last three may be compressed with gzip, bzip2, xz or zstd. A word may contain spaces, as in some GloVe
files: the last `dim` fields of a line are its numbers. Exported vectors read back as the same words and the same 32-bit
floats.

Left out: pickles (gensim's own files), which can run any program when opened; fastText's .bin models with their
subwords; compression on export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.word_lists import WordList, format_words, parse_words
from wordatoms.embeddings.embeddings import Embeddings, to_single
from wordatoms.embeddings.matrix_files import MatrixFile, matrix_kind, open_matrix
from wordatoms.embeddings.vector_rows import (
    NUMBER,
    RowArray,
    RowFile,
    format_binary_rows,
    format_text_rows,
    open_bytes,
    parse_header,
    read_binary_rows,
    read_text_rows,
)
from wordatoms.errors import InputError, VectorFileError, require_extra
from wordatoms.storage.files import part_of, release_pages, write_array, write_atomic, write_together
from wordatoms.storage.safetensors import write_tensors
from wordatoms.storage.untrusted import LARGEST_WORDS, open_array
from wordatoms.text.files import read_whole
from wordatoms.text.tables import Table

FORMATS = ("glove", "word2vec", "word2vec-binary", "fasttext", "npy", "safetensors", "parquet")

TENSOR, WORD_COLUMN = "vector", "word"
"""Names of the vectors in .safetensors and .parquet, and of the column with the words."""
_NUMPY_MAGIC = b"\x93NUMPY"
_COPIED_ROWS = 1 << 12
_HEAD = 1 << 16
"""Bytes from which the format is recognised."""


def read_vectors(
    path: Path,
    *,
    format: str = "auto",
    words: Path | None = None,
    array: str | None = None,
    max_words: int | None = None,
    to: Path | None = None,
) -> Embeddings:
    """Read a file of vectors.

    Parameters
    ----------
    path : Path
        The file; may be a pipe, and compressed, unless it is .npy, .safetensors or .parquet.
    format : {"auto", "glove", "word2vec", "word2vec-binary", "fasttext", "npy", "safetensors", "parquet"}
        The format; "auto", the default, recognises it by the content.
    words : Path, optional
        The file with the words of an .npy, .safetensors or .parquet file, by default a file next to it.
    array : str, optional
        Name of the tensor of a .safetensors file or of the column of a .parquet file; needed if there are several.
    max_words : int, optional
        Stop after this many words; the rest of the file is not checked.
    to : Path, optional
        A new .npy file to which the vectors are written as they are read, and from which the result is memory-mapped;
        by default they are held in memory.

    Returns
    -------
    Embeddings

    Raises
    ------
    VectorFileError
        If the file cannot be read or is malformed; the message gives the line or byte.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import wordatoms as wa
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "vectors.txt")
    ...     _ = path.write_text("tie 1.0 0.0\\nsuit 0.6 0.8\\n")
    ...     wa.read_vectors(path)
    Embeddings(2 words, 2 dimensions, method 'imported')
    """
    path = Path(path)
    if format not in ("auto", *FORMATS):
        raise InputError(f"format is {format!r}; pass 'auto' or one of {', '.join(FORMATS)}.")
    if max_words is not None and max_words < 1:
        raise InputError(f"max_words is {max_words}; pass 1 or more.")
    with open_bytes(path) as source:
        head = source.peek(_HEAD)
        _refuse_foreign(path, head)
        found = _recognise(head) if format == "auto" else format
        if found in ("safetensors", "parquet"):
            return _read_matrix(open_matrix(path, array), words, max_words, to)
        if array is not None:
            raise InputError(f"{path} is read as {found}, which has no names of arrays; leave out '{array[:60]}'.")
        if words is not None and found != "npy":
            raise InputError(f"{path} is read as {found} and contains its words; pass no file of words.")
        if found == "npy":
            return _read_npy(path, words, max_words, to)
        if found == "word2vec-binary":
            return read_binary_rows(source, max_words, to=to)
        return read_text_rows(source, max_words, has_header=found != "glove", to=to)


def write_vectors(embeddings: Embeddings, path: Path, *, format: str, texts: Sequence[str] | None = None) -> None:
    """Write vectors for other programs; the file, or both files, appear whole or not at all.

    Parameters
    ----------
    embeddings : Embeddings
    path : Path
        The file to write. The words of x.npy and x.safetensors go to x.words, with their counts if known.
    format : {"glove", "word2vec", "word2vec-binary", "fasttext", "npy", "safetensors", "parquet"}
        The format.
    texts : sequence of str, optional
        The texts of a model of items, which become a column `text` of .parquet; other formats leave them out.

    Raises
    ------
    InputError
        If the format is unknown, the folder does not exist, or a word cannot be represented in the format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import wordatoms as wa
    >>> embeddings = wa.Embeddings(["tie", "suit"], [[1, 0], [0.6, 0.8]])
    >>> with TemporaryDirectory() as folder:
    ...     wa.write_vectors(embeddings, Path(folder, "vectors.txt"), format="glove")
    ...     print(Path(folder, "vectors.txt").read_text(), end="")
    tie 1.0 0.0
    suit 0.6 0.8
    """
    path = Path(path)
    if format not in FORMATS:
        raise InputError(f"format is {format!r}; pass one of {', '.join(FORMATS)}.")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path} is a folder, or its folder does not exist; pass a file in an existing folder.")
    if format in ("npy", "safetensors"):
        words = format_words(embeddings.words, embeddings.counts)
        with write_together(path, path.with_suffix(".words")) as (array_file, words_file):
            words_file.write(words)
            if format == "npy":
                write_array(array_file, embeddings.vectors, path)
            else:
                write_tensors(array_file, {TENSOR: embeddings.vectors}, {})
        return
    if format == "parquet":
        _write_parquet(embeddings, path, texts)
        return
    header = [] if format == "glove" else [b"%d %d\n" % embeddings.vectors.shape]
    rows = format_binary_rows(embeddings) if format == "word2vec-binary" else format_text_rows(embeddings)
    _write_pieces(path, chain(header, rows))


def _write_parquet(embeddings: Embeddings, path: Path, texts: Sequence[str] | None) -> None:
    arrow, parquet = require_extra("pyarrow", "parquet"), require_extra("pyarrow.parquet", "parquet")
    vector = arrow.list_(arrow.float32(), embeddings.dim)
    names = {"word" if texts is None else "item": arrow.string()}
    schema = arrow.schema({**names, **({} if texts is None else {"text": arrow.string()}), TENSOR: vector}.items())
    with write_atomic(path) as file, parquet.ParquetWriter(file, schema) as writer:
        for start in range(0, len(embeddings), _COPIED_ROWS):
            some = slice(start, start + _COPIED_ROWS)
            rows = arrow.FixedSizeListArray.from_arrays(embeddings.vectors[some].reshape(-1), embeddings.dim)
            columns = [embeddings.words[some], *([] if texts is None else [texts[some]]), rows]
            writer.write_table(arrow.table(dict(zip(schema.names, columns, strict=True)), schema=schema))
            release_pages(embeddings.vectors)


def _write_pieces(path: Path, pieces: Iterable[bytes]) -> None:
    with write_atomic(path) as file:
        for piece in pieces:
            file.write(piece)


# --- formats


def _refuse_foreign(path: Path, head: bytes) -> None:
    """Say what to do with a file that is in none of the formats, whatever format was asked for."""
    if not head:
        raise VectorFileError(f"{path} is empty; expected word vectors.")
    if re.match(rb"\x80[\x01-\x05]", head) or (head.startswith(_NUMPY_MAGIC) and b"'|O'" in head[:256]):
        raise VectorFileError(
            f"{path} is a pickle, which can run any program when opened, so it is not read. "
            "If it comes from gensim and you trust it, convert it in Python:\n"
            "    from gensim.models import KeyedVectors\n"
            f"    KeyedVectors.load({str(path)!r}).save_word2vec_format('vectors.txt')"
        )
    if head.startswith(b"PK\x03\x04"):
        raise VectorFileError(f"{path} is a zip archive; unpack it and pass the file of vectors.")
    if head.startswith(b"\xba\x16\x4f\x2f"):
        raise VectorFileError(f"{path} is a fastText .bin model; pass the .vec file that goes with it.")


def _recognise(head: bytes) -> str:
    if kind := matrix_kind(head):
        return kind
    first, _, rest = head.partition(b"\n")
    header = parse_header(first)
    if header is None:
        return "glove"
    fields = rest.partition(b"\n")[0].split()
    ends_in_number = bool(fields) and NUMBER.fullmatch(fields[-1])
    if not ends_in_number and re.search(rb"[\x00-\x08\x0e-\x1f]", rest):
        return "word2vec-binary"
    # `5 7` may also be the word 5 with the vector (7): then the next line has one number, too
    return "glove" if len(fields) == 2 and header.dim != 1 else "word2vec"


# --- arrays


def _read_matrix(matrix: MatrixFile, words_path: Path | None, max_words: int | None, to: Path | None) -> Embeddings:
    """Read the vectors of a .safetensors or .parquet file, and their words."""
    path = matrix.path
    if words_path is None and matrix.kind == "parquet" and WORD_COLUMN in Table(str(path), "parquet").column_names():
        words_path, counts = path, None
        words = tuple(word or "" for (word,) in Table(str(path), "parquet").rows([WORD_COLUMN]))
    else:
        words_path = _words_beside(path) if words_path is None else Path(words_path)
        words, counts = _read_word_list(words_path)
    if matrix.n_rows != len(words):
        raise VectorFileError(
            f"{path} has {matrix.n_rows:,} rows, and {words_path} has {len(words):,} words; expected one row per word."
        )
    n_rows = min(matrix.n_rows, max_words or matrix.n_rows)
    rows: RowFile | RowArray = RowFile(to, matrix.dim) if to else RowArray(matrix.dim)
    n_read = 0
    for block in matrix.blocks():
        rows.append(block[: n_rows - n_read])
        n_read += len(block)
        if n_read >= n_rows:
            break
    try:
        return Embeddings(words[:n_rows], rows.close(), None if counts is None else counts[:n_rows])
    except InputError as error:
        raise VectorFileError(f"{path}: {error}") from error


def _read_npy(path: Path, words_path: Path | None, max_words: int | None, to: Path | None) -> Embeddings:
    words_path = _words_beside(path) if words_path is None else Path(words_path)
    words, counts = _read_word_list(words_path)
    try:
        vectors = open_array(path)
    except ValueError as error:
        raise VectorFileError(f"{path} is not a valid .npy array ({error}); write it again.") from error
    if vectors.ndim != 2 or len(vectors) != len(words):
        raise VectorFileError(
            f"{path} has the shape {vectors.shape}, and {words_path} has {len(words):,} words; "
            "expected one row per word."
        )
    try:
        chosen = vectors[:max_words] if to is None else _copy_rows(vectors[:max_words], to)
        return Embeddings(words[:max_words], chosen, None if counts is None else counts[:max_words])
    except InputError as error:
        raise VectorFileError(f"{path}: {error}") from error


def _copy_rows(vectors: NDArray[Any], to: Path) -> NDArray[np.float32]:
    """Write the rows of a mapped array as float32, some at a time."""
    copy = RowFile(to, vectors.shape[1])
    for start in range(0, len(vectors), _COPIED_ROWS):
        copy.append(to_single(vectors[start : start + _COPIED_ROWS]))
        release_pages(vectors)
    return copy.close()


def _words_beside(path: Path) -> Path:
    if not path.with_suffix(".words").exists() and part_of(path.with_suffix(".words")).exists():
        raise VectorFileError(f"{path} belongs to an export that did not finish; export it again.")
    places = [path.with_suffix(".words"), path.with_suffix(".txt"), path.with_name("words.txt")]
    for place in places:
        if place.is_file():
            return place
    names = ", ".join(place.name for place in places)
    raise VectorFileError(
        f"{path} has no {names} next to it; pass the file with its words, one per line, or (--texts, --column) the "
        "texts that the vectors stand for."
    )


def _read_word_list(path: Path) -> WordList:
    try:
        content = read_whole(path, LARGEST_WORDS)
    except InputError as error:
        raise VectorFileError(str(error)) from error
    try:
        return parse_words(content)
    except InputError as error:
        raise VectorFileError(f"{path}, {error}") from error

"""Files of evaluation data: where they are, their text and fields, their words as an embedding spells them.

No data comes with the program. `data` is one file, the folder that holds a task's files, or a folder with
the data of all tasks, where each task has its own subfolder. Files are untrusted: one that is missing, too large or
not UTF-8 text is an `InputError` that names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.spelling import find_spelling
from wordatoms.errors import InputError
from wordatoms.text.files import file_errors, printable

LARGEST_FILE = 1 << 26
"""Bytes; the published files have a few millions at most."""
_CONTRACTION = re.compile(r"(?<!\s)\s++(n['’]t|['’](?:ll|ve|re|d|m))\b", re.IGNORECASE)


def data_files(data: Path, subfolder: str) -> list[Path]:
    """The .txt files of a task, by name."""
    data = Path(data)
    if data.is_file():
        return [data]
    folder = task_folder(data, subfolder)
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise InputError(f"{folder} holds no .txt files; pass a file, or a folder with {subfolder}/*.txt.")
    return files


def task_folder(data: Path, subfolder: str) -> Path:
    """The folder of a task: its subfolder of `data`, or `data` itself."""
    data = Path(data)
    return data / subfolder if (data / subfolder).is_dir() else data


def read_text(path: Path) -> str:
    """All of a file of UTF-8 text."""
    name = printable(str(path))
    with file_errors(name), path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise InputError(f"{name} is larger than {LARGEST_FILE:,} bytes; pass the data set as it was published.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 (byte {error.start}); convert it to UTF-8.") from None
    if "\0" in text:
        raise InputError(f"{name} is not text, it holds a zero byte; get the file again.")
    return text


def read_fields(path: Path, separator: str | None = None) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not blank, between spaces or tabs (or `separator`), with the line's number."""
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r").split(separator)


def parse_number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) else None


def join_contractions(text: str) -> str:
    """Text that was split as treebanks are, with contractions whole again: *do n't* becomes *don't*.

    A possessive or short *is* stays apart, so that the noun before it stays the word it is.
    """
    return _CONTRACTION.sub(r"\1", text)


def find_rows(embeddings: Embeddings, words: Sequence[str]) -> NDArray[np.intp]:
    """The row of each word as it is spelt, else of its lower-case form, else -1."""
    return embeddings.find_rows(find_spelling(word, embeddings) or word for word in words)

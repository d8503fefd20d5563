"""Files of evaluation data: where they are, their lines as fields, their words as an embedding spells them.

No data comes with the program. `data` is one file, the folder that holds a task's files, or a folder with
the data of all tasks, where each task has its own subfolder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings import Embeddings
from wordatoms.errors import InputError


def data_files(data: Path, subfolder: str) -> list[Path]:
    """The .txt files of a task, by name."""
    data = Path(data)
    if data.is_file():
        return [data]
    folder = data / subfolder if (data / subfolder).is_dir() else data
    files = sorted(folder.glob("*.txt"))
    if not files:
        raise InputError(f"{folder} holds no .txt files; pass a file, or a folder with {subfolder}/*.txt.")
    return files


def read_fields(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not blank, between spaces or tabs, with the line's number."""
    try:
        lines = path.read_bytes().decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}); convert it to UTF-8.") from None
    for number, line in enumerate(lines, 1):
        if fields := line.split():
            yield number, fields


def find_rows(embeddings: Embeddings, words: Sequence[str]) -> NDArray[np.intp]:
    """The row of each word as it is spelt, else of its lower-case form, else -1."""
    as_spelt = embeddings.find_rows(words)
    return np.where(as_spelt >= 0, as_spelt, embeddings.find_rows(word.lower() for word in words))

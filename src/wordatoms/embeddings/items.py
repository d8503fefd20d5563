"""The items of a model whose rows are texts: sentences, documents, or tokens in their sentences.

Each item has a name, which takes the place of a word: the beginning of its text on one line, short enough to be shown
in a list. Items with the same beginning get their row behind it. The whole texts are kept in `items.jsonl`, a line
`{"text": …}` per item, and read one at a time; `items-starts.npy` says where each line begins.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, overload

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError, ModelError
from wordatoms.storage.files import load_array, save_array, write_atomic
from wordatoms.storage.untrusted import refuse_endless
from wordatoms.text.tables import open_table, read_text_lines, table_kind

FILE, STARTS = "items.jsonl", "items-starts.npy"
NAME_LENGTH = 60
"""Characters of a name, without the row behind it."""
READ_FOR_NAME = 1000
"""Characters of a text that its name is looked for in."""
_ADVICE = "Import the items again."


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text on one line, cut between words if it is longer than `length` characters.

    Tabs, line ends and everything else that is not printed become spaces.

    Examples
    --------
    >>> from wordatoms.embeddings.items import shorten
    >>> shorten("A spring day.\\nRain fell later.", 20)
    'A spring day. Rain…'
    """
    line = " ".join("".join(char if char.isprintable() else " " for char in text[: length + READ_FOR_NAME]).split())
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    if not line[length - 1].isspace() and (space := cut.rfind(" ")) > length // 2:
        cut = cut[:space]
    return cut.rstrip() + "…"


def read_texts(path: Path, column: str | None = None) -> Iterator[str]:
    """Yield the texts of items: the lines of a text file, or a column of a table."""
    if column is None:
        if table_kind(path):
            raise open_table(path).no_column()
        yield from read_text_lines(path)
        return
    for (text,) in open_table(path).rows([column]):
        yield text or ""


def save_texts(folder: Path, texts: Iterable[str]) -> tuple[str, ...]:
    """Write the texts of items into a folder as they come, and return their names."""
    names: dict[str, None] = {}
    starts, end = array("q"), 0
    with write_atomic(folder / FILE) as file:
        for row, text in enumerate(texts):
            line = json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n"
            file.write(line)
            starts.append(end)
            end += len(line)
            names[_new_name(text, row, names)] = None
    save_array(folder / STARTS, np.array([*starts, end], np.int64))
    return tuple(names)


def _new_name(text: str, row: int, taken: dict[str, None]) -> str:
    name = shorten(text, NAME_LENGTH)
    while not name or name in taken:  # again only if another text ends in the same row
        name = f"{name} (row {row})".lstrip()
    return name


class ItemTexts(Sequence[str]):
    """The texts of the items of a model, read from its folder one at a time.

    Parameters
    ----------
    path : Path
        The file with the texts.
    starts : ndarray of int64, shape (n_items + 1,)
        Where the line of each item begins, and the size of the file.
    """

    def __init__(self, path: Path, starts: NDArray[np.int64]) -> None:
        self._path, self._starts = path, starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        """The text of one row, or those of a slice."""
        if isinstance(row, slice):
            return self.of(range(len(self))[row])
        return self.of([range(len(self))[row]])[0]

    def of(self, rows: Iterable[int]) -> list[str]:
        """Return the texts of some rows."""
        try:
            with self._path.open("rb") as file:
                return [self._read(file, int(self._starts[row]), int(self._starts[row + 1])) for row in rows]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ModelError(f"{self._path} is damaged ({error}). {_ADVICE}") from error

    @staticmethod
    def _read(file: IO[bytes], start: int, end: int) -> str:
        file.seek(start)
        text = json.loads(file.read(end - start))["text"]
        if not isinstance(text, str):
            raise ValueError(f"the text at byte {start:,} is no string")
        return text

    @classmethod
    def load(cls, folder: Path, n_items: int) -> ItemTexts:
        """Open the texts of a model with this number of items."""
        path = Path(folder) / FILE
        starts = load_array(Path(folder) / STARTS)
        try:
            refuse_endless(path)
            size = path.stat().st_size
        except (OSError, ValueError) as error:
            raise ModelError(f"{path} cannot be read ({error}). {_ADVICE}") from error
        is_right = starts.shape == (n_items + 1,) and starts.dtype == np.int64
        if not is_right or starts[0] != 0 or starts[-1] != size or (np.diff(starts) <= 0).any():
            raise ModelError(f"{path} does not hold the texts of {n_items:,} items. {_ADVICE}")
        return cls(path, starts)


def check_counts(texts: Path, n_texts: int, vectors: Path, n_vectors: int) -> None:
    """Raise unless there is a text for each vector."""
    if n_texts != n_vectors:
        raise InputError(
            f"{texts} has {n_texts:,} texts and {vectors} has {n_vectors:,} vectors; pass one text for each vector."
        )

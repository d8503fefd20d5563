"""States that were computed before, in a file of the user's cache folder.

One SQLite file for each encoder; a passage is recognised by a hash of its text and of the place of the word in it, and
the text itself is not stored. SQLite makes entries whole or not at all, and several processes may use a file at once. A
cache only saves time: a damaged file is made anew, and where nothing can be written, states are computed each time.
"""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.storage.bundled import HOME_VARIABLE
from wordatoms.text.spans import Passage

LARGEST = 2 << 30
"""Bytes; a larger file is emptied before the next entry."""
AT_ONCE = 500
"""Entries looked up by one query."""
PATIENCE = 10.0
"""Seconds to wait for another process."""
_TABLE = "CREATE TABLE IF NOT EXISTS states (passage BLOB PRIMARY KEY, state BLOB NOT NULL) WITHOUT ROWID"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StateCache:
    """The states of passages by one encoder, each an array of half-precision numbers."""

    path: Path
    shape: tuple[int, int]

    @classmethod
    def of_user(cls, name: str, shape: tuple[int, int]) -> StateCache:
        """Return the cache in the user's folder for such files."""
        return cls(user_cache() / "encoders" / f"{name}.sqlite", shape)

    def read(self, passages: Sequence[Passage]) -> dict[Passage, NDArray[np.float16]]:
        """Return the states that are known; entries of another size, or with numbers that are not finite, are not."""
        if not self.path.is_file():
            return {}
        by_key = {_key(passage): passage for passage in passages}
        found: dict[Passage, NDArray[np.float16]] = {}

        def look_up(connection: sqlite3.Connection) -> None:
            for keys in _chunks([*by_key], AT_ONCE):
                query = f"SELECT passage, state FROM states WHERE passage IN ({','.join('?' * len(keys))})"
                for key, content in connection.execute(query, keys):
                    state = self._decode(content)
                    if state is not None:
                        found[by_key[key]] = state

        self._attempt(look_up)
        return found

    def write(self, states: Mapping[Passage, NDArray[np.float16]]) -> None:
        """Enter some states."""
        rows = [(_key(passage), np.ascontiguousarray(state, "<f2").tobytes()) for passage, state in states.items()]

        def enter(connection: sqlite3.Connection) -> None:
            if self.path.stat().st_size > LARGEST:
                connection.execute("DELETE FROM states")
            connection.executemany("INSERT OR REPLACE INTO states VALUES (?, ?)", rows)

        self._attempt(enter)

    def _decode(self, content: object) -> NDArray[np.float16] | None:
        if not isinstance(content, bytes) or len(content) != 2 * self.shape[0] * self.shape[1]:
            return None
        state = np.frombuffer(content, "<f2").reshape(self.shape)
        return state if np.isfinite(state).all() else None

    def _attempt(self, work: Callable[[sqlite3.Connection], None]) -> None:
        """Do something with the file, whole or not at all; a failure is logged, and a damaged file is removed."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=PATIENCE)) as connection, connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.execute(_TABLE)
                work(connection)
        except (sqlite3.Error, OSError) as error:
            _log.warning("the cache %s cannot be used (%s)", self.path, error)
            if type(error) is sqlite3.DatabaseError:  # no database, or a damaged one; other failures are subclasses
                self.path.unlink(missing_ok=True)


def _chunks(keys: Sequence[bytes], size: int) -> list[Sequence[bytes]]:
    return [keys[start : start + size] for start in range(0, len(keys), size)]


def _key(passage: Passage) -> bytes:
    digest = hashlib.sha256(f"{passage.start} {passage.end} ".encode())
    digest.update(passage.text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def user_cache() -> Path:
    """Return the user's folder for files that can be made again."""
    if home := os.environ.get(HOME_VARIABLE):
        return Path(home) / "cache"
    from platformdirs import user_cache_path

    return user_cache_path("wordatoms", appauthor=False)

"""The ledger of a pass over text: results for the shards read so far, kept on disk until the pass is over.

An entry lists its shards and its files; it is written last and atomically, so that after a kill at any moment
everything with an entry is complete and everything else is read again. Shards are identified by the hash of their file,
not by its name: when a damaged file is replaced, nothing else is read twice. Settings are part of the ledger's name, so
entries of other settings are not found.

Left out: what the pieces mean, and adding them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from wordatoms.storage.files import ArrayFile, spill_array, spill_folder, sync_file, write_json
from wordatoms.storage.untrusted import read_json
from wordatoms.text.shards import Shard

READ_BYTES = 1 << 22
FORMAT = 1
"""Version of the pieces; increase it when their meaning changes."""
Piece = TypeVar("Piece")
"""A frozen dataclass of arrays, in memory or on disk, and numbers."""


@dataclass(frozen=True)
class Ledger:
    """A folder with the pieces of a pass."""

    folder: Path
    lasts: bool = True
    """Whether it is kept after this process."""

    def find(
        self, shards: Sequence[Shard], kind: type[Piece], is_valid: Callable[[Piece], bool]
    ) -> tuple[list[Piece], list[Shard]]:
        """Return the stored pieces for some of the shards, and the shards without any.

        A ledger may be part of an untrusted model: invalid pieces are ignored.
        """
        wanted = Counter(map(shard_key, shards))
        pieces: list[Piece] = []
        for path in sorted(self.folder.glob("*.json")):
            covered, found = self._read(path, kind, is_valid)
            if covered and covered <= wanted:  # the same text may occur twice
                wanted -= covered
                pieces += found
        todo = []
        for shard in shards:
            if wanted[shard_key(shard)]:
                wanted[shard_key(shard)] -= 1
                todo.append(shard)
        return pieces, todo

    def enter(self, shards: Sequence[Shard], pieces: Sequence[Piece]) -> list[Piece]:
        """Store the pieces of some shards; arrays in memory are written to disk."""
        kept = [self.put(piece) for piece in pieces]
        if not self.lasts:
            return kept
        descriptions = [self._describe(piece) for piece in kept]
        keys = Counter(map(shard_key, shards))
        write_json(self.folder / f"{uuid4().hex}.json", {"shards": keys, "pieces": descriptions})
        return kept

    def put(self, piece: Piece) -> Piece:
        """Return a piece with its one-dimensional arrays on disk."""
        return type(piece)(**{name: _on_disk(value, self.folder) for name, value in _values(piece).items()})

    def _describe(self, piece: Any) -> dict[str, Any]:
        return {name: self._describe_value(value) for name, value in _values(piece).items()}

    def _describe_value(self, value: Any) -> Any:
        if isinstance(value, ArrayFile):
            sync_file(value.path)
            facts = {"file": value.path.name, "type": value.dtype.str, "length": value.length}
            return {**facts, "crc32": _crc32(value.path)}
        if isinstance(value, np.ndarray):
            return {**self._describe_value(spill_array(value.reshape(-1), self.folder)), "shape": value.shape}
        return value

    def _read(
        self, path: Path, kind: type[Piece], is_valid: Callable[[Piece], bool]
    ) -> tuple[Counter[str], list[Piece]]:
        """Read an entry; nothing if it or one of its files is damaged or missing."""
        try:
            entry = read_json(path)
            pieces = [
                kind(**{name: self._read_value(value) for name, value in piece.items()}) for piece in entry["pieces"]
            ]
            covered = Counter({str(key): int(n) for key, n in entry["shards"].items()})
            return (covered, pieces) if all(map(is_valid, pieces)) else (Counter(), [])
        except (OSError, ValueError, LookupError, TypeError, AttributeError, OverflowError):
            return Counter(), []

    def _read_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        path, dtype, length = self.folder / Path(value["file"]).name, np.dtype(value["type"]), int(value["length"])
        if path.stat().st_size != ArrayFile.HEADER_BYTES + length * dtype.itemsize:
            raise ValueError(f"{path} is truncated")
        if _crc32(path) != value["crc32"]:
            raise ValueError(f"{path}: checksum mismatch")
        array = ArrayFile(path, dtype, length)
        return array[:].reshape(value["shape"]) if "shape" in value else array

    def clear_leftovers(self) -> None:
        """Remove files without an entry, which a process was writing when it died."""
        named = {file for path in self.folder.glob("*.json") for file in _files_of(path)}
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.suffix != ".json" and path.name not in named:
                path.unlink(missing_ok=True)

    def drop(self) -> None:
        """Remove the ledger, and the folder of ledgers if this was the last."""
        shutil.rmtree(self.folder, ignore_errors=True)
        with suppress(OSError):  # usually because it is not empty
            self.folder.parent.rmdir()


@contextmanager
def open_ledger(name: str, facts: Sequence[object], *, keep: Path | None, work: Path | None) -> Iterator[Ledger]:
    """Open the ledger in `keep` of a pass with these facts; without `keep`, a temporary one in `work`.

    Ledgers of the same pass with other facts are removed from `keep`.
    """
    if keep is None:
        with spill_folder(work) as spill:
            yield Ledger(spill, lasts=False)
        return
    folder = keep / f"{name}-{_digest(facts)}"
    folder.mkdir(parents=True, exist_ok=True)
    for other in keep.glob(f"{name}-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    ledger = Ledger(folder)
    ledger.clear_leftovers()
    try:
        yield ledger
    except BaseException:
        ledger.clear_leftovers()
        if not any(folder.glob("*.json")):
            ledger.drop()
        raise


def shard_key(shard: Shard) -> str:
    """Return a key that is equal for equal parts of equal content, independent of the path."""
    facts = {**asdict(shard), "origin": ""}
    if shard.sha256:
        facts["path"] = ""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:32]


def _digest(facts: Sequence[object]) -> str:
    from wordatoms import __version__

    digest = hashlib.sha256(f"{FORMAT} {__version__}".encode())
    for fact in facts:
        is_array = isinstance(fact, np.ndarray)
        digest.update(f"|{fact.dtype.str} {fact.shape}|".encode() if is_array else f"|{fact!r}".encode())  # type: ignore[attr-defined]
        if is_array:
            digest.update(np.ascontiguousarray(fact).data)  # type: ignore[call-overload]
    return digest.hexdigest()[:16]


def _values(piece: Any) -> dict[str, Any]:
    return {field.name: getattr(piece, field.name) for field in fields(piece)}


def _on_disk(value: Any, folder: Path) -> Any:
    return spill_array(value, folder) if isinstance(value, np.ndarray) and value.ndim == 1 else value


def _files_of(path: Path) -> list[str]:
    try:
        pieces = read_json(path)["pieces"]
        return [str(value["file"]) for piece in pieces for value in piece.values() if isinstance(value, dict)]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _crc32(path: Path) -> int:
    crc = 0
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(READ_BYTES):
            crc = zlib.crc32(chunk, crc)
    return crc

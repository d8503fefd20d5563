"""Files elsewhere: addresses such as `s3://bucket/part-*.gz`, opened through fsspec.

An address is read like a file; whatever a remote store says when it fails becomes an `OSError` with its words. Left
out: writing there, and which stores there are (fsspec knows, and asks for the package that a store needs).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from wordatoms.errors import MissingExtraError, require_extra

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BUFFER_BYTES = 1 << 20


def is_address(path: str) -> bool:
    """Whether a path is an address rather than a place on this machine's disks."""
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path))


def find_addresses(source: str) -> list[str]:
    """The files of an address: itself, those that match its pattern, or all below it, sorted; hidden ones skipped."""
    system, path = _locate(source)
    with _as_os_errors(source), suppress(FileNotFoundError):
        if any(mark in path for mark in "*?["):
            found = system.glob(path, detail=True)
        elif system.isfile(path):
            return [source]
        else:
            found = system.find(path, detail=True)
        names = sorted(name for name, facts in found.items() if facts["type"] == "file" and not _is_hidden(name))
        return [str(system.unstrip_protocol(name)) for name in names]
    return []


def _is_hidden(name: str) -> bool:
    return name.rpartition("/")[2].startswith(".")


def exists_address(path: str) -> bool:
    system, place = _locate(path)
    with _as_os_errors(path):
        return bool(system.exists(place))


def open_address(path: str) -> io.BufferedReader:
    """The bytes of a file elsewhere."""
    system, place = _locate(path)
    with _as_os_errors(path):
        return io.BufferedReader(_RemoteFile(system.open(place, "rb"), path), BUFFER_BYTES)


class _RemoteFile(io.RawIOBase):
    """An open file of fsspec whose failures are those of a file."""

    def __init__(self, file: Any, address: str) -> None:
        self._file, self._address = file, address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        with _as_os_errors(self._address):
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        with _as_os_errors(self._address):
            target = memoryview(buffer).cast("B")
            data = self._file.read(len(target))
            target[: len(data)] = data
            return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _locate(address: str) -> tuple[Any, str]:
    """The store of an address, and the path in it."""
    core = require_extra("fsspec.core", "dask")
    scheme = address.partition("://")[0]
    try:
        with _as_os_errors(address):
            system, path = core.url_to_fs(address, use_listings_cache=False)
    except ImportError as error:
        raise MissingExtraError(
            f"{scheme}:// addresses need a package that is not installed ({error}); install it with pip."
        ) from error
    return system, path


@contextmanager
def _as_os_errors(address: str) -> Iterator[None]:
    """Each store has exceptions of its own."""
    try:
        yield
    except (OSError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise OSError(None, str(error) or type(error).__name__, address) from error

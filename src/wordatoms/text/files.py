"""Find the files of a text, open them on disk or at an address, and recognise what they contain.

Files come in the order in which they were given, those of a folder or pattern sorted; a file that is found twice
counts once. Addresses such as `s3://bucket/part-*.gz` are read through fsspec. Errors of the operating system and of
remote stores become one sentence that names the file.

Left out: writing to addresses, and text encodings other than UTF-8, which are recognised only where a file begins like
UTF-16 or UTF-32.
"""

from __future__ import annotations

import codecs
import glob
import io
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from wordatoms.errors import InputError, MissingExtraError, require_extra
from wordatoms.text.compression import CompressionError, Magics, inflate, match_magic, recognise_compression

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

BUFFER_BYTES = 1 << 20
HEAD_BYTES = 1 << 16
"""Bytes of a text from which its kind is recognised."""
DISK_SHARE = 0.9
"""How much of the free space of a disk a plain-text copy of the input may take."""
PLAIN_TEXT = "pass plain text in UTF-8"
PARQUET = "a Parquet table"
_DUMP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+<mediawiki[\s>]",
    re.DOTALL,
)
_NOT_TEXT: Magics = (
    ("a PNG image", rb"\x89PNG"),
    ("a JPEG image", rb"\xff\xd8\xff"),
    ("a GIF image", rb"GIF8[79]a"),
    ("a PDF document", rb"%PDF-"),
    ("a ZIP archive (or an office document)", rb"PK\x03\x04"),
    ("a 7-Zip archive", rb"7z\xbc\xaf\x27\x1c"),
    ("a RAR archive", rb"Rar!\x1a\x07"),
    ("a tar archive", rb".{257}ustar"),
    ("a program", rb"\x7fELF|MZ[\0\x90]"),
    ("a NumPy array", rb"\x93NUMPY"),
    ("an SQLite database", rb"SQLite format 3"),
    (PARQUET, rb"PAR1"),
    ("UTF-32 text", rb"\xff\xfe\0\0|\0\0\xfe\xff|(?:[^\0]\0\0\0){4}|(?:\0\0\0[^\0]){4}"),
    ("UTF-16 text", rb"\xff\xfe|\xfe\xff|(?:[^\0]\0){4}|(?:\0[^\0]){4}"),
)


# --- Finding files


def find_files(sources: Sequence[str | Path]) -> list[str]:
    """Return the paths of all sources in order, each file once; "-" (standard input) stays as it is."""
    if not sources:
        raise InputError("no text was given; pass files, folders, patterns or '-' for standard input.")
    found: dict[str, str] = {}
    for source in sources:
        for path in _expand(os.fspath(source)):
            found.setdefault(path if path == "-" or is_address(path) else os.path.realpath(path), path)
    return list(found.values())


def _expand(source: str) -> list[str]:
    if source == "-":
        return [source]
    if "\0" in source:
        raise InputError(f"{source!r} is not a path, it contains a NUL character; check the spelling.")
    if is_address(source):
        return _expand_address(source)
    if glob.has_magic(source) and not os.path.lexists(source):
        return _expand_pattern(source)
    if not _is_folder(source):
        return [source]
    if files := _walk(source):
        return files
    raise InputError(f"the folder {printable(source)} contains no files (hidden ones are skipped); pass another.")


def _expand_address(address: str) -> list[str]:
    """Return the address itself, the addresses that match its pattern, or all files below it, sorted."""
    with file_errors(address), _as_os_errors(address), suppress(FileNotFoundError):
        system, path = _locate(address)
        if any(mark in path for mark in "*?["):
            found = system.glob(path, detail=True)
        elif system.isfile(path):
            return [address]
        else:
            found = system.find(path, detail=True)
        names = [name for name, facts in found.items() if facts["type"] == "file"]
        shown = sorted(name for name in names if not name.rpartition("/")[2].startswith("."))
        if shown:
            return [str(system.unstrip_protocol(name)) for name in shown]
    raise InputError(f"there is no file at {address}; check the spelling, and that it may be listed.")


def _expand_pattern(pattern: str) -> list[str]:
    files: list[str] = []
    for path in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - it may be absolute
        files += _walk(path) if _is_folder(path) else [path]
    if not files:
        raise InputError(
            f"no file matches the pattern {printable(pattern)}; check it (the current folder is {Path.cwd()})."
        )
    return files


def _walk(folder: str) -> list[str]:
    """Return all files below a folder, sorted; hidden files and folders, models, pipes and devices are skipped."""
    seen: set[str] = set()
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder, followlinks=True, onerror=_raise_unreadable):
        # A link may lead to a folder above it, and a model that was trained into the folder of its text is not text.
        new = os.path.realpath(parent) not in seen and not {"manifest.json", "words.txt"} <= set(names)
        seen.add(os.path.realpath(parent))
        folders[:] = [name for name in folders if new and not name.startswith(".")]
        paths += [Path(parent, name) for name in names if new and not name.startswith(".")]
    return [str(path) for path in sorted(paths) if is_regular(str(path))]


def _raise_unreadable(error: OSError) -> None:
    with file_errors(printable(str(error.filename))):
        raise error


def _is_folder(path: str) -> bool:
    return stat.S_ISDIR(_mode(path))


def _mode(path: str) -> int:
    with file_errors(printable(path)):
        return os.stat(path).st_mode  # noqa: PTH116 - Path("") would be the current folder


# --- Opening files


def is_address(path: str) -> bool:
    """Whether a path is an address such as `s3://bucket/file` rather than a path on a local disk."""
    return bool(re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path))


def is_regular(path: str) -> bool:
    """Whether a file can be read more than once, unlike a pipe or device."""
    return is_address(path) or stat.S_ISREG(_mode(path))


def path_exists(path: str) -> bool:
    """Whether there is a file or folder at a path or address."""
    if not is_address(path):
        return Path(path).exists()
    with _as_os_errors(path):
        system, place = _locate(path)
        return bool(system.exists(place))


def open_file(path: str) -> io.BufferedReader:
    """Open a file on disk or at an address for reading bytes."""
    if not is_address(path):
        return Path(path).open("rb")
    with _as_os_errors(path):
        system, place = _locate(path)
        return io.BufferedReader(_RemoteFile(system.open(place, "rb"), path), BUFFER_BYTES)


def standard_input() -> IO[bytes]:
    """Return standard input as bytes; raise if it is closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed; pipe text into it or pass a file instead of '-'.")
    return sys.stdin.buffer


def printable(path: str) -> str:
    """Return a path that can be shown and stored even if its name is not valid UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@contextmanager
def file_errors(name: str) -> Iterator[None]:
    """Turn errors of the operating system into an `InputError` that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            f"{name or 'the empty path'} does not exist; check the spelling (the current folder is {Path.cwd()})."
        ) from None
    except PermissionError as error:
        raise InputError(f"{name} cannot be read: permission denied; change its permissions.") from error
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder where a file was expected; pass the files in it.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}; check the file.") from error


# --- Streams, which may never end


def read_stream(path: str, name: str) -> Iterator[bytes]:
    """Yield the bytes of a pipe or device, or of standard input for "-"; what is not text is refused as soon as seen.

    The text of a compressed stream is looked at as far as its first piece shows it.
    """
    n_bytes, compression = 0, ""
    with file_errors(name), nullcontext(standard_input()) if path == "-" else Path(path).open("rb") as stream:
        while chunk := stream.read(BUFFER_BYTES):
            if not n_bytes:
                compression = recognise_compression(chunk)
                refuse_binary(_first_text(chunk, compression), name)
            if not compression and (nul := chunk.find(b"\0")) >= 0:
                raise _not_text(name, f"contains a NUL byte at byte {n_bytes + nul:,}")
            n_bytes += len(chunk)
            yield chunk


def _first_text(chunk: bytes, compression: str) -> bytes:
    """The beginning of the text of a stream that begins with these bytes; nothing if it is damaged."""
    if not compression:
        return chunk[:HEAD_BYTES]
    with suppress(CompressionError):
        return next(inflate(io.BytesIO(chunk).read, compression), b"")[:HEAD_BYTES]
    return b""  # whoever reads the text says what is wrong


def within_disk(chunks: Iterable[bytes], folder: Path, name: str) -> Iterator[bytes]:
    """Yield chunks to be written to a folder, while they fit into a share of the space that is free there now."""
    n_bytes, limit = 0, int(DISK_SHARE * shutil.disk_usage(folder).free)
    for chunk in chunks:
        n_bytes += len(chunk)
        if n_bytes > limit:
            raise InputError(
                f"the plain text of {name} has more than {limit:,} bytes, {DISK_SHARE:.0%} of the free space of "
                f"{folder}; free some space there or pass another folder."
            )
        yield chunk


def read_whole(path: str | Path, limit: int) -> bytes:
    """Read a text file or pipe of at most `limit` bytes; raise `InputError` as soon as it is longer or not text."""
    name, content = printable(str(path)), bytearray()
    for chunk in read_stream(str(path), name):
        content += chunk
        if len(content) > limit:
            raise InputError(f"{name} has more than {limit:,} bytes; pass a smaller file.")
    return bytes(content)


class _RemoteFile(io.RawIOBase):
    """A file opened by fsspec whose failures are `OSError`s."""

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
    """Return the fsspec file system of an address, and the path in it."""
    core = require_extra("fsspec.core", "dask")
    try:
        system, path = core.url_to_fs(address, use_listings_cache=False)
    except ImportError as error:
        scheme = address.partition("://")[0]
        raise MissingExtraError(
            f"{scheme}:// addresses need a package that is not installed ({error}); install it with pip."
        ) from error
    return system, path


@contextmanager
def _as_os_errors(address: str) -> Iterator[None]:
    """Turn the exceptions of a remote store, each of which has its own, into an `OSError`."""
    try:
        yield
    except (OSError, ImportError, MemoryError):
        raise
    except Exception as error:
        raise OSError(None, str(error) or type(error).__name__, address) from error


# --- Kinds of content


def is_dump(head: bytes) -> bool:
    """Whether a file that begins with these bytes is a MediaWiki dump."""
    return _DUMP.match(head) is not None


def refuse_binary(head: bytes, name: str) -> None:
    """Raise if a file that begins with these bytes, decompressed if necessary, is not plain text."""
    if kind := binary_kind(head):
        raise not_text(name, kind)
    if (nul := head.find(b"\0")) >= 0:
        raise _not_text(name, f"contains a NUL byte at byte {nul:,}")


def binary_kind(head: bytes) -> str:
    """Return the kind of a file that begins with these bytes and is not text, if it is known, or ""."""
    return _recognise_binary(head) if b"\0" in head or _is_invalid_utf8(head) else ""


def not_text(name: str, kind: str) -> InputError:
    """Return the error for a file of another kind than text."""
    encoding = kind.removesuffix(" text")
    advice = f"iconv -f {encoding} -t UTF-8 converts it" if encoding != kind else PLAIN_TEXT
    if kind == PARQUET:
        advice = "give it a name that ends in .parquet and say with --column which column has the text"
    return _not_text(name, f"looks like {kind}", advice)


def _not_text(name: str, looks: str, advice: str = PLAIN_TEXT) -> InputError:
    return InputError(f"{name} is not plain text: it {looks}; {advice}.")


def _recognise_binary(head: bytes) -> str:
    if compression := recognise_compression(head):
        return f"a {compression} file inside a compressed file"
    return match_magic(head, _NOT_TEXT)


def _is_invalid_utf8(head: bytes) -> bool:
    try:
        codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return True
    return False

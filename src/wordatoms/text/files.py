"""Finding files: paths, folders and patterns as a list of files, and what can be wrong with them.

Files come in the order in which they were given, those of a folder or pattern sorted; a file that is found twice
counts once. What the operating system says about a file becomes one sentence that names it.

Addresses such as s3://bucket/folder are looked up by `wordatoms.text.addresses`. Left out: what the files hold.
"""

from __future__ import annotations

import glob
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from wordatoms.errors import InputError
from wordatoms.text.addresses import find_addresses, is_address


def find_files(sources: Sequence[str | Path]) -> list[str]:
    """The paths of all sources in their order, each file once; "-" (standard input) stays as it is."""
    if not sources:
        raise InputError("no text was given; pass files, folders, patterns or '-' for standard input.")
    found: dict[str, str] = {}
    for source in sources:
        for path in _expand(os.fspath(source)):
            found.setdefault(path if path == "-" or is_address(path) else os.path.realpath(path), path)
    return list(found.values())


def is_regular(path: str) -> bool:
    """Whether a path is that of a file that can be read again, not of a pipe or device."""
    return is_address(path) or stat.S_ISREG(_mode(path))


def printable(path: str) -> str:
    """A path that can be shown and stored even where its name is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@contextmanager
def file_errors(name: str) -> Iterator[None]:
    """Turn what the operating system says about a file into one sentence."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            f"{name or 'the empty path'} does not exist; check the spelling (the current folder is {Path.cwd()})."
        ) from None
    except PermissionError as error:
        raise InputError(f"{name} may not be read: permission denied; change its permissions.") from error
    except IsADirectoryError as error:
        raise InputError(f"{name} is a folder where a file was expected; pass the files in it.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}; check the file.") from error


def _expand(source: str) -> list[str]:
    if source == "-":
        return [source]
    if "\0" in source:
        raise InputError(f"{source!r} is not a path, it holds a NUL character; check the spelling.")
    if is_address(source):
        return _expand_address(source)
    if glob.has_magic(source) and not os.path.lexists(source):
        return _expand_pattern(source)
    if not _is_folder(source):
        return [source]
    if files := _walk(source):
        return files
    raise InputError(f"the folder {printable(source)} holds no files (hidden ones are skipped); pass another.")


def _expand_address(address: str) -> list[str]:
    with file_errors(address):
        files = find_addresses(address)
    if not files:
        raise InputError(f"there is no file at {address}; check the spelling, and that it may be listed.")
    return files


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
    """All files below a folder, sorted; hidden files and folders, models, pipes and devices are skipped."""
    seen: set[str] = set()
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder, followlinks=True, onerror=_raise_unreadable):
        # A link may lead back to a folder above it; and a model among its own texts is no text.
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


def standard_input() -> IO[bytes]:
    """What is piped in; it may have been closed."""
    if sys.stdin is None:
        raise InputError("standard input is closed; pipe text into it or pass a file instead of '-'.")
    return sys.stdin.buffer

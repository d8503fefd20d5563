"""Reading the files with one text per line that commands are given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from wordatoms.errors import InputError
from wordatoms.text.files import standard_input


def read_lines(path: str, *, blank: bool = False) -> list[str]:
    """Read the lines of a file, with `blank` also the blank ones; there must be one that is not."""
    with open_lines(path) as lines:
        found = [line for line in lines if blank or line.strip()]
    if not any(line.strip() for line in found):
        raise InputError(f"{path} contains no contexts; write one per line.")
    return found


@contextmanager
def open_lines(path: str) -> Iterator[Iterator[str]]:
    """Iterate over the lines of a file or of standard input, without their line ends."""
    with nullcontext(standard_input()) if path == "-" else Path(path).open("rb") as file:
        yield (_decode(line, path, number) for number, line in enumerate(file, 1))


def _decode(line: bytes, path: str, number: int) -> str:
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"line {number:,} of {path} is not UTF-8 text (byte {error.start:,}); pass one text per line."
        ) from None

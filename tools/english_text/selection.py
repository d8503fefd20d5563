"""From cleaned documents to the folder of text: every paragraph once, whole documents held out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import IO

from english_text.cleaning import LEAST_WORDS_OF_DUPLICATE, Cleaned

MOST_SEEN = 0.5
"""A document of which a greater share of the words was seen before is left out as a whole."""
FILE_BYTES = 64_000_000
HELD = "held"


@dataclass
class Tally:
    """Documents and words of a source."""

    documents: int = 0
    words: int = 0
    held_out: int = 0
    """Words in the documents held out."""
    repeated: int = 0
    """Words of paragraphs that were seen before."""
    seen_documents: int = 0
    """Documents left out because most of their words were seen before."""
    seen_words: int = 0


@dataclass
class Seen:
    """The paragraphs so far, by key."""

    keys: set[int] = field(default_factory=set)

    def new_paragraphs(self, document: Cleaned, tally: Tally) -> list[int] | None:
        """Return the places of the paragraphs seen for the first time; None if most of the document is known."""
        sizes = document.n_words.tolist()
        new: list[int] = []
        own: set[int] = set()
        long_words = repeated = 0
        for place, (key, size) in enumerate(zip(document.keys.tolist(), sizes, strict=True)):
            if size < LEAST_WORDS_OF_DUPLICATE:
                new.append(place)
                continue
            long_words += size
            if key in self.keys or key in own:
                repeated += size
            else:
                own.add(key)
                new.append(place)
        if repeated > MOST_SEEN * long_words:
            tally.seen_documents += 1
            tally.seen_words += sum(sizes)
            return None
        self.keys |= own
        tally.repeated += repeated
        return new


def is_held_out(source: str, name: str, one_of: int) -> bool:
    """Tell by the name alone, so that a document stays held out whatever is added to its source."""
    digest = blake2b(f"{source}/{name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % one_of == 0


class Writer:
    """The text files of one source, a new one after each `FILE_BYTES`."""

    def __init__(self, folder: Path, source: str) -> None:
        self.folder, self.source = folder, source
        self._files = 0
        self._open: IO[bytes] | None = None

    def write(self, text: bytes) -> None:
        if self._open is None:
            self._open = (self.folder / f"{self.source}-{self._files:02}.txt").open("wb")
            self._files += 1
        self._open.write(text)
        if self._open.tell() >= FILE_BYTES:
            self.close()

    def close(self) -> None:
        if self._open:
            self._open.close()
        self._open = None


def write_source(documents: Iterable[Cleaned], source: str, one_of: int, seen: Seen, folder: Path) -> Tally:
    """Write what is new of a source into `folder` and its folder of held-out text."""
    tally, writer = Tally(), Writer(folder, source)
    with (folder / HELD / f"{source}.txt").open("wb") as held:
        for document in documents:
            new = seen.new_paragraphs(document, tally)
            if not new:
                continue
            text = "".join(f"{document.paragraphs[place]}\n" for place in new).encode()
            n_words = int(document.n_words[new].sum())
            tally.documents += 1
            if is_held_out(source, document.name, one_of):
                held.write(text)
                tally.held_out += n_words
            else:
                writer.write(text)
                tally.words += n_words
    writer.close()
    return tally

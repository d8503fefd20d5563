"""Opening a text: files, folders, patterns and standard input, cut into shards that are read side by side.

`open_corpus` finds the files, sees by their content what they are (compressed with gzip, bzip2, xz or zstd, a
MediaWiki dump), hashes them and describes their text as shards; `read_blocks` reads one shard. What cannot be
read twice or side by side is first written to a work folder as plain text.

The paper trains on Wikipedia, 3 billion tokens of it (section 5), and says no more about the text. Left out
here: tokens, encodings other than UTF-8, and archives that hold several files.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import Item, Result, Stopped, resolve_threads, run_threads
from wordatoms.storage.files import write_atomic
from wordatoms.text.addresses import is_address
from wordatoms.text.compression import recognise_compression
from wordatoms.text.file_kinds import is_dump, refuse_binary
from wordatoms.text.files import file_errors, find_files, is_regular, printable, standard_input
from wordatoms.text.shards import (
    MAX_PARAGRAPH_BYTES,
    OnRead,
    ReadProgress,
    Shard,
    open_file,
    open_text,
    read_blocks,
    read_head,
)

if TYPE_CHECKING:
    from wordatoms.progress import TextCallback

__all__ = ["MAX_PARAGRAPH_BYTES", "SHARD_BYTES", "Corpus", "Shard", "TextFile", "open_corpus", "read_blocks"]

SHARD_BYTES = 64 << 20

_HEAD_BYTES = 1 << 16  # of the text, to see what kind of file it is
_COPY_BYTES = 1 << 20

log = logging.getLogger(__name__)

_Blocks = Generator[bytes, None, None]


class RunElsewhere(Protocol):
    """How a function is applied to all items on other machines, results in their order."""

    def __call__(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]: ...


@dataclass(frozen=True)
class TextFile:
    """An input as the user gave it: "-" is standard input."""

    path: str
    n_bytes: int
    sha256: str


@dataclass(frozen=True)
class Corpus:
    """The text of all inputs, cut into shards, and the inputs themselves for the record."""

    shards: tuple[Shard, ...]
    files: tuple[TextFile, ...]

    @property
    def n_bytes(self) -> int:
        """Bytes on disk of all shards, which is what reading the whole corpus reports."""
        return sum(shard.n_bytes for shard in self.shards)

    def __repr__(self) -> str:
        return f"Corpus({len(self.files):,} files, {len(self.shards):,} shards, {self.n_bytes:,} bytes)"


def open_corpus(
    sources: Sequence[str | Path],
    *,
    work: Path,
    threads: int = 1,
    replace_invalid: bool = False,
    shard_bytes: int = SHARD_BYTES,
    on_bytes: TextCallback | None = None,
    elsewhere: RunElsewhere | None = None,
) -> Corpus:
    """Find the files of `sources`, hash them and cut their text into shards.

    A source is a file, a folder, a pattern such as `texts/**/*.txt`, an address such as `s3://bucket/texts`, or "-" for
    standard input; a file that is found twice counts once. What cannot be read twice or side by side is first written
    to the folder `work` as plain text: standard input and pipes, MediaWiki dumps, and compressed files if there are
    fewer files than threads. A later call with the same folder takes up what an earlier one has finished there.
    `work` has to last as long as the corpus is read. `on_bytes` is called with the bytes read and 0 tokens.
    Where the files are read `elsewhere`, they are looked at and hashed there, and compressed ones stay as they are.
    """
    threads = resolve_threads(threads)
    if shard_bytes < 1:
        raise InputError(f"shard_bytes is {shard_bytes}; pass 1 or more.")
    on_read = _bytes_only(on_bytes)
    paths = find_files([sources] if isinstance(sources, str | Path) else sources)
    captured = [_capture(path, number, work, on_read) for number, path in enumerate(paths)]
    inputs = elsewhere(_examine, captured) if elsewhere else [_examine(text) for text in captured]
    if any(text.is_dump for text in inputs):
        require_extra("mwparserfromhell", "wiki")
    if all(text.is_empty for text in inputs):
        raise _no_text(inputs)
    if elsewhere:
        hashed = elsewhere(_hash, inputs)
    else:
        hashed = _run_stoppable(lambda text, stop: _hash(text, stop, on_read), inputs, threads)
    texts = _Spool(work, threads, replace_invalid, on_read).fill(hashed, inflate=not elsewhere)
    shards = tuple(shard for text in texts for shard in text.cut(shard_bytes))
    if not shards:
        raise _no_text(inputs)
    return Corpus(shards, tuple(TextFile(text.given, text.n_bytes, text.sha256) for text in hashed))


# Seeing what kind of file each one is


@dataclass(frozen=True)
class _Input:
    """One input: how it was given, what its first bytes show, and its hash."""

    path: str
    """Where to read it: for standard input, its copy."""
    given: str
    compression: str = ""
    is_dump: bool = False
    is_empty: bool = False
    n_bytes: int = 0
    sha256: str = ""

    @property
    def name(self) -> str:
        return "standard input" if self.given == "-" else self.given


def _capture(path: str, number: int, work: Path, on_read: OnRead) -> _Input:
    """An input that can be read again: what comes through a pipe is copied into `work` as it is."""
    if path != "-" and is_regular(path):
        # Another machine, or another folder to work in, has to find it too.
        return _Input(path if is_address(path) else os.path.abspath(path), printable(path))  # noqa: PTH100
    text = _Input(str(work.absolute() / f"stream-{number}"), printable(path))
    with _spooling(text.name, work), write_atomic(Path(text.path)) as copy:
        for chunk in _stream_chunks(path, text.name):
            copy.write(chunk)
            on_read(len(chunk))
    return text


def _stream_chunks(path: str, name: str) -> Iterator[bytes]:
    with file_errors(name), nullcontext(standard_input()) if path == "-" else Path(path).open("rb") as stream:
        while chunk := stream.read(_COPY_BYTES):
            yield chunk


def _examine(text: _Input) -> _Input:
    head = read_head(Shard(text.path, origin=text.name), _HEAD_BYTES)
    if compression := recognise_compression(head):
        head = read_head(Shard(text.path, compression, origin=text.name), _HEAD_BYTES)
    refuse_binary(head, text.name)
    return replace(text, compression=compression, is_dump=is_dump(head), is_empty=not head)


def _no_text(inputs: Sequence[_Input]) -> InputError:
    names = ", ".join(text.name for text in inputs[:3]) + (", …" if len(inputs) > 3 else "")
    dumps = " (of a dump, only articles that are not redirects)" if any(text.is_dump for text in inputs) else ""
    return InputError(f"there is no text in {names}; pass files with text in them{dumps}.")


# Hashing, and writing plain text into the work folder


def _bytes_only(on_bytes: TextCallback | None) -> OnRead:
    def on_read(n_bytes: int) -> None:
        if on_bytes is not None:
            on_bytes(n_bytes, 0)

    return on_read


def _run_stoppable(
    function: Callable[[Item, threading.Event], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """`function(item, stop)` for all items, on threads; one may take minutes, too long to wait for after an error."""
    stop = threading.Event()
    return run_threads(lambda item: function(item, stop), items, threads, stop=stop)


def _stop_if(stop: threading.Event) -> None:
    if stop.is_set():
        raise Stopped


def _hash(text: _Input, stop: threading.Event | None = None, on_read: OnRead = lambda _: None) -> _Input:
    digest = hashlib.sha256()
    n_bytes = 0
    with file_errors(text.name), open_file(text.path) as file:
        while chunk := file.read(_COPY_BYTES):
            if stop:
                _stop_if(stop)
            digest.update(chunk)
            n_bytes += len(chunk)
            on_read(len(chunk))
    return replace(text, n_bytes=n_bytes, sha256=digest.hexdigest())


@dataclass(frozen=True)
class _Spool:
    """The work folder, with plain-text copies of what cannot be read side by side as it is."""

    work: Path
    threads: int
    replace_invalid: bool
    on_read: OnRead

    def fill(self, inputs: Sequence[_Input], *, inflate: bool = True) -> list[Shard]:
        """Each input as one shard, its whole text; where there are few, without compression if that is allowed."""
        inflate &= len(inputs) < self.threads
        shards = _run_stoppable(
            lambda text, stop: self._inflate(text, stop) if inflate else self._as_it_is(text), inputs, self.threads
        )
        # Dumps come one after the other, because each of them uses all cores.
        return [self._strip(text) if text.is_dump else shard for text, shard in zip(inputs, shards, strict=True)]

    def _as_it_is(self, text: _Input) -> Shard:
        return Shard(
            text.path,
            text.compression,
            stop=text.n_bytes,
            replace_invalid=self.replace_invalid,
            origin=text.name,
            sha256=text.sha256,
        )

    def _inflate(self, text: _Input, stop: threading.Event) -> Shard:
        shard = self._as_it_is(text)
        if text.is_dump or not text.compression:
            return shard
        return self._write(text, _until(stop, read_blocks(shard, on_read=self.on_read)))

    def _strip(self, text: _Input) -> Shard:
        return self._write(text, self._stripped(text))

    def _stripped(self, text: _Input) -> _Blocks:
        from wordatoms.text.mediawiki import iter_paragraphs

        progress = ReadProgress(text.n_bytes, self.on_read)
        with closing(open_text(self._as_it_is(text))) as stream:
            for paragraphs in iter_paragraphs(stream, threads=self.threads, name=text.name):
                yield "".join(f"{paragraph}\n" for paragraph in paragraphs).encode()
                progress.reach(stream.n_disk_bytes())

    def _write(self, text: _Input, blocks: _Blocks) -> Shard:
        copy = self._copy(text)
        if copy.exists():
            log.info("%s: taking up the plain text in %s", text.name, copy)
        else:
            with _spooling(text.name, self.work), write_atomic(copy) as file, closing(blocks):
                file.writelines(blocks)
        return Shard(str(copy.absolute()), origin=text.name, sha256=self._content(text))

    def _copy(self, text: _Input) -> Path:
        """Where the plain text of an input goes: the same place for the same file and settings."""
        key = f"{self._content(text)} {os.path.realpath(text.path)}"
        return self.work / f"{hashlib.sha256(os.fsencode(key)).hexdigest()[:32]}.txt"

    def _content(self, text: _Input) -> str:
        """What the plain text of an input follows from."""
        return f"{text.sha256} {text.is_dump} {self.replace_invalid}"


def _until(stop: threading.Event, blocks: Iterator[bytes]) -> _Blocks:
    for block in blocks:
        _stop_if(stop)
        yield block


@contextmanager
def _spooling(name: str, work: Path) -> Iterator[None]:
    """Blame the work folder for what goes wrong in writing; reading names its own file."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the plain text of {name} could not be written to {work}: {error.strerror or error}; "
            "make room there or pass another folder."
        ) from error

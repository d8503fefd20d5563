"""Open a text from files, folders, patterns and standard input, split into shards that can be read in parallel.

`open_corpus` finds the files, recognises their content (compressed with gzip, bzip2, xz or zstd, a MediaWiki dump, a
table), hashes them and describes their text as shards; `read_blocks` reads one shard. Input that cannot be read twice
or in parallel, and the column of a table, is first written to a work folder as plain text.

The paper trains on Wikipedia, 3 billion tokens (Section 5), and says no more about the text. Left out: tokens,
encodings other than UTF-8, and archives of several files.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import Item, Result, Stopped, resolve_threads, run_threads
from wordatoms.storage.files import write_atomic
from wordatoms.text.compression import recognise_compression
from wordatoms.text.files import (
    HEAD_BYTES,
    file_errors,
    find_files,
    is_address,
    is_dump,
    is_regular,
    open_file,
    printable,
    read_stream,
    refuse_binary,
    within_disk,
)
from wordatoms.text.shards import (
    MAX_PARAGRAPH_BYTES,
    OnRead,
    ReadProgress,
    Shard,
    open_text,
    read_blocks,
    read_head,
)
from wordatoms.text.tables import TextColumn, find_text_column, refuse_pipe, table_kind
from wordatoms.text.wikiextractor import is_extracted

if TYPE_CHECKING:
    from wordatoms.progress import TextCallback

__all__ = ["MAX_PARAGRAPH_BYTES", "SHARD_BYTES", "Corpus", "Shard", "TextFile", "open_corpus", "read_blocks"]

SHARD_BYTES = 64 << 20

BLANK = b"\n"
"""The plain text of a table without any."""

_COPY_BYTES = 1 << 20

log = logging.getLogger(__name__)


class RemoteMap(Protocol):
    """Applies a function to all items on other machines and returns the results in order."""

    def __call__(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]: ...


@dataclass(frozen=True)
class TextFile:
    """An input file as the user named it; "-" is standard input."""

    path: str
    n_bytes: int
    sha256: str
    column: str = ""
    """The column of a table that has the text."""


@dataclass(frozen=True)
class Corpus:
    """A text split into shards, returned by `open_corpus`.

    Attributes
    ----------
    shards : tuple of Shard
        Parts of the text that can be read independently.
    files : tuple of TextFile
        The input files with their sizes and SHA-256 checksums.
    columns : dict of str to TextColumn
        The columns of tables that were written as plain text, by the paths of their shards.

    Examples
    --------
    >>> from wordatoms.text.corpus import Corpus, TextFile
    >>> from wordatoms.text.shards import Shard
    >>> Corpus((Shard("a.txt", stop=20),), (TextFile("a.txt", 20, "9f…"),))
    Corpus(1 files, 1 shards, 20 bytes)
    """

    shards: tuple[Shard, ...]
    files: tuple[TextFile, ...]
    columns: Mapping[str, TextColumn] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """Bytes on disk of all shards; reading the whole corpus reports as many."""
        return sum(shard.n_bytes for shard in self.shards)

    def __repr__(self) -> str:
        return f"Corpus({len(self.files):,} files, {len(self.shards):,} shards, {self.n_bytes:,} bytes)"


def open_corpus(
    sources: Sequence[str | Path],
    *,
    work: Path,
    threads: int = 1,
    column: str | None = None,
    replace_invalid: bool = False,
    shard_bytes: int = SHARD_BYTES,
    on_bytes: TextCallback | None = None,
    remote_map: RemoteMap | None = None,
) -> Corpus:
    """Find the files of a text, hash them and split the text into shards.

    Parameters
    ----------
    sources : sequence of str or Path
        Files, folders, patterns such as `texts/**/*.txt`, addresses such as `s3://bucket/texts`, or "-" for standard
        input. A file that is found twice counts once.
    work : Path
        Folder for plain-text copies of input that cannot be read twice or in parallel: standard input and pipes,
        MediaWiki dumps, columns of tables, and compressed files if there are fewer files than threads. It must exist as
        long as the corpus is read; a later call with the same folder reuses finished copies. A copy may take 90 % of
        the free space there.
    threads : int, default 1
        Number of threads.
    column : str, optional
        The column of tables (.csv, .tsv, .jsonl, .ndjson, .parquet) that has the text; all files are then tables. A
        table is refused without it, unless it is the JSON output of WikiExtractor.
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.
    shard_bytes : int, default 64 MiB
        Size of a shard of plain text; a compressed file is one shard.
    on_bytes : callable, optional
        Called with the bytes read since the last call and 0 (tokens).
    remote_map : callable, optional
        Runs a function on other machines (`DaskEngine.map`). Files are then examined and hashed there, and compressed
        files are not unpacked.

    Returns
    -------
    Corpus
        The shards and the files.

    Raises
    ------
    InputError
        If a file is missing, unreadable, damaged or not text, or if there is no text at all.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import wordatoms as wa
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("the boat is tied to the pier\\n")
    >>> wa.open_corpus([folder / "a.txt"], work=folder)
    Corpus(1 files, 1 shards, 29 bytes)
    """
    threads = resolve_threads(threads)
    if shard_bytes < 1:
        raise InputError(f"shard_bytes is {shard_bytes}; pass 1 or more.")
    stop = threading.Event()

    def on_read(n_bytes: int) -> None:
        if stop.is_set():  # an error in another thread; hashing a large file could take minutes
            raise Stopped
        if on_bytes is not None:
            on_bytes(n_bytes, 0)

    paths = find_files([sources] if isinstance(sources, str | Path) else sources)
    captured = [_capture(path, number, work, on_read) for number, path in enumerate(paths)]
    examine = partial(_examine, column=column, replace_invalid=replace_invalid)
    inputs = remote_map(examine, captured) if remote_map else [examine(text) for text in captured]
    if any(text.is_dump for text in inputs):
        require_extra("mwparserfromhell", "wiki")
    if all(text.is_empty for text in inputs):
        raise _no_text(inputs)
    if remote_map:
        hashed = remote_map(_hash, inputs)
    else:
        hashed = run_threads(lambda text: _hash(text, on_read), inputs, threads, stop=stop)
    texts = _Spool(work, threads, replace_invalid, on_read, stop).fill(hashed, inflate=not remote_map)
    columns = {shard.path: text.column for text, shard in zip(hashed, texts, strict=True) if text.column}
    if all(shard.path in columns and shard.n_bytes == len(BLANK) for shard in texts):
        raise _no_text(inputs)
    shards = tuple(shard for text in texts for shard in text.cut(shard_bytes))
    if not shards:
        raise _no_text(inputs)
    return Corpus(shards, tuple(text.file for text in hashed), columns)


# --- Examining and hashing the input


@dataclass(frozen=True)
class _Input:
    """An input: its name, what its first bytes show, and its hash."""

    path: str
    """Where to read it; for standard input, its copy."""
    given: str
    compression: str = ""
    is_dump: bool = False
    is_extracted: bool = False
    is_empty: bool = False
    column: TextColumn | None = None
    n_bytes: int = 0
    sha256: str = ""

    @property
    def file(self) -> TextFile:
        return TextFile(self.given, self.n_bytes, self.sha256, self.column.column if self.column else "")

    @property
    def name(self) -> str:
        return "standard input" if self.given == "-" else self.given


def _capture(path: str, number: int, work: Path, on_read: OnRead) -> _Input:
    """Make an input readable more than once: data from a pipe is copied into `work`."""
    if path != "-" and is_regular(path):
        # Absolute, so that it is found from another folder or machine too.
        return _Input(path if is_address(path) else os.path.abspath(path), printable(path))  # noqa: PTH100
    if table_kind(path):
        refuse_pipe(path)
    text = _Input(str(work.absolute() / f"stream-{number}"), printable(path))
    with _spooling(text.name, work), write_atomic(Path(text.path)) as copy:
        for chunk in within_disk(read_stream(path, text.name), work, text.name):
            copy.write(chunk)
            on_read(len(chunk))
    return text


def _examine(text: _Input, *, column: str | None, replace_invalid: bool) -> _Input:
    """Recognise the kind of an input by its name and first bytes; refuse what is not text."""
    head = read_head(Shard(text.path, origin=text.name), HEAD_BYTES)
    if compression := recognise_compression(head):
        head = read_head(Shard(text.path, compression, origin=text.name), HEAD_BYTES)
    if not table_kind(text.name):
        refuse_binary(head, text.name)
    found = find_text_column(text.path, column, origin=text.name, head=head, replace_invalid=replace_invalid)
    if found:
        return replace(text, compression=compression, column=found)
    text = replace(text, compression=compression, is_empty=not head)
    return replace(text, is_dump=is_dump(head), is_extracted=is_extracted(head))


def _no_text(inputs: Sequence[_Input]) -> InputError:
    names = ", ".join(text.name for text in inputs[:3]) + (", …" if len(inputs) > 3 else "")
    dumps = " (of a dump, only articles that are not redirects count)" if any(text.is_dump for text in inputs) else ""
    return InputError(f"there is no text in {names}; pass files with text in them{dumps}.")


def _hash(text: _Input, on_read: OnRead = lambda _: None) -> _Input:
    digest = hashlib.sha256()
    n_bytes = 0
    with file_errors(text.name), open_file(text.path) as file:
        while chunk := file.read(_COPY_BYTES):
            digest.update(chunk)
            n_bytes += len(chunk)
            on_read(len(chunk))
    return replace(text, n_bytes=n_bytes, sha256=digest.hexdigest())


# --- Writing plain text into the work folder


@dataclass(frozen=True)
class _Spool:
    """The work folder, with plain-text copies of input that cannot be read in parallel as it is."""

    work: Path
    threads: int
    replace_invalid: bool
    on_read: OnRead
    stop: threading.Event

    def fill(self, inputs: Sequence[_Input], *, inflate: bool = True) -> list[Shard]:
        """Return the whole text of each input as one shard; if there are few, decompress them where allowed."""
        inflate &= len(inputs) < self.threads

        def make_shard(text: _Input) -> Shard:
            if text.column:
                return self._write(text, self._paragraphs(text, text.column))
            if inflate and text.compression and not text.is_dump:
                return self._write(text, read_blocks(self._as_it_is(text), on_read=self.on_read))
            return self._as_it_is(text)

        shards = run_threads(make_shard, inputs, self.threads, stop=self.stop)
        # Dumps come one after the other, because each of them uses all cores.
        return [
            self._write(text, self._stripped(text)) if text.is_dump else shard
            for text, shard in zip(inputs, shards, strict=True)
        ]

    def _as_it_is(self, text: _Input) -> Shard:
        return Shard(
            text.path,
            text.compression,
            stop=text.n_bytes,
            replace_invalid=self.replace_invalid,
            origin=text.name,
            sha256=text.sha256,
            is_extracted=text.is_extracted,
        )

    def _paragraphs(self, text: _Input, column: TextColumn) -> Generator[bytes, None, None]:
        progress, is_blank = ReadProgress(text.n_bytes, self.on_read), True
        for paragraphs in column.plain_text(on_read=progress.reach):
            is_blank &= not paragraphs
            yield paragraphs
        if is_blank:  # so that it has a shard, and the files after it keep their numbers
            yield BLANK
        progress.reach(text.n_bytes)

    def _stripped(self, text: _Input) -> Generator[bytes, None, None]:
        from wordatoms.text.mediawiki import iter_paragraphs

        progress = ReadProgress(text.n_bytes, self.on_read)
        with closing(open_text(self._as_it_is(text))) as stream:
            for paragraphs in iter_paragraphs(stream, threads=self.threads, name=text.name):
                yield "".join(f"{paragraph}\n" for paragraph in paragraphs).encode()
                progress.reach(stream.n_disk_bytes())

    def _write(self, text: _Input, blocks: Generator[bytes, None, None]) -> Shard:
        """Write the plain text of an input, unless an earlier call did; its name depends on content and settings."""
        content = f"{text.sha256} {text.is_dump} {self.replace_invalid}"
        content += " extracted" if text.is_extracted else f" {text.column.column}" if text.column else ""
        key = f"{content} {os.path.realpath(text.path)}"
        copy = self.work / f"{hashlib.sha256(os.fsencode(key)).hexdigest()[:32]}.txt"
        if copy.exists():
            log.info("%s: reusing the plain text in %s", text.name, copy)
        else:
            with _spooling(text.name, self.work), write_atomic(copy) as file, closing(blocks):
                for block in within_disk(blocks, self.work, text.name):
                    if self.stop.is_set():
                        raise Stopped
                    file.write(block)
        return Shard(str(copy.absolute()), origin=text.name, sha256=content)


@contextmanager
def _spooling(name: str, work: Path) -> Iterator[None]:
    """Report errors in writing as a problem of the work folder; reading reports its own."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the plain text of {name} could not be written to {work}: {error.strerror or error}; "
            "free some space there or pass another folder."
        ) from error

"""Reading text: files, folders, patterns and standard input as blocks of whole lines in UTF-8.

A line is a paragraph: it ends at a line feed and nowhere else. `open_corpus` finds the files, hashes them and
describes their text as shards, stretches that any thread, process or machine can read by itself;
`read_blocks` reads one shard. Gzip, bzip2, xz, zstd and MediaWiki dumps are recognised by their content,
never by their name. Memory depends neither on the length of the text nor on that of its lines, nor on what
a file decompresses to.

The paper trains on Wikipedia, 3 billion tokens of it (section 5), and says no more about the text. Left out
here: tokens (a carriage return stays where it is), encodings other than UTF-8, and archives that hold
several files.
"""

from __future__ import annotations

import bz2
import codecs
import glob
import hashlib
import io
import logging
import lzma
import os
import re
import stat
import sys
import threading
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, TypeVar

import zstandard

from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import resolve_threads
from wordatoms.store import write_whole

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

    from wordatoms.progress import TextCallback

MAX_PARAGRAPH_BYTES = 4 << 20
"""A paragraph is at most 4 MiB; a longer line is several paragraphs."""
MIN_BLOCK_BYTES = 8
"""Room for the longest character and a line feed, so that every cut goes forward."""
SHARD_BYTES = 64 << 20

_READ_BYTES = 1 << 16  # of a compressed file; more would be copied over and over where members are short
_INFLATE_BYTES = 1 << 20
_HEAD_BYTES = 1 << 16  # of the text, to see what kind of file it is
_COPY_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 20  # where lines allow: what is larger than the cache is read at half the speed
_DECODE_BYTES = 1 << 14  # decoded at once: the characters stay in the cache
_XZ_MEMORY = 256 << 20  # `xz -9` needs 65 MiB

_LINE_FEED = ord("\n")
_WHITE_SPACE = (b" ", b"\t", b"\r", b"\v", b"\f")
_DUMP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>)*+<mediawiki[\s>]",
    re.DOTALL,
)

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")
OnRead = Callable[[int], None]
_Blocks = Generator[bytes, None, None]


@dataclass(frozen=True)
class Shard:
    """A stretch of text that any worker can read by itself."""

    path: str
    compression: str = ""
    """"", "gzip", "bzip2", "xz" or "zstd"."""
    start: int = 0
    """Of a plain file, the lines that begin in [start, stop) are read; compressed files are read whole."""
    stop: int | None = None
    replace_invalid: bool = False
    """Read broken UTF-8 as U+FFFD instead of stopping there."""
    origin: str = ""
    """What errors call the text, where that is not the path."""

    @property
    def n_bytes(self) -> int:
        """Bytes on disk."""
        if self.stop is not None:
            return self.stop - self.start
        with _blaming(self.name):
            return Path(self.path).stat().st_size - self.start

    @property
    def name(self) -> str:
        return self.origin or _printable(self.path)


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
) -> Corpus:
    """Find the files of `sources`, hash them and cut their text into shards.

    A source is a file, a folder, a pattern such as `texts/**/*.txt`, or "-" for standard input; a file that
    is found twice counts once. What cannot be read twice or side by side is first written to the folder
    `work` as plain text: standard input and pipes, MediaWiki dumps, and compressed files if there are fewer
    files than threads. A later call with the same folder takes up what an earlier one has finished there.
    `work` has to last as long as the corpus is read. `on_bytes` is called with the bytes read and 0 tokens.
    """
    threads = resolve_threads(threads)
    if shard_bytes < 1:
        raise InputError(f"shard_bytes is {shard_bytes}; pass 1 or more.")
    on_read = _bytes_only(on_bytes)
    paths = _find_files([sources] if isinstance(sources, str | Path) else sources)
    inputs = [_examine(_capture(path, number, work, on_read)) for number, path in enumerate(paths)]
    if all(text.is_empty for text in inputs):
        raise _no_text(inputs)
    hashed = _run_together(lambda text, stop: _hash(text, stop, on_read), inputs, threads)
    texts = _Spool(work, threads, replace_invalid, on_read).fill(hashed)
    shards = tuple(shard for text in texts for shard in _cut(text, shard_bytes))
    if not shards:
        raise _no_text(inputs)
    return Corpus(shards, tuple(TextFile(text.given, text.n_bytes, text.sha256) for text in hashed))


def read_blocks(
    shard: Shard, *, block_bytes: int = MAX_PARAGRAPH_BYTES, on_read: OnRead | None = None
) -> Iterator[bytes]:
    """Yield a shard's text in blocks of whole lines, at most `block_bytes` each, valid UTF-8 without NUL.

    Every line ends in a line feed, the last one too. A line longer than a block is cut at the last ASCII
    white space that fits, counted from its own start (at a character where there is none), and each piece
    ends in a line feed: the cuts depend on the line alone, not on the shards. A byte-order mark at the start
    of a file is dropped. `on_read` is called with the bytes on disk read since the last call, in sum
    `shard.n_bytes`.
    """
    if block_bytes < MIN_BLOCK_BYTES:
        raise InputError(f"block_bytes is {block_bytes}; pass {MIN_BLOCK_BYTES} or more.")
    return _checked_blocks(shard, block_bytes, _Progress(shard.n_bytes, on_read or _ignore))


# Finding files


def _find_files(sources: Sequence[str | Path]) -> list[str]:
    """The paths of all sources in their order, each file once; "-" stays as it is."""
    if not sources:
        raise InputError("no text was given; pass files, folders, patterns or '-' for standard input.")
    found: dict[str, str] = {}
    for source in sources:
        for path in _expand(os.fspath(source)):
            found.setdefault("-" if path == "-" else os.path.realpath(path), path)
    return list(found.values())


def _expand(source: str) -> list[str]:
    if source == "-":
        return [source]
    if "\0" in source:
        raise InputError(f"{source!r} is not a path, it holds a NUL character; check the spelling.")
    if glob.has_magic(source) and not os.path.lexists(source):
        return _expand_pattern(source)
    if not stat.S_ISDIR(_file_mode(source)):
        return [source]
    if files := _walk(source):
        return files
    raise InputError(f"the folder {_printable(source)} holds no files (hidden ones are skipped); pass another.")


def _expand_pattern(pattern: str) -> list[str]:
    files: list[str] = []
    for path in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - it may be absolute
        files += _walk(path) if stat.S_ISDIR(_file_mode(path)) else [path]
    if not files:
        raise InputError(
            f"no file matches the pattern {_printable(pattern)}; check it (the current folder is {Path.cwd()})."
        )
    return files


def _walk(folder: str) -> list[str]:
    """All files below a folder, sorted; hidden files and folders, pipes and devices are skipped."""
    seen: set[str] = set()
    paths: list[Path] = []
    for parent, folders, names in os.walk(folder, followlinks=True, onerror=_raise_unreadable):
        # A link may lead back to a folder above it.
        new = os.path.realpath(parent) not in seen
        seen.add(os.path.realpath(parent))
        folders[:] = [name for name in folders if new and not name.startswith(".")]
        paths += [Path(parent, name) for name in names if new and not name.startswith(".")]
    return [str(path) for path in sorted(paths) if stat.S_ISREG(_file_mode(str(path)))]


def _raise_unreadable(error: OSError) -> None:
    with _blaming(_printable(str(error.filename))):
        raise error


def _file_mode(path: str) -> int:
    with _blaming(_printable(path)):
        return os.stat(path).st_mode  # noqa: PTH116 - Path("") would be the current folder


def _printable(path: str) -> str:
    """A path that can be shown and stored even where its name is not UTF-8."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


@contextmanager
def _blaming(name: str) -> Iterator[None]:
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
    if path != "-" and stat.S_ISREG(_file_mode(path)):
        return _Input(path, _printable(path))
    text = _Input(str(work / f"stream-{number}"), _printable(path))
    with _spooling(text.name, work), write_whole(Path(text.path)) as copy:
        for chunk in _stream_chunks(path, text.name):
            copy.write(chunk)
            on_read(len(chunk))
    return text


def _stream_chunks(path: str, name: str) -> Iterator[bytes]:
    if path == "-" and sys.stdin is None:
        raise InputError("standard input is closed; pipe text into it or pass a file instead of '-'.")
    with _blaming(name), nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as stream:
        while chunk := stream.read(_COPY_BYTES):
            yield chunk


def _examine(text: _Input) -> _Input:
    head = _read_head(Shard(text.path, origin=text.name))
    if compression := _compression(head):
        head = _read_head(Shard(text.path, compression, origin=text.name))
    _refuse_binary(head, text.name)
    if is_dump := _DUMP.match(head) is not None:
        require_extra("mwparserfromhell", "wiki")
    return replace(text, compression=compression, is_dump=is_dump, is_empty=not head)


def _read_head(shard: Shard) -> bytes:
    buffer = bytearray(_HEAD_BYTES)
    with closing(_open_text(shard)) as text:
        return bytes(buffer[: _fill(text, memoryview(buffer))])


_SIGNATURES = (
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
    ("a Parquet table", rb"PAR1"),
    ("UTF-32 text", rb"\xff\xfe\0\0|\0\0\xfe\xff|(?:[^\0]\0\0\0){4}|(?:\0\0\0[^\0]){4}"),
    ("UTF-16 text", rb"\xff\xfe|\xfe\xff|(?:[^\0]\0){4}|(?:\0[^\0]){4}"),
)
_COMPRESSIONS = (
    ("gzip", rb"\x1f\x8b\x08"),
    ("bzip2", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    ("xz", rb"\xfd7zXZ\0"),
    ("zstd", rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18"),
)


def _first_match(patterns: Sequence[tuple[str, bytes]], head: bytes) -> str:
    return next((name for name, pattern in patterns if re.match(pattern, head, re.DOTALL)), "")


def _compression(head: bytes) -> str:
    return _first_match(_COMPRESSIONS, head)


def _looks_like(head: bytes) -> str:
    """What a file that is not text seems to be, or nothing."""
    if compression := _compression(head):
        return f"a {compression} file inside a compressed file"
    return _first_match(_SIGNATURES, head)


def _refuse_binary(head: bytes, name: str) -> None:
    nul = head.find(b"\0")
    kind = _looks_like(head) if nul >= 0 or _broken_utf8(head) else ""
    if nul < 0 and not kind:
        return
    looks = f"looks like {kind}" if kind else f"holds a NUL byte at byte {nul:,}"
    encoding = kind.removesuffix(" text")
    advice = f"iconv -f {encoding} -t UTF-8 converts it" if encoding != kind else "pass plain text in UTF-8"
    raise InputError(f"{name} is not plain text: it {looks}; {advice}.")


def _broken_utf8(head: bytes) -> bool:
    try:
        codecs.utf_8_decode(head, "strict", False)
    except UnicodeDecodeError:
        return True
    return False


def _no_text(inputs: Sequence[_Input]) -> InputError:
    names = ", ".join(text.name for text in inputs[:3]) + (", …" if len(inputs) > 3 else "")
    dumps = " (of a dump, only articles that are not redirects)" if any(text.is_dump for text in inputs) else ""
    return InputError(f"there is no text in {names}; pass files with text in them{dumps}.")


# Hashing, and writing plain text into the work folder


def _ignore(_: int) -> None:
    pass


def _bytes_only(on_bytes: TextCallback | None) -> OnRead:
    return (lambda n_bytes: on_bytes(n_bytes, 0)) if on_bytes else _ignore


class _Stopped(Exception):
    """Work given up because another file failed; nobody sees it."""


def _run_together(
    function: Callable[[Item, threading.Event], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Run a function over items on threads; when one fails or the user interrupts, the others stop too.

    A single item may take many minutes here, too long to wait for before an error is shown.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(function, item, stop) for item in items]
        try:
            for future in as_completed(futures):
                future.result()
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [future.result() for future in futures]


def _stop_if(stop: threading.Event) -> None:
    if stop.is_set():
        raise _Stopped


def _hash(text: _Input, stop: threading.Event, on_read: OnRead) -> _Input:
    digest = hashlib.sha256()
    n_bytes = 0
    with _blaming(text.name), Path(text.path).open("rb", buffering=0) as file:
        while chunk := file.read(_COPY_BYTES):
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

    def fill(self, inputs: Sequence[_Input]) -> list[Shard]:
        """Each input as one shard, its whole text."""
        few = len(inputs) < self.threads
        shards = _run_together(
            lambda text, stop: self._inflate(text, stop) if few else self._as_it_is(text), inputs, self.threads
        )
        # Dumps come one after the other, because each of them uses all cores.
        return [self._strip(text) if text.is_dump else shard for text, shard in zip(inputs, shards, strict=True)]

    def _as_it_is(self, text: _Input) -> Shard:
        return Shard(text.path, text.compression, replace_invalid=self.replace_invalid, origin=text.name)

    def _inflate(self, text: _Input, stop: threading.Event) -> Shard:
        shard = self._as_it_is(text)
        if text.is_dump or not text.compression:
            return shard
        return self._write(text, _until(stop, read_blocks(shard, on_read=self.on_read)))

    def _strip(self, text: _Input) -> Shard:
        return self._write(text, self._stripped(text))

    def _stripped(self, text: _Input) -> _Blocks:
        from wordatoms.dump import iter_paragraphs

        progress = _Progress(text.n_bytes, self.on_read)
        with closing(_open_text(self._as_it_is(text))) as stream:
            for paragraphs in iter_paragraphs(stream, threads=self.threads, name=text.name):
                yield "".join(f"{paragraph}\n" for paragraph in paragraphs).encode()
                progress.reach(stream.n_disk_bytes())

    def _write(self, text: _Input, blocks: _Blocks) -> Shard:
        copy = self._copy(text)
        if copy.exists():
            log.info("%s: taking up the plain text in %s", text.name, copy)
        else:
            with _spooling(text.name, self.work), write_whole(copy) as file, closing(blocks):
                file.writelines(blocks)
        return Shard(str(copy), origin=text.name)

    def _copy(self, text: _Input) -> Path:
        """Where the plain text of an input goes: the same place for the same file and settings."""
        key = f"{text.sha256} {text.is_dump} {self.replace_invalid} {os.path.realpath(text.path)}"
        return self.work / f"{hashlib.sha256(os.fsencode(key)).hexdigest()[:32]}.txt"


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


def _cut(text: Shard, shard_bytes: int) -> list[Shard]:
    """A plain text in stretches of equal size; a compressed one stays whole."""
    if text.compression:
        return [text]
    size = text.n_bytes
    starts = range(0, size, shard_bytes)
    return [replace(text, start=start, stop=min(start + shard_bytes, size)) for start in starts]


# The bytes of the text, from plain and from compressed files


class _Text(io.RawIOBase):
    """The text of a shard as a stream of bytes."""

    begin = 0
    """Where in the text of the whole file the stream begins."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        self._file = file
        self._shard = shard

    def readable(self) -> bool:
        return True

    def n_disk_bytes(self) -> int:
        """How far into its shard the reading is."""
        return self._file.tell() - self._shard.start

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_text(shard: Shard) -> _Text:
    with _blaming(shard.name):
        file = Path(shard.path).open("rb")  # noqa: SIM115 - closed with the stream
        try:
            return _InflatedText(file, shard) if shard.compression else _PlainText(file, shard)
        except BaseException:
            file.close()
            raise


def _fill(stream: io.RawIOBase | io.BytesIO, view: memoryview) -> int:
    """Read until the view is full or the stream ends; the number of bytes read."""
    n_bytes = 0
    while n_bytes < len(view) and (n_more := stream.readinto(view[n_bytes:])):
        n_bytes += n_more
    return n_bytes


class _PlainText(_Text):
    """The lines of a plain file that begin in a shard."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        super().__init__(file, shard)
        self.begin, self._end = _line_range(file, shard)
        file.seek(self.begin)

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        left = self._end - self._file.tell()
        with _blaming(self._shard.name):
            return self._file.readinto(memoryview(buffer)[:left])


def _line_range(file: IO[bytes], shard: Shard) -> tuple[int, int]:
    """Where the first line that begins in a shard starts, and where the last one ends."""
    size = os.fstat(file.fileno()).st_size
    stop = size if shard.stop is None else shard.stop
    if stop > size:
        raise InputError(f"{shard.name} has shrunk below {stop:,} bytes, to {size:,}; start again.")
    begin = _line_start(file, shard.start, stop)
    # The end is sought only where a line begins, else all shards inside one huge line would read to its end.
    return begin, _line_start(file, stop, size) if begin < stop else begin


def _line_start(file: IO[bytes], position: int, limit: int) -> int:
    """The first start of a line at or after `position`, or `limit` if there is none before it."""
    if position == 0:
        return 0
    n_before = position - 1
    file.seek(n_before)
    while n_before < limit and (chunk := file.read(_READ_BYTES)):
        if (newline := chunk.find(b"\n")) >= 0:
            return min(n_before + newline + 1, limit)
        n_before += len(chunk)
    return limit


class _InflatedText(_Text):
    """The text inside a compressed file."""

    def __init__(self, file: io.BufferedReader, shard: Shard) -> None:
        super().__init__(file, shard)
        self._chunks = _inflated_chunks(file, shard)
        self._chunk = memoryview(b"")

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._chunk:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._chunk = memoryview(chunk)
        target = memoryview(buffer)
        n_bytes = min(len(target), len(self._chunk))
        target[:n_bytes] = self._chunk[:n_bytes]
        self._chunk = self._chunk[n_bytes:]
        return n_bytes


# Decompression, in pieces whose size does not depend on the data


def _inflated_chunks(file: IO[bytes], shard: Shard) -> Iterator[bytes]:
    name, compression = shard.name, shard.compression
    try:
        yield from _zstd_chunks(file) if compression == "zstd" else _member_chunks(file, _MEMBERS[compression])
    except EOFError as error:
        raise InputError(f"{name} ends in the middle of its {compression} data; copy or download it again.") from error
    except (zlib.error, lzma.LZMAError, zstandard.ZstdError, OSError) as error:
        if isinstance(error, OSError) and error.errno:  # of the disk; bz2 raises one without a number for bad data
            with _blaming(name):
                raise
        raise InputError(
            f"{name} is damaged: its {compression} data cannot be read ({error}); copy or download it again."
        ) from error


class _Member(Protocol):
    """One stretch of compressed data; a file may hold several, one after the other."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """zlib's decompressor with the manners of those of bz2 and lzma."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)

    @property
    def eof(self) -> bool:
        return self._zlib.eof

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._zlib.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


_MEMBERS: dict[str, Callable[[], _Member]] = {
    "gzip": _GzipMember,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, _XZ_MEMORY),
}


def _member_chunks(file: IO[bytes], new_member: Callable[[], _Member]) -> Iterator[bytes]:
    data = file.read(_READ_BYTES)
    while data:
        member = new_member()
        while not member.eof:
            if member.needs_input and not (data := data or file.read(_READ_BYTES)):
                raise EOFError
            yield member.decompress(data, max_length=_INFLATE_BYTES)
            data = b""
        data = _skip_padding(member.unused_data, file)


def _skip_padding(data: bytes, file: IO[bytes]) -> bytes:
    """What follows the zeros that may stand between and after members."""
    while not (rest := data.lstrip(b"\0")):
        if not (data := file.read(_READ_BYTES)):
            return b""
    return rest


def _zstd_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """The frames of a zstd file, block by block, as RFC 8878 lays them out.

    Given more than a block at once, the library's decompressor returns however much comes out; given a whole
    file, its reader takes the end of a truncated frame for the end of the text.
    """
    while magic := file.read(4):
        if magic[1:] == b"\x2a\x4d\x18":  # a frame to be skipped
            file.seek(int.from_bytes(_take(file, 4), "little"), os.SEEK_CUR)
        else:
            yield from _zstd_frame(file, magic)


def _zstd_frame(file: IO[bytes], magic: bytes) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    flags = _take(file, 1)
    yield frame.decompress(magic + flags + _take(file, _zstd_header_bytes(flags[0])))
    is_last = False
    while not is_last:
        header = _take(file, 3)
        is_last, n_bytes = _zstd_block(int.from_bytes(header, "little"))
        yield frame.decompress(header + _take(file, n_bytes))
    if flags[0] & 0b100:
        yield frame.decompress(_take(file, 4))  # the checksum
    if not frame.eof:
        raise EOFError


def _zstd_header_bytes(flags: int) -> int:
    """The length of a frame header after its flags: window, dictionary and size of the content."""
    is_single_segment = flags >> 5 & 1
    return 1 - is_single_segment + (0, 1, 2, 4)[flags & 3] + (is_single_segment, 2, 4, 8)[flags >> 6]


def _zstd_block(header: int) -> tuple[bool, int]:
    """Whether a block is the last of its frame, and how many bytes follow its header."""
    is_run = header >> 1 & 3 == 1
    return bool(header & 1), 1 if is_run else header >> 3


def _take(file: IO[bytes], n_bytes: int) -> bytes:
    data = file.read(n_bytes)
    if len(data) < n_bytes:
        raise EOFError
    return data


# Blocks of whole lines


class _Progress:
    """Tells a callback how far a reading has come on disk, never more than there is."""

    def __init__(self, n_bytes: int, on_read: OnRead) -> None:
        self._n_bytes = n_bytes
        self._on_read = on_read
        self._n_reported = 0

    def reach(self, position: int) -> None:
        n_new = min(position, self._n_bytes) - self._n_reported
        if n_new > 0:
            self._n_reported += n_new
            self._on_read(n_new)

    def finish(self) -> None:
        self.reach(self._n_bytes)


def _checked_blocks(shard: Shard, block_bytes: int, progress: _Progress) -> Iterator[bytes]:
    with closing(_open_text(shard)) as text:
        position = text.begin
        for block, n_used in _cut_blocks(text, block_bytes):
            valid = _check(block, position, shard)
            if len(valid) <= block_bytes:
                yield valid
            else:  # replacements are longer than what they replace
                yield from (piece for piece, _ in _cut_blocks(io.BytesIO(valid), block_bytes))
            position += n_used
            progress.reach(text.n_disk_bytes())
    progress.finish()


def _cut_blocks(text: io.RawIOBase | io.BytesIO, limit: int) -> Iterator[tuple[bytes, int]]:
    """Blocks of whole lines of at most `limit` bytes, each with the number of bytes of text it stands for.

    The buffer begins with the beginning of a line, or of the next piece of one, that has not ended so far.
    """
    buffer = bytearray(limit)
    view = memoryview(buffer)
    n_held = 0
    while n_new := _fill(text, view[n_held : n_held + _BLOCK_BYTES]):
        n_full = n_held + n_new
        n_used = buffer.rfind(b"\n", n_held, n_full) + 1
        end = b""
        if not n_used and n_full == limit:
            n_used, end = _cut_line(buffer)
        if n_used:
            yield bytes(view[:n_used]) + end, n_used
        n_held = n_full - n_used
        view[:n_held] = view[n_used:n_full]
    if n_held:
        yield bytes(view[:n_held]) + b"\n", n_held


def _cut_line(buffer: bytearray) -> tuple[int, bytes]:
    """Where to cut a line that fills the buffer, and what the piece before the cut has to end in."""
    if n_used := _break_at_space(buffer):
        return n_used, b""
    end = len(buffer) - 1
    while end > len(buffer) - 4 and buffer[end] & 0b1100_0000 == 0b1000_0000:  # inside a character
        end -= 1
    return end, b"\n"


def _break_at_space(buffer: bytearray) -> int:
    """Make a line feed of the last white space; where the next piece begins, or 0 if there is none."""
    last = -1
    for mark in _WHITE_SPACE:
        last = max(last, buffer.rfind(mark, last + 1))
    if last >= 0:
        buffer[last] = _LINE_FEED
    return last + 1


def _check(block: bytes, position: int, shard: Shard) -> bytes:
    """The block as valid UTF-8, without a byte-order mark; `position` is where it stands in the file's text."""
    if (nul := block.find(b"\0")) >= 0:
        raise InputError(
            f"{shard.name} is not plain text: it holds a NUL byte at byte {position + nul:,}; pass plain text in UTF-8."
        )
    if (broken := _first_broken(block)) >= 0:
        if not shard.replace_invalid:
            raise InputError(
                f"{shard.name} is not valid UTF-8: byte {position + broken:,} is 0x{block[broken]:02x}; convert the "
                "file (iconv -t UTF-8) or pass replace_invalid=True to read a replacement character there."
            )
        block = block.decode("utf-8", "replace").encode()
    return block.removeprefix(codecs.BOM_UTF8) if position == 0 else block


def _first_broken(block: bytes) -> int:
    """Where the UTF-8 of a block that ends in a line feed is broken, or -1."""
    view = memoryview(block)
    position = 0
    while position < len(block):
        try:
            position += codecs.utf_8_decode(view[position : position + _DECODE_BYTES], "strict", False)[1]
        except UnicodeDecodeError as error:
            return position + error.start
    return -1

"""Texts, files and measurements that several test modules share."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from wordatoms.engine.threads import make_batches
from wordatoms.progress import Display, TextCallback
from wordatoms.text.corpus import Corpus, open_corpus

POEM = "The spring ran dry.\nA tie — won by a head.\n\nÄrger mit dem Böcklein\r\nлуна\n".encode()

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
}
every_compression = pytest.mark.parametrize("compression", COMPRESSORS)


slow = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def texts_of(words: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Short texts of several lines, never without a word."""
    lines = st.lists(words, max_size=12).map(" ".join)
    return st.lists(lines, min_size=1, max_size=8).map("\n".join).filter(lambda text: bool(text.strip()))


def as_corpus(text: str, folder: Path, **options: int) -> Corpus:
    return open_corpus([write(folder / "text.txt", text.encode())], work=folder, **options)


def write(path: Path, content: bytes = POEM) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def many_lines(n_bytes: int) -> bytes:
    lines = (f"line {number} of a text that is long enough\n".encode() for number in range(n_bytes // 30))
    return b"".join(lines)[:n_bytes]


@contextmanager
def memory_below(n_bytes: int) -> Iterator[None]:
    """Fail if more than `n_bytes` of memory are taken inside."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < n_bytes
    finally:
        tracemalloc.stop()


class Reporting(Display):
    """A display that hands what passes over text report to a function."""

    def __init__(self, report: TextCallback | None) -> None:
        super().__init__(quiet=True)
        self.report = report or (lambda *_: None)

    @contextmanager
    def text_bar(self, step: str, *, n_bytes: int | None) -> Iterator[TextCallback]:  # noqa: ARG002
        self.n_bytes = n_bytes
        yield self.report


class ParcelEngine:
    """An engine that sends everything through pickle, as one with other machines does."""

    n_workers = 2
    is_remote = True

    def run(self, work, shards, ledger, *, batch_bytes, report=None):  # type: ignore[no-untyped-def]
        report = report or (lambda *_: None)
        parcels = []
        for batch in reversed(make_batches(shards, batch_bytes)):
            pieces = _sent(work)(batch, report, None)
            parcels.append(_sent(work).split(work.add(pieces), 3))
        sums = [work.add([_sent(pieces[slot]) for pieces in parcels]) for slot in range(len(parcels[0]))]
        return ledger.enter(shards, sums)

    def map(self, function, items):  # type: ignore[no-untyped-def]
        return [_sent(_sent(function)(_sent(item))) for item in items]


def _sent(something):  # type: ignore[no-untyped-def]
    return pickle.loads(pickle.dumps(something))

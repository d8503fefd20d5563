"""Random occurrences of all words, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from wordatoms.contexts.occurrences import Occurrences, hash_bounds, sampled_occurrences
from wordatoms.errors import InputError
from wordatoms.run import Run
from wordatoms.text.corpus import open_corpus

LINES = ["a b c a", "", "unknown b a", "c", "b c b a c b", "ä a b ü"]
WORDS = ("a", "b", "c")


def naive_windows(lines: Sequence[str], word: str, window: int) -> set[tuple[int, ...]]:
    """All different windows of a word: the known words before and after it, -1 for none."""
    found = set()
    for line in lines:
        known = [WORDS.index(each) for each in line.split() if each in WORDS]
        for place, row in enumerate(known):
            if WORDS[row] == word and len(known) > 1:
                padded = [-1] * window + known + [-1] * window
                found.add((*padded[place : place + window], *padded[place + window + 1 : place + 2 * window + 1]))
    return found


def sample(
    path: Path, work: Path, *, n_most: int = 100, shard_bytes: int = 1 << 20, threads: int = 1, memory: int = 1 << 30
) -> Occurrences:
    corpus = open_corpus([path], work=work, shard_bytes=shard_bytes)
    counts = np.array([path.read_text().split().count(word) for word in WORDS])
    with sampled_occurrences(
        corpus, WORDS, counts, n_most=n_most, window=2, keep=work, run=Run(threads, memory)
    ) as found:
        for word in range(len(WORDS)):
            found.of(word)  # mapped while the files are there
        return found


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES))
    return path


def test_all_occurrences_of_rare_words_are_kept_as_a_naive_reading_finds_them(text: Path, tmp_path: Path) -> None:
    found = sample(text, tmp_path / "work")
    for row, word in enumerate(WORDS):
        windows = found.of(row).windows
        assert {tuple(window) for window in windows.tolist()} == naive_windows(LINES, word, 2)
        assert len(windows) == len(naive_windows(LINES, word, 2))


def test_a_place_is_the_beginning_of_the_line(text: Path, tmp_path: Path) -> None:
    found, content = sample(text, tmp_path / "work"), text.read_bytes()
    for row, word in enumerate(WORDS):
        for file, offset in zip(found.of(row).files, found.of(row).offsets, strict=True):
            assert file == 0
            assert offset == 0 or content[offset - 1 : offset] == b"\n"
            assert word in content[offset:].split(b"\n")[0].decode().split()


def test_any_split_gives_the_same_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / "text.txt"
    path.write_text("\n".join(" ".join(rng.choice(WORDS, 9)) for _ in range(400)))
    whole = sample(path, tmp_path / "1", n_most=20)
    monkeypatch.setattr("wordatoms.contexts.occurrences.BATCH_BYTES", 1)  # each shard is a batch
    cut = sample(path, tmp_path / "2", n_most=20, shard_bytes=500, threads=2)
    assert len(cut.pieces) > len(whole.pieces)
    for row in range(len(WORDS)):
        assert 1 <= len(whole.of(row).windows) <= 20
        for one, other in zip(whole.of(row), cut.of(row), strict=True):
            assert (one == other).all()


def test_little_memory_gives_more_pieces_and_the_same_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.contexts.occurrences.LEAST_HELD", 10)
    monkeypatch.setattr("wordatoms.text.shards._BLOCK_BYTES", 200)
    rng = np.random.default_rng(1)
    path = tmp_path / "text.txt"
    path.write_text("\n".join(" ".join(rng.choice(WORDS, 9)) for _ in range(400)))
    much, little = sample(path, tmp_path / "1"), sample(path, tmp_path / "2", memory=1 << 10)
    assert len(little.pieces) > len(much.pieces) == 1
    for row in range(len(WORDS)):
        for one, other in zip(much.of(row), little.of(row), strict=True):
            assert (one == other).all()


def test_bounds_keep_a_little_more_than_wanted() -> None:
    bounds = hash_bounds(np.array([1, 100, 10**9]), 100)
    assert bounds[0] == bounds[1] == np.uint64(0xFFFFFFFFFFFFFFFF)
    assert float(bounds[2]) / 2**64 == pytest.approx(160 / 1e9, rel=1e-6)


def test_no_occurrences_at_all_are_refused(text: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="n_most is 0"):
        sample(text, tmp_path / "work", n_most=0)

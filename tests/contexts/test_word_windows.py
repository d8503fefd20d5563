"""Windows of many words: those that each word alone would get, pooled by their shares, and kept in a folder."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import as_corpus, slow, texts_of
from wordatoms.contexts import windows as module
from wordatoms.contexts.windows import ARRAYS, WordWindows, sample_windows, windows_of_words
from wordatoms.engine.threads import ThreadEngine
from wordatoms.errors import InputError, ModelError
from wordatoms.run import Run
from wordatoms.text.corpus import Corpus

WORDS = ["tie", "spring", "bank", "cell", "é", "a"]
texts = texts_of(st.sampled_from([*WORDS, "unknown"]))
targets = st.sets(st.integers(0, len(WORDS) - 1), min_size=1).map(sorted)


def as_bytes(windows: WordWindows) -> list[bytes]:
    return [np.asarray(getattr(windows, name)).tobytes() for name in ARRAYS]


@pytest.fixture
def sampled(tmp_path: Path) -> WordWindows:
    corpus = as_corpus("tie bank a\nbank bank\nspring tie\nbank cell tie\n", tmp_path)
    return windows_of_words(corpus, WORDS, [0, 2, 4], window=2)


@slow
@given(texts, targets, st.integers(1, 5), st.integers(1, 3), st.integers(0, 3))
def test_each_target_has_the_windows_it_would_get_alone(
    tmp_path: Path, text: str, rows: list[int], n_windows: int, window: int, seed: int
) -> None:
    corpus = as_corpus(text, tmp_path)
    chosen = {"n_windows": n_windows, "window": window, "random_state": seed}
    found = windows_of_words(corpus, WORDS, rows, **chosen)
    for row in rows:
        assert found.of(row).tolist() == sample_windows(corpus, WORDS, target=row, **chosen).tolist()


@slow
@given(texts, targets, st.randoms(use_true_random=False), st.integers(1, 40), st.integers(1, 3))
def test_same_windows_for_any_split_and_order(
    tmp_path: Path, text: str, rows: list[int], shuffle: random.Random, shard_bytes: int, threads: int
) -> None:
    whole = as_corpus(text, tmp_path)
    expected = windows_of_words(whole, WORDS, rows, n_windows=3, window=2, run=Run(engine=ThreadEngine(1)))
    pieces = list(as_corpus(text, tmp_path, shard_bytes=shard_bytes).shards)
    shuffle.shuffle(pieces)
    split = Corpus(shards=tuple(pieces), files=whole.files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BATCH_BYTES", 30)
        patch.setattr(module, "MERGED_AT_ONCE", 2)
        for engine in (ThreadEngine(threads),):
            found = windows_of_words(split, WORDS, rows, n_windows=3, window=2, run=Run(engine=engine))
            assert as_bytes(found) == as_bytes(expected)


def test_little_memory_means_few_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = as_corpus("tie bank a spring\n" * 50, tmp_path, shard_bytes=20)
    monkeypatch.setattr(module, "BATCH_BYTES", 1)
    n_batches = []

    class Watched(ThreadEngine):
        def sum(self, work, batches, add, report=None):  # type: ignore[no-untyped-def]
            n_batches.append(len(batches))
            return super().sum(work, batches, add, report)

    for memory in (1, 1 << 30):
        windows_of_words(corpus, WORDS, [0], run=Run(memory=memory, engine=Watched(2)))
    assert n_batches[0] <= 2 < n_batches[1]


def test_forms_are_pooled_by_their_shares(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = [
        " ".join(WORDS[k] for k in rng.choice(6, size=12, p=[0.3, 0.1, 0.15, 0.15, 0.15, 0.15])) for _ in range(400)
    ]
    found = windows_of_words(as_corpus("\n".join(lines), tmp_path), WORDS, [0, 1, 2], n_windows=300, window=4)
    assert [len(found.of(row)) for row in (0, 1)] == [300, 300]
    pooled = found.pooled([0, 1])
    assert len(pooled) == 300
    assert (pooled[:, 4] == 0).mean() == pytest.approx(0.75, abs=0.08)
    assert len(found.pooled([0, 1], n_most=10)) == 10
    assert found.pooled([1]).tolist() == found.of(1).tolist()
    assert found.pooled([]).shape == (0, 9)


def test_words_without_windows(sampled: WordWindows) -> None:
    assert len(sampled.of(4)) == 0
    assert 4 in sampled
    assert 1 not in sampled
    assert repr(sampled) == "WordWindows(3 words, 7 windows of 2 words on each side)"
    with pytest.raises(InputError, match="row 1 is none of the 3 targets"):
        sampled.of(1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"targets": []}, r"of shape \(0,\)"),
        ({"targets": [0.5]}, "the targets are float64"),
        ({"targets": [-1]}, "go from -1 to -1"),
        ({"targets": [6]}, "rows of the 6 words"),
        ({"n_windows": 0}, "n_windows is 0"),
        ({"window": 0}, "window is 0"),
    ],
)
def test_bad_parameters(tmp_path: Path, given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        windows_of_words(as_corpus("tie bank\n", tmp_path), WORDS, **{"targets": [0], **given})  # type: ignore[arg-type]


# --- files


def test_saved_and_loaded(tmp_path: Path, sampled: WordWindows) -> None:
    sampled.save(tmp_path / "windows")
    loaded = WordWindows.load(tmp_path / "windows")
    assert as_bytes(loaded) == as_bytes(sampled)
    assert (loaded.n_most, loaded.words_digest) == (sampled.n_most, sampled.words_digest)
    assert loaded.pooled([0, 2]).tolist() == sampled.pooled([0, 2]).tolist()


def _damaged(array: np.ndarray, name: str) -> np.ndarray:
    changed = array.copy()
    if name == "windows":
        changed[0, 2] = 5  # no longer the target
    else:
        changed[-1] = changed[0]
    return changed


@pytest.mark.parametrize("name", ARRAYS)
def test_damaged_files_are_refused(tmp_path: Path, sampled: WordWindows, name: str) -> None:
    path = tmp_path / f"word-windows-{name}.npy"
    for damage in (
        lambda array: _damaged(array, name),
        lambda array: array[:-1],
        lambda array: array.astype(np.float32),
    ):
        sampled.save(tmp_path)
        np.save(path, damage(getattr(sampled, name)))
        with pytest.raises(ModelError, match="sample"):
            WordWindows.load(tmp_path)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"n_targets": "x"}'])
def test_a_broken_description_is_refused(tmp_path: Path, sampled: WordWindows, content: bytes) -> None:
    sampled.save(tmp_path)
    (tmp_path / WordWindows.FILE).write_bytes(content)
    with pytest.raises(ModelError, match="sample them again"):
        WordWindows.load(tmp_path)


@pytest.mark.parametrize("change", [{"n_targets": -1}, {"window": 10**30}, {"n_most": 0}, {"n_windows": 3}])
def test_a_description_that_does_not_fit_is_refused(
    tmp_path: Path, sampled: WordWindows, change: dict[str, int]
) -> None:
    sampled.save(tmp_path)
    facts = json.loads((tmp_path / WordWindows.FILE).read_bytes())
    (tmp_path / WordWindows.FILE).write_text(json.dumps({**facts, **change}))
    with pytest.raises(ModelError, match="sample"):
        WordWindows.load(tmp_path)

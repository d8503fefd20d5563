"""Random windows: those of the text, evenly drawn, and the same ones for any split."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive_contexts as naive
from wordatoms.contexts import windows as windows_module
from wordatoms.contexts.windows import sample_windows
from wordatoms.engine.threads import ThreadEngine
from wordatoms.errors import InputError
from wordatoms.run import Run
from wordatoms.text.corpus import Corpus, open_corpus
from wordatoms.text.tokenizer import Tokenizer

WORDS = ["tie", "spring", "bank", "cell", "é", "a"]
lines = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=12).map(" ".join)
texts = st.lists(lines, min_size=1, max_size=8).map("\n".join).filter(lambda text: text.strip())
slow = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_corpus(text: str, folder: Path, **options: int) -> Corpus:
    (folder / "text.txt").write_text(text, "utf-8")
    return open_corpus([folder / "text.txt"], work=folder, **options)


def padded_windows(text: str, window: int) -> set[tuple[int, ...]]:
    return {
        (*[-1] * (window - len(before)), *before, row, *after, *[-1] * (window - len(after)))
        for before, row, after in naive.windows(text, WORDS, window, Tokenizer())
    }


@slow
@given(texts, st.integers(1, 5))
def test_a_large_sample_is_every_window_once(tmp_path: Path, text: str, window: int) -> None:
    found = sample_windows(as_corpus(text, tmp_path), WORDS, window=window)
    assert {*map(tuple, found.tolist())} == padded_windows(text, window)
    assert len(found) == len(padded_windows(text, window))


@slow
@given(texts, st.randoms(use_true_random=False), st.integers(1, 40), st.integers(1, 3))
def test_same_windows_for_any_split_and_order(
    tmp_path: Path, text: str, shuffle: random.Random, shard_bytes: int, threads: int
) -> None:
    whole = as_corpus(text, tmp_path)
    pieces = list(as_corpus(text, tmp_path, shard_bytes=shard_bytes).shards)
    shuffle.shuffle(pieces)
    split = Corpus(shards=tuple(pieces), files=whole.files)
    expected = sample_windows(whole, WORDS, n_windows=5, window=2, run=Run(engine=ThreadEngine(1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows_module, "BATCH_BYTES", 30)
        found = sample_windows(split, WORDS, n_windows=5, window=2, run=Run(engine=ThreadEngine(threads)))
    assert found.tobytes() == expected.tobytes()


def test_windows_are_drawn_evenly(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    text = "\n".join(" ".join(WORDS[k] for k in rng.integers(6, size=30)) for _ in range(200))
    corpus = as_corpus(text, tmp_path)
    drawn = sample_windows(corpus, WORDS, n_windows=2000, window=3)
    assert len(np.unique(drawn, axis=0)) == 2000
    shares = np.bincount(drawn[:, 3], minlength=6) / 2000
    assert np.abs(shares - 1 / 6).max() < 0.04
    other_seed = sample_windows(corpus, WORDS, n_windows=2000, window=3, random_state=1)
    assert 100 < len({*map(bytes, drawn)} & {*map(bytes, other_seed)}) < 1500


def test_windows_around_one_word(tmp_path: Path) -> None:
    corpus = as_corpus("tie bank a\nbank bank\nspring tie\n", tmp_path)
    found = sample_windows(corpus, WORDS, window=1, target=WORDS.index("bank"))
    assert sorted(found.tolist()) == [[-1, 2, 2], [0, 2, 5], [2, 2, -1]]
    assert len(sample_windows(corpus, WORDS, window=1, target=WORDS.index("é"))) == 0


def test_bad_parameters(tmp_path: Path) -> None:
    corpus = as_corpus("tie bank\n", tmp_path)
    with pytest.raises(InputError, match="n_windows is 0"):
        sample_windows(corpus, WORDS, n_windows=0)
    with pytest.raises(InputError, match="window is 1,001"):
        sample_windows(corpus, WORDS, window=1001)

"""Average contexts: the naive twin, a planted truth, and the same bytes for any split, engine and memory."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_contexts as naive
from samples import ParcelEngine, Reporting, as_corpus, slow, texts_of
from wordatoms.contexts import averages as contexts_module
from wordatoms.contexts.averages import (
    MOST_BITS,
    MOST_CONTEXTS,
    ContextAverages,
    ContextSums,
    context_sums,
    fixed_point_scale,
    reciprocals,
    to_fixed_point,
)
from wordatoms.engine.threads import ThreadEngine
from wordatoms.errors import InputError, ModelError
from wordatoms.run import Run
from wordatoms.text.corpus import Corpus
from wordatoms.text.tokenizer import Tokenizer

WORDS = ["tie", "spring", "bank", "cell", "é", "a"]
VECTORS = np.random.default_rng(0).normal(size=(len(WORDS), 5)).astype(np.float32)
tokens = st.sampled_from([*WORDS, "Tie", "unknown", "1990"])
texts = texts_of(tokens)


def as_bytes(sums: ContextSums) -> bytes:
    return b"".join(array.tobytes() for array in (sums.outside, sums.inside, sums.n_contexts))


@slow
@given(texts, st.integers(1, 14), st.booleans())
def test_naive_twin(tmp_path: Path, text: str, window: int, include_target: bool) -> None:
    sums = context_sums(as_corpus(text, tmp_path), WORDS, VECTORS, window=window, inside=True)
    scale = fixed_point_scale(VECTORS, window)
    common = {"include_target": include_target, "tokenizer": Tokenizer()}
    expected = naive.fixed_point_sums(
        text, WORDS, to_fixed_point(VECTORS, scale).tolist(), reciprocals(window).tolist(), window, **common
    )
    assert (sums.inside if include_target else sums.outside).tolist() == expected
    exact_vectors = [[Fraction(float(number)) for number in row] for row in VECTORS]
    averages, numbers = naive.context_averages(text, WORDS, exact_vectors, window, **common)
    assert sums.n_contexts.tolist() == numbers
    assert np.allclose(sums.averages(include_target=include_target), np.array(averages, float), atol=1e-6)


@slow
@given(texts, st.randoms(use_true_random=False), st.integers(1, 40), st.integers(1, 3), st.sampled_from([250, 1 << 30]))
def test_same_bytes_for_any_split_order_threads_and_memory(
    tmp_path: Path, text: str, shuffle: random.Random, shard_bytes: int, threads: int, memory: int
) -> None:
    whole = as_corpus(text, tmp_path)
    pieces = list(as_corpus(text, tmp_path, shard_bytes=shard_bytes).shards)
    shuffle.shuffle(pieces)
    split = Corpus(shards=tuple(pieces), files=whole.files)
    options = {"window": 3, "inside": True}
    reference = context_sums(whole, WORDS, VECTORS, run=Run(engine=ThreadEngine(1)), **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contexts_module, "BATCH_BYTES", 30)
        patch.setattr(contexts_module, "MOST_BATCH_BYTES", 60)
        again = context_sums(
            split, WORDS, VECTORS, run=Run(engine=ThreadEngine(threads), memory=threads * memory), **options
        )
    assert as_bytes(again) == as_bytes(reference)


def test_planted_averages(tmp_path: Path) -> None:
    """Each word stands between two others only, so that its average is known."""
    words = ["sun", "moon", "star", "sky"]
    vectors = np.eye(4, dtype=np.float32)
    sums = context_sums(as_corpus("sun moon star\n" * 3 + "sky\n", tmp_path), words, vectors, window=2, inside=True)
    assert sums.n_contexts.tolist() == [3, 3, 3, 0]
    outside = [[0, 1 / 2, 1 / 2, 0], [1 / 2, 0, 1 / 2, 0], [1 / 2, 1 / 2, 0, 0], [0, 0, 0, 0]]
    assert np.allclose(sums.averages(), outside, atol=1e-7)
    assert np.allclose(sums.averages(include_target=True)[:3], [[1 / 3, 1 / 3, 1 / 3, 0]] * 3, atol=1e-7)


def test_unknown_words_are_dropped_before_distances_are_counted(tmp_path: Path) -> None:
    vectors = np.eye(2, dtype=np.float32)
    sums = context_sums(as_corpus("sun x y z moon\nsun\nmoon\n", tmp_path), ["sun", "moon"], vectors, window=1)
    assert sums.n_contexts.tolist() == [1, 1]
    assert sums.averages().tolist() == [[0, 1], [1, 0]]


def test_sums_of_parts_add_up(tmp_path: Path) -> None:
    first, second = "tie bank tie\n", "spring bank\ntie a\n"
    whole = context_sums(as_corpus(first + second, tmp_path), WORDS, VECTORS)
    parts = [context_sums(as_corpus(text, tmp_path), WORDS, VECTORS) for text in (first, second)]
    assert as_bytes(parts[0] + parts[1]) == as_bytes(whole)
    with pytest.raises(InputError, match="same"):
        whole + context_sums(as_corpus(first, tmp_path), WORDS, VECTORS, window=3)
    with pytest.raises(InputError, match="without that average"):
        whole.averages(include_target=True)


@pytest.mark.parametrize("window", [1, 10, 1000])
def test_nothing_overflows(window: int) -> None:
    """The largest sums that can be, in Python's integers."""
    vectors = np.array([[0.7, -3.99], [1e-3, 2.0]], np.float32)
    rows = to_fixed_point(vectors, fixed_point_scale(vectors, window))
    n_most = 2 * window + 1
    largest = int(np.abs(rows).max())
    assert largest <= 1 << MOST_BITS
    assert n_most * largest < 1 << 31
    mean = max((n * largest * int(reciprocals(window)[n]) + (1 << 31)) >> 32 for n in range(1, n_most + 1))
    assert mean * 300_000_000_000 < 1 << 63
    assert mean * (MOST_CONTEXTS - 1) < 1 << 63


def test_extreme_vectors(tmp_path: Path) -> None:
    corpus = as_corpus("tie bank\n", tmp_path)
    for size in (0, 1e-38, 1e38):
        vectors = np.full((2, 3), size, np.float32)
        averages = context_sums(corpus, ["tie", "bank"], vectors).averages()
        assert np.allclose(averages, vectors, rtol=1e-6, atol=1e-36)
    with pytest.raises(InputError, match="NaN"):
        context_sums(corpus, ["tie"], np.array([[np.nan]]))


def test_another_engine_runs_the_same_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contexts_module, "BATCH_BYTES", 100)
    corpus = as_corpus("\n".join(f"tie bank a {WORDS[k % 6]}" for k in range(90)), tmp_path, shard_bytes=50)
    here = context_sums(corpus, WORDS, VECTORS, run=Run(engine=ThreadEngine(1)))
    assert as_bytes(context_sums(corpus, WORDS, VECTORS, run=Run(engine=ParcelEngine()))) == as_bytes(here)


def test_the_bar_of_several_passes_reaches_its_end(tmp_path: Path) -> None:
    corpus = as_corpus("tie bank a\n" * 50, tmp_path)
    for memory, n_passes in ((1 << 30, 1), (200, 3)):
        read: list[int] = []
        display = Reporting(lambda n_bytes, _n_tokens, read=read: read.append(n_bytes))
        context_sums(corpus, WORDS, VECTORS, run=Run(engine=ThreadEngine(1), memory=memory, progress=display))
        assert display.n_bytes == sum(read) == n_passes * corpus.n_bytes


def test_bad_parameters(tmp_path: Path) -> None:
    corpus = as_corpus("tie bank\n", tmp_path)
    for window in (0, 1001):
        with pytest.raises(InputError, match="window is"):
            context_sums(corpus, WORDS, VECTORS, window=window)
    with pytest.raises(InputError, match="one per word"):
        context_sums(corpus, WORDS[:2], VECTORS)
    with pytest.raises(InputError, match="too little"):
        context_sums(corpus, WORDS, VECTORS, run=Run(memory=20, engine=ThreadEngine(1)))


# --- files


def test_save_and_load_are_inverse(tmp_path: Path) -> None:
    sums = context_sums(as_corpus("tie bank\n", tmp_path), WORDS, VECTORS)
    saved = ContextAverages(sums.averages(), sums.n_contexts, 10)
    saved.save(tmp_path)
    loaded = ContextAverages.load(tmp_path)
    assert loaded.averages.tobytes() == saved.averages.tobytes()
    assert loaded.n_contexts.tolist() == saved.n_contexts.tolist()
    assert (loaded.window, loaded.include_target, len(loaded)) == (10, False, 6)
    assert repr(loaded) == "ContextAverages(6 words, 2 contexts, window 10)"


@pytest.mark.parametrize("damage", ["missing", "short", "shape", "infinite", "description"])
def test_damaged_files_are_refused(tmp_path: Path, damage: str) -> None:
    ContextAverages(VECTORS, np.ones(6, np.int64), 10).save(tmp_path)
    path = tmp_path / "contexts-averages.npy"
    if damage == "missing":
        path.unlink()
    elif damage == "short":
        path.write_bytes(path.read_bytes()[:-3])
    elif damage == "description":
        (tmp_path / "contexts.json").write_text('{"n_words": "many"}')
    else:
        np.save(path, VECTORS[:3] if damage == "shape" else np.full_like(VECTORS, np.inf))
    with pytest.raises(ModelError):
        ContextAverages.load(tmp_path)

"""Exact counts: the naive twin, and the same bytes for any split, order, thread number and memory."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_counts
from samples import ParcelEngine, as_corpus, slow, texts_of
from wordatoms.counts import cooccurrence as counts_module
from wordatoms.counts.cooccurrence import Counts, count_pairs, integer_weights
from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.engine.threads import Engine, ThreadEngine, make_batches
from wordatoms.errors import InputError, ModelError
from wordatoms.run import Run
from wordatoms.text.corpus import Corpus, Shard
from wordatoms.text.tokenizer import Tokenizer

words = st.sampled_from(["tie", "Tie", "spring", "bank", "cell", "é", "a", "b", "1990"])
texts = texts_of(words)


def digest(counts: Counts) -> str:
    parts = [counts.indptr, counts.indices, counts.values, counts.vocabulary.counts]
    joined = "\n".join(counts.vocabulary.words).encode() + b"".join(
        np.ascontiguousarray(part).tobytes() for part in parts
    )
    return hashlib.sha256(joined).hexdigest()


@slow
@given(
    texts,
    st.integers(1, 4),
    st.sampled_from(["harmonic", "flat"]),
    st.integers(1, 3),
    st.sampled_from([None, 2, 5]),
)
def test_naive_twin(
    tmp_path: Path, text: str, window: int, weighting: str, min_count: int, max_words: int | None
) -> None:
    expected_words = naive_counts.rank_words(text, min_count, max_words, Tokenizer())
    corpus = as_corpus(text, tmp_path)
    if not expected_words:
        with pytest.raises(InputError, match="occurs"):
            build_vocabulary(corpus, min_count=min_count, max_words=max_words)
        return
    vocabulary = build_vocabulary(corpus, min_count=min_count, max_words=max_words)
    assert list(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)) == expected_words
    assert vocabulary.n_tokens == len(Tokenizer().tokens(text))
    counts = count_pairs(corpus, vocabulary, window=window, weighting=weighting)
    expected = naive_counts.count_pairs(text, list(vocabulary.words), window, weighting, Tokenizer())
    assert as_dictionary(counts) == {pair: value * counts.unit for pair, value in expected.items()}
    sums = np.zeros(len(vocabulary), np.int64)
    for (row, column), value in expected.items():
        sums[row] += int(value * counts.unit)
        sums[column] += int(value * counts.unit) if column != row else 0
    assert counts.row_sums.tolist() == sums.tolist()


def as_dictionary(counts: Counts) -> dict[tuple[int, int], int]:
    rows = np.repeat(np.arange(len(counts)), np.diff(counts.indptr))
    return dict(zip(zip(rows.tolist(), counts.indices.tolist(), strict=True), counts.values.tolist(), strict=True))


@slow
@given(
    texts,
    st.randoms(use_true_random=False),
    st.integers(1, 40),
    st.integers(1, 3),
    st.booleans(),
)
def test_same_bytes_for_any_split_order_threads_and_memory(
    tmp_path: Path, text: str, random: object, shard_bytes: int, threads: int, tight: bool
) -> None:
    whole = as_corpus(text, tmp_path)
    pieces = list(as_corpus(text, tmp_path, shard_bytes=shard_bytes).shards)
    random.shuffle(pieces)  # type: ignore[attr-defined]
    split = Corpus(shards=tuple(pieces), files=whole.files)
    reference = digest(_counted(whole, ThreadEngine(1)))
    with pytest.MonkeyPatch.context() as patch:
        if tight:  # every line its own chunk, every few rows their own buffer and merge
            patch.setattr(counts_module, "SMALLEST_MEMORY", 0)
            patch.setattr(counts_module, "MAX_PARAGRAPH_BYTES", 60)
        memory = 400 if tight else 1 << 30
        assert digest(_counted(split, ThreadEngine(threads), memory)) == reference


def _counted(corpus: Corpus, engine: ThreadEngine, memory: int = 1 << 30) -> Counts:
    vocabulary = build_vocabulary(corpus, min_count=1, run=Run(engine=engine, memory=memory))
    return count_pairs(corpus, vocabulary, window=3, run=Run(engine=engine, memory=memory))


def test_small_batches_give_the_same_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"w{k % 7} w{k % 5} w{k % 11} w{k % 3}" for k in range(400))
    corpus = as_corpus(text, tmp_path, shard_bytes=50)
    reference = digest(_counted(corpus, ThreadEngine(2)))
    for module in ("wordatoms.counts.cooccurrence", "wordatoms.counts.vocabulary"):
        monkeypatch.setattr(f"{module}.BATCH_BYTES", 100)
    assert digest(_counted(corpus, ThreadEngine(2))) == reference


def test_another_engine_runs_the_same_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("wordatoms.counts.cooccurrence", "wordatoms.counts.vocabulary"):
        monkeypatch.setattr(f"{module}.BATCH_BYTES", 100)
    corpus = as_corpus("\n".join(f"w{k % 7} w{k % 5} new york w{k % 3}" for k in range(100)), tmp_path, shard_bytes=50)
    tokenizer = Tokenizer(phrases=("new york",))

    def counted(engine: Engine) -> Counts:
        vocabulary = build_vocabulary(corpus, tokenizer=tokenizer, min_count=1, run=Run(engine=engine))
        return count_pairs(corpus, vocabulary, tokenizer=tokenizer, run=Run(engine=engine))

    assert digest(counted(ParcelEngine())) == digest(counted(ThreadEngine(1)))


def test_worked_example(tmp_path: Path) -> None:
    corpus = as_corpus("a b a\nb b\n", tmp_path)
    counts = count_pairs(corpus, build_vocabulary(corpus, min_count=1), window=2)
    assert counts.unit == 2
    assert counts["a", "b"] == counts["b", "a"] == 2.0
    assert counts["a", "a"] == 2 * 0.5  # both see each other, at distance 2
    assert counts["b", "b"] == 2.0


def test_save_and_load_are_inverse(tmp_path: Path) -> None:
    corpus = as_corpus("the tie of the bank\nthe spring\n", tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    counts = count_pairs(corpus, build_vocabulary(corpus, min_count=1))
    counts.save(folder)
    loaded = Counts.load(folder)
    assert digest(loaded) == digest(counts)
    assert (loaded.window, loaded.weighting, loaded.unit) == (10, "harmonic", 2520)
    written = count_pairs(corpus, counts.vocabulary, folder=folder)
    assert digest(written) == digest(counts)
    assert not list(folder.glob(".spill*"))


@pytest.mark.parametrize("damage", ["missing", "short", "swapped", "description"])
def test_damaged_counts_are_refused(tmp_path: Path, damage: str) -> None:
    corpus = as_corpus("the tie of the bank\n", tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    count_pairs(corpus, build_vocabulary(corpus, min_count=1)).save(folder)
    values = folder / "counts-values.npy"
    actions: dict[str, Callable[[], object]] = {
        "missing": values.unlink,
        "short": lambda: values.write_bytes(values.read_bytes()[:-3]),
        "swapped": lambda: values.write_bytes((folder / "counts-indptr.npy").read_bytes()),
        "description": lambda: (folder / "counts.json").write_text("{}"),
    }
    actions[damage]()
    with pytest.raises(ModelError, match="again"):
        Counts.load(folder)


def test_windows_that_could_overflow_are_refused() -> None:
    assert integer_weights(20, "harmonic", 5 * 10**9)[0] == 232792560
    with pytest.raises(InputError, match="smaller window"):
        integer_weights(40, "harmonic", 10**8)
    with pytest.raises(InputError, match="window is 0"):
        integer_weights(0, "harmonic", 1)
    with pytest.raises(InputError, match="harmonic or flat"):
        integer_weights(5, "square", 1)


def test_too_little_memory_is_refused(tmp_path: Path) -> None:
    corpus = as_corpus("a b\n", tmp_path)
    with pytest.raises(InputError, match="64M"):
        count_pairs(corpus, build_vocabulary(corpus, min_count=1), run=Run(memory=1000))


def test_many_small_files_share_a_batch() -> None:
    shards = [Shard(path=str(number), start=0, stop=10) for number in range(10)]
    batches = make_batches(shards, 25)
    assert [len(batch) for batch in batches] == [3, 3, 3, 1]


def test_phrases_are_counted_as_words(tmp_path: Path) -> None:
    corpus = as_corpus("new york is new\nin new york\n", tmp_path)
    tokenizer = Tokenizer(phrases=("new york",))
    vocabulary = build_vocabulary(corpus, tokenizer=tokenizer, min_count=1)
    assert vocabulary.words == ("new_york", "in", "is", "new")
    counts = count_pairs(corpus, vocabulary, tokenizer=tokenizer)
    assert counts["new_york", "is"] == 1.0
    assert counts["new_york", "new"] == 0.5


def test_failing_shard_stops_the_others_and_leaves_nothing(tmp_path: Path) -> None:
    corpus = as_corpus("a b c\n" * 100, tmp_path, shard_bytes=60)
    vocabulary = build_vocabulary(corpus, min_count=1)
    broken = Corpus(shards=(*corpus.shards, Shard(path=str(tmp_path / "gone.txt"), stop=10)), files=corpus.files)
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises((InputError, OSError), match=r"gone\.txt"):
        count_pairs(broken, vocabulary, folder=folder)
    assert not list(folder.iterdir())


def test_vocabulary_rows_and_probabilities(tmp_path: Path) -> None:
    vocabulary = build_vocabulary(as_corpus("b a a c\n", tmp_path), min_count=1, max_words=2)
    assert vocabulary.words == ("a", "b")
    assert vocabulary["b"] == 1
    assert vocabulary.p_word.tolist() == [0.5, 0.25]
    assert "c" not in vocabulary
    with pytest.raises(KeyError, match="2 words of the vocabulary"):
        vocabulary["zebra"]
    vocabulary.save(tmp_path)
    assert Vocabulary.load(tmp_path).words == vocabulary.words


def test_line_with_one_token_per_byte_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_module, "SMALLEST_MEMORY", 0)
    monkeypatch.setattr(counts_module, "MAX_PARAGRAPH_BYTES", 4000)
    corpus = as_corpus("a1" * 2000, tmp_path)
    counts = count_pairs(
        corpus, build_vocabulary(corpus, min_count=1), window=1, run=Run(memory=0, engine=ThreadEngine(1))
    )
    assert counts["a", "1"] == 3999.0


def test_many_words_of_equal_count_are_cut_at_the_limit(tmp_path: Path) -> None:
    words = [f"{a}{b}{c}" for a in "abcdefghij" for b in "abcdefghij" for c in "abcdefghij"]
    vocabulary = build_vocabulary(as_corpus(" ".join(reversed(words)), tmp_path), min_count=1, max_words=30)
    assert list(vocabulary.words) == words[:30]

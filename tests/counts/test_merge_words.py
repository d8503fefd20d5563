"""Merged counts against counts of the merged text, and what cannot be merged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive_factor import random_counts
from naive_pseudowords import merge_text
from wordatoms.counts import merge_words as merging_module
from wordatoms.counts.cooccurrence import Counts, count_pairs
from wordatoms.counts.merge_words import Merging, draw_pairs, merge_counts, merge_lines
from wordatoms.counts.vocabulary import Vocabulary, build_vocabulary
from wordatoms.errors import InputError
from wordatoms.text.corpus import open_corpus
from wordatoms.text.tokenizer import Tokenizer

lines = st.lists(st.sampled_from(list("abcdefg")), min_size=1, max_size=12).map(" ".join)
texts = st.lists(lines, min_size=1, max_size=6).map("\n".join).filter(lambda text: len(set(text.split())) > 3)


def count_text(text: str, folder: Path, weighting: str, words: int | None = None) -> Counts:
    (folder / "text.txt").write_text(text, "utf-8")
    corpus = open_corpus([folder / "text.txt"], work=folder)
    tokenizer = Tokenizer(pretokenized=True)
    vocabulary = build_vocabulary(corpus, tokenizer=tokenizer, min_count=1, max_words=words)
    return count_pairs(corpus, vocabulary, tokenizer=tokenizer, window=3, weighting=weighting)


def assert_equal(ours: Counts, expected: Counts) -> None:
    assert ours.vocabulary.words == expected.vocabulary.words
    for name in ("indptr", "indices", "values"):
        assert getattr(ours, name).tolist() == getattr(expected, name).tolist()
        assert getattr(ours, name).dtype == getattr(expected, name).dtype
    assert ours.vocabulary.counts.tolist() == expected.vocabulary.counts.tolist()
    assert (ours.facts, ours.vocabulary.n_tokens) == (expected.facts, expected.vocabulary.n_tokens)


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts, st.sampled_from(["harmonic", "flat"]), st.integers(1, 2), st.integers(0, 99))
def test_merged_counts_are_those_of_the_merged_text(
    tmp_path: Path, text: str, weighting: str, n_pairs: int, seed: int
) -> None:
    counts = count_text(text, tmp_path, weighting)
    merging = draw_pairs(counts.vocabulary, n_pairs, random_state=seed)
    words = counts.vocabulary.words
    names = {words[row]: name for pair, name in zip(merging.pairs, merging.pseudowords, strict=True) for row in pair}
    assert_equal(merge_counts(counts, merging), count_text(merge_text(text, names), tmp_path, weighting))


def test_two_words_that_meet_count_twice_for_the_pseudoword(tmp_path: Path) -> None:
    counts = count_text("a b\na a\nb c", tmp_path, "flat")
    merged = merge_counts(counts, Merging(counts.vocabulary, np.array([[0, 1]])))
    assert merged["a+b", "a+b"] == 4
    assert merged["a+b", "c"] == 1


@pytest.mark.parametrize("rows_per_block", [1, 7, 1024])
def test_without_the_pairs_of_other_words(rows_per_block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging_module, "ROWS_PER_BLOCK", rows_per_block)
    counts = random_counts(30)
    merging = draw_pairs(counts.vocabulary, 4)
    whole, part = merge_counts(counts, merging), merge_counts(counts, merging, pseudowords_only=True)
    is_pseudoword = merging.is_pseudoword
    rows = np.repeat(np.arange(len(whole)), np.diff(whole.indptr))
    kept = is_pseudoword[rows] | is_pseudoword[whole.indices]
    assert part.indices.tolist() == whole.indices[kept].tolist()
    assert part.values.tolist() == whole.values[kept].tolist()
    assert np.flatnonzero(is_pseudoword).tolist() == sorted(merging.new_rows[merging.pairs[:, 0]])
    assert {whole.vocabulary.words[row] for row in np.flatnonzero(is_pseudoword)} == set(merging.pseudowords)


def test_nothing_to_merge_changes_nothing() -> None:
    counts = random_counts(20)
    assert_equal(merge_counts(counts, Merging(counts.vocabulary, np.empty((0, 2)))), counts)


def test_pairs_are_drawn_from_words_of_sufficient_count() -> None:
    vocabulary = Vocabulary(tuple("abcdefghij"), np.array([90, 80, 70, 60, 50, 9, 8, 7, 6, 5]), 385)
    merging = draw_pairs(vocabulary, 2, min_count=50, random_state=3)
    assert merging.pairs.max() < 5
    assert (merging.pairs[:, 0] < merging.pairs[:, 1]).all()
    assert merging.pairs.tolist() == draw_pairs(vocabulary, 2, min_count=50, random_state=3).pairs.tolist()
    assert len({tuple(draw_pairs(vocabulary, 2, random_state=seed).pairs.ravel()) for seed in range(9)}) > 5
    with pytest.raises(InputError, match="n_pairs is 3, but 5 words"):
        draw_pairs(vocabulary, 3, min_count=50)


def test_advice_on_pairs_was_a_range_without_numbers() -> None:
    vocabulary = Vocabulary(tuple("abc"), np.array([9, 8, 7]), 24)
    with pytest.raises(InputError, match="enough for 1; pass fewer pairs or a lower min_count"):
        draw_pairs(vocabulary, 2)
    with pytest.raises(InputError, match="enough for 0; pass a larger vocabulary or a lower min_count"):
        draw_pairs(vocabulary, 2, min_count=9)
    with pytest.raises(InputError, match="n_pairs is 0; pass 1 or more"):
        draw_pairs(vocabulary, 0)


def test_merges_the_words_of_lines(tmp_path: Path) -> None:
    vocabulary = Vocabulary(("tie", "bank", "été"), np.array([3, 2, 1]), 6)
    (tmp_path / "lines.txt").write_text("tie bank tie\n\nété tie bankers\n", "utf-8")
    merge_lines(tmp_path / "lines.txt", Merging(vocabulary, np.array([[0, 2]])), tmp_path / "merged.txt")
    assert (tmp_path / "merged.txt").read_text("utf-8") == "tie+été bank tie+été\n\ntie+été tie+été bankers\n"


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 0]], "'a' occurs 2 times in the pairs"),
        ([[0, 1], [1, 2]], "'b' occurs 2 times in the pairs"),
        ([[0, 4]], "outside the 4 words"),
        ([[-1, 0]], "outside the 4 words"),
    ],
)
def test_refuses_pairs(pairs: list[list[int]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Merging(Vocabulary(("a", "b", "c", "a+b"), np.array([4, 3, 2, 1]), 10), np.array(pairs))


def test_refuses_a_name_that_is_taken_and_counts_of_other_words() -> None:
    vocabulary = Vocabulary(("a", "b", "c", "a+b"), np.array([4, 3, 2, 1]), 10)
    with pytest.raises(InputError, match="'a\\+b' is already a word of the text"):
        _ = Merging(vocabulary, np.array([[0, 1]])).pseudowords
    with pytest.raises(InputError, match="another vocabulary"):
        merge_counts(random_counts(4), Merging(vocabulary, np.array([[0, 2]])))

"""Atoms beside the topics of LDA: vocabulary, coherence, names, and what the report shows of them."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

from wordatoms.documents.coherence import coherences
from wordatoms.paper.report.runner import EXHIBITS
from wordatoms.paper.tasks.topics import evaluate
from wordatoms.paper.tasks.topics.evaluate import (
    N_SHOWN,
    count_words,
    describe,
    long_paragraphs,
    make_vocabulary,
    shuffled,
    top_words,
)
from wordatoms.storage.bundled import REPRODUCED

LETTERS = [chr(97 + number) for number in range(N_SHOWN)]


def test_only_long_paragraphs_are_read() -> None:
    lines = ["a b c", "word " * evaluate.SHORTEST, "other " * evaluate.SHORTEST]
    assert [tokens[0] for tokens in long_paragraphs(lines)] == ["word", "other"]
    assert [tokens[0] for tokens in long_paragraphs(lines, 1)] == ["word"]


def test_the_vocabulary_has_known_words_of_middling_frequency(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "FEWEST", 2)
    monkeypatch.setattr(evaluate, "MOST_SHARE", 0.75)
    paragraphs = [["the", "sea", "ship"], ["the", "sea", "rare"], ["the", "sea", "ship"], ["the", "odd", "odd"]]
    assert make_vocabulary(paragraphs, {"the", "sea", "ship", "rare", "odd"}, 10) == ["sea", "ship"]
    assert make_vocabulary(paragraphs, {"ship"}, 10) == ["ship"]


def test_counts_are_of_known_words() -> None:
    counts = count_words([["a", "b", "a"], [], ["x", "b"]], ["a", "b"])
    assert counts.toarray().tolist() == [[2, 1], [0, 0], [0, 1]]


def test_coherence_is_the_mean_over_pairs() -> None:
    rng = np.random.default_rng(0)
    paragraphs = [[letter for letter in LETTERS if rng.random() < 0.4] for _ in range(50)]
    counts = count_words(paragraphs, LETTERS)
    naive = []
    for one, other in combinations(LETTERS, 2):
        p_one, p_other = (np.mean([each in words for words in paragraphs]) for each in (one, other))
        both = np.mean([one in words and other in words for words in paragraphs])
        naive.append(np.log(both / p_one / p_other) / -np.log(both) if both else -1)
    assert coherences([LETTERS], counts, LETTERS)[0] == pytest.approx(np.mean(naive))


def test_lists_are_described() -> None:
    lists = top_words(np.array([range(N_SHOWN), range(N_SHOWN)]), LETTERS)
    assert lists == [LETTERS[::-1]] * 2
    described = describe(lists, count_words([LETTERS], LETTERS), LETTERS)
    assert (described["lists"], described["diversity"], described["coherence"]) == (2, 0.5, 1)


def test_a_reader_sees_as_many_of_each_kind() -> None:
    drawn = shuffled([["t"]] * 30, [["a"]] * 25)
    assert sorted(kind for kind, _ in drawn) == ["atom"] * evaluate.N_JUDGED + ["topic"] * evaluate.N_JUDGED


def test_names_of_a_reader_are_shown_if_there_are_any() -> None:
    numbers = json.loads((REPRODUCED / "topics.json").read_text("utf-8"))["numbers"]
    named, unnamed = (EXHIBITS["topics"].figures({**numbers, "named": each})[1] for each in (numbers["named"], None))
    assert (named.by_paper, named.baseline, named.verdict_by_paper) == (1.0, 0.45, "reproduced")
    assert unnamed.verdict_by_paper == "not measured"

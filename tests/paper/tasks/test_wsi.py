"""Table 7: planted senses, the baselines, the verdict and the evidence."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.paper.tasks.wsi.data import Instance, WsiWord
from wordatoms.paper.tasks.wsi.evaluate import (
    PAPER,
    PAPER_BY_K,
    PUBLISHED,
    Method,
    baselines,
    evaluate_wsi,
    random_clusterer,
)


def word_of(lemma: str, pos: str, senses: str) -> WsiWord:
    """A word whose instances have these senses, one letter for each."""
    return WsiWord(
        lemma,
        pos,
        tuple(Instance(f"{lemma}.{pos}.{i}", Usage(("secret", lemma), 1), sense) for i, sense in enumerate(senses)),
    )


WORDS = (word_of("tie", "n", "aabbab"), word_of("lie", "v", "abbb"))
PERFECT = Method("perfect", "ours", lambda word: np.array([ord(sense) for sense in word.senses]), 2)
HALVES = Method("halves", "competitor", lambda word: [i % 2 for i in range(len(word))], 2)


def test_the_planted_senses_are_found() -> None:
    row = evaluate_wsi(WORDS, [PERFECT]).rows()[0]
    assert row["method"] == "perfect"
    scores = ("F", "V", "AVG", "F_nouns", "V_nouns", "F_verbs", "V_verbs")
    assert [row[name] for name in scores] == pytest.approx([100] * 7)
    assert row["clusters"] == 2


def test_baselines_stand_below_and_published_figures_below_them() -> None:
    result = evaluate_wsi(WORDS, [PERFECT, HALVES], random_ks=(3,))
    header, rows = result.table()
    assert header[:5] == ["method", "role", "F", "V", "AVG"]
    assert all(len(row) == len(header) for row in rows)
    names = [row[0] for row in rows]
    assert names[:5] == ["perfect", "halves", "one cluster per word", "one cluster per instance", "random, k=3"]
    assert names[5:] == [*PAPER, *PUBLISHED]
    by_name = {row["method"]: row for row in result.rows()}
    assert by_name["one cluster per word"]["V"] == by_name["one cluster per word"]["AVG"] == 0
    assert by_name["one cluster per instance"]["clusters"] == 5
    assert by_name["paper, k=2"]["AVG"] == pytest.approx(18.9, abs=0.05)


def test_averages_of_the_paper() -> None:
    assert [round(score.average, 1) for score in PAPER_BY_K.values()] == [18.9, 20.3, 22.7, 23.1]
    assert round(PUBLISHED["UoY 2010"].average, 1) == 28.0


def test_words_of_one_part_of_speech() -> None:
    row = evaluate_wsi(WORDS[:1], [PERFECT]).rows()[0]
    assert row["F_nouns"] == 100
    assert row["F_verbs"] is row["V_verbs"] is None


def test_random_clusters_depend_on_the_seed_and_the_word_alone() -> None:
    long = word_of("tie", "n", "ab" * 100)
    labels = random_clusterer(4, random_state=3)(long)
    assert set(np.unique(labels)) == {0, 1, 2, 3}
    assert np.array_equal(labels, random_clusterer(4, random_state=3)(long))
    assert not np.array_equal(labels, random_clusterer(4, random_state=4)(long))
    together, alone = evaluate_wsi(WORDS, []), evaluate_wsi(WORDS[1:], [])
    assert [each.labels[1] for each in together.scores] == [each.labels[0] for each in alone.scores]
    assert [method.k for method in baselines((2, 7))] == [1, None, 2, 7]


def test_the_verdict_takes_the_first_of_ours_for_each_k() -> None:
    poor = Method("poor", "ours", lambda word: np.zeros(len(word)), 3)
    late = Method("late", "ours", PERFECT.cluster, 3)
    by_paper = Method("as printed", "paper's method", HALVES.cluster, 2)
    verdict = evaluate_wsi(WORDS, [HALVES, poor, late, PERFECT, by_paper]).verdict
    assert "k=2: paper 18.9, its method here 24.9, ours 100.0; k=3: paper 20.3, ours 0.0;" in verdict
    assert "the best competitor here, halves, reaches" in verdict
    automatic = Method("automatic", "ours", PERFECT.cluster)
    assert "no method of ours was tried" in evaluate_wsi(WORDS, [automatic]).verdict


def test_evidence_without_text() -> None:
    result = evaluate_wsi(WORDS, [PERFECT, HALVES], random_ks=())
    written = json.dumps(result.to_json(), allow_nan=False)
    assert "secret" not in written
    read = json.loads(written)
    assert list(read) == ["scores", "baselines", "paper", "published", "verdict", "items"]
    assert list(read["scores"]) == ["perfect", "halves"]
    assert read["scores"]["perfect"]["role"] == "ours"
    assert list(read["baselines"]) == ["one cluster per word", "one cluster per instance"]
    assert read["paper"]["Mu 2016, k=5"]["F"] == 44.07
    tie = read["items"][0]
    assert (tie["lemma"], tie["pos"], tie["instances"][0]) == ("tie", "n", "tie.n.0")
    assert tie["methods"]["perfect"]["labels"] == [0, 0, 1, 1, 0, 1]
    assert tie["methods"]["one cluster per word"]["clusters"] == 1


def test_reports_each_clustering() -> None:
    seen: list[tuple[str, str]] = []
    evaluate_wsi(WORDS, [PERFECT], random_ks=(), report=lambda *step: seen.append(step))
    assert seen[:2] == [("perfect", "tie.n"), ("perfect", "lie.v")]
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("evaluate", "message"),
    [
        (lambda: evaluate_wsi([], [PERFECT]), "there are no words"),
        (lambda: evaluate_wsi(WORDS, [PERFECT, PERFECT]), "2 methods are named 'perfect'"),
        (lambda: evaluate_wsi(WORDS, [Method("x", "ours", lambda _: [0])]), r"method 'x' .*tie\.n.*shape \(1,\)"),
        (lambda: evaluate_wsi(WORDS, [Method("x", "ours", lambda w: np.zeros((len(w), 2)))]), r"shape \(6, 2\)"),
        (lambda: evaluate_wsi(WORDS, [], random_ks=(0,)), "k is 0"),
        (lambda: Method("x", "theirs", PERFECT.cluster), "role of 'x' is 'theirs'"),  # type: ignore[arg-type]
    ],
)
def test_says_what_does_not_fit(evaluate: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate()

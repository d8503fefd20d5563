from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import naive_vectors as naive
from published import data_folder, needs_data
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.similarity import analogy
from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy, read_questions

COUNTRIES = ["greece", "iraq", "china", "peru", "cuba"]
CAPITALS = ["athens", "baghdad", "beijing", "lima", "havana"]


@pytest.fixture(scope="module")
def planted() -> Embeddings:
    """A capital is its country plus one common direction; a hundred other words are noise."""
    rng = np.random.default_rng(0)
    countries = rng.normal(size=(5, 30))
    capitals = countries + rng.normal(size=30)
    others = rng.normal(size=(100, 30))
    return Embeddings([*COUNTRIES, *CAPITALS, *(f"w{i}" for i in range(100))], np.vstack([countries, capitals, others]))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "analogy" / "google"
    folder.mkdir(parents=True)
    pairs = list(zip(CAPITALS, COUNTRIES, strict=True))
    lines = [f"{a} {b} {c} {d}\n" for a, b in pairs for c, d in pairs if a != c]
    (folder / "capitals.txt").write_text("".join(lines))
    (folder / "gram1-noise.txt").write_text("w1 w2 w3 w4\nw1 w2 w3 unknown\nW5 w6 w7 W8\n")
    return tmp_path


def test_finds_a_planted_direction(planted: Embeddings, data: Path) -> None:
    scores = evaluate_analogy(planted, data).scores
    assert list(scores) == ["total", "semantic", "syntactic", "capitals", "gram1-noise"]
    assert scores["semantic"] == scores["capitals"]
    assert scores["capitals"].accuracy == 1
    assert scores["capitals"].n_questions == 20
    assert scores["syntactic"].coverage == pytest.approx(2 / 3)
    assert scores["syntactic"].accuracy == 0
    assert scores["total"].accuracy == pytest.approx(20 / 22)
    assert scores["total"].accuracy_all_questions == pytest.approx(20 / 23)


def test_agrees_with_the_naive_twin(planted: Embeddings, data: Path) -> None:
    for question in evaluate_analogy(planted, data).questions:
        if question.answer is not None:
            assert question.answer == naive.answer_analogy(dict(planted), question.a, question.b, question.c)


def test_baseline_is_the_nearest_allowed_word(planted: Embeddings, data: Path) -> None:
    for question in evaluate_analogy(planted, data).questions:
        if question.answer is not None:
            near = planted.nearest(question.c, 1, exclude=[question.a, question.b])
            assert question.nearest_to_c == near[0].word


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_same_answers_for_any_blocks_and_threads(
    planted: Embeddings, data: Path, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = evaluate_analogy(planted, data, threads=1)
    monkeypatch.setattr(analogy, "_BLOCK_QUESTIONS", block)
    assert evaluate_analogy(planted, data, threads=2) == expected


def test_only_the_most_frequent_words_can_answer(planted: Embeddings, data: Path) -> None:
    result = evaluate_analogy(planted, data, max_words=10)
    assert result.scores["capitals"].accuracy == 1
    assert result.scores["syntactic"].coverage == 0
    assert result.scores["syntactic"].accuracy is None
    with pytest.raises(InputError, match="max_words is 0"):
        evaluate_analogy(planted, data, max_words=0)


def test_words_in_other_case_are_found(planted: Embeddings, data: Path) -> None:
    last = evaluate_analogy(planted, data).questions[-1]
    assert (last.a, last.d) == ("w5", "w8")
    assert last.answer is not None


def test_evidence_and_table(planted: Embeddings, data: Path) -> None:
    result = evaluate_analogy(planted, data)
    header, rows = result.table()
    assert header == ["questions", "n", "coverage", "accuracy", "accuracy_all_questions", "nearest_to_c"]
    assert [row[:2] for row in rows][:3] == [["total", 23], ["semantic", 20], ["syntactic", 3]]
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["scores", "baselines", "paper", "items"]
    assert written["scores"]["capitals"] == {
        "n": 20,
        "coverage": 1,
        "accuracy": 1,
        "accuracy_all_questions": 1,
    }
    assert set(written["baselines"]["nearest_to_c"]) == set(written["scores"])
    assert written["items"][0]["d"] == written["items"][0]["answer"] == "iraq"
    assert written["items"][21]["answer"] is None


def test_sections_of_one_file_are_categories(tmp_path: Path) -> None:
    path = tmp_path / "questions-words.txt"
    path.write_text("a b c d\n: family\nboy girl he she\n: gram8-plural\ncat cats dog dogs\n")
    assert [question.category for question in read_questions(path)] == [
        "questions-words",
        "family",
        "gram8-plural",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b c d\na b c\n", r"x\.txt:2: expected `a b c d` but found 'a b c'"),
        ("a b c d e\n", r"x\.txt:1"),
        (": x\n", "no questions"),
    ],
)
def test_names_the_broken_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "x.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_questions(tmp_path / "x.txt")


@needs_data
def test_reads_the_published_questions() -> None:
    result = evaluate_analogy(Embeddings(["tiger"], np.ones((1, 2))), data_folder())
    assert result.scores["total"].n_questions == 19_544
    assert result.scores["semantic"].n_questions == 8_869
    assert result.scores["total"].accuracy is None

"""Table 8: words in context; the marked word, scores against the naive twin, and broken files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import naive_vectors as naive
from published import data_folder, needs_data
from sampledata import PAIRS, scws_line
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import spearman, spearman_all_pairs
from wordatoms.paper.tasks.scws.evaluate import PAPER, PAPER_DRAFT, Method, ScwsPair, evaluate_scws, read_scws
from wordatoms.text.tokenizer import Tokenizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scws").mkdir()
    lines = [scws_line(number, *pair) for number, pair in enumerate(PAIRS, 1)]
    (tmp_path / "scws" / "ratings.txt").write_bytes("\r\n".join(lines).encode())
    (tmp_path / "scws" / "README.txt").write_text("About the set.")
    return tmp_path / "scws"


def test_pairs_and_the_marked_words(folder: Path) -> None:
    pairs = read_scws(folder)
    assert read_scws(folder.parent) == read_scws(folder / "ratings.txt") == pairs
    first = pairs[0]
    assert (first.id, first.rating) == ("1", 8.0)
    assert (first.word1, first.pos1, first.word2, first.pos2) == ("bank", "n", "money", "n")
    assert first.usage1.tokens == ["they", "don't", "rob", "the", "bank", "they'll", "own", "the", "bank"]
    assert (first.usage1.position, first.usage1.length, first.usage1.form) == (4, 1, "bank")
    assert (first.usage2.position, first.usage2.form) == (0, "money")
    assert (pairs[3].usage2.length, pairs[3].usage2.form) == (3, "mother in law")
    assert [pair.same_word for pair in pairs] == [False, True, True, False, False, True]


def test_the_tokenizer_decides_what_a_word_is(folder: Path) -> None:
    pairs = read_scws(folder, Tokenizer(keep_case=True, pretokenized=True))
    assert pairs[0].usage1.form == "Bank"
    assert (pairs[3].usage2.form, pairs[3].usage2.length) == ("mother-in-law", 1)


def similarity(pair: ScwsPair) -> float | None:
    """No answer for the second pair."""
    return {"1": 0.7, "3": 0.6, "4": 0.2, "5": 0.3, "6": 0.8}.get(pair.id)


def test_scores_are_rank_correlations(folder: Path) -> None:
    result = evaluate_scws(read_scws(folder), [Method("ours", "ours", similarity)])
    row = result.rows()[0]
    ratings = [rating for *_, rating in PAIRS]
    filled = [0.7, 0.52, 0.6, 0.2, 0.3, 0.8]
    assert row["coverage"] == pytest.approx(5 / 6)
    assert row["spearman_all_pairs"] == pytest.approx(naive.spearman(filled, ratings))
    assert row["spearman"] == pytest.approx(naive.spearman([0.7, 0.6, 0.2, 0.3, 0.8], [8, 9.5, 1.5, 1, 10]))
    assert row["same_word"] == pytest.approx(naive.spearman([0.52, 0.6, 0.8], [2, 9.5, 10]))
    assert row["different_words"] == pytest.approx(naive.spearman([0.7, 0.2, 0.3], [8, 1.5, 1]))


def test_a_correlation_over_equal_cosines_was_a_number(folder: Path) -> None:
    """The cosine of a word with itself is 1 up to rounding, which ranked the pairs of equal words."""
    cosines = {"1": 0.3, "2": 1.0, "3": 1.0 - 1e-7, "4": 0.1, "5": 0.2}
    row = evaluate_scws(read_scws(folder), [Method("cosine", "baseline", lambda pair: cosines.get(pair.id))]).rows()[0]
    assert row["same_word"] is None, "the pair without an answer does not make it a correlation either"
    assert row["different_words"] is not None
    assert spearman([1.0, 1.0 + 1e-7, None], [1, 2, 3]) is None
    assert spearman_all_pairs([0.5, 0.5, None], [1, 2, 3]) is None
    assert spearman_all_pairs([0.5, 0.7, None], [1, 2, 3]) == pytest.approx(0.5)


def test_rows_and_evidence_without_text(folder: Path) -> None:
    result = evaluate_scws(read_scws(folder), [Method("ours", "ours", similarity)])
    header, rows = result.table()
    assert all(len(row) == len(header) for row in rows)
    assert [row[0] for row in rows] == ["ours", "spelling", *PAPER, *PAPER_DRAFT]
    written = json.dumps(result.to_json(), allow_nan=False)
    assert "talks" not in written
    assert "bank" not in written
    read = json.loads(written)
    assert list(read) == ["pairs", "scores", "baselines", "paper", "verdict", "items"]
    assert list(read["scores"]) == ["ours"]
    assert list(read["baselines"]) == ["spelling"]
    assert read["paper"]["table_8"]["paper"] == 0.652
    assert read["items"][1]["similarity"]["ours"] is None
    assert read["items"][2] == {
        "id": "3",
        "rating": 9.5,
        "same_word": True,
        "similarity": {"ours": 0.6, "spelling": 1.0},
    }


def test_the_verdict_is_about_the_first_of_ours(folder: Path) -> None:
    pairs = read_scws(folder)
    perfect = Method("perfect", "ours", lambda pair: pair.rating)
    reverse = Method("reverse", "ours", lambda pair: -pair.rating)
    silent = Method("silent", "ours", lambda _: None)
    higher = "ours reaches 1.000 over all pairs here (answers 100% of the pairs) and is higher."
    assert evaluate_scws(pairs, [perfect, reverse]).verdict.endswith(higher)
    assert evaluate_scws(pairs, [reverse, perfect]).verdict.endswith("and is lower.")
    by_paper = Method("u_c", "paper's method", lambda pair: -pair.rating)
    assert "; its method reaches -1.000 over" in evaluate_scws(pairs, [perfect, by_paper]).verdict
    assert evaluate_scws(pairs, [silent]).verdict.endswith("no method of ours was ranked.")
    assert evaluate_scws(pairs, []).verdict.endswith("no method of ours was ranked.")


def test_a_method_that_answers_nothing_has_no_score(folder: Path) -> None:
    row = evaluate_scws(read_scws(folder), [Method("silent", "competitor", lambda _: None)]).rows()[0]
    assert (row["coverage"], row["spearman"], row["spearman_all_pairs"]) == (0, None, None)


def test_answers_that_are_no_numbers(folder: Path) -> None:
    pairs = read_scws(folder)
    with pytest.raises(InputError, match="method 'x' gave nan for the pair 1"):
        evaluate_scws(pairs, [Method("x", "ours", lambda _: float("nan"))])
    with pytest.raises(InputError, match="2 methods are named 'spelling'"):
        evaluate_scws(pairs, [Method("spelling", "ours", similarity)])
    with pytest.raises(InputError, match="there are no pairs"):
        evaluate_scws([], [])


GOOD = scws_line(1, "bank", "money", 8.0)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"ratings\.txt does not exist"),
        (b"", r"ratings\.txt is empty"),
        (b" \n\n", r"ratings\.txt is empty"),
        (b"\xff\xfe\x00", "is not UTF-8"),
        (b"PK\x03\x04\0\0", "is not text"),
        (f"{GOOD}\n{GOOD[: GOOD.rindex(chr(9))]}\n".encode(), r"ratings\.txt:2: expected 18 fields .* found 17"),
        (f"{GOOD}\n{GOOD}\n".encode(), r"ratings\.txt:2: the id 1 occurs twice"),
        (GOOD.replace("8.0", "high").encode(), "mean rating in field 8 but found 'high'"),
        (GOOD.replace("8.0", "nan").encode(), "mean rating in field 8 but found 'nan'"),
        (GOOD.replace("<b>", "").encode(), "one word between <b> and </b> in each context but found none"),
        (GOOD.replace("talks", "<b>talks</b>").encode(), "in each context but found 2"),
        (GOOD.replace("Money</b>", " , </b>").encode(), "there is no word between <b> and </b>"),
        (GOOD.replace("\tmoney\t", "\t\t").encode(), "the id or a word is empty"),
    ],
)
def test_names_the_broken_line(folder: Path, content: bytes | None, message: str) -> None:
    path = folder / "ratings.txt"
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_scws(folder)
    assert "\n" not in str(caught.value)


@needs_data
def test_reads_the_published_set() -> None:
    pairs = read_scws(data_folder())
    assert len(pairs) == 2003
    assert sum(pair.same_word for pair in pairs) == 241
    plain = Tokenizer()
    for pair in pairs:
        assert pair.usage1.form == " ".join(plain.tokens(pair.word1))
        assert pair.usage2.form == " ".join(plain.tokens(pair.word2))

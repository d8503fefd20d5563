from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_vectors as naive
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity, read_pairs, spelling_similarity

ANGLES = {"sun": 0, "moon": 10, "star": 25, "tea": 80, "cup": 95, "car": 180}


@pytest.fixture
def circle() -> Embeddings:
    """Words on a circle: the cosine of two words is that of the angle between them."""
    angles = np.radians(list(ANGLES.values()))
    return Embeddings(list(ANGLES), np.stack([np.cos(angles), np.sin(angles)], axis=1))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "similarity"
    folder.mkdir()
    (folder / "SKY.txt").write_bytes(b"sun\tmoon\t9\r\nsun star 7\r\n\r\nSun tea 3\r\nmoon\tcar 4")
    (folder / "RARE.txt").write_text("sun moon 9\ntea cup 8\nsun zyx 5\nmoon car 1\nsun car 2\n")
    return tmp_path


def test_scores_are_rank_correlations_with_the_ratings(circle: Embeddings, data: Path) -> None:
    sky = evaluate_similarity(circle, data / "similarity" / "SKY.txt").sets[0]
    similarities = [pair.similarity for pair in sky.pairs]
    assert similarities == pytest.approx(np.cos(np.radians([10, 25, 80, 170])).tolist())
    assert sky.spearman == pytest.approx(naive.spearman(similarities, [9, 7, 3, 4])) == pytest.approx(0.8)
    assert sky.spearman_all_pairs == sky.spearman
    assert sky.coverage == 1


def test_pairs_with_unknown_words_count_at_the_mean(circle: Embeddings, data: Path) -> None:
    rare = evaluate_similarity(circle, data / "similarity" / "RARE.txt").sets[0]
    known = [pair.similarity for pair in rare.pairs if pair.similarity is not None]
    assert rare.coverage == 0.8
    assert rare.spearman == pytest.approx(naive.spearman(known, [9, 8, 1, 2]))
    filled = [*known[:2], sum(known) / 4, *known[2:]]
    assert rare.spearman_all_pairs == pytest.approx(naive.spearman(filled, [9, 8, 5, 1, 2]))


def test_all_sets_of_a_folder_and_their_evidence(circle: Embeddings, data: Path) -> None:
    result = evaluate_similarity(circle, data)
    assert evaluate_similarity(circle, data / "similarity").rows() == result.rows()
    header, rows = result.table()
    assert header == ["set", "pairs", "coverage", "spearman", "spearman_all_pairs", "spelling"]
    assert [row[:3] for row in rows] == [["RARE", 5, 0.8], ["SKY", 4, 1.0]]
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["scores", "baselines", "paper", "items"]
    assert written["scores"]["SKY"]["spearman"] == pytest.approx(0.8)
    assert set(written["baselines"]["spelling"]) == {"RARE", "SKY"}
    assert written["paper"] == {}
    assert written["items"][2] == {
        "set": "RARE",
        "word1": "sun",
        "word2": "zyx",
        "rating": 5,
        "similarity": None,
    }


def test_nothing_to_rank_is_no_score(circle: Embeddings, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("abc def 1\nsun moon 2\n")
    (tmp_path / "y.txt").write_text("abc def 1\nghi jkl 2\n")
    (tmp_path / "z.txt").write_text("sun moon 1\nsun star 1\n")
    for each in evaluate_similarity(circle, tmp_path).sets:
        assert each.spearman is None
    json.dumps(evaluate_similarity(circle, tmp_path).to_json(), allow_nan=False)


def test_words_are_taken_as_spelt_before_lower_case(tmp_path: Path) -> None:
    embeddings = Embeddings(["Turkey", "turkey", "bird"], np.array([[1, 0], [0, 1], [0, 1]]))
    (tmp_path / "x.txt").write_text("Turkey Bird 1\nturkey BIRD 2\n")
    pairs = evaluate_similarity(embeddings, tmp_path).sets[0].pairs
    assert [pair.similarity for pair in pairs] == [0, 1]


@given(word1=st.text(min_size=1), word2=st.text(min_size=1))
def test_spelling_similarity_is_a_similarity(word1: str, word2: str) -> None:
    assert spelling_similarity(word1, word1) == 1
    assert spelling_similarity(word1, word2) == spelling_similarity(word2, word1)
    assert 0 <= spelling_similarity(word1, word2) <= 1


def test_spelling_similarity_by_hand() -> None:
    # "  n", " no", "no ", "o  " and "  o", " on", "on ", "n  ": nothing in common; with "nod" two of nine
    assert spelling_similarity("no", "on") == 0
    assert spelling_similarity("no", "nod") == pytest.approx(2 * 2 / 9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"sun moon 1\nsun moon\n", r"x\.txt:2: expected `word1 word2 rating` but found 'sun moon'"),
        (b"sun moon 1 2\n", r"x\.txt:1"),
        (b"sun moon high\n", r"x\.txt:1"),
        (b"sun moon nan\n", r"x\.txt:1"),
        (b"\n\n", "holds no pairs"),
        (b"sun m\xf6on 1\n", "not UTF-8"),
    ],
)
def test_names_the_broken_line(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "x.txt").write_bytes(text)
    with pytest.raises(InputError, match=message):
        read_pairs(tmp_path / "x.txt")


def test_a_folder_without_data(circle: Embeddings, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(InputError, match=r"holds no \.txt files"):
            evaluate_similarity(circle, folder)


@pytest.mark.skipif("WORDATOMS_DATA" not in os.environ, reason="WORDATOMS_DATA does not name the data sets")
def test_reads_the_published_sets() -> None:
    result = evaluate_similarity(Embeddings(["tiger"], np.ones((1, 2))), Path(os.environ["WORDATOMS_DATA"]))
    sizes = {each.name: len(each.pairs) for each in result.sets}
    assert sizes["EN-WS-353-ALL"] == 353
    assert sizes["EN-MEN-TR-3k"] == 3000
    assert sizes["EN-SIMLEX-999"] == 999

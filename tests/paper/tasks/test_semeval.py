"""SemEval-2010 task 14: where targets are, what is wrong with a folder, and the scores of its own programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_wsi as naive
from published import data_folder, needs_data
from sampledata import semeval_xml, write_semeval
from wordatoms.errors import InputError
from wordatoms.paper.tasks.wsi import data as semeval
from wordatoms.paper.tasks.wsi.data import (
    WordScore,
    WsiWord,
    mean_score,
    paired_f_score,
    read_key,
    read_semeval,
    score_word,
    v_measure,
    word_files,
)
from wordatoms.text.tokenizer import Tokenizer

TEXTS = {
    "nouns/market.n": [
        ("Prices fell .", "The marketing of a <b>Market</b> is hard .", "One market rose ."),
        ("", "It links <b>markets</b> but they do n't like the market .", ""),
        ("", "It links markets but they do n't like the <b>market</b> .", ""),
    ],
    "verbs/lie.v": [("He ca n't lie .", "She had <b>lain</b> down .", ""), ("", "It <b>lies</b> and lies .", "Ah .")],
}
"""Before, in and after the target sentence; the target is marked here, not in the file."""
KEY = """\
market.n market.n.1 market.n.4
market.n market.n.2 market.n.1/0.2 market.n.4/0.8

market.n market.n.3 market.n.1
lie.v lie.v.2 lie.v.2
lie.v lie.v.1 lie.v.1
"""
LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_semeval(tmp_path / "semeval2010", TEXTS, KEY)


def test_words_with_their_instances_and_senses(folder: Path) -> None:
    market, lie = read_semeval(folder)
    assert (market.lemma, market.pos, market.name, len(market)) == ("market", "n", "market.n", 3)
    assert market.senses == ["market.n.4", "market.n.4", "market.n.1"]
    assert [instance.name for instance in lie.instances] == ["lie.v.1", "lie.v.2"]
    assert lie.senses == ["lie.v.1", "lie.v.2"]
    assert read_semeval(folder.parent) == (market, lie)


def test_the_target_is_the_form_in_the_sentence_that_the_copy_is_about(folder: Path) -> None:
    market, lie = read_semeval(folder)
    assert [usage.form for usage in market.usages] == ["market", "markets", "market"]
    assert [usage.form for usage in lie.usages] == ["lain", "lies"]
    first = market.usages[0]
    assert first.tokens[first.position - 1 : first.position + 2] == ["a", "market", "is"]
    assert [usage.position for usage in market.usages[1:]] == [2, 8]
    assert "don't" in market.usages[1].tokens


@pytest.mark.parametrize(
    ("tokenizer", "forms"),
    [
        (Tokenizer(keep_case=True), ["Market", "markets", "market"]),
        (Tokenizer(pretokenized=True), ["market", "markets", "market"]),
        (Tokenizer(phrases=("a market",)), ["a_market", "markets", "market"]),
    ],
)
def test_the_target_is_found_however_text_is_cut(folder: Path, tokenizer: Tokenizer, forms: list[str]) -> None:
    assert [usage.form for usage in read_semeval(folder, tokenizer)[0].usages] == forms


# --- scores


@settings(deadline=None)  # the first call imports scikit-learn
@given(LABELS)
def test_scores_are_those_of_the_naive_twins(labels: list[tuple[int, int]]) -> None:
    senses, clusters = zip(*labels, strict=True)
    assert paired_f_score(senses, clusters) == pytest.approx(naive.paired_f_score(senses, clusters))
    assert v_measure(senses, clusters) == pytest.approx(naive.v_measure(senses, clusters), abs=1e-9)


@settings(deadline=None)  # the first call imports scikit-learn
@given(LABELS)
def test_scores_do_not_depend_on_the_names_of_clusters(labels: list[tuple[int, int]]) -> None:
    senses, clusters = zip(*labels, strict=True)
    renamed = [f"c{9 - cluster}" for cluster in clusters]
    assert paired_f_score(senses, renamed) == paired_f_score(senses, clusters)
    assert v_measure(senses, renamed) == pytest.approx(v_measure(senses, clusters), abs=1e-9)
    assert paired_f_score(senses, senses) == 1
    assert v_measure(senses, senses) == pytest.approx(1)


def test_scores_by_hand() -> None:
    senses = ["a", "a", "b"]
    assert paired_f_score(senses, [0, 0, 0]) == pytest.approx(2 * 1 / (2 + 3))  # (0,1) and (2,2) against all three
    assert paired_f_score(senses, [0, 1, 2]) == pytest.approx(2 * 1 / (2 + 3))  # the b alone is in common
    assert v_measure(senses, [0, 0, 0]) == 0


def test_means_are_weighted_by_instances(folder: Path) -> None:
    words = read_semeval(folder)
    scores = [score_word(words[0], [0, 0, 1]), score_word(words[1], ["x", "x"])]
    everything, nouns, verbs = (mean_score(scores, pos) for pos in (None, "n", "v"))
    assert everything
    assert nouns
    assert verbs
    assert (nouns.f_score, nouns.v_measure, nouns.average) == pytest.approx((1, 1, 1))
    assert (verbs.f_score, verbs.v_measure) == (0, 0)
    assert everything == pytest.approx((3 / 5, 3 / 5, 1.5))
    assert mean_score(scores[:1], "v") is None


def test_labels_of_another_number(folder: Path) -> None:
    with pytest.raises(InputError, match=r"market\.n have shape \(2,\).* each of its 3 instances"):
        score_word(read_semeval(folder)[0], [0, 1])


def score_key(words: Iterable[WsiWord], key: Mapping[str, Mapping[str, str]]) -> list[WordScore]:
    return [score_word(word, [key[word.name][instance.name] for instance in word.instances]) for word in words]


def test_the_senses_of_the_key_score_best(folder: Path) -> None:
    assert mean_score(score_key(read_semeval(folder), read_key(folder / "all.key"))) == pytest.approx((1, 1, 2))


# --- broken folders


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("all.key", None, "all.key does not exist"),
        ("all.key", b"", "all.key is empty"),
        ("all.key", b"\xff\xfe", "all.key is not UTF-8"),
        ("all.key", b"market.n\0 market.n.1 x\n", "all.key is not text"),
        ("all.key", b"market.n market.n.1\n", r"all.key:1: expected `word instance sense` but found 'market.n m"),
        ("all.key", b"market.n lie.v.1 x\n", r"all.key:1: expected"),
        ("all.key", b"market.n market.n.1 x/y\n", "all.key:1: 'x/y' has a weight that is not a number"),
        ("all.key", b"a.n a.n.1 x\na.n a.n.1 y\n", "all.key:2: a.n.1 occurs twice"),
        ("all.key", KEY.encode() + b"zebra.n zebra.n.1 x\n", "no texts of zebra.n"),
        ("all.key", KEY.encode() + b"lie.v lie.v.3 x\n", r"lie\.v\.xml has no text of lie.v.3"),
        ("all.key", KEY.replace("lie.v lie.v.2 lie.v.2\n", "").encode(), r"lie\.v\.2 has no sense in all.key"),
        ("nouns/market.n.xml", b"", r"market\.n\.xml is not valid XML"),
        ("nouns/market.n.xml", b"<a><b></a>", r"market\.n\.xml is not valid XML"),
        ("nouns/market.n.xml", b"<a/>", "contains no instances"),
        ("nouns/market.n.xml", b"<a><b>text</b></a>", "'b' needs exactly one <TargetSentence>"),
        ("nouns/market.n.xml", b'<!DOCTYPE a [<!ENTITY x "market">]><a>&x;</a>', "has declarations"),
        ("nouns/market.n.xml", b"<a>&x;</a>", "is not valid XML"),
        ("nouns/market.n.xml", b"\x89PNG\r\n\x1a\n\0", "is not UTF-8"),
        (
            "nouns/market.n.xml",
            semeval_xml("market.n", [("", "No such word", "")]).encode(),
            "has no form of 'market'",
        ),
        ("nouns/market.n.xml", semeval_xml("tie.n", TEXTS["nouns/market.n"]).encode(), r"tie\.n\.1 has no sense"),
    ],
)
def test_names_what_is_broken(folder: Path, name: str, content: bytes | None, message: str) -> None:
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_semeval(folder)
    assert "\n" not in str(caught.value)


def test_an_instance_that_occurs_twice(folder: Path) -> None:
    path = folder / "nouns" / "market.n.xml"
    path.write_text(path.read_text().replace("market.n.2", "market.n.1"))
    with pytest.raises(InputError, match=r"market\.n\.1 occurs twice"):
        read_semeval(folder)


def test_deep_nesting_is_refused(folder: Path) -> None:
    (folder / "nouns" / "market.n.xml").write_text("<a>" * 100_000 + "</a>" * 100_000)
    with pytest.raises(InputError, match="needs exactly one <TargetSentence>"):
        read_semeval(folder)


def test_large_files_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.paper.tasks.datasets.LARGEST_FILE", 20)
    with pytest.raises(InputError, match=r"all.key is larger than 20 bytes"):
        read_semeval(folder)


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path, tmp_path / "none", tmp_path / "file"):
        with pytest.raises(InputError, match="contains no nouns"):
            word_files(path)


# --- the published task


@pytest.fixture(scope="module")
def published() -> tuple[WsiWord, ...]:
    return read_semeval(data_folder())


@needs_data
def test_reads_the_published_task(published: tuple[WsiWord, ...]) -> None:
    assert [sum(len(word) for word in published if word.pos == pos) for pos in "nv"] == [5285, 3630]
    assert len(published) == 100
    for word in published:
        forms = semeval._forms(word.lemma)
        assert all(usage.form in forms for usage in word.usages)


@needs_data
@pytest.mark.parametrize(
    ("answers", "pos", "official_v", "official_f"),
    [
        ("baselines/mfs_all", None, 0, 0.6343),
        ("baselines/random1", None, 0.046, 0.3205),
        ("baselines/1cl1inst", None, 0.317, 0.0010),
        ("systems/duluth-wsi", None, 0.090, 0.4105),
        ("systems/duluth-wsi", "n", 0.114, 0.3714),
        ("systems/duluth-wsi", "v", 0.057, 0.4675),
    ],
)
def test_scores_are_the_official_ones_to_the_last_digit(
    published: tuple[WsiWord, ...], answers: str, pos: str | None, official_v: float, official_f: float
) -> None:
    key = read_key(data_folder() / "semeval2010" / f"{answers}.key")
    score = mean_score(score_key(published, key), pos)
    assert score
    assert (round(score.v_measure, 3), round(score.f_score, 4)) == (official_v, official_f)

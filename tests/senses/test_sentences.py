"""Sentences that show the senses of a word."""

from __future__ import annotations

import gzip
import json
import math
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import naive_sentences
import wordatoms.senses.sentences as module
from lettered import discourse, lettered, lettered_model
from samples import slow, write
from wordatoms.cli.sentences import sentences as command
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.sentences import SenseSentences, representative_sentences
from wordatoms.text.corpus import open_corpus
from wordatoms.text.tokenizer import Tokenizer

WORD = lettered("both3")
"""Two parts of atom 3 to one part of atom 4."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("sentences") / "model")


def sentence(atom: int, first: int, n: int = 8) -> str:
    return f"{WORD.capitalize()} {discourse(atom, range(first, first + n))}."


def planted_text() -> str:
    """Sentences of atom 3 and of atom 4 with the word, some of both without it, a noisy one and a short one."""
    lines = [
        f"{sentence(3, 0)} {sentence(4, 0)}",
        f"{discourse(3, range(10))}. {discourse(7, range(10)).capitalize()}.",
        f"{sentence(4, 10)} {WORD.capitalize()} {discourse(3, range(3))}.",
        "",
        f"{WORD} {discourse(9, range(4))} {discourse(3, range(20, 23))}. {sentence(3, 12)}",
    ]
    return "\n".join(lines)


def find(model: SenseModel, text: str, folder: Path, **options: object) -> list[SenseSentences]:
    path = write(folder / "text.txt", text.encode())
    return representative_sentences(model, WORD, [path], run=Run(threads=1), **options)  # type: ignore[arg-type]


def test_sentences_stand_under_the_atom_they_are_about(model: SenseModel, tmp_path: Path) -> None:
    first, second = find(model, planted_text(), tmp_path)
    assert {each.text for each in first.sentences[:2]} == {sentence(3, 0), sentence(3, 12)}
    assert {each.text for each in second.sentences} == {sentence(4, 0), sentence(4, 10)}
    assert first.n_sentences == 3
    assert {each.line for each in second.sentences} == {1, 3}
    assert all(each.source.endswith("text.txt") for each in first.sentences)
    assert all(each.score > 0.9 for each in second.sentences)


words = st.sampled_from([WORD, *(lettered(f"d{atom}w{word}") for atom in (3, 4, 9) for word in range(8)), "unknown"])
lines = st.lists(words, max_size=14).map(lambda listed: f"{WORD} {' '.join(listed)}".replace(" unknown", ". Unknown"))
texts = st.lists(lines, min_size=1, max_size=12).map("\n".join).filter(str.strip)


@slow
@given(
    text=texts, rank=st.integers(1, 5), a=st.sampled_from([1e-3, math.inf]), include=st.booleans(), n=st.integers(1, 3)
)
def test_against_the_naive_twin(
    model: SenseModel, tmp_path: Path, text: str, rank: int, a: float, include: bool, n: int
) -> None:
    choices = {"n": n, "rank": rank, "a": a, "include_target": include, "shortest": 3}
    expected = naive_sentences.sentences(model, WORD, text, **choices)  # type: ignore[arg-type]
    if not any(shown for _, shown in expected):
        with pytest.raises(InputError):
            find(model, text, tmp_path, **choices)
        return
    found = find(model, text, tmp_path, **choices)
    assert [each.sense.atom for each in found] == [atom for atom, _ in expected]
    for each, (_, shown) in zip(found, expected, strict=True):
        assert [(s.line, s.text) for s in each.sentences] == [(s.line, s.text) for s in shown]
        np.testing.assert_allclose([s.score for s in each.sentences], [s.score for s in shown], atol=1e-6)


@slow
@given(text=texts, shard_bytes=st.integers(1, 200), held=st.sampled_from([1, 2, 512]))
def test_any_split_of_the_text_gives_the_same(
    model: SenseModel, tmp_path: Path, text: str, shard_bytes: int, held: int
) -> None:
    def run() -> list[SenseSentences] | str:
        try:
            return find(model, text, tmp_path, shortest=2)
        except InputError as error:
            return str(error)

    whole = run()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "open_corpus", partial(open_corpus, shard_bytes=shard_bytes))
        patch.setattr(module, "BATCH_BYTES", 1)
        patch.setattr(module, "SCORED_AT_ONCE", held)
        assert run() == whole


def test_threads_and_compression_change_nothing(model: SenseModel, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for part in range(5):
        chosen = [sentence(int(atom), int(first)) for atom, first in rng.integers([3, 0], [5, 20], (40, 2))]
        write(tmp_path / "texts" / f"{part}.txt.gz", gzip.compress("\n".join(chosen).encode()))
    one, two, many = (
        representative_sentences(model, WORD, [tmp_path / "texts"], n=5, run=Run(threads=threads))
        for threads in (1, 2, 7)
    )
    assert one == two == many
    assert sum(each.n_sentences for each in one) == 200


def test_each_sentence_is_listed_once_and_where_it_stands(model: SenseModel, tmp_path: Path) -> None:
    text = "\n".join([*(sentence(3 + number % 2, number % 20) for number in range(60)), ""])
    found = find(model, text, tmp_path, n=20)
    shown = [each for sense in found for each in sense.sentences]
    assert len({each.text for each in shown}) == len(shown)
    listed = text.split("\n")
    assert all(listed[each.line - 1] == each.text for each in shown)
    for sense in found:
        scores = [each.score for each in sense.sentences]
        assert scores == sorted(scores, reverse=True)


def test_near_identical_sentences_are_shown_once(model: SenseModel, tmp_path: Path) -> None:
    stubs = [f"{WORD} {discourse(3, range(9))} {lettered(f'd7w{number}')}." for number in range(20)]
    first, _ = find(model, "\n".join([*stubs, sentence(3, 15)]), tmp_path)
    assert len(first.sentences) == 2
    assert first.n_sentences == 21


def test_forms_of_the_word_count_too(model: SenseModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = lettered("both8")
    monkeypatch.setattr(SenseModel, "forms", lambda _, word: (word, other))
    text = f"{other} {discourse(8, range(9))}.\n{WORD} {discourse(3, range(9))}."
    assert sum(each.n_sentences for each in find(model, text, tmp_path)) == 2
    alone = find(model, text, tmp_path, forms=False)
    assert sum(each.n_sentences for each in alone) == 1
    assert len(alone) == 2


def test_a_name_for_the_atom_is_used(model: SenseModel, tmp_path: Path) -> None:
    atom = model.senses(WORD)[0].atom
    model.name(atom, "a name")
    assert find(model, planted_text(), tmp_path)[0].sense.label == "a name"
    (model.path / "notes.json").unlink()


def test_long_pieces_of_unknown_words_are_no_sentences(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="never with 5 to 60"):
        find(model, sentence(3, 0)[:-1] + " unknown" * 200, tmp_path)


def test_broken_text_is_read_over_on_request(model: SenseModel, tmp_path: Path) -> None:
    path = write(tmp_path / "text.txt", sentence(3, 0).encode() + b" \xff\n")
    with pytest.raises(InputError, match="not valid UTF-8"):
        representative_sentences(model, WORD, [path])
    assert representative_sentences(model, WORD, [path], replace_invalid=True)[0].n_sentences == 1


def test_words_of_phrases_are_not_words_of_the_model(model: SenseModel, tmp_path: Path) -> None:
    """A lexicon knows more words than the model where phrases are joined."""
    plain = find(model, planted_text(), tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(model.parts.__dict__, "tokenizer", Tokenizer(phrases=("not there",)))
        assert find(model, planted_text().replace(WORD, f"not there there not {WORD}"), tmp_path)[1].n_sentences == 2
    assert plain[1].n_sentences == 2


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("nothing here\nat all", {}, r"the text \(lines: 2\) has none of the words bothd"),
        (f"{WORD} alone", {}, r"has bothd \(sentences: 1\), but never with 5 to 60"),
        ("", {}, "there is no text in"),
        ("a", {"n": 0}, "n is 0"),
        ("a", {"rank": 0}, "rank is 0"),
        ("a", {"shortest": 0}, "shortest is 0"),
        ("a", {"shortest": 7, "longest": 6}, "7 to 6 words"),
        ("a", {"a": -1.0}, "a is -1.0"),
        ("a", {"lightest": 9.0}, "no sense with a weight of 9"),
    ],
)
def test_bad_input_is_one_sentence(
    model: SenseModel, tmp_path: Path, text: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        find(model, text, tmp_path, **options)


def test_unknown_word(model: SenseModel, tmp_path: Path) -> None:
    with pytest.raises(UnknownWordError, match="did you mean"):
        representative_sentences(model, "bothdd", [write(tmp_path / "text.txt")])


def run(*arguments: object, stdin: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(command, [*map(str, arguments)], input=stdin)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_command(model: SenseModel, tmp_path: Path) -> None:
    text = write(tmp_path / "text.txt", planted_text().encode())
    asked = (WORD, "--model", model.path, "--threads", 1)
    code, shown = run(*asked, "--corpus", text)
    assert code == 0
    assert shown.startswith(f"{WORD}: 5 sentences\n")
    assert f"{sentence(4, 0)} [{text}:1]" in shown
    found = json.loads(run(*asked, "--corpus", text, "--json", "-n", 1)[1])
    assert found["word"] == WORD
    assert set(found["senses"][0]["sentences"][0]) == {
        *("text", "score", "source", "line", "start", "end", "probability", "row_name")
    }
    assert [len(sense["sentences"]) for sense in found["senses"]] == [1, 1]


def test_command_takes_several_texts_and_standard_input(model: SenseModel, tmp_path: Path) -> None:
    first = write(tmp_path / "one.txt", planted_text().encode())
    second = write(tmp_path / "two.txt", sentence(4, 20).encode())
    asked = (WORD, "--model", model.path, "--json")
    for more in ((second,), ("--corpus", second)):
        found = json.loads(run(*asked, "--corpus", first, *more)[1])
        assert sum(sense["n_sentences"] for sense in found["senses"]) == 6
    piped = json.loads(run(*asked, "--corpus", "-", stdin=sentence(3, 0))[1])
    assert piped["senses"][0]["sentences"][0]["source"] == "standard input"
    assert run(*asked)[0] == 2
    with pytest.raises(InputError, match="has none of the words"):
        run(*asked, "--corpus", "-", stdin="something else")


@given(
    places=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12, unique=True),
    n_most=st.integers(1, 4),
    seed=st.randoms(use_true_random=False),
)
def test_candidates_add_up_in_any_order(places: list[tuple[int, int]], n_most: int, seed: Random) -> None:
    """Two kinds of words, each with one score; equal scores too."""
    made = [module._Candidate(0.5, (shard, line, 0), bytes([line % 2]), "") for shard, line in places]
    shuffled = seed.sample(made, len(made))
    merged = module._merge(made, n_most)
    assert list(merged.items()) == list(module._merge(shuffled, n_most).items())
    for words, best in merged.items():
        assert best.place == min(each.place for each in made if each.words == words)


def test_sentences_of_a_table_have_rows_and_names(model: SenseModel, tmp_path: Path) -> None:
    lines = planted_text().splitlines()
    cells = ["\n\n".join(lines[start : start + 2]) for start in range(0, len(lines), 2)]
    rows = [{"name": f"n{number}", "text": cell} for number, cell in enumerate(["", *cells], 1)]
    table = write(tmp_path / "table.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    plain = representative_sentences(model, WORD, [write(tmp_path / "text.txt", planted_text().encode())], n=9)
    for names in ("name", None):
        found = representative_sentences(model, WORD, [table], n=9, column="text", names=names)
        assert [each.n_sentences for each in found] == [each.n_sentences for each in plain]
        pairs = [
            (mine, other)
            for each, others in zip(found, plain, strict=True)
            for mine, other in zip(each.sentences, others.sentences, strict=True)
        ]
        assert pairs
        for mine, other in pairs:
            assert (mine.text, mine.score, mine.start) == (other.text, other.score, other.start)
            assert mine.line == (other.line - 1) // 2 + 2
            assert mine.row_name == (f"n{mine.line}" if names else None)
            assert mine.source == str(table)
    with pytest.raises(InputError, match="is a table; say with --column"):
        representative_sentences(model, WORD, [table])
    with pytest.raises(InputError, match="names are a column of a table"):
        representative_sentences(model, WORD, [table], names="name")
    asked = (WORD, "--model", model.path, "--corpus", table, "--column", "text")
    assert "[n2]" in run(*asked, "--id", "name")[1]
    assert f"[{table}:2]" in run(*asked)[1]

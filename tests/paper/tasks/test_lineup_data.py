"""The testbed of the police lineup: what comes with the program, files, and lineups drawn from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samples import slow
from samplewordnet import INSTALLED
from wordatoms.errors import InputError, ModelError, UnknownWordError
from wordatoms.paper.tasks.lineup.data import (
    COLUMNS,
    N_RELATED,
    LineupSense,
    Testbed,
    draw_lineups,
    load_testbed,
    parse_testbed,
)
from wordatoms.paper.wordnet import WordNet

NAMES = ("bat", "crane", "palm", "seal", "star", "bank")


def make_testbed(n_words: int = 6, n_senses: int = 3) -> Testbed:
    """Each sense with words of its own."""
    return Testbed(
        {
            NAMES[number]: tuple(
                LineupSense(tuple(f"w{number}s{sense}r{k}" for k in range(N_RELATED)), (f"n{number:04d}{sense:04d}",))
                for sense in range(n_senses)
            )
            for number in range(n_words)
        }
    )


TESTBED = make_testbed()


@pytest.fixture(scope="module")
def shipped() -> Testbed:
    return load_testbed()


# --- the one that comes with the program


def test_the_shipped_testbed_has_the_size_of_the_papers(shipped: Testbed) -> None:
    assert len(shipped) == 200
    assert 670 <= len(shipped.senses) <= 730
    assert {len(senses) for senses in shipped.values()} == {2, 3, 4, 5, 6}
    assert list(shipped) == sorted(shipped)
    assert {"bat", "tie", "spring"} <= set(shipped)


def test_no_list_has_its_word(shipped: Testbed) -> None:
    for word, senses in shipped.items():
        for related in (each for sense in senses for each in sense.related):
            assert word not in related, f"{related} for {word}"


@pytest.mark.skipif(not INSTALLED.exists(), reason=f"WordNet is not in {INSTALLED} (Debian: wordnet-base)")
def test_no_list_has_a_form_of_its_word(shipped: Testbed) -> None:
    wordnet = WordNet(INSTALLED)
    for word, senses in shipped.items():
        forms = {word, *wordnet.base_forms(word)}
        for related in (each for sense in senses for each in sense.related):
            assert forms.isdisjoint((related, *wordnet.base_forms(related))), f"{related} for {word}"


def test_senses_of_a_word_share_no_related_word(shipped: Testbed) -> None:
    for word, senses in shipped.items():
        related = [each for sense in senses for each in sense.related]
        assert len(set(related)) == len(related), word


def test_related_words_are_plain(shipped: Testbed) -> None:
    related = {each for sense in shipped.senses for each in sense.related}
    assert all(each.isascii() and each.isalpha() and each.islower() for each in related)
    assert related.isdisjoint({"especially", "usually", "something", "used", "act", "person", "the", "with"})


def test_the_licence_of_wordnet_is_beside_it() -> None:
    import wordatoms

    folder = Path(wordatoms.__file__).parent / "data"
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in (folder / "WORDNET-LICENCE.txt").read_text()
    assert "Princeton University" in (folder / "lineup.tsv").read_text().splitlines()[1]


def test_saving_the_shipped_one_gives_the_same_bytes(shipped: Testbed, tmp_path: Path) -> None:
    import wordatoms

    shipped.save(tmp_path / "lineup.tsv")
    original = Path(wordatoms.__file__).parent / "data" / "lineup.tsv"
    assert (tmp_path / "lineup.tsv").read_bytes() == original.read_bytes()


# --- a testbed


def test_a_testbed_is_a_mapping() -> None:
    testbed = make_testbed()
    assert len(testbed) == 6
    assert repr(testbed) == "Testbed(6 words, 18 senses)"
    assert testbed.senses[4] == testbed["crane"][1]
    assert testbed.owners.tolist() == sorted([*range(6)] * 3)
    assert testbed.number("palm") == 2
    with pytest.raises(UnknownWordError, match="did you mean crane"):
        _ = testbed["cranes"]


words = st.text("abcdefghijklmnopqrstuvwxyzäß'", min_size=1, max_size=6)
senses = st.lists(words, min_size=N_RELATED, max_size=N_RELATED, unique=True).map(tuple)


@slow
@given(
    st.dictionaries(
        words,
        st.lists(st.builds(LineupSense, senses, st.just(("n00000001",))), min_size=2, max_size=3),
        min_size=2,
        max_size=4,
    )
)
def test_save_and_load(tmp_path: Path, found: dict[str, list[LineupSense]]) -> None:
    testbed = Testbed({word: tuple(each) for word, each in found.items()})
    testbed.save(tmp_path / "testbed.tsv")
    loaded = Testbed.load(tmp_path / "testbed.tsv")
    assert loaded.senses_of == testbed.senses_of
    assert list(loaded) == list(testbed)


EIGHT = "one two three four five six seven eight"
HEADER = "\t".join(COLUMNS)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected a first line with the columns word, sense"),
        ("bat\t1\tn1\ta b", "expected a first line"),
        (f"{HEADER}\nbat\t1\t{EIGHT}", "line 2: expected word, sense"),
        (f"{HEADER}\nbat\t2\tn1\t{EIGHT}", "and sense 1 of 'bat'"),
        (f"{HEADER}\nbat\t1\tn1\t{EIGHT}\nbat\t2\tn1\t{EIGHT}", "has 1 words; it needs two"),
        (f"{HEADER}\nbat\t1\tn1\t{EIGHT}\ntie\t1\tn1\t{EIGHT}", "'bat' has 1 sense"),
        (f"{HEADER}\nbat\t1\tn1\t{EIGHT}\nbat\t2\tn1\ta b\ntie\t1\tn1\t{EIGHT}", "sense 2 of 'bat' has 2 words"),
        (
            f"{HEADER}\nb\t1\tn\t{EIGHT}\nb\t2\tn\t{EIGHT.replace('one', 'two')}\nt\t1\tn\t{EIGHT}",
            "list 8 different words",
        ),
        (f"{HEADER}\nb\t1\tn\t{EIGHT}\nb\t2\tn\t{EIGHT.title()}\nt\t1\tn\t{EIGHT}", "with spaces or capitals"),
        (f"{HEADER}\nBat\t1\tn\t{EIGHT}\nb\t1\tn\t{EIGHT}", "'Bat' is not a valid word"),
    ],
)
def test_broken_files(text: str, sentence: str) -> None:
    with pytest.raises(ModelError, match=r"mine\.tsv") as caught:
        parse_testbed(text, "mine.tsv")
    assert sentence in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read"):
        load_testbed(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"\xe4\xff")
    with pytest.raises(ModelError, match="is not UTF-8"):
        load_testbed(tmp_path / "latin.tsv")


# --- lineups


@slow
@given(st.integers(3, 18), st.integers(0, 1000))
def test_a_lineup_has_all_true_senses_and_others_once(n: int, random_state: int) -> None:
    testbed = TESTBED
    drawn = draw_lineups(testbed, n, random_state=random_state)
    assert drawn.words == tuple(testbed)
    assert drawn.senses.shape == drawn.is_true.shape == (6, n)
    for number, (shown, is_true) in enumerate(zip(drawn.senses, drawn.is_true, strict=True)):
        assert len(set(shown.tolist())) == n
        assert sorted(shown[is_true]) == np.flatnonzero(testbed.owners == number).tolist()


def test_a_seed_gives_the_same_lineups() -> None:
    testbed = make_testbed()
    one, same, other = (draw_lineups(testbed, 9, random_state=seed).senses for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_true_senses_stand_anywhere() -> None:
    drawn = [draw_lineups(TESTBED, 9, random_state=seed).is_true for seed in range(40)]
    assert np.mean(drawn, axis=(0, 1)) == pytest.approx(1 / 3, abs=0.12)


def test_words_that_share_a_form_are_no_distractors() -> None:
    related = make_testbed(3).senses
    testbed = Testbed({"lie": related[:3], "lay": related[3:6], "tree": related[6:]})
    drawn = draw_lineups(testbed, 6, words=["lie"])
    assert set(testbed.owners[drawn.senses[0]].tolist()) == {0, 2}
    assert testbed.most_shown == 6
    with pytest.raises(InputError, match="n is 7, but a lineup for 'lie' needs its 3 senses and has 6"):
        draw_lineups(testbed, 7)


def test_refuses_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="n is 2, but a lineup for 'bat' needs its 3 senses"):
        draw_lineups(TESTBED, 2)
    with pytest.raises(InputError, match="no words to draw"):
        draw_lineups(TESTBED, 9, words=[])
    with pytest.raises(UnknownWordError):
        draw_lineups(TESTBED, 9, words=["nonsense"])


def test_a_sense_that_both_words_have_is_no_distractor() -> None:
    shared = LineupSense(tuple(f"both{k}" for k in range(N_RELATED)), ("n00000009",))
    other = {word: (*senses[:2], LineupSense(senses[2].related, ())) for word, senses in TESTBED.items()}
    testbed = Testbed({**other, "bat": (*other["bat"][:2], shared), "palm": (shared, *other["palm"][1:])})
    of_palm = 2 * 3
    drawn = draw_lineups(testbed, testbed.most_shown, words=["bat"])
    assert of_palm not in drawn.senses[0]
    assert testbed.most_shown == len(testbed.senses) - 1
    barred = [
        [
            owner != number and not set(sense.synsets).isdisjoint(each for own in testbed[word] for each in own.synsets)
            for owner, sense in zip(testbed.owners, testbed.senses, strict=True)
        ]
        for number, word in enumerate(testbed)
    ]
    assert testbed.barred.tolist() == barred

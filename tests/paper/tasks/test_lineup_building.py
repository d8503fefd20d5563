"""A lineup made from WordNet: profiles, senses, related words, the draw; and that the shipped one is what comes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import wordatoms
from samplewordnet import INSTALLED, write_database
from wordatoms.cli.lineup import lineup
from wordatoms.errors import InputError
from wordatoms.paper.tasks.lineup import profiles as lineupprofiles
from wordatoms.paper.tasks.lineup.building import (
    SENSES_PER_WORD,
    CoarseSense,
    Item,
    connected,
    draw_items,
    group_synsets,
    is_akin,
    related_words,
    senses_in_use,
)
from wordatoms.paper.tasks.lineup.data import LineupSense
from wordatoms.paper.tasks.lineup.profiles import JARGON, Key, Lexicon, add_shares, cosine, pointed
from wordatoms.paper.wordnet import WordNet

needs_wordnet = pytest.mark.skipif(
    not (INSTALLED / "cntlist.rev").exists(), reason=f"WordNet is not in {INSTALLED} (Debian: wordnet-base)"
)
COUNTS = (
    "spring%1:03:00:: 1 7\nspring%1:03:01:: 2 3\nspring%2:03:00:: 1 2\nup%4:03:00:: 1 9\nspringy%5:03:00:up:00 1 1\n"
)


@pytest.fixture
def lexicon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lexicon:
    """Of the small database of `test_wordnet`, where every word counts as well known."""
    monkeypatch.setattr(lineupprofiles, "FEWEST_USES", 1)
    (tmp_path / "cntlist.rev").write_text(COUNTS)
    return Lexicon(WordNet(write_database(tmp_path)))


# --- what WordNet says


def test_tagged_senses(lexicon: Lexicon) -> None:
    assert lexicon.tags["spring", "n", 2] == 3
    assert lexicon.tags["springy", "a", 1] == 1
    assert lexicon.tags_by_part["spring"] == {"n": 10, "v": 2}
    assert lexicon.n_uses("spring") == 10 + 2 + 2  # two glosses have it
    assert set(lexicon.files.values()) == {3}


def test_words_are_nouns_verbs_and_adjectives_in_the_singular(lexicon: Lexicon) -> None:
    assert lexicon.words("the springs of New York jump up, elastic devices!") == ["spring", "jump", "elastic", "device"]
    assert lexicon.words("a spring-like Spring, spring's") == []
    assert lexicon.base("nonsense") == ""


def test_a_profile_leaves_out_names_and_what_tells_little(lexicon: Lexicon) -> None:
    coil = lexicon.wordnet.synsets("spring")[0]
    profile = lexicon.profile(("n", coil.offset))
    assert {"elastic", "device", "jump"} <= set(profile)
    assert profile["device"] > 0
    assert not {"york", "the", "has", "thing", "up"} & set(profile)


def test_what_has_much_below_it_says_little(lexicon: Lexicon) -> None:
    for key in lexicon.synsets:
        below = [each for each in lexicon.synsets if key in above(lexicon, each)]
        assert lexicon.n_below.get(key, 0) == len(below)
        assert 0 <= lexicon.narrowness(key) <= 1
        assert (lexicon.narrowness(key) == 1) == (not below)
    assert any(lexicon.n_below.values())


def above(lexicon: Lexicon, key: Key) -> set[Key]:
    ups = pointed(lexicon.synsets[key], {"@", "@i"})
    return {*ups, *(far for up in ups for far in above(lexicon, up))}


def test_a_vocabulary_limits_the_lists(lexicon: Lexicon) -> None:
    limited = Lexicon(lexicon.wordnet, {"device"})
    assert set(limited.telling) == {"device"}


@pytest.mark.parametrize("line", ["spring 1 2", "spring%9:03:00:: 1 2", "spring%1:03:00:: x 2", "nonsense"])
def test_broken_counts(lexicon: Lexicon, line: str) -> None:
    (lexicon.wordnet.folder / "cntlist.rev").write_text(f"{COUNTS}{line}\n")
    with pytest.raises(InputError, match=r"cntlist\.rev is broken"):
        _ = lexicon.tags


def test_missing_counts(lexicon: Lexicon) -> None:
    (lexicon.wordnet.folder / "cntlist.rev").unlink()
    with pytest.raises(InputError, match=r"cntlist\.rev cannot be read .* apt-get install wordnet-base"):
        _ = lexicon.tags


def test_shares_of_many_texts() -> None:
    strength = {"wing": 1.0}
    add_shares(strength, [frozenset({"wing", "ear"}), frozenset({"wing"}), frozenset(), frozenset()], 3.0)
    assert strength == {"wing": 4.0, "ear": 1.5}
    add_shares(strength, [frozenset({"ear"})], 3.0, at_least=2)
    assert strength["ear"] == 1.5
    add_shares(strength, [], 3.0)


@given(*[st.dictionaries(st.sampled_from("abcdef"), st.floats(0.01, 100), max_size=5)] * 2)
def test_cosine_is_symmetric_and_bounded(one: dict[str, float], other: dict[str, float]) -> None:
    assert cosine(one, other) == cosine(other, one)
    assert 0 <= cosine(one, other) <= 1 + 1e-9
    assert cosine(one, one) == pytest.approx(1 if one else 0)


def test_pointers_to_satellites_are_to_adjectives(lexicon: Lexicon) -> None:
    springy = lexicon.wordnet.synsets("springy")[0]
    elastic = lexicon.wordnet.synsets("elastic")[0]
    assert pointed(springy, {"&"}) == [("a", elastic.offset)]
    assert pointed(springy, {"@"}) == []


# --- senses


def test_synsets_derived_from_each_other_are_one_sense(lexicon: Lexicon) -> None:
    coil, season, jump = lexicon.wordnet.synsets("spring")
    senses = group_synsets(lexicon, "spring")
    assert [sense.keys for sense in senses] == [(("n", coil.offset), ("v", jump.offset)), (("n", season.offset),)]
    assert [sense.n_uses for sense in senses] == [9, 3]
    assert all("spring" not in sense.profile and "springy" not in sense.profile for sense in senses)


def test_senses_that_nobody_met_are_left_out(lexicon: Lexicon) -> None:
    assert len(senses_in_use(lexicon, "spring")) == 2
    rarely = COUNTS.replace("spring%1:03:01:: 2 3", "spring%1:03:01:: 2 1")
    (lexicon.wordnet.folder / "cntlist.rev").write_text(rarely)
    assert len(senses_in_use(Lexicon(lexicon.wordnet), "spring")) == 1


def test_names_have_no_senses(lexicon: Lexicon) -> None:
    assert group_synsets(lexicon, "new york") == []


def test_groups_are_chains_of_links() -> None:
    keys = [("n", number) for number in range(6)]
    links = {(0, 3), (3, 5), (1, 2)}
    groups = connected(keys, lambda one, other: (one[1], other[1]) in links)
    assert [[number for _, number in group] for group in groups] == [[0, 3, 5], [1, 2], [4]]


# --- related words


@pytest.mark.parametrize(
    ("one", "other"),
    [("bat", "batting"), ("combat", "bat"), ("compete", "competition"), ("move", "moving"), ("carry", "carries")],
)
def test_akin(one: str, other: str) -> None:
    assert is_akin(one, other)
    assert is_akin(other, one)


def test_not_akin() -> None:
    assert not is_akin("wing", "wink")
    assert not is_akin("season", "summer")


def sense(**profile: float) -> CoarseSense:
    return CoarseSense((("n", len(profile)),), profile, 9, frozenset((5,)))


def test_related_words_weigh_more_here_than_in_other_senses() -> None:
    animal = sense(wing=5, night=4, club=1, cave=3, ear=2, mammal=9, fruit=1, fly=2, eat=1, tail=0.5)
    bat = sense(club=7, ball=6, wing=1)
    chosen = related_words(animal, [animal, bat])
    assert list(chosen) == ["mammal", "night", "wing", "cave", "ear", "fly", "eat", "fruit"]
    assert chosen["wing"] == 4
    assert list(related_words(bat, [animal, bat])) == ["ball", "club"]


def test_one_word_of_each_family() -> None:
    verb = sense(compete=3, competition=2, competitor=1, game=1)
    assert list(related_words(verb, [verb])) == ["compete", "game"]


# --- the draw


def items_with(n_senses: int, n: int) -> list[Item]:
    senses = tuple(LineupSense(tuple("abcdefgh")) for _ in range(n_senses))
    return [Item(f"w{n_senses}n{number}", senses, float(number)) for number in range(n)]


def test_the_draw_is_among_the_best_and_has_the_right_mean() -> None:
    items = [item for n_senses in SENSES_PER_WORD for item in items_with(n_senses, 300)]
    drawn = draw_items(items, 200, 0)
    assert len(drawn) == len({item.word for item in drawn}) == 200
    assert sum(len(item.senses) for item in drawn) == 700
    assert min(item.quality for item in drawn) >= 300 - 1.5 * 75
    assert drawn == draw_items(items, 200, 0)
    assert drawn != draw_items(items, 200, 1)


@given(st.integers(8, 400))
def test_any_number_of_words_can_be_drawn(n_words: int) -> None:
    items = [item for n_senses in SENSES_PER_WORD for item in items_with(n_senses, 300)]
    assert len(draw_items(items, n_words, 0)) == n_words


def test_the_example_of_the_paper_is_always_drawn() -> None:
    items = [item for n_senses in SENSES_PER_WORD for item in items_with(n_senses, 300)]
    bat = items[0]._replace(word="bat", quality=-1.0)
    drawn = draw_items([*items, bat], 200, 0)
    assert bat in drawn
    assert len(drawn) == 200
    assert {item.word for item in drawn} - {"bat"} < {item.word for item in draw_items(items, 200, 0)}


def test_too_few_good_words() -> None:
    with pytest.raises(InputError, match="35 words with 2 senses are needed, but only 3 qualify; pass fewer"):
        draw_items(items_with(2, 3), 200, 0)


# --- the whole


@needs_wordnet
def test_the_command_makes_the_bundled_testbed_byte_for_byte(tmp_path: Path) -> None:
    made = CliRunner().invoke(lineup, ["build", "-o", str(tmp_path / "lineup.tsv")], catch_exceptions=False)
    assert "200 words, 700 senses" in made.stderr
    shipped = Path(wordatoms.__file__).parent / "data" / "lineup.tsv"
    assert (tmp_path / "lineup.tsv").read_bytes() == shipped.read_bytes()


@needs_wordnet
@pytest.mark.parametrize(
    ("form", "base"),
    [("leaves", "leaf"), ("crosses", "cross"), ("species", "species"), ("bees", "bee"), ("the", "")],
)
def test_base_forms_of_the_words_of_glosses(form: str, base: str) -> None:
    assert Lexicon(WordNet(INSTALLED)).base(form) == base


def build(*arguments: object) -> None:
    CliRunner().invoke(lineup, ["build", *map(str, arguments)], catch_exceptions=False)


def test_a_file_that_was_there_was_written_over(tmp_path: Path) -> None:
    path = tmp_path / "notes.tsv"
    path.write_text("mine")
    with pytest.raises(InputError, match=r"notes\.tsv exists already; pass another name, or remove it first"):
        build("-o", path)
    assert path.read_text() == "mine"


def test_a_missing_folder_was_noticed_after_all_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere does not exist; create it first"):
        build("-o", tmp_path / "nowhere" / "lineup.tsv")


@pytest.mark.parametrize("content", [b"", b"\xff", b"bank\t3\nriver\n"])
def test_a_bad_vocabulary_was_not_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "list.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"list\.txt is not a list of words: line \d is "):
        build("-o", tmp_path / "lineup.tsv", "--vocabulary", path)


def test_jargon_is_plain() -> None:
    assert all(word.isalpha() and word.islower() for word in JARGON)
    assert np.isclose(sum(SENSES_PER_WORD.values()), 1)

"""Labels of atoms: three telling words each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from wordatoms.atoms.labels import make_label, make_labels
from wordatoms.contexts.inflection import is_common
from wordatoms.embeddings.embeddings import Embeddings

COSINES = np.array([[0.9, 0.88, 0.86, 0.84, 0.82, 0.8]], np.float32)


def label(
    nearest: Sequence[str], counts: Sequence[int] | None = None, names: Sequence[str] = (), others: int = 0
) -> str:
    """The label of one atom with six nearest words; `others` are rarer words that are near to nothing."""
    words = [*nearest, *(f"other{number}" for number in range(others))]
    numbers = None if counts is None else np.array([*counts, *[1] * others])
    embeddings = Embeddings(tuple(words), np.eye(len(words), 4, dtype=np.float32), numbers)
    rows = np.arange(len(nearest), dtype=np.int32)[None]
    (made,) = make_labels(embeddings, rows, COSINES[:, : len(nearest)], lambda word: word not in names)
    return made


@pytest.mark.parametrize(
    ("nearest", "label"),
    [
        (["trousers", "blouse", "waistcoat", "skirt"], "trousers, blouse, waistcoat"),
        (["river", "rivers", "river's", "tributary", "tributaries", "upstream"], "river, tributary, upstream"),
        (["court's", "court", "appeals", "supreme"], "court's, appeals, supreme"),
        (["one"], "one"),
        ([], ""),
    ],
)
def test_label_has_one_word_of_each_stem(nearest: list[str], label: str) -> None:
    assert make_label(nearest) == label


def test_frequent_words_come_before_slightly_nearer_rare_ones() -> None:
    nearest = ["postseason", "clinching", "playoff", "season", "game", "mvp"]
    assert label(nearest) == "postseason, clinching, playoff", "without counts the nearest words"
    assert label(nearest, [20, 15, 400, 90_000, 80_000, 10]) == "season, game, playoff"


@pytest.mark.parametrize("unwanted", ["459", "minister's", "minister’s", "gf", "1990s"])
def test_numbers_genitives_and_abbreviations_are_passed_over(unwanted: str) -> None:
    assert label([unwanted, "minister", "cabinet", "party", "vote", "bill"]) == "minister, cabinet, party"


def test_the_most_frequent_words_are_passed_over() -> None:
    nearest, counts = ["his", "sword", "shield", "knight", "lance", "armour"], [10**6, *[500] * 5]
    assert label(nearest, counts, others=600).startswith("sword, ")
    assert label(nearest, counts).startswith("his, "), "a small vocabulary has none"


def test_names_are_passed_over_unless_the_atom_is_about_them() -> None:
    nearest = ["wembley", "equaliser", "jackson", "match", "goal", "club"]
    assert label(nearest, names=["wembley", "jackson"]) == "equaliser, match, goal"
    assert label(nearest, names=[*nearest[:4], "goal"]) == "wembley, equaliser, jackson", "as near as they are"


def test_an_atom_of_nothing_but_numbers_keeps_them() -> None:
    assert label(["1", "2", "3", "4", "5", "6"]) == "1, 2, 3"
    assert label(["1", "2", "year", "4", "5", "6"], names=["year"]) == "year, 1, 2"


def test_words_of_other_scripts_are_words() -> None:
    assert label(["हिन्दी", "本", "भाषा", "語", "x", "42"]) == "हिन्दी, 本, भाषा"


def test_the_dictionary_tells_names_from_words() -> None:
    assert all(map(is_common, ["river", "trousers", "equaliser", "his"]))
    assert not any(map(is_common, ["wembley", "jax", "gf", "459", "johnson", ""]))
    assert is_common("haus", "de"), "nouns have capitals in German"
    assert is_common("wembley", "xx"), "a language without a dictionary"

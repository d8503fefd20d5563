"""All words of two models: planted texts in which a few words move to another discourse, so that it is known which."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import orthogonal_procrustes

import wordatoms as wa
from invoking import invoke, refused
from naive_posterior import build_stage
from wordatoms.cli.compare import compare
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.senses.differences import LEAST_IN_BAND, band_quantiles, turned_differences
from wordatoms.senses.model import SenseModel
from wordatoms.storage.folder import ModelFolder

N_DISCOURSES, N_WORDS, N_LINES = 8, 50, 4000
MOVED = {0: 4, 51: 2, 102: 7, 153: 5}
"""Words, by number, and the discourse that each has in the second text."""
Models = tuple[SenseModel, SenseModel, SenseModel]


def word_of(number: int) -> str:
    return f"w{'abcdefgh'[number // N_WORDS]}{number % N_WORDS:02}".translate(str.maketrans("0123456789", "klmnopqrst"))


def write_text(path: Path, seed: int, *, moved: bool = False) -> None:
    """Lines of one discourse each; a moved word takes the places of a word of its new discourse, and that one its."""
    rng = np.random.default_rng(seed)
    discourses = np.arange(N_LINES)[:, None] % N_DISCOURSES
    numbers = discourses * N_WORDS + rng.integers(N_WORDS, size=(N_LINES, 20))
    others = rng.integers(N_DISCOURSES * N_WORDS, size=numbers.shape)
    numbers = np.where(rng.random(numbers.shape) < 0.2, others, numbers)
    names = np.array([word_of(number) for number in range(N_DISCOURSES * N_WORDS)])
    for number, discourse in MOVED.items() if moved else ():
        other = discourse * N_WORDS + number % N_WORDS
        names[[number, other]] = names[[other, number]]
    path.write_text("\n".join(" ".join(line) for line in names[numbers]), "utf-8")


def moved_words() -> set[str]:
    """Both words of each exchange."""
    return {word_of(each) for number, new in MOVED.items() for each in (number, new * N_WORDS + number % N_WORDS)}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """A model, one of a text in which words moved, and one of other text like the first, without atoms."""
    folder = tmp_path_factory.mktemp("differences")
    for seed, name in enumerate(("first", "second", "floor")):
        write_text(folder / f"{name}.txt", seed, moved=name == "second")
        invoke("count", folder / f"{name}.txt", "-o", folder / name, "--quiet", "--threads", "1")
        invoke("embed", folder / name, "--dim", "12", "--quiet", "--threads", "1")
        if name != "floor":
            few = ("--atoms", "10", "--restarts", "2", "--iterations", "3", "--sparsity", "2")
            invoke("atomize", folder / name, *few, "--quiet", "--threads", "1")
    first, second, floor = (wa.load(folder / name) for name in ("first", "second", "floor"))
    return first, second, floor


def vectors_model(path: Path, embeddings: Embeddings) -> SenseModel:
    folder = ModelFolder(path, create=True)
    build_stage(folder, "import", embeddings.save)
    return SenseModel(folder.path)


# --- what is found


def test_moved_words_stand_out_and_others_do_not(models: Models) -> None:
    found = wa.compare_models(*models, n=400)
    assert found.n_compared == len(found) == N_DISCOURSES * N_WORDS
    assert {each.word for each in found[: len(moved_words())]} == moved_words()
    others = [each for each in found if each.word not in moved_words()]
    assert all(each.stands_out for each in found if each.word in moved_words())
    assert sum(bool(each.stands_out) for each in others) <= 0.05 * len(others)
    assert found.n_standing_out == sum(bool(each.stands_out) for each in found)
    assert all(each.limit >= (each.floor or 0) for each in found)


def test_without_a_floor_nothing_is_said_to_stand_out(models: Models) -> None:
    found = wa.compare_models(*models[:2], n=20)
    assert {each.word for each in found[: len(moved_words())]} == moved_words()
    assert [each.rank for each in found] == [*range(1, 21)]
    assert [each.difference for each in found] == sorted((each.difference for each in found), reverse=True)
    assert found.n_standing_out is None
    assert all(each.stands_out is None and each.limit is None and each.floor is None for each in found)


def test_words_are_described_in_each_model(models: Models) -> None:
    found = {each.word: each for each in wa.compare_models(*models, n=8, n_nearest=5)}
    moved = found[word_of(0)]
    for near, discourse in zip(moved.nearest, "ae", strict=True):
        assert len(near) == 5
        assert sum(each.word.startswith(f"w{discourse}") for each in near) >= 4
    assert all(count >= 100 for count in moved.counts)
    assert all(moved.only)  # the discourse that it left, and the one that it moved to


def test_nothing_differs_from_itself(models: Models) -> None:
    found = wa.compare_models(models[0], models[0], models[2], n=400)
    assert found.n_standing_out == 0
    assert max(abs(each.difference) for each in found) < 1e-5


def test_the_same_words_the_other_way_round(models: Models) -> None:
    there = {each.word: each.difference for each in wa.compare_models(*models[:2], n=400)}
    back = {each.word: each.difference for each in wa.compare_models(models[1], models[0], n=400)}
    assert there == pytest.approx(back, abs=1e-5)


def test_spaces_of_different_dimensions(models: Models, tmp_path: Path) -> None:
    first = models[0].embeddings
    wide = np.hstack([first.vectors, np.zeros((len(first), 3), np.float32)])[:, ::-1]
    second = vectors_model(tmp_path / "wide", Embeddings(first.words, wide, counts=first.counts))
    found = wa.compare_models(models[0], models[1], second, n=400)
    assert max(each.floor for each in found) < 1e-5


def test_a_table_has_a_row_for_each_word(models: Models) -> None:
    frame = wa.compare_models(*models, n=7).to_frame()
    names = "rank word difference floor limit stands_out count1 count2 nearest1 nearest2 only1 only2"
    assert frame.columns.tolist() == names.split()
    assert len(frame) == 7


# --- naive twins


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_differences_equal_those_of_scipy(seed: int, dim: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, 30, dim))
    first, second = (
        (each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float32) for each in (first, second)
    )
    turn, _ = orthogonal_procrustes(second.astype(float), first.astype(float))
    expected = [1 - float(np.dot(a, b @ turn)) for a, b in zip(first.astype(float), second.astype(float), strict=True)]
    # the best turn is found by the sum of cosines, which many turns share if a singular value is next to 0
    found = turned_differences(first, second)
    assert found.sum() == pytest.approx(sum(expected), abs=1e-4)
    if np.linalg.svd(second.T @ first, compute_uv=False)[-1] > 0.1:
        assert found == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=500), st.floats(0.05, 0.95))
def test_limits_are_quantiles_of_bands(counts: list[int], quantile: float) -> None:
    rng = np.random.default_rng(len(counts))
    floor, asked = rng.random(len(counts)), rng.integers(0, 60, 20)
    found = band_quantiles(asked, np.array(counts), floor, quantile)
    n_bands, ordered = max(1, len(counts) // LEAST_IN_BAND), sorted(counts)
    edges = sorted({ordered[len(counts) * band // n_bands] for band in range(1, n_bands)} - {ordered[0]})
    for count, limit in zip(asked.tolist(), found.tolist(), strict=True):
        low = max([edge for edge in edges if edge <= count], default=-1)
        high = min([edge for edge in edges if edge > count], default=10**9)
        inside = [value for value, each in zip(floor, counts, strict=True) if low <= each < high]
        assert limit == pytest.approx(np.quantile(inside, quantile))


# --- bad input


def test_bad_numbers_are_refused(models: Models) -> None:
    with pytest.raises(InputError, match="n is 0"):
        wa.compare_models(*models, n=0)
    with pytest.raises(InputError, match=r"quantile is 1\.5"):
        wa.compare_models(*models, quantile=1.5)
    with pytest.raises(InputError, match=r"0 words in common that occur 1,000,000 times .* need 24 .* --min-count"):
        wa.compare_models(*models, min_count=1_000_000)


def test_models_of_two_languages_are_refused(models: Models, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("der Hund und die Katze\n" * 10, "utf-8")
    invoke("count", tmp_path / "text.txt", "-o", tmp_path / "german", "--language", "de", "--quiet", "--threads", "1")
    with pytest.raises(InputError, match=r"of the language 'en' and .*german of 'de'; pass models of the same"):
        wa.compare_models(*models[:2], wa.load(tmp_path / "german"))


def test_words_without_counts_need_a_minimum_of_0(models: Models, tmp_path: Path) -> None:
    floor = models[2].embeddings
    uncounted = vectors_model(tmp_path / "uncounted", Embeddings(floor.words, floor.vectors))
    with pytest.raises(InputError, match="does not know how frequent its words are; pass a minimum count of 0"):
        wa.compare_models(*models[:2], uncounted)
    found = wa.compare_models(*models[:2], uncounted, min_count=0, n=8)
    assert {each.word for each in found} == moved_words()


def test_words_without_a_vector_are_left_out(models: Models, tmp_path: Path) -> None:
    first = models[0].embeddings
    vectors = first.vectors.copy()
    vectors[3] = 0
    empty = vectors_model(tmp_path / "empty", Embeddings(first.words, vectors, counts=first.counts))
    found = {each.word: each for each in wa.compare_models(*models[:2], empty, n=400)}
    assert found[first.words[3]].floor is None


# --- the command


def arguments(models: Models, *more: object) -> list[str]:
    return [str(models[0].path), str(models[1].path), *map(str, more)]


def test_the_command_shows_words_and_the_floor(models: Models) -> None:
    result = invoke("compare", *arguments(models, "--all", "--floor", models[2].path, "-n", "8"))
    header, *lines = result.stdout.splitlines()
    assert header.split()[:6] == ["rank", "word", "difference", "limit", "stands", "out"]
    assert {line.split()[1] for line in lines} == moved_words()
    assert "of 400 words stand out" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_command_says_that_there_is_no_floor(models: Models) -> None:
    result = invoke("compare", *arguments(models))
    assert len(result.stdout.splitlines()) == 51
    assert result.stderr == (
        "400 words compared without a floor (--floor): differences of rare words are mostly noise\n"
    )


def test_the_command_writes_a_table(models: Models, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    assert invoke("compare", *arguments(models, "-o", table, "-n", 12)).stdout == ""
    with table.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["rank"] for row in rows] == [*map(str, range(1, 13))]
    assert {row["word"] for row in rows[:8]} == moved_words()
    assert "is there already" in refused("compare", *arguments(models, "-o", table))
    assert "not a supported table" in refused("compare", *arguments(models, "-o", tmp_path / "table.doc"))


def test_the_command_prints_json(models: Models) -> None:
    found = json.loads(invoke("compare", *arguments(models, "--json", "-n", "3", "--floor", models[2].path)).stdout)
    assert {*found} == {"models", "floor", "n_compared", "n_standing_out", "words"}
    assert {each["word"] for each in found["words"]} <= moved_words()
    assert len(found["words"]) == 3


def test_unknown_models_are_one_sentence(models: Models, tmp_path: Path) -> None:
    assert "nowhere" in refused("compare", models[0].path, tmp_path / "nowhere")
    assert "nowhere" in refused("compare", *arguments(models, "--floor", tmp_path / "nowhere"))
    assert "has no atoms yet" in refused("compare", models[0].path, models[2].path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("tie", "--all"), "leave out the word 'tie'"),
        (("tie", "--floor", "x"), "--floor is for comparing all words"),
        (("tie", "-o", "x.csv"), "-o is for comparing all words"),
        (("--forms",), "--forms pools the forms of one word"),
        (("--quantile", "1"), "quantile"),
    ],
)
def test_options_that_do_not_go_together(models: Models, options: tuple[str, ...], message: str) -> None:
    result = CliRunner().invoke(compare, arguments(models, *options))
    assert result.exit_code == 2
    assert message in result.stderr

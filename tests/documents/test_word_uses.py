"""Words that groups use differently: planted ones are found, random groups are not, sums by the naive twin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import wordatoms as wa
from lettered import discourse, lettered, lettered_model
from wordatoms.cli.compare import compare
from wordatoms.documents.word_uses import UseComparison, _Contexts, compare_uses
from wordatoms.errors import InputError, WordatomsError
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import WindowAtoms

PLANTED = lettered("d3w0")
"""A word of discourse 3 that group b uses among the words of discourse 9."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("uses") / "model")


def documents(n: int = 240) -> tuple[list[str], list[str]]:
    """Every second document of a group has the planted word; the others are alike in both groups."""
    rng = np.random.default_rng(2)
    texts, groups = [], []
    for number in range(n):
        group = "ab"[number % 2]
        if number % 4 < 2:
            words = discourse(int(rng.integers(4, 9)), rng.permutation(30)[:20]).split()  # type: ignore[arg-type]
        else:
            around = discourse(3 if group == "a" else 9, 1 + rng.permutation(29)[:8]).split()  # type: ignore[arg-type]
            words = [*around[:4], PLANTED, *around[4:]]
        texts.append(" ".join(words))
        groups.append(group)
    return texts, groups


@pytest.fixture(scope="module")
def found(model: SenseModel) -> UseComparison:
    texts, groups = documents()
    return compare_uses(model, texts, groups=groups, n=1000, min_uses=4)


def test_a_planted_difference_is_first(found: UseComparison) -> None:
    first = found[0]
    assert (first.word, first.group, first.stands_out, first.rank) == (PLANTED, "a", True, 1)
    assert first.difference > 2 * first.limit
    assert (first.uses, first.other_uses) == (60, 60)
    assert {near.word[:2] for near in first.nearest[:3]} == {lettered("d3")}
    assert {near.word[:2] for near in first.other_nearest[:3]} == {lettered("d9")}
    assert PLANTED not in {near.word for near in first.nearest}
    assert first.more != first.less
    assert found.groups == ("a",)


def test_others_rarely_stand_out(found: UseComparison) -> None:
    own = [row for row in found if row.word != PLANTED]
    assert len(own) > 50
    assert sum(row.stands_out for row in own) < 0.15 * len(own)
    assert found.n_standing_out == sum(row.stands_out for row in found)
    assert found.n_compared == len(found)
    excess = [row.difference - row.limit for row in found]
    assert excess == sorted(excess, reverse=True)


def test_random_groups_stand_out_by_chance_only(model: SenseModel) -> None:
    texts, _ = documents()
    groups = np.random.default_rng(7).permutation(["x", "y", "z", None] * 60).tolist()
    random = compare_uses(model, texts, groups=groups, min_uses=4, n=3)
    assert random.groups == ("x", "y", "z")
    assert random.n_compared > 100
    assert random.n_standing_out < 0.15 * random.n_compared
    assert random.n_by_chance < 0.1 * random.n_compared


def test_sums_of_contexts_by_the_naive_count(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordatoms.documents.word_uses.BLOCK_WORDS", 64)
    windows = WindowAtoms.of_model(model, 2, None, remove_common=True, scale=None)
    rng = np.random.default_rng(0)
    texts = [rng.integers(50, size=size).astype(np.int32) for size in (30, 1, 0, 17, 40, 5)]
    labels = np.array([0, 1, 0, 1, 0, -1])
    words = np.array([3, 7, 11, 20])
    sums, uses = _Contexts(windows, texts, words)._sums(labels, 2)
    weighted = windows.sif.weighted_vectors()
    expected, n = np.zeros_like(sums), np.zeros_like(uses)
    for text, label in zip(texts, labels, strict=True):
        for place, row in enumerate(text.tolist()):
            around = [*text[max(0, place - 2) : place], *text[place + 1 : place + 3]]
            if row in words and label >= 0 and around:
                at = words.tolist().index(row)
                expected[label, at] += weighted[around].mean(axis=0)
                n[label, at] += 1
    assert uses.tolist() == n.tolist()
    np.testing.assert_allclose(sums, expected, atol=1e-5)


def test_the_same_seed_gives_the_same(model: SenseModel, found: UseComparison) -> None:
    texts, groups = documents()
    options: dict[str, Any] = {"groups": groups, "n": 1000, "min_uses": 4}
    assert list(compare_uses(model, texts, **options)) == list(found)
    assert list(compare_uses(model, texts, seed=1, **options)) != list(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": ["a"] * 240}, "there are 1 groups; pass something with 2 to 20"),
        ({"groups": ["a", "b"]}, "there are 2 groups for 240 documents"),
        ({"groups": list(range(240))}, "there are 240 groups"),
        ({"groups": ["a", "b"] * 120, "min_uses": 10_000}, "no word occurs 10,000 times in a group"),
        ({"groups": ["a", "b"] * 120, "quantile": 1.0}, "quantile is 1.0"),
        ({"groups": ["a", "b"] * 120, "n": 0}, "n is 0"),
        ({"groups": "a" * 240}, "groups"),
        ({"groups": None}, "groups"),
    ],
)
def test_bad_input_is_one_sentence(model: SenseModel, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare_uses(model, documents()[0], **options)


# --- the command


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "news.csv"
    texts, groups = documents()
    years = {"a": "1893-05", "b": "1907-01"}
    rows = [f"{text},{group},{years[group]}" for text, group in zip(texts, groups, strict=True)]
    path.write_text("\n".join(["text,party,date", *rows]) + "\n")
    return path


def run(model: SenseModel, table: Path, *arguments: object) -> Result:
    given = [table, "--model", model.path, "--column", "text", *arguments]
    return CliRunner().invoke(compare, [*map(str, given)])


def test_command_compares_groups_and_decades(
    model: SenseModel, table: Path, tmp_path: Path, found: UseComparison
) -> None:
    result = run(model, table, "--by", "party", "-n", 3)
    assert result.exit_code == 0, result.exception
    assert PLANTED in result.stdout.splitlines()[1]
    assert "stand out; of random groups of the same sizes" in result.stderr
    result = run(model, table, "--by", "date:decade", "-o", tmp_path / "words.csv")
    assert result.exit_code == 0, result.exception
    header, first = (tmp_path / "words.csv").read_text().splitlines()[:2]
    assert header.startswith("rank,word,group,difference,limit,stands_out,uses,other_uses")
    assert first.startswith(f"1,{PLANTED},1890s,{found[0].difference:.6g}")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "nothing"], "has no column 'nothing'; its columns are"),
        (["--by", "text:decade"], "is not a date"),
        (["--by", "party", "--floor", "model"], "--floor is for models"),
        (["--by", "party", "--time-format", "%d"], "--time-format needs dates"),
        (["--seed", "3"], "Missing argument 'MODEL2'"),
    ],
)
def test_wrong_options_are_one_sentence(model: SenseModel, table: Path, arguments: list[str], message: str) -> None:
    result = run(model, table, *arguments)
    assert result.exit_code != 0
    assert message in (str(result.exception) if isinstance(result.exception, WordatomsError) else result.output)


def test_a_column_is_for_groups(model: SenseModel) -> None:
    result = CliRunner().invoke(compare, [str(model.path), str(model.path), "--column", "text"])
    assert "--column is for groups of documents" in result.output


def test_it_is_exported() -> None:
    assert wa.compare_uses is compare_uses

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.errors import InputError
from wordatoms.paper.tasks.walk import evaluate as task
from wordatoms.paper.tasks.walk.data import BLOCK_WINDOWS, Contexts, GaussianWalk, discourse_covariance, draw_walk
from wordatoms.paper.tasks.walk.evaluate import (
    STATEMENTS,
    WalkResult,
    compare,
    evaluate_walk,
    text_lengths,
)
from wordatoms.paper.tasks.walk.exhibit import draw_errors, numbers_of

walk_command = evaluate_group.commands["walk"]

PAIRS = np.array([[0, 1], [2, 3], [4, 5]])
SMALL = ["--words", "600", "--dim", "4", "--window", "10", "--trace", "1", "--tokens", "100000", "--pairs", "20"]


@pytest.fixture(scope="module")
def walk() -> GaussianWalk:
    return draw_walk(1500, covariance=discourse_covariance(4, trace=1, spread=8), window=10)


@pytest.fixture(scope="module")
def result(walk: GaussianWalk) -> WalkResult:
    return evaluate_walk(walk, n_tokens=1_500_000, n_lengths=4, n_pairs=30)


@pytest.fixture
def perfect(walk: GaussianWalk) -> Contexts:
    """Contexts whose means A takes to the vectors exactly."""
    counts = np.arange(1.0, len(walk) + 1)
    inverse = np.linalg.inv(walk.induced_matrix(target_in_window=False))
    n_neighbours = counts * (walk.window - 1)
    return Contexts(counts, n_neighbours[:, None] * (walk.vectors @ inverse.T), n_neighbours)


def test_perfect_contexts_have_no_error(walk: GaussianWalk, perfect: Contexts) -> None:
    for measure in task._measure(walk, perfect, perfect, PAIRS, 1):
        assert measure.fit.relative_error == pytest.approx(0, abs=1e-9)
        assert measure.fit.cosine in (None, pytest.approx(1))
        assert measure.baselines[measure.best_baseline].relative_error > 0.05


def test_words_and_pairs_that_do_not_occur_are_left_out(walk: GaussianWalk, perfect: Contexts) -> None:
    present = np.ones(len(walk))
    present[[5, 7]] = 0
    partial = Contexts(perfect.counts * present, perfect.sums * present[:, None], perfect.n_neighbours * present)
    for measure in task._measure(walk, partial, partial, PAIRS, 1):
        assert measure.fit.relative_error == pytest.approx(0, abs=1e-9)
    with pytest.raises(InputError, match="fewer than two pairs"):
        task._measure(walk, partial, partial, PAIRS[1:], 1)


def test_errors_fall_towards_those_of_an_endless_text(result: WalkResult) -> None:
    for statement in STATEMENTS:
        errors = [measure.fit.relative_error for measure in result.finite(statement)]
        assert errors == sorted(errors, reverse=True)
        assert errors[-1] < 1.5 * result.of(statement)[-1].fit.relative_error + 0.05
    assert result.agrees
    assert result.verdict.endswith("agrees.")


def test_the_known_matrix_is_far_better_than_none(result: WalkResult) -> None:
    for statement in ("theorem1_left_out", "theorem1_in_window", "theorem2"):
        last = result.finite(statement)[-1]
        assert last.fit.cosine > 0.97
        assert last.fit.relative_error < 0.7 * last.baselines[last.best_baseline].relative_error
    senses = result.finite("theorem2")[-1].baselines
    assert senses["random pair of senses"].relative_error > 3 * senses["equal shares"].relative_error > 0


def test_a_text_too_short_does_not_agree(walk: GaussianWalk) -> None:
    short = evaluate_walk(walk, n_tokens=8_000, n_lengths=1, n_pairs=300)
    assert not short.agrees
    assert "not shown by this text" in short.verdict


def test_the_evidence_is_complete(result: WalkResult) -> None:
    header, rows = result.table()
    assert header[:4] == ["statement", "tokens", "relative_error", "cosine"]
    assert len(rows) == 5 * 4 + 1
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["settings", "scores", "baselines", "paper", "verdict", "items"]
    assert set(written["scores"]) == set(written["baselines"]) == set(STATEMENTS)
    assert len(written["items"]) == 5 * 5 + 1
    assert written["settings"]["spread"] == pytest.approx(8)
    tokens = [item["tokens"] for item in written["items"] if item["statement"] == "theorem2"]
    assert tokens[-1] is None
    assert all(n % (BLOCK_WINDOWS * 10) == 0 for n in tokens[:-1])


def test_compare_by_hand() -> None:
    fit = compare(np.array([[3.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert fit.relative_error == pytest.approx((2 + 1) / 2)
    assert fit.cosine == pytest.approx((1 + np.sqrt(0.5)) / 2)


def test_lengths_of_the_texts() -> None:
    block = BLOCK_WINDOWS * 20
    assert text_lengths(64 * block, 20, 4) == [1, 4, 16, 64]
    assert text_lengths(64 * block - 1, 20, 2) == [16, 64]
    assert text_lengths(5 * block, 20, 9) == [1, 5]
    assert text_lengths(1, 20, 3) == [1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_tokens": 0}, "n_tokens is 0"),
        ({"n_lengths": 0}, "n_lengths is 0"),
        ({"n_pairs": 1}, "n_pairs is 1; with 1,500 words pass 2 to 375"),
        ({"n_pairs": 376}, "n_pairs is 376"),
        ({"random_state": -3}, "random_state is -3"),
    ],
)
def test_bad_parameters(walk: GaussianWalk, options: dict[str, int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate_walk(walk, **options)


def test_the_plot(result: WalkResult) -> None:
    chart = draw_errors(numbers_of(result))
    assert len(chart.lines) == 6
    assert all(len(line.xs) == len(line.ys) > 1 for line in chart.lines.values())


def test_the_command_gives_the_same_json_on_any_number_of_threads() -> None:
    one, many = (CliRunner().invoke(walk_command, [*SMALL, "--json", "--threads", n]) for n in ("1", "3"))
    assert one.exit_code == 0
    assert one.stdout == many.stdout
    assert json.loads(one.stdout)["settings"]["n_words"] == 600


def test_the_command_shows_a_table_and_the_verdict() -> None:
    shown = CliRunner().invoke(walk_command, SMALL)
    assert shown.stdout.startswith("statement")
    assert "The paper proves" in shown.stderr


def test_the_command_announced_fewer_tokens_than_it_drew() -> None:
    shown = CliRunner().invoke(walk_command, [*SMALL, "--tokens", "1000", "--window", "30", "--pairs", "100"])
    assert shown.exit_code == 0, shown.output
    assert f"drew {BLOCK_WINDOWS * 30:,} tokens" in shown.stderr
    assert f"with {BLOCK_WINDOWS * 30:,} tokens" in shown.stderr
    assert f"blocks of {BLOCK_WINDOWS} windows" in " ".join(CliRunner().invoke(walk_command, ["--help"]).output.split())


def test_too_few_words_were_told_to_take_2_to_0_pairs() -> None:
    tiny = draw_walk(2, covariance=np.eye(2), window=5)
    with pytest.raises(InputError, match="n_words is 2; pass 8 or more"):
        evaluate_walk(tiny, n_pairs=2)


def test_the_page_shows_what_the_command_wrote() -> None:
    docs = Path(__file__).parents[3] / "docs"
    items = json.loads((docs / "results" / "walk.json").read_text("utf-8"))["items"]
    lines = (docs / "results" / "theory-walk.md").read_text("utf-8").splitlines()
    for item in items:
        if item["statement"] in ("theorem1_left_out", "matrix_left_out", "theorem2"):
            start = f"| {item['tokens']:,} |" if item["tokens"] else "| endless |"
            (line,) = (line for line in lines if line.startswith(start))
            fits = [item, *(fit for name, fit in item["baselines"].items() if name != "identity")]
            assert all(f" {fit['relative_error']:.3f} " in line for fit in fits)

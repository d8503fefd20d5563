"""How contexts are read is chosen by pseudowords: what is measured, what is tried, and what is reported."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import wordatoms.tuning.choice as module
from naive_posterior import sum_of_products
from pseudowordworld import DISCOURSE, WINDOW, World
from wordatoms.contexts.reader import TUNED, ReadingSettings
from wordatoms.contexts.windows import WordWindows
from wordatoms.errors import InputError
from wordatoms.senses.clustering import cluster_vectors
from wordatoms.senses.posterior import to_unit
from wordatoms.tuning.choice import GRID, Bench, Trial, TuningResult, choose_settings, make_bench
from wordatoms.tuning.pseudowords import PseudowordSet, draw_pseudowords

FEW = {
    "noise": (0.0, 0.5),
    "falloff": (0.0, 0.75),
    "window": (1, 5),
    "a": (1e-3,),
    "rest": (0.0, 0.2),
    "least_gain": (0.02, 0.3),
    "scale": (0.01, 20.0),
    "sense_share": (0.0, 1.0),
    "context_share": (0.0, 0.6),
}
MEASURES = list(TUNED)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("tuning"))


@pytest.fixture(scope="module")
def benches(world: World) -> tuple[Bench, Bench]:
    halves = world.draw(12).halves()
    return tuple(make_bench(world.embeddings, world.induced_map, world.atoms, half, world.windows) for half in halves)  # type: ignore[return-value]


@pytest.fixture(scope="module")
def bench(benches: tuple[Bench, Bench]) -> Bench:
    return benches[0]


@pytest.fixture(scope="module")
def seen() -> list[Trial]:
    return []


@pytest.fixture(scope="module")
def result(benches: tuple[Bench, Bench], seen: list[Trial]) -> TuningResult:
    return choose_settings(*benches, grid=FEW, on_trial=seen.append)


# --- what is tried and chosen


def test_sensible_values_are_chosen(result: TuningResult) -> None:
    """A word of context says less than five, a posterior that believes nothing less than one that does."""
    assert result.settings.window == 5
    assert result.settings.scale == 20.0
    assert result.settings.context_share + result.settings.sense_share > 0


def test_every_trial_is_reported(result: TuningResult, seen: list[Trial]) -> None:
    assert list(result.trials) == seen
    of_setting = {name: measure for measure, names in TUNED.items() for name in names}
    for trial in result.trials:
        assert trial.value in FEW[trial.setting]
        assert trial.measure == of_setting[trial.setting]
        assert math.isfinite(trial.score)
    assert {trial.setting for trial in result.trials} >= {"noise", "window", "least_gain", "scale", "sense_share"}


def test_trials_are_what_the_bench_measures(bench: Bench, result: TuningResult) -> None:
    first = result.trials[0]
    assert (first.setting, first.value) == ("noise", 0.0)
    assert first.score == bench.measure(first.measure, ReadingSettings(noise=0.0))


def test_chosen_settings_are_the_best_of_what_was_tried(bench: Bench, result: TuningResult) -> None:
    for measure in ("put together", "told apart by senses"):
        best = max(trial.score for trial in result.trials if trial.measure == measure)
        assert bench.measure(measure, result.settings) == pytest.approx(best)


def test_chosen_values_come_from_the_grid(result: TuningResult) -> None:
    assert all(getattr(result.settings, name) in values for name, values in FEW.items())
    assert {name for names in TUNED.values() for name in names} == {*GRID} == {*FEW}


def test_figures_are_those_of_the_other_half(benches: tuple[Bench, Bench], result: TuningResult) -> None:
    choosing, checking = benches
    assert result.chosen == checking.figures(result.settings) != choosing.figures(result.settings)
    assert result.default == checking.figures(ReadingSettings())
    paper = ReadingSettings(window=10, falloff=0.0, noise=0.0, scale=result.settings.scale)
    assert result.paper == checking.figures(paper)
    assert result.without_atoms == checking.figures(result.settings, with_atoms=False)
    for figures in (result.chosen, result.default, result.paper, result.without_atoms):
        assert [*figures] == MEASURES
        assert all(-1 <= figure <= 1 for figure in figures.values())
    assert [*result.figures().values()] == [result.chosen, result.default, result.paper, result.without_atoms]


def test_planted_senses_are_told_apart(result: TuningResult) -> None:
    assert result.chosen["told apart by senses"] > 0.7
    assert result.chosen["put together"] > 0.5
    assert result.chosen["similarity"] > 0.4


def test_a_start_of_ones_own(benches: tuple[Bench, Bench]) -> None:
    one_each = {name: values[:1] for name, values in FEW.items()}
    start = ReadingSettings(noise=2.0, scale=7.0)
    result = choose_settings(*benches, grid=one_each, start=start)
    assert result.settings == replace(start, **{name: values[0] for name, values in one_each.items()})


def test_same_choice_again(world: World, result: TuningResult) -> None:
    halves = world.draw(12).halves()
    again = [make_bench(world.embeddings, world.induced_map, world.atoms, half, world.windows) for half in halves]
    assert choose_settings(*again, grid=FEW) == result


# --- the measures


def naive_area(same: list[float], different: list[float]) -> float:
    """The share of pairs of pairs in which the one with the same word is more alike."""
    wins = [(one > other) + 0.5 * (one == other) for one in same for other in different]
    return sum(wins) / len(wins)


def test_told_apart_is_the_share_of_pairs_in_the_right_order(bench: Bench) -> None:
    settings = ReadingSettings(window=WINDOW)
    posterior, areas = bench.posterior(settings), []
    weights = bench.pseudowords.weights(bench.atoms)
    for pseudoword, each in zip(bench.pseudowords.pseudowords, weights, strict=True):
        units = to_unit(posterior.sense_means(each, posterior.reader.vectors(pseudoword.windows)))
        products = (units @ units.T).tolist()
        pairs = [(i, j) for i in range(24) for j in range(i)]
        same = [products[i][j] for i, j in pairs if (i < 12) == (j < 12)]
        areas.append(naive_area(same, [products[i][j] for i, j in pairs if (i < 12) != (j < 12)]))
    assert bench.measure("told apart by senses", settings) == pytest.approx(np.mean(areas), abs=2e-3)


def test_put_together_is_perfect_where_contexts_are(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cluster_vectors", lambda rows, *_, **__: np.repeat([0, 1], len(rows) // 2))
    assert bench.measure("put together", ReadingSettings()) == pytest.approx(1)
    monkeypatch.setattr(module, "cluster_vectors", lambda rows, *_, **__: np.zeros(len(rows), int))
    assert bench.measure("put together", ReadingSettings()) == 0


def test_two_three_and_four_words_in_turn(bench: Bench) -> None:
    items = bench._joined
    assert [len(set(each.labels.tolist())) for each in items] == [2, 3, 4, 2, 3, 4]
    for each in items:
        assert len(each.windows) == len(each.labels) == 12 * len(set(each.labels.tolist()))
        assert all(weight > 0 for weight in each.weights.values())
    own = {*bench.pseudowords.weights(bench.atoms)[1]} | {*bench.pseudowords.weights(bench.atoms)[2]}
    assert {*items[1].weights} == own


def test_comparisons_of_each_pseudoword(bench: Bench, world: World) -> None:
    """Each twice: with the word hidden in the pseudoword, and as it is."""
    units = world.embeddings.unit_vectors
    hidden, plain = bench.comparisons[::2], bench.comparisons[1::2]
    assert [each.pseudoword for each in hidden] == np.repeat(range(len(bench.pseudowords)), 6).tolist()
    for number, (each, twin) in enumerate(zip(hidden, plain, strict=True)):
        assert twin.pseudoword is None
        assert (twin.word, twin.other, twin.similarity) == (each.word, each.other, each.similarity)
        assert twin.window is each.window
        assert twin.other_window is each.other_window
        pseudoword = bench.pseudowords.pseudowords[number // 6]
        first = number % 6 < 3
        assert each.word == pseudoword.rows[0 if first else 1]
        assert each.window.tolist() in (pseudoword.windows[:12] if first else pseudoword.windows[12:]).tolist()
        assert each.other not in pseudoword.rows
        assert each.similarity == pytest.approx(float(units[each.word] @ units[each.other]), abs=1e-5)
        around = np.delete(world.windows.of(each.other), WINDOW, axis=1)
        assert each.other_window.tolist() in np.where(around == each.other, -1, around).tolist()


def test_contexts_help_where_a_word_is_hidden_and_only_there(bench: Bench) -> None:
    without = ReadingSettings(sense_share=0.0, context_share=0.0)
    hidden, plain = (replace(bench, comparisons=bench.comparisons[start::2]) for start in (0, 1))
    assert plain.measure("similarity", without) == pytest.approx(1, abs=1e-3)
    assert hidden.measure("similarity", without) < hidden.measure(
        "similarity", ReadingSettings(sense_share=1.0, context_share=0.5)
    )
    assert hidden.measure("similarity", without) == hidden.measure("similarity", replace(without, scale=3.0, noise=0.0))


def test_views_put_most_contexts_with_their_own(bench: Bench) -> None:
    """Clusters of the measure are no worse than the planted ones by what k-means makes large."""
    posterior = bench.posterior(ReadingSettings())
    for windows, labels, weights in bench._weighted:
        views = posterior.views(weights, posterior.reader.vectors(windows)).astype(float)
        found = cluster_vectors(views, 2).tolist()
        assert sum_of_products(views, found) >= sum_of_products(views, labels.tolist()) - 1e-9
        assert len({int(DISCOURSE[row]) for row in windows[windows >= 0]}) == 4  # with noise from all discourses


def one_value_each(**values: tuple[float, ...]) -> dict[str, tuple[float, ...]]:
    return {**{name: usual[:1] for name, usual in GRID.items()}, **values}


def test_value_that_is_the_default_is_among_the_trials(benches: tuple[Bench, Bench]) -> None:
    result = choose_settings(*benches, grid=one_value_each(falloff=(0.0, 0.75)))
    assert {trial.value for trial in result.trials if trial.setting == "falloff"} == {0.0, 0.75}


@pytest.mark.parametrize("start", [ReadingSettings(), ReadingSettings(sense_share=1.0, context_share=0.5)])
def test_last_choice_is_no_worse_than_a_trial_before(benches: tuple[Bench, Bench], start: ReadingSettings) -> None:
    grid = one_value_each(sense_share=(0.0, 1.0), context_share=(0.0, 0.6), scale=(20.0,), window=(50,))
    result = choose_settings(*benches, grid=grid, start=start)
    best = max(trial.score for trial in result.trials if trial.measure == "similarity")
    assert benches[0].measure("similarity", result.settings) >= best


def test_few_words_are_not_compared_with_themselves(world: World) -> None:
    rows = [0, 1, 8, 9, 16, 17, 24, 25]
    parts = [slice(*world.windows.indptr[row : row + 2]) for row in rows]
    windows = WordWindows(
        np.array(rows),
        np.cumsum([0, *(part.stop - part.start for part in parts)]),
        np.concatenate([world.windows.hashes[part] for part in parts]),
        np.concatenate([world.windows.windows[part] for part in parts]),
        world.windows.n_most,
        world.windows.words_digest,
    )
    pseudowords = draw_pseudowords(
        world.embeddings, world.contexts, world.induced_map, windows, n_pseudowords=4, n_contexts=12
    )
    bench = make_bench(world.embeddings, world.induced_map, world.atoms, pseudowords, windows)
    assert all(math.isfinite(each.similarity) for each in bench.comparisons)


def test_defaults_are_among_the_usual_values() -> None:
    default = ReadingSettings()
    assert {name for name, values in GRID.items() if getattr(default, name) not in values} == set()


def test_pseudoword_without_a_positive_atom_is_measured(world: World) -> None:
    first, *others = world.draw(4).pseudowords
    odd = PseudowordSet((first._replace(vector=np.full(8, -1, np.float32)), *others))
    bench = make_bench(world.embeddings, world.induced_map, world.atoms, odd, world.windows)
    assert all(math.isfinite(figure) for figure in bench.figures(ReadingSettings(window=WINDOW)).values())


# --- bad input


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ({"kappa": (1.0,)}, "there are no values to choose for 'kappa'; pass values for noise, falloff"),
        ({"noise": ()}, "there are no values to choose for 'noise'"),
    ],
)
def test_grid_is_checked(benches: tuple[Bench, Bench], grid: dict[str, tuple[float, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        choose_settings(*benches, grid=grid)


def test_wild_values_are_refused(benches: tuple[Bench, Bench]) -> None:
    with pytest.raises(InputError, match="noise is nan; pass a number"):
        choose_settings(*benches, grid={"noise": (math.nan,)})

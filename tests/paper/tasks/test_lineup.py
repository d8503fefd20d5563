"""The police lineup: Algorithm 1 against its naive twin, planted senses, marks, unknown words, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive_lineup import choose, choose_exactly, list_vector
from naive_posterior import context_vector, unit, world_embeddings, world_map, world_model
from planted import planted_model, planted_testbed
from samples import slow
from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.contexts.reader import ReadingSettings
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.paper.tasks.lineup.data import Testbed, draw_lineups
from wordatoms.paper.tasks.lineup.evaluate import (
    BEST,
    RANDOM,
    WORD_ONLY,
    LineupResult,
    Setting,
    evaluate_lineup,
    mark,
)
from wordatoms.paper.tasks.lineup.exhibit import draw_by_chosen, draw_by_shown, numbers_of
from wordatoms.paper.tasks.lineup.methods import (
    VectorMethod,
    answer_lineups,
    atoms_method,
    context_method,
    inventory_method,
    lineup_sif,
    rank_senses,
    unit_lists,
    word_method,
)
from wordatoms.senses.model import SenseModel, load

command = evaluate_group.commands["lineup"]

HEADLINE = Setting(n=8, t=2)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return load(planted_model(tmp_path_factory.mktemp("lineup") / "model").path)


@pytest.fixture(scope="module")
def testbed() -> Testbed:
    return planted_testbed()


def evaluate(model: SenseModel, testbed: Testbed, **options: object) -> LineupResult:
    return evaluate_lineup(testbed, {"ours": atoms_method(model)}, **({"headline": HEADLINE, "n_runs": 3} | options))


# --- Algorithm 1


@slow
@given(st.integers(1, 6), st.integers(2, 9), st.integers(1, 6), st.integers(0, 10**6))
def test_ranks_as_the_naive_twin(n_atoms: int, n_senses: int, t: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    atoms, words, senses = rng.normal(size=(7, 5)), rng.normal(size=(11, 5)), rng.normal(size=(n_senses, 5))
    queries = atoms[:n_atoms] - atoms.mean(axis=0) + words[0] - words.mean(axis=0)
    ranked = rank_senses((queries @ senses.T).astype(np.float32))
    assert ranked[:t].tolist() == choose(atoms[:n_atoms], words[0], senses, atoms, words, t)
    filled = rank_senses((queries @ senses.T).astype(np.float32), fill=True)
    assert filled[:t].tolist() == choose_exactly(atoms[:n_atoms], words[0], senses, atoms, words, t)


def test_a_model_answers_as_the_naive_twin(model: SenseModel, testbed: Testbed) -> None:
    method = atoms_method(model)
    lineups = draw_lineups(testbed, 8)
    answers = answer_lineups(method.score_all(testbed), testbed, lineups)
    units = {word: vector.astype(float) for word, vector in method.sif.embeddings.items()}
    weights = dict(zip(units, method.sif.weights.astype(float).tolist(), strict=True))
    for word, shown, answer in zip(lineups.words, lineups.senses, answers, strict=True):
        lists = np.array([list_vector(testbed.senses[sense].related, units, weights) for sense in shown])
        own = model.atoms.vectors[np.unique(model.atoms.codes.atoms[[model.row(form) for form in model.forms(word)]])]
        chosen = choose(own, units[word], lists, model.atoms.vectors, np.array([*units.values()]), 3)
        assert answer[: len(chosen)].tolist() == shown[chosen].tolist()


@given(arrays(np.float32, st.tuples(st.integers(0, 5), st.integers(2, 8)), elements=st.integers(-3, 3)))
def test_candidates_are_at_most_two_per_atom(scores: np.ndarray) -> None:
    ranked = rank_senses(scores)
    assert len(set(ranked.tolist())) == len(ranked) <= 2 * len(scores)
    assert len(rank_senses(scores, None)) == (scores.shape[1] if len(scores) else 0)


# --- the evaluation


def test_planted_senses_are_found(model: SenseModel, testbed: Testbed) -> None:
    result = evaluate(model, testbed)
    ours = result.figures["ours"][HEADLINE]
    assert ours.recall > 0.95
    assert ours.precision > 0.95
    assert result.baselines[BEST][HEADLINE].precision == 1
    assert result.baselines[RANDOM][HEADLINE].recall < 0.6


def test_chance_is_what_arithmetic_says(model: SenseModel, testbed: Testbed) -> None:
    figures = evaluate(model, testbed, n_runs=60).baselines[RANDOM]
    for t in (1, 2, 4):
        assert figures[Setting(8, t)].precision == pytest.approx(2 / 8, abs=0.06)
        assert figures[Setting(8, t)].recall == pytest.approx(t / 8, abs=0.06)


def test_marks(testbed: Testbed) -> None:
    marks = mark(testbed, ["both0", "both2", "both4"], np.array([[0, 1, 7], [2, 9, -1], [-1, -1, -1]]))
    assert marks.precision.tolist() == [2 / 3, 1 / 2, 0]
    assert marks.recall.tolist() == [1, 1 / 2, 0]


def test_the_best_possible_is_bounded_by_t(model: SenseModel, testbed: Testbed) -> None:
    best = evaluate(model, testbed).baselines[BEST]
    assert [best[Setting(8, t)].precision for t in (1, 2, 4)] == [1, 1, 0.5]
    assert [best[Setting(8, t)].recall for t in (1, 2, 4)] == [0.5, 1, 1]


def test_unknown_words_count_as_failures(model: SenseModel, testbed: Testbed) -> None:
    whole, lacking = evaluate(model, testbed), evaluate(model, planted_testbed("zebra", "yonder"))
    assert lacking.rows()[0]["known"] == pytest.approx(10 / 12)
    assert lacking.figures["ours"][HEADLINE].recall == pytest.approx(
        whole.figures["ours"][HEADLINE].recall * 10 / 12, abs=0.05
    )
    assert [item.word for item in lacking.items["ours"] if not item.known] == ["zebra", "yonder"]


def test_a_model_that_knows_no_word_returns_nothing(model: SenseModel) -> None:
    senses = planted_testbed().senses
    strange = Testbed({"zebra": senses[:2], "yonder": senses[2:4], "hither": senses[4:8]})
    result = evaluate(model, strange, headline=Setting(4, 2))
    assert result.figures["ours"][Setting(4, 2)] == (0, 0, 0, 0, 0)


def test_items_say_which_senses_were_found(model: SenseModel, testbed: Testbed) -> None:
    result = evaluate(model, testbed)
    for item in result.items["ours"]:
        assert item.correct == pytest.approx(sum(item.found))
        assert len(item.found) == item.true == 2
    assert np.mean([sum(item.found) / 2 for item in result.items["ours"]]) == pytest.approx(
        result.figures["ours"][HEADLINE].recall
    )


def test_seeds(model: SenseModel, testbed: Testbed) -> None:
    one, same, other = (evaluate(model, testbed, random_state=seed) for seed in (0, 0, 1))
    assert one == same
    assert one.baselines[RANDOM] != other.baselines[RANDOM]


def test_any_inventory_can_take_the_test(model: SenseModel, testbed: Testbed) -> None:
    class Inventory:
        def sense_vectors(self, word: str) -> np.ndarray:
            return atoms_method(model).sense_vectors(word)

        def p_senses(self, *_: object) -> np.ndarray:
            raise NotImplementedError

    sif = lineup_sif(model)
    method = inventory_method(Inventory(), sif, [*testbed])
    result = evaluate_lineup(testbed, {"atoms": atoms_method(model), "theirs": method}, headline=HEADLINE)
    assert result.figures["theirs"][HEADLINE].recall > 0.9
    assert result.rows()[1]["drop"]
    with pytest.raises(InputError, match="none of the 1 words is known"):
        inventory_method(Inventory(), sif, ["zebra"])


def test_senses_of_an_inventory_have_length_1_and_it_may_know_fewer_words(model: SenseModel, testbed: Testbed) -> None:
    class Inventory:
        def sense_vectors(self, word: str) -> np.ndarray:
            if word == "both4":
                raise UnknownWordError(word, model.words)
            return 7 * atoms_method(model).sense_vectors(word)

        def p_senses(self, *_: object) -> np.ndarray:
            raise NotImplementedError

    method = inventory_method(Inventory(), lineup_sif(model), [*testbed])
    assert np.linalg.norm(method.sense_vectors("both2"), axis=1) == pytest.approx(1, abs=1e-5)
    result = evaluate_lineup(testbed, {"theirs": method}, headline=HEADLINE)
    assert [item.word for item in result.items["theirs"] if not item.known] == ["both4"]
    assert result.figures["theirs"][HEADLINE].recall == pytest.approx(0.9, abs=0.05)


def test_lists_read_as_contexts_are_at_length_1_what_the_map_makes_of_them(tmp_path: Path) -> None:
    embeddings, learned = world_embeddings(), world_map()
    method = context_method(world_model(tmp_path / "model", embeddings, induced_map=learned))
    lists = [["loan", "cash", "money"], ["river", "bank", "zyx"], ["zyx"]]
    assert method.read_lists
    found = method.read_lists(lists)
    paper = ReadingSettings(a=learned.a, falloff=0.0)
    for vector, words in zip(found, lists[:2], strict=False):
        around = [(word, 1) for word in words if word in embeddings]
        assert vector.tolist() == pytest.approx(
            unit(context_vector(around, embeddings, learned.matrix, paper)), abs=1e-5
        )
    assert not found[2].any()
    assert np.linalg.norm(method.sif.embeddings.vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_lists_of_length_1(model: SenseModel, testbed: Testbed) -> None:
    method = atoms_method(model)
    lists = method.sif.vectors([sense.related for sense in testbed.senses]).vectors
    lengths = np.linalg.norm(lists, axis=1)
    for plain, scaled in zip(method.score_all(testbed), unit_lists(method).score_all(testbed), strict=True):
        assert plain is not None
        assert scaled is not None
        np.testing.assert_allclose(scaled, plain / lengths, rtol=1e-4, atol=1e-5)


def test_exactly_t_and_gains(model: SenseModel, testbed: Testbed) -> None:
    method = atoms_method(model)
    methods = {"atoms": method, "ours": unit_lists(method)}
    result = evaluate_lineup(testbed, methods, headline=HEADLINE, ours="ours", n_runs=3)
    assert result.main == result.reference == "atoms"
    for name, exact in result.exact.items():
        assert exact.precision == pytest.approx(exact.right / HEADLINE.t), name
    both = {**result.figures, **result.baselines}
    assert all(exact.right >= both[name][HEADLINE].right for name, exact in result.exact.items())
    gain = result.gain("ours", "atoms")["recall"]
    one, other = (result.figures[name][HEADLINE].recall for name in ("ours", "atoms"))
    assert gain["points"] == pytest.approx(100 * (one - other))
    assert result.gain("atoms", "atoms")["precision"] == {"points": 0, "std": 0, "runs_with_gain": 0}


def test_losses_count_from_the_vectors_of_the_paper(model: SenseModel, testbed: Testbed) -> None:
    method = atoms_method(model)
    sn = replace(method, sif=replace(method.sif, embeddings=replace(method.sif.embeddings, method="sn")))
    result = evaluate_lineup(testbed, {"atoms": method, "of SN": sn}, headline=HEADLINE, n_runs=1)
    assert result.reference == "of SN"
    assert [row["paper"] for row in result.rows()][:2] == ["", "0.65/0.75"]


def test_drops_of_the_paper_stand_beside_other_vectors_only(model: SenseModel, testbed: Testbed) -> None:
    def of_kind(kind: str) -> VectorMethod:
        method = atoms_method(model)
        return replace(method, sif=replace(method.sif, embeddings=replace(method.sif.embeddings, method=kind)))

    methods = {"glove": of_kind("glove"), "theirs": of_kind("glove"), "nnse": of_kind("nnse")}
    rows = evaluate_lineup(testbed, methods, headline=HEADLINE, n_runs=1).rows()
    assert [row["paper"] for row in rows[:4]] == ["0.65/0.75", "", "drop 25/28", ""]


def test_choices_of_vectors(model: SenseModel, testbed: Testbed) -> None:
    unit, raw = lineup_sif(model), lineup_sif(model, unit=False)
    assert np.linalg.norm(unit.embeddings.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert (raw.embeddings.vectors == model.embeddings.vectors).all()
    result = evaluate_lineup(testbed, {"raw": atoms_method(model, unit=False)}, headline=HEADLINE)
    assert result.figures["raw"][HEADLINE].recall > 0.9
    assert word_method(unit).n_entering is None


def test_table_and_evidence(model: SenseModel, testbed: Testbed) -> None:
    result = evaluate(model, testbed)
    header, rows = result.table()
    assert header[:3] == ["method", "known", "precision"]
    assert [row[0] for row in rows] == ["ours", WORD_ONLY, RANDOM, BEST]
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert {"scores", "baselines", "paper", "verdict", "items"} <= set(written)
    assert written["scores"]["ours"]["precision"] == result.figures["ours"][HEADLINE].precision
    assert set(written["items"][0]) == {"method", "word", "known", "true", "returned", "correct", "found"}
    assert "the paper reports precision 0.65 and recall 0.75" in result.verdict
    assert {(row["n"], row["t"]) for row in result.more_rows()} == {("8", str(t)) for t in range(1, 7)} | {("20", "2")}
    numbers = numbers_of(result)
    by_chosen, by_shown = draw_by_chosen(numbers, 8).lines, draw_by_shown(numbers, 2).lines
    assert {*by_chosen} == {"ours", WORD_ONLY, RANDOM, "the paper, t = 4"}
    assert by_chosen["ours"].ys[0] == result.figures["ours"][HEADLINE._replace(t=1)].precision
    assert {*by_shown} == {
        f"{name}, {kind}" for name in ("ours", WORD_ONLY, RANDOM) for kind in ("precision", "recall")
    }
    assert by_shown["ours, recall"].xs == [8, 20]


def test_refuses(model: SenseModel, testbed: Testbed) -> None:
    with pytest.raises(InputError, match="there are no methods"):
        evaluate_lineup(testbed, {})
    with pytest.raises(InputError, match="n_runs is 0"):
        evaluate(model, testbed, n_runs=0)
    with pytest.raises(InputError, match="t is 0"):
        evaluate(model, testbed, headline=Setting(8, 0))
    with pytest.raises(InputError, match="n is 30"):
        evaluate(model, testbed, headline=Setting(30, 2))


# --- the command


@pytest.fixture
def arguments(model: SenseModel, testbed: Testbed, tmp_path: Path) -> list[str]:
    testbed.save(tmp_path / "testbed.tsv")
    return ["--model", str(model.path), "--testbed", str(tmp_path / "testbed.tsv")]


def test_command(arguments: list[str], tmp_path: Path) -> None:
    plot = ["--plot", str(tmp_path / "figure.svg")]
    shown = CliRunner().invoke(command, [*arguments, "-n", "8", "-t", "2", *plot], catch_exceptions=False)
    assert "word vector only" in shown.stdout
    assert "the paper reports precision 0.65" in shown.stderr
    assert (tmp_path / "figure-a.svg").exists()
    assert (tmp_path / "figure-b.svg").exists()
    written = CliRunner().invoke(command, [*arguments, "-n", "8", "--json", "--runs", "2"], catch_exceptions=False)
    assert json.loads(written.stdout)["testbed"] == {
        "words": 10,
        "senses": 20,
        "runs": 2,
        "digest": Testbed.load(Path(arguments[-1])).digest,
    }


def test_command_shows_one_lineup(arguments: list[str]) -> None:
    asked = [*arguments, "--show", "both4", "-t", "2"]
    lines = CliRunner().invoke(command, asked, catch_exceptions=False).stdout.splitlines()
    assert lines[0].split() == ["both4", "senses"]
    assert len(lines) == 7
    assert sum("true" in line for line in lines) == sum("chosen" in line for line in lines) == 2
    found = json.loads(CliRunner().invoke(command, [*asked, "--json"], catch_exceptions=False).stdout)
    assert sum(sense["true"] and sense["chosen"] for sense in found["senses"]) == 2
    with pytest.raises(UnknownWordError):
        CliRunner().invoke(command, [*arguments, "--show", "zebra"], catch_exceptions=False)


def test_command_compares_models(arguments: list[str], model: SenseModel) -> None:
    twice = CliRunner().invoke(command, [*arguments, "--with", str(model.path)])
    assert twice.exit_code == 2
    assert "given twice" in twice.stderr

"""Pseudowords: the trained vectors against the optimum, planted sums and laws, retraining, and the command."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from naive_factor import counts_of, random_counts
from naive_pseudowords import optimal_glove, optimal_sn
from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.merge_words import Merging, draw_pairs, merge_counts
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import train_embeddings
from wordatoms.embeddings.trainers.sn import train_sn, without_frequency
from wordatoms.errors import InputError
from wordatoms.paper.tasks.pseudowords import evaluate as task
from wordatoms.paper.tasks.pseudowords.coefficients import (
    fit_coefficients,
    fit_laws,
    log_law_coefficients,
    root_log_coefficients,
    theorem_coefficients,
)
from wordatoms.paper.tasks.pseudowords.evaluate import (
    PseudowordsResult,
    align_pseudowords,
    draw_spread_pairs,
    evaluate_pseudowords,
    evaluate_retrained_pseudowords,
    train_pseudowords,
)
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.train import train
from wordatoms.run import Run

pseudowords = evaluate_group.commands["pseudowords"]

SMALL_TEXT = Path(__file__).parents[2] / "data" / "small.txt"


@pytest.fixture(scope="module")
def counts() -> Counts:
    return random_counts(120)


@pytest.fixture(scope="module", params=["sn", "glove"])
def embeddings(request: pytest.FixtureRequest, counts: Counts) -> Embeddings:
    return train_embeddings(counts, request.param, dim=4, epochs=20, threads=1)


def evaluate(embeddings: Embeddings, counts: Counts, **options: object) -> PseudowordsResult:
    return evaluate_pseudowords(
        embeddings, counts, **{"n_pairs": [5], "n_runs": 2, "parameters": {"epochs": 10}, **options}
    )


def test_the_trainer_reaches_the_optimum(embeddings: Embeddings, counts: Counts) -> None:
    merging = draw_pairs(counts.vocabulary, 3)
    ours = train_pseudowords(embeddings, counts, merging, parameters={"epochs": 400}, threads=1).vectors
    merged = merge_counts(counts, merging)
    moving = merging.new_rows[merging.pairs[:, 0]].tolist()
    rows = embeddings.find_rows(merged.vocabulary.words)

    def begin(values: NDArray[np.float32]) -> NDArray[np.float64]:
        begun = values[rows].astype(float)
        begun[moving] = values[merging.pairs[:, 0]]
        return begun

    if embeddings.method == "glove":
        names = ("word", "context", "word_bias", "context_bias")
        expected = optimal_glove(merged, {name: begin(embeddings.state[name]) for name in names}, moving)
    else:
        expected = optimal_sn(merged, begin(embeddings.vectors), float(embeddings.state["constant"]), moving)
    np.testing.assert_allclose(ours, expected, atol=0.02 * np.abs(expected).max())


def test_words_with_the_same_contexts_make_a_pseudoword_with_their_vector() -> None:
    rng = np.random.default_rng(0)
    halves, biases = rng.normal(0, 0.6, (60, 4)), np.sort(rng.normal(1, 0.5, 60))[::-1]
    halves[7] = halves[30]
    counts = counts_of(halves @ halves.T + biases[:, None] + biases, unit=2**40)
    state = {"word": halves, "context": halves, "word_bias": biases, "context_bias": biases}
    embeddings = Embeddings(counts.vocabulary.words, 2 * halves, counts.vocabulary.counts, state, "glove")
    merging = Merging(counts.vocabulary, np.array([[7, 30]]))
    trained = train_pseudowords(embeddings, counts, merging, parameters={"epochs": 300}, threads=1).vectors
    np.testing.assert_allclose(trained[0], 2 * halves[7], atol=0.01)


def test_figures_are_those_of_their_definitions(embeddings: Embeddings, counts: Counts) -> None:
    result = evaluate(embeddings, counts, n_runs=1, random_state=4)
    merging = draw_pairs(counts.vocabulary, 5, random_state=4)
    trained = train_pseudowords(embeddings, counts, merging, parameters={"epochs": 10}, random_state=4).vectors
    predictions = []
    for (one, other), vector, found in zip(merging.pairs, trained, result.runs[0].pseudowords, strict=True):
        v1, v2 = embeddings.vectors[[one, other]].astype(float)
        assert (found.word1, found.word2) == (counts.vocabulary.words[one], counts.vocabulary.words[other])
        assert found.count1 >= found.count2
        predicted = (found.count1 * v1 + found.count2 * v2) / (found.count1 + found.count2)
        predictions.append(predicted)
        assert found.relative_error == pytest.approx(((vector - predicted) ** 2).sum() / (predicted**2).sum())
        assert found.cosine == pytest.approx(cosine(vector, predicted))
        assert found.cosine_frequent == pytest.approx(cosine(vector, v1))
        assert found.cosine_mean == pytest.approx(cosine(vector, v1 + v2))
        residual = vector - found.alpha * v1 - found.beta * v2
        np.testing.assert_allclose([residual @ v1, residual @ v2], 0, atol=1e-6)
    assert result.runs[0].pseudowords[1].cosine_other == pytest.approx(cosine(trained[1], predictions[0]))


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_same_result_with_any_number_of_threads(embeddings: Embeddings, counts: Counts) -> None:
    assert evaluate(embeddings, counts, threads=1) == evaluate(embeddings, counts, threads=2)


def test_runs_table_and_evidence(embeddings: Embeddings, counts: Counts) -> None:
    result = evaluate(embeddings, counts, n_pairs=[10, 5], largest=True, random_state=3)
    assert [(run.n_pairs, run.seed, run.is_largest) for run in result.runs] == [
        *((10, 3, False), (10, 4, False), (5, 3, False), (5, 4, False)),
        (54, 3, True),
    ]
    header, rows = result.table()
    assert header[:4] == ["pairs", "runs", "rounds", "relative_error"]
    assert [row[:2] for row in rows] == [[5, 2], [10, 2], [54, 1]]
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["method", "scores", "baselines", "paper", "losses", "verdict", "items"]
    assert set(written["paper"]) == {"10", "54"}
    assert written["paper"]["10"]["cosine"] == {"sn": 0.9, "glove": 0.91}[embeddings.method]
    assert set(written["baselines"]) == {"frequent_word", "mean_of_both", "other_pair"}
    assert len(written["items"]) == 84
    assert "at 10 pairs, ours" in result.verdict
    assert sum(each.n_pairs for each in result.coefficients.bins) == 30  # not those of the largest run
    alone = evaluate(embeddings, counts, n_pairs=[], largest=True)
    assert sum(each.n_pairs for each in alone.coefficients.bins) == 54


def test_no_paper_figure_for_other_numbers_of_pairs(embeddings: Embeddings, counts: Counts) -> None:
    result = evaluate(embeddings, counts)
    assert result.rows()[0]["paper_cosine"] is None
    assert "Table 3" not in result.verdict
    assert "fit best" in result.verdict


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_pairs": [1]}, "n_pairs is 1"),
        ({"n_pairs": [61]}, "n_pairs is 61, but 120 words occur 1 times"),
        ({"min_count": 119}, "n_pairs is 5, but 2 words"),
        ({"n_runs": 0}, "n_runs is 0"),
        ({"n_pairs": []}, "ask for one run"),
    ],
)
def test_refuses_what_cannot_be_run(
    embeddings: Embeddings, counts: Counts, options: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(embeddings, counts, **options)


def test_refuses_other_vectors(embeddings: Embeddings, counts: Counts) -> None:
    imported = Embeddings(embeddings.words, embeddings.vectors)
    with pytest.raises(InputError, match="by imported, which cannot hold some words"):
        evaluate(imported, counts)
    with pytest.raises(InputError, match="different words"):
        evaluate(embeddings, random_counts(30))
    with pytest.raises(InputError, match="without counts"):
        evaluate_retrained_pseudowords(imported, SMALL_TEXT)


# --- coefficients


LAWS = {"theorem": "Theorem 2", "root_log": "√log", "log_law": "1 and"}


@pytest.mark.parametrize("law", LAWS)
def test_finds_the_planted_law(law: str) -> None:
    rng = np.random.default_rng(0)
    both, counts = rng.normal(size=(80, 2, 12)), np.sort(rng.integers(10, 900, (80, 2)), axis=1)[:, ::-1]
    ratios = counts[:, 0] / counts[:, 1]
    planted = {
        "theorem": theorem_coefficients(ratios),
        "root_log": root_log_coefficients(counts),
        "log_law": log_law_coefficients(ratios),
    }[law]
    trained = (planted[:, :, None] * both).sum(axis=1)
    found = fit_coefficients(trained, both)
    np.testing.assert_allclose(found, planted, atol=1e-9)
    fits = fit_laws(trained, both, found, counts)
    assert getattr(fits, law).unexplained == pytest.approx(0, abs=1e-12)
    assert getattr(fits, law).r2_beta == pytest.approx(1)
    assert getattr(fits, law).pearson == pytest.approx(1)
    assert getattr(fits, law).error == pytest.approx(0, abs=1e-6)
    assert fits.free.unexplained == pytest.approx(0, abs=1e-12)
    assert fits.verdict.startswith(f"the coefficients of {LAWS[law]}")
    if law == "log_law":
        assert fits.log_slope == pytest.approx(0.5)
        assert fits.log_law.r2_alpha is None or fits.log_law.r2_alpha <= 1
    assert sum(each.n_pairs for each in fits.bins) == 80
    for each in fits.bins if law != "root_log" else ():
        assert each.beta == pytest.approx(each.theorem_beta if law == "theorem" else each.log_beta)


def test_root_log_coefficients_are_those_of_the_formula() -> None:
    (alpha, beta), once = root_log_coefficients(np.array([[900, 20], [1, 1]]))
    assert alpha == pytest.approx(900 * np.sqrt(np.log(920)) / (920 * np.sqrt(np.log(900))))
    assert beta == pytest.approx(20 * np.sqrt(np.log(920)) / (920 * np.sqrt(np.log(20))))
    assert np.isfinite(once).all()


def test_spread_pairs_have_words_of_all_frequencies() -> None:
    n_words = 2000
    vocabulary = Vocabulary(tuple(f"w{k}" for k in range(n_words)), np.arange(n_words, 0, -1), 10**7)
    merging = draw_spread_pairs(vocabulary, 100)
    assert len(np.unique(merging.pairs)) == 200
    assert (merging.pairs[:, 0] < merging.pairs[:, 1]).all()  # the more frequent first
    assert 60 < (merging.pairs < 200).sum() < 140  # uniform over words it would be 20
    with pytest.raises(InputError, match="n_pairs is 1001"):
        draw_spread_pairs(vocabulary, 1001)


def test_training_goes_on_until_the_loss_settles(embeddings: Embeddings, counts: Counts) -> None:
    merging = draw_pairs(counts.vocabulary, 54, random_state=1)
    learned = train_pseudowords(embeddings, counts, merging, converge=True, parameters={"epochs": 5}, threads=1)
    once = train_pseudowords(embeddings, counts, merging, parameters={"epochs": 5}, threads=1)
    falls = [1 - after / before for before, after in pairwise(learned.losses)]
    assert once.losses == ()
    assert all(fall >= task.TOLERANCE for fall in falls[:-1])
    assert falls[-1] < task.TOLERANCE or len(learned.losses) == task.MOST_ROUNDS


def test_pairs_of_two_pseudowords_are_left_out_at_first(counts: Counts) -> None:
    merging = draw_pairs(counts.vocabulary, 40, random_state=1)
    merged = merge_counts(counts, merging, pseudowords_only=True)
    kept = task._pairs_with_fixed(merged, merging.is_pseudoword)
    wanted = [
        (row, int(column), int(value))
        for row in range(len(merged))
        for column, value in zip(
            merged.indices[merged.indptr[row] : merged.indptr[row + 1]],
            merged.values[merged.indptr[row] : merged.indptr[row + 1]],
            strict=True,
        )
        if not (merging.is_pseudoword[row] and merging.is_pseudoword[column])
    ]
    rows = np.repeat(np.arange(len(kept)), np.diff(kept.indptr))
    assert list(zip(rows.tolist(), kept.indices.tolist(), kept.values.tolist(), strict=True)) == wanted


def test_vectors_without_frequency_are_completed_first(counts: Counts) -> None:
    plain = train_sn(counts, dim=8, epochs=5)
    both = [evaluate(each, counts, n_spread=10) for each in (plain, without_frequency(plain))]
    assert [result.rows()[0]["cosine"] for result in both] == pytest.approx([both[0].rows()[0]["cosine"]] * 2, abs=1e-3)
    assert both[0].spread is not None
    assert set(both[0].to_json()["paper"]) == {"all_frequencies"}


def test_equally_frequent_words_have_no_slope() -> None:
    both = np.random.default_rng(0).normal(size=(3, 2, 5))
    fits = fit_laws(both.mean(axis=1), both, np.full((3, 2), 0.5), np.full((3, 2), 7))
    assert fits.log_slope is None
    assert fits.theorem.r2_alpha is None
    assert len(fits.bins) == 1


# --- all words trained anew


def test_a_turned_space_is_turned_back() -> None:
    rng = np.random.default_rng(0)
    vocabulary = Vocabulary(tuple(f"w{row:02d}" for row in range(40)), np.arange(40, 0, -1), 820)
    merging = draw_pairs(vocabulary, 4)
    before = rng.normal(size=(40, 6))
    expected, turn = before[merging.pairs].mean(axis=1), rng.normal(size=(6, 6))
    after = np.empty((36, 6))
    after[merging.new_rows] = before
    after[merging.new_rows[merging.pairs[:, 0]]] = expected
    spaces = Embeddings(vocabulary.words, before), Embeddings(merging.new_vocabulary.words, after @ turn)
    aligned, alignment = align_pseudowords(*spaces, merging)
    np.testing.assert_allclose(aligned, expected, atol=1e-4)
    assert alignment == pytest.approx(1)
    with pytest.raises(InputError, match="4 words are not merged, too few for a map of 6"):
        align_pseudowords(spaces[0], spaces[1], draw_pairs(vocabulary, 18))


@pytest.fixture(scope="module")
def topics(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lines of words that belong to one of six topics each."""
    rng = np.random.default_rng(1)
    words = [[f"{topic}{chr(97 + k)}" for k in range(8)] for topic in ("ka", "le", "mi", "no", "pu", "ry")]
    lines = [" ".join(rng.choice(words[rng.integers(6)], size=14)) for _ in range(1500)]
    path = tmp_path_factory.mktemp("topics") / "lines.txt"
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def skipgram_model(topics: Path) -> Path:
    pytest.importorskip("gensim", reason='needs the extra: pip install "wordatoms[skipgram]"')
    folder = topics.parent / "model"
    train([topics], folder, method="skipgram", parameters={"dim": 8, "epochs": 8, "sample": 0.0})
    return folder


def test_retrained_pseudowords_lie_between_their_words(skipgram_model: Path, topics: Path) -> None:
    embeddings = Embeddings.load(skipgram_model)
    result = evaluate_retrained_pseudowords(
        embeddings, topics, n_pairs=[3], parameters={"epochs": 8, "sample": 0.0}, random_state=1
    )
    (row,) = result.rows()
    (run,) = result.runs
    assert run.alignment is not None
    assert run.alignment > 0.9
    assert row["cosine"] > 0.7
    assert row["cosine"] > row["other_pair"]
    assert "0.86 to 0.92 for word2vec" in result.verdict
    assert sorted(path.name for path in topics.parent.iterdir()) == ["lines.txt", "model"]


def test_command_retrains_skipgram(skipgram_model: Path) -> None:
    arguments = ["--model", str(skipgram_model), "--method", "skipgram", "--pairs", "3", "--epochs", "1", "--json"]
    written = json.loads(run_command(arguments))
    assert written["method"] == "skipgram"
    assert len(written["items"]) == 3
    assert not (skipgram_model / ".work").exists()
    with pytest.raises(InputError, match="--largest leaves too few words"):
        run_command(["--model", str(skipgram_model), "--largest"])


# --- the command


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "glove"
    settings = CountSettings(min_count=2)
    train(
        [SMALL_TEXT], folder, method="glove", settings=settings, parameters={"dim": 5, "epochs": 5}, run=Run(threads=1)
    )
    return folder


def run_command(arguments: list[str]) -> str:
    found = CliRunner().invoke(pseudowords, arguments, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


def test_command(model: Path, tmp_path: Path) -> None:
    arguments = ["--model", str(model), "--pairs", "3", "--runs", "2", "--threads", "1"]
    shown = run_command(arguments)
    assert "relative error" in shown
    assert "theorem beta" in shown
    written = json.loads(run_command([*arguments, "--json", "--seed", "5"]))
    assert written["scores"]["3"]["runs"] == 2
    assert {item["seed"] for item in written["items"]} == {5, 6}
    run_command([*arguments, "--plot", str(tmp_path / "laws.svg")])
    assert (tmp_path / "laws.svg").read_text("utf-8").startswith("<svg xmlns=")


def test_command_refuses_another_method(model: Path) -> None:
    with pytest.raises(InputError, match="holds vectors by glove, not sn"):
        run_command(["--model", str(model), "--method", "sn"])

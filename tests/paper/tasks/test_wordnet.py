"""Words and the span of their senses: planted spans, the choices of the text, the baseline, and the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from samplewordnet import write_database
from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, ModelError
from wordatoms.paper.tasks.wordnet.evaluate import (
    OUR_STRICT,
    OUR_WAY,
    PAPER,
    PAPER_WAY,
    STRICT,
    Target,
    WordNetResult,
    evaluate_wordnet,
    read_targets,
    span_cosine,
)
from wordatoms.paper.wordnet import WordNet
from wordatoms.storage.folder import ModelFolder

command = evaluate_group.commands["wordnet"]

DIM = 30
WORDS = ("elastic", "device", "season", "growth", "ground", "move", "decay", "made", "thing", "spring", "fall", "up")
TARGETS = [Target("spring", "n"), Target("fall", "n"), Target("elastic", "n")]


@pytest.fixture
def wordnet(tmp_path: Path) -> WordNet:
    """See `samplewordnet.ENTRIES`; the three senses of spring are made of known words."""
    folder = tmp_path / "wordnet"
    folder.mkdir()
    return WordNet(write_database(folder))


@pytest.fixture
def embeddings() -> Embeddings:
    """The vector of spring is a sum of those of its senses' words; all others are random."""
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), DIM))
    vectors[9] = vectors[:2].sum(axis=0) + 2 * vectors[2:4].sum(axis=0) - vectors[4:6].sum(axis=0)
    return Embeddings(WORDS, vectors, np.full(len(WORDS), 10), method="glove", n_tokens=120)


@pytest.fixture
def identity() -> InducedMap:
    return map_of(np.eye(DIM))


def map_of(matrix: np.ndarray) -> InducedMap:
    common = np.eye(DIM, dtype=np.float32)[0]
    return InducedMap(matrix.astype(np.float32), common, np.full((1, 21), -1, np.int32), include_target=True)


def evaluate(embeddings: Embeddings, induced_map: InducedMap, wordnet: WordNet, **options: object) -> WordNetResult:
    return evaluate_wordnet(embeddings, induced_map, wordnet, TARGETS, **options)


def test_a_planted_sum_of_senses_lies_in_their_span(
    embeddings: Embeddings, identity: InducedMap, wordnet: WordNet
) -> None:
    result = evaluate(embeddings, identity, wordnet)
    spring = result.spans[STRICT][0]
    assert (spring.word, spring.pos, spring.n_senses) == ("spring", "n", 3)
    assert spring.cosine == pytest.approx(1, abs=1e-5)
    assert spring.cosine_random < 0.9
    without_verb = result.spans[f"{STRICT}, its part of speech"][0]
    assert without_verb.n_senses == 2
    assert without_verb.cosine < 0.99


def test_the_map_is_applied_to_the_senses(embeddings: Embeddings, identity: InducedMap, wordnet: WordNet) -> None:
    plain = evaluate(embeddings, identity, wordnet).spans
    turned = evaluate(embeddings, map_of(np.random.default_rng(1).normal(size=(DIM, DIM))), wordnet).spans
    assert turned[f"{STRICT}, without A"] == plain[f"{STRICT}, without A"] == plain[STRICT]
    assert turned[STRICT][0].cosine < 0.9


def test_the_word_itself_is_left_out_of_its_examples(
    embeddings: Embeddings, identity: InducedMap, wordnet: WordNet
) -> None:
    # its part of speech only: "an elastic device; the spring broke; it has a spring" and "the season of growth"
    vectors = embeddings.vectors.astype(float)
    result = evaluate(embeddings, identity, wordnet)
    (spring, *_) = result.spans[f"{STRICT}, its part of speech"]
    expected = span_cosine(vectors[9], np.stack([vectors[0] + vectors[1], vectors[2] + vectors[3]]))
    assert spring.cosine == pytest.approx(expected, abs=1e-5)
    (with_itself, fall), (without, same_fall) = result.spans["word kept, A without the word"], result.spans[STRICT]
    assert with_itself.n_senses == without.n_senses
    assert fall.cosine == same_fall.cosine  # it stands in no text of its own


def test_inflected_forms_are_left_out_too(identity: InducedMap, wordnet: WordNet) -> None:
    path = wordnet.folder / "data.noun"
    path.write_text(path.read_text("utf-8").replace("the spring broke", "the sprung broke"), "utf-8")
    embeddings = Embeddings(("spring", "sprung", "season", "up", "place"), np.eye(5, DIM))
    targets = [Target("spring", "n"), Target("up", "r")]
    result = evaluate_wordnet(embeddings, identity, wordnet, targets)
    assert result.spans[STRICT][0].n_senses == 1
    assert result.spans["word kept, A without the word"][0].n_senses == 2


def test_the_baseline_takes_as_many_senses_of_other_words(
    embeddings: Embeddings, identity: InducedMap, wordnet: WordNet
) -> None:
    result = evaluate(embeddings, identity, wordnet, n_random=3)
    fall = result.spans[STRICT][1]
    others = embeddings.vectors[[0, 2, 4]].astype(float) + embeddings.vectors[[1, 3, 5]]
    possible = [span_cosine(embeddings["fall"], other[None]) for other in others]
    assert min(possible) - 1e-6 <= fall.cosine_random <= max(possible) + 1e-6
    assert evaluate(embeddings, identity, wordnet, n_random=3) == result
    assert evaluate(embeddings, identity, wordnet, n_random=3, random_state=1) != result


def test_evidence_and_table(embeddings: Embeddings, identity: InducedMap, wordnet: WordNet) -> None:
    result = evaluate_wordnet(embeddings, identity, wordnet, [*TARGETS, Target("sniff", "v")])
    header, rows = result.table()
    assert header == ["senses", "words", "per_word", "cosine", "paper", "random_senses"]
    assert rows[0][0] == "word kept, A without the word"  # there is no text to fit the paper's A to
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["method", "scores", "baselines", "paper", "verdict", "missing", "items"]
    assert written["missing"] == ["sniff"]
    assert written["paper"] == {"cosine": 0.72}
    assert len(written["items"]) == sum(row[1] for row in rows)
    assert result.verdict.startswith("Table 4 of the paper reports 0.72; the word left out")


def test_ways_of_the_paper_and_of_ours(embeddings: Embeddings, identity: InducedMap, wordnet: WordNet) -> None:
    rng = np.random.default_rng(3)
    moments = np.stack([rng.normal(size=(DIM, DIM)), np.eye(DIM), np.diag(rng.uniform(0, 9, DIM))]).astype(np.float32)
    model_map = replace(identity, moments=moments)
    paper_map = map_of(rng.normal(size=(DIM, DIM)))
    result = evaluate(embeddings, model_map, wordnet, noise=0.5, paper_map=paper_map)
    cross, contexts, within = moments.astype(float)
    ridge = 1e-4 * np.trace(contexts + 0.5 * within) / DIM
    matrices = {
        PAPER_WAY: paper_map.matrix.astype(float),
        OUR_STRICT: cross @ np.linalg.inv(contexts + 0.5 * within + ridge * np.eye(DIM)),
    }
    vectors = embeddings.vectors.astype(float)
    texts = [[0, 1], [2, 3], [4, 5]]  # as in `samplewordnet.ENTRIES`; the first also has the word, twice
    for name, matrix in matrices.items():
        words = [[*rows, 9, 9] if number == 0 and name == PAPER_WAY else rows for number, rows in enumerate(texts)]
        senses = np.stack([vectors[rows].mean(axis=0) for rows in words]) @ matrix.T
        assert result.spans[name][0].cosine == pytest.approx(span_cosine(vectors[9], senses), abs=1e-4)
    assert result.rows()[0]["paper"] == result.rows()[1]["paper"] == PAPER["glove"]
    assert "its way" in result.verdict
    assert OUR_WAY in result.spans


def test_other_vectors_have_no_figure_in_the_paper(
    embeddings: Embeddings, identity: InducedMap, wordnet: WordNet
) -> None:
    imported = Embeddings(embeddings.words, embeddings.vectors)
    assert "has no imported vectors" in evaluate(imported, identity, wordnet).verdict


@settings(deadline=None, max_examples=50)
@given(
    arrays(np.int64, (4,), elements=st.integers(-9, 9)),
    arrays(np.int64, st.tuples(st.integers(1, 6), st.just(4)), elements=st.integers(-9, 9)),
)
def test_more_senses_never_leave_a_word_farther_away(vector: np.ndarray, spanning: np.ndarray) -> None:
    whole = span_cosine(vector, spanning)
    assert 0 <= span_cosine(vector, spanning[:1]) <= whole + 1e-3 <= 1.001
    if vector.any():
        assert span_cosine(vector, np.vstack([vector, spanning[:1]])) == pytest.approx(1, abs=1e-3)


def test_zeros_span_nothing() -> None:
    assert span_cosine(np.ones(3), np.zeros((2, 3))) == 0
    assert span_cosine(np.zeros(3), np.eye(3)) == 0


def test_refuses_too_few_words(embeddings: Embeddings, identity: InducedMap, wordnet: WordNet) -> None:
    with pytest.raises(InputError, match="1 of the 2 words are known"):
        evaluate_wordnet(embeddings, identity, wordnet, [Target("spring", "n"), Target("sniff", "v")])
    with pytest.raises(InputError, match="n_random is 0"):
        evaluate(embeddings, identity, wordnet, n_random=0)


# --- data and the command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in ("nouns/spring.n.xml", "nouns/fall.n.xml", "verbs/jump.v.xml"):
        path = tmp_path / "data" / "semeval2010" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("<x/>")
    return tmp_path / "data"


def test_words_are_the_names_of_the_files(data: Path, tmp_path: Path) -> None:
    expected = [Target("fall", "n"), Target("jump", "v"), Target("spring", "n")]
    assert read_targets(data) == read_targets(data / "semeval2010") == expected
    with pytest.raises(InputError, match=r"contains no nouns/\*\.n\.xml"):
        read_targets(tmp_path)


def make_model(folder: Path, embeddings: Embeddings, induced_map: InducedMap | None) -> Path:
    model = ModelFolder(folder, create=True)
    with model.working():
        embeddings.save(folder)
        model.build("import", {}, lambda _: ["vectors.npy"])
        if induced_map:
            induced_map.save(folder)
            model.build("map", {}, lambda _: ["map.json"])
    return folder


def test_command(embeddings: Embeddings, identity: InducedMap, wordnet: WordNet, data: Path, tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", embeddings, identity)
    arguments = ["--model", str(model), "--wordnet", str(wordnet.folder), "--data", str(data)]
    shown = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert "random senses" in shown.stdout
    assert "Table 4 of the paper reports 0.72" in shown.stderr
    written = CliRunner().invoke(command, [*arguments, "--json", "--random", "2"], catch_exceptions=False)
    assert json.loads(written.stdout)["scores"][STRICT]["words"] == 2


def test_command_says_how_to_get_the_map(embeddings: Embeddings, data: Path, tmp_path: Path) -> None:
    model = make_model(tmp_path / "model", embeddings, None)
    with pytest.raises(ModelError, match="has no 'map' stage yet; run: wordatoms map"):
        CliRunner().invoke(command, ["--model", str(model), "--data", str(data)], catch_exceptions=False)


def test_the_span_of_nothing_is_no_failure() -> None:
    assert span_cosine(np.ones(3), np.zeros((0, 3))) == 0

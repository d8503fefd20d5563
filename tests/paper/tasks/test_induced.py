"""Table 2 on a text that is written to follow the model: the words of a line share a discourse."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.contexts.induced_map import enough_contexts
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import write_vectors
from wordatoms.errors import InputError
from wordatoms.paper.tasks.induced import evaluate as task
from wordatoms.paper.tasks.induced.evaluate import evaluate_induced
from wordatoms.paper.tasks.induced.paper_map import learn_paper_map
from wordatoms.paper.tasks.induced.paragraphs import count_paragraphs, draw_paragraphs
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus, open_corpus

induced = evaluate_group.commands["induced"]

DIM, N_WORDS, N_LINES = 4, 120, 3000


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Embeddings, Path]:
    """Words with random vectors, one direction of which is common to all, and lines of words that fit a discourse."""
    rng = np.random.default_rng(0)
    vectors = rng.normal([2, 0, 0, 0], 1, size=(N_WORDS, DIM))
    words = [f"w{chr(97 + k // 26)}{chr(97 + k % 26)}" for k in range(N_WORDS)]
    discourses = rng.normal(size=(N_LINES, DIM))
    scores = np.exp(discourses @ vectors.T)
    lines = [" ".join(rng.choice(words, size=8, p=row / row.sum())) for row in scores]
    path = tmp_path_factory.mktemp("world") / "text.txt"
    path.write_text("\n".join(lines))
    return Embeddings(words, vectors), path


def as_corpus(path: Path, folder: Path) -> Corpus:
    return open_corpus([path], work=folder, shard_bytes=8000)


def test_map_finds_held_out_words(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    result = evaluate_induced(embeddings, as_corpus(path, tmp_path), paragraphs=(1500, N_LINES), min_contexts=30)
    assert len(result.rows()) == 2 * 3 * 2  # amounts; SIF with and without the word, plain with it; common direction
    headline, strict = result.find(), result.find(target="out")
    assert headline.cosine > strict.cosine > 0.9  # the word's own vector helps
    assert 1 - strict.cosine < 0.6 * (1 - strict.without_map)
    assert headline.cosine == pytest.approx(np.mean([word.cosine for word in result.words]))
    assert headline.without_map == pytest.approx(np.mean([word.without_map for word in result.words]))
    assert strict.cosine == pytest.approx(np.mean([word.left_out for word in result.words]))
    assert headline.relative_error < strict.relative_error < 0.6
    half = result.find(n_paragraphs=1500)
    assert half.n_contexts == pytest.approx(headline.n_contexts / 2, rel=0.05)
    assert half.cosine < headline.cosine + 0.02
    assert len(result.words) == round((len(result.words) + result.n_fitted) / 3)


def test_scores_against_the_naive_average(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    result = evaluate_induced(embeddings, as_corpus(path, tmp_path), paragraphs=(N_LINES,), min_contexts=30)
    sums, numbers = np.zeros((N_WORDS, DIM)), np.zeros(N_WORDS)
    for line in path.read_text().splitlines():
        rows = embeddings.find_rows(line.split())
        for row in rows:  # lines of 8 words: each window is the whole line, and contains the word
            sums[row] += embeddings.vectors[rows].mean(axis=0)
            numbers[row] += 1
    held = embeddings.find_rows([word.word for word in result.words])
    averages, truth = (sums / numbers[:, None])[held], embeddings.vectors[held]
    products = (averages * truth).sum(axis=1) / (np.linalg.norm(averages, axis=1) * np.linalg.norm(truth, axis=1))
    assert result.find(average="plain").without_map == pytest.approx(products.mean(), abs=1e-4)


def test_evidence_and_verdict(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    result = evaluate_induced(embeddings, as_corpus(path, tmp_path), paragraphs=(N_LINES,), min_contexts=30)
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["scores", "baselines", "paper", "verdict", "items"]
    assert written["baselines"]["without_map"] == result.find().without_map
    assert written["paper"]["cosine_without_map"] == 0.58
    assert "0.58" in result.verdict
    assert "holds here too" in result.verdict
    assert set(written["items"][0]) == {"word", "n_contexts", "cosine", "left_out", "without_map"}


def test_same_seed_same_words(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    corpus = as_corpus(path, tmp_path)
    first, second, other = (
        evaluate_induced(embeddings, corpus, paragraphs=(N_LINES,), min_contexts=30, random_state=seed)
        for seed in (0, 0, 1)
    )
    assert first == second
    assert {word.word for word in first.words} != {word.word for word in other.words}


def lines_of(corpus: Corpus) -> list[str]:
    return [line for shard in corpus.shards for line in Path(shard.path).read_text().splitlines()]


def test_samples_of_paragraphs_are_nested_random_and_independent_of_shards(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("\n\n".join(f"line {number}" for number in range(100)))
    samples = []
    for shard_bytes in (50, 10_000):
        corpus = open_corpus([text], work=tmp_path, shard_bytes=shard_bytes)
        folder = tmp_path / str(shard_bytes)
        folder.mkdir()
        assert count_paragraphs(corpus) == 100  # blank lines are none
        parts = draw_paragraphs(corpus, (10, 25, 40), folder, n_paragraphs=100)
        samples.append([lines_of(part) for part in parts])
    assert samples[0] == samples[1]
    assert [len(part) for part in samples[0]] == [10, 15, 15]
    drawn = [line for part in samples[0] for line in part]
    assert len(set(drawn)) == 40
    assert drawn[:10] != [f"line {number}" for number in range(10)]


def test_wrong_numbers_of_paragraphs(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("a\nb\n")
    corpus = as_corpus(tmp_path / "text.txt", tmp_path)
    for sizes, message in (((), "pass rising"), ((2, 1), "pass rising"), ((3,), "has 2 paragraphs")):
        with pytest.raises(InputError, match=message):
            draw_paragraphs(corpus, sizes, tmp_path, n_paragraphs=2)


def test_a_short_text_is_read_in_parts(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    result = evaluate_induced(world[0], as_corpus(world[1], tmp_path), min_contexts=30)
    assert sorted({line.n_paragraphs for line in result.lines}) == [750, 1500, 2250, 3000]
    assert "fewer than 1,000,000" in result.note


def test_too_little_text(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("waa wab\n")
    corpus = as_corpus(tmp_path / "short.txt", tmp_path)
    with pytest.raises(InputError, match="2 words of the model"):
        evaluate_induced(world[0], corpus)
    with pytest.raises(InputError, match="no numbers of paragraphs"):
        evaluate_induced(world[0], corpus, paragraphs=())


def test_command(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    write_vectors(embeddings, tmp_path / "v.txt", format="glove")
    import_vectors(tmp_path / "v.txt", ModelFolder(tmp_path / "m", create=True))
    common = ["--model", str(tmp_path / "m"), "--min-contexts", "30"]
    assert "--text" in str(CliRunner().invoke(induced, common).exception)
    given = [*common, "--text", str(path), "--plot", str(tmp_path / "plot.svg")]
    result = CliRunner().invoke(induced, [*given, "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["scores"]["cosine"] > 0.9
    assert (tmp_path / "plot.svg").stat().st_size > 1000
    shown = CliRunner().invoke(induced, given)
    assert shown.stdout.splitlines()[0].split()[:2] == ["n", "paragraphs"]
    assert "The paper reports" in shown.stderr


def test_words_with_fewer_contexts_were_taken_in_silence(
    world: tuple[Embeddings, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "FEWEST_WORDS", 8)  # two words for each of the 4 dimensions
    embeddings, path = world
    write_vectors(embeddings, tmp_path / "v.txt", format="glove")
    import_vectors(tmp_path / "v.txt", ModelFolder(tmp_path / "m", create=True))
    given = ["--model", str(tmp_path / "m"), "--text", str(path), "--paragraphs", "3000", "--min-contexts"]
    assert "too few words have 100,000,000 contexts" in CliRunner().invoke(induced, [*given, "100000000"]).stderr
    assert "too few words" not in CliRunner().invoke(induced, [*given, "1"]).stderr


def test_the_map_of_the_paper_is_fitted_to_windows_with_the_word(
    world: tuple[Embeddings, Path], tmp_path: Path
) -> None:
    embeddings, path = world
    learned = learn_paper_map(embeddings, as_corpus(path, tmp_path), a=math.inf)
    assert (learned.include_target, learned.window, learned.weighting) == (True, 10, "threshold")
    sums, numbers = np.zeros((N_WORDS, DIM)), np.zeros(N_WORDS)
    for line in path.read_text().splitlines():
        rows = embeddings.find_rows(line.split())
        for row in rows:
            sums[row] += embeddings.vectors[rows].mean(axis=0)
            numbers[row] += 1
    averages = sums / numbers[:, None]
    enough = numbers >= enough_contexts(numbers.astype(int), DIM)
    fitted = np.linalg.lstsq(averages[enough], embeddings.vectors[enough].astype(float), rcond=None)[0].T
    np.testing.assert_allclose(learned.matrix, fitted, rtol=0.05, atol=0.05)

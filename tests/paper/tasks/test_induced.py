"""Table 2 on a text that is written to follow the model: the words of a line share a discourse."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import write_vectors
from wordatoms.errors import InputError
from wordatoms.paper.tasks.induced import evaluate as task
from wordatoms.paper.tasks.induced.evaluate import evaluate_induced, split_corpus
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
    result = evaluate_induced(embeddings, as_corpus(path, tmp_path), n_amounts=2, min_contexts=30)
    assert len(result.rows()) == 2 * 2 * 2 * 2
    headline = result.find()
    assert headline.cosine > 0.9
    assert 1 - headline.cosine < 0.6 * (1 - headline.without_map)
    assert headline.cosine == pytest.approx(np.mean([word.cosine for word in result.words]))
    assert headline.without_map == pytest.approx(np.mean([word.without_map for word in result.words]))
    assert result.find(target="in").cosine > headline.cosine  # the word's own vector helps
    assert headline.relative_error < 0.6
    half = result.rows()[0]
    assert half["text"] == pytest.approx(0.5, abs=0.05)
    assert half["cosine"] < headline.cosine + 0.02
    assert len(result.words) == round((len(result.words) + result.n_fitted) / 3)


def test_evidence_and_verdict(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    result = evaluate_induced(embeddings, as_corpus(path, tmp_path), n_amounts=1, min_contexts=30)
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written) == ["scores", "baselines", "paper", "verdict", "items"]
    assert written["baselines"]["without_map"] == result.find().without_map
    assert written["paper"]["cosine_without_map"] == 0.58
    assert "0.58" in result.verdict
    assert "holds here too" in result.verdict
    assert set(written["items"][0]) == {"word", "n_contexts", "cosine", "without_map"}


def test_same_seed_same_words(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    embeddings, path = world
    corpus = as_corpus(path, tmp_path)
    first, second, other = (
        evaluate_induced(embeddings, corpus, n_amounts=1, min_contexts=30, random_state=seed) for seed in (0, 0, 1)
    )
    assert first == second
    assert {word.word for word in first.words} != {word.word for word in other.words}


def test_parts_of_a_text_are_even_and_complete(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    corpus = as_corpus(world[1], tmp_path)
    parts = split_corpus(corpus, 4)
    assert [shard for part in parts for shard in part.shards] == list(corpus.shards)
    assert max(part.n_bytes for part in parts) < 0.4 * corpus.n_bytes
    assert len(split_corpus(corpus, 1000)) == len(corpus.shards)


def test_too_little_text(world: tuple[Embeddings, Path], tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("waa wab\n")
    corpus = as_corpus(tmp_path / "short.txt", tmp_path)
    with pytest.raises(InputError, match="2 words of the model"):
        evaluate_induced(world[0], corpus)
    with pytest.raises(InputError, match="n_amounts is 0"):
        evaluate_induced(world[0], corpus, n_amounts=0)


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
    assert shown.stdout.splitlines()[0].split()[:2] == ["text", "n"]
    assert "The paper reports" in shown.stderr


def test_words_with_fewer_contexts_were_taken_in_silence(
    world: tuple[Embeddings, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task, "FEWEST_WORDS", 8)  # two words for each of the 4 dimensions
    embeddings, path = world
    write_vectors(embeddings, tmp_path / "v.txt", format="glove")
    import_vectors(tmp_path / "v.txt", ModelFolder(tmp_path / "m", create=True))
    given = ["--model", str(tmp_path / "m"), "--text", str(path), "--amounts", "1", "--min-contexts"]
    assert "too few words have 100,000,000 contexts" in CliRunner().invoke(induced, [*given, "100000000"]).stderr
    assert "too few words" not in CliRunner().invoke(induced, [*given, "1"]).stderr

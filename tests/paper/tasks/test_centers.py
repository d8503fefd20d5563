"""Table 1 on a text with two planted senses under a common direction."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from wordatoms.cli.evaluate import evaluate as evaluate_group
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import write_vectors
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.paper.tasks.centers.evaluate import CentersResult, evaluate_centers
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus, open_corpus

centers = evaluate_group.commands["centers"]

WORDS = ["the", "and", "bank", "river", "water", "shore", "money", "loan", "credit", "tree", "cat", "dog"]
VECTORS = np.array(
    [[9, 0, 0], [9, 0.1, 0.1], [2, 1, 1], *([[0.3, 2, 0]] * 3), *([[0.3, 0, 2]] * 3), *([[1, -1, -1]] * 3)]
) + 0.01 * np.random.default_rng(0).normal(size=(12, 3))
EMBEDDINGS = Embeddings(WORDS, VECTORS, np.array([900, 800, 100, *range(60, 51, -1)]))
SHRINKING = InducedMap(
    np.diag([0.01, 1, 1]).astype(np.float32), np.array([1, 0, 0], np.float32), np.zeros((1, 5), np.int32), math.inf, 2
)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    senses = [["river", "water", "shore"], ["money", "loan", "credit"]]
    lines = [f"{rng.choice(senses[k % 2])} the bank and {rng.choice(senses[k % 2])}" for k in range(60)]
    (tmp_path / "text.txt").write_text("\n".join([*lines, "the cat and the dog", "tree the and cat"]))
    return tmp_path / "text.txt"


def evaluated(text: Path, **options: object) -> CentersResult:
    corpus: Corpus = open_corpus([text], work=text.parent)
    given: dict[str, object] = {"word": "bank", "n_centers": 2, "n_nearest": 3, **options}
    return evaluate_centers(EMBEDDINGS, SHRINKING, corpus, **given)  # type: ignore[arg-type]


def test_senses_appear_after_the_map(text: Path) -> None:
    result = evaluated(text)
    assert sorted(row["windows"] for row in result.rows()) == [9, 9]  # three words on each side, no window twice
    for center in result.centers:
        assert {"the", "and"} & {near.word for near in center.before}
    after = {frozenset(near.word for near in center.after) for center in result.centers}
    assert after == {frozenset(WORDS[3:6]), frozenset(WORDS[6:9])}
    assert result.frequent == {"the", "and"}
    assert result.frequent_before > result.frequent_after == 0
    assert "this agrees" in result.verdict


def test_what_the_map_shrinks(text: Path) -> None:
    result = evaluated(text, n_directions=2)
    assert result.spectrum == pytest.approx((1, 1, 0.01))
    last = result.last_directions[0]
    assert (last.direction, last.common) == (3, pytest.approx(1))
    assert {near.word for near in last.nearest[:2]} == {"the", "and"}
    assert [each.direction for each in result.last_directions] == [3, 2]


def test_evidence_is_json_and_repeatable(text: Path) -> None:
    result = evaluated(text)
    assert result == evaluated(text)
    written = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert list(written)[:5] == ["scores", "baselines", "paper", "verdict", "items"]
    assert len(written["spectrum"]) == 3
    assert written["items"][0]["before"][0].keys() == {"word", "similarity"}


def test_words_without_contexts_are_refused(text: Path) -> None:
    with pytest.raises(UnknownWordError, match="zyx"):
        evaluated(text, word="zyx")
    with pytest.raises(InputError, match="too few for 9 centers"):
        evaluated(text, word="tree", n_centers=9)


def test_command(text: Path, tmp_path: Path) -> None:
    write_vectors(EMBEDDINGS, tmp_path / "v.txt", format="glove")
    folder = ModelFolder(tmp_path / "m", create=True)
    import_vectors(tmp_path / "v.txt", folder)
    given = ["--model", str(folder.path), "--text", str(text), "--word", "bank", "-k", "2"]
    assert "wordatoms map" in str(CliRunner().invoke(centers, given).exception)
    map_contexts(folder, MapSettings(window=2), sources=[text])
    result = CliRunner().invoke(centers, [*given, "--json", "--plot", str(tmp_path / "spectrum.svg")])
    assert result.exit_code == 0, result.output
    assert len(json.loads(result.stdout)["items"]) == 2
    assert (tmp_path / "spectrum.svg").stat().st_size > 1000
    shown = CliRunner().invoke(centers, given).stdout
    assert shown.splitlines()[0].split() == ["center", "windows", "before", "after"]
    assert "singular value" in shown

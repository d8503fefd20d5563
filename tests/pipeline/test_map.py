"""The stage `map` on a model's folder, and the commands `map` and `induce`."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from wordatoms.cli.induce import induce
from wordatoms.cli.train import WEIGHTINGS as OFFERED
from wordatoms.cli.train import map_
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import WEIGHTINGS, InducedMap, load_induced_vectors
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import write_vectors
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.count import count
from wordatoms.pipeline.embed import embed
from wordatoms.pipeline.import_vectors import import_vectors
from wordatoms.pipeline.map import MapSettings, map_contexts
from wordatoms.pipeline.sources import CountSettings
from wordatoms.run import Run
from wordatoms.senses.parts import model_tokenizer
from wordatoms.storage.folder import ModelFolder

TEXT = Path(__file__).parents[1] / "data" / "small.txt"


def trained(folder: Path, **settings: bool) -> ModelFolder:
    model = ModelFolder(folder, create=True)
    count([TEXT], model, CountSettings(min_count=2, **settings))
    embed(model, "pmi", parameters={"dim": 8})
    return model


@pytest.fixture
def model(tmp_path: Path) -> ModelFolder:
    return trained(tmp_path / "model")


def run(command: object, *arguments: object, stdin: str = "") -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], input=stdin)  # type: ignore[arg-type]


def test_counted_text_is_found_again(model: ModelFolder) -> None:
    assert map_contexts(model)
    contexts, learned = ContextAverages.load(model.path), InducedMap.load(model.path)
    embeddings = Embeddings.load(model.path)
    assert contexts.averages.shape == embeddings.vectors.shape
    assert (contexts.n_contexts <= embeddings.counts).all()
    assert learned.windows.max() < len(embeddings)
    assert load_induced_vectors(model.path).shape == embeddings.vectors.shape
    record = model.stages["map"]
    assert {*record["files"]} == {*ContextAverages.FILES, *InducedMap.FILES}
    assert record["inputs"][0]["path"] == str(TEXT)


def test_done_stage_is_skipped_and_other_settings_need_force(model: ModelFolder) -> None:
    assert map_contexts(model)
    before = (model.path / "manifest.json").read_bytes()
    assert not map_contexts(ModelFolder(model.path))
    assert not map_contexts(model, sources=[TEXT])
    assert (model.path / "manifest.json").read_bytes() == before
    with pytest.raises(ModelError, match="window 10, you ask for window 3; pass --force"):
        map_contexts(model, MapSettings(window=3))
    assert map_contexts(model, MapSettings(window=3), force=True)
    assert ContextAverages.load(model.path).window == 3


def test_same_bytes_with_any_threads_and_memory(model: ModelFolder) -> None:
    digests = []
    for threads, memory in ((1, 2 << 30), (3, 1 << 15)):
        map_contexts(model, run=Run(threads=threads, memory=memory), force=True)
        digests.append({name: facts["sha256"] for name, facts in model.stages["map"]["files"].items()})
    assert digests[0] == digests[1]


def test_new_vectors_make_the_map_invalid(model: ModelFolder) -> None:
    map_contexts(model)
    embed(model, "pmi", parameters={"dim": 6}, force=True)
    assert "map" not in ModelFolder(model.path).stages


def test_settings_reach_the_map(model: ModelFolder) -> None:
    settings = MapSettings(a=math.inf, include_target=True, weighting="log-count", remove_common=True, window=4)
    map_contexts(model, settings)
    learned = InducedMap.load(model.path)
    assert (learned.a, learned.window, learned.weighting) == (math.inf, 4, "log-count")
    assert learned.include_target
    assert learned.remove_common
    assert not map_contexts(model, settings)  # an infinite a is found again in the manifest
    for wrong in ({"a": 0.0}, {"weighting": "square"}, {"window": 0}):
        with pytest.raises(InputError):
            MapSettings(**wrong)  # type: ignore[arg-type]


def test_imported_vectors_need_a_text(model: ModelFolder, tmp_path: Path) -> None:
    write_vectors(Embeddings.load(model.path), tmp_path / "v.txt", format="glove")
    imported = ModelFolder(tmp_path / "imported", create=True)
    import_vectors(tmp_path / "v.txt", imported)
    with pytest.raises(InputError, match="--text"):
        map_contexts(imported)
    assert map_contexts(imported, sources=[TEXT])
    assert not map_contexts(imported)
    (tmp_path / "other.txt").write_text("zyx\n")
    with pytest.raises(InputError, match="contains two words"):
        map_contexts(imported, sources=[tmp_path / "other.txt"], force=True)
    assert InducedMap.load(imported.path).window == 10  # what was there stays


def test_words_are_cut_as_they_were_counted(tmp_path: Path) -> None:
    model = trained(tmp_path / "model", keep_case=True)
    assert model_tokenizer(model).keep_case
    map_contexts(model)
    embeddings = Embeddings.load(model.path)
    contexts = ContextAverages.load(model.path)
    assert "The" in embeddings
    assert contexts.n_contexts[embeddings.words.index("The")] > 0


@pytest.mark.parametrize(("words", "keep_case"), [(["the", "of"], False), (["the", "The"], True)])
def test_imported_words_tell_their_case(tmp_path: Path, words: list[str], keep_case: bool) -> None:
    write_vectors(Embeddings(words, np.eye(2)), tmp_path / "v.txt", format="glove")
    imported = ModelFolder(tmp_path / "imported", create=True)
    import_vectors(tmp_path / "v.txt", imported)
    assert model_tokenizer(imported).keep_case == keep_case


def test_a_model_without_vectors_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"format": 1, "stages": {}}')
    with pytest.raises(ModelError, match="wordatoms embed"):
        map_contexts(ModelFolder(tmp_path))


# --- the commands


def test_map_and_induce(model: ModelFolder, tmp_path: Path) -> None:
    told = run(map_, model.path)
    assert told.exit_code == 0, told.output
    assert "held out" in told.stderr
    assert "exists already" in run(map_, model.path).stderr
    assert run(map_, model.path, "--quiet", "--force", "--a", "inf", "--window", "5").output == ""
    (tmp_path / "contexts.txt").write_text("She wore a blue zyx with a dark jacket.\n\nshirt and shoes\n")
    asked = ("zyx", "--contexts", tmp_path / "contexts.txt", "--model", model.path)
    table = run(induce, *asked, "-n", 3).stdout.splitlines()
    assert table[0].split() == ["word", "cosine"]
    assert len(table) == 4
    answer = json.loads(run(induce, *asked, "--json", "-n", 3).stdout)
    assert answer["n_contexts"] == 2
    assert [near["word"] for near in answer["nearest"]] == [line.split()[0] for line in table[1:]]
    assert len(answer["vector"]) == 8
    assert np.isfinite(answer["vector"]).all()


def test_the_word_itself_is_left_out_unless_asked_for(model: ModelFolder) -> None:
    map_contexts(model)
    common = ("induce", "tie", "--contexts", "-", "--model", model.path, "--json")[1:]
    lines = {True: "a blue tie with a jacket\n", False: "a blue with a jacket\n"}
    left_out = json.loads(run(induce, *common, stdin=lines[True]).stdout)
    assert left_out["vector"] == json.loads(run(induce, *common, stdin=lines[False]).stdout)["vector"]
    inside = json.loads(run(induce, *common, "--include-target", stdin=lines[True]).stdout)
    assert inside["vector"] != left_out["vector"]


def test_induce_says_what_is_missing(model: ModelFolder, tmp_path: Path) -> None:
    common = ("zyx", "--contexts", "-", "--model", model.path)
    assert "wordatoms map" in str(run(induce, *common, stdin="a tie\n").exception)
    map_contexts(model)
    assert "none of the 1 contexts" in str(run(induce, *common, stdin="qqq zyx www\n").exception)
    assert "contains no contexts" in str(run(induce, *common, stdin="\n").exception)
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    result = run(induce, "zyx", "--contexts", tmp_path / "latin", "--model", model.path)
    assert "not UTF-8" in str(result.exception)


def test_a_question_imports_nothing_heavy(model: ModelFolder) -> None:
    map_contexts(model)
    code = f"""
import io, sys
from wordatoms.cli.induce import induce
sys.stdin = io.TextIOWrapper(io.BytesIO(b"a blue tie with a jacket"))
induce(["tie", "--contexts", "-", "--model", {str(model.path)!r}], standalone_mode=False)
print(*sys.modules)
"""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    assert output.startswith("word")
    assert not {"numba", "scipy", "sklearn", "gensim"} & {*output.split()}


def test_all_weightings_are_offered() -> None:
    assert ("auto", *WEIGHTINGS) == OFFERED

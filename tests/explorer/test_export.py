"""The explorer as static files: the same answers as those of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from explorerworld import world_explorer
from planted import planted_model
from wordatoms.embeddings.neighbours import FILE as NEIGHBOURS
from wordatoms.errors import InputError
from wordatoms.explorer import export as exporting
from wordatoms.explorer.answers import to_json
from wordatoms.explorer.export import all_neighbours, export_site, search_index, shard_name, static_facts
from wordatoms.explorer.security import site_names
from wordatoms.explorer.service import Explorer
from wordatoms.run import Run
from wordatoms.senses.model import load
from wordatoms.storage.folder import write_manifest
from wordatoms.text.tokenizer import Tokenizer

N_LINEUPS = 3


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def site(explorer: Explorer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "site"
    export_site(explorer, folder, n_lineups=N_LINEUPS, run=Run(threads=1))
    return folder


def read(site: Path, name: str) -> Any:
    return json.loads((site / "api" / f"{name}.json").read_bytes())


def test_page_and_report_are_there(site: Path) -> None:
    assert all((site / name).is_file() for name in site_names())
    assert (site / "report" / "index.html").read_text() == "<p>a report</p>"
    assert not (site / "report" / "secret.txt").exists()


def plain(answer: Any) -> Any:
    return json.loads(to_json(answer))


def test_facts_say_what_works_without_a_server(site: Path, explorer: Explorer) -> None:
    facts = read(site, "model")
    assert facts == plain(static_facts(explorer, N_LINEUPS))
    assert facts["static"]
    assert facts["features"] == ["words", "report", "documents", "contextual"]
    assert facts["lineups"] == N_LINEUPS
    changed = {"static", "features", "models", "corpus", "lineups"}
    assert {name for name, value in plain(explorer.model()).items() if value != facts[name]} == changed


def test_atoms_are_those_of_the_server(site: Path, explorer: Explorer) -> None:
    assert read(site, "atoms") == plain(explorer.first.atoms())
    for atom in range(3):
        assert read(site, f"atom/{atom}") == plain(explorer.first.atom(atom))


def test_words_are_those_of_the_server(site: Path, explorer: Explorer) -> None:
    words = read(site, "words")["words"]
    assert tuple(words) == explorer.first.model.words
    for word in words:
        found, answer = read(site, f"words/{shard_name(word)}")[word], explorer.word(word)
        assert [atom for atom, _ in found["atoms"]] == [sense.atom for sense in answer.senses]
        weights = [sense.weight for sense in answer.senses]
        assert [weight for _, weight in found["atoms"]] == pytest.approx(weights, abs=1e-3)
        assert [words[rank - 1] for rank, _ in found["nearest"]] == [
            each.word for each in answer.nearest[: exporting.N_NEAREST]
        ]
        assert [word, *found["forms"]] == [form.form for form in answer.forms]
        assert found["explained"] == round(answer.explained, 4)
        assert (found["count"], found["rank"]) == (answer.count, answer.rank)
        assert [atom for atom, _ in found["matches"]] == explorer.first.model.atoms.containing(found["rank"] - 1)


def test_search_index_has_labels_and_the_tokenizer(
    site: Path, explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = explorer.first.model
    plain_tokenizer = {"keep_case": False, "pretokenized": False, "phrases": []}
    labels = list(model.atoms.labels)
    assert read(site, "search") == {"names": {}, "labels": labels, "hidden": [], "tokenizer": plain_tokenizer}
    monkeypatch.setitem(vars(model.parts), "tokenizer", Tokenizer(phrases=("new york", "ice cream")))
    assert plain(search_index(explorer.first))["tokenizer"]["phrases"] == [["new", "york"], ["ice", "cream"]]


def test_lineups_are_solved(site: Path, explorer: Explorer) -> None:
    for seed in range(N_LINEUPS):
        shown, solution = explorer.lineup.lineup(seed, 20), explorer.lineup.solution(seed, 20)
        assert read(site, f"lineup/{seed}") == plain(shown) | plain(solution)
    assert not (site / "api" / "lineup" / f"{N_LINEUPS}.json").exists()


@pytest.mark.parametrize(
    ("word", "shard"),
    [("tie", "ti"), ("a", "a_"), ("élan", "_l"), ("n't", "n_"), ("Ab", "_b"), ("..", "__"), ("7", "7_")],
)
def test_shards_have_plain_names(word: str, shard: str) -> None:
    assert shard_name(word) == shard


def test_neighbours_that_a_model_does_not_keep_are_found(tmp_path: Path) -> None:
    folder = planted_model(tmp_path / "model")
    kept = all_neighbours(load(folder.path), Run(threads=1))
    del folder.stages["atomize"]["files"][NEIGHBOURS]
    write_manifest(folder.path, folder.manifest)
    found = all_neighbours(load(folder.path), Run(threads=1))
    assert (found.rows == kept.rows[:, : exporting.N_NEAREST]).all()


def test_nothing_is_written_over(explorer: Explorer, site: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not empty"):
        export_site(explorer, site)
    with pytest.raises(InputError, match="does not exist; create it first"):
        export_site(explorer, tmp_path / "missing" / "site")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        export_site(explorer, tmp_path / "file")


def test_half_an_export_is_none(explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "word_shards", lambda *_: 1 / 0)
    (tmp_path / "site").mkdir()
    with pytest.raises(ZeroDivisionError):
        export_site(explorer, tmp_path / "site", run=Run(threads=1))
    assert [*tmp_path.rglob("*")] == [tmp_path / "site"]


def test_the_same_model_gives_the_same_files(explorer: Explorer, site: Path, tmp_path: Path) -> None:
    export_site(explorer, tmp_path / "again", n_lineups=N_LINEUPS, run=Run(threads=2))
    for path in site.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / "again" / path.relative_to(site)).read_bytes()


def test_site_that_was_stopped_late_had_to_be_removed_by_hand(explorer: Explorer, site: Path) -> None:
    """Everything was written, but the process was killed before it could say so."""
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    export_site(explorer, site, n_lineups=N_LINEUPS, run=Run(threads=1))
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before

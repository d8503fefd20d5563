"""The command that makes the English model, on a small text: the same bytes again, whatever the threads."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from plantedtext import WORDS, planted_text
from wordatoms import load
from wordatoms.pipeline.phrases import PhraseSettings
from wordatoms.pipeline.tune import TuneSettings, tune
from wordatoms.run import Run
from wordatoms.senses.inventory import Inventory, ListedSense
from wordatoms.tuning.choice import GRID

PHRASES = PhraseSettings(given=(f"{WORDS[0]} {WORDS[1]}",), min_count=1)
SCRIPT = Path(__file__).parents[2] / "tools" / "make_english_model.py"


def load_script(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A script of the folder as a module."""
    spec = importlib.util.spec_from_file_location(name, SCRIPT.with_name(f"{name}.py"))
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, with few pseudowords and one value of each setting."""
    few = TuneSettings(n_pseudowords=12, n_contexts=10, grid={name: values[1:2] for name, values in GRID.items()})
    monkeypatch.setattr("wordatoms.pipeline.tune.FEWEST_PSEUDOWORDS", 6)
    module = load_script("make_english_model", monkeypatch)
    monkeypatch.setattr(module, "tune", lambda folder, sources, **run: tune(folder, sources, few, **run))
    return module


def all_bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_text_gives_the_same_bytes(tool: ModuleType, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "held").mkdir(parents=True)
    for name, seed in (("part-0.txt", 0), ("part-1.txt", 1), ("held/book.txt", 2)):
        (corpus / name).write_text(planted_text(seed) + f"\n{PHRASES.given[0]} {' '.join(WORDS[2:9])}\n")
    found, recipe = tool.find_corpus(corpus), tool.Recipe(dim=20, n_atoms=11, phrases=PHRASES)
    first, second = (
        tool.make_model(found, tmp_path / f"work-{threads}", recipe=recipe, run=Run(threads)).path for threads in (1, 2)
    )
    assert all_bytes(first) == all_bytes(second)
    model = load(first)
    assert [file["path"] for file in model.folder.stages["tune"]["inputs"]] == ["book.txt"]
    assert model.uses is not None
    assert model.senses(PHRASES.given[0])
    assert [file["path"] for file in model.folder.stages["count"]["inputs"]] == ["part-0.txt", "part-1.txt"]
    assert (first / "LICENCE.txt").read_bytes() == (SCRIPT.parent / "ENGLISH-LICENCE.txt").read_bytes()
    assert model.senses(model.words[0])


def test_some_text_must_be_held_out(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "only.txt").write_text("one")
    with pytest.raises(SystemExit, match="has 1 text files and its folder held has 0"):
        tool.find_corpus(tmp_path)


def test_senses_are_renewed_and_the_rest_stays(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "corpus"
    (corpus / "held").mkdir(parents=True)
    for name, seed in (("part-0.txt", 0), ("part-1.txt", 1), ("held/book.txt", 2)):
        (corpus / name).write_text(planted_text(seed) + f"\n{PHRASES.given[0]} {' '.join(WORDS[2:9])}\n")
    texts = tool.find_corpus(corpus)
    recipe = tool.Recipe(dim=20, n_atoms=11, inventory="", phrases=PHRASES)
    before = tool.make_model(texts, tmp_path / "work", recipe=recipe).path
    load_script("add_sentences", monkeypatch)
    renewing = load_script("renew_senses", monkeypatch)
    inventory = Inventory((ListedSense(WORDS[0], "a name", (WORDS[2], WORDS[3])),))
    first = renewing.renew(texts.texts, tmp_path / "first", model=before, phrases=PHRASES).path
    again = renewing.renew(texts.texts, tmp_path / "again", model=first, phrases=PHRASES).path
    assert all_bytes(again) == all_bytes(first)
    other = renewing.renew(texts.texts, tmp_path / "other", model=first, inventory=inventory, phrases=PHRASES).path
    kept = {name: content for name, content in all_bytes(before).items() if not name.startswith(("uses", "phrases"))}
    assert {name: (other / name).read_bytes() for name in kept if name != "manifest.json"} == {
        name: content for name, content in kept.items() if name != "manifest.json"
    }
    assert [sense.label for sense in load(other).senses(WORDS[0])] == ["a name"]

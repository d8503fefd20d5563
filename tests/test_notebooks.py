"""The notebooks of the docs run, and their stored outputs are what they print."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from docworld import ROOT

RUNNER: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "run_notebooks.py"))
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 40_000


def code_cells(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in RUNNER["read_cells"](path) if cell["cell_type"] == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_what_the_cells_give(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORDATOMS_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    made = RUNNER["run_cells"](RUNNER["read_cells"](path))
    for cell, outputs in zip(code_cells(path), made, strict=True):
        stored = cell["outputs"]
        assert [output["output_type"] for output in outputs] == [output["output_type"] for output in stored]
        if not RUNNER["varies"](cell):
            assert RUNNER["text_of"](outputs) == RUNNER["text_of"](stored), "run: python docs/run_notebooks.py"


def test_there_are_four() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["documents", "first-steps", "ksvd", "own-text"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_say_nothing_about_a_machine(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    assert path.stat().st_size < LARGEST
    outputs = json.dumps([cell["outputs"] for cell in code_cells(path)])
    assert "<script" not in outputs
    for part in ("/tmp/", "/home/", "/root", "site-packages", str(Path.home()), str(ROOT)):
        assert part not in outputs


def test_a_cell_gives_what_it_prints_and_its_last_value() -> None:
    namespace: dict[str, Any] = {}
    assert RUNNER["run_cell"]("x = 2", namespace, 1) == []
    printed, value = RUNNER["run_cell"]("print(x)\nx + 1", namespace, 2)
    assert printed == {"name": "stdout", "output_type": "stream", "text": ["2\n"]}
    assert value["data"] == {"text/plain": ["3"]}
    assert value["execution_count"] == 2

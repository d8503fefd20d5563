"""The command that updates the bundled results: what it computes, with which models, and what it keeps."""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from wordatoms.paper.report.runner import find_exhibits
from wordatoms.storage.bundled import REPRODUCED

SCRIPT = Path(__file__).parents[3] / "tools" / "update_report.py"
OF_OTHER_VECTORS = {"table-1", "table-2", "table-3"}
JUDGED_BY_A_READER = {"topics"}


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("update_report", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


def options(work: Path, **more: Any) -> argparse.Namespace:
    given = {"work": work, "model": None, "others": ["sn", "glove"], "data": "data", "text": [], "source": "ours"}
    rest = {"no_competitors": False, "all_models": False, "part": None, "jobs": 2, "no_docs": True}
    return argparse.Namespace(**{**given, **rest, **more})


def test_every_bundled_result_of_the_bundled_model_is_computed(tool: ModuleType) -> None:
    computed = {each.name for part in tool.PARTS for each in find_exhibits(part.exhibits)}
    stored = {path.stem for path in REPRODUCED.glob("*.json")}
    assert computed == stored - OF_OTHER_VECTORS - JUDGED_BY_A_READER


def test_other_models_are_passed_where_their_rows_are_cheap(tool: ModuleType, tmp_path: Path) -> None:
    commands = {part.name: tool.command(part, tmp_path, options(tmp_path)) for part in tool.PARTS}
    assert all(("--with" in commands[part.name]) == part.has_others for part in tool.PARTS)
    assert commands["lineup"][3:7] == ["reproduce", "figure-1", "-o", str(tmp_path / "lineup")]
    (theory,) = (part for part in tool.PARTS if not part.has_others)
    assert "--with" in tool.command(theory, tmp_path, options(tmp_path, all_models=True))


def test_a_part_that_fails_is_named_and_the_others_are_stored(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = []

    def run(command: list[str], **_: object) -> None:
        if "table-7" in command:
            raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(tool.subprocess, "run", run)
    monkeypatch.setattr(tool, "bundle", lambda report, *_, **__: stored.append(report.name) or [report.name])
    with pytest.raises(SystemExit, match="failed: induction; see the logs in "):
        tool.update(options(tmp_path))
    assert stored == [part.name for part in tool.PARTS if part.name != "induction"]
    assert (tmp_path / "lineup.log").exists()

"""The docs say what the program does."""

from __future__ import annotations

import gzip
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_commands_page_is_up_to_date() -> None:
    script = runpy.run_path(str(ROOT / "docs" / "make_commands.py"))
    assert (ROOT / "docs" / "commands.md").read_text("utf-8") == script["make_page"](), (
        "run: python docs/make_commands.py"
    )


def test_links_in_the_docs_lead_somewhere() -> None:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def python_examples(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


def test_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    (readme,) = python_examples(ROOT / "README.md")
    exec(readme, {})
    (tmp_path / "model").symlink_to(tmp_path / "small.model")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one.txt.gz").write_bytes(gzip.compress(5 * (ROOT / "tests/data/small.txt").read_bytes()))
    for page in sorted((ROOT / "docs").glob("*.md")):
        for example in python_examples(page):
            exec(example, {})

"""The docs say what the program does."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

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

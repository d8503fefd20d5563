"""A model of a stranger in a real browser: script in its words, labels and notes is shown and not run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from browsing import FLAGS, Visitor, find_browser, hosting, serving, why_no_browser
from planted import planted_model
from sealing import reseal
from wordatoms import load
from wordatoms.explorer.export import export_site
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel

HARM = (
    "<img src=x onerror=harm()>",
    "<script>harm()</script>",
    "'\"><svg/onload=harm()>",
    "javascript:harm()",
    "</title><script>harm()</script>",
    "${harm()}{{harm()}}",
)
MISSING = why_no_browser()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    path = planted_model(tmp_path_factory.mktemp("stranger") / "<b>harm").path
    lines = (path / "words.txt").read_text().splitlines()
    (path / "words.txt").write_text("".join(f"{HARM[row % len(HARM)]}{line}\n" for row, line in enumerate(lines)))
    facts = json.loads((path / "atoms.json").read_text())
    facts["labels"] = [f"{HARM[atom % len(HARM)]}{atom}" for atom in range(len(facts["labels"]))]
    (path / "atoms.json").write_text(json.dumps(facts))
    (path / "LICENCE.txt").write_text(HARM[0])
    reseal(path)
    found = load(path)
    found.name(3, HARM[0])
    return load(path)


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield chromium.new_page()
        chromium.close()


def visit_everything(model: SenseModel, page: Any, base: str) -> None:
    visitor, calls = Visitor(page, base), list[object]()
    dialogs = list[str]()
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    if not hasattr(page, "harmed"):
        page.expose_function("harm", lambda *_: calls.append(1))
        page.harmed = calls
    words = [quote(word, safe="") for word in model.words[:6]]
    addresses = ["#/", "#/map", "#/atom/3", "#/atom/0", "#/lineup", "#/about", *(f"#/word/{word}" for word in words)]
    for address in addresses:
        visitor.open(address).sees("main")
        page.wait_for_load_state("networkidle")
        assert page.locator("main img, main script, main svg[onload]").count() == 0
    visitor.open(f"#/word/{words[0]}").reads("main", model.words[0])  # shown as it is written
    assert page.harmed == []
    assert dialogs == []
    assert visitor.complaints == []


def test_script_in_the_words_and_labels_of_a_model(model: SenseModel, page: Any) -> None:
    from wordatoms.explorer.service import Explorer

    with serving(Explorer([model])) as base:
        visit_everything(model, page, base)


def test_script_in_the_words_and_labels_of_an_exported_model(model: SenseModel, page: Any, tmp_path: Path) -> None:
    from wordatoms.explorer.service import Explorer

    export_site(Explorer([model]), tmp_path / "site", n_lineups=3, run=Run(threads=1))
    with hosting(tmp_path / "site") as base:
        visit_everything(model, page, base)

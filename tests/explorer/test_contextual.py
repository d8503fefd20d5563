"""Atoms of contextual vectors in the explorer: beside those of the model, from the server and from an export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from browsing import CONTRAST, FLAGS, NARROW, UNNAMED, WIDE, Visitor, find_browser, hosting, serving, why_no_browser
from explorerworld import world_contextual, world_explorer
from wordatoms.explorer.app import make_app
from wordatoms.explorer.contextual import ContextualAnswers
from wordatoms.explorer.export import export_site
from wordatoms.explorer.service import Explorer
from wordatoms.run import Run


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("contextual"))


@pytest.fixture(scope="module")
def site(explorer: Explorer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "site"
    export_site(explorer, folder, n_lineups=1, run=Run(threads=1))
    return folder


def test_each_stands_beside_the_atoms_of_the_model(explorer: Explorer) -> None:
    assert explorer.contextual is not None
    page, model = explorer.contextual.page(), explorer.first.model
    assert (page.encoder, page.n_occurrences, [atom.number for atom in page.atoms]) == ("minilm", 7, [7, 2])
    (beside,) = page.atoms[0].coincides
    assert beside.label == model.label(1), "the name that the atom has now, not the one in the file"
    assert beside.nearest == [near.word for near in model.nearest_words(1, 8)]
    shown = page.atoms[0].examples[0]
    units = shown.text.encode("utf-16-le")
    assert units[2 * shown.start : 2 * shown.end].decode("utf-16-le") == "bank"


def test_without_a_file_there_are_none(explorer: Explorer) -> None:
    bare = Explorer([explorer.first.model])
    assert "contextual" not in bare.features
    with TestClient(make_app(bare), base_url="http://127.0.0.1") as client:
        response = client.get("api/contextual")
    assert response.status_code == 404
    assert "--contextual FILE" in response.json()["error"]


def test_an_export_has_the_same(explorer: Explorer, site: Path) -> None:
    with TestClient(make_app(explorer), base_url="http://127.0.0.1") as client:
        assert json.loads((site / "api" / "contextual.json").read_bytes()) == client.get("api/contextual").json()


def test_names_that_a_person_gives_are_shown(tmp_path: Path) -> None:
    explorer = world_explorer(tmp_path)
    explorer.first.model.name(1, "banks of rivers")
    answers = ContextualAnswers(explorer.first, world_contextual(explorer.first.model))
    assert answers.page().atoms[0].coincides[0].label == "banks of rivers"


# --- the browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if missing := why_no_browser():
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield chromium
        chromium.close()


def use_the_view(browser: Any, at: str, size: tuple[int, int], scheme: str) -> None:
    viewport = dict(zip(("width", "height"), size, strict=True))
    visitor = Visitor(
        browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce").new_page(), at
    )
    page = visitor.open("#/").page
    visitor.sees("nav a[data-view=contextual]")
    visitor.go("#/contextual").sees(".beside")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(UNNAMED) == []
    assert page.locator(".beside").count() == 2
    visitor.reads(".beside mark", "bank")
    visitor.reads(".beside-list li", "2.5 times as often")
    visitor.sees(".contextual-words a >> text=boat").click()
    page.wait_for_function("() => document.querySelectorAll('.beside').length === 1")
    visitor.sees(".beside-list a").click()
    visitor.is_at("#/atom/1")
    visitor.reads(".columns section:last-of-type", "bank, boat")
    visitor.go("#/contextual?q=owl").reads(".empty", "No contextual atom has “owl”")
    assert visitor.complaints == []


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_the_view_of_a_server(browser: Any, tmp_path: Path, size: tuple[int, int], scheme: str) -> None:
    with serving(world_explorer(tmp_path)) as address:
        use_the_view(browser, address, size, scheme)


def test_the_view_of_an_export(browser: Any, site: Path) -> None:
    with hosting(site) as address:
        use_the_view(browser, address, WIDE, "dark")

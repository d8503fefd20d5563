"""What is laid over the map, in a browser: documents, a group less all others, another model; and copied tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browsing import FLAGS, NARROW, WIDE, Visitor, find_browser, hosting, serving, why_no_browser
from explorerworld import world_explorer
from wordatoms.explorer.export import export_site
from wordatoms.explorer.service import Explorer
from wordatoms.run import Run
from wordatoms.senses.comparison import atom_likeness

OVERLAYS = ["", "documents", "group-0", "group-1", "model-second"]
IS_TALLER = "() => document.documentElement.scrollHeight > innerHeight"


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("overlays"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if missing := why_no_browser():
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def base(explorer: Explorer) -> Iterator[str]:
    with serving(explorer) as address:
        yield address


def visitor_of(browser: Any, at: str, size: tuple[int, int] = WIDE, *, may_copy: bool = True) -> Visitor:
    context = browser.new_context(
        viewport=dict(zip(("width", "height"), size, strict=True)),
        reduced_motion="reduce",
        permissions=["clipboard-read", "clipboard-write"] if may_copy else [],
    )
    return Visitor(context.new_page(), at)


def test_counterparts_are_the_most_similar_atoms(explorer: Explorer) -> None:
    found = explorer.counterparts("second")
    first, second = explorer.first.model, explorer.of("second").model
    for atom in range(len(first.atoms)):
        alike = [float(atom_likeness(first, [atom], second, [other])[0, 0]) for other in range(len(second.atoms))]
        assert found.similarities[atom] == pytest.approx(max(alike))
        assert found.labels[atom] == second.label(int(np.argmax(alike)))


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=str)
def test_the_map_shows_an_overlay(browser: Any, base: str, explorer: Explorer, size: tuple[int, int]) -> None:
    assert explorer.documents is not None
    visitor = visitor_of(browser, base, size).open("#/map")
    choice, page = visitor.sees("select.overlay"), visitor.page
    assert [option.get_attribute("value") for option in choice.locator("option").all()] == OVERLAYS
    assert not page.evaluate(IS_TALLER)
    choice.select_option("documents")
    visitor.is_at("#/map?over=documents")
    visitor.reads(".map-hint", "Larger discs are larger shares of letters.csv")
    shares = explorer.documents.atoms().shares
    labels = [explorer.first.model.label(atom) for atom in np.argsort(-np.array(shares), kind="stable").tolist()]
    assert page.locator(".map-panel .atom-list a").all_inner_texts() == labels
    page.locator(".map-panel .atom-list a").first.click()
    visitor.reads(".map-panel h2", labels[0])
    visitor.reads(".map-panel", "The atoms of letters.csv: ")
    page.get_by_role("link", name="passages").click()
    visitor.sees(".passage")
    page.go_back()
    visitor.reads(".map-panel h2", labels[0])
    assert visitor.sees("select.overlay").input_value() == "documents"
    visitor.sees("[aria-label=Close]").focus()
    page.keyboard.press("Escape")
    visitor.is_at("#/map?over=documents")
    visitor.sees("[aria-label=Close]").press("Enter")  # the list goes, the overlay stays
    page.locator(".map-panel").wait_for(state="hidden")
    page.wait_for_function("() => document.activeElement.matches('canvas')")
    visitor.is_at("#/map?over=documents")
    visitor.go("#/map?over=group-1").reads(".map-hint", "The share in south less that in all others")
    visitor.go("#/map?over=model-second").reads(".map-hint", "3 of 3 atoms have a counterpart in “second”")
    visitor.go("#/map?over=nothing").reads(".map-hint", "3 atoms, coloured by")
    assert visitor.complaints == []


def test_words_and_overlays_go_together(browser: Any, base: str) -> None:
    visitor = visitor_of(browser, base).open("#/map?word=bank&over=group-0")
    visitor.reads(".map-panel h2", "of “bank”")
    visitor.sees("[aria-label=Close]").click()
    visitor.is_at("#/map?over=group-0")
    name, text = visitor.download(visitor.page.get_by_role("button", name="CSV"))
    assert name.endswith(".csv")
    assert len(text.splitlines()) == 4
    name, text = visitor.download(visitor.page.get_by_role("button", name="SVG"))
    assert text.count("<circle") == 3
    assert visitor.complaints == []


def test_an_export_has_the_overlays_of_documents(browser: Any, explorer: Explorer, tmp_path: Path) -> None:
    export_site(explorer, tmp_path / "site", n_lineups=1, run=Run(threads=1))
    with hosting(tmp_path / "site") as address:
        visitor = visitor_of(browser, address)
        visitor.forgiven = ("api/model",)
        choice = visitor.open("#/map?over=group-0").sees("select.overlay")
        assert [option.get_attribute("value") for option in choice.locator("option").all()] == OVERLAYS[:4]
        visitor.reads(".map-hint", "The share in north less that in all others")
        assert visitor.complaints == []


@pytest.mark.parametrize("may_copy", [True, False])
def test_tables_are_copied(browser: Any, base: str, explorer: Explorer, may_copy: bool) -> None:
    visitor = visitor_of(browser, base, may_copy=may_copy).open("#/word/bank")
    page = visitor.page
    visitor.sees(".sense")
    if not may_copy:  # as on a page without https
        page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate("() => document.addEventListener('copy', () => { window.copied = String(getSelection()) })")
    button = page.locator("section:has(> .section-head:has-text('Nearest words to'))").get_by_role(
        "button", name="Copy"
    )
    button.click()
    page.wait_for_function("() => [...document.querySelectorAll('button')].some((b) => b.innerText === 'Copied')")
    text = page.evaluate("() => window.copied ?? navigator.clipboard.readText()")
    nearest = explorer.word("bank").nearest
    head, *rows = text.rstrip("\n").split("\n")
    assert head.split("\t") == ["word", "nearest", "similarity"]
    assert [row.split("\t")[1] for row in rows] == [near.word for near in nearest]


def test_copied_text_is_no_formula(browser: Any, base: str) -> None:
    page = visitor_of(browser, base).open("#/about").page
    rows = [{"a": "=1+1", "b": -2, "c": "-2", "d": "x\ty\nz", "e": None, "f": "-x"}]
    tsv = page.evaluate("async (rows) => (await import('./csv.js')).toTsv(rows)", rows)
    assert tsv == "a\tb\tc\td\te\tf\n'=1+1\t-2\t-2\tx y z\t\t'-x\n"
    saved = page.evaluate("async (rows) => (await import('./csv.js')).toCsv(rows)", rows)
    assert saved.splitlines()[1].startswith("'=1+1,-2,-2,")

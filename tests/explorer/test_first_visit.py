"""Somebody's first visit: pages open at their top, going back leads back, nothing is long, nothing jumps.

Screenshots of every view in four settings are left in the test's folder. With axe-core (npm install axe-core, and its
path in WORDATOMS_AXE) every view is also checked for accessibility.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import wordatoms as wa
from browsing import FLAGS, Visitor, find_browser, serving, why_no_browser
from wordatoms.explorer.service import Explorer
from wordatoms.storage import bundled

MISSING = why_no_browser()
DESKTOP, PHONE = (1440, 900), (390, 844)
AXE = Path(os.environ.get("WORDATOMS_AXE", "node_modules/axe-core/axe.min.js"))
TEXT = "He wore a white shirt and a silk tie.\nThe match ended in a tie, and the season was over.\n" * 3
VIEWS = {
    "start": ("#/", ".example-sentences a"),
    "word": ("#/word/spring?forms=1", ".sense"),
    "code": ("#/word/spring?by=code", ".sense"),
    "unknown": ("#/word/springg", "a.chip.big"),
    "phrase": ("#/word/Nowhere%20York", "textarea"),
    "sentence": ("#/sentence/He%20wore%20a%20silk%20tie/at/4", ".meaning"),
    "map": ("#/map", "canvas.chart"),
    "map-word": ("#/map?word=spring", ".map-panel li"),
    "map-atom": ("#/map/atom/12", ".map-panel section"),
    "atoms": ("#/atoms", ".fold summary"),
    "atom": ("#/atom/12", ".measured-list"),
    "meta": ("#/meta/3", ".atom-list a"),
    "lineup": ("#/lineup/7", ".suspect >> nth=19"),
    "about": ("#/about", "kbd"),
}
HEADING = "() => document.querySelector('main h1')?.getBoundingClientRect().top"
SHIFTS = """() => {
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifts += entry.value;
  }).observe({ type: "layout-shift", buffered: false });
}"""
Visit = Callable[..., Visitor]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("visit")
    (place / "text.txt").write_text(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(bundled.HOME_VARIABLE, str(place / "home"))
        with serving(Explorer([wa.load()], corpus=[str(place / "text.txt")])) as address:
            yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if MISSING:
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Any, base: str) -> Iterator[Visit]:
    visitors: list[Visitor] = []

    def enter(address: str, *, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Visitor:
        viewport = dict(zip(("width", "height"), size, strict=True))
        page = browser.new_page(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        visitors.append(Visitor(page, base))
        visitors[-1].forgiven = ("springg", "Nowhere+York")
        return visitors[-1].open(address)

    yield enter
    for visitor in visitors:
        visitor.page.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


def scroll(visitor: Visitor, top: int) -> None:
    visitor.page.evaluate("top => scrollTo(0, top)", top)
    visitor.page.wait_for_timeout(80)


def is_scrolled(visitor: Visitor, top: int) -> None:
    visitor.page.wait_for_function("top => Math.abs(scrollY - top) < 3", arg=top)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=str)
def test_a_first_visit_has_no_surprise(size: tuple[int, int], visit: Visit) -> None:
    visitor = visit("#/", size=size)
    page, word = visitor.page, "spring"
    visitor.sees("main [role=combobox]").fill(word)
    page.keyboard.press("Enter")  # a word
    visitor.reads("h1", word)
    visitor.sees(".sense")
    page.wait_for_function("() => document.activeElement?.tagName === 'H1'")
    assert page.title() == "spring · wordatoms"
    visitor.sees(".sense .more summary").click()  # a sense
    linked = page.locator(".sense").first.locator(".part a").first
    linked.scroll_into_view_if_needed()
    page.wait_for_timeout(80)
    top = page.evaluate("scrollY")
    name = linked.inner_text()
    linked.click()  # a linked word
    visitor.reads("h1", name)
    is_scrolled(visitor, 0)
    assert 0 <= page.evaluate(HEADING) < size[1]
    page.go_back()  # and back: where one was, as it was
    visitor.reads("h1", word)
    is_scrolled(visitor, top)
    assert page.locator(".sense .more[open]").count() == 1
    assert page.evaluate("() => document.activeElement.innerText") == name
    page.go_forward()
    visitor.reads("h1", name)
    is_scrolled(visitor, 0)
    visitor.go("#/word/tie").reads("h1", "tie")
    visitor.reads("main", "text.txt, line")  # until then a quotation may be replaced
    quotation = visitor.sees(".quotation a")
    quotation.scroll_into_view_if_needed()
    quotation.click()  # a sentence
    visitor.sees(".reading .token")
    is_scrolled(visitor, 0)
    page.get_by_role("navigation").get_by_text("Map", exact=True).click()  # the map
    visitor.sees("canvas.chart")
    assert "map" in page.title()
    for address in ("#/sentence/", "#/word/tie", f"#/word/{name}", f"#/word/{word}"):
        page.go_back()
        page.wait_for_function("start => location.hash.startsWith(start)", arg=address)
    visitor.reads("h1", word)
    is_scrolled(visitor, top)
    page.reload()
    visitor.reads("h1", word)
    is_scrolled(visitor, top)


def test_a_change_of_detail_stays_where_it_is(visit: Visit) -> None:
    visitor = visit("#/word/spring", size=PHONE)
    visitor.sees(".sense")
    scroll(visitor, 90)
    visitor.sees(".switch input").check()
    visitor.is_at("#/word/spring?forms=1")
    visitor.reads("section h2", "all forms")
    is_scrolled(visitor, 90)


@pytest.mark.parametrize(("size", "most"), [(DESKTOP, 2400), (PHONE, 4000)], ids=str)
def test_a_word_is_short(size: tuple[int, int], most: int, visit: Visit) -> None:
    visitor = visit("#/word/spring?forms=1", size=size)
    visitor.sees(".sense")
    assert visitor.page.evaluate("() => document.documentElement.scrollHeight") < most


def test_nothing_moves_when_quotations_arrive(visit: Visit) -> None:
    visitor = visit("#/", size=DESKTOP)
    page = visitor.page
    waiting = {"word": "match", "state": "reading", "share": 0.5, "message": None, "senses": {}}
    page.route("**/api/sentences?*", lambda route: route.fulfill(json=waiting))
    visitor.go("#/word/match").sees(".slot.awaited")
    page.evaluate(SHIFTS)
    page.wait_for_timeout(300)
    height = page.evaluate("() => document.documentElement.scrollHeight")
    page.unroute("**/api/sentences?*")
    visitor.reads("main", "text.txt, line")
    page.wait_for_timeout(300)
    assert page.evaluate("() => document.documentElement.scrollHeight") == height
    assert page.evaluate("() => window.shifts") == 0


def test_every_card_has_an_example(visit: Visit) -> None:
    visitor = visit("#/word/spring", size=DESKTOP)
    visitor.sees(".sense")
    cards = visitor.page.locator(".sense:not(.general)")
    assert cards.locator(".slot mark").count() == cards.count()
    visitor.reads("main", "Written for this sense")
    visitor.reads("main", "An example of the atom, with “")


def test_about_says_what_matters_first(visit: Visit) -> None:
    for size in (DESKTOP, PHONE):
        visitor = visit("#/about", size=size)
        visitor.sees("kbd")
        for text in ("351 million words", "CC BY-SA 4.0", "Old books weigh heavily"):
            box = visitor.page.get_by_text(text).first.bounding_box()
            assert box
            assert box["y"] + box["height"] < size[1], text


def test_every_view_is_reached_on_a_phone(visit: Visit) -> None:
    visitor = visit("#/", size=PHONE)
    links = visitor.page.locator("nav a")
    links.first.wait_for()
    boxes = [link.bounding_box() for link in links.all()]
    assert [link.inner_text() for link in links.all()] == ["Word", "Sentence", "Map", "Lineup", "About"]
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= PHONE[0] for box in boxes)
    assert len({box["y"] for box in boxes if box}) == 1


def test_pictures_are_saved(visit: Visit) -> None:
    visitor = visit("#/word/spring", size=DESKTOP)
    name, text = visitor.download(visitor.page.get_by_role("button", name="SVG").first)
    assert (name, text[:4]) == ("spring-uses.svg", "<svg")
    assert "metal coil" in text
    assert "var(" not in text
    for address, file in (("#/word/spring", "spring-uses.png"), ("#/map", "map-of-atoms.png")):
        visitor.open(address)
        button = visitor.sees("button:has-text('PNG')")
        with visitor.page.expect_download() as waiting:
            button.click()
        assert waiting.value.suggested_filename == file
        assert Path(waiting.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_map_names_the_senses_of_a_word_as_its_page_does(visit: Visit) -> None:
    visitor = visit("#/map?word=tie", size=DESKTOP)
    visitor.sees(".map-panel .atom-list a")
    visitor.page.wait_for_timeout(200)
    names = visitor.page.locator(".map-panel .atom-list a").all_inner_texts()
    _, text = visitor.download(visitor.page.get_by_role("button", name="SVG"))
    drawn = re.findall("<text[^>]*>([^<]+)</text>", text)
    assert drawn
    assert {name for each in drawn for name in each.split(" / ")} <= set(names)


@pytest.mark.parametrize(("size", "scheme"), [*product((DESKTOP, PHONE), ("light", "dark"))], ids=str)
def test_every_view_in_four_settings(size: tuple[int, int], scheme: str, visit: Visit, tmp_path: Path) -> None:
    """A picture of each; with axe-core, without anything serious to complain of."""
    visitor = visit("#/", size=size, scheme=scheme)
    page, found = visitor.page, []
    for view, (address, landmark) in VIEWS.items():
        visitor.go(address).sees(landmark)
        page.wait_for_timeout(50)
        page.screenshot(path=tmp_path / f"{view}-{size[0]}-{scheme}.png")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), view
        if AXE.is_file():
            page.evaluate(AXE.read_text("utf-8"))
            faults = page.evaluate("async () => (await axe.run(document)).violations")
            found += [
                (view, each["id"], node["html"][:120])
                for each in faults
                if each["impact"] in ("serious", "critical")
                for node in each["nodes"][:2]
            ]
    assert len([*tmp_path.glob("*.png")]) == len(VIEWS)
    assert found == []

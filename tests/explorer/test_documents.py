"""Answers about a collection of documents, the same from the server and from an export, and the view in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wordatoms as wa
from browsing import (
    CONTRAST,
    FLAGS,
    NARROW,
    UNNAMED,
    WIDE,
    Visitor,
    find_browser,
    hosting,
    serving,
    why_no_browser,
)
from explorerworld import FINANCE, MUSIC, RIVER, world_documents, world_explorer
from wordatoms.explorer.answers import to_json, to_plain
from wordatoms.explorer.documents import DocumentAnswers, cut_snippet
from wordatoms.explorer.export import export_site
from wordatoms.explorer.service import Explorer
from wordatoms.run import Run


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def answers(explorer: Explorer) -> DocumentAnswers:
    assert explorer.documents is not None
    return explorer.documents


def test_facts(answers: DocumentAnswers) -> None:
    facts = answers.facts()
    assert (facts.source, facts.documents, facts.empty, facts.by, facts.time) == (
        "letters.csv",
        40,
        1,
        "region",
        "month",
    )
    assert facts.groups == ["north", "south"]
    assert [period.name for period in facts.periods] == ["2024-01", "2024-02", "2024-03", "2024-05"]
    assert [each.level for each in facts.levels] == ["atoms", "meta"]
    assert facts.cells[0].documents == 39
    assert {cell.group for cell in facts.cells} == {None, 0, 1}


def test_topics_are_those_of_a_study(explorer: Explorer, answers: DocumentAnswers) -> None:
    rows = [each for each in world_documents() if each.group]
    study = wa.study_documents(
        explorer.first.model,
        [(each.name, each.text) for each in rows],
        groups=[each.group for each in rows],
        times=[each.period for each in rows],
    )
    table = answers.topics("atoms").topics
    assert [(row.topic, row.name, row.words) for row in table] == [
        (each.topic, each.name, list(each.words)) for each in study.topics
    ]
    assert [row.share for row in table] == pytest.approx([each.share for each in study.topics])
    shares = {(row.topic, row.group, row.period): row for row in study.comparison.shares}
    facts = answers.facts()
    for place, row in enumerate(table):
        details = answers.topic("atoms", place)
        for cell in details.cells:
            group = None if cell.group is None else facts.groups[cell.group]
            period = None if cell.period is None else facts.periods[cell.period].name
            same = shares[row.topic, group, period]
            assert (cell.share, cell.with_topic, cell.documents) == pytest.approx(
                (same.share, same.with_topic, same.documents)
            )
            assert cell.low == (None if same.low is None else pytest.approx(same.low))
        trend = next(each for each in study.comparison.trends if each.topic == row.topic and each.group is None)
        assert row.change == pytest.approx(trend.change)
        assert details.trends[0].low == pytest.approx(trend.low)


def test_two_groups_differ_by_the_same(answers: DocumentAnswers) -> None:
    for row in answers.topics("meta").topics:
        north, south = row.differences
        assert north == pytest.approx(-south)  # type: ignore[operator]
        assert row.difference in (north, south)


def test_passages_and_documents_of_a_topic(answers: DocumentAnswers) -> None:
    for place in range(len(answers.topics("atoms").topics)):
        topic = answers.topic("atoms", place)
        assert topic.passages
        texts = [passage.text for passage in topic.passages]
        assert len({*texts}) == len(texts)
        for passage in topic.passages:
            whole = answers.document(passage.document)
            assert passage.text in whole.text
            assert passage.name == whole.name
            assert all(passage.text[begin:end].isalpha() for begin, end in passage.marks)
        shares = [document.share for document in topic.documents]
        assert shares == sorted(shares, reverse=True)  # type: ignore[type-var]


def test_windows_cover_a_document_and_shares_are_those_of_its_windows(answers: DocumentAnswers) -> None:
    level = answers.index.level("atoms")
    for number, document in enumerate(world_documents()):
        page = answers.document(number)
        assert (page.name, page.text) == (document.name, document.text)
        assert page.windows or number == 39
        for window, place in zip(page.windows, page.topics["atoms"], strict=True):
            assert 0 <= window.begin < window.end <= len(page.text)
            assert level.topics[place].topic == window.atom
            assert page.names["atoms"][place] == level.topics[place].name
    shares = answers.atoms().shares
    assert sum(shares) == pytest.approx(1, abs=1e-5)
    parts = answers.topic("meta", 0).atoms
    assert sum(part.share for part in parts) == pytest.approx(answers.topics("meta").topics[0].share, abs=1e-5)


def test_search_finds_documents_with_all_words(answers: DocumentAnswers) -> None:
    found = answers.search("The LOAN bank")
    assert found.words == ["the", "loan", "bank"]
    assert (found.total, found.groups) == (13, [7, 6])
    assert [each.document for each in found.documents] == list(range(0, 39, 3))
    assert all(each.group == 1 for each in answers.search("loan", group=1).documents)
    assert answers.search("loan", first=10).documents[0].document == 30
    assert answers.search("loan xylophone").total == 0
    assert answers.search("!?").words == []
    (empty,) = answers.search("plugh").documents
    assert (empty.name, empty.group) == ("<b>empty</b>", None)
    assert empty.snippet[slice(*empty.marks[0])] == "𝔘 plugh."[1:6] or empty.marks == [(9, 14)]  # UTF-16


def test_snippets_show_the_words() -> None:
    text = "A long beginning. " * 20 + "Here is the Bank, and the banker’s bank\nby the river. " + "And an end. " * 30
    snippet, marks = cut_snippet(text, ["bank"])
    assert snippet.startswith("… ")
    assert snippet.endswith(" …")
    assert [snippet[begin:end] for begin, end in marks] == ["Bank", "bank"]
    assert len(snippet) < 260
    assert cut_snippet("nothing here", ["bank"]) == ("nothing here", [])
    assert cut_snippet("", ["bank"]) == ("", [])


def test_without_documents_there_is_no_view(explorer: Explorer) -> None:
    from fastapi.testclient import TestClient

    from wordatoms.explorer.app import make_app

    bare = Explorer([explorer.first.model])
    assert "documents" not in bare.features
    with TestClient(make_app(bare), base_url="http://127.0.0.1:8765") as client:
        response = client.get("api/documents")
    assert response.status_code == 404
    assert "--documents" in response.json()["error"]


# --- the export


@pytest.fixture(scope="module")
def site(explorer: Explorer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "site"
    export_site(explorer, folder, n_lineups=1, run=Run(threads=1))
    return folder


def read(site: Path, name: str) -> Any:
    return json.loads((site / "api" / f"{name}.json").read_bytes())


def test_files_of_an_export_are_the_answers_of_the_server(site: Path, answers: DocumentAnswers) -> None:
    def plain(answer: Any) -> Any:
        return json.loads(to_json(answer))

    assert read(site, "documents") == plain(answers.facts())
    assert read(site, "documents/topics/meta") == plain(answers.topics("meta"))
    assert read(site, "documents/topic/atoms/1") == plain(answers.topic("atoms", 1))
    assert read(site, "documents/texts/0") == [plain(answers.document(number)) for number in range(40)]
    assert np.cumsum(read(site, "documents/words/lo")["loan"]).tolist() == list(range(0, 39, 3))


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


@pytest.fixture(scope="module")
def base(explorer: Explorer) -> Iterator[str]:
    with serving(explorer) as address:
        yield address


def visitor_of(browser: Any, at: str, size: tuple[int, int] = WIDE, scheme: str = "light") -> Visitor:
    viewport = dict(zip(("width", "height"), size, strict=True))
    return Visitor(browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce").new_page(), at)


PAGES = {
    "#/documents": ".topic-rows li",
    "#/documents?level=atoms&sort=change": ".topic-rows li",
    "#/documents/topic/meta/0": ".passage mark",
    "#/documents/document/3?level=atoms": ".strip span",
    "#/documents/document/39": ".document-text",
    "#/documents/search?q=the+bank": ".found-documents mark",
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=str)
def test_every_page_can_be_read(browser: Any, base: str, size: tuple[int, int], scheme: str) -> None:
    visitor = visitor_of(browser, base, size, scheme).open()
    for address, landmark in PAGES.items():
        visitor.go(address).sees(landmark)
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert visitor.page.evaluate(CONTRAST) == [], address
        assert visitor.page.evaluate(UNNAMED) == [], address
    assert visitor.complaints == []


def use_the_view(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("#/").sees("nav a[data-view=documents]").click()
    visitor.sees(".topic-rows li")
    page.get_by_role("link", name="Atoms", exact=True).click()
    visitor.is_at("#/documents?level=atoms")
    visitor.sees(".topic-name a").click()  # the largest topic
    visitor.sees(".documents-chart polyline")
    visitor.sees(".interval-rows li")
    name, content = visitor.download(page.get_by_title("Download this table as CSV").first)
    assert name.endswith(".csv")
    assert content.startswith("topic,group,period,share,low,high,with_topic,documents\n")
    visitor.sees(".passage a").click()
    visitor.sees(".strip span").click()
    visitor.sees(".segment.pointed")
    assert page.locator(".document-text").inner_text().strip()[:20] in f"{FINANCE} {RIVER} {MUSIC}"
    visitor.sees(".document-topics a").click()
    visitor.sees(".passages")
    visitor.go("#/documents").sees(".documents-search input").fill("loan of the bank")
    page.keyboard.press("Enter")
    visitor.reads("h2", "13 documents with “loan” and “of” and “the” and “bank”")
    visitor.sees(".found-documents li", 13)
    page.get_by_role("link", name="south 6").click()
    visitor.sees(".found-documents li", 6)
    visitor.go("#/documents/search?q=plugh").sees(".found-documents li", 1)
    assert "<b>empty</b>" in visitor.text(".found-documents a")
    visitor.go("#/documents").sees(".documents-tools input").fill("zzz")
    visitor.reads("main", "No topic has this")
    visitor.sees("[data-fold=documents-map] summary").click()
    visitor.sees(".prevalence circle.more")
    page.locator(".map-choice select").select_option(label="south less all others")
    visitor.sees(".prevalence circle.less")
    page.locator(".prevalence circle.known").first.click(force=True)
    visitor.sees(".passage")


def test_the_view_is_used_on_the_server(browser: Any, base: str) -> None:
    visitor = visitor_of(browser, base)
    use_the_view(visitor)
    assert visitor.complaints == []


def test_the_view_is_used_in_an_export(browser: Any, site: Path) -> None:
    with hosting(site) as address:
        visitor = visitor_of(browser, address)
        visitor.forgiven = ("api/model",)
        use_the_view(visitor)
        assert visitor.complaints == []


STATIC = """async ([kind, query]) => {
  const fetchJson = async (address) => (await fetch(address)).json();
  return (await import("./static.js")).staticAnswer(["documents", ...kind], query, { ApiError: Error, fetchJson });
}"""


@pytest.mark.parametrize("query", ["bank", "The LOAN bank", "number 7", "plugh", "xylophone", "!?", "opera’s"])
def test_the_export_finds_what_the_server_finds(browser: Any, site: Path, answers: DocumentAnswers, query: str) -> None:
    with hosting(site) as address:
        visitor = visitor_of(browser, address)
        visitor.open().sees("h1")
        found = visitor.page.evaluate(STATIC, [["search"], {"q": query, "first": "1"}])
    assert found == json.loads(json.dumps(to_plain(answers.search(query, 1))))

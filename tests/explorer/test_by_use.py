"""The explorer with a model that has senses by use: what it answers, what its page shows, and its export."""

from __future__ import annotations

import csv
import io
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import wordatoms as wa
from browsing import CONTRAST, FLAGS, NARROW, UNNAMED, WIDE, Visitor, find_browser, hosting, serving, why_no_browser
from observedworld import FORM, FUNCTION_WORDS, WORD, discourse, in_doubt, observed_model, with_rare_sense, words_of
from wordatoms.explorer.answers import to_plain
from wordatoms.explorer.export import SENSES_PER_FILE, export_site, sense_files
from wordatoms.explorer.service import Explorer
from wordatoms.explorer.words import WordAnswers
from wordatoms.run import Run
from wordatoms.senses.comparison import compare_senses

MISSING = why_no_browser()
TEXT = f"{words_of(0, 6)} the {WORD} {words_of(0, 6, 20)}"
ELSEWHERE = f"{words_of(7, 12)} {WORD} {words_of(7, 12, 20)}"
AT_WORD = f"#/sentence/{quote(TEXT, safe='')}/at/7"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> wa.SenseModel:
    return observed_model(tmp_path_factory.mktemp("observed"))


@pytest.fixture(scope="module")
def explorer(model: wa.SenseModel) -> Explorer:
    return Explorer([model, with_rare_sense(model)], corpus=[str(model.path.with_name("text.txt"))])


# --- answers


def test_a_word_has_its_senses_by_use_and_those_of_its_code(explorer: Explorer, model: wa.SenseModel) -> None:
    page = explorer.word(WORD)
    assert (page.method, page.methods) == ("uses", ["uses", "code"])
    expected = sorted(model.senses(WORD, n_nearest=12, n_linked=12), key=lambda sense: sense.is_general)
    assert [sense.sense for sense in page.senses] == [sense.sense for sense in expected]
    assert [sense.share for sense in page.senses] == [sense.share for sense in expected]
    assert page.senses[-1].is_general
    assert page.senses[0].weight == pytest.approx(model.sense_weights(WORD, forms=False)[page.senses[0].atom])
    assert [use for use, _ in page.forms[0].uses] == [sense.sense for sense in model.senses(WORD)]
    by_code = explorer.word(WORD, method="code")
    assert by_code.method == "code"
    assert {sense.atom: sense.weight for sense in by_code.senses} == model.sense_weights(WORD, forms=False)


def test_a_phrase_has_its_senses_by_use_numbered_after_those_of_words() -> None:
    words = WordAnswers(wa.load())
    page = words.word("Ice Cream")
    assert (page.word, page.method, page.methods) == ("ice cream", "uses", ["uses", "code"])
    assert page.senses[0].label == "frozen sweet food"
    assert page.forms[0].uses == [(sense.sense, sense.share) for sense in page.senses]
    assert page.forms[0].uses[0][0] >= words.n_word_senses
    by_code = words.word("ice cream", method="code")
    assert [sense.sense for sense in by_code.senses] == [None] * len(by_code.senses)
    assert page.explained == by_code.explained
    exported = [sense for _, some in sense_files(words) for sense in some]
    assert exported[page.forms[0].uses[0][0]][-1] == "frozen sweet food"


def test_pooled_forms(explorer: Explorer, model: wa.SenseModel) -> None:
    page = explorer.word(WORD, forms=True)
    shares = {sense.sense: sense.share for sense in model.senses(WORD, forms=True)}
    assert {sense.sense: sense.share for sense in page.senses} == shares
    assert set(page.senses[0].forms) == {WORD, FORM}


def test_picked_senses_are_atoms(model: wa.SenseModel) -> None:
    words = Explorer([model])
    model.pick(WORD, [3])
    try:
        page = words.word(WORD, method="uses")
        assert (page.method, page.methods) == ("code", ["code"])
        assert [sense.atom for sense in page.senses] == [3]
        assert words.texts.sentence(TEXT).tokens[7].best.atom == 3
        assert words.texts.meaning(TEXT, 7).method == "code"
    finally:
        model.pick(WORD, [])


def test_names_and_hidden_atoms_count_at_once(tmp_path: Path, model: wa.SenseModel) -> None:
    shutil.copytree(model.path, tmp_path / "model")
    words = Explorer([wa.load(tmp_path / "model")])
    atom = words.word(WORD).senses[0].atom
    words.texts.sentence(TEXT)
    words.first.model.name(atom, "my name")
    assert words.word(WORD).senses[0].label == "my name"
    assert words.texts.sentence(TEXT).tokens[7].best.label == "my name"
    words.first.model.hide(atom)
    assert atom not in [sense.atom for sense in words.word(WORD).senses]


def test_a_text_is_read_as_the_library_reads_it(explorer: Explorer, model: wa.SenseModel) -> None:
    page = explorer.texts.sentence(TEXT)
    for number, token in enumerate(page.tokens):
        if token.text in FUNCTION_WORDS:
            assert token.best is None
            continue
        told = next(each for each in model.disambiguate(token.text, TEXT) if each.position == number)
        assert token.n_senses == len(told.meanings)
        if token.best.verdict == "sense":
            assert (token.best.sense, token.best.label) == (told.sense.sense, told.sense.label)
            assert token.best.probability == pytest.approx(told.sense.probability, abs=1e-6)
        assert token.best.label == told.verdict


def test_a_word_is_marked_by_what_the_text_tells_about_it(explorer: Explorer, model: wa.SenseModel) -> None:
    usual, rare, nothing = (
        explorer.texts.sentence(f"{words} {WORD}").tokens[-1].best for words in (words_of(0), words_of(1), "the of")
    )
    assert usual.sense != rare.sense
    assert 0 < usual.strength < rare.strength < 1
    assert (nothing.verdict, nothing.strength) == ("not enough context", 0)
    shares = {sense.sense: sense.share for sense in model.senses(WORD)}
    for best in (usual, rare):
        assert best.strength == pytest.approx(best.probability * (1 - shares[best.sense]), abs=0.03)
        assert best.has_others


def test_a_word_of_a_text_has_the_senses_that_the_library_tells(explorer: Explorer, model: wa.SenseModel) -> None:
    page, told = explorer.texts.meaning(TEXT, 7), model.disambiguate(WORD, TEXT)[0]
    assert (page.word, page.method, page.verdict) == (WORD, "uses", "sense")
    assert [each.sense for each in page.meanings] == [each.sense for each in told.meanings]
    assert [each.probability for each in page.meanings] == pytest.approx([each.probability for each in told.meanings])
    assert page.none is not None
    assert page.none[0] == pytest.approx(told.p_none)
    assert sum(each.prior for each in page.meanings) + page.none[1] == pytest.approx(1)
    pulls = {each.word: each.pulls[told.sense.sense or 0] for each in page.pulls}
    assert all(pulls[pull.word] == pytest.approx(pull.pull, abs=1e-4) for pull in told.deciding)
    assert not set(FUNCTION_WORDS) & set(pulls), "function words do not pull"
    assert [TEXT.split()[each.token] for each in page.pulls] == [each.word for each in page.pulls]


def test_verdicts(model: wa.SenseModel) -> None:
    texts = Explorer([in_doubt(model)]).texts
    place = ELSEWHERE.split().index(WORD)
    best = texts.sentence(ELSEWHERE).tokens[place].best
    assert (best.verdict, best.label) == ("none of these", "none of these")
    page = texts.meaning(ELSEWHERE, place)
    assert page.verdict == "none of these"
    assert page.none is not None
    assert page.none[0] == pytest.approx(best.probability)
    assert texts.sentence(WORD).tokens[0].best.verdict == "not enough context"
    alone = texts.meaning(WORD, 0)
    assert alone.verdict == "not enough context"
    assert not alone.pulls


def quotes(explorer: Explorer, method: Any) -> dict[int, list[Any]]:
    for _ in range(2000):
        found = explorer.sentences(WORD, method=method)
        if found.state != "reading":
            assert found.state == "ready", found.message
            return found.senses
        time.sleep(0.01)
    raise AssertionError("the search does not end")


def test_quotations_stand_under_the_likeliest_sense(explorer: Explorer, model: wa.SenseModel) -> None:
    found = quotes(explorer, "auto")
    assert set(found) == {sense.sense for sense in model.senses(WORD, forms=True)}
    for sense, listed in found.items():
        assert listed
        for each in listed:
            assert each.text[each.start : each.end] in (WORD, FORM)
            assert model.disambiguate(WORD, each.text)[0].sense.sense == sense
    assert {sense.sense: sense.sentences for sense in explorer.word(WORD).senses} == found
    by_code = quotes(explorer, "code")
    assert set(by_code) == {each.atom for each in explorer.word(WORD, method="code", forms=True).senses}


def test_comparison(explorer: Explorer, model: wa.SenseModel) -> None:
    page = explorer.compare(WORD)
    senses = {sense.sense for sense in model.senses(WORD)}
    assert {pair.first for pair in page.pairs} - {None} == senses
    assert all(pair.similarity > 0.5 for pair in page.pairs if pair.similarity is not None)
    mixed = compare_senses(model, model, WORD, method="code")
    assert {pair.first for pair in mixed.pairs} == set(model.sense_weights(WORD, forms=False))


# --- the page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if MISSING:
        pytest.skip(MISSING)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def base(model: wa.SenseModel) -> Iterator[str]:
    text = str(model.path.with_name("text.txt"))
    with serving(Explorer([in_doubt(model), with_rare_sense(model)], corpus=[text])) as address:
        yield address


Visit = Callable[..., Visitor]


@pytest.fixture
def visit(browser: Any, base: str) -> Iterator[Visit]:
    visitors: list[Visitor] = []

    def enter(address: str, *, size: tuple[int, int] = WIDE, at: str = base, scheme: str = "light") -> Visitor:
        viewport = dict(zip(("width", "height"), size, strict=True))
        page = browser.new_page(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        visitors.append(Visitor(page, at))
        return visitors[-1].open(address)

    yield enter
    for visitor in visitors:
        visitor.page.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=str)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_view_can_be_read(size: tuple[int, int], scheme: str, visit: Visit) -> None:
    visitor = visit("#/", size=size, scheme=scheme)
    for address, landmark in (
        (f"#/word/{WORD}?forms=1", "[data-fold=forms] summary"),
        (f"#/word/{WORD}?model=model-2", ".rarer summary"),
        (f"#/word/{WORD}?by=code", ".sense"),
        (AT_WORD, "table.pulls"),
        (f"#/sentence/{quote(ELSEWHERE, safe='')}/at/12", ".meaning.none"),
        (f"#/sentence/{WORD}/at/0", ".verdict"),
        (f"#/compare/{WORD}?model=model-2", ".pairs"),
    ):
        visitor.go(address).sees(landmark)
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
        assert visitor.page.evaluate(CONTRAST) == [], address
        assert visitor.page.evaluate(UNNAMED) == [], address


def test_cards_have_shares_and_the_general_use_comes_last(visit: Visit, explorer: Explorer) -> None:
    visitor, senses = visit(f"#/word/{WORD}"), explorer.word(WORD).senses
    visitor.sees(".sense", len(senses))
    visitor.reads(".sense .weight", f"{round(100 * (senses[0].share or 0))}% of the uses")
    visitor.sees(".sense .more summary").click()
    visitor.reads(".sense footer small", f"weight {senses[0].weight:.2f}")
    cards = visitor.page.locator(".sense")
    assert "general" in str(cards.last.get_attribute("class"))
    visitor.reads(".rarer summary", "General use")
    visitor.reads(".quotation mark", WORD)


def test_rarer_senses_are_folded(visit: Visit) -> None:
    visitor = visit(f"#/word/{WORD}?model=model-2")
    visitor.reads(".rarer summary", "1 rarer sense")
    folded = visitor.page.locator(".rarer .sense")
    assert not folded.first.is_visible()
    visitor.sees(".rarer > summary").click()
    folded.first.wait_for()
    assert "2% of the uses" in folded.first.inner_text()


def test_the_switch_leads_to_the_papers_code_and_back(visit: Visit, model: wa.SenseModel) -> None:
    visitor = visit(f"#/word/{WORD}")
    visitor.sees(".segments a[aria-current]")
    visitor.page.get_by_role("link", name="paper’s code").click()
    visitor.is_at(f"#/word/{WORD}?by=code")
    weights = model.sense_weights(WORD, forms=False)
    visitor.page.wait_for_function("document.querySelector('.segments [aria-current]').textContent.includes('code')")
    visitor.sees(".sense", len(weights))
    visitor.reads(".weight", f"{next(iter(weights.values())):.2f}")
    assert "of the uses" not in visitor.text("main")
    visitor.page.get_by_role("link", name="by use").click()
    visitor.is_at(f"#/word/{WORD}")
    visitor.reads(".weight", "of the uses")


def test_tables_are_saved_with_shares(visit: Visit, explorer: Explorer) -> None:
    visitor = visit(f"#/word/{WORD}")
    visitor.sees("[data-fold=forms] summary").click()
    visitor.sees("table.forms")
    saved = {}
    for button in visitor.page.get_by_role("button", name="CSV").all():
        name, text = visitor.download(button)
        saved[name] = [*csv.DictReader(io.StringIO(text))]
    assert set(saved) == {f"{WORD}-{table}.csv" for table in ("uses", "senses", "forms", "nearest")}
    shares = [sense.share for sense in explorer.word(WORD).senses]
    assert [float(row["share"]) for row in saved[f"{WORD}-senses.csv"]] == pytest.approx(shares, abs=1e-4)
    assert [float(row[WORD]) for row in saved[f"{WORD}-forms.csv"]] == pytest.approx(shares, abs=1e-4)


def test_verdicts_have_a_look_of_their_own(visit: Visit) -> None:
    visitor = visit(f"#/sentence/{quote(ELSEWHERE, safe='')}/at/12")
    visitor.sees(".meaning.none")
    assert visitor.page.locator(".posterior > .meaning").first.get_attribute("class") == "meaning none"
    assert visitor.page.locator("button.token[data-verdict='none of these']").count() >= 1
    visitor.go(f"#/sentence/{WORD}/at/0").reads(".verdict", "Not enough context")
    visitor.sees("button.token[data-verdict='not enough context']")
    visitor.go(AT_WORD).sees("table.pulls")
    words = visitor.page.locator(".pulls tbody th").all_inner_texts()
    assert words
    assert all(discourse(word) == 0 for word in words)


# --- as plain files

STATIC_ANSWER = """async ([kind, query]) => {
  const fetchJson = async (address) => (await fetch(address)).json();
  return (await import("./static.js")).staticAnswer([kind], query, { ApiError: Error, fetchJson });
}"""


def rounded(value: Any) -> Any:
    """Numbers as an export has them."""
    if isinstance(value, float):
        return pytest.approx(value, abs=1.1e-3)
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list) else value


def test_the_export_answers_as_the_server(visit: Visit, model: wa.SenseModel, tmp_path: Path) -> None:
    rare = with_rare_sense(model)
    served = Explorer([rare])
    export_site(served, tmp_path / "site", n_lineups=1, run=Run(threads=1))
    assert rare.uses is not None
    n_files = -(-len(rare.uses) // SENSES_PER_FILE)
    assert len([*(tmp_path / "site" / "api" / "senses").iterdir()]) == n_files
    names = (
        "sense",
        "atom",
        "share",
        "weight",
        "label",
        "named",
        "nearest",
        "linked",
        "forms",
        "meta",
        "is_general",
        "example",
    )
    with hosting(tmp_path / "site") as address:
        visitor = visit("#/about", at=address)
        for word in (WORD, FORM, *model.words[5:300:25]):
            for asked in ({}, {"forms": True}, {"method": "code"}, {"method": "code", "forms": True}):
                found = visitor.page.evaluate(STATIC_ANSWER, ["word", {"word": word, **asked}])
                page = to_plain(served.word(word, **asked))  # type: ignore[arg-type]
                assert (found["method"], found["methods"]) == (page["method"], page["methods"])
                kept = names if page["method"] == "uses" else [name for name in names if name in found["senses"][0]]
                shown = [{name: each[name] for name in kept} for each in found["senses"]]
                assert shown == rounded([{name: each[name] for name in kept} for each in page["senses"]]), (word, asked)
                assert [form["uses"] for form in found["forms"]] == rounded([form["uses"] for form in page["forms"]])
        visitor.go(f"#/word/{WORD}").reads(".weight", "of the uses")
        visitor.reads(".rarer summary", "1 rarer sense")

"""Every table and figure from a page of text: what runs, what is missing, what is kept, and what the page may show."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from commands import run
from planted import planted_model
from sampledata import CONTEXTS, SMALL, USAGE_KEY, USAGES, write_scws, write_semeval
from samplewordnet import ENTRIES, Entry, write_database
from wordatoms.errors import InputError
from wordatoms.paper.exhibits.blocks import Figure
from wordatoms.paper.exhibits.digests import _tasks_behind, sources_digest
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs, open_inputs
from wordatoms.paper.report.bundled import bundle, join_models, read_bundled
from wordatoms.paper.report.outcome import Outcome
from wordatoms.paper.report.page import make_page, write_report
from wordatoms.paper.report.runner import EXHIBITS, find_exhibits, plain, run_exhibits
from wordatoms.paper.report.tally import Tally, count_figures
from wordatoms.paper.tasks.walk import exhibit as walk_module
from wordatoms.progress import Display
from wordatoms.run import Run
from wordatoms.storage.bundled import REPRODUCED

SOURCE = "A page of our own, CC0"
VOID = {"meta", "br", "hr", "img", "input", "link"}


@pytest.fixture(scope="module", autouse=True)
def _short_walk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk_module, "run", partial(walk_module.run, tokens=100_000, n_words=500))
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two models, a text, all data sets and a WordNet."""
    folder = tmp_path_factory.mktemp("reproduction")
    page = SMALL.read_bytes()
    (folder / "text.txt").write_bytes(page + page.replace(b"bank", b"access").replace(b"bat", b"ring"))
    settings = ("--min-count", "2", "--dim", "8", "--restarts", "2", "--quiet", "--threads", "1")
    for method in ("pmi", "glove"):
        made = run("train", folder / "text.txt", "-o", folder / method, "--method", method, *settings)
        assert made.returncode == 0, made.stderr.decode()
    write_data(folder / "data")
    write_wordnet(folder / "wordnet")
    return folder


def write_wordnet(folder: Path) -> None:
    """With two words that the models know."""
    folder.mkdir()
    bank, tie = Entry(["bank"], 'money in a shop; "by the river"'), Entry(["tie"], "knot a rope", tail=" 01 + 02 00")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENTRIES, "noun", [*ENTRIES["noun"], bank])
        patch.setitem(ENTRIES, "verb", [*ENTRIES["verb"], tie])
        write_database(folder)


def write_data(folder: Path) -> None:
    write_semeval(folder / "semeval2010", USAGES, USAGE_KEY)
    write_scws(folder / "scws")
    for name, lines in {
        "similarity/tiny.txt": ["bank money 8", "bank river 6", "money river 1"],
        "analogy/google/tiny.txt": ["bank money river water"],
    }.items():
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def everything(place: Path) -> Inputs:
    return open_inputs(
        str(place / "pmi"),
        [str(place / "glove")],
        data=str(place / "data"),
        text=[str(place / "text.txt")],
        source=SOURCE,
        wordnet=str(place / "wordnet"),
        run=Run(threads=1),
    )


@pytest.fixture(scope="module")
def alone(place: Path) -> Inputs:
    """A model and nothing else."""
    return open_inputs(str(place / "pmi"), run=Run(threads=1))


@pytest.fixture(scope="module")
def report(everything: Inputs, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Outcome]]:
    folder = tmp_path_factory.mktemp("report")
    outcomes = list(run_exhibits([*EXHIBITS.values()], everything, folder=folder))
    write_report(folder, outcomes, everything)
    return folder, outcomes


# --- the registry


def test_every_table_and_figure_of_the_paper_is_there() -> None:
    paper = [name for name, exhibit in EXHIBITS.items() if exhibit.is_paper]
    assert paper == [*(f"table-{n}" for n in range(1, 9)), "bat", "figure-1a", "figure-1b"]
    ours = {name for name, exhibit in EXHIBITS.items() if not exhibit.is_paper}
    assert ours == {
        "walk",
        "remarks",
        "atoms",
        "meta-atoms",
        "map-of-atoms",
        "tuning",
        "embeddings",
        "sentences",
        "candidates",
        "topics",
    }


@pytest.mark.parametrize("name", ["table-7", "7", "Table 7", "table7"])
def test_names_are_read_kindly(name: str) -> None:
    assert [exhibit.name for exhibit in find_exhibits([name])] == ["table-7"]


def test_names_come_in_the_order_of_the_report() -> None:
    assert [each.name for each in find_exhibits(["walk", "figure-1", "2", "walk"])] == [
        "table-2",
        "figure-1a",
        "figure-1b",
        "walk",
    ]
    with pytest.raises(InputError, match=r"no exhibit 'table-9'; pass some of table-1, .*topics, or --all"):
        find_exhibits(["table-9"])


# --- running


def test_all_is_done_where_all_is_at_hand(report: tuple[Path, list[Outcome]]) -> None:
    ended = {outcome.exhibit.name: (outcome.status, outcome.says or outcome.missing) for outcome in report[1]}
    left = {name: why for name, (status, why) in ended.items() if status != "done"}
    assert set(left) <= {"tuning", "topics"}, left


def test_what_a_model_shows_alone(alone: Inputs, tmp_path: Path) -> None:
    statuses = {each.exhibit.name: each for each in run_exhibits([*EXHIBITS.values()], alone, bundled=tmp_path)}
    done = {name for name, outcome in statuses.items() if outcome.status == "done"}
    assert {"table-5", "table-6", "bat", "figure-1a", "figure-1b", "walk", "atoms", "remarks", "meta-atoms"} <= done
    for name in ("table-1", "table-2", "table-3", "table-4", "table-7", "table-8", "sentences"):
        assert statuses[name].status == "missing"
        assert all(how for _, how in statuses[name].missing), "says how to get it"


def test_numbers_are_those_of_the_evaluations(report: tuple[Path, list[Outcome]], everything: Inputs) -> None:
    from wordatoms.paper.tasks.lineup.data import load_testbed
    from wordatoms.paper.tasks.lineup.evaluate import evaluate_lineup
    from wordatoms.paper.tasks.lineup.methods import atoms_method

    numbers = next(outcome.numbers for outcome in report[1] if outcome.exhibit.name == "figure-1a")
    assert numbers is not None
    alone = evaluate_lineup(load_testbed(), {"atoms": atoms_method(everything.model)}).to_json()["scores"]["atoms"]
    assert numbers["curves"][numbers["main"]] == plain(alone["curves"])


def test_the_papers_cells_are_complete(report: tuple[Path, list[Outcome]]) -> None:
    shown = {outcome.exhibit.name: outcome for outcome in report[1]}

    def printed(name: str) -> set[Any]:
        numbers = shown[name].numbers
        assert numbers is not None
        return {figure.paper for figure in shown[name].exhibit.figures(numbers)}

    assert {0.96, 0.58} <= printed("table-2")
    assert {0.72, 0.73, 0.76} <= printed("table-4")
    cells = {58.55, 6.1, 55.75, 7.4, 51.85, 9.9, 46.38, 11.5, 38.05, 10.6, 47.26, 9.0, 57.14, 7.3, 44.07, 14.5}
    assert cells <= printed("table-7")
    assert {0.573, 0.622, 0.657, 0.567, 0.637, 0.652} <= printed("table-8")
    assert {0.65, 0.75, 2.3, 5.76} <= printed("figure-1a")


def test_a_failure_stops_nobody_else(alone: Inputs, tmp_path: Path) -> None:
    def fail(_inputs: Inputs) -> Numbers:
        raise InputError("this cannot be; do something else.")

    broken = replace(EXHIBITS["table-5"], run=fail)
    first, second = run_exhibits([broken, EXHIBITS["atoms"]], alone, folder=tmp_path)
    assert (first.status, first.says) == ("failed", "this cannot be; do something else.")
    assert second.status == "done"
    assert "this cannot be" in make_page([first, second], alone)
    assert not (tmp_path / "results" / "table-5.json").exists(), "a failure is tried again"


def test_a_model_in_another_language_lacks_the_words(tmp_path: Path) -> None:
    inputs = open_inputs(str(planted_model(tmp_path / "planted").path), run=Run(threads=1))
    table5, table6 = run_exhibits(find_exhibits(["5", "6"]), inputs, bundled=tmp_path)
    assert table5.status == "done"
    assert table6.status == "missing"
    assert table6.missing[0][0] == "the words “tie” and “spring”"


def test_same_seed_same_numbers(everything: Inputs) -> None:
    chosen = find_exhibits(["table-5", "table-7", "figure-1a", "bat", "sentences"])
    first = replace(everything, competitors=False, kept={})
    again = replace(first, run=Run(threads=2), kept={})
    for one, other in zip(run_exhibits(chosen, first), run_exhibits(chosen, again), strict=True):
        assert one.numbers == other.numbers, one.exhibit.name


# --- what is kept


def counting(exhibit: Exhibit) -> tuple[Exhibit, list[int]]:
    """An exhibit that counts how often it is run."""
    calls: list[int] = []

    def run_and_count(inputs: Inputs) -> Numbers:
        calls.append(1)
        return exhibit.run(inputs)

    return replace(exhibit, run=run_and_count), calls


def test_results_are_taken_again_until_something_changes(everything: Inputs, place: Path, tmp_path: Path) -> None:
    exhibit, calls = counting(EXHIBITS["embeddings"])

    def ask(inputs: Inputs, **options: Any) -> Outcome:
        (outcome,) = run_exhibits([exhibit], inputs, folder=tmp_path, **options)
        return outcome

    first, second = ask(everything), ask(everything)
    assert (first.cached, second.cached, len(calls)) == (False, True, 1)
    assert (second.numbers, second.seconds, second.computed) == (first.numbers, first.seconds, first.computed)
    assert not ask(everything, force=True).cached
    assert not ask(replace(everything, seed=1)).cached
    assert not ask(replace(everything, others=())).cached
    ask(everything)
    file = place / "data" / "similarity" / "tiny.txt"
    before = file.read_text()
    file.write_text(before + "money water 3\n")
    assert not ask(everything).cached
    file.write_text(before)


def test_a_damaged_result_is_made_again(alone: Inputs, tmp_path: Path) -> None:
    exhibit, calls = counting(EXHIBITS["atoms"])
    for content in ('{"key"', '{"key": "x"}', "[]"):
        list(run_exhibits([exhibit], alone, folder=tmp_path))
        (tmp_path / "results" / "atoms.json").write_text(content)
    (last,) = run_exhibits([exhibit], alone, folder=tmp_path)
    assert (last.status, last.cached, len(calls)) == ("done", False, 4)
    kept = json.loads((tmp_path / "results" / "atoms.json").read_text())
    kept["numbers"] = {}
    (tmp_path / "results" / "atoms.json").write_text(json.dumps(kept))
    (last,) = run_exhibits([exhibit], alone, folder=tmp_path)
    assert not last.cached, "numbers that cannot be shown are no numbers"


def test_what_a_person_added_counts(alone: Inputs, tmp_path: Path) -> None:
    exhibit, calls = counting(EXHIBITS["table-5"])
    list(run_exhibits([exhibit], alone, folder=tmp_path))
    alone.model.name(0, "a name")
    list(run_exhibits([exhibit], alone, folder=tmp_path))
    alone.model.name(0, "")
    assert len(calls) == 2


def test_the_simulated_text_needs_no_model(alone: Inputs, everything: Inputs, tmp_path: Path) -> None:
    exhibit, calls = counting(EXHIBITS["walk"])
    for inputs in (alone, everything, replace(alone, model=everything.others[0])):
        list(run_exhibits([exhibit], inputs, folder=tmp_path))
    assert len(calls) == 1


def test_the_lineup_is_computed_once(alone: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    from wordatoms.paper.tasks.lineup import exhibit as figure1

    calls: list[int] = []
    compute = figure1._compute_lineup
    monkeypatch.setattr(figure1, "_compute_lineup", lambda inputs: calls.append(1) or compute(inputs))
    list(run_exhibits(find_exhibits(["figure-1"]), replace(alone, kept={})))
    assert len(calls) == 1


def test_sources_of_other_tasks_do_not_count() -> None:
    tasks = _tasks_behind("wordatoms.paper.tasks.scws.exhibit")
    assert {"scws", "similarity", "base.py", "datasets.py"} <= tasks, "what it imports, and what these import"
    assert "pseudowords" not in tasks
    assert "lineup" not in tasks
    assert {"scws", "lineup", "registry.py"} <= _tasks_behind("somewhere.else"), "all, to be safe"
    digests = {sources_digest(exhibit.run.__module__) for exhibit in EXHIBITS.values()}
    assert len(digests) > 5


# --- bundled results


@pytest.fixture(scope="module")
def bundled(report: tuple[Path, list[Outcome]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of the report, as a package would bring them along."""
    folder = tmp_path_factory.mktemp("bundled")
    stored = bundle(report[0], [*EXHIBITS.values()], folder)
    assert {*stored} >= {*EXHIBITS} - {"tuning", "topics"}
    return folder


def test_bundled_results_stand_in_for_missing_data(alone: Inputs, bundled: Path) -> None:
    chosen = find_exhibits(["table-8", "table-5"])
    eight, five = sorted(run_exhibits(chosen, alone, bundled=bundled), key=lambda each: each.status)
    assert (eight.exhibit.name, eight.status, five.status) == ("table-8", "bundled", "done")
    assert [what for what, _ in eight.missing] == ["SCWS"]
    assert eight.figures
    assert eight.made is not None
    assert "pmi (PMI," in eight.made.model
    page = make_page([five, eight], alone)
    check(page)
    for mark in ("Bundled result.", f"Not computed here: computed on {eight.computed}", "To compute it here", SOURCE):
        assert mark in page
    assert json.loads(json.dumps(eight.to_json()))["made"]["text"] == f"1 file, {SOURCE}"


def test_bundled_results_may_be_preferred(alone: Inputs, bundled: Path, tmp_path: Path) -> None:
    chosen = find_exhibits(["table-5", "table-8"])
    statuses = [each.status for each in run_exhibits(chosen, alone, bundled=bundled, prefer_bundled=True)]
    assert statuses == ["bundled", "bundled"]
    statuses = [each.status for each in run_exhibits(chosen, alone, bundled=tmp_path, prefer_bundled=True)]
    assert statuses == ["done", "missing"]


def test_no_sentence_is_bundled(report: tuple[Path, list[Outcome]], bundled: Path, alone: Inputs) -> None:
    (shown,) = [outcome for outcome in report[1] if outcome.exhibit.name == "sentences"]
    assert shown.numbers is not None
    (kept,) = run_exhibits([EXHIBITS["sentences"]], alone, bundled=bundled)
    page = make_page([kept], alone)
    for each in shown.numbers["senses"]:
        assert each["text"] not in (bundled / "sentences.json").read_text("utf-8")
        assert each["text"] not in page
        assert each["place"] in page


def test_damaged_bundled_results_are_missing(alone: Inputs, bundled: Path, tmp_path: Path) -> None:
    good = json.loads((bundled / "table-8.json").read_text())
    hostile = [b"", b"{", b"[]", b'{"numbers": {}}', json.dumps({**good, "numbers": {"scores": 3}}).encode()]
    hostile += [json.dumps({**good, "made": None}).encode(), json.dumps({**good, "seconds": "x"}).encode()]
    for content in hostile:
        (tmp_path / "table-8.json").write_bytes(content)
        assert read_bundled(EXHIBITS["table-8"], tmp_path) is None
        (outcome,) = run_exhibits([EXHIBITS["table-8"]], alone, bundled=tmp_path)
        assert outcome.status == "missing"
    with pytest.raises(InputError, match=r"results\.json is not the results\.json of a report"):
        bundle(tmp_path, [], tmp_path)


def test_rows_of_models_that_are_not_at_hand_are_kept() -> None:
    made = {"model": "a (PMI, 9 words)", "others": []}
    result = {"computed": "2026-02-02", "made": made, "numbers": {"baselines": {"cosine of pmi": 2}, "n_pairs": 3}}
    old_made = {
        "model": "b (PMI, 9 words)",
        "others": ["c (GloVe, 9 words)", "d (SN, 9 words), its rows computed on x"],
    }
    rows = {"cosine of pmi": 1, "cosine of glove": 4, "cosine of sn": 5, "spelling": 6}
    earlier = {"computed": "2026-01-01", "made": old_made, "numbers": {"baselines": rows, "scores": {}}}
    joined = join_models(EXHIBITS["table-8"], result, earlier)
    assert joined["numbers"] == {
        "baselines": {"cosine of pmi": 2, "cosine of glove": 4, "cosine of sn": 5},
        "n_pairs": 3,
    }
    assert joined["made"]["others"] == [
        "c (GloVe, 9 words), its rows computed on 2026-01-01",
        "d (SN, 9 words), its rows computed on x",
    ]
    lacking = {**result, "numbers": {"by_paper": None}}
    assert join_models(EXHIBITS["table-5"], lacking, earlier) == lacking
    joined = join_models(EXHIBITS["table-5"], lacking, {**earlier, "numbers": {"by_paper": {"atoms": []}}})
    assert joined["numbers"] == {"by_paper": {"atoms": []}}
    assert joined["made"]["others"] == ["d (SN, 9 words), its rows computed on x"]


def test_bundling_may_keep_rows_of_other_models(report: tuple[Path, list[Outcome]], tmp_path: Path) -> None:
    eight = EXHIBITS["table-8"]
    bundle(report[0], [eight], tmp_path)
    stored = json.loads((tmp_path / "table-8.json").read_text())
    stored["numbers"]["baselines"]["cosine of cbow"] = stored["numbers"]["baselines"]["cosine of pmi"]
    (tmp_path / "table-8.json").write_text(json.dumps(stored))
    bundle(report[0], [eight], tmp_path, keep_models=True)
    assert json.loads((tmp_path / "table-8.json").read_text())["numbers"] == stored["numbers"]
    bundle(report[0], [eight], tmp_path)
    assert "cosine of cbow" not in (tmp_path / "table-8.json").read_text()


def test_every_part_named_by_an_exhibit_is_there() -> None:
    for path in REPRODUCED.glob("*.json"):
        numbers = json.loads(path.read_text("utf-8"))["numbers"]
        assert all(isinstance(numbers[part], dict) for part in EXHIBITS[path.stem].by_model), path.name


def test_the_bundled_results_of_the_package_can_be_shown() -> None:
    for path in REPRODUCED.glob("*.json"):
        assert read_bundled(EXHIBITS[path.stem]) is not None, f"{path.name}: make it again, tools/bundle_results.py"


# --- the tally


def test_the_tally_counts_each_number_once() -> None:
    figures = [
        Figure("a", 0.5, by_paper=0.5, ours=0.1),
        Figure("b", 0.5, by_paper=0.1, ours=0.6),
        Figure("c", 0.5, by_paper=0.1),
        Figure("d", 0.5),
        Figure("e", 0.5, ours=0.5),
        Figure("again", 0.5, by_paper=0.5, is_counted=False),
        Figure("ours alone", None, ours=0.5),
        Figure("in words", "most", by_paper=0.9, says="reproduced"),
        Figure("in words, too", "all", by_paper=0.9, says="failed replication"),
        Figure("without a verdict", "some", by_paper=0.9),
    ]
    exhibit = replace(EXHIBITS["walk"], figures=lambda _numbers: figures)
    tally = count_figures([Outcome(exhibit, "done", {}), Outcome(exhibit, "missing")])
    assert tally == Tally(5, reached=1, only_ours=2, not_reached=1, not_measured=1, claims=2, claims_hold=1)
    first, second = tally.sentences()
    assert first.startswith(
        "Of 5 numbers of the paper, 1 are reached by the paper's method under its own protocol and 4"
    )
    assert second == "Of 2 claims that it makes in words, 1 hold."


def test_the_report_opens_with_the_tally(report: tuple[Path, list[Outcome]]) -> None:
    page = (report[0] / "index.html").read_text("utf-8")
    tally = count_figures(report[1])
    assert tally.numbers == tally.reached + tally.only_ours + tally.not_reached + tally.not_measured > 25
    assert 0 < page.index("numbers of the paper") < page.index("At a glance")
    assert json.loads((report[0] / "results.json").read_text("utf-8"))["tally"]["numbers"] == tally.numbers


# --- the page


class Checker(HTMLParser):
    """Sees that elements are closed in order, and collects what a browser would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "data", "xlink:href") or (name == "href" and tag != "a"):
                self.fetched.append(str(value))
            if name == "id":
                self.ids.append(str(value))
            if name == "href" and tag == "a":
                self.links.append(str(value))
            assert not name.startswith("on"), "no code in attributes"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(page: str) -> Checker:
    checker = Checker()
    checker.feed(page)
    checker.close()
    assert checker.open == []
    return checker


def test_the_page_is_whole_and_fetches_nothing(report: tuple[Path, list[Outcome]]) -> None:
    page = (report[0] / "index.html").read_text("utf-8")
    found = check(page)
    assert found.fetched == []
    for sign in ("http:", "https:", "@import", "url(", "<script", "<iframe"):
        assert sign not in page
    assert len(set(found.ids)) == len(found.ids)
    assert {f"#{name}" for name in EXHIBITS} <= set(found.links) <= {f"#{each}" for each in found.ids}


def test_the_page_with_nothing_at_hand_says_how_to_get_it(alone: Inputs, tmp_path: Path) -> None:
    outcomes = list(run_exhibits(find_exhibits(["1", "7", "8", "sentences"]), alone, bundled=tmp_path))
    page = make_page(outcomes, alone)
    check(page)
    for hint in ("semeval2010", "ratings.txt", "--text", "--source"):
        assert hint in page


def test_hostile_words_are_escaped(alone: Inputs) -> None:
    hostile = '<script>alert("x")</script>&\'"><img src=x onerror=y>'
    outcomes = []
    for outcome in run_exhibits(find_exhibits(["table-5", "6", "meta-atoms", "map-of-atoms", "bat"]), alone):
        outcomes.append(replace(outcome, numbers=replaced(outcome.numbers, hostile)))
    page = make_page(outcomes, replace(alone, source=hostile, arguments=("--source", hostile)))
    assert check(page).fetched == []
    assert "<script" not in page
    assert "<img" not in page


def replaced(value: Any, text: str) -> Any:
    """The same numbers with another text for every text."""
    if isinstance(value, dict):
        return {key: replaced(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, text) for item in value]
    return text if isinstance(value, str) else value


def test_no_text_of_the_test_sets_is_anywhere(report: tuple[Path, list[Outcome]]) -> None:
    written = [path.read_text("utf-8") for path in report[0].rglob("*") if path.is_file()]
    sentences = [part for texts in USAGES.values() for text in texts for part in text if part.strip()]
    secret = [sentence.replace("<b>", "").replace("</b>", "").strip(" .") for sentence in sentences]
    secret += [context.replace("<b>", "").replace("</b>", "").strip() for context in CONTEXTS.values()]
    secret += ["mother-in-law", "zebra"]
    for text in written:
        for each in secret:
            assert each not in text


def test_sentences_only_with_their_source(
    report: tuple[Path, list[Outcome]], everything: Inputs, tmp_path: Path
) -> None:
    assert SOURCE in (report[0] / "index.html").read_text("utf-8")
    (outcome,) = run_exhibits([EXHIBITS["sentences"]], replace(everything, source=""), bundled=tmp_path)
    assert [what for what, _ in outcome.missing] == ["source of the text"]


def test_nothing_changes_if_nothing_was_computed(
    report: tuple[Path, list[Outcome]], everything: Inputs, tmp_path: Path
) -> None:
    pages = []
    for _ in range(2):
        outcomes = list(run_exhibits([*EXHIBITS.values()], replace(everything, kept={}), folder=report[0]))
        assert all(outcome.cached for outcome in outcomes if outcome.status == "done")
        write_report(tmp_path, outcomes, everything)
        pages.append([(tmp_path / name).read_bytes() for name in ("index.html", "results.json")])
    assert pages[0] == pages[1]
    assert pages[0][0] == (report[0] / "index.html").read_bytes()


def test_everything_is_in_the_results(report: tuple[Path, list[Outcome]]) -> None:
    found = json.loads((report[0] / "results.json").read_text("utf-8"))
    assert [each["name"] for each in found["exhibits"]] == [*EXHIBITS]
    done = [each for each in found["exhibits"] if each["status"] == "done"]
    assert all(each["numbers"] and each["seconds"] is not None and each["why"] for each in done)
    assert found["inputs"]["model"]["method"] == "pmi"


@pytest.mark.usefixtures("report")
def test_models_and_data_stay_as_they_are(place: Path) -> None:
    assert not (place / "pmi" / ".work").exists()
    assert sorted(path.name for path in (place / "data").iterdir()) == ["analogy", "scws", "semeval2010", "similarity"]


def test_bars_say_which_part_they_belong_to() -> None:
    assert Display(prefix="[3/19] table-3: ").title("words") == "[3/19] table-3: words"


def test_plain_numbers() -> None:
    import numpy as np

    found = plain({1: np.float32(0.5), "n": (np.int64(3), float("nan")), "b": np.True_})
    assert found == {"1": 0.5, "n": [3, None], "b": True}

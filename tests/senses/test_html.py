"""Results in notebooks: everything is shown, nothing runs."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive_posterior import world_embeddings, world_map, world_model
from wordatoms import Usage, to_html
from wordatoms.atoms.names import AtomExample, AtomNames
from wordatoms.contexts.reader import ReadingSettings
from wordatoms.embeddings.embeddings import Neighbour
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.senses.comparison import compare_senses
from wordatoms.senses.examples import Example
from wordatoms.senses.frames import Results
from wordatoms.senses.html import N_ROWS, Html, element
from wordatoms.senses.model import SenseModel
from wordatoms.senses.results import AtomView, Disambiguation, Link, Meaning, Pull, Sense, UsageClusters
from wordatoms.senses.sentences import representative_sentences
from wordatoms.senses.topics import document_topics
from wordatoms.tuning.choice import Trial, TuningResult

TEXTS = ["the bank gave a loan of cash", "a boat on the river near the bank"]
HOSTILE = "<script>alert(1)</script><img src=x onerror=\"alert('2')\">"
ALLOWED = {"div", "span", "b", "i", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}


class Checker(HTMLParser):
    """Raises for elements and attributes that results never have, and for elements left open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert {name for name, _ in attributes} <= {"style"}
        assert not any("url" in str(value) for _, value in attributes)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(result: Any) -> str:
    """The text that a notebook shows, after a check of its elements."""
    checker = Checker()
    checker.feed(result._repr_html_())
    checker.close()
    assert not checker.open
    return checker.text


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return world_model(tmp_path_factory.mktemp("html") / "model", world_embeddings(), induced_map=world_map())


def test_every_kind_of_result(model: SenseModel, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("The boat lay near the bank of the river by the water and the shore.\n")
    tuning = TuningResult(ReadingSettings(), (Trial("window", 10.0, "told apart", 0.8),), {}, {}, {}, {})
    results: list[tuple[Any, str]] = [
        (model, "senses by use: none"),
        (model.senses("bank"), model.senses("bank")[0].label),
        (model.senses("bank")[0], model.senses("bank")[0].label),
        (model.senses("bank")[:1], model.senses("bank")[0].label),
        (model.candidates("bank", 2), "similarity"),
        (AtomView(0, "money", (Neighbour("cash", 0.9),), 3, (), ((1, 0.5, "river"),), (), False), "near words: cash"),
        (model.search("river"), "river"),
        (model.near_words("bank", 3), "similarity"),
        (model.read(TEXTS[1]), "boat"),
        (model.disambiguate("bank", TEXTS[0]), "decided by: "),
        (model.disambiguate("bank", TEXTS[0])[0], "near words"),
        (model.cluster("bank", TEXTS, k=2), "a boat on the river near the bank"),
        (compare_senses(model, model, "bank"), "in model 2"),
        (representative_sentences(model, "bank", [tmp_path], shortest=2), "The boat lay near"),
        (to_html(document_topics(model, TEXTS)), "2 documents"),
        (tuning, "told apart"),
        (Results(), "nothing found"),
    ]
    for result, expected in results:
        assert expected in text_of(result), result


def hostile_results() -> list[Any]:
    near, links = (Neighbour(HOSTILE, 0.9),), (Link(HOSTILE, 0.5),)
    sense = Sense(HOSTILE, 0, 0.5, HOSTILE, near, links, {HOSTILE: 0.5}, share=0.5, sense=3)
    meaning = Meaning(0, 0.9, HOSTILE, near)
    usage = Usage([HOSTILE, "bank"], 0)
    return [
        Results([sense]),
        AtomView(
            0, HOSTILE, near, 3, links, ((1, 0.5, HOSTILE),), ((1, 0.5, HOSTILE),), True, AtomExample("", HOSTILE)
        ),
        Disambiguation(HOSTILE, HOSTILE, 0, (meaning,), (Pull(HOSTILE, 1.0),), 3, p_none=0.05),
        UsageClusters(HOSTILE, (0,), (usage,), (0,), np.ones((1, 1)), (meaning,), (1.0,)),
        Results(near),
        Results([Example(HOSTILE, 0, 0, HOSTILE, 0, 4, HOSTILE, 0, 0.5)]),
    ]


@pytest.mark.parametrize("result", hostile_results(), ids=lambda result: type(result).__name__)
def test_hostile_words_and_labels_are_only_text(result: Any) -> None:
    assert HOSTILE in text_of(result)


def test_hostile_names_and_texts_in_cards(tmp_path: Path) -> None:
    model = world_model(tmp_path / "<b>model", world_embeddings(), induced_map=world_map())
    names = dict.fromkeys(range(len(model.atoms)), HOSTILE)
    AtomNames(model.atoms.fingerprint, "hand", names).save(model.path)
    model = SenseModel(model.path)
    assert "<b>model" in text_of(model)
    assert HOSTILE in text_of(model.show("bank"))
    assert f"{HOSTILE} at the bank of a river" in text_of(model.show("bank", f"{HOSTILE} at the bank of a river"))


def test_the_card_of_a_word(model: SenseModel) -> None:
    card = model.show("bank")
    assert isinstance(card, Html)
    assert card == str(card)
    assert repr(card) == "Html that a notebook shows"
    shown = text_of(card)
    assert "bank" in shown
    assert "near words: " in shown
    assert all(sense.label in shown for sense in model.senses("bank"))
    with pytest.raises(UnknownWordError):
        model.show("xyzzy")


def test_a_word_in_a_text(model: SenseModel) -> None:
    found = model.show("bank", "A Bank gave a loan. The river has another bank.")
    assert found.count("<b>Bank</b>") == 1, "the word as it is written"
    assert found.count("<b>bank</b>") == 1
    assert "<b>bank</b>" in model.show("bank", Usage.from_tokens(["the", "bank", "of", "a", "river"], 1))
    with pytest.raises(InputError, match="no form of 'bank'"):
        model.show("bank", "nothing of the kind")


def test_none_of_the_senses_comes_first_if_it_is_the_likeliest(model: SenseModel) -> None:
    found = model.disambiguate("bank", TEXTS[0])[0]
    shown = text_of(replace(found, p_none=0.9999))
    assert shown.index("none of these", 30) < shown.index(found.sense.label)
    shown = text_of(replace(found, p_none=0.02))
    assert shown.index("none of these") > shown.index(found.sense.label)


def test_long_lists_are_cut(model: SenseModel) -> None:
    shown = text_of(Results([Neighbour(f"<{n}>", 0.5) for n in range(N_ROWS + 7)]))
    assert f"<{N_ROWS - 1}>" in shown
    assert f"<{N_ROWS}>" not in shown
    assert "and 7 more" in shown
    topics = text_of(to_html(document_topics(model, TEXTS * 15)))
    assert "and 10 more" in topics


@pytest.mark.parametrize("wrong", ["text", 7, {"a": 1}])
def test_what_is_no_result(wrong: object) -> None:
    with pytest.raises(InputError, match=r"there is no HTML of a \w+; pass a model"):
        to_html(wrong)


def test_children_are_escaped_unless_they_are_elements() -> None:
    inner = element("b", "<i>")
    assert inner == "<b>&lt;i&gt;</b>"
    assert element("div", inner, "&") == f"<div>{inner}&amp;</div>"
    assert element("div", style='"><script>') == '<div style="&quot;&gt;&lt;script&gt;"></div>'


# repr


def test_every_repr_fits_a_screen(model: SenseModel) -> None:
    results = [
        *hostile_results(),
        model.disambiguate("bank", " ".join(TEXTS * 50)),
        model.senses("bank"),
        model.cluster("bank", TEXTS * 50, k=2),
        compare_senses(model, model, "bank"),
        Results([Neighbour("x", 0.5)] * 500),
    ]
    for result in results:
        lines = re.sub(r"(.{120})", r"\1\n", repr(result)).splitlines()
        assert len(lines) <= 50, result
        assert all(len(line) <= 121 for line in lines)


def test_one_disambiguation_takes_a_few_lines(model: SenseModel) -> None:
    found = model.disambiguate("bank", TEXTS[0])[0]
    assert len(repr(found)) < 400
    assert repr(found).startswith("Disambiguation(word='bank', form='bank', position=1, meanings=[")
    assert found.sense.label in repr(found)


def test_a_slice_of_results_is_a_list_of_results(model: SenseModel) -> None:
    senses = model.senses("bank")
    assert isinstance(senses[:1], Results)
    assert senses[:1] == [senses[0]]
    assert isinstance(senses[0], Sense)
    assert repr(Results([1, 2])) == "[1,\n 2]"
    assert repr(Results(range(12))).endswith(" 9,\n … 2 more]")

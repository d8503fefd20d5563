"""Table 4: word vectors and the span of their senses in WordNet (Section 4.2, test 2)."""

from __future__ import annotations

from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.wordnet import run
from wordatoms.paper.tasks.wordnet.evaluate import OUR_STRICT, OUR_WAY, PAPER, PAPER_WAY, STRICT
from wordatoms.senses.model import SenseModel


def _run_wordnet(inputs: Inputs) -> Numbers:
    mapped = {method: model for method, model in inputs.models.items() if "map" in model.folder.stages}
    return {"paper": dict(PAPER), "models": {method: _wordnet_of(model, inputs) for method, model in mapped.items()}}


def _wordnet_of(model: SenseModel, inputs: Inputs) -> dict[str, Any]:
    result = run(inputs.only(model))
    return {"rows": [{key: value for key, value in row.items() if key != "paper"} for row in result.rows()]}


def _figures_wordnet(numbers: Numbers) -> list[Figure]:
    found = []
    for method, model in numbers["models"].items():
        rows = {row["senses"]: row for row in model["rows"]}
        found += [
            _figure(
                shown_method(method),
                numbers["paper"].get(method),
                rows.get(PAPER_WAY),
                rows.get(OUR_WAY),
                is_headline=True,
            ),
            _figure(
                f"{shown_method(method)}, our stricter test: the word left out of its examples",
                None,
                rows.get(STRICT),
                rows.get(OUR_STRICT),
            ),
        ]
    missing = [method for method in numbers["paper"] if method not in numbers["models"]]
    return found + [Figure(shown_method(method), numbers["paper"][method]) for method in missing]


def _figure(what: str, paper: float | None, by_paper: Numbers | None, ours: Numbers | None, **more: Any) -> Figure:
    compared = by_paper or ours
    return Figure(
        what,
        paper,
        by_paper=by_paper["cosine"] if by_paper else None,
        ours=ours["cosine"] if ours else None,
        baseline=compared["random_senses"] if compared else None,
        baseline_is="as many senses of other words",
        within=0.05,
        note=f"ours against senses of other words: {ours['random_senses']:.2f}" if ours else "",
        **more,
    )


def _render_wordnet(numbers: Numbers) -> list[Block]:
    columns = [Column("vectors"), Column("senses"), Column("words", 0), Column("senses per word", 1)]
    columns += [Column("cosine", 3), Column("other words' senses", 3)]
    rows = [
        (shown_method(method), row["senses"], row["words"], row["per_word"], row["cosine"], row["random_senses"])
        for method, model in numbers["models"].items()
        for row in model["rows"]
    ]
    return [make_table(columns, rows, "Ways to make the vectors of senses.")]


def _why_wordnet(_numbers: Numbers) -> str:
    return (
        "The paper's way applies A, fitted to windows that contain the word, to the text of a sense, in whose examples "
        "the word often occurs itself. Ours takes the text for what it is, a single context, and the map for single "
        "contexts. With the word left out, both are lower: a part of the cosine is the word's own vector."
    )


TABLE_4 = Exhibit(
    "table-4",
    "Table 4: word vectors and the senses of WordNet",
    "Each sense of a word in WordNet is a text, and so a vector. The word's own vector should lie near the span of its "
    "senses. The words are those of SemEval-2010 task 14; the baseline is the span of the same number of "
    "senses of other words.",
    _run_wordnet,
    _figures_wordnet,
    _render_wordnet,
    _why_wordnet,
    needs=(needs.SEMEVAL, needs.WORDNET, needs.MAP),
    helped_by=(needs.OTHERS, needs.TEXT),
    by_model={"models": "{}"},
)
EXHIBITS = (TABLE_4,)

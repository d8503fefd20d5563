"""Table 1: the centres of a word's contexts before and after the map A (Section 2)."""

from __future__ import annotations

from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.centers import run
from wordatoms.paper.tasks.centers.evaluate import PAPER


def _run_centers(inputs: Inputs) -> Numbers:
    result = run(inputs)
    paper: Any = PAPER[result.word]
    words = {when: [word for center in paper.values() for word in center[when].split()] for when in ("before", "after")}
    shares = {when: sum(word in result.frequent for word in found) / len(found) for when, found in words.items()}
    return {
        "method": inputs.method,
        "word": result.word,
        "centers": result.rows(),
        "frequent": {"before": result.frequent_before, "after": result.frequent_after},
        "paper": {"centers": list(paper.values()), "frequent": shares},
        "last_directions": result.more_rows(),
    }


def _figures_centers(numbers: Numbers) -> list[Figure]:
    ours, paper = numbers["frequent"], numbers["paper"]["frequent"]
    holds = ours["after"] < ours["before"]
    says = "holds" if holds else "no frequent words to begin with" if not ours["before"] else "does not hold"
    common: dict[str, Any] = {"digits": 2, "within": 0.1, "less_is_better": True}
    return [
        Figure(
            "frequent words near the centres, after A",
            paper["after"],
            ours["after"],
            ours["before"],
            "before A",
            is_headline=True,
            says=says,
            **common,
        ),
        Figure("… before A", paper["before"], ours["before"], **common),
    ]


def _render_centers(numbers: Numbers) -> list[Block]:
    ours = [Row((f"{each['windows']:,} windows", each["before"], each["after"]), "ours") for each in numbers["centers"]]
    paper = [
        Row((f"paper, centre {number}", each["before"], each["after"]), "paper")
        for number, each in enumerate(numbers["paper"]["centers"], 1)
    ]
    columns = [Column(""), Column("nearest words before A", is_words=True), Column("after A", is_words=True)]
    shrunk = [
        (each["direction"], each["singular_value"], each["common"], each["nearest"])
        for each in numbers["last_directions"]
    ]
    names = [Column("singular value, by rank", 0), Column("size", 2), Column("cosine with the common direction", 2)]
    return [
        make_table(
            columns, [*paper, *ours], f"Centres of the contexts of “{numbers['word']}”; the paper shows two of five."
        ),
        make_table(
            [*names, Column("nearest words", is_words=True)],
            shrunk,
            "The directions that A shrinks most; in the paper the last is near “with”, “as”, “the”.",
        ),
    ]


def _why_centers(numbers: Numbers) -> str:
    if numbers["frequent"]["before"] == 0:
        return (
            f"{shown_method(numbers['method'])} vectors of contexts, weighted by SIF, have no frequent words near "
            "them to begin with; the paper's table looks like the plain mean, where SN vectors show what it reports."
        )
    return "SIF takes most of the weight of frequent words away before A does; the paper's table fits the plain mean."


TABLE_1 = Exhibit(
    "table-1",
    "Table 1: centres of a word's contexts, before and after A",
    "A thousand contexts of a word are clustered into five groups by k-means. The paper finds mostly frequent words "
    "near the centres, and words of a sense once the centres are mapped by A. Measured: the share of near words that "
    "are among the hundred most frequent.",
    _run_centers,
    _figures_centers,
    _render_centers,
    _why_centers,
    needs=(needs.TEXT, needs.MAP, needs.knows("access")),
)
EXHIBITS = (TABLE_1,)

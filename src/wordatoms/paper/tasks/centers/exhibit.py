"""Table 1: the centres of a word's contexts before and after the map A (Section 2)."""

from __future__ import annotations

from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Row, Verdict, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.centers import WAYS, run
from wordatoms.paper.tasks.centers.evaluate import PAPER, CentersResult

JUDGED = "sn"
"""The method of the paper's vectors; other vectors are used if there is no such model."""
_, PAPER_WAY, PLAIN_WAY = WAYS


def _run_centers(inputs: Inputs) -> Numbers:
    model = inputs.models.get(JUDGED, inputs.model)
    results = {way: run(inputs.only(model), way=way) for way in WAYS}
    first = results[PAPER_WAY]
    paper: Any = PAPER[first.word]
    words = {when: [word for center in paper.values() for word in center[when].split()] for when in ("before", "after")}
    shares = {when: sum(word in first.frequent for word in found) / len(found) for when, found in words.items()}
    return {
        "method": model.embeddings.method,
        "word": first.word,
        "paper": {"centers": list(paper.values()), "frequent": shares},
        "ways": {way: _numbers_of(result) for way, result in results.items()},
    }


def _numbers_of(result: CentersResult) -> Numbers:
    return {
        "centers": result.rows(),
        "frequent": {"before": result.frequent_before, "after": result.frequent_after},
        "last_directions": result.more_rows(),
    }


def _figures_centers(numbers: Numbers) -> list[Figure]:
    found, paper = {way: each["frequent"] for way, each in numbers["ways"].items()}, numbers["paper"]["frequent"]
    by_paper, ours, plain = found[PAPER_WAY], found["model"], found[PLAIN_WAY]
    name = shown_method(numbers["method"])
    common: dict[str, Any] = {"digits": 2, "within": 0.1}
    effect = "frequent words near the centres before A"
    return [
        Figure(
            f"{name}, frequent words near the centres, after A",
            paper["after"],
            by_paper=by_paper["after"],
            ours=ours["after"],
            baseline=by_paper["before"],
            baseline_is="before A",
            is_headline=True,
            says=_verdict(by_paper),
            says_ours=_verdict(ours),
            note="" if by_paper["before"] else "no frequent words to begin with",
            less_is_better=True,
            **common,
        ),
        Figure(
            f"{name}, {effect}",
            paper["before"],
            by_paper=by_paper["before"],
            ours=ours["before"],
            is_effect=True,
            **common,
        ),
        Figure(
            f"{name}, plain mean: {effect}",
            paper["before"],
            by_paper=plain["before"],
            is_effect=True,
            is_counted=False,
            **common,
        ),
        Figure(
            f"{name}, plain mean: after A",
            paper["after"],
            by_paper=plain["after"],
            baseline=plain["before"],
            baseline_is="before A",
            is_counted=False,
            says=_verdict(plain),
            less_is_better=True,
            **common,
        ),
    ]


def _verdict(shares: Numbers) -> Verdict:
    """Whether A makes the words near the centres less frequent, which is what the paper shows."""
    return "reproduced" if shares["after"] < shares["before"] else "failed replication"


def _render_centers(numbers: Numbers) -> list[Block]:
    paper = [
        Row((f"paper, centre {number}", each["before"], each["after"]), "paper")
        for number, each in enumerate(numbers["paper"]["centers"], 1)
    ]
    columns = [Column(""), Column("nearest words before A", is_words=True), Column("after A", is_words=True)]
    names = [Column("singular value, by rank", 0), Column("size", 2), Column("cosine with the common direction", 2)]
    shown = {PAPER_WAY: "the paper's way, SIF", PLAIN_WAY: "the paper's way, plain mean", "model": "our way"}
    centers = [
        make_table(
            columns,
            [*(paper if way == PAPER_WAY else ()), *_center_rows(numbers["ways"][way])],
            f"Centres of the contexts of “{numbers['word']}”, {name}; the paper shows two of five.",
        )
        for way, name in shown.items()
    ]
    shrunk = [
        (each["direction"], each["singular_value"], each["common"], each["nearest"])
        for each in numbers["ways"][PAPER_WAY]["last_directions"]
    ]
    return [
        *centers,
        make_table(
            [*names, Column("nearest words", is_words=True)],
            shrunk,
            "The directions that A shrinks most; in the paper the last is near “with”, “as”, “the”.",
        ),
    ]


def _center_rows(way: Numbers) -> list[Row]:
    return [Row((f"{each['windows']:,} windows", each["before"], each["after"]), "ours") for each in way["centers"]]


def _why_centers(numbers: Numbers) -> str:
    sif, plain = (numbers["ways"][way]["frequent"]["before"] for way in (PAPER_WAY, PLAIN_WAY))
    return (
        f"Before A, {sif:.0%} of the words near the centres are frequent with SIF, which takes most of the weight of "
        f"frequent words away itself, and {plain:.0%} with the plain mean, which the paper's table looks like. Our way "
        "leaves the word out of its windows."
    )


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
    helped_by=(needs.OTHERS,),
)
EXHIBITS = (TABLE_1,)

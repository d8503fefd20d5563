"""Table 2: induced embeddings of words that A has not seen (Section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, Remark, Row, make_table
from wordatoms.paper.exhibits.charts import Line, LineChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.induced import run
from wordatoms.paper.tasks.induced.evaluate import PAPER, InducedResult

WAYS = {
    "SIF, word left out": ("SIF", "out"),
    "SIF, word in": ("SIF", "in"),
    "plain mean, word left out": ("plain", "out"),
    "plain mean, word in": ("plain", "in"),
}
"""Ways to average the contexts of a word."""
FEW_CONTEXTS = 20_000_000
"""With fewer, averages of contexts are noisy: about a quarter of the text that our full-size models have seen."""


def _run_induced(inputs: Inputs) -> Numbers:
    results = {method: run(inputs.only(model)) for method, model in inputs.models.items()}
    return {"paper": dict(PAPER), "models": {method: _numbers_of(result) for method, result in results.items()}}


def _numbers_of(result: InducedResult) -> dict[str, Any]:
    kept = [row for row in result.rows() if row["common"] == "kept"]
    return {
        "n_held_out": len(result.words),
        "n_fitted": result.n_fitted,
        "min_contexts": result.min_contexts,
        "table": [{key: value for key, value in row.items() if key != "common"} for row in kept],
    }


def _select(rows: Sequence[Numbers], average: str, target: str) -> list[Numbers]:
    """The rows of one way to average contexts, by growing amount of text."""
    return [row for row in rows if (row["average"], row["target"]) == (average, target)]


def _judged_model(numbers: Numbers) -> tuple[str, Numbers]:
    """GloVe, as in the paper, if it is among the models; otherwise the first."""
    models = numbers["models"]
    method = "glove" if "glove" in models else next(iter(models))
    return method, models[method]


def _figures_induced(numbers: Numbers) -> list[Figure]:
    paper, (method, model) = numbers["paper"], _judged_model(numbers)
    name, amounts = shown_method(method), list(paper["cosine"].items())
    out, inside = _select(model["table"], "SIF", "out"), _select(model["table"], "plain", "in")

    def figure(what: str, figure_of_paper: float, row: Numbers, **more: Any) -> Figure:
        return Figure(what, figure_of_paper, row["cosine"], row["without_map"], "without A", **more)

    found = [
        figure(f"{name}, word left out of its contexts", amounts[-1][1], out[-1], is_headline=True),
        figure(f"{name}, word in its contexts, plain mean", amounts[-1][1], inside[-1], is_headline=True),
        Figure(
            f"{name}, without A (plain mean, word in)",
            paper["cosine_without_map"],
            inside[-1]["without_map"],
            within=0.05,
        ),
    ]
    if len(out) == len(amounts):
        found += [
            figure(f"{row['n_contexts'] / 1e6:,.1f}M contexts (the paper: {amount})", value, row)
            for (amount, value), row in zip(amounts[:-1], out[:-1], strict=True)
        ]
    return found


def draw_amounts(method: str, rows: Sequence[Numbers]) -> LineChart:
    """The cosines by amount of text, with the common direction kept."""
    kept = [row for row in rows if row.get("common", "kept") == "kept"]
    curves = {name: _select(kept, *way) for name, way in WAYS.items()}
    lines = {
        name: Line([row["n_contexts"] for row in found], [row["cosine"] for row in found], "ours" if not number else "")
        for number, (name, found) in enumerate(curves.items())
    }
    return LineChart(
        f"Induced embeddings by amount of text, {shown_method(method)}",
        "contexts read",
        "cosine with the word's vector",
        lines,
        {"the paper, GloVe, 1M paragraphs": 0.96, "the paper, without A": 0.58},
    )


def _render_induced(numbers: Numbers) -> list[Block]:
    cells = {
        method: [_select(model["table"], *way)[-1] for way in WAYS.values()]
        for method, model in numbers["models"].items()
    }
    rows = [
        Row((shown_method(method), *(f"{row['cosine']:.3f} ({row['without_map']:.3f})" for row in of_method)), "ours")
        for method, of_method in cells.items()
    ]
    method, model = _judged_model(numbers)
    return [
        make_table(
            [Column("vectors"), *map(Column, WAYS)],
            rows,
            "Mean cosine with A, in brackets without, on all of the text.",
        ),
        draw_amounts(method, model["table"]),
        Remark(
            f"{model['n_held_out']:,} words held out, {model['n_fitted']:,} fitted; words with "
            f"{model['min_contexts']:,} contexts or more."
        ),
    ]


def _why_induced(numbers: Numbers) -> str:
    method, model = _judged_model(numbers)
    n_contexts = model["table"][-1]["n_contexts"]
    other = f"These are {shown_method(method)} vectors, the paper's are GloVe's. " if method != "glove" else ""
    short = f"The text is short, {n_contexts / 1e6:.1f}M contexts, which lowers all cosines. "
    return (
        f"{other}{short if n_contexts < FEW_CONTEXTS else ''}With the word in its own window u holds a share of v, "
        "which inflates the cosine; the paper does not say whether it is in, and its .96 and .58 are nearest to the "
        "plain mean with the word in."
    )


TABLE_2 = Exhibit(
    "table-2",
    "Table 2: induced embeddings of held-out words",
    "The average context u of a word, mapped by an A that was fitted to other words, should be close to the word's "
    "vector v. A third of the words is held out; the cosine of A·u and v is a mean over them.",
    _run_induced,
    _figures_induced,
    _render_induced,
    _why_induced,
    needs=(needs.TEXT,),
    helped_by=(needs.OTHERS,),
)
EXHIBITS = (TABLE_2,)

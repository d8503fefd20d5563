"""The quality of the vectors themselves: word similarity and analogies. Not in the paper; scores only."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Column, Figure, make_table
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.similarity import run_analogy, run_similarity

GROUPS = ("total", "semantic", "syntactic")


def _run(inputs: Inputs) -> Numbers:
    return {
        "method": inputs.method,
        "models": {method: _scores(inputs.only(model)) for method, model in inputs.models.items()},
    }


def _scores(inputs: Inputs) -> dict[str, Any]:
    found = {"similarity": run_similarity(inputs).rows(), "analogy": []}
    if needs.ANALOGY.is_met(inputs):
        found["analogy"] = [row for row in run_analogy(inputs).rows() if row["questions"] in GROUPS]
    return found


def _figures(numbers: Numbers) -> list[Figure]:
    own = numbers["models"][numbers["method"]]
    name = shown_method(numbers["method"])
    found = [
        Figure(
            f"{name}, {row['set']}",
            None,
            ours=row["spearman_all_pairs"],
            baseline=row["spelling"],
            baseline_is="spelling",
        )
        for row in own["similarity"]
    ]
    scores = [row["spearman_all_pairs"] or 0.0 for row in own["similarity"]]
    spelling = [row["spelling"] or 0.0 for row in own["similarity"]]
    mean = Figure(
        f"{name}, mean of {len(scores)} sets",
        None,
        ours=fmean(scores),
        baseline=fmean(spelling),
        baseline_is="spelling",
        is_headline=True,
    )
    return [mean, *found] + [
        Figure(
            f"{name}, analogies, {row['questions']}",
            None,
            ours=row["accuracy"],
            baseline=row["nearest_to_c"],
            baseline_is="nearest word",
            is_headline=row["questions"] == "total",
        )
        for row in own["analogy"]
    ]


def _render(numbers: Numbers) -> list[Block]:
    if len(numbers["models"]) == 1:
        return []
    models = numbers["models"]
    sets = [row["set"] for row in next(iter(models.values()))["similarity"]]
    scores = {
        method: {row["set"]: row["spearman_all_pairs"] for row in found["similarity"]}
        for method, found in models.items()
    }
    columns = [Column("set"), *(Column(shown_method(method), 3) for method in models)]
    rows = [(name, *(scores[method].get(name) for method in models)) for name in sets]
    return [make_table(columns, rows, "Spearman's correlation over all pairs, by vectors.")]


def _why(_numbers: Numbers) -> str:
    return "The paper reports no such figures; they measure the quality of the vectors before senses are sought."


EMBEDDINGS = Exhibit(
    "embeddings",
    "The vectors themselves: similarity and analogies",
    "Spearman's correlation of cosines with people's ratings over all pairs of each set (those with unknown words at "
    "the mean cosine), and the share of correct answers to analogies.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.SIMILARITY,),
    helped_by=(needs.ANALOGY, needs.OTHERS),
    is_paper=False,
    by_model={"models": "{}"},
)
EXHIBITS = (EMBEDDINGS,)

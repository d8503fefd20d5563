"""Remarks that the paper makes in passing, each measured (Sections 2, 3 and 5)."""

from __future__ import annotations

from wordatoms.drawing.charts import Line, LineChart
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Figure
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.exhibits.published import shown_method
from wordatoms.paper.tasks.remarks import run
from wordatoms.paper.tasks.remarks.evaluate import identity_test

CLOSE = 0.9
"""A mean cosine from which vectors before and after a matrix count as close."""


def _run_remarks(inputs: Inputs) -> Numbers:
    found = run(inputs).to_json()
    mapped = {method: model for method, model in inputs.models.items() if "map" in model.folder.stages}
    return {
        "scores": found["scores"],
        "baselines": found["baselines"],
        "paper": found["paper"],
        "steps": found["items"]["steps"],
        "identity": {
            method: vars(identity_test(model.embeddings, model.induced_map)) for method, model in mapped.items()
        },
    }


def _figures_remarks(numbers: Numbers) -> list[Figure]:
    scores, beside = numbers["scores"], numbers["baselines"]
    alike = scores["in_common"]
    random = beside["nonnegative_random_directions"]
    return [
        Figure(
            "atoms that a discourse needs",
            "3–4",
            by_paper=scores["atoms_per_discourse"],
            digits=0,
            is_headline=True,
            says="reproduced" if 3 <= scores["atoms_per_discourse"] <= 4 else "failed replication",
        ),
        Figure("nearest words in common at inner product .85", "look alike", by_paper=alike["0.85"]),
        Figure("… at .5", "quite different", by_paper=alike["0.5"]),
        Figure(
            "coefficients that are not negative",
            "most",
            by_paper=scores["nonnegative"],
            baseline=random,
            baseline_is="random directions",
            is_headline=True,
            says="reproduced" if scores["nonnegative"] > max(0.5, random) else "failed replication",
        ),
        *_bound_figures(scores["squared_coefficients"]),
        *(_identity_figure(method, test) for method, test in numbers["identity"].items()),
    ]


def _bound_figures(sums: Numbers) -> list[Figure]:
    """The bound read in two ways that need no tolerance: for every word, and on average."""
    claim = "“bounded by approximately” ‖v‖²"
    return [
        Figure(
            "Σα² at most ‖v‖²: share of the words",
            claim,
            by_paper=sums["bounded"],
            baseline=sums["bounded_nearest"],
            baseline_is="the atoms nearest to the word",
            digits=3,
            says="reproduced" if sums["largest"] <= 1 else "failed replication",
            note=f"read as: for every word; with a tolerance of 5% {sums['within']:.1%}; largest {sums['largest']:.2f}",
        ),
        Figure(
            "… mean of Σα² / ‖v‖²",
            claim,
            by_paper=sums["mean"],
            baseline=sums["mean_nearest"],
            baseline_is="the atoms nearest to the word",
            digits=3,
            says="reproduced" if sums["mean"] <= 1 else "failed replication",
            note="read as: on average over the words",
        ),
    ]


def _identity_figure(method: str, test: Numbers) -> Figure:
    return Figure(
        f"{shown_method(method)}: cosine of vectors before and after (Σ⁻¹ + 4I)^(−½)",
        "“close to a scaled identity”",
        by_paper=test["cosine"],
        baseline=test["cosine_map"],
        baseline_is="the map A",
        says="reproduced" if test["cosine"] >= CLOSE else "failed replication",
        note=f"distance from a multiple of I {test['distance']:.2f}, of A {test['distance_map']:.2f}",
    )


def _render_remarks(numbers: Numbers) -> list[Block]:
    steps = numbers["steps"]
    xs = [each["n_atoms"] for each in steps]
    lines = {"coded with so many atoms": Line(xs, [each["cosine"] for each in steps], "ours")}
    reference = {"not coded": numbers["baselines"]["cosine_without_atoms"]}
    return [LineChart("Half a window against its other half", "atoms", "cosine with the other half", lines, reference)]


def _why_remarks(_numbers: Numbers) -> str:
    return (
        "“Needed” is the fewest atoms within 2% of the best cosine; the curve has no peak, so the number is as much "
        "the rule's as the text's."
    )


REMARKS = Exhibit(
    "remarks",
    "Remarks made in passing",
    "Sentences of the paper without a table, each as a number: how many atoms make a discourse, when two discourses "
    "look alike, that most coefficients are not negative and their squares bounded, and that a matrix is close to a "
    "multiple of the identity, which is claimed of GloVe and word2vec.",
    _run_remarks,
    _figures_remarks,
    _render_remarks,
    _why_remarks,
    needs=(needs.ATOMS, needs.MAP),
    helped_by=(needs.OTHERS,),
    is_paper=False,
    by_model={"identity": "{}"},
)
EXHIBITS = (REMARKS,)

"""Remarks that the paper makes in passing, each measured (Sections 2, 3 and 5)."""

from __future__ import annotations

from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Figure
from wordatoms.paper.exhibits.charts import Line, LineChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.tasks.remarks import run


def _run_remarks(inputs: Inputs) -> Numbers:
    found = run(inputs).to_json()
    return {
        "scores": found["scores"],
        "baselines": found["baselines"],
        "paper": found["paper"],
        "steps": found["items"]["steps"],
    }


def _figures_remarks(numbers: Numbers) -> list[Figure]:
    scores, beside = numbers["scores"], numbers["baselines"]
    alike = scores["in_common"]
    random = beside["nonnegative_random_directions"]
    return [
        Figure(
            "atoms that a discourse needs",
            "3–4",
            scores["atoms_per_discourse"],
            digits=0,
            is_headline=True,
            says="reproduced" if 3 <= scores["atoms_per_discourse"] <= 4 else "other than the paper",
        ),
        Figure("nearest words in common at inner product .85", "look alike", alike["0.85"], says="a matter of words"),
        Figure("… at .5", "quite different", alike["0.5"], says="a matter of words"),
        Figure(
            "coefficients that are not negative",
            "most",
            scores["nonnegative"],
            random,
            "random directions",
            is_headline=True,
            says="reproduced" if scores["nonnegative"] > max(0.5, random) else "does not hold",
        ),
        Figure(
            "distance of (Σ⁻¹ + 4I)^(−½) from a multiple of I",
            "close",
            scores["distance_from_identity"],
            beside["distance_from_identity_of_map"],
            "the map A",
            says="a matter of words",
        ),
    ]


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
    "look alike, that most coefficients are not negative, and that a matrix is close to a multiple of the identity.",
    _run_remarks,
    _figures_remarks,
    _render_remarks,
    _why_remarks,
    needs=(needs.ATOMS, needs.MAP),
    is_paper=False,
)
EXHIBITS = (REMARKS,)

"""Theorems 1 and 2 on texts drawn from their own model (Section 2), which needs neither model nor data."""

from __future__ import annotations

from wordatoms.drawing.charts import Line, LineChart
from wordatoms.paper.exhibits.blocks import Block, Figure, Remark
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.tasks.walk import run
from wordatoms.paper.tasks.walk.evaluate import STATEMENTS, WalkResult

GUESSES = {"no A": "u against v, without A", "best multiple of u": "the best multiple of u against v"}
"""Baselines of Theorem 1."""


def _run_walk(inputs: Inputs) -> Numbers:
    return numbers_of(run(inputs))


def numbers_of(result: WalkResult) -> Numbers:
    """What the report keeps of a result."""
    found = result.to_json()
    return {
        "settings": found["settings"],
        "statements": STATEMENTS,
        "scores": found["scores"],
        "baselines": found["baselines"],
        "measures": found["items"],
        "agrees": result.agrees,
    }


def _figures_walk(numbers: Numbers) -> list[Figure]:
    found = []
    for name, score in numbers["scores"].items():
        errors = {each: fit["relative_error"] for each, fit in numbers["baselines"][name].items()}
        best = min(errors, key=errors.__getitem__)
        found.append(
            Figure(
                f"{numbers['statements'][name]}: relative error",
                "→ 0" if name == "theorem2" else "≈",
                by_paper=score["relative_error"],
                baseline=errors[best],
                baseline_is=best,
                digits=3,
                is_headline=name in ("theorem1_left_out", "theorem2"),
                says="reproduced" if score["relative_error"] < errors[best] else "failed replication",
            )
        )
    return found


def draw_errors(numbers: Numbers) -> LineChart:
    """The errors of the theorems and of two simpler guesses, by length of text."""
    shown = ("theorem1_left_out", "theorem1_in_window", "matrix_left_out", "theorem2")
    lines = {}
    for name in shown:
        measured = [each for each in numbers["measures"] if each["statement"] == name and each["tokens"]]
        xs = [each["tokens"] for each in measured]
        lines[numbers["statements"][name]] = Line(xs, [each["relative_error"] for each in measured])
        if name == shown[0]:
            for guess, shown_guess in GUESSES.items():
                errors = [each["baselines"][guess]["relative_error"] for each in measured]
                lines[shown_guess] = Line(xs, errors, "baseline")
    endless = {"A·u against v in an infinite text": numbers["scores"][shown[0]]["endless_text"]}
    title = "Errors against the length of the simulated text"
    return LineChart(title, "tokens drawn", "relative error", lines, endless, log_x=True, log_y=True)


def _render_walk(numbers: Numbers) -> list[Block]:
    settings = numbers["settings"]
    return [
        draw_errors(numbers),
        Remark(
            f"{settings['n_words']:,} words in {settings['dim']} dimensions, windows of {settings['window']}, trace "
            f"of the covariance of discourses {settings['trace']:g}; {settings['n_pairs']} merged pairs of words."
        ),
    ]


def _why_walk(_numbers: Numbers) -> str:
    return (
        "The paper proves limits and gives no figures; the error that remains in an infinite text comes from the "
        "finite vocabulary, the ≈ of the theorems."
    )


WALK_EXHIBIT = Exhibit(
    "walk",
    "Theorems 1 and 2 on simulated text",
    "Text is drawn from the paper's own Gaussian walk, so the right A and the right vectors are known. Errors should "
    "fall as the text grows, and stay below those of simpler guesses. Needs no data at all.",
    _run_walk,
    _figures_walk,
    _render_walk,
    _why_walk,
    is_paper=False,
    reads_model=False,
)
EXHIBITS = (WALK_EXHIBIT,)

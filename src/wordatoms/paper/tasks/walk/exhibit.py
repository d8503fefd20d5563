"""Theorems 1 and 2 on texts drawn from their own model (Section 2), which needs neither model nor data."""

from __future__ import annotations

from typing import Any

from wordatoms.paper.exhibits.blocks import Block, Figure, Remark
from wordatoms.paper.exhibits.charts import Line, LineChart
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs

N_TOKENS = 8_000_000
"""Of the longest text; a quarter of a minute on one core."""
WALK: dict[str, Any] = {"n_words": 5000, "dim": 20, "window": 20, "variance": 2.0, "trace": 2.0, "spread": 5.0}


def _run_walk(inputs: Inputs) -> Numbers:
    from wordatoms.paper.tasks.walk.data import discourse_covariance, draw_walk
    from wordatoms.paper.tasks.walk.evaluate import STATEMENTS, evaluate_walk

    covariance = discourse_covariance(WALK["dim"], trace=WALK["trace"], spread=WALK["spread"])
    drawn = {name: WALK[name] for name in ("variance", "window")}
    walk = draw_walk(WALK["n_words"], covariance=covariance, random_state=inputs.seed, **drawn)
    result = evaluate_walk(walk, n_tokens=N_TOKENS, random_state=inputs.seed, threads=inputs.run.threads)
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
                score["relative_error"],
                errors[best],
                best,
                digits=3,
                is_headline=name in ("theorem1_left_out", "theorem2"),
                says="holds" if score["relative_error"] < errors[best] else "does not hold",
            )
        )
    return found


def _render_walk(numbers: Numbers) -> list[Block]:
    shown = ("theorem1_left_out", "theorem1_in_window", "matrix_left_out", "theorem2")
    lines = {}
    for name in shown:
        measured = [each for each in numbers["measures"] if each["statement"] == name and each["tokens"]]
        xs = [each["tokens"] for each in measured]
        lines[numbers["statements"][name]] = Line(xs, [each["relative_error"] for each in measured])
        if name == shown[0]:
            no_map = [each["baselines"]["no A"]["relative_error"] for each in measured]
            lines["u against v, without A"] = Line(xs, no_map, "baseline")
    settings = numbers["settings"]
    endless = {"A·u against v in an endless text": numbers["scores"][shown[0]]["endless_text"]}
    title = "Errors against the length of the simulated text"
    return [
        LineChart(title, "tokens drawn", "relative error", lines, endless, log_x=True, log_y=True),
        Remark(
            f"{settings['n_words']:,} words in {settings['dim']} dimensions, windows of {settings['window']}, trace "
            f"of the covariance of discourses {settings['trace']:g}; {settings['n_pairs']} pairs of words written as "
            "one."
        ),
    ]


def _why_walk(_numbers: Numbers) -> str:
    return (
        "The paper proves limits and gives no figures; what remains in an endless text comes from the finite "
        "vocabulary, the ≈ of the theorems."
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

"""Remarks that the paper makes in passing, each measured (Sections 2, 3 and 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Task

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.remarks.evaluate import RemarksResult


def run(inputs: Inputs) -> RemarksResult:
    """Measure every remark on a model with map and atoms."""
    from wordatoms.paper.tasks.remarks.evaluate import evaluate_remarks

    model = inputs.model
    return evaluate_remarks(
        model.embeddings, model.atoms, model.induced_map, random_state=inputs.seed, threads=inputs.run.threads
    )


TASKS = (
    Task(
        "remarks",
        "Remarks made in passing: atoms per discourse, similarity of discourses, signs of coefficients.\n\n"
        "Needs the stages map and atomize.",
        run,
        ("model", "seed", "threads"),
        stages=("atomize", "map"),
    ),
)

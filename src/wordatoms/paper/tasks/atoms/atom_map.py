"""A two-dimensional map of all atoms, from the layout stored with the model. Not in the paper, which lists words."""

from __future__ import annotations

import math
from typing import Any

from wordatoms.drawing.charts import Point, ScatterChart
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.blocks import Block, Figure
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers
from wordatoms.paper.exhibits.inputs import Inputs

N_LABELS = 40
CHARACTER, LINE = 0.018, 0.045
"""Approximate width and height of a label's characters; the map is two units wide."""


def _run(inputs: Inputs) -> Numbers:
    model = inputs.model
    homes = {atom: meta for meta, members in model.meta_atoms.members.items() for atom in members}
    return {
        "atoms": [
            [round(float(x), 4), round(float(y), 4), homes.get(atom, -1), model.label(atom)]
            for atom, (x, y) in enumerate(model.layout)
        ]
    }


def _figures(_numbers: Numbers) -> list[Figure]:
    return []


def spread_labels(places: list[tuple[float, float, str]], n: int = N_LABELS) -> list[tuple[float, float, str]]:
    """Choose labels that do not overlap: each time the atom farthest from those already labelled."""
    chosen: list[tuple[float, float, str]] = []
    distances = [math.inf] * len(places)
    for _ in range(min(3 * n, len(places))):
        best = max(range(len(places)), key=distances.__getitem__)
        candidate = places[best]
        distances = [
            min(before, math.dist(candidate[:2], each[:2])) for before, each in zip(distances, places, strict=True)
        ]
        if not any(_overlap(candidate, other) for other in chosen):
            chosen.append(candidate)
        if len(chosen) == n:
            break
    return chosen


def _overlap(one: tuple[float, float, str], other: tuple[float, float, str]) -> bool:
    width = CHARACTER * (len(one[2]) + len(other[2])) / 2
    return abs(one[0] - other[0]) < width and abs(one[1] - other[1]) < LINE


def _render(numbers: Numbers) -> list[Block]:
    atoms: list[Any] = numbers["atoms"]
    points = [Point(x, y, max(meta, 0), f"atom {number}: {label}") for number, (x, y, meta, label) in enumerate(atoms)]
    labels = spread_labels([(x, y, label.split(", ")[0]) for x, y, _, label in atoms])
    title, description = f"{len(atoms):,} atoms in the plane", "Atoms with similar content lie close together."
    return [ScatterChart(title, description, points, labels)]


def _why(_numbers: Numbers) -> str:
    return "The paper has no such map. Only neighbourhoods are meaningful, not distances across the map."


ATOM_MAP = Exhibit(
    "map-of-atoms",
    "A map of the atoms",
    "Every dot is an atom, at the place that the model's layout gives it; atoms of one meta-atom have the same "
    "colour (of eight, so some meta-atoms share one). Labels show the nearest words of some atoms; point at a dot for "
    "the others.",
    _run,
    _figures,
    _render,
    _why,
    needs=(needs.ATOMS, needs.LAYOUT),
    is_paper=False,
)

"""How many numbers of the paper are reached: the first lines of the report.

Every number that the paper prints for its own work and that an exhibit compares is counted once (`Figure.is_counted`);
numbers that we computed from the paper's, those that two exhibits show, and those that it quotes for competitors are
not counted. A number is *reached* if the verdict on it is reproduced or better than the paper. Claims that the paper
makes in words are counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from wordatoms.paper.exhibits.blocks import REACHED, Figure
from wordatoms.paper.report.outcome import Outcome

RULE = (
    "Each number that the paper prints is counted once; those that it quotes for competitors are compared but not "
    "counted. A number is reached if it is reproduced (within the tolerance of its exhibit) or better than the paper; "
    "a loss or an effect that the paper claims and that is smaller here is a failed replication."
)


@dataclass(frozen=True)
class Tally:
    """Counts of the paper's numbers; `reached`, `only_ours`, `not_reached` and `not_measured` add up to `numbers`."""

    numbers: int
    reached: int
    """By the paper's method under its protocol."""
    only_ours: int
    """Not so, but by our method."""
    not_reached: int
    """By neither, though one of them was measured."""
    not_measured: int
    claims: int
    """Claims in words that have a verdict."""
    claims_hold: int

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "rule": RULE}

    def sentences(self) -> list[str]:
        """The counts in words."""
        missed = self.numbers - self.reached
        parts = [
            f"{self.only_ours} of them are reached by our own method instead",
            f"{self.not_reached} by neither",
            *([f"{self.not_measured} were not measured"] if self.not_measured else []),
        ]
        found = [
            f"Of {self.numbers} numbers of the paper, {self.reached} are reached by the paper's method under its own "
            f"protocol and {missed} are not: {', '.join(parts)}."
        ]
        if self.claims:
            found.append(f"Of {self.claims} claims that it makes in words, {self.claims_hold} hold.")
        return found


def count_figures(outcomes: Iterable[Outcome]) -> Tally:
    """The tally of all results that are shown."""
    figures = [figure for outcome in outcomes for figure in outcome.figures]
    counted = [figure for figure in figures if figure.is_counted and figure.paper_number is not None]
    reached = [figure for figure in counted if figure.verdict_by_paper in REACHED]
    left = [figure for figure in counted if figure.verdict_by_paper not in REACHED]
    ours = [figure for figure in left if figure.verdict_ours in REACHED]
    unmeasured = [figure for figure in left if figure.by_paper is None and figure.ours is None]
    claims = [figure for figure in figures if figure.is_counted and isinstance(figure.paper, str) and _judged(figure)]
    return Tally(
        len(counted),
        len(reached),
        len(ours),
        len(left) - len(ours) - len(unmeasured),
        len(unmeasured),
        len(claims),
        sum(figure.verdict_by_paper in REACHED for figure in claims),
    )


def _judged(figure: Figure) -> bool:
    return figure.verdict_by_paper not in ("not measured", "no figure in the paper")

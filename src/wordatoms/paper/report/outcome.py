"""The result of an exhibit: computed, bundled with the package, missing or failed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from wordatoms.paper.exhibits.blocks import Figure
from wordatoms.paper.exhibits.exhibit import Exhibit, Numbers


@dataclass(frozen=True)
class Made:
    """What a result was computed with."""

    program: str
    """Name and version."""
    model: str
    others: tuple[str, ...] = ()
    """Models of other vectors."""
    text: str = ""
    seed: int = 0


Status = Literal["done", "bundled", "missing", "failed"]
"""Computed here (now or earlier), shown from the results that come with the package, or not to be had."""


@dataclass(frozen=True)
class Outcome:
    """The result of an exhibit, or why there is none."""

    exhibit: Exhibit
    status: Status
    numbers: Numbers | None = None
    seconds: float | None = None
    cached: bool = False
    computed: str = ""
    """The date, in UTC."""
    machine: str = ""
    says: str = ""
    """Why it failed."""
    missing: tuple[tuple[str, str], ...] = ()
    """What is missing, and how to get it."""
    lacking: tuple[tuple[str, str], ...] = ()
    """What would add to the exhibit, and how to get it."""
    made: Made | None = None
    """What a bundled result was computed with."""

    @property
    def figures(self) -> list[Figure]:
        """The numbers of the paper with those measured; none without a result."""
        return self.exhibit.figures(self.numbers) if self.numbers is not None else []

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.exhibit.name,
            "title": self.exhibit.title,
            "status": self.status,
            "seconds": self.seconds,
            "cached": self.cached,
            "computed": self.computed or None,
            "machine": self.machine or None,
            "why": self.exhibit.why(self.numbers) if self.numbers is not None else None,
            "error": self.says or None,
            "missing": [{"what": what, "how": how} for what, how in self.missing],
            "would_show_more": [{"what": what, "how": how} for what, how in self.lacking],
            "made": asdict(self.made) if self.made else None,
            "figures": [figure.to_json() for figure in self.figures],
            "numbers": self.numbers,
        }

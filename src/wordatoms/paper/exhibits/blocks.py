"""The parts of a section of the report: figures of the paper beside those measured here, tables, charts and remarks.

They are plain data; `wordatoms.paper.report.page` renders them as HTML, and the command line prints the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple, get_args

from wordatoms.drawing.charts import Chart

Cell = str | float | int | None
Role = Literal["", "ours", "by-paper", "paper", "competitor", "baseline"]
"""Whose row of a table it is; `by-paper` is the paper's method measured here, `paper` what the paper prints."""
DASH = "–"


Verdict = Literal[
    "reproduced",
    "better than the paper",
    "below the paper",
    "failed replication",
    "not measured",
    "no figure in the paper",
]
REACHED: tuple[Verdict, ...] = ("reproduced", "better than the paper")


@dataclass(frozen=True)
class Figure:
    """One number of the paper, and the same number measured here by the paper's method and, apart from it, by ours.

    Neither of the two stands in for the other: each has its own difference and its own verdict, and either may be
    missing.
    """

    what: str
    paper: float | str | None
    """Text if the paper has words instead of a number; None if it has neither."""
    _: KW_ONLY
    by_paper: float | None = None
    """The paper's method under the paper's protocol, measured here; for a competitor of the paper, that competitor."""
    ours: float | None = None
    """Our method, or our own protocol."""
    baseline: float | None = None
    baseline_is: str = ""
    digits: int = 2
    within: float = 0.02
    """The largest difference that counts as reproduced."""
    less_is_better: bool = False
    is_effect: bool = False
    """Whether the number is the size of an effect that the paper claims, such as a loss; if the effect is smaller here,
    the replication has failed."""
    is_headline: bool = False
    is_counted: bool = True
    """Whether the tally of the report counts it; a number that is shown twice, or that the paper does not print, is
    counted once or not at all."""
    says: Verdict | None = None
    """The verdict on the paper's method, where comparing numbers does not give it."""
    says_ours: Verdict | None = None
    """The verdict on our method, where comparing numbers does not give it."""
    note: str = ""
    """What else must be known to compare, in a few words."""

    @property
    def paper_number(self) -> float | None:
        """The paper's value if it is a number."""
        return self.paper if isinstance(self.paper, int | float) else None

    @property
    def difference_by_paper(self) -> float | None:
        return self._difference(self.by_paper)

    @property
    def difference_ours(self) -> float | None:
        return self._difference(self.ours)

    @property
    def verdict_by_paper(self) -> Verdict:
        """The verdict on the paper's method as measured here."""
        return self._verdict(self.by_paper, self.says)

    @property
    def verdict_ours(self) -> Verdict:
        """The verdict on our method."""
        return self._verdict(self.ours, self.says_ours)

    def _difference(self, value: float | None) -> float | None:
        return None if value is None or self.paper_number is None else value - self.paper_number

    def _verdict(self, value: float | None, says: Verdict | None) -> Verdict:
        difference = self._difference(value)
        if value is None:
            return "not measured"
        if says:
            return says
        if difference is None:
            return "no figure in the paper"
        if abs(difference) <= self.within + 1e-9:
            return "reproduced"
        if self.is_effect and difference < 0:
            return "failed replication"
        is_worse = (difference < 0) != (self.less_is_better or self.is_effect)
        return "below the paper" if is_worse else "better than the paper"

    def cells(self) -> dict[str, str]:
        """The numbers and verdicts as the tables show them, by column."""
        return {
            "paper": format_cell(self.paper, self.digits),
            "paper's method": format_cell(self.by_paper, self.digits),
            "difference": format_cell(self.difference_by_paper, self.digits, signed=True),
            "verdict": self.shown_verdict_by_paper,
            "our method": format_cell(self.ours, self.digits),
            "our difference": format_cell(self.difference_ours, self.digits, signed=True),
            "our verdict": self.shown_verdict_ours,
            "baseline": format_cell(self.baseline, self.digits),
        }

    @property
    def shown_verdict_by_paper(self) -> str:
        """A dash where there is neither a number nor a claim to be measured."""
        return self.verdict_by_paper if self.by_paper is not None or self.paper is not None else DASH

    @property
    def shown_verdict_ours(self) -> str:
        """A dash where our method has no number."""
        return self.verdict_ours if self.ours is not None else DASH

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "paper": self.paper,
            "by_paper": self.by_paper,
            "difference_by_paper": self.difference_by_paper,
            "verdict_by_paper": self.verdict_by_paper,
            "ours": self.ours,
            "difference_ours": self.difference_ours,
            "verdict_ours": self.verdict_ours,
            "baseline": self.baseline,
            "baseline_is": self.baseline_is,
            "counted": self.is_counted and self.paper_number is not None,
            "note": self.note,
        }


class Column(NamedTuple):
    """A column of a table: of numbers with `digits` decimals, or of text."""

    name: str
    digits: int | None = None
    is_words: bool = False
    """Whether it contains lists of words, which may wrap."""

    @property
    def is_number(self) -> bool:
        return self.digits is not None


class Row(NamedTuple):
    cells: tuple[Cell, ...]
    role: Role = ""


@dataclass(frozen=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str = ""


@dataclass(frozen=True)
class Remark:
    """A paragraph."""

    text: str


Block = Table | Chart | Remark


def shown_role(role: str) -> Role:
    """The role of a method of a task as tables and charts know it."""
    known: dict[str, Role] = {each: each for each in get_args(Role)}
    return known.get(role, "by-paper")


def make_table(columns: Sequence[Column], rows: Sequence[Row | Sequence[Cell]], caption: str = "") -> Table:
    """A table; rows can be given as plain sequences of cells."""
    return Table(
        tuple(columns),
        tuple(each if isinstance(each, Row) else Row(tuple(each)) for each in rows),
        caption,
    )


def format_cell(value: Cell, digits: int | None = None, *, signed: bool = False) -> str:
    """A number with `digits` decimals, text unchanged, a dash for an empty cell."""
    if value is None or value == "":
        return DASH
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not signed:
        return f"{value:,}"
    digits = 3 if digits is None else digits
    rounded = round(value, digits)
    return f"{rounded:{'+' if signed and rounded else ''},.{digits}f}".replace("-", "−")


def compare_table(figures: Sequence[Figure]) -> Table:
    """A table of the paper's numbers, of the paper's method and ours as measured here, and of the baselines.

    Columns in which no figure has anything are left out.
    """
    names = {figure.baseline_is for figure in figures if figure.baseline is not None}
    one_baseline = f"baseline: {next(iter(names))}" if len(names) == 1 else "baseline"
    rows = [_compared(figure) for figure in figures]
    columns = {name: name for name in rows[0]} if rows else {"": ""}
    columns["baseline"] = one_baseline
    if len(names) < 2:
        columns.pop("which is", None)
    filled = {name for name in columns if any(row[name] not in (None, DASH) for row in rows)}
    kept = [name for name in columns if name == "" or name in filled]
    numbers = ("paper", "paper's method", "difference", "our method", "our difference", "baseline")
    return make_table(
        [Column(columns[name], 2 if name in numbers else None) for name in kept],
        [[row[name] for name in kept] for row in rows],
    )


def _compared(figure: Figure) -> dict[str, Cell]:
    return {
        "": figure.what,
        **figure.cells(),
        "which is": figure.baseline_is if figure.baseline is not None else None,
        "note": figure.note or None,
    }

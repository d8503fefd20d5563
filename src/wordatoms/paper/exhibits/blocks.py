"""The parts of a section of the report: figures compared with the paper's, tables, charts and remarks.

They are plain data; `wordatoms.paper.report.page` renders them as HTML, and the command line prints the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from wordatoms.paper.exhibits.charts import Chart

Cell = str | float | int | None
Role = Literal["", "ours", "paper", "competitor", "baseline"]
DASH = "–"


@dataclass(frozen=True)
class Figure:
    """One number of the paper, compared with ours."""

    what: str
    paper: float | str | None
    """Text if the paper has words instead of a number; None if it has neither."""
    ours: float | None
    baseline: float | None = None
    baseline_is: str = ""
    digits: int = 2
    within: float = 0.02
    """The largest difference that counts as reproduced."""
    less_is_better: bool = False
    is_headline: bool = False
    says: str = ""
    """Replaces the usual verdict."""

    @property
    def difference(self) -> float | None:
        if self.ours is None or not isinstance(self.paper, int | float):
            return None
        return self.ours - self.paper

    @property
    def verdict(self) -> str:
        """Reproduced, better than or below the paper, or nothing to compare."""
        if self.says:
            return self.says
        if self.ours is None:
            return "not measured"
        if self.difference is None:
            return "no figure in the paper"
        if abs(self.difference) <= self.within + 1e-9:
            return "reproduced"
        return "below the paper" if (self.difference < 0) != self.less_is_better else "better than the paper"

    def cells(self) -> dict[str, str]:
        """The numbers as the tables show them, by column."""
        return {
            "paper": format_cell(self.paper, self.digits),
            "ours": format_cell(self.ours, self.digits),
            "difference": format_cell(self.difference, self.digits, signed=True),
            "baseline": format_cell(self.baseline, self.digits),
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "paper": self.paper,
            "ours": self.ours,
            "difference": self.difference,
            "baseline": self.baseline,
            "baseline_is": self.baseline_is,
            "verdict": self.verdict,
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
    """A table of the paper's numbers, ours, the difference and the baseline."""
    names = {figure.baseline_is for figure in figures if figure.baseline is not None}
    one_baseline = len(names) == 1
    columns = [
        Column(""),
        *(Column(name, 2) for name in ("paper", "ours", "difference")),
        Column(f"baseline: {names.pop()}" if one_baseline else "baseline", 2),
        *([] if one_baseline or not names else [Column("which is")]),
    ]
    rows = [
        (figure.what, *figure.cells().values(), figure.baseline_is if figure.baseline is not None else None)
        for figure in figures
    ]
    return make_table(columns, [row[: len(columns)] for row in rows])

"""What all tasks share: the record of a task, its options and its result; named methods; Spearman's correlation.

A task is one folder of `wordatoms.paper.tasks`. The folder's `__init__.py` holds the function that runs the task and
its `Task` records, and imports nothing heavy, so that `evaluate --help` is quick. `evaluate` makes a command of every
`Task`; the exhibits of the report call the same function.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, get_args

from wordatoms.errors import InputError, require_extra
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame

    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs

Role = Literal["ours", "paper's method", "competitor", "baseline"]
BY_PAPER: Role = "paper's method"
"""The method of the paper under its protocol, measured here; its published numbers have the role `paper`."""

# --- tasks


class Option(NamedTuple):
    """An option of a task's command, passed to `run` as the keyword `name`; its default is that of the keyword."""

    name: str
    help: str
    kind: type[Any] = int
    """`int`, `float`, `str`, `bool` for a flag, or `Path` for a file."""
    flags: tuple[str, ...] = ()
    """How it is written, where that is not `--name`."""
    least: float | None = None
    most: float | None = None
    above: float | None = None
    """A lower bound that is itself excluded."""
    choices: tuple[str, ...] = ()
    multiple: bool = False
    metavar: str | None = None


@dataclass(frozen=True)
class Task:
    """A task: its command, the function that runs it, and its figure."""

    name: str
    help: str
    run: Callable[..., TaskResult]
    """Called with `Inputs` and the task's own options as keywords."""
    takes: tuple[str, ...]
    """The fields of `Inputs` that the command has options for."""
    options: tuple[Option, ...] = ()
    stages: tuple[str, ...] = ("embed",)
    """Stages that the model must have; none if the task reads no model."""
    plot: Callable[[Any, Inputs], Sequence[LineChart]] | None = None
    """The charts of a result, for `--plot`; those that the report shows."""

    def default(self, option: Option) -> Any:
        return signature(self.run).parameters[option.name].default


class TaskResult(ABC, Tabular):
    """The result of a task: tables for people, and everything behind them as JSON."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table, at least one; all have the same columns."""

    def more_rows(self) -> list[dict[str, Any]]:
        """The rows of a second table, if there is one."""
        return []

    @property
    def verdict(self) -> str:
        """What the paper reports and whether this agrees, in one line; empty where it reports nothing."""
        return ""

    @property
    def note(self) -> str:
        """Something to know about how the result was computed; usually empty."""
        return ""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Headline figures under `scores`, then `baselines`, `paper` and, item by item, `items`."""

    def to_frame(self) -> DataFrame:
        """Convert to a table.

        Returns
        -------
        pandas.DataFrame
            The rows of the table.
        """
        return require_extra("pandas", "pandas").DataFrame(self.rows())

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """The names of the columns, and the rows."""
        rows = self.rows()
        return list(rows[0]), [list(row.values()) for row in rows]


# --- methods


@dataclass(frozen=True)
class NamedMethod:
    """A method that a task compares with others."""

    name: str
    role: Role

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise InputError(f"the role of '{self.name}' is {self.role!r}; pass one of {', '.join(get_args(Role))}.")

    def facts(self) -> dict[str, Any]:
        """What the JSON says about the method before its scores."""
        return {"role": self.role}


AnyMethod = TypeVar("AnyMethod", bound=NamedMethod)


def check_methods(methods: Sequence[AnyMethod]) -> tuple[AnyMethod, ...]:
    """The methods as a tuple; an error if two have the same name."""
    names = [method.name for method in methods]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{names.count(name)} methods are named '{name}'; give each a name of its own.")
    return tuple(methods)


class MethodsResult(TaskResult):
    """The result of a task that compares named methods."""

    scores: tuple[Any, ...]
    """What each method reached: its `method`, and its `row` of scores."""

    def with_role(self, *roles: Role) -> list[Any]:
        return [each for each in self.scores if each.method.role in roles]

    def table_rows(self, quoted: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """A row for each method, then for each result `quoted` from elsewhere, given by role and name."""
        rows = [{"method": each.method.name, "role": each.method.role, **each.row} for each in self.scores]
        blank = dict.fromkeys(rows[0])
        return rows + [
            {**blank, "method": name, "role": role, **row}
            for role, found in quoted.items()
            for name, row in found.items()
        ]

    def scores_json(self) -> dict[str, Any]:
        """The rows of our methods, the paper's and the competitors under `scores`, of the others under `baselines`."""
        parts: dict[str, tuple[Role, ...]] = {"scores": ("ours", BY_PAPER, "competitor"), "baselines": ("baseline",)}
        return {
            part: {each.method.name: {**each.method.facts(), **each.row} for each in self.with_role(*roles)}
            for part, roles in parts.items()
        }


# --- rank correlation


ROUNDING = 1e-6
"""Similarities that differ by less are equal: the cosine of a word with itself is 1 up to the rounding of floats."""


def spearman(similarities: Sequence[float | None], ratings: Sequence[float]) -> float | None:
    """Spearman's correlation over the pairs that have a similarity; None where all values of one side are equal."""
    from scipy.stats import spearmanr

    covered = [(value, rating) for value, rating in zip(similarities, ratings, strict=True) if value is not None]
    if not covered or any(are_equal(side) for side in zip(*covered, strict=True)):
        return None
    return float(spearmanr(*zip(*covered, strict=True)).statistic)


def spearman_all_pairs(similarities: Sequence[float | None], ratings: Sequence[float]) -> float | None:
    """The same over all pairs, those without a similarity at the mean of the others; None if these are all equal."""
    return None if are_equal(similarities) else spearman(filled_with_mean(similarities), ratings)


def are_equal(values: Sequence[float | None]) -> bool:
    """Whether all values that are there are equal, so that they rank nothing."""
    known = [value for value in values if value is not None]
    return not known or max(known) - min(known) < ROUNDING


def filled_with_mean(similarities: Sequence[float | None]) -> list[float]:
    """The similarities, with their mean for pairs that have none, so that a small vocabulary is no advantage."""
    known = [value for value in similarities if value is not None]
    mean = fmean(known) if known else 0.0
    return [mean if value is None else value for value in similarities]


def coverage(similarities: Sequence[float | None]) -> float:
    """The share of pairs that have a similarity."""
    return sum(value is not None for value in similarities) / len(similarities)

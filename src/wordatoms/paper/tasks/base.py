"""What every evaluation hands back: a table for people, and everything behind it as JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class TaskResult(ABC):
    """The outcome of a task, with its evidence."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The rows of a table, at least one; the same columns in each."""

    @property
    def verdict(self) -> str:
        """In one line, what the paper reports and whether this agrees; empty where it reports nothing."""
        return ""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Headline figures under `scores`, then `baselines`, `paper` and, item by item, `items`."""

    def table(self) -> tuple[list[str], list[list[Any]]]:
        """The names of the columns, and the rows."""
        rows = self.rows()
        return list(rows[0]), [list(row.values()) for row in rows]

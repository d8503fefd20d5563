"""Print results as aligned tables or JSON, and messages to standard error."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click


def show_json(value: object, *, indent: int | None = 2) -> None:
    """Print a result as JSON."""
    from wordatoms.senses.results import to_json

    click.echo(json.dumps(to_json(value), indent=indent, ensure_ascii=False, allow_nan=False))


def show_json_line(value: object) -> None:
    """Print a result as JSON on one line, for streams."""
    show_json(value, indent=None)


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table with numbers aligned to the right and text to the left."""
    header = [name.replace("_", " ") for name in header]
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numeric = [all(isinstance(row[k], int | float) or row[k] is None for row in rows) for k in range(len(header))]
    for line in [header, *cells]:
        aligned = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        click.echo("  ".join(aligned).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def counted(n: int, thing: str) -> str:
    """A number with its noun: 1 line, 2 lines."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def remark(text: str, *, quiet: bool) -> None:
    """Print a message to standard error, unless `quiet`."""
    if not quiet:
        click.echo(text, err=True)

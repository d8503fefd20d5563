"""How results look on the screen: aligned tables, JSON, and remarks on standard error."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import click


def show_json(value: object) -> None:
    click.echo(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def show_json_line(value: object) -> None:
    """One JSON object per line, for streams."""
    click.echo(json.dumps(_plain(value), ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    """Results as JSON knows them: objects and named tuples become mappings."""
    if is_dataclass(value):
        return {part.name: _plain(getattr(value, part.name)) for part in fields(value)}
    if hasattr(value, "_asdict"):
        return _plain(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Columns under their names; numbers to the right, text to the left."""
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
    """Such as 1 line, 2 lines."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def remark(text: str, *, quiet: bool) -> None:
    """Something worth knowing that is not the result."""
    if not quiet:
        click.echo(text, err=True)

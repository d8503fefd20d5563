"""What the evaluations share: where the data sets are, and how a result is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wordatoms.cli.output import remark, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.paper.tasks.base import TaskResult

data = click.option(
    "--data",
    envvar="WORDATOMS_DATA",
    type=click.Path(),
    required=True,
    help="Folder with the data sets.  [default: $WORDATOMS_DATA]",
)
plot = click.option("--plot", type=click.Path(dir_okay=False), help="Draw it into a file (.svg or .png).")


def show_result(result: TaskResult, *, as_json: bool) -> None:
    """The table, or everything as JSON; and what the paper says to it."""
    if as_json:
        show_json(result.to_json())
        return
    show_table(*result.table())
    if result.verdict:
        context = click.get_current_context(silent=True)
        remark(result.verdict, quiet=context is not None and bool(context.params.get("quiet")))

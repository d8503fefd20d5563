"""`reproduce`: compute every table and figure of the paper and compare it with the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.output import remark, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.blocks import Table
    from wordatoms.paper.exhibits.exhibit import Exhibit
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.report.outcome import Outcome


@click.command()
@click.argument("names", metavar="[TABLE]…", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Compute all tables and figures.")
@click.option("--bundled", is_flag=True, help="Show the results that come with the package; compute the rest.")
@click.option("--list", "listing", is_flag=True, help="List the tables and figures and what they need.")
@click.option(
    "-o", "--output", type=click.Path(file_okay=False), help="Folder for the report; without it, tables are printed."
)
@options.model
@click.option(
    "--with",
    "others",
    multiple=True,
    metavar="MODEL",
    help="A model of other vectors to compare with; may be repeated.",
)
@click.option(
    "--data",
    envvar="WORDATOMS_DATA",
    type=click.Path(),
    help="Folder with the data sets, and text in its subfolder corpus.  [default: $WORDATOMS_DATA]",
)
@click.option("--text", multiple=True, help="Text to read; may be repeated.  [default: DATA/corpus]")
@click.option("--source", default="", help="Origin and licence of the text; required to show sentences from it.")
@click.option("--wordnet", type=click.Path(), help="Folder of WordNet.  [default: its usual location]")
@click.option("--no-competitors", is_flag=True, help="Leave out the paper's competitors, which learn from the text.")
@options.force
@options.seed
@options.threads
@options.as_json
@options.quiet
def reproduce(
    names: tuple[str, ...], everything: bool, bundled: bool, listing: bool, output: str | None, **given: Any
) -> None:
    """Compute every table and figure of the paper and compare it with the paper.

    TABLE is a name such as table-7, figure-1a or walk. With -o, writes a page (index.html) and all numbers
    (results.json) to a folder. Items whose data are missing show the result that comes with the package, marked as
    such, and how to get the data. Results are reused as long as nothing they depend on has changed.
    """
    from wordatoms.paper.report.page import prepare_folder
    from wordatoms.paper.report.runner import EXHIBITS, find_exhibits, run_exhibits

    if not (names or everything or listing):
        raise click.UsageError("name some tables, such as table-7, or pass --all; --list shows what there is.")
    if names and everything:
        raise click.UsageError("pass either names or --all.")
    chosen = find_exhibits(names) if names else list(EXHIBITS.values())
    inputs = _open(given)
    if listing:
        _show_list(chosen, inputs, as_json=given["as_json"])
        return
    folder = Path(output) if output else None
    if folder:
        prepare_folder(folder)
    outcomes = list(
        run_exhibits(
            chosen,
            inputs,
            folder=folder,
            force=given["force"],
            prefer_bundled=bundled,
            on_start=lambda number, total, each: remark(f"[{number}/{total}] {each.title} …", quiet=given["quiet"]),
            on_end=lambda outcome: remark(f"    {_ended(outcome)}", quiet=given["quiet"]),
        )
    )
    _show(outcomes, inputs, folder, given)
    if any(outcome.status == "failed" for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _open(given: dict[str, Any]) -> Inputs:
    from wordatoms.paper.exhibits.inputs import open_inputs
    from wordatoms.storage.bundled import ENGLISH

    is_shipped = Path(given["model"]) == ENGLISH
    names = ("data", "text", "source", "wordnet", "seed")
    choices = {name: given[name] for name in names}
    return open_inputs(
        None if is_shipped else given["model"],
        given["others"],
        competitors=not given["no_competitors"],
        run=options.local_run({**given, "as_json": False}),
        **choices,
    )


def _ended(outcome: Outcome) -> str:
    missing = f"missing: {', '.join(name for name, _ in outcome.missing)}" if outcome.missing else ""
    if outcome.status == "missing":
        return missing
    if outcome.status == "bundled":
        return "; ".join(filter(None, (missing, f"the bundled result of {outcome.computed} is shown")))
    if outcome.status == "failed":
        return f"failed: {outcome.says}"
    return "as before, from an earlier run" if outcome.cached else f"done in {outcome.seconds:.1f} s"


def _show_list(exhibits: Sequence[Exhibit], inputs: Inputs, *, as_json: bool) -> None:
    from wordatoms.paper.report.bundled import read_bundled

    rows: list[dict[str, Any]] = [
        {
            "name": each.name,
            "title": each.title,
            "of_the_paper": each.is_paper,
            "needs": [need.name for need in each.needs],
            "missing": [{"what": need.name, "how": need.how} for need in each.missing(inputs)],
            "bundled": kept.computed if (kept := read_bundled(each)) else None,
            "shows_more_with": [need.name for need in each.helped_by],
        }
        for each in exhibits
    ]
    if as_json:
        show_json(rows)
        return
    cells = [
        [
            row["title"],
            row["name"],
            ", ".join(row["needs"]) or "nothing",
            ", ".join(each["what"] for each in row["missing"]) or "–",
            row["bundled"] or "–",
        ]
        for row in rows
    ]
    show_table(["table or figure", "name to type", "needs", "missing", "bundled result"], cells)
    hows = {each["what"]: each["how"] for row in rows for each in row["missing"]}
    for what, how in hows.items():
        click.echo(f"\n{what}: {how}")


def _show(outcomes: Sequence[Outcome], inputs: Inputs, folder: Path | None, given: dict[str, Any]) -> None:
    from wordatoms.paper.report.page import write_report
    from wordatoms.paper.report.runner import report_json
    from wordatoms.paper.report.tally import RULE, count_figures

    if folder:
        page = write_report(folder, outcomes, inputs)
        remark(f"the report is {page}", quiet=given["quiet"])
    if given["as_json"]:
        show_json(report_json(outcomes, inputs))
    elif not folder:
        for outcome in outcomes:
            _print(outcome)
        tally = count_figures(outcomes)
        if tally.numbers:
            click.echo("\n" + "\n".join([*tally.sentences(), RULE]))


def _print(outcome: Outcome) -> None:
    """An exhibit as tables."""
    from wordatoms.paper.exhibits.blocks import Table, compare_table
    from wordatoms.paper.report.bundled import describe_bundled

    click.echo(f"\n{outcome.exhibit.title}")
    if outcome.status == "bundled":
        click.echo(f"Bundled result. {describe_bundled(outcome)}")
    if outcome.status == "failed":
        click.echo(outcome.says)
    if outcome.missing:
        click.echo("To compute it here:" if outcome.numbers else "missing:")
    for what, how in outcome.missing:
        click.echo(f"  {what}: {how}")
    if outcome.numbers is None:
        return
    figures = outcome.figures
    tables = [compare_table(figures)] if figures else []
    tables += [block for block in outcome.exhibit.render(outcome.numbers) if isinstance(block, Table)]
    for table in tables:
        _print_table(table)
    click.echo(f"\n{outcome.exhibit.why(outcome.numbers)}")


def _print_table(table: Table) -> None:
    from wordatoms.paper.exhibits.blocks import format_cell

    click.echo(f"\n{table.caption}" if table.caption else "")
    rows = [
        [format_cell(value, column.digits) for value, column in zip(row.cells, table.columns, strict=True)]
        for row in table.rows
    ]
    show_table([column.name for column in table.columns], rows)

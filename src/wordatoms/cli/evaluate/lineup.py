"""Figure 1: the police lineup."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import show_result
from wordatoms.cli.evaluate.competing import asked_for, competing, learn_competitors
from wordatoms.cli.models import load_model
from wordatoms.cli.output import show_json, show_table

if TYPE_CHECKING:
    from wordatoms.paper.tasks.lineup.data import Testbed
    from wordatoms.paper.tasks.lineup.evaluate import LineupResult
    from wordatoms.paper.tasks.lineup.methods import VectorMethod
    from wordatoms.senses.model import SenseModel

SHOWN_IN_EXAMPLE = 6
"""Senses in the paper's example."""

testbed_option = click.option(
    "--testbed",
    "testbed_file",
    type=click.Path(dir_okay=False),
    help="A testbed of your own.  [default: the one that comes with the program]",
)


@click.command()
@options.model
@click.option("--with", "others", multiple=True, metavar="MODEL", help="Another model beside it; may be repeated.")
@competing
@testbed_option
@click.option(
    "--vectors",
    type=click.Choice(["word", "induced"]),
    help="Vectors of words.  [default: those that the atoms were learned from]",
)
@click.option("--raw", is_flag=True, help="Vectors of words as long as they are, not of length 1.")
@click.option("--remove-common", is_flag=True, help="Lists without the common direction of the model's map.")
@click.option("-n", "--shown", type=click.IntRange(2), help="Senses in a lineup.  [default: 20; with --show: 6]")
@click.option("-t", "--chosen", type=click.IntRange(1), default=4, show_default=True, help="Senses to choose.")
@click.option("--runs", type=click.IntRange(1), default=5, show_default=True, help="Runs with other lineups.")
@click.option("--show", metavar="WORD", help="Show one lineup, and nothing else.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False),
    help="Draw Figure 1 (.svg or .png): NAME.svg becomes NAME-a.svg and NAME-b.svg.",
)
@options.seed
@options.threads
@options.as_json
@options.quiet
def lineup(model: str, others: tuple[str, ...], plot: str | None, as_json: bool, **given: Any) -> None:
    """Figure 1: which of n lists of words are senses of this word?"""
    from wordatoms.paper.tasks.lineup.data import load_testbed
    from wordatoms.paper.tasks.lineup.evaluate import PAPER_N, Setting, evaluate_lineup
    from wordatoms.paper.tasks.lineup.methods import atoms_method
    from wordatoms.plots import check_plot

    if plot:
        check_plot(plot)
    testbed, models = load_testbed(given["testbed_file"]), _load_models((model, *others), asked_for(given))
    first = next(iter(models.values()))
    if given["show"]:
        _show_lineup(testbed, atoms_method(first, **_choices(given)), given, as_json=as_json)
        return
    methods = {name: atoms_method(opened, **_choices(given)) for name, opened in models.items()}
    methods |= _context_method(first, next(iter(models)), given)
    methods |= _competing_methods(first, testbed, given, quiet=given["quiet"] or as_json)
    result = evaluate_lineup(
        testbed,
        methods,
        headline=Setting(given["shown"] or PAPER_N, given["chosen"]),
        n_runs=given["runs"],
        random_state=given["seed"],
    )
    show_result(result, as_json=as_json)
    if not as_json:
        click.echo()
        rows = result.curve_rows()
        show_table(list(rows[0]), [list(row.values()) for row in rows])
    if plot:
        _draw(Path(plot), result)


def _load_models(paths: tuple[str, ...], taken: Collection[str]) -> dict[str, SenseModel]:
    """By the names of their folders, or by whole paths where a name is there twice or taken."""
    names = [Path(path).absolute().name for path in paths]
    if len({*names, *taken}) < len(names) + len(taken):
        names = [str(Path(path).resolve()) for path in paths]
    if len(set(names)) < len(names):
        raise click.UsageError("a model is given twice.")
    return {name: load_model(path) for name, path in zip(names, paths, strict=True)}


def _choices(given: dict[str, Any]) -> dict[str, Any]:
    return {"vectors": given["vectors"], "unit": not given["raw"], "remove_common": given["remove_common"]}


def _context_method(opened: SenseModel, name: str, given: dict[str, Any]) -> dict[str, VectorMethod]:
    """The variant that a model with a map allows."""
    from wordatoms.paper.tasks.lineup.methods import context_method

    if "map" not in opened.folder.stages:
        return {}
    return {f"{name}, lists read as contexts": context_method(opened, **_choices(given))}


def _competing_methods(
    opened: SenseModel, testbed: Testbed, given: dict[str, Any], *, quiet: bool
) -> dict[str, VectorMethod]:
    """Competitors with the word vectors of the model, in whose space their senses lie."""
    from wordatoms.paper.tasks.lineup.methods import inventory_method, lineup_sif
    from wordatoms.progress import Display

    words, sif = list(testbed), lineup_sif(opened, vectors="word", unit=not given["raw"])
    found = learn_competitors(opened, words, given, Display(quiet=quiet), space=sif.embeddings)
    return {
        name: inventory_method(inventory, sif, words, remove_common=given["remove_common"])
        for name, inventory in found.items()
    }


def _show_lineup(testbed: Testbed, method: VectorMethod, given: dict[str, Any], *, as_json: bool) -> None:
    """One lineup, as the paper's table has it."""
    from wordatoms.paper.tasks.lineup.data import draw_lineups
    from wordatoms.paper.tasks.lineup.methods import answer_lineups

    word, n = given["show"], given["shown"] or max(SHOWN_IN_EXAMPLE, len(testbed[given["show"]]))
    drawn = draw_lineups(testbed, n, words=[word], random_state=given["seed"])
    chosen = answer_lineups(method.score_all(testbed), testbed, drawn)[0, : given["chosen"]]
    rows = [
        {"sense": number, "true": bool(true), "chosen": sense in chosen, "related": testbed.senses[sense].related}
        for number, (sense, true) in enumerate(zip(drawn.senses[0], drawn.is_true[0], strict=True), 1)
    ]
    if as_json:
        show_json({"word": word, "senses": rows})
        return
    cells = [
        [row["sense"], "true" if row["true"] else "", "chosen" if row["chosen"] else "", " ".join(row["related"])]
        for row in rows
    ]
    show_table([word, "", "", "senses"], cells)


def _draw(path: Path, result: LineupResult) -> None:
    """Both panels, in files of their own."""
    from wordatoms.paper.tasks.lineup.evaluate import PAPER
    from wordatoms.plots import draw_lines

    draw_lines(
        path.with_stem(f"{path.stem}-a"),
        {**result.curves(), "the paper, t = 4": ([PAPER["recall"]], [PAPER["precision"]])},
        title=f"Police lineup, n = {result.headline.n}, t = 1 to 6 along each line",
        x_label="recall",
        y_label="precision",
        points=True,
    )
    draw_lines(
        path.with_stem(f"{path.stem}-b"),
        result.lines(),
        title=f"Police lineup, t = {result.headline.t}",
        x_label="senses shown, n",
        y_label="precision, recall",
        references={f"the paper's {name} at n = 20, t = 4": value for name, value in PAPER.items()},
        points=True,
    )

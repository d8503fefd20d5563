"""Table 1: centres of a word's contexts before and after the map A."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import plot, show_result
from wordatoms.cli.evaluate.induced import opened, text_option
from wordatoms.cli.models import load_embeddings
from wordatoms.cli.output import show_table

if TYPE_CHECKING:
    from wordatoms.paper.tasks.centers.evaluate import CentersResult


@click.command()
@options.model
@text_option
@click.option("--word", default="access", show_default=True, help="The word whose contexts are grouped.")
@click.option("-k", "--centers", "n_centers", type=click.IntRange(1), default=5, show_default=True, help="Groups.")
@click.option("--windows", "n_windows", type=click.IntRange(1), default=1000, show_default=True, help="Contexts.")
@click.option("-n", "--number", type=click.IntRange(1), default=4, show_default=True, help="Nearest words to show.")
@plot
@options.seed
@options.threads
@options.as_json
@options.quiet
def centers(model: str, text: tuple[str, ...], plot: str | None, as_json: bool, **given: Any) -> None:
    """Table 1: the centres of a word's contexts before and after the map A, and what A shrinks."""
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.paper.tasks.centers.evaluate import evaluate_centers
    from wordatoms.plots import check_plot
    from wordatoms.senses.parts import model_tokenizer
    from wordatoms.storage.folder import ModelFolder

    if plot:
        check_plot(plot)
    folder, embeddings = ModelFolder(model), load_embeddings(model)
    folder.require("map", f"run: wordatoms map {model}")
    run = options.local_run(given)
    with opened(folder, text, run) as corpus:
        result = evaluate_centers(
            embeddings,
            InducedMap.load(folder.path),
            corpus,
            word=given["word"],
            n_windows=given["n_windows"],
            n_centers=given["n_centers"],
            n_nearest=given["number"],
            tokenizer=model_tokenizer(folder),
            random_state=given["seed"],
            run=run,
        )
    show_result(result, as_json=as_json)
    if not as_json:
        click.echo()
        rows = result.direction_rows()
        show_table(list(rows[0]), [list(row.values()) for row in rows])
    if plot:
        _draw(plot, result, embeddings.method)


def _draw(path: str, result: CentersResult, method: str) -> None:
    from wordatoms.plots import draw_lines

    numbers = list(range(1, len(result.spectrum) + 1))
    draw_lines(
        path,
        {"A": (numbers, result.spectrum)},
        title=f"What the map A shrinks ({method})",
        x_label="singular value, by rank",
        y_label="size",
    )

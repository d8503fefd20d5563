"""`evaluate`: how good a model is, each task with its evidence and its baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_embeddings
from wordatoms.cli.output import show_json, show_table

if TYPE_CHECKING:
    from wordatoms.tasks.results import TaskResult

data = click.option(
    "--data",
    envvar="WORDATOMS_DATA",
    type=click.Path(),
    required=True,
    help="Folder with the data sets.  [default: $WORDATOMS_DATA]",
)


@click.group()
def evaluate() -> None:
    """Measure a model on a task."""


@evaluate.command()
@options.model
@data
@options.as_json
def similarity(model: str, data: str, as_json: bool) -> None:
    """Word similarity: Spearman correlation with people's ratings, for each set, with its coverage."""
    from wordatoms.tasks.similarity import evaluate_similarity

    _show(evaluate_similarity(load_embeddings(model), Path(data)), as_json=as_json)


@evaluate.command()
@options.model
@data
@options.as_json
@click.option("--max-words", type=click.IntRange(1), help="Look for answers among the most frequent words only.")
def analogy(model: str, data: str, as_json: bool, max_words: int | None) -> None:
    """Analogies: a is to b as c is to …, the share answered right, with its coverage."""
    from wordatoms.tasks.analogy import evaluate_analogy

    _show(evaluate_analogy(load_embeddings(model), Path(data), max_words=max_words), as_json=as_json)


def _show(result: TaskResult, *, as_json: bool) -> None:
    if as_json:
        show_json(result.to_json())
    else:
        show_table(*result.table())

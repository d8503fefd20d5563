"""How healthy the vectors themselves are: word similarity and analogies."""

from __future__ import annotations

from pathlib import Path

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import data, show_result
from wordatoms.cli.models import load_embeddings


@click.command()
@options.model
@data
@options.as_json
def similarity(model: str, data: str, as_json: bool) -> None:
    """Word similarity: Spearman correlation with people's ratings, for each set, with its coverage."""
    from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity

    show_result(evaluate_similarity(load_embeddings(model), Path(data)), as_json=as_json)


@click.command()
@options.model
@data
@options.as_json
@click.option("--max-words", type=click.IntRange(1), help="Look for answers among the most frequent words only.")
def analogy(model: str, data: str, as_json: bool, max_words: int | None) -> None:
    """Analogies: a is to b as c is to …, the share answered right, with its coverage."""
    from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy

    show_result(evaluate_analogy(load_embeddings(model), Path(data), max_words=max_words), as_json=as_json)

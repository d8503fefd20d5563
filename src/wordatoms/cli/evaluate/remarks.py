"""`evaluate remarks`: what the paper says in passing."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import show_result
from wordatoms.cli.models import load_model


@click.command()
@options.model
@options.seed
@options.threads
@options.as_json
def remarks(model: str, seed: int, threads: int | None, as_json: bool) -> None:
    """What the paper says in passing: atoms per discourse, likeness of discourses, signs of coefficients.

    Needs the stages map and atomize.
    """
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.paper.tasks.remarks.evaluate import evaluate_remarks
    from wordatoms.storage.folder import ModelFolder

    opened = load_model(model)
    ModelFolder(model).require("map", f"run: wordatoms map {model}")
    induced_map = InducedMap.load(opened.path)
    result = evaluate_remarks(opened.embeddings, opened.atoms, induced_map, random_state=seed, threads=threads)
    show_result(result, as_json=as_json)

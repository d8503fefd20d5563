"""`evaluate`: how good a model is, each task with its evidence and its baselines."""

from __future__ import annotations

import click

from wordatoms.cli.evaluate.centers import centers
from wordatoms.cli.evaluate.embeddings import analogy, similarity
from wordatoms.cli.evaluate.induced import induced
from wordatoms.cli.evaluate.lineup import lineup
from wordatoms.cli.evaluate.pseudowords import pseudowords
from wordatoms.cli.evaluate.remarks import remarks
from wordatoms.cli.evaluate.usages import scws, wsi
from wordatoms.cli.evaluate.walk import walk
from wordatoms.cli.evaluate.wordnet import wordnet

TASKS: list[click.Command] = [
    similarity,
    analogy,
    walk,
    centers,
    induced,
    pseudowords,
    wordnet,
    remarks,
    wsi,
    scws,
    lineup,
]


@click.group()
def evaluate() -> None:
    """Measure a model on a task."""


for _task in TASKS:
    evaluate.add_command(_task)

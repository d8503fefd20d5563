"""`similarity`: the cosine between two words, alone or in context."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import show_json


@click.command()
@click.argument("word1")
@click.argument("word2")
@click.option("--context1", metavar="TEXT", help="A text that contains WORD1.")
@click.option("--context2", metavar="TEXT", help="A text that contains WORD2.")
@options.model
@options.as_json
def similarity(word1: str, word2: str, context1: str | None, context2: str | None, model: str, as_json: bool) -> None:
    """Measure the similarity of two words, alone or in context.

    Prints the cosine of their vectors; with a context, the cosine of the senses that are meant there.
    """
    if context1 is None and context2 is None:
        from wordatoms.senses.parts import ModelParts

        opened = ModelParts(model)
        cosine = opened.embeddings.similarity(*(opened.find_spelling(word) or word for word in (word1, word2)))
    else:
        cosine = load_model(model).similarity(word1, word2, context1=context1, context2=context2)
    if as_json:
        show_json({"word1": word1, "word2": word2, "similarity": cosine})
    else:
        click.echo(f"{cosine:.4f}")

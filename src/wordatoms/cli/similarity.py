"""`similarity`: the cosine between two words, alone or in context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import show_json

if TYPE_CHECKING:
    from wordatoms.contexts.usages import Usage
    from wordatoms.text.tokenizer import Tokenizer


@click.command()
@click.argument("word1")
@click.argument("word2")
@click.option("--context1", metavar="TEXT", help="A text that contains WORD1.")
@click.option("--context2", metavar="TEXT", help="A text that contains WORD2.")
@options.mark
@options.model
@options.encoder
@options.as_json
def similarity(
    word1: str,
    word2: str,
    context1: str | None,
    context2: str | None,
    mark: str | None,
    model: str,
    encoder: str | None,
    as_json: bool,
) -> None:
    """Measure the similarity of two words or phrases, alone or in context.

    Prints the cosine of their vectors; with contexts, the similarity of what is meant there. A word with a
    context may be unknown, or several words such as "new york".
    """
    if context1 is None and context2 is None:
        from wordatoms.embeddings.embeddings import cosines
        from wordatoms.senses.parts import ModelParts

        opened = ModelParts(model)
        opened.folder.require_words()
        cosine = float(cosines(opened.vector(word1)[None], opened.vector(word2))[0])
    else:
        with_senses = load_model(model, encoder)
        places = [_place(text, mark, with_senses.tokenizer) for text in (context1, context2)]
        cosine = with_senses.similarity(word1, word2, context1=places[0], context2=places[1])
    if as_json:
        show_json({"word1": word1, "word2": word2, "similarity": cosine})
    else:
        click.echo(f"{cosine:.4f}")


def _place(text: str | None, mark: str | None, tokenizer: Tokenizer) -> str | Usage | None:
    """Return a context, or the marked place in it."""
    from wordatoms.contexts.usages import Usage

    return text if text is None or mark is None else Usage.from_marked(text, mark, tokenizer=tokenizer)

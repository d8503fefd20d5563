"""`nearest`: the words nearest to a word."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.output import show_json, show_table


@click.command()
@click.argument("words", metavar="WORD…", nargs=-1, required=True)
@options.model
@options.number
@options.as_json
def nearest(words: tuple[str, ...], model: str, number: int, as_json: bool) -> None:
    """List the words nearest to a word or a phrase, by cosine."""
    from wordatoms.senses.parts import ModelParts

    opened = ModelParts(model)
    known = [opened.find_spelling(word) or word for word in words if opened.find_phrase(word) is None]
    if len(known) > 1:
        opened.embeddings.lookup(known)  # names all unknown words in one message
    found = {word: opened.near_words(word, number) for word in words}
    if as_json:
        show_json(found)
        return
    for word, nearby in found.items():
        if len(words) > 1:
            click.echo(f"{word}:")
        show_table(["word", "cosine"], nearby)

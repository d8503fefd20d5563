"""`read`: the likeliest sense of every word of a text."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import list_words, show_json, show_table
from wordatoms.errors import InputError

N_NEAREST = 6
"""Nearest words shown of each sense."""


@click.command()
@click.argument("text")
@options.model
@options.as_json
def read(text: str, model: str, as_json: bool) -> None:
    """Find the likeliest sense of every word of TEXT.

    Function words and unknown words have none.
    """
    found = load_model(model).read(text)
    if not found:
        raise InputError("the text has no words; pass a sentence.")
    if as_json:
        show_json(found)
        return
    rows = [
        [
            word.text,
            word.sense.probability if word.sense else None,
            str(word.sense.atom) if word.sense else "",
            list_words(word.sense.nearest[:N_NEAREST]) if word.sense else "" if word.word else "(unknown)",
        ]
        for word in found
    ]
    show_table(["word", "probability", "atom", "nearest words"], rows)

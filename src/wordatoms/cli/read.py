"""`read`: the likeliest sense of every word of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import list_words, show_json, show_table
from wordatoms.errors import InputError
from wordatoms.senses.results import NONE_OF_THESE

if TYPE_CHECKING:
    from wordatoms.senses.model import Method
    from wordatoms.senses.reading import TextWord

N_NEAREST = 6
"""Nearest words shown of each sense."""


@click.command()
@click.argument("text")
@options.model
@options.method
@options.as_json
def read(text: str, model: str, method: Method, as_json: bool) -> None:
    """Find the likeliest sense of every word of TEXT.

    Function words and unknown words have none.
    """
    found = load_model(model).read(text, method=method)
    if not found:
        raise InputError("the text has no words; pass a sentence.")
    if as_json:
        show_json(found)
        return
    show_table(["word", "probability", "sense", "nearest words"], [_row(word) for word in found])


def _row(word: TextWord) -> list[str | float | None]:
    sense = word.sense
    if sense is None:
        return [word.text, None, "", "" if word.word else "(unknown)"]
    if word.verdict == NONE_OF_THESE:
        return [word.text, word.p_none, word.verdict, ""]
    return [word.text, sense.probability, word.verdict, list_words(sense.nearest[:N_NEAREST])]

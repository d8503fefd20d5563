"""`compare`: the senses of one word in two models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import find_model, load_model
from wordatoms.cli.output import list_words, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.senses.comparison import ComparedSense, Comparison
    from wordatoms.senses.model import Method

N_SHOWN = 6
"""Nearest words in a column."""


@click.command()
@click.argument("model1")
@click.argument("model2")
@click.argument("word")
@click.option("--forms", is_flag=True, help="Pool the inflected forms: tie, ties, tied, tying.")
@options.method
@options.number
@options.as_json
def compare(model1: str, model2: str, word: str, forms: bool, method: Method, number: int, as_json: bool) -> None:
    """Compare the senses of WORD in two models.

    MODEL1 and MODEL2 are folders; "english" is the bundled English model, unless a folder has this name. Matching
    senses are shown in one row with their similarity, followed by the senses that only one model has. Senses by use
    have their share of the uses, senses from the code their weight.
    """
    from wordatoms.senses.comparison import compare_senses
    from wordatoms.senses.results import to_json

    first, second = (load_model(find_model(model)) for model in (model1, model2))
    found = compare_senses(first, second, word, forms=forms, method=method, n_nearest=number, n_near_words=number)
    if as_json:
        show_json({"models": [model1, model2], **to_json(found)})
    else:
        _show(found, (model1, model2))


def _show(found: Comparison, models: tuple[str, str]) -> None:
    first, second = ({sense.key: sense for sense in senses} for senses in found.senses)
    rows = [[pair.similarity, *_cells(first, pair.first), *_cells(second, pair.second)] for pair in found.pairs]
    names = [
        model if known else f"{model} (does not know it)" for model, known in zip(models, found.known, strict=True)
    ]
    click.echo(found.word)
    numbers = ["share" if any(sense.sense is not None for sense in senses) else "weight" for senses in found.senses]
    show_table(["alike", numbers[0], names[0], numbers[1], names[1]], rows)
    for model, near in zip(models, found.nearest, strict=True):
        if near:
            click.echo(f"nearest in {model}: {list_words(near)}")


def _cells(senses: Mapping[int, ComparedSense], key: int | None) -> list[Any]:
    if key is None:
        return [None, ""]
    sense = senses[key]
    words = list_words(sense.nearest[:N_SHOWN], name=sense.label if sense.named else "")
    atom = f"{sense.atom}: " if sense.atom >= 0 else ""
    return [sense.weight if sense.share is None else sense.share, f"{atom}{words}"]

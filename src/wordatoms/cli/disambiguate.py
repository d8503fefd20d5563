"""`disambiguate`: which sense of a word is meant in a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, list_words, remark, show_json, show_table
from wordatoms.cli.texts import open_lines
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.results import Disambiguation

N_NEAREST = 8
"""Nearest words shown of each sense."""


@click.command()
@click.argument("word")
@click.argument("text", required=False)
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="File with one text per line instead of TEXT; - is standard input.",
)
@options.model
@click.option("-n", "--number", type=click.IntRange(1), default=3, help="Senses to show.")
@options.as_json
@options.quiet
def disambiguate(
    word: str,
    text: str | None,
    path: str | None,
    model: str,
    number: int,
    as_json: bool,
    quiet: bool,  # noqa: ARG001 (`remark` reads it)
) -> None:
    """Find which sense of WORD is meant in TEXT.

    Shows, for every occurrence of WORD in any inflected form, its most probable senses and the words of the text that
    speak for the first of them. With --file, prints one row per occurrence, or with --json one JSON object per line.
    """
    if (text is None) == (path is None):
        raise click.UsageError("pass either TEXT, or --file with one text per line.")
    opened = load_model(model)
    if text is not None:
        _show_answers(opened.disambiguate(word, text), number, as_json=as_json)
    else:
        _show_lines(opened, word, str(path), number, as_json=as_json)


def _show_answers(answers: list[Disambiguation], number: int, *, as_json: bool) -> None:
    if as_json:
        show_json([_record(answer, number) for answer in answers])
        return
    for place, answer in enumerate(answers):
        if len(answers) > 1:
            click.echo(("\n" if place else "") + f"{answer.form}, word {answer.position + 1}:")
        rows = [
            [meaning.probability, str(meaning.atom), meaning.label, list_words(meaning.nearest[:N_NEAREST])]
            for meaning in answer.meanings[:number]
        ]
        show_table(["probability", "atom", "label", "nearest words"], rows)
        if answer.deciding:
            click.echo("decided by: " + ", ".join(f"{pull.word} ({pull.pull:.1f})" for pull in answer.deciding))
        elif not answer.n_known:
            remark(f"no word around {answer.form!r} is known; these are the senses of the word alone.")


def _show_lines(opened: SenseModel, word: str, path: str, number: int, *, as_json: bool) -> None:
    """Show one row per occurrence, as soon as its line is read."""
    n_with = n_without = 0
    with open_lines(path) as lines:
        for line, answers in enumerate(opened.disambiguate_each(word, lines), 1):
            if answers and not n_with and not as_json:
                click.echo("line\tform\tprobability\tatom\tlabel\tdecided by")
            n_with, n_without = n_with + bool(answers), n_without + (not answers)
            for answer in answers:
                if as_json:
                    show_json({"line": line, **_record(answer, number)}, indent=None)
                else:
                    click.echo(_row(line, answer))
    if not n_with:
        raise InputError(f"no line of {path} contains a form of {word!r}; pass texts with the word, one per line.")
    if n_without:
        remark(f"{counted(n_without, 'line')} without any form of {word!r}")


def _row(line: int, answer: Disambiguation) -> str:
    sense, deciding = answer.sense, " ".join(pull.word for pull in answer.deciding)
    return f"{line}\t{answer.form}\t{sense.probability:.3f}\t{sense.atom}\t{sense.label}\t{deciding}"


def _record(answer: Disambiguation, number: int) -> dict[str, Any]:
    """An answer for JSON, with its first senses and only the words of their neighbours."""
    senses = [
        {**vars(meaning), "nearest": [near.word for near in meaning.nearest]} for meaning in answer.meanings[:number]
    ]
    names = ("word", "form", "position", "n_known")
    return {**{name: getattr(answer, name) for name in names}, "senses": senses, "deciding": answer.deciding}

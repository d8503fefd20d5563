"""`disambiguate`: which sense of a word is meant in a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import tee
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, list_words, remark, show_json, show_table
from wordatoms.cli.texts import marked_places, open_lines
from wordatoms.errors import InputError
from wordatoms.senses.results import NONE_OF_THESE, NOT_ENOUGH_CONTEXT

if TYPE_CHECKING:
    from wordatoms.contexts.usages import Usage
    from wordatoms.senses.model import Method, SenseModel
    from wordatoms.senses.results import Disambiguation, Meaning

N_NEAREST = 8
"""Nearest words shown of each sense."""


@click.command()
@click.argument("word")
@click.argument("text", required=False)
@click.option(
    "--file",
    "path",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    help="File with one text per line instead of TEXT; - is standard input. A table needs --column.",
)
@options.context_column
@options.mark
@options.model
@options.encoder
@options.method
@click.option("-n", "--number", type=click.IntRange(1), default=3, help="Senses to show.")
@options.as_json
@options.quiet
def disambiguate(
    word: str,
    text: str | None,
    path: str | None,
    column: str | None,
    mark: str | None,
    model: str,
    encoder: str | None,
    method: Method,
    number: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find which sense of WORD is meant in TEXT.

    Shows, for every occurrence of WORD in any inflected form, its most probable senses and the words of the text that
    speak for the first of them. It also says if the context tells nothing, or fits none of the senses. With --file,
    prints one row per occurrence, or with --json one JSON object per line.
    WORD may be unknown, or several words such as "new york"; its contexts then suggest the senses.
    """
    if (text is None) == (path is None):
        raise click.UsageError("pass either TEXT, or --file with one text per line.")
    if column and path is None:
        raise click.UsageError("--column names a column of a table; pass the table with --file.")
    opened = load_model(model, encoder, options.local_run({"quiet": quiet, "as_json": as_json}))
    if text is None:
        with open_lines(str(path), column) as lines:
            _show_lines(opened, word, lines, str(path), number, mark, method, as_json=as_json)
    elif mark is None:
        _show_answers(opened.disambiguate(word, text, method=method), number, as_json=as_json)
    else:
        places = marked_places([text], mark, opened.tokenizer)
        answers = [answer for _, usage in places for answer in opened.disambiguate(word, usage, method=method)]
        if not answers:
            raise InputError(f"no word of the text is marked by {mark!r}; write the marks around the word.")
        _show_answers(answers, number, as_json=as_json)
    if not opened.knows(word) and not opened.is_observed_phrase(word, method=method):
        remark(f"{word!r} is not a word of the model; these are the atoms that its contexts suggest.")


def _show_answers(answers: list[Disambiguation], number: int, *, as_json: bool) -> None:
    if as_json:
        show_json([_record(answer, number) for answer in answers])
        return
    for place, answer in enumerate(answers):
        if len(answers) > 1:
            click.echo(("\n" if place else "") + f"{answer.form}, word {answer.position + 1}:")
        rows = [
            [meaning.probability, _atom(meaning), meaning.label, list_words(meaning.nearest[:N_NEAREST])]
            for meaning in answer.meanings[:number]
        ]
        if answer.p_none:
            rows.append([answer.p_none, "–", NONE_OF_THESE, ""])
            rows.sort(key=lambda row: -float(str(row[0])))
        show_table(["probability", "atom", "label", "nearest words"], rows)
        if answer.tells_nothing:
            click.echo(f"{NOT_ENOUGH_CONTEXT}: these are the shares of the uses")
        elif answer.deciding:
            click.echo("decided by: " + ", ".join(f"{pull.word} ({pull.pull:.1f})" for pull in answer.deciding))
        elif not answer.n_known:
            remark(f"no word around {answer.form!r} is known; these are the senses of the word alone.")


def _show_lines(
    opened: SenseModel,
    word: str,
    lines: Iterator[str],
    path: str,
    number: int,
    mark: str | None,
    method: Method,
    *,
    as_json: bool,
) -> None:
    """Show one row per occurrence, as soon as its line is read."""
    n_with = n_without = 0
    places: Iterable[tuple[int, str | Usage]]
    places = enumerate(lines) if mark is None else marked_places(lines, mark, opened.tokenizer)
    numbers, texts = tee(places)
    found = opened.disambiguate_each(word, (text for _, text in texts), method=method)
    for (line, _), answers in zip(((at + 1, text) for at, text in numbers), found, strict=True):
        if answers and not n_with and not as_json:
            click.echo("line\tform\tprobability\tatom\tlabel\tdecided by")
        n_with, n_without = n_with + bool(answers), n_without + (not answers)
        for answer in answers:
            if as_json:
                show_json({"line": line, **_record(answer, number)}, indent=None)
            else:
                click.echo(_row(line, answer))
    if not n_with:
        opened.check_findable(word)
        raise InputError(f"no line of {path} contains a form of {word!r}; pass texts with the word, one per line.")
    if n_without:
        remark(f"{counted(n_without, 'line')} without any form of {word!r}")


def _row(line: int, answer: Disambiguation) -> str:
    sense, deciding = answer.sense, " ".join(pull.word for pull in answer.deciding)
    p, atom = (answer.p_none, "–") if answer.verdict == NONE_OF_THESE else (sense.probability, _atom(sense))
    return f"{line}\t{answer.form}\t{p:.3f}\t{atom}\t{answer.verdict}\t{deciding}"


def _atom(meaning: Meaning) -> str:
    return str(meaning.atom) if meaning.atom >= 0 else "–"


def _record(answer: Disambiguation, number: int) -> dict[str, Any]:
    """An answer for JSON, with its first senses and only the words of their neighbours."""
    senses = [
        {**vars(meaning), "nearest": [near.word for near in meaning.nearest]} for meaning in answer.meanings[:number]
    ]
    names = ("word", "form", "position", "n_known", "p_none", "tells_nothing", "verdict")
    return {**{name: getattr(answer, name) for name in names}, "senses": senses, "deciding": answer.deciding}

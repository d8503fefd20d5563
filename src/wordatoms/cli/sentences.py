"""`sentences`: representative sentences for each sense of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import show_json

if TYPE_CHECKING:
    from wordatoms.senses.sentences import SenseSentences

INDENT = " " * 9


@click.command()
@click.argument("word")
@click.argument("more_text", metavar="[TEXT]…", nargs=-1)
@click.option(
    "--corpus",
    metavar="TEXT",
    multiple=True,
    help="Text to search: files, folders, patterns, or - for standard input; may be repeated.",
)
@options.model
@click.option("-n", "--number", type=click.IntRange(1), default=3, show_default=True, help="Sentences per sense.")
@click.option("--forms/--no-forms", default=True, show_default=True, help="Include inflected forms: tie, ties, tied.")
@click.option(
    "--rank",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Number of directions that represent a sentence.",
)
@click.option("--plain", is_flag=True, help="Weight all words equally, as in the paper, instead of by SIF.")
@click.option("--include-target", is_flag=True, help="Include the word itself in its sentences.")
@click.option(
    "--words",
    "lengths",
    type=options.NumberRange(),
    default="5-60",
    show_default=True,
    help="Allowed number of other known words in a sentence.",
)
@options.replace_invalid
@options.threads
@options.as_json
@options.quiet
def sentences(
    word: str,
    more_text: tuple[str, ...],
    corpus: tuple[str, ...],
    model: str,
    number: int,
    forms: bool,
    rank: int,
    plain: bool,
    include_target: bool,
    lengths: tuple[int, int],
    replace_invalid: bool,
    threads: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Find representative sentences for each sense of a word.

    Several texts may follow one --corpus, as in --corpus part-*.txt. A sentence is listed under the sense that it fits
    best, with its score (the cosine of sentence and atom), its file and its line.
    """
    from wordatoms.contexts.sif import DEFAULT_A
    from wordatoms.progress import Display
    from wordatoms.run import Run
    from wordatoms.senses.sentences import representative_sentences

    if not corpus:
        raise click.UsageError("Missing option '--corpus'.")
    opened = load_model(model)
    found = representative_sentences(
        opened,
        word,
        [*corpus, *more_text],
        n=number,
        forms=forms,
        rank=rank,
        a=float("inf") if plain else DEFAULT_A,
        include_target=include_target,
        shortest=lengths[0],
        longest=lengths[1],
        replace_invalid=replace_invalid,
        run=Run(threads=threads, progress=Display(quiet=quiet)),
    )
    if as_json:
        show_json({"word": found[0].sense.word, "senses": found})
    else:
        _show(found, opened.forms(found[0].sense.word) if forms else [word])


def _show(found: Sequence[SenseSentences], forms: Iterable[str]) -> None:
    target = re.compile(rf"\b(?:{'|'.join(map(re.escape, forms))})\b", re.IGNORECASE)
    n_sentences = sum(each.n_sentences for each in found)
    click.echo(f"{found[0].sense.word}: {n_sentences:,} sentences")
    for each in found:
        click.echo("\n".join(_lines(each, target)))


def _lines(found: SenseSentences, target: re.Pattern[str]) -> list[str]:
    sense = found.sense
    only_in = "" if sense.word in sense.forms else f", in {', '.join(sense.forms)}"
    lines = [f"\n  {sense.weight:5.2f}  atom {sense.atom}: {sense.label} ({found.n_sentences:,} sentences{only_in})"]
    for sentence in found.sentences:
        # Bold at a terminal; click removes the codes in a pipe.
        text = target.sub(lambda match: click.style(match[0], bold=True), sentence.text)
        lines.append(f"{INDENT}{sentence.score:.2f}  {text} [{sentence.source}:{sentence.line}]")
    return lines if found.sentences else [*lines, f"{INDENT}no sentence fits it best"]

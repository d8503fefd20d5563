"""`sentences`: for each sense of a word, the sentences of a text that show it best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, highlight, show_json

if TYPE_CHECKING:
    from wordatoms.senses.results import Sense
    from wordatoms.senses.sentences import SenseSentences

INDENT = " " * 9
PASSED_ON = ("forms", "method", "rank", "include_target", "column", "names", "replace_invalid")
"""Options that have the names of parameters."""


@click.command()
@click.argument("word")
@click.argument("more_text", metavar="[TEXT]…", nargs=-1)
@click.option(
    "--corpus",
    metavar="TEXT",
    multiple=True,
    help="Text to search: files, folders, globs, or - for standard input; may be repeated.",
)
@options.model
@options.encoder
@click.option("-n", "--number", type=click.IntRange(1), default=3, help="Sentences per sense.")
@click.option("--forms/--no-forms", default=True, help="Include inflected forms: tie, ties, tied.")
@options.method
@click.option(
    "--rank", type=click.IntRange(1), default=3, help="Directions that represent a sentence, with --method code."
)
@click.option(
    "--plain", is_flag=True, help="Weight all words equally, as the paper does, instead of by SIF, with --method code."
)
@click.option(
    "--include-target",
    is_flag=True,
    help="Count the word itself among the words of its sentences, with --method code.",
)
@click.option(
    "--words", "lengths", type=options.RANGE, default="5-60", help="How many other known words a sentence may have."
)
@options.column
@options.row_names
@options.replace_invalid
@options.threads
@options.as_json
@options.quiet
def sentences(
    word: str, more_text: tuple[str, ...], corpus: tuple[str, ...], model: str, as_json: bool, **given: Any
) -> None:
    """Find the sentences that best show each sense of WORD.

    More texts may follow --corpus, as in --corpus part-*.txt. A sentence is listed under the sense that is the
    likeliest in it, if there is one, with its score (how typical it is of the sense), its file and its line, or its row
    in a table. A model whose text was not observed, and --method code, have the paper's senses instead: a sentence is
    listed under the atom that it is nearest to.
    """
    from wordatoms.contexts.sif import DEFAULT_A
    from wordatoms.senses.sentences import representative_sentences

    if not corpus:
        raise click.UsageError("Missing option '--corpus'.")
    options.check_row_names(given)
    run = options.local_run({**given, "as_json": as_json})
    opened = load_model(model, given["encoder"], run)
    found = representative_sentences(
        opened,
        word,
        [*corpus, *more_text],
        n=given["number"],
        a=float("inf") if given["plain"] else DEFAULT_A,
        shortest=given["lengths"][0],
        longest=given["lengths"][1],
        run=run,
        **{name: given[name] for name in PASSED_ON},
    )
    if as_json:
        show_json({"word": found[0].sense.word, "senses": found})
    else:
        _show(found)


def _show(found: Sequence[SenseSentences]) -> None:
    click.echo(f"{found[0].sense.word}: {counted(sum(each.n_sentences for each in found), 'sentence')}")
    for each in found:
        sense = each.sense
        only_in = "" if sense.word in sense.forms else f", in {', '.join(sense.forms)}"
        click.echo(f"\n  {_importance(sense)}{sense.label} ({counted(each.n_sentences, 'sentence')}{only_in})")
        for sentence in each.sentences:
            text = highlight(sentence.text, sentence.start, sentence.end)
            place = f"{sentence.source}:{sentence.line}" if sentence.row_name is None else sentence.row_name
            click.echo(f"{INDENT}{sentence.score:.2f}  {text} [{place}]")
        if not each.sentences:
            click.echo(f"{INDENT}no sentence fits it best")


def _importance(sense: Sense) -> str:
    """The share or the weight of a sense, and its atom if it has one."""
    atom = f"atom {sense.atom}: " if sense.atom >= 0 else ""
    return f"{sense.weight if sense.share is None else sense.share:5.2f}  {atom}"

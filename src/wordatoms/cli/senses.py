"""`senses`: the senses of words, and which of them a person picked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, highlight, list_words, remark, show_json, show_table

if TYPE_CHECKING:
    from wordatoms.senses.examples import Example
    from wordatoms.senses.model import Method, SenseModel
    from wordatoms.senses.results import Candidate, Sense

INDENT = " " * 19
N_FORMS, LIGHTEST_FORM = 3, 0.05
"""Senses of other forms shown by default, and their minimum weight: those of *ties* (between countries) after *tie*."""


@click.command()
@click.argument("words", metavar="WORD…", nargs=-1, required=True)
@options.model
@options.number
@options.method
@click.option("--forms", is_flag=True, help="Pool the inflected forms: tie, ties, tied, tying.")
@click.option(
    "--examples/--no-examples",
    default=True,
    help="Quote an example of each sense by use from the text of the model, if it is still there.",
)
@click.option(
    "--candidates", type=click.IntRange(1), metavar="N", help="Show the N closest atoms instead, to pick senses from."
)
@click.option("--pick", type=int, multiple=True, metavar="ATOM", help="Keep this atom as a sense; may be repeated.")
@click.option("--unpick", is_flag=True, help="Drop the picks and return to the automatic senses.")
@options.as_json
def senses(
    words: tuple[str, ...],
    model: str,
    number: int,
    method: Method,
    forms: bool,
    examples: bool,
    candidates: int | None,
    pick: tuple[int, ...],
    unpick: bool,
    as_json: bool,
) -> None:
    """Show the senses of words.

    Each sense has its share of the uses of the word, its atom, the words nearest to the sense, other words that have a
    sense in the atom, and an example: one that comes with the model, or one from its text, if that is still there. A
    model whose text was not observed, and --method code, have the paper's senses instead: the atoms of the word's code
    with their weights. To choose the senses of a word yourself, list the closest atoms with --candidates and keep the
    right ones with --pick; picks are saved in the model's folder and shown from then on.
    """
    if pick and unpick:
        raise click.UsageError("--pick and --unpick are mutually exclusive.")
    opened = load_model(model)
    for word in words:
        opened.parts.check_known(word)  # unknown words are reported before anything is shown or saved
    if pick or unpick:
        _save_picks(opened, words, pick)
    if candidates:
        closest = {word: opened.candidates(word, candidates, n_nearest=number) for word in words}
        show_json(closest) if as_json else _show_candidates(closest)
        return
    shown: dict[str, Any] = {"method": method, "n_nearest": number, "n_linked": number}
    found = {word: opened.senses(word, forms=forms, **shown) for word in words}
    if as_json:
        show_json({word: _records(opened, items, forms=forms, examples=examples) for word, items in found.items()})
        return
    for place, (word, items) in enumerate(found.items()):
        click.echo(("\n" if place else "") + word)
        of_forms = [] if forms else _senses_of_forms(opened, word, shown)
        quoted = _examples(opened, items, forms=forms) if examples else {}
        of_others = _examples(opened, of_forms, forms=True) if examples else {}
        _show_senses(items, of_forms, {**of_others, **quoted})


def _examples(model: SenseModel, senses: Sequence[Sense], *, forms: bool) -> dict[int | None, Example]:
    """An example for each sense by use that the text of the model shows."""
    if not any(sense.sense is not None for sense in senses):
        return {}
    return {example.sense: example for example in model.examples(senses[0].word, forms=forms)}


def _records(model: SenseModel, senses: Sequence[Sense], *, forms: bool, examples: bool) -> list[Any]:
    """The senses for JSON; those by use with a list of examples, unless there should be none."""
    from wordatoms.senses.results import to_json

    quoted = _examples(model, senses, forms=forms) if examples else {}
    return [
        {**to_json(sense), "examples": to_json([quoted[sense.sense]] if sense.sense in quoted else [])}
        if examples and sense.sense is not None
        else to_json(sense)
        for sense in senses
    ]


def _save_picks(model: SenseModel, words: Sequence[str], atoms: tuple[int, ...]) -> None:
    from wordatoms.storage.bundled import notes_folder

    if len(words) > 1:
        raise click.UsageError("--pick and --unpick take one word at a time.")
    model.pick(words[0], atoms)
    done = f"picked {counted(len(atoms), 'atom')} for" if atoms else "dropped the picks of"
    remark(f"{notes_folder(model.path)}: {done} '{words[0]}'")


def _senses_of_forms(model: SenseModel, word: str, shown: dict[str, Any]) -> list[Sense]:
    found = model.senses_of_forms(word, N_FORMS, **shown)
    return [sense for sense in found if _importance(sense) >= LIGHTEST_FORM]


def _importance(sense: Sense) -> float:
    return sense.weight if sense.share is None else sense.share


def _show_senses(items: list[Sense], of_forms: list[Sense], quoted: Mapping[int | None, Example]) -> None:
    shown = [sense for sense in items if not sense.is_minor] or items
    for sense in shown:
        _show_sense(sense, quoted.get(sense.sense))
    if len(shown) < len(items):
        click.echo(f"  and {len(items) - len(shown)} smaller ones, shown by --json")
    if not items:
        click.echo("  no senses: no atom has a positive weight, or the text shows too few uses")
    if of_forms:
        click.echo("  in other forms (--forms shows all, weighted by how often each form occurs):")
    for sense in of_forms:
        _show_sense(sense, quoted.get(sense.sense))


def _show_sense(sense: Sense, example: Example | None) -> None:
    near = {each.word for each in sense.nearest}
    linked = [link.word for link in sense.linked if link.word not in near]
    atom = f"atom {sense.atom}" if sense.atom >= 0 else "general" if sense.is_general else "no atom"
    if sense.listed:
        click.echo(f"  {_importance(sense):5.2f}  {sense.label}")
        click.echo(f"{INDENT}{list_words(sense.nearest)}")
        click.echo(f"{INDENT}{atom}" + (f" [{sense.atom_label}]" if sense.atom >= 0 else ""))
    else:
        words = list_words(sense.nearest, name=sense.label if sense.named else "")
        click.echo(f"  {_importance(sense):5.2f}  {atom:<10} {words}")
    if set(sense.forms) != {sense.word}:
        click.echo(f"{INDENT}in {', '.join(sense.forms)}")
    if linked:
        click.echo(f"{INDENT}also a sense of {', '.join(linked)}")
    if example is not None:
        click.echo(f"{INDENT}“{highlight(example.text, example.start, example.end)}”")


def _show_candidates(found: Mapping[str, Sequence[Candidate]]) -> None:
    for word, items in found.items():
        click.echo(word)
        rows = [
            [
                "*" if each.picked else "",
                str(each.atom),
                each.similarity,
                each.weight,
                list_words(each.nearest, name=each.label if each.named else ""),
            ]
            for each in items
        ]
        show_table(["", "atom", "cosine", "weight", "nearest words"], rows)

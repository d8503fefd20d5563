"""`observe --encoder`: atoms of an encoder's states of some words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import find_model, load_model
from wordatoms.cli.output import highlight, show_json
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.contextual_atoms import Agreement, ContextualAtoms
    from wordatoms.senses.model import SenseModel

N_SHOWN = 20
"""Atoms shown, unless --json asks for all."""


def show_contextual_atoms(model: str, text: tuple[str, ...], n_occurrences: int | None, given: dict[str, Any]) -> None:
    """Learn and print the atoms of the states of an encoder."""
    from wordatoms.senses.contextual_atoms import N_OCCURRENCES, contextual_atoms
    from wordatoms.text.documents import read_column, read_lines

    if not text:
        raise click.UsageError("--encoder reads a sample of a text; pass it with --text.")
    run = options.local_run({**given, "quiet": given["quiet"] or given["as_json"]})
    opened = load_model(find_model(model), given["encoder"], run)
    column = given["column"]
    found = contextual_atoms(
        opened,
        (line for _, line in (read_column(text, column) if column else read_lines(text))),
        _words(opened, given["words"]),
        n_occurrences=n_occurrences or N_OCCURRENCES,
        n_atoms=given["n_states_atoms"],
        keep_words=given["keep_words"],
        random_state=given["seed"],
        run=run,
    )
    if given["as_json"]:
        show_json(found)
    else:
        _show(found)


def _words(opened: SenseModel, words: str | None) -> list[str]:
    """Return the words that a person named: with commas, in a file, or as a number of the most ambiguous ones."""
    from wordatoms.cli.texts import read_lines
    from wordatoms.senses.contextual_atoms import N_WORDS, most_ambiguous

    if words is None or (words.isascii() and words.isdigit() and int(words)):
        return most_ambiguous(opened, int(words or N_WORDS))
    listed = read_lines(words) if Path(words).is_file() else words.split(",")
    named = [word.strip() for word in listed if word.strip()]
    if not named:
        raise InputError(f"--words {words!r} names no word; pass words with commas between them, or a file.")
    return named


def _show(found: ContextualAtoms) -> None:
    click.echo(
        f"{found.n_occurrences:,} occurrences of {len(found.words):,} words, {found.n_told:,} read by our senses"
    )
    click.echo(
        f"variance of the states: {found.by_word:.1%} by word and form; of the rest {found.by_sense:.1%} by sense"
    )
    click.echo(f"{len(found.atoms):,} contextual atoms explain {found.explained:.1%}")
    click.echo(
        "pairs that agree, with one contextual atom and overall: of one word in the sense "
        f"{_pairs(found.same_word)}, of different words in the discourse atom {_pairs(found.different_words)}"
    )
    for atom in found.atoms[:N_SHOWN]:
        words = " ".join(f"{word} ({n:,})" for word, n in atom.words)
        more = f" and {atom.n_words - len(atom.words)} more" if atom.n_words > len(atom.words) else ""
        click.echo(f"\ncontextual atom {atom.number}: {atom.n_occurrences:,} occurrences, {words}{more}")
        for each in atom.coincides:
            click.echo(
                f"  {each.share:.2f}  atom {each.atom}: {each.label} ({each.lift:.1f} times as often as overall)"
            )
        for example in atom.examples:
            text = " ".join(highlight(example.text, example.start, example.end).split())
            click.echo(f"        {text} [{example.sense or 'not told'}]")


def _pairs(agreement: Agreement) -> str:
    together, overall = (("–" if each is None else f"{each:.1%}") for each in agreement)
    return f"{together} and {overall}"

"""`senses` and `atoms`: the senses of words, and the atoms that words share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json, show_table
from wordatoms.storage.bundled import notes_folder

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Neighbour
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.results import AtomView, Candidate, Sense

INDENT = " " * 19
SHOWN_OF_FORMS, LIGHTEST_OF_FORMS = 3, 0.05
"""Number and smallest weight of senses of other forms shown without --forms, such as *ties* between countries."""


@click.command()
@click.argument("words", metavar="WORD…", nargs=-1, required=True)
@options.model
@options.number
@click.option("--forms", is_flag=True, help="Include inflected forms: tie, ties, tied, tying.")
@click.option(
    "--candidates", type=click.IntRange(1), metavar="N", help="Show the N closest atoms, from which to pick senses."
)
@click.option("--pick", type=int, multiple=True, metavar="ATOM", help="Select this atom as a sense; may be repeated.")
@click.option("--unpick", is_flag=True, help="Remove the picks and return to the automatic senses.")
@options.as_json
def senses(
    words: tuple[str, ...],
    model: str,
    number: int,
    forms: bool,
    candidates: int | None,
    pick: tuple[int, ...],
    unpick: bool,
    as_json: bool,
) -> None:
    """Show the senses of words.

    Each sense has a weight, an atom, the words nearest to the atom, and other words that have a sense in it. To correct
    the senses by hand, list the closest atoms with --candidates and select the right ones with --pick. Picks are stored
    in the model folder and used from then on.
    """
    if pick and unpick:
        raise click.UsageError("--pick and --unpick are mutually exclusive.")
    opened = load_model(model)
    for word in words:
        opened.row(word)  # report an unknown word before anything is shown or stored
    if pick or unpick:
        _keep_picks(opened, words, pick)
    if candidates:
        closest = {word: opened.candidates(word, candidates, n_nearest=number) for word in words}
        _show_candidates(closest, as_json=as_json)
    else:
        found = {word: opened.senses(word, forms=forms, n_nearest=number, n_linked=number) for word in words}
        others = {} if forms or as_json else {word: _other_forms(opened, word, number) for word in words}
        _show_senses(found, others, as_json=as_json)


def _other_forms(model: SenseModel, word: str, number: int) -> list[Sense]:
    found = model.senses_of_forms(word, SHOWN_OF_FORMS, n_nearest=number, n_linked=number)
    return [sense for sense in found if sense.weight >= LIGHTEST_OF_FORMS]


def _keep_picks(model: SenseModel, words: Sequence[str], atoms: tuple[int, ...]) -> None:
    if len(words) > 1:
        raise click.UsageError("--pick and --unpick work on one word at a time.")
    model.pick(words[0], atoms)
    done = f"picked {counted(len(atoms), 'atom')} for" if atoms else "removed the picks of"
    remark(f"{notes_folder(model.path)}: {done} '{words[0]}'", quiet=False)


def _show_senses(found: dict[str, list[Sense]], others: dict[str, list[Sense]], *, as_json: bool) -> None:
    from wordatoms.senses.results import LIGHTEST

    if as_json:
        show_json(found)
        return
    for place, (word, items) in enumerate(found.items()):
        click.echo(("\n" if place else "") + word)
        shown = [sense for sense in items if sense.weight >= LIGHTEST or sense.picked] or items
        for sense in shown:
            click.echo("\n".join(_sense_lines(sense)))
        if len(shown) < len(items):
            click.echo(f"  and {len(items) - len(shown)} of a weight below {LIGHTEST}, in --json")
        if not items:
            click.echo("  no atom has a positive weight")
        if others.get(word):
            click.echo("  in other forms (--forms has all, each with its share of the occurrences):")
            for sense in others[word]:
                click.echo("\n".join(_sense_lines(sense)))


def _sense_lines(sense: Sense) -> list[str]:
    shown = {near.word for near in sense.nearest}
    linked = [link.word for link in sense.linked if link.word not in shown]
    words = _words(sense.label, sense.nearest, named=sense.named)
    lines = [f"  {sense.weight:5.2f}  atom {sense.atom:<5} {words}"]
    if set(sense.forms) != {sense.word}:
        lines.append(f"{INDENT}in {', '.join(sense.forms)}")
    if linked:
        lines.append(f"{INDENT}also a sense of {', '.join(linked)}")
    return lines


def _show_candidates(found: dict[str, list[Candidate]], *, as_json: bool) -> None:
    if as_json:
        show_json(found)
        return
    for word, items in found.items():
        click.echo(word)
        rows = [
            [
                "*" if each.picked else "",
                str(each.atom),
                each.similarity,
                each.weight,
                _words(each.label, each.nearest, named=each.named),
            ]
            for each in items
        ]
        show_table(["", "atom", "cosine", "weight", "nearest words"], rows)


def _words(label: str, nearest: Iterable[Neighbour], *, named: bool) -> str:
    """The nearest words, preceded by the name if the user gave one (an automatic label would repeat the words)."""
    return (f"[{label}] " if named else "") + " ".join(near.word for near in nearest)


@click.command()
@click.argument("ids", metavar="[ID]…", type=int, nargs=-1)
@options.model
@click.option("--search", metavar="TEXT", help="Find atoms by a word, by your name for them, or by their label.")
@click.option("--meta", is_flag=True, help="Show a tree of meta-atoms and their atoms.")
@options.number
@click.option("--name", help="Name the atom; an empty name removes it.")
@click.option("--hide/--unhide", default=None, help="Hide the atom from all senses, or show it again.")
@options.as_json
def atoms(
    ids: tuple[int, ...],
    model: str,
    search: str | None,
    meta: bool,
    number: int,
    name: str | None,
    hide: bool | None,
    as_json: bool,
) -> None:
    """Browse the atoms of discourse.

    Without IDs, lists all atoms with their nearest words, one per line. With IDs, shows these atoms in detail: the
    words that have a sense in them, the neighbouring atoms and the meta-atoms.
    """
    opened = load_model(model)
    if search == "":
        raise click.UsageError("--search needs a text.")
    if name is not None or hide is not None:
        _change_atom(opened, ids, name, hide)
    chosen = [*ids, *(match.atom for match in (opened.search(search) if search else []))]
    everything = not ids and not search
    if meta:
        _show_tree(opened, None if everything else chosen, number, as_json=as_json)
    elif ids:
        _show_views([opened.atom(atom, n=number) for atom in chosen], as_json=as_json)
    else:
        lines = _atom_lines(opened, range(len(opened.atoms)) if everything else chosen, number)
        _show_list(lines, as_json=as_json)


def _change_atom(model: SenseModel, ids: Sequence[int], name: str | None, hide: bool | None) -> None:
    if len(ids) != 1:
        raise click.UsageError("--name, --hide and --unhide work on one atom at a time; pass its ID.")
    if name is not None:
        model.name(ids[0], name)
    if hide is not None:
        model.hide(ids[0], hidden=hide)


class AtomLine(NamedTuple):
    """An atom in a list."""

    atom: int
    n_words: int
    label: str
    named: bool
    nearest: tuple[Neighbour, ...]


def _atom_lines(model: SenseModel, ids: Iterable[int], number: int) -> list[AtomLine]:
    """The given atoms, except hidden ones."""
    notes, n_words = model.notes, model.atoms.n_words
    return [
        AtomLine(
            atom, int(n_words[atom]), model.label(atom, notes), atom in notes.names, model.nearest_words(atom, number)
        )
        for atom in ids
        if atom not in notes.hidden
    ]


def _show_list(lines: Sequence[AtomLine], *, as_json: bool) -> None:
    if as_json:
        show_json(lines)
        return
    rows = [[str(line.atom), line.n_words, _words(line.label, line.nearest, named=line.named)] for line in lines]
    show_table(["atom", "words", "nearest words"], rows)


def _show_views(views: Sequence[AtomView], *, as_json: bool) -> None:
    if as_json:
        show_json(views)
        return
    # As in Table 5 of the paper: an atom per column, its nearest words below.
    show_table(
        [f"atom {view.atom}" for view in views],
        list(zip(*([near.word for near in view.nearest] for view in views), strict=True)),
    )
    for view in views:
        click.echo(f"\natom {view.atom}: {view.label}{' (hidden)' if view.hidden else ''}")
        click.echo(f"  a sense of {view.n_words:,} words: {', '.join(link.word for link in view.words)}")
        click.echo("  neighbours: " + "; ".join(f"{atom} ({label})" for atom, _, label in view.neighbours))
        click.echo("  made of: " + "; ".join(f"{w:.2f} meta-atom {meta} ({label})" for meta, w, label in view.meta))


class Branch(NamedTuple):
    """A meta-atom with its atoms."""

    meta_atom: int
    label: str
    atoms: tuple[AtomLine, ...]


def _show_tree(model: SenseModel, chosen: Sequence[int] | None, number: int, *, as_json: bool) -> None:
    """All meta-atoms, or those of some atoms."""
    meta_atoms = model.meta_atoms
    wanted = {meta for atom in chosen or () for meta, _ in meta_atoms.of_atom(model.atoms.check_id(atom))}
    branches = [
        Branch(meta, meta_atoms.labels[meta], tuple(_atom_lines(model, members, number)))
        for meta, members in meta_atoms.members.items()
        if chosen is None or meta in wanted
    ]
    if as_json:
        show_json(branches)
        return
    for branch in branches:
        click.echo(f"meta-atom {branch.meta_atom}: {branch.label}")
        for place, line in enumerate(branch.atoms, 1):
            click.echo(f"  {'└' if place == len(branch.atoms) else '├'}─ atom {line.atom:<5} {line.label}")

"""`atoms`: lists of atoms, everything about some of them, and the tree of meta-atoms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from wordatoms.cli import options
from wordatoms.cli.models import find_model, load_model
from wordatoms.cli.output import list_words, remark, show_json, show_table
from wordatoms.embeddings.items import shorten

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Neighbour
    from wordatoms.senses.model import SenseModel
    from wordatoms.senses.results import AtomView


LABEL_LENGTH, SHOWN_LENGTH = 50, 150
"""Characters of a label in a list of atoms, and of the text of an item."""


class AtomLine(NamedTuple):
    """An atom in a list."""

    atom: int
    n_words: int
    label: str
    named: bool
    nearest: tuple[Neighbour, ...]


class Branch(NamedTuple):
    """A meta-atom with its atoms."""

    meta_atom: int
    label: str
    atoms: list[AtomLine]
    region: str
    """The heading it stands under; empty if the model has none."""


@click.command()
@click.argument("ids", metavar="[ID]…", type=int, nargs=-1)
@options.model
@click.option("--search", metavar="TEXT", help="Find atoms by a word, by a name you gave, or by their label.")
@click.option("--meta", is_flag=True, help="Show a tree of the meta-atoms and their atoms.")
@options.number
@click.option("--name", help="Give the atom a name of your own; an empty name removes it.")
@click.option(
    "--names-from",
    metavar="MODEL",
    help="Name the atoms after the corresponding ones of another model; 'english' is the bundled one.",
)
@click.option("--hide/--unhide", default=None, help="Hide the atom from all senses, or show it again.")
@options.as_json
def atoms(
    ids: tuple[int, ...],
    model: str,
    search: str | None,
    meta: bool,
    number: int,
    name: str | None,
    names_from: str | None,
    hide: bool | None,
    as_json: bool,
) -> None:
    """Browse the atoms of discourse.

    Without IDs, lists all atoms with their nearest words. With IDs, shows the words that have a sense in these atoms,
    the nearest atoms, and their meta-atoms. In a model of items, shows items in the place of words.
    """
    opened = load_model(model, items=True)
    if names_from is not None:
        if ids or search or meta or name is not None or hide is not None:
            raise click.UsageError("--names-from names all atoms; pass no IDs and no other changes with it.")
        _carry_names(opened, names_from, as_json=as_json)
        return
    if search == "":
        raise click.UsageError("--search needs a text.")
    if name is not None or hide is not None:
        _change_atom(opened, ids, name, hide)
    chosen = [*ids, *(match.atom for match in (opened.search(search) if search else []))]
    everything = not ids and not search
    if meta:
        branches = _grow_tree(opened, None if everything else chosen, number)
        show_json(branches) if as_json else _show_tree(branches)
    elif ids:
        views = [opened.atom(atom, n=number) for atom in chosen]
        show_json(views) if as_json else (_show_views if opened.texts is None else _show_item_views)(views)
    else:
        lines = _atom_lines(opened, range(len(opened.atoms)) if everything else chosen, number)
        show_json(lines) if as_json else (_show_list if opened.texts is None else _show_item_list)(lines)


def _carry_names(model: SenseModel, source: str, *, as_json: bool) -> None:
    """Name the atoms after those of another model, and show the names."""
    from wordatoms.senses.naming import carry_names, save_names

    model.folder.require_words()
    names = carry_names(model, load_model(find_model(source)))
    save_names(model, names)
    if as_json:
        show_json({"source": names.source, "names": names.names})
        return
    show_table(["atom", "name"], [[str(atom), name] for atom, name in names.names.items()])
    remark(f"{model.path}: {len(names.names):,} of {len(model.atoms):,} atoms are named after those of {names.source}")


def _change_atom(model: SenseModel, ids: Sequence[int], name: str | None, hide: bool | None) -> None:
    if len(ids) != 1:
        raise click.UsageError("--name, --hide and --unhide take one atom at a time; pass its ID.")
    if name is not None:
        model.name(ids[0], name)
    if hide is not None:
        model.hide(ids[0], hidden=hide)


def _atom_lines(model: SenseModel, ids: Iterable[int], number: int) -> list[AtomLine]:
    """Return the atoms that are not hidden."""
    notes, n_words = model.notes, model.atoms.n_words
    return [
        AtomLine(
            atom,
            int(n_words[atom]),
            model.label(atom, notes),
            model.is_named(atom, notes),
            model.nearest_words(atom, number),
        )
        for atom in ids
        if atom not in notes.hidden
    ]


def _show_list(lines: Sequence[AtomLine]) -> None:
    names = [line.label if line.named else "" for line in lines]
    rows = [
        [str(line.atom), line.n_words, list_words(line.nearest, name=name)]
        for line, name in zip(lines, names, strict=True)
    ]
    show_table(["atom", "words", "nearest words"], rows)


def _show_views(views: Sequence[AtomView]) -> None:
    # As in Table 5 of the paper: one column per atom, with its nearest words.
    show_table(
        [f"atom {view.atom}" for view in views],
        list(zip(*([near.word for near in view.nearest] for view in views), strict=True)),
    )
    for view in views:
        click.echo(f"\n{_heading(view)}")
        if view.named_after:
            click.echo(f"  named after an atom of {view.named_after}")
        if view.example:
            click.echo(f"  for example: {view.example.sentence}")
        click.echo(f"  a sense of {view.n_words:,} words: {', '.join(link.word for link in view.words)}")
        _show_relatives(view)


def _heading(view: AtomView) -> str:
    return f"atom {view.atom}: {view.label}{' (hidden)' if view.hidden else ''}"


def _show_relatives(view: AtomView) -> None:
    click.echo("  neighbours: " + "; ".join(f"{atom} ({label})" for atom, _, label in view.neighbours))
    click.echo("  made of: " + "; ".join(f"{w:.2f} meta-atom {meta} ({label})" for meta, w, label in view.meta))


# --- atoms of items


def _show_item_list(lines: Sequence[AtomLine]) -> None:
    rows = [
        [str(line.atom), line.n_words, shorten(line.label, LABEL_LENGTH), line.nearest[0].word if line.nearest else ""]
        for line in lines
    ]
    show_table(["atom", "items", "label", "nearest item"], rows)


def _show_item_views(views: Sequence[AtomView]) -> None:
    for number, view in enumerate(views):
        click.echo(("\n" if number else "") + _heading(view))
        click.echo("  nearest items, by cosine:")
        for near, text in zip(view.nearest, view.texts, strict=True):
            click.echo(f"    {near.similarity:.2f}  {shorten(text, SHOWN_LENGTH) or near.word}")
        click.echo(f"  in {view.n_words:,} items, the heaviest by weight:")
        for link in view.words:
            click.echo(f"    {link.weight:.2f}  {link.word}")
        _show_relatives(view)


def _grow_tree(model: SenseModel, chosen: Sequence[int] | None, number: int) -> list[Branch]:
    """Return all meta-atoms, or those of the chosen atoms, with their atoms, by region."""
    meta_atoms = model.meta_atoms
    wanted = {meta for atom in chosen or () for meta, _ in meta_atoms.of_atom(model.atoms.check_id(atom))}
    regions = {meta: region.name for region in meta_atoms.regions for meta in region.meta_atoms}
    return [
        Branch(meta, meta_atoms.labels[meta], _atom_lines(model, meta_atoms.members[meta], number), name)
        for meta, name in {**regions, **{meta: "" for meta in meta_atoms.members if meta not in regions}}.items()
        if chosen is None or meta in wanted
    ]


def _show_tree(branches: Sequence[Branch]) -> None:
    region = ""
    for branch in branches:
        if branch.region != region:
            click.echo(f"{branch.region or 'other'}".upper())
            region = branch.region
        click.echo(f"meta-atom {branch.meta_atom}: {branch.label}")
        for place, line in enumerate(branch.atoms, 1):
            click.echo(f"  {'└' if place == len(branch.atoms) else '├'}─ atom {line.atom:<5} {line.label}")

"""How results look on the screen: aligned tables, JSON, and remarks on standard error."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Neighbour


LEAST_OVERLAP = 0.5
"""If fewer atoms of a run come back in another one, there should be fewer atoms."""


def show_json(value: object, *, indent: int | None = 2) -> None:
    """Print a result as JSON; without an indent on one line, for streams."""
    from wordatoms.senses.results import to_json

    click.echo(json.dumps(to_json(value), indent=indent, ensure_ascii=False, allow_nan=False))


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print columns under their names; numbers to the right, text to the left."""
    header = [name.replace("_", " ") for name in header]
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numeric = [all(isinstance(row[k], int | float) or row[k] is None for row in rows) for k in range(len(header))]
    for line in [header, *cells]:
        aligned = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        click.echo("  ".join(aligned).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def counted(n: int, thing: str) -> str:
    """Return a number with its noun, such as "1 line" or "2 lines"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def list_words(nearest: Iterable[Neighbour], *, name: str = "") -> str:
    """Return the words nearest to an atom, after the name that a person gave the atom."""
    return (f"[{name}] " if name else "") + " ".join(near.word for near in nearest)


def highlight(text: str, start: int, end: int) -> str:
    """Return a text with a part of it in bold; click strips that where the output is no terminal."""
    return text[:start] + click.style(text[start:end], bold=True) + text[end:]


def remark(text: str, *, quiet: bool | None = None) -> None:
    """Print something that is not part of the result to standard error; by default unless --quiet was given."""
    if quiet is None:
        quiet = bool(click.get_current_context().params.get("quiet"))
    if not quiet:
        click.echo(text, err=True)


def advise_on_atoms(report: dict[str, Any], model: str) -> list[str]:
    """Say what to do if few atoms of a run come back in another one."""
    share, n_atoms = report["overlap"], report["n_atoms_per_run"]
    if share is None or share >= LEAST_OVERLAP:
        return []
    fewer = max(n_atoms // 2, 1)
    return [
        f"only {share:.1%} of the atoms of one run come back in another: there is too little data for runs of "
        f"{n_atoms:,} atoms, and which atoms are found depends on chance",
        f"  fewer atoms are more reliable: wordatoms atomize {shlex.quote(model)} --atoms {fewer} --force",
    ]


def describe_atoms(report: dict[str, Any], *, has_items: bool) -> list[str]:
    """Return the report on how the atoms of words, or of items, were learned as lines to read."""
    row, part = ("item", "atoms per item") if has_items else ("word", "senses per word")
    curve = [
        f"{point['n_atoms']:,} atoms: overlap {point['overlap']:.2f} ({point['n_common']:,.0f} atoms), "
        f"error {point['error']:.3f}"
        for point in report["overlap_curve"]
    ]
    share = report["overlap"]
    overlap = (
        [] if share is None else [f"overlap: {share:.1%} of the atoms of one run have a match above 0.85 in another"]
    )
    least, lower, median, upper, most = report["words_per_atom"]
    return [
        *curve,
        f"runs: {report['n_runs']} of {report['n_atoms_per_run']:,} atoms, relative error {report['run_error']:.3f}",
        *overlap,
        f"dropped: {report['n_unrepeated']:,} of {report['n_learned']:,} found in too few runs, "
        f"{report['n_merged']:,} merged (relative error then {report['merged_error']:.3f}), "
        f"{report['n_overused']:,} used by more than {report['most_users']:,.0f} {row}s, "
        f"{report['n_incoherent']:,} with no {row}s close to them",
        f"atoms: {report['n_atoms']:,}, relative error {report['error']:.3f}",
        f"coefficients: {report['share_nonnegative']:.1%} are positive; {report['atoms_per_word']:.2f} {part}",
        f"{row}s per atom: {least:,.0f} to {most:,.0f}, half of them between {lower:,.0f} and {upper:,.0f}, "
        f"median {median:,.0f}",
    ]

"""`topics`: documents as distributions over atoms."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import remark, show_json
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.topics import Topics


@click.command()
@click.argument("sources", metavar="DOCS…", nargs=-1, required=True)
@options.model
@click.option("-o", "--output", metavar="FILE", help="Write a table to a .csv, .tsv or .parquet file.")
@click.option("--wide", is_flag=True, help="One column per atom instead of one row per document and atom.")
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Leave out smaller shares (without --wide).",
)
@click.option("--lines", is_flag=True, help="Treat each line as a document.")
@click.option(
    "--column",
    metavar="NAME",
    help="Treat each row of .csv, .tsv or .parquet files as a document; the text is in this column.",
)
@click.option("--id", "names", metavar="NAME", help="Column with the names of the documents.")
@click.option("--window", type=click.IntRange(1), help="Known words on each side.  [default: as in training]")
@click.option("--step", type=click.IntRange(1), help="Words between windows.  [default: as --window]")
@click.option("--soft", is_flag=True, help="Distribute each window over several atoms instead of the nearest one.")
@click.option("--scale", type=click.FloatRange(0, min_open=True), help="With --soft: a larger scale gives fewer atoms.")
@click.option("--keep-common", is_flag=True, help="Keep the common direction of all windows.")
@click.option("--by-atom", is_flag=True, help="Show documents by atom instead of atoms by document.")
@click.option(
    "--top", type=click.IntRange(1), default=5, show_default=True, metavar="N", help="Number of items to show."
)
@options.replace_invalid
@options.threads
@options.as_json
@options.force
@options.quiet
def topics(
    sources: tuple[str, ...],
    model: str,
    output: str | None,
    wide: bool,
    min_share: float,
    lines: bool,
    column: str | None,
    names: str | None,
    window: int | None,
    step: int | None,
    soft: bool,
    scale: float | None,
    keep_common: bool,
    by_atom: bool,
    top: int,
    replace_invalid: bool,
    threads: int | None,
    as_json: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Describe documents as distributions over atoms.

    DOCS are files or folders with one document per file, per line (--lines) or per row of a table (--column). A window
    moves over each document and is assigned to its nearest atom; shares are shares of windows.
    """
    from wordatoms.progress import Display
    from wordatoms.run import Run
    from wordatoms.senses.topics import DEFAULT_SCALE, check_table, document_topics, write_table

    _check_usage(lines, column, names, soft, scale)
    if output:
        check_table(Path(output), force=force)
    opened = load_model(model)
    found = document_topics(
        opened,
        _documents(sources, lines, column, names, replace_invalid),
        window=window,
        step=step,
        remove_common=not keep_common,
        soft=soft,
        scale=scale or DEFAULT_SCALE,
        run=Run(threads=threads, progress=Display(quiet=quiet)),
    )
    if not len(found):
        raise InputError(f"there are no documents in {', '.join(sources)}; pass some with text in them.")
    _remark_empty(found, quiet=quiet)
    if output:
        write_table(found, output, wide=wide, min_share=min_share, force=force)
        remark(f"{output}: {found!r}", quiet=quiet)
    if as_json:
        show_json({"atoms": _by_atom(found, top)} if by_atom else {"documents": _by_document(found, top)})
    elif not output:
        _show_atoms(found, top) if by_atom else _show_documents(found, top)


def _check_usage(lines: bool, column: str | None, names: str | None, soft: bool, scale: float | None) -> None:
    if lines and column:
        raise click.UsageError("--lines and --column are mutually exclusive.")
    if names and not column:
        raise click.UsageError("--id names a column of a table; pass the column with the text as --column.")
    if scale and not soft:
        raise click.UsageError("--scale needs --soft.")


def _documents(
    sources: tuple[str, ...], lines: bool, column: str | None, names: str | None, replace_invalid: bool
) -> Iterator[tuple[str, str]]:
    from wordatoms.text.documents import read_column, read_files, read_lines

    if column:
        return read_column(sources, column, names=names)
    return (read_lines if lines else read_files)(sources, replace_invalid=replace_invalid)


def _remark_empty(found: Topics, *, quiet: bool) -> None:
    if empty := found.empty:
        listed = ", ".join(empty[:5]) + (", …" if len(empty) > 5 else "")
        remark(f"without a word that the model knows, and so without atoms: {len(empty):,} ({listed})", quiet=quiet)


def _by_document(found: Topics, top: int) -> list[dict[str, Any]]:
    return [
        {
            "document": name,
            "n_words": int(found.n_words[row]),
            "n_windows": int(found.n_windows[row]),
            "atoms": found.top_atoms(row, top),
        }
        for row, name in enumerate(found.documents)
    ]


def _by_atom(found: Topics, top: int) -> list[dict[str, Any]]:
    """The atoms of all documents, by decreasing mean share."""
    means = found.mean_shares()
    return [
        {
            "atom": atom,
            "label": found.labels[atom],
            "mean_share": float(means[atom]),
            "documents": found.top_documents(atom, top),
        }
        for atom in sorted(found.shown.tolist(), key=lambda atom: (-means[atom], atom))
        if means[atom] > 0
    ]


def _show_documents(found: Topics, top: int) -> None:
    for document in _by_document(found, top):
        click.echo(f"{document['document']}  ({document['n_words']:,} words)")
        for share in document["atoms"]:
            click.echo(f"  {share.share:5.2f}  atom {share.atom:<5} {share.label}")


def _show_atoms(found: Topics, top: int) -> None:
    for atom in _by_atom(found, top):
        click.echo(f"atom {atom['atom']}: {atom['label']}  (mean share {atom['mean_share']:.4f})")
        for share in atom["documents"]:
            click.echo(f"  {share.share:5.2f}  {share.document}")

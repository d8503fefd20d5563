"""`topics`: documents as distributions over atoms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.senses.topics import Topics


@click.command()
@click.argument("sources", metavar="DOCS…", nargs=-1, required=True)
@options.model
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Table to write: .csv, .tsv or .parquet."
)
@click.option("--wide", is_flag=True, help="Write one row per document and one column per atom.")
@click.option(
    "--min-share", type=click.FloatRange(0, 1), default=0.0, help="Smallest share in a table that is not wide."
)
@click.option("--lines", is_flag=True, help="Each line of the files is a document.")
@click.option(
    "--column",
    metavar="NAME",
    help="Each row of tables (.csv, .tsv, .jsonl, .ndjson, .parquet) is a document, with the text in this column.",
)
@click.option("--id", "names", metavar="NAME", help="Column with the names of the documents.")
@click.option("--window", type=click.IntRange(1), help="Known words on each side.  [default: that of the model]")
@click.option("--step", type=click.IntRange(1), help="Words from one window to the next.  [default: same as --window]")
@click.option("--soft", is_flag=True, help="Spread each window over several atoms instead of the nearest one.")
@click.option("--scale", type=click.FloatRange(0, min_open=True), help="With --soft: larger values give fewer atoms.")
@click.option("--keep-common", is_flag=True, help="Keep the direction that all windows have in common.")
@click.option("--by-atom", is_flag=True, help="Show the documents of each atom instead of the atoms of each document.")
@click.option("--top", type=click.IntRange(1), default=5, metavar="N", help="Items to show.")
@options.replace_invalid
@options.threads
@options.as_json
@options.force
@options.quiet
def topics(sources: tuple[str, ...], model: str, output: Path | None, as_json: bool, force: bool, **given: Any) -> None:
    """Describe documents as distributions over atoms.

    DOCS are files or folders with one document per file; with --lines one per line, with --column one per row of a
    table. A window moves over each document and is assigned to its nearest atom; the share of an atom is its share of
    the windows.
    """
    from wordatoms.senses.topics import DEFAULT_SCALE, check_table, document_topics, write_table

    _check_usage(given)
    if output:
        check_table(output, force=force)
    found = document_topics(
        load_model(model),
        _read_documents(sources, given),
        window=given["window"],
        step=given["step"],
        remove_common=not given["keep_common"],
        soft=given["soft"],
        scale=given["scale"] or DEFAULT_SCALE,
        run=options.local_run(given),
    )
    if not len(found):
        raise InputError(f"there are no documents in {', '.join(sources)}; pass files with text in them.")
    if empty := found.empty:
        listed = ", ".join(empty[:5]) + (", …" if len(empty) > 5 else "")
        remark(f"{counted(len(empty), 'document')} without a word that the model knows, and so without atoms: {listed}")
    if output:
        write_table(found, output, wide=given["wide"], min_share=given["min_share"], force=force)
        remark(f"{output}: {found!r}")
    if as_json or not output:
        show = _show_atoms if given["by_atom"] else _show_documents
        show(found, given["top"], as_json=as_json)


def _check_usage(given: Mapping[str, Any]) -> None:
    if given["lines"] and given["column"]:
        raise click.UsageError("--lines and --column are mutually exclusive.")
    options.check_row_names(given)
    if given["scale"] and not given["soft"]:
        raise click.UsageError("--scale needs --soft.")


def _read_documents(sources: tuple[str, ...], given: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    from wordatoms.text.documents import read_column, read_files, read_lines

    reading = {"replace_invalid": given["replace_invalid"]}
    if given["column"]:
        return read_column(sources, given["column"], names=given["names"], **reading)
    return (read_lines if given["lines"] else read_files)(sources, **reading)


def _show_documents(found: Topics, top: int, *, as_json: bool) -> None:
    documents: list[dict[str, Any]] = [
        {
            "document": name,
            "n_words": int(found.n_words[row]),
            "n_windows": int(found.n_windows[row]),
            "atoms": found.top_atoms(row, top),
        }
        for row, name in enumerate(found.documents)
    ]
    if as_json:
        show_json({"documents": documents})
        return
    for document in documents:
        click.echo(f"{document['document']}  ({document['n_words']:,} words)")
        for share in document["atoms"]:
            click.echo(f"  {share.share:5.2f}  atom {share.atom:<5} {share.label}")


def _show_atoms(found: Topics, top: int, *, as_json: bool) -> None:
    """Show the atoms that occur in a document, those with the largest mean share first."""
    means = found.mean_shares()
    atoms: list[dict[str, Any]] = [
        {
            "atom": atom,
            "label": found.labels[atom],
            "mean_share": float(means[atom]),
            "documents": found.top_documents(atom, top),
        }
        for atom in sorted(found.shown.tolist(), key=lambda atom: (-means[atom], atom))
        if means[atom] > 0
    ]
    if as_json:
        show_json({"atoms": atoms})
        return
    for atom in atoms:
        click.echo(f"atom {atom['atom']}: {atom['label']}  (mean share {atom['mean_share']:.4f})")
        for share in atom["documents"]:
            click.echo(f"  {share.share:5.2f}  {share.document}")

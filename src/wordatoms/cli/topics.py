"""`topics`: documents as distributions over atoms, by group and over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json, show_table
from wordatoms.cli.texts import GivenDocuments
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.documents.study import DocumentStudy
    from wordatoms.senses.topics import Topics

STUDIES = ("by", "time", "report", "level", "merge", "held_out")
"""Options that ask for more than the shares of atoms in documents."""


@click.command()
@click.argument("sources", metavar="DOCS…", nargs=-1, required=True)
@options.model
@click.option(
    "-o",
    "--output",
    metavar="FILE|FOLDER/",
    help="Table to write (.csv, .tsv or .parquet), or a new folder for all tables and pictures.",
)
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE.html", help="Page with all pictures to write.")
@click.option("--by", metavar="NAME", help="Column with the groups of the documents.")
@click.option(
    "--time",
    type=options.TIME,
    metavar="NAME:PERIOD",
    help="Column with dates, and day, week, month, quarter, year or decade.",
)
@click.option("--time-format", metavar="FORMAT", help="Format of the dates, such as %d/%m/%Y.  [default: 2024-03-05]")
@click.option(
    "--level",
    type=click.Choice(["atoms", "meta", "regions"]),
    help="What a topic is: an atom, a meta-atom or a region.  [default: atoms]",
)
@click.option(
    "--merge",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Topics of your own: an atom (number or name), a tab and the name of its topic per line; - hides the atom.",
)
@click.option(
    "--held-out",
    multiple=True,
    type=click.Path(exists=True),
    metavar="FILE",
    help="Other text, a document per line, on which the coherence of topics is measured too.",
)
@click.option("--wide", is_flag=True, help="Write one row per document and one column per topic.")
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
@options.seed
@options.replace_invalid
@options.threads
@options.as_json
@options.force
@options.quiet
def topics(sources: tuple[str, ...], model: str, output: str | None, as_json: bool, force: bool, **given: Any) -> None:
    """Describe documents as distributions over atoms.

    DOCS are files or folders with one document per file; with --lines one per line, with --column one per row of a
    table. A window moves over each document and is assigned to its nearest atom; the share of an atom is its share of
    the windows.

    With --by, --time or a FOLDER/, topics are compared between groups and over time: shares with 95% intervals, the
    differences and trends that stand out, the words and typical passages of each topic.
    """
    folder = Path(output) if output and (output.endswith(("/", "\\")) or not Path(output).suffix) else None
    table = Path(output) if output and folder is None else None
    _check_usage(given, table)
    if folder is not None and given["wide"]:
        raise click.UsageError(f"--wide is for one table; pass a name such as {folder}.csv, or leave it out.")
    if force:
        _check_outputs(sources, [path for path in (table, given["report"]) if path is not None])
    if folder is not None or any(given[name] for name in STUDIES):
        _study(sources, model, folder, table, as_json=as_json, force=force, given=given)
        return
    _distributions(sources, model, table, as_json=as_json, force=force, given=given)


def _check_usage(given: Mapping[str, Any], table: Path | None) -> None:
    if given["lines"] and given["column"]:
        raise click.UsageError("--lines and --column are mutually exclusive.")
    options.check_row_names(given)
    options.check_grouping(given)
    if given["scale"] and not given["soft"]:
        raise click.UsageError("--scale needs --soft.")
    if given["level"] and given["merge"]:
        raise click.UsageError("--level and --merge are mutually exclusive.")
    if table is not None and (given["by"] or given["time"]):
        raise click.UsageError(
            f"--by and --time make several tables; pass a folder instead of {table}: -o {table.stem}/"
        )


def _check_outputs(sources: tuple[str, ...], outputs: Sequence[Path]) -> None:
    """Raise before a document is replaced by what is made of it."""
    from wordatoms.text.files import find_files

    there = [path for path in outputs if path.exists()]
    for document in find_files(sources) if there else ():
        if any(Path(document).exists() and path.samefile(document) for path in there):
            raise InputError(f"{document} is one of the documents; write to another file.")


# --- documents as distributions over atoms


def _distributions(
    sources: tuple[str, ...], model: str, output: Path | None, *, as_json: bool, force: bool, given: Mapping[str, Any]
) -> None:
    from wordatoms.senses.topics import DEFAULT_SCALE, check_table, document_topics, write_table

    if output:
        check_table(output, force=force)
    found = document_topics(
        load_model(model),
        GivenDocuments(sources, given),
        window=given["window"],
        step=given["step"],
        remove_common=not given["keep_common"],
        soft=given["soft"],
        scale=given["scale"] or DEFAULT_SCALE,
        run=options.local_run(given),
    )
    if not len(found):
        raise _no_documents(sources)
    _remark_empty(found.empty)
    if output:
        write_table(found, output, wide=given["wide"], min_share=given["min_share"], force=force)
        remark(f"{output}: {found!r}")
    if as_json or not output:
        show = _show_atoms if given["by_atom"] else _show_documents
        show(found, given["top"], as_json=as_json)


def _no_documents(sources: tuple[str, ...]) -> InputError:
    return InputError(f"there are no documents in {', '.join(sources)}; pass files with text in them.")


def _remark_empty(empty: tuple[str, ...]) -> None:
    if empty:
        listed = ", ".join(empty[:5]) + (", …" if len(empty) > 5 else "")
        remark(f"{counted(len(empty), 'document')} without a word that the model knows, and so without atoms: {listed}")


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


# --- by group and over time


def _study(
    sources: tuple[str, ...],
    model: str,
    folder: Path | None,
    table: Path | None,
    *,
    as_json: bool,
    force: bool,
    given: Mapping[str, Any],
) -> None:
    from wordatoms.documents.study import check_outputs, is_inside, study_documents

    if given["by_atom"]:
        raise click.UsageError("--by-atom shows documents of atoms; leave out the options for groups and levels.")
    check_outputs(folder, table, given["report"], force=force)
    documents = GivenDocuments(sources, given)
    by, time = given["by"], given["time"]
    study = study_documents(
        load_model(model),
        documents,
        level=given["merge"] or given["level"] or "atoms",
        groups=documents.groups if by else None,
        times=documents.periods if time else None,
        held_out=_held_out(given),
        window=given["window"],
        step=given["step"],
        remove_common=not given["keep_common"],
        soft=given["soft"],
        scale=given["scale"],
        seed=given["seed"],
        by=by or "group",
        time=time[1] if time else "period",
        source=", ".join(sources),
        run=options.local_run(given),
    )
    _remark_study(study, given)
    page = given["report"]
    inside = page is not None and is_inside(page, folder)
    if folder is not None:
        files = study.write(folder, page=page.name if inside else None, force=force)
        remark(f"{folder}: {', '.join(files)}")
    if table is not None:
        study.write_table(table, wide=given["wide"], min_share=given["min_share"], force=force)
        remark(f"{table}: {study!r}")
    if page is not None and not inside:
        study.report(page, force=force)
        remark(f"{page}: {study!r}")
    if as_json:
        show_json(_as_json(study))
    elif folder is None and table is None:
        _show_study(study, given["top"])


def _held_out(given: Mapping[str, Any]) -> Iterator[tuple[str, str]] | None:
    from wordatoms.text.documents import read_lines

    return read_lines(given["held_out"], replace_invalid=given["replace_invalid"]) if given["held_out"] else None


def _remark_study(study: DocumentStudy, given: Mapping[str, Any]) -> None:
    found = study.comparison
    _remark_empty(study.empty)
    if found.n_ungrouped:
        remark(f"{counted(found.n_ungrouped, 'document')} without '{given['by']}', which count only in all together")
    if found.n_undated:
        remark(f"{counted(found.n_undated, 'document')} without '{given['time'][0]}', which count only in all together")
    if given["by"] and len(found.groups) == 1:
        remark(f"'{given['by']}' is always '{found.groups[0]}', so there are no groups to compare")
    if given["time"] and len(found.periods) == 1:
        remark(f"all documents are from {found.periods[0].name}, so there is no trend")


def _as_json(study: DocumentStudy) -> dict[str, Any]:
    found = study.comparison
    return {
        "documents": found.n_documents,
        "topics": list(study.topics),
        "diversity": study.diversity,
        "groups": list(found.groups),
        "periods": [period.name for period in found.periods],
        "shares": list(found.shares),
        "differences": list(found.differences),
        "trends": list(found.trends),
    }


def _show_study(study: DocumentStudy, top: int) -> None:
    """Show the largest topics, and what stands out."""
    found = study.comparison
    click.echo(f"{counted(found.n_documents, 'document')}, {counted(len(study.topics), 'topic')}")
    show_table(
        ["share", "low", "high", "topic", "words"],
        [(each.share, each.low, each.high, each.name, " ".join(each.words[:6])) for each in study.topics[:top]],
    )
    for title, header, rows in (
        (
            "differences that stand out",
            ["difference", "low", "high", "q", "group", "topic"],
            [
                (row.difference, row.low, row.high, row.q, row.group, row.name)
                for row in found.differences
                if row.stands_out
            ],
        ),
        (
            "trends that stand out, from the first period to the last",
            ["change", "low", "high", "q", "group", "topic"],
            [
                (row.change, row.low, row.high, row.q, row.group or "all", row.name)
                for row in found.trends
                if row.stands_out
            ],
        ),
    ):
        if rows:
            click.echo(f"\n{title}: {len(rows):,}")
            show_table(header, rows[:top])

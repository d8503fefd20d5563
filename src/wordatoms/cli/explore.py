"""`explore`: a model in the browser, or as static files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import remark
from wordatoms.cli.texts import GivenDocuments
from wordatoms.errors import InputError

if TYPE_CHECKING:
    from wordatoms.documents.index import DocumentIndex
    from wordatoms.explorer.service import Explorer
    from wordatoms.senses.contextual_atoms import ContextualAtoms
    from wordatoms.senses.model import SenseModel

LOCAL = "127.0.0.1"
USUAL_REPORT = "report"
NOT_EXPORTED = {
    "others": "--with",
    "corpus": "--corpus",
    "port": "--port",
    "host": "--host",
    "edit": "--edit",
    "encoder": "--encoder",
}
"""Options that only a server uses."""
INTERRUPTED = 130


@click.command()
@options.model
@options.encoder
@click.option("--with", "others", metavar="MODEL", multiple=True, help="Another model to compare with; repeatable.")
@click.option(
    "--corpus",
    metavar="TEXT",
    multiple=True,
    help="Corpus to quote sentences from: files, folders or patterns; repeatable.",
)
@click.option(
    "--report",
    metavar="DIR",
    help="Folder with a report of `wordatoms reproduce`.  [default: report, if it exists]",
)
@click.option(
    "--documents",
    "collection",
    metavar="DOCS",
    multiple=True,
    help="Collection of documents to show by topic: a table, files or folders; repeatable.",
)
@click.option(
    "--contextual",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Atoms of an encoder to show beside those of the model: the output of `observe --encoder --json`.",
)
@click.option("--column", metavar="NAME", help="Each row of the tables is a document, with the text in this column.")
@click.option("--id", "names", metavar="NAME", help="Column with the names of the documents.")
@click.option("--by", metavar="NAME", help="Column with the groups of the documents.")
@click.option(
    "--time",
    type=options.TIME,
    metavar="NAME:PERIOD",
    help="Column with dates, and day, week, month, quarter, year or decade.",
)
@click.option("--time-format", metavar="FORMAT", help="Format of the dates, such as %d/%m/%Y.  [default: 2024-03-05]")
@click.option("--lines", is_flag=True, help="Each line of the files is a document.")
@click.option(
    "--index",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the index of the documents, made at the first start.  [default: DOCS.index, beside them]",
)
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on.  [default: 8765 or the next free one]")
@click.option(
    "--host",
    default=LOCAL,
    show_default=True,
    help="Address to listen on; any other address lets your network read the model and the corpus.",
)
@click.option(
    "--edit",
    is_flag=True,
    help="Name and hide atoms and pick the senses of words in the page; on this machine only.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the browser.")
@click.option(
    "--export", "folder", metavar="DIR", help="Write the site as static files into a new folder instead of serving it."
)
@options.replace_invalid
@options.threads
@options.quiet
def explore(
    model: str,
    others: tuple[str, ...],
    corpus: tuple[str, ...],
    report: str | None,
    contextual: Path | None,
    port: int | None,
    host: str,
    edit: bool,
    browser: bool,
    folder: str | None,
    collection: tuple[str, ...],
    quiet: bool,
    **given: Any,
) -> None:
    """Explore a model in the browser: words, sentences, the map of atoms, the lineup.

    The server is read-only without --edit, answers this machine only, and stops with Ctrl-C. With --export the site is
    written as files that any web server can host, without sentences and comparisons, which need the model.

    With --documents there is a view of a collection: its topics by size, group and trend, passages, search. The index
    that it needs is made at the first start and holds the text of the documents.
    """
    from wordatoms.explorer.service import Explorer

    if "-" in corpus:
        raise click.UsageError("--corpus cannot be standard input here: it is read once per word; pass a file.")
    _check_documents(collection, given)
    if folder is not None:
        _refuse_server_options()
    if edit:
        _refuse_network(host)
    models = [load_model(model, given["encoder"], items=True), *(load_model(each, items=True) for each in others)]
    if corpus or collection or others:
        for each in models:
            each.folder.require_words()
    documents = _indexed(models[0], collection, {**given, "quiet": quiet}) if collection else None
    explorer = Explorer(
        models,
        corpus=_checked(corpus),
        report=_report_folder(report),
        documents=documents,
        contextual=_contextual_atoms(contextual, models[0]),
        edit=edit,
    )
    if folder is not None:
        _export(explorer, Path(folder), quiet=quiet)
    else:
        _serve(explorer, host, port, browser=browser, quiet=quiet)


def _refuse_server_options() -> None:
    """Raise for options that an export would ignore."""
    context = click.get_current_context()
    given = [name for name in NOT_EXPORTED if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if given:
        option = NOT_EXPORTED[given[0]]
        raise click.UsageError(f"{option} has no effect with --export, which writes static files of one model.")


def _refuse_network(host: str) -> None:
    from wordatoms.explorer.security import is_local

    if not is_local(host):
        raise click.UsageError(f"--edit is possible on this machine only, not with --host {host}; omit one of the two.")


def _checked(corpus: tuple[str, ...]) -> tuple[str, ...]:
    """Fail at once if the corpus does not exist, not when the first word is looked up."""
    from wordatoms.text.files import find_files

    if corpus:
        find_files(corpus)
    return corpus


OF_DOCUMENTS = {
    "column": "--column", "names": "--id", "by": "--by", "time": "--time", "time_format": "--time-format",
    "lines": "--lines", "index": "--index",
}  # fmt: skip
"""Options that need --documents."""


def _check_documents(collection: tuple[str, ...], given: Mapping[str, Any]) -> None:
    for name, option in OF_DOCUMENTS.items():
        if given[name] and not collection:
            raise click.UsageError(f"{option} is for documents; say with --documents where they are.")
    if "-" in collection:
        raise click.UsageError("--documents cannot be standard input here: the index names its files; pass a file.")
    if given["lines"] and given["column"]:
        raise click.UsageError("--lines and --column are mutually exclusive.")
    options.check_row_names(given)
    options.check_grouping(given)


def _indexed(model: SenseModel, collection: tuple[str, ...], given: Mapping[str, Any]) -> DocumentIndex:
    """Open the index of the documents; make it if there is none, or if the documents or the model have changed."""
    from wordatoms.documents.index import IndexedDocument, build_index, model_key, open_index
    from wordatoms.text.files import find_files

    files = [Path(path) for path in find_files(collection)]
    folder = given["index"] or Path(f"{collection[0].rstrip('/')}.index")
    states = [[str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns] for path in files]
    asked = {name: given[name] for name in (*OF_DOCUMENTS, "replace_invalid") if name != "index"}
    key = {"files": states, "options": asked, "model": model_key(model)}
    try:
        return open_index(folder, model, key=key)
    except InputError:
        remark(f"indexing {', '.join(collection)}; the index is kept in {folder}", quiet=given["quiet"])
    read = GivenDocuments(collection, given)

    def documents() -> Iterator[IndexedDocument]:
        for name, text in read:
            group = read.groups[-1] if given["by"] else None
            yield IndexedDocument(name, text, group, read.periods[-1] if given["time"] else None)

    return build_index(
        model,
        documents(),
        folder,
        key=key,
        by=given["by"] or "group",
        time=given["time"][1] if given["time"] else "period",
        source=", ".join(Path(source).name for source in collection),
        run=options.local_run(given),
    )


def _contextual_atoms(path: Path | None, model: SenseModel) -> ContextualAtoms | None:
    if path is None:
        return None
    from wordatoms.senses.contextual_files import read_contextual_atoms

    return read_contextual_atoms(path, model)


def _report_folder(given: str | None) -> Path | None:
    folder = Path(given or USUAL_REPORT)
    if given and not (folder / "index.html").is_file():
        raise InputError(f"{given} has no index.html; pass the folder that `wordatoms reproduce -o` wrote.")
    return folder


def _serve(explorer: Explorer, host: str, port: int | None, *, browser: bool, quiet: bool) -> None:
    import secrets
    import threading
    import webbrowser

    from wordatoms.explorer.security import is_local
    from wordatoms.explorer.server import address_of, host_of, open_socket, serve

    opened = open_socket(host, port)
    host = host_of(opened, host)
    token = secrets.token_urlsafe(24) if explorer.editor else None
    # after the #, so that it is neither sent nor logged
    address = address_of(opened, host) + (f"#/?token={token}" if token else "")
    if not is_local(host):
        remark(
            f"listening on {host}: anyone who can reach this machine can read the model, the sentences of the corpus "
            "and the report, without a password and unencrypted; omit --host to allow this machine only.",
            quiet=quiet,
        )

    def on_ready() -> None:
        click.echo(address)
        remark("Press Ctrl-C to stop.", quiet=quiet)
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    serve(explorer, opened, host=host, token=token, on_ready=on_ready)


def _export(explorer: Explorer, folder: Path, *, quiet: bool) -> None:
    from wordatoms.cli.output import counted
    from wordatoms.explorer.export import export_site
    from wordatoms.progress import Display
    from wordatoms.run import Run

    try:
        written = export_site(explorer, folder, run=Run(progress=Display(quiet=quiet)))
    except KeyboardInterrupt:
        click.echo("wordatoms: interrupted; nothing was written.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    click.echo(f"{folder}: {counted(written.n_files, 'file')}, {written.n_bytes / 1e6:.1f} MB")

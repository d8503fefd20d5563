"""Commands on the vectors of a model: nearest words, similarity, import, export, and a description of the model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_embeddings, load_model
from wordatoms.cli.output import remark, show_json, show_table
from wordatoms.cli.reports import report_lines

if TYPE_CHECKING:
    from wordatoms.storage.folder import ModelFolder

FORMATS = ("glove", "word2vec", "word2vec-binary", "fasttext", "npy")
COMPACT = "compact"


@click.command()
@click.argument("words", metavar="WORD…", nargs=-1, required=True)
@options.model
@options.number
@options.as_json
def nearest(words: tuple[str, ...], model: str, number: int, as_json: bool) -> None:
    """Show the words nearest to a word, by cosine."""
    from wordatoms.senses.parts import ModelParts

    opened = ModelParts(model)
    known = [opened.find_spelling(word) or word for word in words]
    opened.embeddings.lookup(known)  # report all unknown words at once
    found = {word: opened.near_words(spelling, number) for word, spelling in zip(words, known, strict=True)}
    if as_json:
        show_json(found)
        return
    for word, nearby in found.items():
        if len(words) > 1:
            click.echo(f"{word}:")
        show_table(["word", "cosine"], nearby)


@click.command()
@click.argument("word1")
@click.argument("word2")
@click.option("--context1", metavar="TEXT", help="A text that contains WORD1.")
@click.option("--context2", metavar="TEXT", help="A text that contains WORD2.")
@options.model
@options.as_json
def similarity(word1: str, word2: str, context1: str | None, context2: str | None, model: str, as_json: bool) -> None:
    """Compute the cosine of two words, optionally in contexts."""
    if context1 is None and context2 is None:
        from wordatoms.senses.parts import ModelParts

        opened = ModelParts(model)
        cosine = opened.embeddings.similarity(*(opened.find_spelling(word) or word for word in (word1, word2)))
    else:
        cosine = load_model(model).similarity(word1, word2, context1=context1, context2=context2)
    if as_json:
        show_json({"word1": word1, "word2": word2, "similarity": cosine})
    else:
        click.echo(f"{cosine:.4f}")


@click.command("import")
@click.argument("vectors")
@options.output
@click.option(
    "--format", "format_", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True, help="File format."
)
@click.option("--words", type=click.Path(), help="Word list for an .npy file, one word per line.")
@click.option("--max-words", type=click.IntRange(1), help="Read at most this many words.")
@options.force
@options.quiet
def import_(
    vectors: str,
    output: str,
    format_: str,
    words: str | None,
    max_words: int | None,
    force: bool,
    quiet: bool,
) -> None:
    """Make a model from a file of vectors.

    VECTORS is a file in GloVe text, word2vec text or binary, fastText .vec, or .npy format; .npy needs a word list.
    """
    from wordatoms.pipeline.embed import import_vectors
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(output, create=True)
    words_path = Path(words) if words else None
    made = import_vectors(Path(vectors), folder, format=format_, words=words_path, max_words=max_words, force=force)
    remark(f"{folder.path}: {made!r}" if made else f"{folder.path}: there already", quiet=quiet)


@click.command("export")
@click.argument("model")
@click.option("-o", "--output", metavar="FILE", required=True, help="File to write, or folder for a compact model.")
@click.option("--format", "format_", type=click.Choice([*FORMATS, COMPACT]), default="word2vec", show_default=True)
@options.force
@options.quiet
def export_(model: str, output: str, format_: str, force: bool, quiet: bool) -> None:
    """Export vectors for other programs, or a compact model to share.

    A compact model answers all queries and is about a tenth as large: vectors have one byte per number, and counts and
    other files needed only for training are left out.
    """
    if format_ == COMPACT:
        _export_compact(model, output, force=force, quiet=quiet)
    else:
        _export_vectors(model, output, format_, force=force, quiet=quiet)


def _export_compact(model: str, output: str, *, force: bool, quiet: bool) -> None:
    from wordatoms.pipeline.compact import compact
    from wordatoms.storage.folder import ModelFolder

    made = compact(ModelFolder(model), output, force=force)
    n_bytes = sum(path.stat().st_size for path in made.path.iterdir())
    remark(f"{output}: compact model, {n_bytes / 1e6:,.1f} MB", quiet=quiet)


def _export_vectors(model: str, output: str, format_: str, *, force: bool, quiet: bool) -> None:
    from wordatoms.embeddings.vector_files import write_vectors
    from wordatoms.errors import InputError

    beside = [Path(output).with_suffix(".words")] if format_ == "npy" else []
    for path in (Path(output), *beside):
        if path.exists() and not force:
            raise InputError(f"{path} is there already; pass --force to replace it.")
    embeddings = load_embeddings(model)
    write_vectors(embeddings, Path(output), format=format_)
    remark(f"{output}: {len(embeddings):,} words, {embeddings.dim} dimensions, {format_}", quiet=quiet)


@click.command()
@click.argument("folder", metavar="[MODEL]", required=False)
@options.model
@click.option("--verify", is_flag=True, help="Verify the checksums of all files; exit with code 1 if one is damaged.")
@options.as_json
def info(folder: str | None, model: str, verify: bool, as_json: bool) -> None:
    """Describe a model and how each stage was made."""
    from wordatoms.storage.folder import ModelFolder

    opened = ModelFolder(folder or model)
    if verify:
        _show_files(opened, as_json=as_json)
    else:
        _show_stages(opened, as_json=as_json)


def _show_files(opened: ModelFolder, *, as_json: bool) -> None:
    """Show every file with its state; raise if one is damaged."""
    checked = opened.check_files(thorough=True)
    broken = [file for file in checked if file.fault]
    if as_json:
        show_json({"model": str(opened.path), "whole": not broken, "files": [file._asdict() for file in checked]})
    else:
        rows = [
            (file.stage, file.name, file.n_bytes, file.fault or ("whole" if file.read else "there")) for file in checked
        ]
        show_table(["stage", "file", "bytes", "state"], rows)
    if broken:
        opened.check(thorough=True)


def _show_stages(opened: ModelFolder, *, as_json: bool) -> None:
    from wordatoms.pipeline.atomize import read_atom_report
    from wordatoms.pipeline.describing import folder_facts

    facts = folder_facts(opened)
    report = read_atom_report(opened) if "atomize" in opened.stages else None
    if as_json:
        show_json({**opened.manifest, "facts": facts, "atom_report": report})
        return
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' ')}: {_number(value)}")
    for stage, record in opened.stages.items():
        click.echo(f"\n{stage}  ({_origin(record)})")
        for name, value in {**record["settings"], **_input_facts(record)}.items():
            click.echo(f"  {name}: {_short(value)}")
        click.echo(f"  files: {', '.join(record['files'])}")
        for line in report_lines(report) if stage == "atomize" and report else []:
            click.echo(f"  {line}")


def _origin(record: dict[str, Any]) -> str:
    """The program and time that made a stage; compact models have no times."""
    seconds = [f"{record['seconds']:,.1f} s"] if "seconds" in record else []
    return ", ".join([record["program"], *([record["made"]] if "made" in record else []), *seconds])


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)


def _input_facts(record: dict[str, Any]) -> dict[str, Any]:
    inputs = record.get("inputs", [])
    return {"inputs": f"{len(inputs)} files, {sum(file['n_bytes'] for file in inputs):,} bytes"} if inputs else {}


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | dict) else str(value)
    return text if len(text) <= 80 else text[:77] + "…"

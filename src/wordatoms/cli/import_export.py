"""`import` and `export`: vectors of words or items from and for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from wordatoms.cli import options
from wordatoms.cli.models import find_model, load_embeddings
from wordatoms.cli.output import remark
from wordatoms.errors import InputError

MATRICES = ("npy", "safetensors", "parquet")
FORMATS = ("glove", "word2vec", "word2vec-binary", "fasttext", *MATRICES)
COMPACT, HUGGINGFACE = "compact", "huggingface"


@click.command("import")
@click.argument("vectors")
@options.output
@click.option(
    "--format",
    type=click.Choice(["auto", *FORMATS, HUGGINGFACE]),
    default="auto",
    help="Format of the file; auto recognises it.",
)
@click.option(
    "--words",
    type=click.Path(path_type=Path),
    help="Word list of a file of vectors without words, one word per line.",
)
@click.option(
    "--texts",
    type=click.Path(path_type=Path),
    help="Texts that the vectors of an .npy, .safetensors or .parquet file stand for, one on each line, or a table "
    "with --column: makes a model of items.",
)
@click.option(
    "--column",
    metavar="NAME",
    help="Column with the texts, of the table --texts or else of the .parquet file of vectors: makes a model of items.",
)
@options.array
@click.option("--max-words", type=click.IntRange(1), help="Read only the first words, up to this number.")
@options.language
@options.force
@options.quiet
def import_(
    vectors: str,
    output: str,
    format: str,
    words: Path | None,
    texts: Path | None,
    column: str | None,
    array: str | None,
    max_words: int | None,
    language: str,
    force: bool,
    quiet: bool,
) -> None:
    """Make a model from a file of vectors, or from an exported model.

    VECTORS is GloVe text, word2vec text or binary, fastText .vec, or an .npy, .safetensors or .parquet file with a list
    of its words; or a folder in the layout of the Hugging Face hub that wordatoms exported, which has its own words and
    language. With --texts or --column, the vectors are those of sentences, documents or other texts.
    """
    if texts is not None or column is not None:
        if words is not None or max_words is not None or format not in ("auto", *MATRICES):
            raise click.UsageError("--texts and --column are for items; leave out --words, --max-words and --format.")
        _import_items(Path(vectors), output, texts, column, array, force=force, quiet=quiet)
        return
    if array is not None and format == HUGGINGFACE:
        raise click.UsageError("--array is for a file of vectors.")
    if format == HUGGINGFACE or (format == "auto" and Path(vectors).is_dir()):
        _import_pretrained(vectors, output, words=words, max_words=max_words, force=force, quiet=quiet)
        return
    from wordatoms.pipeline.import_vectors import import_vectors
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(output, create=True)
    made = import_vectors(
        Path(vectors),
        folder,
        format=format,
        words=words,
        array=array,
        max_words=max_words,
        language=language,
        force=force,
    )
    remark(f"{folder.path}: {made!r}" if made else f"{folder.path}: exists already", quiet=quiet)


def _import_items(
    vectors: Path, output: str, texts: Path | None, column: str | None, array: str | None, *, force: bool, quiet: bool
) -> None:
    from wordatoms.pipeline.import_items import import_items
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(output, create=True)
    made = import_items(vectors, folder, texts=texts, column=column, array=array, force=force)
    done = f"{len(made):,} items, {made.dim} dimensions" if made else "exists already"
    remark(f"{folder.path}: {done}", quiet=quiet)


def _import_pretrained(
    source: str, output: str, *, words: Path | None, max_words: int | None, force: bool, quiet: bool
) -> None:
    from wordatoms.pipeline.huggingface import from_pretrained

    if words is not None or max_words is not None:
        raise click.UsageError("an exported model has its own words; leave out --words and --max-words.")
    model = from_pretrained(source, output, force=force)
    remark(f"{output}: {len(model.words):,} words, {len(model.atoms):,} atoms", quiet=quiet)


@click.command()
@click.argument("model")
@click.option("-o", "--output", metavar="PATH", required=True, help="File to write, or folder of the new model.")
@click.option(
    "--format",
    type=click.Choice([*FORMATS, COMPACT, HUGGINGFACE]),
    help="File format; compact for a smaller model folder, huggingface for a folder in the layout of the hub.  "
    "[default: as the file is named .npy, .safetensors or .parquet, else word2vec]",
)
@click.option("--license", metavar="ID", default="", help="Licence for the model card of huggingface, such as mit.")
@options.force
@options.quiet
def export(model: str, output: str, format: str | None, license: str, force: bool, quiet: bool) -> None:
    """Export the vectors of words or items, or the whole model.

    MODEL is the folder of a model; "english" is the bundled one.

    A compact model is a folder of about a tenth of the size that answers the same questions: it has quantized vectors,
    and neither counts nor anything else that only training needs. A folder in the layout of the Hugging Face hub gives
    the same answers to the last digit; it has safetensors and a model card, and wordatoms import reads it.
    """
    model = find_model(model)
    if license and format != HUGGINGFACE:
        raise click.UsageError("--license is for the model card of --format huggingface.")
    if format == HUGGINGFACE:
        done = _export_pretrained(model, output, license, force=force)
    elif format == COMPACT:
        done = _export_compact(model, output, force=force)
    else:
        done = _export_vectors(model, Path(output), format or _named_format(output), force=force)
    remark(f"{output}: {done}", quiet=quiet)


def _export_compact(model: str, output: str, *, force: bool) -> str:
    from wordatoms.pipeline.compact import compact
    from wordatoms.storage.folder import ModelFolder

    made = compact(ModelFolder(model), output, force=force)
    return f"compact model, {sum(path.stat().st_size for path in made.path.iterdir()) / 1e6:,.1f} MB"


def _export_pretrained(model: str, output: str, license: str, *, force: bool) -> str:
    from wordatoms.pipeline.huggingface import save_pretrained

    made = save_pretrained(model, output, license=license, force=force)
    return f"model card, config and safetensors, {sum(path.stat().st_size for path in made.iterdir()) / 1e6:,.1f} MB"


def _named_format(output: str) -> str:
    """Return the format that the name of a file asks for."""
    suffix = Path(output).suffix.lower().removeprefix(".")
    return suffix if suffix in MATRICES else "word2vec"


def _export_vectors(model: str, output: Path, format: str, *, force: bool) -> str:
    from wordatoms.embeddings.items import ItemTexts
    from wordatoms.embeddings.vector_files import write_vectors
    from wordatoms.storage.folder import ModelFolder

    for path in (output, *([output.with_suffix(".words")] if format in ("npy", "safetensors") else [])):
        if path.exists() and not force:
            raise InputError(f"{path} exists already; pass --force to replace it.")
    has_items = ModelFolder(model).has_items
    if has_items and format not in MATRICES:
        raise InputError(f"{model} is a model of items; pass --format npy, safetensors or parquet, not {format}.")
    embeddings = load_embeddings(model, items=True)
    texts = ItemTexts.load(Path(model), len(embeddings)) if has_items else None
    write_vectors(embeddings, output, format=format, texts=texts)
    return f"{len(embeddings):,} {'items' if has_items else 'words'}, {embeddings.dim} dimensions, {format}"

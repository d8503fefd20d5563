"""`train` and its stages `count` and `embed`."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from wordatoms.cli import options
from wordatoms.cli.output import remark
from wordatoms.errors import InputError, require_extra

Command = Callable[..., Any]
METHODS = ("sn", "glove", "pmi", "nnse", "skipgram")


def _with(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Several decorators as one."""
    return lambda command: reduce(lambda inner, decorate: decorate(inner), reversed(decorators), command)


text_argument = click.argument("text", nargs=-1, required=True)
count_options = _with(
    click.option("--min-count", type=click.IntRange(1), default=5, show_default=True, help="Rarer words are left out."),
    click.option(
        "--max-words",
        type=click.IntRange(0),
        default=50_000,
        show_default=True,
        callback=lambda _context, _option, value: value or None,
        help="Keep the most frequent words only; 0 keeps all.",
    ),
    click.option(
        "--window",
        type=click.IntRange(1),
        default=10,
        show_default=True,
        help="Words on each side that count.",
    ),
    click.option(
        "--weighting",
        type=click.Choice(["harmonic", "flat"]),
        default="harmonic",
        show_default=True,
        help="A neighbour counts 1/distance (harmonic) or 1 (flat).",
    ),
    click.option("--keep-case", is_flag=True, help="Do not lower-case."),
    click.option("--pretokenized", is_flag=True, help="The text is split already: cut it at white space only."),
    click.option(
        "--phrases",
        type=click.Path(exists=True, dir_okay=False),
        help="File of phrases, one per line, that become one word: new york → new_york.",
    ),
    click.option("--replace-invalid", is_flag=True, help="Read over broken UTF-8 instead of stopping at it."),
)
embed_options = _with(
    click.option("--method", type=click.Choice(METHODS), default="sn", show_default=True, help="The embedding."),
    click.option("--dim", type=click.IntRange(1), default=300, show_default=True, help="Dimensions of the vectors."),
    click.option("--epochs", type=click.IntRange(1), help="Passes of training (sn, glove, skipgram)."),
    click.option(
        "-p",
        "--parameter",
        "parameters",
        type=options.Assignment(),
        multiple=True,
        help="Any other parameter of the method, such as learning_rate=0.02; may be repeated.",
    ),
    options.seed,
)


@click.command()
@text_argument
@options.output
@count_options
@embed_options
@options.memory
@options.threads
@options.force
@options.quiet
def train(text: tuple[str, ...], output: str, **given: Any) -> None:
    """Train a model on text.

    Counts its words and pairs, then makes vectors. TEXT is any number of files, folders, globs, or - for standard
    input; plain or compressed (gzip, bzip2, xz, zstd), one paragraph per line, or MediaWiki dumps. What is done already
    is not done again; an interrupted training goes on.
    """
    from wordatoms.folder import ModelFolder
    from wordatoms.pipeline import chosen_parameters

    chosen_parameters(given["method"], _parameters(given))  # a mistake there should not wait for the counting
    if given["method"] == "skipgram":
        require_extra("gensim", "skipgram")
        _refuse_streams(text)
    folder = ModelFolder(output, create=True)
    _count(text, folder, given)
    _embed(folder, text, given)


@click.command()
@text_argument
@options.output
@count_options
@options.memory
@options.threads
@options.force
@options.quiet
def count(text: tuple[str, ...], output: str, **given: Any) -> None:
    """Stage 1 of train: vocabulary and co-occurrences."""
    from wordatoms.folder import ModelFolder

    _count(text, ModelFolder(output, create=True), given)


@click.command()
@click.argument("model")
@embed_options
@click.option("--text", multiple=True, help="Where the text is now, for skipgram; may be repeated.")
@click.option("-o", "--output", metavar="MODEL", help="Put the vectors into a new model that shares the counts.")
@options.threads
@options.force
@options.quiet
def embed(model: str, text: tuple[str, ...], output: str | None, **given: Any) -> None:
    """Stage 2 of train: word vectors from the counts."""
    from wordatoms.folder import ModelFolder

    folder = ModelFolder(model)
    _embed(folder.share("count", output) if output else folder, text, given)


def _count(text: tuple[str, ...], folder: Any, given: dict[str, Any]) -> None:
    from wordatoms.pipeline import CountSettings, count
    from wordatoms.vocabulary import Vocabulary

    settings = CountSettings(
        phrases=_read_phrases(given["phrases"]),
        **{name: given[name] for name in CountSettings.__dataclass_fields__ if name != "phrases"},
    )
    run = {name: given[name] for name in ("memory", "threads", "force", "quiet")}
    made = count(text, folder, settings, **run)
    _tell(folder, "count", repr(Vocabulary.load(folder.path)), made=made, quiet=given["quiet"])


def _embed(folder: Any, text: tuple[str, ...], given: dict[str, Any]) -> None:
    from wordatoms.pipeline import embed

    parameters = _parameters(given)
    run = {name: given[name] for name in ("threads", "force", "quiet")}
    made = embed(folder, given["method"], parameters=parameters, sources=text, random_state=given["seed"], **run)
    _tell(folder, "embed", f"{given['method']} vectors", made=made, quiet=given["quiet"])


def _refuse_streams(text: tuple[str, ...]) -> None:
    for source in text:
        if source == "-" or Path(source).is_fifo():
            raise InputError(f"skip-gram reads the text more than once, and '{source}' is a stream; save it to a file.")


def _parameters(given: dict[str, Any]) -> dict[str, Any]:
    parameters = {"dim": given["dim"], **({"epochs": given["epochs"]} if given["epochs"] else {})}
    return {**parameters, **dict(given["parameters"])}


def _read_phrases(path: str | None) -> tuple[str, ...]:
    if path is None:
        return ()
    try:
        lines = Path(path).read_bytes().decode().split("\n")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 text at byte {error.start:,}; pass a file with a phrase per line."
        ) from None
    return tuple(sorted({line.strip() for line in lines if line.strip()}))


def _tell(folder: Any, stage: str, what: str, *, made: bool, quiet: bool) -> None:
    record = folder.stages[stage]
    memory = f", peak memory {record['peak_memory'] / 1e6:,.0f} MB" if record.get("peak_memory") else ""
    how = f"made in {record['seconds']:,.1f} s{memory}" if made else "there already"
    remark(f"{folder.path}: {what}, {how}", quiet=quiet)

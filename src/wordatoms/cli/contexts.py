"""`induce`: a vector for a new or rare word from its contexts."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.output import show_json, show_table

include_target = click.option("--include-target", is_flag=True, help="Keep the word itself in its contexts.")


@click.command()
@click.argument("word")
@click.option(
    "--contexts",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True),
    required=True,
    help="File with one context per line; - is standard input.",
)
@options.model
@include_target
@options.number
@options.as_json
def induce(word: str, contexts: str, model: str, include_target: bool, number: int, as_json: bool) -> None:
    """A vector for a new or rare word from its contexts.

    WORD may be several words, such as "new york". Its nearest words are shown. A line without WORD is a context as a
    whole.
    """
    from wordatoms.embeddings import Embeddings
    from wordatoms.folder import ModelFolder
    from wordatoms.inducedmap import InducedMap, find_contexts
    from wordatoms.modeltokens import model_tokenizer

    folder = ModelFolder(model)
    folder.require("map", f"run: wordatoms map {model}")
    learned, embeddings = InducedMap.load(folder.path), Embeddings.load(folder.path)
    sif = learned.sif(embeddings, model_tokenizer(folder))
    inside = include_target or learned.include_target
    found = find_contexts(word, _read_lines(contexts), sif, window=learned.window, include_target=inside)
    vector = learned.induce(sif, found)
    nearest = embeddings.nearest(vector, number)
    if as_json:
        neighbours = [near._asdict() for near in nearest]
        show_json({"word": word, "n_contexts": len(found), "nearest": neighbours, "vector": vector.tolist()})
    else:
        show_table(["word", "cosine"], nearest)


def _read_lines(path: str) -> list[str]:
    """The lines of a file that are not blank."""
    from wordatoms.errors import InputError

    try:
        with click.open_file(path, encoding="utf-8") as file:
            lines = [line for line in file.read().split("\n") if line.strip()]
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text at byte {error.start:,}; pass one context per line.") from None
    if not lines:
        raise InputError(f"{path} holds no contexts; write one per line.")
    return lines

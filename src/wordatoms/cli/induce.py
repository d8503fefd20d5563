"""`induce`: a vector for a new or rare word from its contexts."""

from __future__ import annotations

import click

from wordatoms.cli import options
from wordatoms.cli.output import show_json, show_table
from wordatoms.cli.texts import read_lines


@click.command()
@click.argument("word")
@options.contexts
@options.context_column
@options.model
@click.option("--include-target", is_flag=True, help="Count the word itself among the words of its contexts.")
@options.number
@options.as_json
def induce(
    word: str, contexts: str, column: str | None, model: str, include_target: bool, number: int, as_json: bool
) -> None:
    """Induce a vector for a new or rare word from its contexts.

    Shows the words nearest to the vector. WORD may be several words, such as "new york". A line without WORD counts as
    a context as a whole.
    """
    from wordatoms.contexts.induced_map import InducedMap, find_contexts
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.senses.parts import model_tokenizer
    from wordatoms.storage.folder import ModelFolder

    folder = ModelFolder(model)
    folder.require("map", f"run: wordatoms map {model}")
    folder.check()
    learned, embeddings = InducedMap.load(folder.path), Embeddings.load(folder.path)
    sif = learned.sif(embeddings, model_tokenizer(folder))
    inside = include_target or learned.include_target
    found = find_contexts(word, read_lines(contexts, column), sif, window=learned.window, include_target=inside)
    vector = learned.induce(sif, found)
    nearest = embeddings.nearest(vector, number)
    if as_json:
        show_json({"word": word, "n_contexts": len(found), "nearest": nearest, "vector": vector.tolist()})
    else:
        show_table(["word", "cosine"], nearest)

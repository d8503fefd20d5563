"""`induce`: a vector for a new or rare word from its contexts, or one for each of its senses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.models import load_model
from wordatoms.cli.output import counted, remark, show_json, show_table
from wordatoms.cli.texts import read_lines

if TYPE_CHECKING:
    from wordatoms.senses.inducing import InducedSense
    from wordatoms.storage.folder import ModelFolder

N_TYPICAL, LONGEST = 2, 100
"""Contexts shown of each sense, and their maximum length in characters."""


@click.command()
@click.argument("word")
@options.contexts
@options.context_column
@click.option("-k", "k", type=options.NUMBER_OR_AUTO, help="Number of senses, or auto.  [default: auto with --encoder]")
@options.model
@options.encoder
@click.option("--include-target", is_flag=True, help="Count the word itself among the words of its contexts.")
@options.number
@options.seed
@options.threads
@options.as_json
@options.quiet
def induce(
    word: str, contexts: str, column: str | None, k: Any, model: str, include_target: bool, number: int, **given: Any
) -> None:
    """Induce a vector for a new or rare word from its contexts.

    Shows the words nearest to the vector. WORD may be several words, such as "new york". A line without WORD counts as
    a context as a whole.

    With -k or --encoder the contexts are also clustered by sense, and each sense has a vector of its own.
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
    inside, texts = include_target or learned.include_target, read_lines(contexts, column, blank=True)
    lines = [text for text in texts if text.strip()]
    found = find_contexts(word, lines, sif, window=learned.window, include_target=inside)
    vector = learned.induce(sif, found)
    nearest, senses = embeddings.nearest(vector, number), None
    if k is not None or _reads_along(folder, given["encoder"]):
        opened = load_model(model, given["encoder"], options.local_run(given))
        if k is None and not opened.usages(word, texts):
            remark(f"no line has {word!r}, so there are no places for the encoder to read")
        else:
            senses = opened.induce_senses(
                word, texts, k or "auto", n_nearest=number, include_target=include_target, random_state=given["seed"]
            )
    if given["as_json"]:
        whole = {"word": word, "n_contexts": len(found), "nearest": nearest, "vector": vector.tolist()}
        show_json(whole if senses is None else {**whole, "senses": [_as_json(each) for each in senses]})
    else:
        show_table(["word", "cosine"], nearest)
        for place, each in enumerate(senses or (), 1):
            _show(place, each, texts, "row" if column else "line")


def _reads_along(folder: ModelFolder, encoder: str | None) -> bool:
    """Whether an encoder was given, or is in the model folder."""
    from wordatoms.senses.model import ENCODER, NO_ENCODER

    return encoder != NO_ENCODER and (encoder is not None or (Path(folder.path) / ENCODER).is_dir())


def _as_json(sense: InducedSense) -> dict[str, Any]:
    lines = [text + 1 for text in sense.texts]
    return {
        "n_contexts": sense.n_contexts,
        "lines": lines,
        "nearest": sense.nearest,
        "vector": sense.vector.tolist(),
    }


def _show(place: int, sense: InducedSense, texts: list[str], thing: str) -> None:
    click.echo(f"\nsense {place}: {counted(sense.n_contexts, 'context')}")
    click.echo(f"  {' '.join(near.word for near in sense.nearest)}")
    for text in sense.texts[:N_TYPICAL]:
        line = " ".join(texts[text].split())
        click.echo(f"  {thing} {text + 1}: {line if len(line) <= LONGEST else line[: LONGEST - 1] + '…'}")

"""Table 4: word vectors and the senses of WordNet."""

from __future__ import annotations

from pathlib import Path

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import data, show_result
from wordatoms.cli.models import load_embeddings


@click.command()
@options.model
@click.option(
    "--wordnet", "wordnet_folder", type=click.Path(), help="Folder of WordNet.  [default: where it usually is]"
)
@data
@click.option(
    "--random",
    "n_random",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Sets of other words' senses for each word.",
)
@options.seed
@options.as_json
def wordnet(model: str, wordnet_folder: str | None, data: str, n_random: int, seed: int, as_json: bool) -> None:
    """Table 4: the cosine of a word's vector with the span of its senses in WordNet."""
    from wordatoms.contexts.induced_map import InducedMap
    from wordatoms.paper.tasks.wordnet.evaluate import evaluate_wordnet, read_targets
    from wordatoms.paper.wordnet import WordNet
    from wordatoms.senses.parts import model_tokenizer
    from wordatoms.storage.folder import ModelFolder

    embeddings, folder = load_embeddings(model), ModelFolder(model)
    folder.require("map", f"run: wordatoms map {model}")
    result = evaluate_wordnet(
        embeddings,
        InducedMap.load(folder.path),
        WordNet(wordnet_folder),
        read_targets(Path(data)),
        tokenizer=model_tokenizer(folder),
        n_random=n_random,
        random_state=seed,
    )
    show_result(result, as_json=as_json)

"""Tables 7 and 8: word sense induction, and the similarity of words in context."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import data, show_result
from wordatoms.cli.models import load_embeddings, load_model

if TYPE_CHECKING:
    from wordatoms.progress import Display
    from wordatoms.senses import SenseModel
    from wordatoms.usages import SenseInventory

competitors = click.option(
    "--competitors", is_flag=True, help="The paper's competitors beside it; reads the text of the model once."
)
text = click.option("--text", multiple=True, help="Where the text of the model is now; may be repeated.")
nnse = click.option("--nnse", metavar="MODEL", help="A model of NNSE vectors, as a further competitor.")


@click.command()
@options.model
@data
@competitors
@text
@nnse
@options.seed
@options.threads
@options.as_json
@options.quiet
def wsi(model: str, data: str, seed: int, as_json: bool, **given: Any) -> None:
    """Table 7: contexts of a word put together by sense (SemEval-2010, task 14)."""
    from wordatoms.progress import Display
    from wordatoms.tasks.semeval import read_semeval
    from wordatoms.tasks.wsi import evaluate_wsi
    from wordatoms.tasks.wsimethods import competing_methods, our_methods

    opened, display = load_model(model), Display(quiet=given["quiet"] or as_json)
    words = read_semeval(Path(data), opened.tokenizer)
    methods = our_methods(opened, random_state=seed)
    methods += competing_methods(_learn(opened, sorted({word.lemma for word in words}), seed, given, display))
    with display.item_bar("methods", n_items=len(methods) * len(words)) as advance:
        result = evaluate_wsi(words, methods, random_state=seed, report=lambda _method, _word: advance())
    show_result(result, as_json=as_json)


@click.command()
@options.model
@data
@competitors
@text
@nnse
@click.option("--with", "others", multiple=True, metavar="MODEL", help="The cosine of another model; may be repeated.")
@click.option("--ablation", is_flag=True, help="Atoms of other vectors too, learned on the spot.")
@options.seed
@options.threads
@options.as_json
@options.quiet
def scws(model: str, data: str, seed: int, as_json: bool, **given: Any) -> None:
    """Table 8: the similarity of words in context (SCWS)."""
    from wordatoms.progress import Display
    from wordatoms.tasks.scws import evaluate_scws, read_scws
    from wordatoms.tasks.scwsablation import ablation_methods
    from wordatoms.tasks.scwsmethods import competing_methods, cosine_method, our_methods

    opened, display = load_model(model), Display(quiet=given["quiet"] or as_json)
    pairs = read_scws(Path(data), opened.tokenizer)
    words = sorted({word.lower() for pair in pairs for word in (pair.word1, pair.word2)})
    methods = [*our_methods(opened), cosine_method("cosine", opened.embeddings)]
    methods += [cosine_method(f"cosine, {Path(other).name}", load_embeddings(other)) for other in given["others"]]
    methods += competing_methods(_learn(opened, words, seed, given, display))
    if given["ablation"]:
        methods += ablation_methods(opened, random_state=seed, threads=given["threads"])
    show_result(evaluate_scws(pairs, methods), as_json=as_json)


def _learn(
    opened: SenseModel, words: Sequence[str], seed: int, given: dict[str, Any], display: Display
) -> dict[str, SenseInventory]:
    """The competitors that were asked for."""
    from wordatoms.competitors import LEARNED, known_words, learn_competitor, learn_nnse
    from wordatoms.pipeline.competing import sample_word_windows
    from wordatoms.sif import SIF, p_words

    made: dict[str, SenseInventory] = {}
    if given["competitors"]:
        known = known_words(words, opened.embeddings)
        windows = sample_word_windows(
            opened.folder, known, sources=given["text"], random_state=seed, threads=given["threads"], display=display
        )
        sif = opened.induced_map.sif(opened.embeddings, opened.tokenizer)
        for name in LEARNED:
            made[name] = learn_competitor(
                name,
                sif,
                windows,
                known,
                induced_map=opened.induced_map,
                random_state=seed,
                threads=given["threads"] or 2,
            )
    if given["nnse"]:
        vectors = load_embeddings(given["nnse"])
        sif = SIF(vectors, p_words(vectors), tokenizer=opened.tokenizer)
        made["nnse"] = learn_nnse(sif, known_words(words, vectors))
    return made

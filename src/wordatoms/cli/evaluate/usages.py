"""Tables 7 and 8: word sense induction, and the similarity of words in context."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import data, show_result
from wordatoms.cli.evaluate.competing import competing, learn_competitors
from wordatoms.cli.models import load_embeddings, load_model


@click.command()
@options.model
@data
@competing
@options.seed
@options.threads
@options.as_json
@options.quiet
def wsi(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Table 7: contexts of a word put together by sense (SemEval-2010, task 14)."""
    from wordatoms.paper.tasks.wsi.data import read_semeval
    from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi
    from wordatoms.paper.tasks.wsi.methods import competing_methods, our_methods
    from wordatoms.progress import Display

    opened, display = load_model(model), Display(quiet=given["quiet"] or as_json)
    words, seed = read_semeval(Path(data), opened.tokenizer), given["seed"]
    methods = our_methods(opened, random_state=seed)
    methods += competing_methods(learn_competitors(opened, sorted({word.lemma for word in words}), given, display))
    with display.item_bar("methods", n_items=len(methods) * len(words)) as advance:
        result = evaluate_wsi(words, methods, random_state=seed, report=lambda _method, _word: advance())
    show_result(result, as_json=as_json)


@click.command()
@options.model
@data
@competing
@click.option("--with", "others", multiple=True, metavar="MODEL", help="The cosine of another model; may be repeated.")
@click.option("--ablation", is_flag=True, help="Atoms of other vectors too, learned on the spot.")
@options.seed
@options.threads
@options.as_json
@options.quiet
def scws(model: str, data: str, as_json: bool, **given: Any) -> None:
    """Table 8: the similarity of words in context (SCWS)."""
    from wordatoms.paper.tasks.scws.ablation import ablation_methods
    from wordatoms.paper.tasks.scws.evaluate import evaluate_scws, read_scws
    from wordatoms.paper.tasks.scws.methods import competing_methods, cosine_method, our_methods
    from wordatoms.progress import Display

    opened, display = load_model(model), Display(quiet=given["quiet"] or as_json)
    pairs = read_scws(Path(data), opened.tokenizer)
    words = sorted({word.lower() for pair in pairs for word in (pair.word1, pair.word2)})
    methods = [*our_methods(opened), cosine_method("cosine", opened.embeddings)]
    methods += [cosine_method(f"cosine, {Path(other).name}", load_embeddings(other)) for other in given["others"]]
    methods += competing_methods(learn_competitors(opened, words, given, display))
    if given["ablation"]:
        methods += ablation_methods(opened, random_state=given["seed"], threads=given["threads"])
    show_result(evaluate_scws(pairs, methods), as_json=as_json)

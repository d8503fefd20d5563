"""Table 3: pseudowords against Theorem 2."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import plot, show_result
from wordatoms.cli.models import load_embeddings
from wordatoms.cli.output import show_table
from wordatoms.embeddings.trainers import trainer_names

if TYPE_CHECKING:
    from wordatoms.paper.tasks.pseudowords.coefficients import CoefficientFits
    from wordatoms.paper.tasks.pseudowords.evaluate import PseudowordsResult
    from wordatoms.run import Run
    from wordatoms.storage.folder import ModelFolder


@click.command()
@options.model
@click.option(
    "--method",
    type=click.Choice([*trainer_names(has="holds_words"), *trainer_names(has="reads_text")]),
    help="[default: that of the model]",
)
@click.option(
    "--pairs",
    type=click.IntRange(2),
    multiple=True,
    default=(10, 1000),
    show_default=True,
    help="Pairs of words to merge; may be repeated.",
)
@click.option("--runs", type=click.IntRange(1), help="Runs for each number of pairs.  [default: 5; skipgram: 1]")
@click.option("--largest", is_flag=True, help="One run more, with 90% of the words merged (not skipgram).")
@click.option("--min-count", type=click.IntRange(1), default=1, show_default=True, help="Rarer words are not drawn.")
@click.option("--epochs", type=click.IntRange(1), help="Passes of training.  [default: as the model]")
@click.option("--text", multiple=True, help="Where the text is now, for skipgram; may be repeated.")
@plot
@options.seed
@options.threads
@options.as_json
def pseudowords(model: str, as_json: bool, plot: str | None, **given: Any) -> None:
    """Table 3: two words merged into one, its vector against the sum that Theorem 2 predicts.

    With vectors by SN or GloVe the words are merged in the counts, and all others stay where they are. With vectors by
    skip-gram they are merged in the text, all words are trained anew, and the result is mapped back.
    """
    from wordatoms.plots import check_plot

    if plot:
        check_plot(plot)
    result = _evaluate(model, given)
    show_result(result, as_json=as_json)
    if not as_json:
        click.echo()
        show_table(
            [field.name for field in fields(result.coefficients.bins[0])], list(map(astuple, result.coefficients.bins))
        )
    if plot:
        _draw(plot, result.method, result.coefficients)


def _evaluate(model: str, given: dict[str, Any]) -> PseudowordsResult:
    from wordatoms.counts.cooccurrence import Counts
    from wordatoms.errors import InputError
    from wordatoms.paper.tasks.pseudowords.evaluate import evaluate_pseudowords, evaluate_retrained_pseudowords
    from wordatoms.paper.texts import training_parameters
    from wordatoms.storage.folder import ModelFolder

    folder, embeddings = ModelFolder(model), load_embeddings(model)
    if given["method"] not in (None, embeddings.method):
        raise InputError(f"{model} holds vectors by {embeddings.method}, not {given['method']}; pass another model.")
    common = {"n_pairs": given["pairs"], "min_count": given["min_count"], "random_state": given["seed"]}
    epochs = {"epochs": given["epochs"]} if given["epochs"] else {}
    common["parameters"] = training_parameters(folder, embeddings.method) | epochs
    if embeddings.method in trainer_names(has="reads_text"):
        if given["largest"]:
            raise InputError("--largest leaves too few words to map the vectors by; pass --pairs.")
        with _written_text(folder, given["text"], options.local_run(given)) as lines:
            return evaluate_retrained_pseudowords(embeddings, lines, n_runs=given["runs"] or 1, **common)
    common |= {"n_runs": given["runs"] or 5, "largest": given["largest"], "threads": given["threads"]}
    return evaluate_pseudowords(embeddings, Counts.load(folder.path), **common)


@contextmanager
def _written_text(folder: ModelFolder, text: tuple[str, ...], run: Run) -> Iterator[Path]:
    """The text of the model as words between spaces."""
    from wordatoms.counts.lines import write_lines
    from wordatoms.counts.vocabulary import Vocabulary
    from wordatoms.pipeline.sources import counted_text, settings_of
    from wordatoms.storage.files import spill_folder

    with folder.working(), spill_folder(folder.work) as spill:
        lines = spill / "lines.txt"
        with counted_text(folder, text, run) as corpus:
            tokenizer = settings_of(folder.stages["count"]).tokenizer
            write_lines(corpus, Vocabulary.load(folder.path), lines, tokenizer=tokenizer)
        yield lines


def _draw(path: str, method: str, coefficients: CoefficientFits) -> None:
    from wordatoms.plots import draw_lines

    names = {
        "alpha": "α, best",
        "beta": "β, best",
        "theorem_alpha": "α, Theorem 2",
        "theorem_beta": "β, Theorem 2",
        "log_beta": "β = 1 − ½·log₁₀ r",
    }
    ratios = [each.ratio for each in coefficients.bins]
    draw_lines(
        path,
        {name: (ratios, [getattr(each, key) for each in coefficients.bins]) for key, name in names.items()},
        title=f"Pseudowords: α·v₁ + β·v₂, medians ({method})",
        x_label="how many times more frequent the first word is, r",
        y_label="coefficient",
        log_x=True,
        points=True,
    )

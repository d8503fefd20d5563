"""Table 2: induced embeddings of held-out words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import plot, show_result
from wordatoms.cli.models import load_embeddings
from wordatoms.cli.output import remark

if TYPE_CHECKING:
    from wordatoms.paper.tasks.induced.evaluate import InducedResult
    from wordatoms.run import Run
    from wordatoms.storage.folder import ModelFolder
    from wordatoms.text.corpus import Corpus

text_option = click.option(
    "--text", multiple=True, help="Text to read; may be repeated.  [default: the text that was counted]"
)


@click.command()
@options.model
@text_option
@click.option("--window", type=click.IntRange(1, 1000), default=10, show_default=True, help="Words on each side.")
@click.option(
    "--a", type=click.FloatRange(0, min_open=True), default=1e-3, show_default=True, help="Of the weights of SIF."
)
@click.option(
    "--amounts", type=click.IntRange(1), default=4, show_default=True, help="Growing parts of the text to show."
)
@click.option(
    "--min-contexts",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Words with fewer are left out, as long as two words per dimension remain.",
)
@plot
@options.seed
@options.memory
@options.threads
@options.as_json
@options.quiet
def induced(model: str, text: tuple[str, ...], plot: str | None, as_json: bool, **given: Any) -> None:
    """Table 2: vectors of held-out words, induced from their contexts by the map A."""
    from wordatoms.paper.tasks.induced.evaluate import evaluate_induced
    from wordatoms.plots import check_plot
    from wordatoms.senses.parts import model_tokenizer
    from wordatoms.storage.folder import ModelFolder

    if plot:
        check_plot(plot)
    folder, embeddings = ModelFolder(model), load_embeddings(model)
    run = options.local_run(given)
    with opened(folder, text, run) as corpus:
        result = evaluate_induced(
            embeddings,
            corpus,
            window=given["window"],
            a=given["a"],
            n_amounts=given["amounts"],
            min_contexts=given["min_contexts"],
            random_state=given["seed"],
            tokenizer=model_tokenizer(folder),
            run=run,
        )
    show_result(result, as_json=as_json)
    if result.min_contexts < given["min_contexts"]:
        asked, taken = given["min_contexts"], result.min_contexts
        remark(f"too few words have {asked:,} contexts; those with {taken:,} or more were taken", quiet=given["quiet"])
    if plot:
        _draw(plot, result, embeddings.method)


@contextmanager
def opened(folder: ModelFolder, text: tuple[str, ...], run: Run) -> Iterator[Corpus]:
    """The given text or that of the model, in small shards; the model's folder is only read."""
    from wordatoms.paper.texts import SMALL_SHARD_BYTES, evaluation_text

    with evaluation_text(folder, text, run, shard_bytes=SMALL_SHARD_BYTES) as corpus:
        yield corpus


def _draw(path: str, result: InducedResult, method: str) -> None:
    from wordatoms.plots import draw_lines

    shown = [line for line in result.lines if line.common == "kept"]
    names = sorted({(line.average, line.target) for line in shown})
    curves = {name: [line for line in shown if (line.average, line.target) == name] for name in names}
    draw_lines(
        path,
        {
            f"{average}, target {target}": ([line.n_contexts for line in lines], [line.cosine for line in lines])
            for (average, target), lines in curves.items()
        },
        title=f"Induced embeddings of held-out words ({method})",
        x_label="contexts read",
        y_label="cosine with the word vector",
        references={"paper, GloVe": 0.96, "paper, GloVe without A": 0.58},
        points=True,
    )

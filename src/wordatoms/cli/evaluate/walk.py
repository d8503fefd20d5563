"""The theorems on texts drawn from the Gaussian walk."""

from __future__ import annotations

from pathlib import Path

import click

from wordatoms.cli import options
from wordatoms.cli.evaluate.common import plot, show_result
from wordatoms.cli.output import remark


@click.command()
@click.option("--words", "n_words", type=click.IntRange(2), default=5000, show_default=True, help="Words to draw from.")
@click.option("--dim", type=click.IntRange(1), default=20, show_default=True, help="Dimension of the vectors.")
@click.option("--window", type=click.IntRange(2), default=20, show_default=True, help="Words drawn per discourse.")
@click.option("--variance", type=float, default=2.0, show_default=True, help="Variance of the vectors; the paper's: 2.")
@click.option("--trace", type=float, default=2.0, show_default=True, help="Trace of the covariance of discourses.")
@click.option("--spread", type=float, default=5.0, show_default=True, help="Its largest variance over its smallest.")
@click.option(
    "--tokens",
    type=click.IntRange(1),
    default=8_000_000,
    show_default=True,
    help="The longest text, rounded up to blocks of 256 windows.",
)
@click.option("--lengths", type=click.IntRange(1), default=5, show_default=True, help="Texts, each 4 times the last.")
@click.option("--pairs", type=click.IntRange(2), default=100, show_default=True, help="Pairs written as one word.")
@options.seed
@options.threads
@plot
@options.as_json
def walk(
    n_words: int,
    dim: int,
    window: int,
    variance: float,
    trace: float,
    spread: float,
    tokens: int,
    lengths: int,
    pairs: int,
    seed: int,
    threads: int | None,
    plot: str | None,
    as_json: bool,
) -> None:
    """Theorems 1 and 2 on texts drawn from the Gaussian walk, where the right A is known; needs no model."""
    from wordatoms.paper.tasks.walk.data import discourse_covariance, draw_walk
    from wordatoms.paper.tasks.walk.evaluate import block_tokens, draw_walk_errors, evaluate_walk, text_lengths
    from wordatoms.plots import check_plot

    if plot:
        check_plot(plot)
    covariance = discourse_covariance(dim, trace=trace, spread=spread)
    model = draw_walk(n_words, covariance=covariance, variance=variance, window=window, random_state=seed)
    n_drawn = text_lengths(tokens, window, lengths)[-1] * block_tokens(window)
    remark(f"drawing {n_drawn:,} tokens", quiet=False)
    result = evaluate_walk(model, n_tokens=tokens, n_lengths=lengths, n_pairs=pairs, random_state=seed, threads=threads)
    if plot:
        draw_walk_errors(result, Path(plot))
    show_result(result, as_json=as_json)

"""Theorems 1 and 2 on texts drawn from the Gaussian walk (Section 2), where the right A is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.walk.evaluate import WalkResult


def run(
    inputs: Inputs,
    *,
    n_words: int = 5000,
    dim: int = 20,
    window: int = 20,
    variance: float = 2.0,
    trace: float = 2.0,
    spread: float = 5.0,
    tokens: int = 8_000_000,
    lengths: int = 5,
    pairs: int = 100,
) -> WalkResult:
    """Draw vectors and texts of growing length, and measure the theorems on them."""
    from wordatoms.paper.tasks.walk.data import discourse_covariance, draw_walk
    from wordatoms.paper.tasks.walk.evaluate import evaluate_walk

    covariance = discourse_covariance(dim, trace=trace, spread=spread)
    walk = draw_walk(n_words, covariance=covariance, variance=variance, window=window, random_state=inputs.seed)
    return evaluate_walk(
        walk, n_tokens=tokens, n_lengths=lengths, n_pairs=pairs, random_state=inputs.seed, threads=inputs.run.threads
    )


def plot(result: WalkResult, _inputs: Inputs) -> list[LineChart]:
    from wordatoms.paper.tasks.walk.exhibit import draw_errors, numbers_of

    return [draw_errors(numbers_of(result))]


TASKS = (
    Task(
        "walk",
        "Theorems 1 and 2 on texts drawn from the Gaussian walk, where the right A is known; needs no model.",
        run,
        ("seed", "threads"),
        (
            Option("n_words", "Words to draw from.", flags=("--words",), least=2),
            Option("dim", "Dimension of the vectors.", least=1),
            Option("window", "Words drawn per discourse.", least=2),
            Option("variance", "Variance of the vectors; the paper's: 2.", float),
            Option("trace", "Trace of the covariance of discourses.", float),
            Option("spread", "Largest variance of the discourses over the smallest.", float),
            Option("tokens", "The longest text, rounded up to blocks of 256 windows.", least=1),
            Option("lengths", "Number of texts, each 4 times the one before.", least=1),
            Option("pairs", "Pairs of words that are merged into one.", least=2),
        ),
        stages=(),
        plot=plot,
    ),
)

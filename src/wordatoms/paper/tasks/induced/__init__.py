"""Table 2: induced embeddings of held-out words (Section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.induced.evaluate import InducedResult


def run(
    inputs: Inputs,
    *,
    window: int = 10,
    a: float = 1e-3,
    paragraphs: Sequence[int] = (250_000, 500_000, 750_000, 1_000_000),
    min_contexts: int = 1000,
) -> InducedResult:
    """Hold words out, fit A to the others, and compare A·u with v."""
    from wordatoms.paper.tasks.induced.evaluate import evaluate_induced
    from wordatoms.paper.texts import evaluation_text

    model = inputs.model
    with evaluation_text(model.folder, inputs.text, inputs.run) as corpus:
        return evaluate_induced(
            model.embeddings,
            corpus,
            window=window,
            a=a,
            paragraphs=paragraphs,
            min_contexts=min_contexts,
            random_state=inputs.seed,
            tokenizer=model.tokenizer,
            run=inputs.run,
        )


def plot(result: InducedResult, inputs: Inputs) -> list[LineChart]:
    from wordatoms.paper.tasks.induced.exhibit import draw_amounts

    return [draw_amounts(inputs.method, result.rows())]


TASKS = (
    Task(
        "induced",
        "Table 2: vectors of held-out words, induced from their contexts by the map A.",
        run,
        ("model", "text", "seed", "memory", "threads", "quiet"),
        (
            Option("window", "Words on each side.", least=1, most=1000),
            Option("a", "The parameter a of the SIF weights.", float, above=0),
            Option(
                "paragraphs",
                "Random paragraphs to read; may be repeated. A text with fewer is read in parts of equal size.",
                least=1,
                multiple=True,
            ),
            Option(
                "min_contexts",
                "Leave out words with fewer contexts, as long as two words per dimension remain.",
                least=1,
            ),
        ),
        plot=plot,
    ),
)

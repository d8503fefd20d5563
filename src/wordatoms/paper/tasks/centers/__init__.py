"""Table 1: the centres of a word's contexts before and after the map A (Section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.drawing.charts import LineChart
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.centers.evaluate import CentersResult


WAYS = ("model", "paper", "paper, plain mean")
"""Contexts and A of the model; or of Section 4.1: the windows contain the word, by SIF or by the plain mean."""


def run(
    inputs: Inputs,
    *,
    word: str = "access",
    n_centers: int = 5,
    n_windows: int = 1000,
    number: int = 4,
    way: str = "model",
) -> CentersResult:
    """Cluster contexts of a word by k-means, and map the centres by A."""
    import math

    from wordatoms.contexts.sif import DEFAULT_A
    from wordatoms.embeddings.trainers.sn import complete_vectors
    from wordatoms.paper.tasks.centers.evaluate import evaluate_centers
    from wordatoms.paper.tasks.induced.paper_map import paper_map
    from wordatoms.paper.texts import SMALL_SHARD_BYTES, evaluation_text

    model = inputs.model
    if way == "model":
        embeddings, learned = model.embeddings, model.induced_map
    else:
        embeddings = complete_vectors(model.embeddings)
        learned = paper_map(inputs, a=DEFAULT_A if way == "paper" else math.inf, complete=True)
    with evaluation_text(model.folder, inputs.text, inputs.run, shard_bytes=SMALL_SHARD_BYTES) as corpus:
        return evaluate_centers(
            embeddings,
            learned,
            corpus,
            word=word,
            n_windows=n_windows,
            n_centers=n_centers,
            n_nearest=number,
            tokenizer=model.tokenizer,
            random_state=inputs.seed,
            run=inputs.run,
        )


def plot(result: CentersResult, inputs: Inputs) -> list[LineChart]:
    """The spectrum of A."""
    from wordatoms.drawing.charts import Line, LineChart
    from wordatoms.paper.exhibits.published import shown_method

    lines = {"A": Line(range(1, len(result.spectrum) + 1), result.spectrum, "ours")}
    title = f"What the map A shrinks, {shown_method(inputs.method)}"
    return [LineChart(title, "singular value, by rank", "size", lines)]


TASKS = (
    Task(
        "centers",
        "Table 1: the centres of a word's contexts before and after the map A, and what A shrinks.",
        run,
        ("model", "text", "seed", "threads", "quiet"),
        (
            Option("word", "The word whose contexts are grouped.", str),
            Option("n_centers", "Number of groups.", flags=("-k", "--centers"), least=1),
            Option("n_windows", "Number of contexts.", flags=("--windows",), least=1),
            Option("number", "Nearest words to show.", flags=("-n", "--number"), least=1),
            Option(
                "way",
                "Contexts and A of the model, or as in the paper: windows that contain the word, by SIF or plain mean.",
                str,
                choices=WAYS,
            ),
        ),
        stages=("embed", "map"),
        plot=plot,
    ),
)

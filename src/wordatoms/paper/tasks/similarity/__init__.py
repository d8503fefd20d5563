"""Word similarity and analogies: the quality of the vectors themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.similarity.analogy import AnalogyResult
    from wordatoms.paper.tasks.similarity.evaluate import SimilarityResult


def run_similarity(inputs: Inputs) -> SimilarityResult:
    from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity

    return evaluate_similarity(inputs.model.embeddings, inputs.data_path)


def run_analogy(inputs: Inputs, *, max_words: int | None = None) -> AnalogyResult:
    from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy

    return evaluate_analogy(inputs.model.embeddings, inputs.data_path, max_words=max_words, threads=inputs.run.threads)


TASKS = (
    Task(
        "similarity",
        "Word similarity: Spearman correlation with human ratings, for each data set, with its coverage.",
        run_similarity,
        ("model", "data"),
    ),
    Task(
        "analogy",
        "Analogies: a is to b as c is to …, the share of correct answers, with its coverage.",
        run_analogy,
        ("model", "data"),
        (Option("max_words", "Look for answers among the most frequent words only.", least=1),),
    ),
)

"""Table 8: the similarity of words in context, on SCWS (Section 6.2)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.scws.evaluate import ScwsResult


def run(inputs: Inputs, *, ablation: bool = False, scale: float | None = None) -> ScwsResult:
    """Score the similarities of all methods against the ratings."""
    from wordatoms.paper.baselines.learning import competitors
    from wordatoms.paper.tasks.scws.ablation import ablation_methods
    from wordatoms.paper.tasks.scws.evaluate import evaluate_scws, read_scws
    from wordatoms.paper.tasks.scws.methods import competing_methods, cosine_method, our_methods

    pairs = read_scws(inputs.data_path, inputs.model.tokenizer)
    words = sorted({word.lower() for pair in pairs for word in (pair.word1, pair.word2)})
    if inputs.model.second_eye:  # all at once, with a report of progress
        inputs.model.second_eye.states([usage for pair in pairs for usage in (pair.usage1, pair.usage2)])
    methods = our_methods(inputs.model, paper_scale=scale)
    methods += [cosine_method(name, embeddings) for name, embeddings in _cosines(inputs).items()]
    methods += competing_methods(competitors(inputs, words))
    if ablation:
        methods += ablation_methods(inputs.model, random_state=inputs.seed, threads=inputs.run.threads)
    return evaluate_scws(pairs, methods)


def _cosines(inputs: Inputs) -> dict[str, Embeddings]:
    """The vectors whose cosine serves as a baseline, by the name of the baseline."""
    if not inputs.names:
        return {f"cosine of {method}": model.embeddings for method, model in inputs.models.items()}
    others = zip(inputs.names[1:], inputs.others, strict=True)
    return {
        "cosine": inputs.model.embeddings,
        **{f"cosine, {Path(name).name}": model.embeddings for name, model in others},
    }


TASKS = (
    Task(
        "scws",
        "Table 8: similarity of words in context (SCWS).",
        run,
        ("model", "encoder", "data", "competitors", "others", "seed", "threads", "quiet"),
        (
            Option("ablation", "Add atoms learned from other vectors; this runs k-SVD three times.", bool),
            Option(
                "scale", "κ of the paper's method, which the paper does not give.  [default: tuned]", float, above=0
            ),
        ),
        stages=("atomize",),
    ),
)

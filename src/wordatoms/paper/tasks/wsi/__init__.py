"""Table 7: word sense induction on SemEval-2010 task 14 (Section 6.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.wsi.evaluate import WsiResult


def run(inputs: Inputs, *, scale: float | None = None) -> WsiResult:
    """Cluster the contexts of each word by all methods, and score the clusters."""
    from wordatoms.paper.baselines.learning import competitors
    from wordatoms.paper.tasks.wsi.data import read_semeval
    from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi
    from wordatoms.paper.tasks.wsi.methods import competing_methods, our_methods

    words = read_semeval(inputs.data_path, inputs.model.tokenizer)
    if inputs.model.second_eye:  # all at once, with a report of progress
        inputs.model.second_eye.states([usage for word in words for usage in word.usages])
    methods = our_methods(inputs.model, random_state=inputs.seed, paper_scale=scale)
    methods += competing_methods(competitors(inputs, sorted({word.lemma for word in words})))
    with inputs.run.progress.item_bar("methods", n_items=len(methods) * len(words)) as advance:
        return evaluate_wsi(words, methods, random_state=inputs.seed, report=lambda _method, _word: advance())


TASKS = (
    Task(
        "wsi",
        "Table 7: word sense induction, contexts clustered by sense (SemEval-2010 task 14).",
        run,
        ("model", "encoder", "data", "competitors", "seed", "threads", "quiet"),
        (Option("scale", "κ of the paper's method, which the paper does not give.  [default: tuned]", float, above=0),),
        stages=("atomize",),
    ),
)

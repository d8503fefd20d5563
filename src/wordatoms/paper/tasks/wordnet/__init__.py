"""Table 4: word vectors and the span of their senses in WordNet (Section 4.2, test 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordatoms.paper.tasks.base import Option, Task

if TYPE_CHECKING:
    from wordatoms.paper.exhibits.inputs import Inputs
    from wordatoms.paper.tasks.wordnet.evaluate import WordNetResult


def run(inputs: Inputs, *, n_random: int = 20) -> WordNetResult:
    """Compare the vectors of the words of SemEval-2010 task 14 with the span of their senses.

    The paper's own A is fitted if there is a text.
    """
    from wordatoms.paper.exhibits.needs import TEXT
    from wordatoms.paper.tasks.induced.paper_map import paper_map
    from wordatoms.paper.tasks.wordnet.evaluate import evaluate_wordnet, read_targets
    from wordatoms.paper.wordnet import WordNet

    return evaluate_wordnet(
        inputs.model.embeddings,
        inputs.model.induced_map,
        WordNet(inputs.wordnet),
        read_targets(inputs.data_path),
        noise=inputs.model.reading.noise,
        paper_map=paper_map(inputs, complete=True) if TEXT.is_met(inputs) else None,
        tokenizer=inputs.model.tokenizer,
        n_random=n_random,
        random_state=inputs.seed,
    )


TASKS = (
    Task(
        "wordnet",
        "Table 4: the cosine of a word's vector with the span of its senses in WordNet.",
        run,
        ("model", "wordnet", "data", "text", "seed", "threads", "quiet"),
        (Option("n_random", "Sets of senses of other words to compare each word with.", flags=("--random",), least=1),),
        stages=("embed", "map"),
    ),
)

"""The paper's competitors for a task, where there is a text for them to learn from or a model of NNSE vectors."""

from __future__ import annotations

from collections.abc import Sequence

from wordatoms.contexts.usages import SenseInventory
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.inputs import Inputs

NNSE = "nnse"
STANDS_FOR = {
    "Huang 2012": "huang",
    "Neelakantan 2014": "mssg",
    "Mu 2016": "grassmeans-5",
    "Mu 2016, k=2": "grassmeans-2",
    "Mu 2016, k=5": "grassmeans-5",
}
"""The competitor of ours for each of the paper's."""


def competitors(inputs: Inputs, words: Sequence[str], *, space: Embeddings | None = None) -> dict[str, SenseInventory]:
    """By name; with a `space`, the sense vectors of NNSE lie there, too."""
    from wordatoms.paper.baselines.learning import learn_competitors, nnse_competitor

    made: dict[str, SenseInventory] = {}
    if needs.COMPETITORS.is_met(inputs):
        made |= learn_competitors(
            inputs.model,
            words,
            sources=inputs.text,
            random_state=inputs.seed,
            run=inputs.run,
        )
    if NNSE in inputs.models and inputs.method != NNSE:
        made[NNSE] = nnse_competitor(inputs.model, words, inputs.models[NNSE].embeddings, space=space)
    return made

"""The paper's competitors for a task: those that learn from text, and a model of NNSE vectors."""

from __future__ import annotations

from collections.abc import Sequence

from wordatoms.contexts.usages import SenseInventory
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.senses.model import SenseModel

NNSE = "nnse"
STANDS_FOR = {
    "Huang 2012": "huang",
    "Neelakantan 2014": "mssg",
    "Mu 2016": "grassmeans-5",
    "Mu 2016, k=2": "grassmeans-2",
    "Mu 2016, k=5": "grassmeans-5",
}
"""Our counterpart of each of the paper's competitors."""


def competitors(inputs: Inputs, words: Sequence[str], *, space: Embeddings | None = None) -> dict[str, SenseInventory]:
    """The competitors of a model by name; with a `space`, the sense vectors of NNSE lie there, too."""
    from wordatoms.paper.baselines.learning import learn_competitors, nnse_competitor

    made: dict[str, SenseInventory] = {}
    if needs.COMPETITORS.is_met(inputs) or (inputs.names and inputs.competitors):
        made |= learn_competitors(
            inputs.model,
            words,
            sources=inputs.text,
            random_state=inputs.seed,
            run=inputs.run,
        )
    nnse = _nnse_model(inputs)
    if nnse:
        made[NNSE] = nnse_competitor(inputs.model, words, nnse.embeddings, space=space)
    return made


def _nnse_model(inputs: Inputs) -> SenseModel | None:
    if inputs.nnse or inputs.names or inputs.method == NNSE:
        return inputs.nnse
    return inputs.models.get(NNSE)

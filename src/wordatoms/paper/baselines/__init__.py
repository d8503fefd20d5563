"""The methods that the paper compares with, as small baselines on the same vectors and the same text.

Each is a `wordatoms.contexts.usages.SenseInventory`: sense vectors of a word, and their probabilities in its usages.
What each of them simplifies is said in its module and in docs/results/competitors.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF
from wordatoms.contexts.windows import WordWindows
from wordatoms.errors import InputError
from wordatoms.paper.baselines.grassmeans import Grassmeans, learn_grassmeans
from wordatoms.paper.baselines.inventory import Competitor, WordSenses, form_rows, known_words
from wordatoms.paper.baselines.multisense import MSSG, NP_MSSG, Multisense, MultisenseSettings, learn_multisense
from wordatoms.paper.baselines.nnse import NonNegative, learn_nnse
from wordatoms.paper.baselines.prototypes import (
    HUANG,
    REISINGER_MOONEY,
    Prototypes,
    PrototypeSettings,
    learn_prototypes,
)

LEARNED: Mapping[str, Callable[..., Competitor]] = {
    "reisinger-mooney": partial(learn_prototypes, settings=REISINGER_MOONEY),
    "huang": partial(learn_prototypes, settings=HUANG),
    "grassmeans-2": partial(learn_grassmeans, n_senses=2),
    "grassmeans-5": partial(learn_grassmeans, n_senses=5),
    "mssg": partial(learn_multisense, settings=MSSG),
    "np-mssg": partial(learn_multisense, settings=NP_MSSG),
}
"""Those that learn from windows, by name; `learn_nnse` needs vectors of its own instead."""
RETRAINED = ("huang", "grassmeans-2", "grassmeans-5")
"""Those whose authors train vectors anew once senses are marked, which a map A can do."""


def learn_competitor(
    name: str,
    sif: SIF,
    windows: WordWindows,
    words: Sequence[str],
    *,
    induced_map: InducedMap | None = None,
    random_state: int = 0,
    threads: int = 1,
) -> Competitor:
    """Learn the senses of some words by the method of this name (see `LEARNED`), with its authors' parameters.

    The map is used by the methods whose authors train vectors anew, and by no other.
    """
    if name not in LEARNED:
        raise InputError(f"the method is '{name}'; pass one of {', '.join(LEARNED)}.")
    mapping = {"induced_map": induced_map} if name in RETRAINED else {}
    return LEARNED[name](sif, windows, words, random_state=random_state, threads=threads, **mapping)


__all__ = [
    "HUANG",
    "LEARNED",
    "MSSG",
    "NP_MSSG",
    "REISINGER_MOONEY",
    "Competitor",
    "Grassmeans",
    "Multisense",
    "MultisenseSettings",
    "NonNegative",
    "PrototypeSettings",
    "Prototypes",
    "WordSenses",
    "form_rows",
    "known_words",
    "learn_competitor",
    "learn_grassmeans",
    "learn_multisense",
    "learn_nnse",
    "learn_prototypes",
]

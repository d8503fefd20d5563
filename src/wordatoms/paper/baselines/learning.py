"""The competitors by name, and how they learn: text → random windows of some words in all their forms → senses.

The model's folder is only read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.usages import SenseInventory
from wordatoms.contexts.windows import WINDOWS_PER_WORD, WordWindows, windows_of_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.baselines.grassmeans import learn_grassmeans
from wordatoms.paper.baselines.inventory import Competitor, form_rows, known_words
from wordatoms.paper.baselines.multisense import MSSG, NP_MSSG, learn_multisense
from wordatoms.paper.baselines.nnse import learn_nnse
from wordatoms.paper.baselines.prototypes import HUANG, REISINGER_MOONEY, learn_prototypes
from wordatoms.paper.exhibits import needs
from wordatoms.paper.exhibits.inputs import Inputs
from wordatoms.paper.texts import evaluation_text
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.parts import model_tokenizer
from wordatoms.storage.folder import ModelFolder

LEARNED: Mapping[str, Callable[..., Competitor]] = {
    "reisinger-mooney": partial(learn_prototypes, settings=REISINGER_MOONEY),
    "huang": partial(learn_prototypes, settings=HUANG),
    "grassmeans-2": partial(learn_grassmeans, n_senses=2),
    "grassmeans-5": partial(learn_grassmeans, n_senses=5),
    "mssg": partial(learn_multisense, settings=MSSG),
    "np-mssg": partial(learn_multisense, settings=NP_MSSG),
}
"""The methods that learn from windows of text."""
RETRAINED = ("huang", "grassmeans-2", "grassmeans-5")
"""The methods whose authors retrain the vectors once senses are marked; here the map A does that."""
NNSE = "nnse"
"""The competitor that needs its own vectors instead of windows."""
STANDS_FOR = {
    "Huang 2012": "huang",
    "Neelakantan 2014": "mssg",
    "Mu 2016": "grassmeans-5",
    "Mu 2016, k=2": "grassmeans-2",
    "Mu 2016, k=5": "grassmeans-5",
}
"""Our counterpart of each competitor in the paper's tables."""


def competitors(inputs: Inputs, words: Sequence[str], *, space: Embeddings | None = None) -> dict[str, SenseInventory]:
    """The competitors of a model by name; with a `space`, the sense vectors of NNSE are placed in it."""
    made: dict[str, SenseInventory] = {}
    if needs.COMPETITORS.is_met(inputs) or (inputs.names and inputs.competitors):
        made |= _learn_from_text(inputs, words)
    nnse = inputs.nnse
    if not (nnse or inputs.names or inputs.method == NNSE):
        nnse = inputs.models.get(NNSE)
    if nnse:
        sif = SIF(nnse.embeddings, p_words(nnse.embeddings), tokenizer=inputs.model.tokenizer)
        made[NNSE] = learn_nnse(sif, known_words(words, nnse.embeddings), space=space)
    return made


def _learn_from_text(inputs: Inputs, words: Sequence[str]) -> dict[str, SenseInventory]:
    """All methods of `LEARNED`, for those of the words that the model knows."""
    model, run = inputs.model, inputs.run
    induced_map = model.induced_map
    sif, known = induced_map.sif(model.embeddings, model.tokenizer), known_words(words, model.embeddings)
    windows = sample_word_windows(model.folder, known, sources=inputs.text, random_state=inputs.seed, run=run)
    made: dict[str, SenseInventory] = {}
    with run.progress.item_bar("competitors", n_items=len(LEARNED)) as advance:
        for name in LEARNED:
            made[name] = learn_competitor(
                name, sif, windows, known, induced_map=induced_map, random_state=inputs.seed, threads=run.n_threads
            )
            advance()
    return made


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
    """Learn the senses of some words by a method of `LEARNED`, with its authors' parameters.

    The map is passed only to the methods of `RETRAINED`.
    """
    if name not in LEARNED:
        raise InputError(f"the method is '{name}'; pass one of {', '.join(LEARNED)}.")
    mapping = {"induced_map": induced_map} if name in RETRAINED else {}
    return LEARNED[name](sif, windows, words, random_state=random_state, threads=threads, **mapping)


def sample_word_windows(
    folder: ModelFolder,
    words: Sequence[str],
    *,
    sources: Sequence[str | Path] = (),
    n_windows: int = WINDOWS_PER_WORD,
    window: int = 10,
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> WordWindows:
    """Random windows of the known forms of some words, from `sources` or from the text that was counted."""
    if isinstance(words, str) or not len(words):
        raise InputError(f"the words are {words!r}; pass a sequence of one or more words.")
    embeddings = Embeddings.load(folder.path)
    targets = np.concatenate([form_rows(word, embeddings) for word in words])
    with evaluation_text(folder, sources, run) as corpus:
        return windows_of_words(
            corpus,
            embeddings.words,
            targets,
            n_windows=n_windows,
            window=window,
            tokenizer=model_tokenizer(folder),
            random_state=random_state,
            run=run,
        )

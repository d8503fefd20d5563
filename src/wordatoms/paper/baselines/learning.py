"""Text → random windows of some words in all their forms → the paper's competitors, which learn from them.

The model's folder is only read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.usages import SenseInventory
from wordatoms.contexts.windows import WINDOWS_PER_WORD, WordWindows, windows_of_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.baselines import LEARNED, form_rows, known_words, learn_competitor, learn_nnse
from wordatoms.paper.texts import evaluation_text
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.parts import model_tokenizer
from wordatoms.storage.folder import ModelFolder


def learn_competitors(
    model: SenseModel,
    words: Sequence[str],
    *,
    sources: Sequence[str | Path] = (),
    random_state: int = 0,
    run: Run = DEFAULT_RUN,
) -> dict[str, SenseInventory]:
    """All competitors that learn from text, by name, for those of the words that the model knows."""
    induced_map = model.induced_map
    sif, known = induced_map.sif(model.embeddings, model.tokenizer), known_words(words, model.embeddings)
    windows = sample_word_windows(model.folder, known, sources=sources, random_state=random_state, run=run)
    shared: dict[str, Any] = {"random_state": random_state, "threads": run.n_threads}
    with run.progress.item_bar("competitors", n_items=len(LEARNED)) as advance:
        made: dict[str, SenseInventory] = {}
        for name in LEARNED:
            made[name] = learn_competitor(name, sif, windows, known, induced_map=induced_map, **shared)
            advance()
    return made


def nnse_competitor(
    model: SenseModel, words: Sequence[str], vectors: Embeddings, *, space: Embeddings | None = None
) -> SenseInventory:
    """Non-negative vectors as a competitor of a model; with a `space`, its sense vectors lie there."""
    sif = SIF(vectors, p_words(vectors), tokenizer=model.tokenizer)
    return learn_nnse(sif, known_words(words, vectors), space=space)


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
    """Windows of the known forms of some words; of the text that was counted, unless `sources` name another."""
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

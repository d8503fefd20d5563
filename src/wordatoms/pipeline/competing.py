"""Text → random windows of some words in all their forms: what the competitors learn from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordatoms.competitors import form_rows
from wordatoms.embeddings import Embeddings
from wordatoms.engine import Engine, local_engine
from wordatoms.errors import InputError
from wordatoms.folder import ModelFolder
from wordatoms.modeltokens import model_tokenizer
from wordatoms.pipeline.mapping import model_text
from wordatoms.progress import SILENT, Display
from wordatoms.vocabulary import DEFAULT_MEMORY
from wordatoms.wordwindows import WINDOWS_PER_WORD, WordWindows, windows_of_words


def sample_word_windows(
    folder: ModelFolder,
    words: Sequence[str],
    *,
    sources: Sequence[str | Path] = (),
    n_windows: int = WINDOWS_PER_WORD,
    window: int = 10,
    random_state: int = 0,
    memory: int = DEFAULT_MEMORY,
    threads: int | None = None,
    engine: Engine | None = None,
    display: Display = SILENT,
) -> WordWindows:
    """Windows of the known forms of some words; of the text that was counted, unless `sources` name another."""
    if isinstance(words, str) or not len(words):
        raise InputError(f"the words are {words!r}; pass a sequence of one or more words.")
    embeddings = Embeddings.load(folder.path)
    targets = np.concatenate([form_rows(word, embeddings) for word in words])
    engine = engine or local_engine(threads, memory)
    with (
        folder.working(),
        model_text(folder, sources, threads, display=display) as corpus,
        display.text_bar("windows", n_bytes=corpus.n_bytes) as report,
    ):
        return windows_of_words(
            corpus,
            embeddings.words,
            targets,
            n_windows=n_windows,
            window=window,
            tokenizer=model_tokenizer(folder),
            random_state=random_state,
            memory=memory,
            engine=engine,
            report=report,
        )

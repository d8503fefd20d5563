"""Text → vocabulary → counts.

Finished parts are kept until the stage is done, so that an interrupted one resumes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from wordatoms.counts.cooccurrence import ARRAYS, Counts, check_memory, count_pairs
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.pipeline.sources import CountSettings, as_input, digest, kept_parts, opened_text
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus


def count(
    sources: Sequence[str | Path],
    folder: ModelFolder,
    settings: CountSettings | None = None,
    *,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Count the words and pairs of a text; False if the model already has the counts."""
    settings = settings or CountSettings()
    check_memory(run.memory)
    with folder.working(), opened_text(sources, folder, settings, run) as corpus:
        facts = {**asdict(settings), "text": digest(corpus.files)}
        if folder.is_done("count", facts, force=force):
            return False

        def make(forget: Callable[[], None]) -> list[str]:
            _count(corpus, folder, settings, forget, run)
            return ["words.txt", "vocabulary.json", "counts.json", *(f"counts-{name}.npy" for name in ARRAYS)]

        folder.build("count", facts, make, inputs=[as_input(file) for file in corpus.files])
    return True


def _count(
    corpus: Corpus, folder: ModelFolder, settings: CountSettings, on_install: Callable[[], None], run: Run
) -> Counts:
    common: dict[str, Any] = {"tokenizer": settings.tokenizer, "run": run}
    common |= {"work": folder.work, "keep": kept_parts(folder)}
    vocabulary = build_vocabulary(corpus, min_count=settings.min_count, max_words=settings.max_words, **common)
    return count_pairs(
        corpus,
        vocabulary,
        window=settings.window,
        weighting=settings.weighting,
        folder=folder.path,
        on_install=on_install,
        **common,
    )

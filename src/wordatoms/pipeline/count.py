"""Text → vocabulary → counts.

Finished parts are kept until the stage is done, so that an interrupted one resumes from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wordatoms.counts.cooccurrence import ARRAYS, Counts, check_memory, count_pairs
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.errors import require_several
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
    """Count the words and co-occurrences of a text: stage 1 of `train`.

    Parameters
    ----------
    sources : sequence of str or Path
        Files, folders or globs of text.
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    settings : CountSettings, optional
        How text is split into words and counted.
    force : bool, default False
        Run the stage again.
    run : Run, optional
        Threads, memory, engine and progress; none of them changes the result.

    Returns
    -------
    bool
        False if the model already had the result of this stage with the same settings.

    Examples
    --------
    >>> from wordatoms.pipeline.count import count
    >>> from wordatoms.storage.folder import ModelFolder
    >>> count(["corpus/"], ModelFolder("my.model", create=True))  # doctest: +SKIP
    True
    """
    require_several(sources, "the sources", "files")
    settings = settings or CountSettings()
    check_memory(run.memory)
    with folder.working(), opened_text(sources, folder, settings, run) as corpus:
        facts = {**settings.record(), "text": digest(corpus.files)}
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

"""What evaluations read from a model's folder: its text, and how its vectors were trained.

The folder is never written to: text is unpacked to a temporary folder, so that read-only models, such as the bundled
one, can be evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordatoms.embeddings.trainers import TRAINERS
from wordatoms.errors import InputError
from wordatoms.pipeline.sources import CountSettings, recorded_hashes, recorded_sources, settings_of
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import SHARD_BYTES, Corpus, open_corpus

SMALL_SHARD_BYTES = 4 << 20
"""For evaluations that split a text into parts of about equal size."""


@contextmanager
def evaluation_text(
    folder: ModelFolder, sources: Sequence[str | Path], run: Run = DEFAULT_RUN, *, shard_bytes: int = SHARD_BYTES
) -> Iterator[Corpus]:
    """Open the given text, by default the text that was counted, if it is still there."""
    counted = folder.stages.get("count", {})
    if not (sources or counted):
        raise InputError(f"{folder.path} has imported vectors and no text; pass one with --text.")
    found = sources or recorded_sources(counted)
    reading = settings_of(counted) if counted else CountSettings()
    with TemporaryDirectory(prefix="wordatoms-") as work:
        with run.progress.text_bar("files", n_bytes=None) as report:
            corpus = open_corpus(
                found,
                work=Path(work),
                threads=run.n_threads,
                column=None if sources else reading.column,
                replace_invalid=reading.replace_invalid,
                shard_bytes=shard_bytes,
                on_bytes=report,
            )
        if not sources and [file.sha256 for file in corpus.files] != recorded_hashes(counted):
            raise InputError("the text has changed since it was counted; pass the original text with --text.")
        yield corpus


def training_parameters(folder: ModelFolder, method: str) -> dict[str, Any]:
    """The parameters with which the model's vectors were trained."""
    settings = folder.require("embed", "its vectors are imported; train a model.")["settings"]
    known = TRAINERS[method].parameters() if method in TRAINERS else {}
    return {name: settings[name] for name in known if name in settings}

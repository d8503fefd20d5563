"""What evaluations read off a model's folder, which they never change: its text, and how its vectors were made.

What has to be unpacked goes to a folder of its own that is gone afterwards, so that a model that may only be read, such
as the one that comes with the program, can be evaluated all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wordatoms.errors import InputError
from wordatoms.pipeline.sources import recorded_hashes, recorded_sources, settings_of
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import SHARD_BYTES, Corpus, open_corpus

SMALL_SHARD_BYTES = 4 << 20
"""For evaluations that take parts of a text, which then come out about even."""


@contextmanager
def evaluation_text(
    folder: ModelFolder, sources: Sequence[str | Path], run: Run = DEFAULT_RUN, *, shard_bytes: int = SHARD_BYTES
) -> Iterator[Corpus]:
    """The given text; without one, that which was counted, if it is where it was."""
    counted = folder.stages.get("count", {})
    if not (sources or counted):
        raise InputError(f"{folder.path} holds imported vectors, which have no text; pass some with --text.")
    found = sources or recorded_sources(counted)
    replace_invalid = bool(counted) and settings_of(counted).replace_invalid
    with TemporaryDirectory(prefix="wordatoms-") as work:
        with run.progress.text_bar("files", n_bytes=None) as report:
            corpus = open_corpus(
                found,
                work=Path(work),
                threads=run.n_threads,
                replace_invalid=replace_invalid,
                shard_bytes=shard_bytes,
                on_bytes=report,
            )
        if not sources and [file.sha256 for file in corpus.files] != recorded_hashes(counted):
            raise InputError("the text is not the one that was counted; say where that is with --text.")
        yield corpus


def training_parameters(folder: ModelFolder, method: str) -> dict[str, Any]:
    """What the model's vectors were trained with."""
    from wordatoms.embeddings.trainers import TRAINERS

    settings = folder.require("embed", "its vectors are imported; train a model.")["settings"]
    known = TRAINERS[method].parameters() if method in TRAINERS else {}
    return {name: settings[name] for name in known if name in settings}

"""The text behind a model: how it is read, and where it was."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordatoms.errors import InputError, ModelError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus, TextFile, open_corpus
from wordatoms.text.files import is_address, path_exists
from wordatoms.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class CountSettings:
    """Settings of the vocabulary and the co-occurrence counts.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.CountSettings(min_count=2, phrases=("new york",)).tokenizer.tokens("In New York")
    ['in', 'new_york']
    """

    min_count: int = 5
    """Rarer words are left out."""
    max_words: int | None = 50_000
    """Maximum number of words, the most frequent ones; None for all."""
    window: int = 10
    """Pairs of words are counted up to this distance in tokens."""
    weighting: str = "harmonic"
    """Weight of a pair by its distance d: "harmonic" for 1/d, "flat" for 1."""
    keep_case: bool = False
    """Whether upper case is kept."""
    pretokenized: bool = False
    """Whether the text is split at white space only."""
    phrases: tuple[str, ...] = ()
    """Sequences of words to join into one token."""
    replace_invalid: bool = False
    """Whether invalid UTF-8 is replaced instead of refused."""

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer with these settings."""
        return Tokenizer(self.keep_case, self.pretokenized, self.phrases)


@contextmanager
def opened_text(
    sources: Sequence[str | Path],
    folder: ModelFolder,
    settings: CountSettings,
    run: Run = DEFAULT_RUN,
) -> Iterator[Corpus]:
    """The text as shards; what a stream or an archive had to be unpacked to is removed at the end."""
    spool = folder.work / "text"
    spool.mkdir(parents=True, exist_ok=True)
    try:
        with run.progress.text_bar("files", n_bytes=None) as report:
            corpus = open_corpus(
                sources,
                work=spool,
                threads=run.n_threads,
                replace_invalid=settings.replace_invalid,
                on_bytes=report,
                remote_map=run.engine.map if run.engine and run.engine.is_remote else None,
            )
        yield corpus
    finally:
        shutil.rmtree(spool, ignore_errors=True)


@contextmanager
def counted_text(folder: ModelFolder, sources: Sequence[str | Path], run: Run = DEFAULT_RUN) -> Iterator[Corpus]:
    """The text that was counted, where it was or where `sources` say it is now."""
    counted = folder.stages["count"]
    found = sources or recorded_sources(counted)
    with opened_text(found, folder, settings_of(counted), run) as corpus:
        if [file.sha256 for file in corpus.files] != recorded_hashes(counted):
            raise InputError("the text is not the one that was counted; pass the same files in the same order.")
        yield corpus


def as_input(file: TextFile) -> dict[str, Any]:
    """A file for the manifest, found from any folder."""
    is_found = file.path == "-" or is_address(file.path)
    return {**asdict(file), "path": file.path if is_found else os.path.abspath(file.path)}  # noqa: PTH100


def digest(files: Iterable[TextFile]) -> str:
    """One hash for all files together, whatever their order and names."""
    return hashlib.sha256("".join(sorted(file.sha256 for file in files)).encode()).hexdigest()


@contextmanager
def trusting_record() -> Iterator[None]:
    """The manifest of a stranger's model may lack what a stage always writes."""
    try:
        yield
    except (KeyError, TypeError) as error:
        raise ModelError(f"the manifest of the model lacks {error}, as no stage leaves it; make it again.") from error


def settings_of(counted: dict[str, Any]) -> CountSettings:
    """The settings in the record of a count."""
    with trusting_record():
        known = {name: value for name, value in counted["settings"].items() if name != "text"}
        return CountSettings(**{**known, "phrases": tuple(known["phrases"])})


def recorded_hashes(counted: dict[str, Any]) -> list[str]:
    """Of the files of a count, in their order."""
    with trusting_record():
        return [file["sha256"] for file in counted["inputs"]]


def recorded_sources(counted: dict[str, Any]) -> list[str]:
    """Where the text of a count was, if it is still there."""
    with trusting_record():
        paths = [str(file["path"]) for file in counted["inputs"]]
    if not all(map(path_exists, paths)):
        raise InputError("the text that was counted is not where it was; say where it is with --text.")
    return paths


def kept_parts(folder: ModelFolder) -> Path:
    """Where a stage keeps what it has read so far, until it is done."""
    return folder.work / "parts"

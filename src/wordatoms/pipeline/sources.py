"""The text of a model: how it is read, and where it was."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, check_language
from wordatoms.errors import InputError, ModelError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus, TextFile, open_corpus
from wordatoms.text.files import is_address, path_exists
from wordatoms.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class CountSettings:
    """How text is split into words and counted; with the text, these settings determine the counts.

    Parameters
    ----------
    min_count : int, default 5
        Rarer words are dropped.
    max_words : int, optional, default 50,000
        Keep only the most frequent words; None keeps all.
    window : int, default 10
        Words on each side that count as neighbours.
    weighting : {"harmonic", "flat"}, default "harmonic"
        A neighbour counts 1/distance or 1.
    keep_case : bool, default False
        Do not convert the text to lower case.
    pretokenized : bool, default False
        Split the text at white space only.
    phrases : tuple of str, default ()
        Phrases that become one word, such as "new york" → "new_york".
    replace_invalid : bool, default False
        Replace invalid UTF-8 instead of failing.
    column : str, optional
        The column of tables (.csv, .tsv, .jsonl, .ndjson, .parquet) that has the text; all files are then tables.
    language : str, default "en"
        Code of the language, for inflected forms; it does not change the counts.

    Examples
    --------
    >>> from wordatoms import CountSettings
    >>> CountSettings(min_count=2).window
    10
    """

    min_count: int = 5
    max_words: int | None = 50_000
    window: int = 10
    weighting: str = "harmonic"
    keep_case: bool = False
    pretokenized: bool = False
    phrases: tuple[str, ...] = ()
    replace_invalid: bool = False
    column: str | None = None
    language: str = DEFAULT_LANGUAGE

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", check_language(self.language))

    def record(self) -> dict[str, Any]:
        """Return the settings for the manifest, which names a column if there is one, and a language unless English.

        Returns
        -------
        dict
        """
        usual = {"language": DEFAULT_LANGUAGE, "column": None}
        return {name: value for name, value in asdict(self).items() if name not in usual or value != usual[name]}

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
    """Open a text; files that a stream, an archive or a table was written to are removed at the end."""
    spool = folder.work / "text"
    spool.mkdir(parents=True, exist_ok=True)
    try:
        with run.progress.text_bar("files", n_bytes=None) as report:
            corpus = open_corpus(
                sources,
                work=spool,
                threads=run.n_threads,
                column=settings.column,
                replace_invalid=settings.replace_invalid,
                on_bytes=report,
                remote_map=run.engine.map if run.engine and run.engine.is_remote else None,
            )
        yield corpus
    finally:
        shutil.rmtree(spool, ignore_errors=True)


@contextmanager
def counted_text(folder: ModelFolder, sources: Sequence[str | Path], run: Run = DEFAULT_RUN) -> Iterator[Corpus]:
    """Open the text that was counted, at its old place or at `sources`."""
    counted = folder.stages["count"]
    found = sources or recorded_sources(counted)
    with opened_text(found, folder, settings_of(counted), run) as corpus:
        if [file.sha256 for file in corpus.files] != recorded_hashes(counted):
            raise InputError("the text is not the one that was counted; pass the same files in the same order.")
        yield corpus


def as_input(file: TextFile) -> dict[str, Any]:
    """Return a file's record for the manifest, with an absolute path, and the column if it is a table."""
    is_found = file.path == "-" or is_address(file.path)
    path = file.path if is_found else os.path.abspath(file.path)  # noqa: PTH100
    return {name: value for name, value in {**asdict(file), "path": path}.items() if name != "column" or value}


def digest(files: Iterable[TextFile]) -> str:
    """Return one hash for all files and the columns of tables, independent of their order and names."""
    return hashlib.sha256("".join(sorted(map(text_key, files))).encode()).hexdigest()


def text_key(file: TextFile) -> str:
    """Return what tells the text of a file from others."""
    return f"{file.sha256} {file.column}" if file.column else file.sha256


@contextmanager
def trusting_record() -> Iterator[None]:
    """Turn a missing entry into a ModelError: the manifest may come from an untrusted source."""
    try:
        yield
    except (KeyError, TypeError) as error:
        raise ModelError(f"the manifest of the model lacks {error}; train the model again.") from error


def settings_of(counted: dict[str, Any]) -> CountSettings:
    """Return the settings in the record of stage count."""
    with trusting_record():
        known = {name: value for name, value in counted["settings"].items() if name != "text"}
        return CountSettings(**{**known, "phrases": tuple(known["phrases"])})


def recorded_hashes(counted: dict[str, Any]) -> list[str]:
    """Return the checksums of the files that were counted, in order."""
    with trusting_record():
        return [file["sha256"] for file in counted["inputs"]]


def recorded_sources(counted: dict[str, Any]) -> list[str]:
    """Return the paths of the text that was counted, which must still exist."""
    with trusting_record():
        paths = [str(file["path"]) for file in counted["inputs"]]
    if not all(map(path_exists, paths)):
        raise InputError("the text that was counted has moved; pass its place with --text.")
    return paths


def kept_parts(folder: ModelFolder) -> Path:
    """Return the folder where a stage keeps finished parts until it is done."""
    return folder.work / "parts"

"""The stages of the chain on a model's folder: what `wordatoms train` does, one function per stage.

A stage is skipped where the manifest shows it done with the same settings, and goes on from its last checkpoint
where it was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wordatoms.counts import ARRAYS, Counts, check_memory, count_pairs
from wordatoms.embeddings import Embeddings
from wordatoms.engine import Engine, local_engine
from wordatoms.errors import InputError
from wordatoms.folder import ModelFolder, fingerprint
from wordatoms.lines import write_lines
from wordatoms.parallel import resolve_threads
from wordatoms.progress import text_bar, training_bar
from wordatoms.store import Checkpoint
from wordatoms.text import Corpus, TextFile, open_corpus
from wordatoms.tokens import Tokenizer
from wordatoms.trainers import default_parameters, train_embeddings
from wordatoms.vectorfiles import read_vectors
from wordatoms.vocabulary import DEFAULT_MEMORY, Vocabulary, build_vocabulary


@dataclass(frozen=True)
class CountSettings:
    """What decides the bytes of the counts, the text apart."""

    min_count: int = 5
    max_words: int | None = 50_000
    window: int = 10
    weighting: str = "harmonic"
    keep_case: bool = False
    pretokenized: bool = False
    phrases: tuple[str, ...] = ()
    replace_invalid: bool = False

    @property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer(self.keep_case, self.pretokenized, self.phrases)


def count(
    sources: Sequence[str | Path],
    folder: ModelFolder,
    settings: CountSettings | None = None,
    *,
    memory: int = DEFAULT_MEMORY,
    threads: int | None = None,
    engine: Engine | None = None,
    force: bool = False,
    quiet: bool = True,
) -> bool:
    """Text → vocabulary → counts. False where they were there already."""
    settings = settings or CountSettings()
    check_memory(memory)
    engine = engine or local_engine(threads, memory)
    with folder.working():
        spool = folder.work / "text"
        try:
            corpus = _open(sources, spool, settings, threads, quiet=quiet)
            facts = {**asdict(settings), "text": _digest(corpus.files)}
            if folder.is_done("count", facts, force=force):
                return False

            def make(forget: Callable[[], None]) -> list[str]:
                _count(corpus, folder, settings, forget, memory=memory, engine=engine, quiet=quiet)
                return [
                    "words.txt",
                    "vocabulary.json",
                    "counts.json",
                    *(f"counts-{name}.npy" for name in ARRAYS),
                ]

            folder.build("count", facts, make, inputs=[_as_input(file) for file in corpus.files])
        finally:
            shutil.rmtree(spool, ignore_errors=True)
    return True


def _count(
    corpus: Corpus,
    folder: ModelFolder,
    settings: CountSettings,
    on_install: Callable[[], None],
    *,
    memory: int,
    engine: Engine,
    quiet: bool,
) -> Counts:
    common: dict[str, Any] = {"tokenizer": settings.tokenizer, "memory": memory, "engine": engine}
    with text_bar("words", n_bytes=corpus.n_bytes, quiet=quiet) as report:
        vocabulary = build_vocabulary(
            corpus,
            min_count=settings.min_count,
            max_words=settings.max_words,
            work=folder.work,
            report=report,
            **common,
        )
    with text_bar("pairs", n_bytes=corpus.n_bytes, quiet=quiet) as report:
        return count_pairs(
            corpus,
            vocabulary,
            window=settings.window,
            weighting=settings.weighting,
            folder=folder.path,
            work=folder.work,
            on_install=on_install,
            report=report,
            **common,
        )


def _as_input(file: TextFile) -> dict[str, Any]:
    """A file for the manifest, found from any folder."""
    return {**asdict(file), "path": file.path if file.path == "-" else os.path.abspath(file.path)}  # noqa: PTH100


def _open(
    sources: Sequence[str | Path], spool: Path, settings: CountSettings, threads: int | None, *, quiet: bool
) -> Corpus:
    spool.mkdir(parents=True, exist_ok=True)
    with text_bar("files", n_bytes=None, quiet=quiet) as report:
        return open_corpus(
            sources,
            work=spool,
            threads=resolve_threads(threads),
            replace_invalid=settings.replace_invalid,
            on_bytes=report,
        )


def _digest(files: Iterable[TextFile]) -> str:
    """One hash for all files together, whatever their order and names."""
    return hashlib.sha256("".join(sorted(file.sha256 for file in files)).encode()).hexdigest()


def embed(
    folder: ModelFolder,
    method: str = "sn",
    *,
    parameters: dict[str, Any] | None = None,
    sources: Sequence[str | Path] = (),
    random_state: int = 0,
    threads: int | None = None,
    force: bool = False,
    quiet: bool = True,
) -> bool:
    """Counts (for skip-gram: text) → embeddings. False where they were there already.

    Skip-gram reads the text that was counted once more; `sources` tell where it is if it has moved.
    """
    counted = folder.require("count", f"run: wordatoms count TEXT… -o {folder.path}")
    chosen = chosen_parameters(method, parameters or {})
    hashes = {name: file["sha256"] for name, file in counted["files"].items() if name.endswith(".npy")}
    settings = {"method": method, **chosen, "seed": random_state, "counts": hashes}
    if method == "skipgram":
        settings["text"] = [file["sha256"] for file in counted["inputs"]]  # here the order matters
    with folder.working():
        if folder.is_done("embed", settings, force=force):
            return False
        checkpoint = Checkpoint(folder.work / f"{method}.npz", settings)

        def make(forget: Callable[[], None]) -> list[str]:
            lines = _lines(folder, sources, threads, quiet=quiet) if method == "skipgram" else None
            with training_bar(method, quiet=quiet) as callback:
                embeddings = train_embeddings(
                    Counts.load(folder.path),
                    method,
                    lines=lines,
                    **chosen,
                    random_state=random_state,
                    threads=threads,
                    checkpoint=checkpoint,
                    callback=callback,
                )
            forget()
            embeddings.save(folder.path)
            return _embedding_files(embeddings)

        folder.build("embed", settings, make)
        checkpoint.remove()
        shutil.rmtree(folder.work / "lines", ignore_errors=True)
    return True


def _embedding_files(embeddings: Embeddings) -> list[str]:
    return ["vectors.npy", "embeddings.json", *(f"state-{name}.npy" for name in sorted(embeddings.state))]


def chosen_parameters(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """All parameters of a method that change its result: the given ones, and defaults for the others."""
    defaults = default_parameters(method)
    unknown = sorted(set(parameters) - set(defaults))
    if unknown:
        raise InputError(f"{method} has no parameter '{unknown[0]}'; it has {', '.join(defaults)}.")
    return {**defaults, **{name: _converted(name, value, defaults[name]) for name, value in parameters.items()}}


def _converted(name: str, value: Any, default: Any) -> Any:
    """A parameter as the type of its default."""
    kind = type(default)
    if default is None or (type(value) is kind and value == value):  # not NaN
        return value
    if kind is float and type(value) is int:
        return float(value)
    if kind is bool and str(value).lower() in ("true", "false"):
        return str(value).lower() == "true"
    expected = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}.get(kind, str(kind))
    raise InputError(f"{name} is '{value}'; pass {expected}, such as {default}.")


def _lines(folder: ModelFolder, sources: Sequence[str | Path], threads: int | None, *, quiet: bool) -> Path:
    """The text that was counted as a file of words between spaces, written once."""
    counted = folder.stages["count"]
    key = json.dumps([counted["settings"], counted["inputs"], counted["files"]], sort_keys=True)
    path = folder.work / "lines" / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.txt"
    if path.exists():
        return path
    settings = _settings_of(counted)
    spool = folder.work / "text"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        corpus = _open(sources or _recorded_sources(counted), spool, settings, threads, quiet=quiet)
        if [file.sha256 for file in corpus.files] != [file["sha256"] for file in counted["inputs"]]:
            raise InputError("the text is not the one that was counted; pass the same files in the same order.")
        with text_bar("text", n_bytes=corpus.n_bytes, quiet=quiet) as report:
            write_lines(corpus, Vocabulary.load(folder.path), path, tokenizer=settings.tokenizer, report=report)
    finally:
        shutil.rmtree(spool, ignore_errors=True)
    return path


def _settings_of(counted: dict[str, Any]) -> CountSettings:
    known = {name: value for name, value in counted["settings"].items() if name != "text"}
    return CountSettings(**{**known, "phrases": tuple(known["phrases"])})


def _recorded_sources(counted: dict[str, Any]) -> list[str]:
    paths = [file["path"] for file in counted["inputs"]]
    if not all(Path(path).exists() for path in paths):
        raise InputError("the text that was counted is not where it was; say where it is with --text.")
    return paths


def train(
    sources: Sequence[str | Path],
    folder: str | Path,
    *,
    method: str = "sn",
    settings: CountSettings | None = None,
    parameters: dict[str, Any] | None = None,
    memory: int = DEFAULT_MEMORY,
    random_state: int = 0,
    threads: int | None = None,
    force: bool = False,
    quiet: bool = True,
) -> Embeddings:
    """Text → embeddings in a model's folder, whatever is done already skipped."""
    chosen_parameters(method, parameters or {})  # a mistake there should not wait for the counting
    model = ModelFolder(folder, create=True)
    common: dict[str, Any] = {"threads": threads, "force": force, "quiet": quiet}
    count(sources, model, settings, memory=memory, **common)
    embed(model, method, parameters=parameters, sources=sources, random_state=random_state, **common)
    return Embeddings.load(model.path)


def import_vectors(
    path: Path,
    folder: ModelFolder,
    *,
    format: str = "auto",
    words: Path | None = None,
    max_words: int | None = None,
    force: bool = False,
) -> Embeddings | None:
    """A file of vectors → embeddings of a model. None where they were there already."""
    embeddings = read_vectors(path, format=format, words=words, max_words=max_words)
    content = hashlib.sha256(embeddings.vectors.tobytes() + "\n".join(embeddings.words).encode()).hexdigest()
    settings = {"format": format, "max_words": max_words, "vectors": content}
    with folder.working():
        if folder.is_done("import", settings, force=force):
            return None

        def make(forget: Callable[[], None]) -> list[str]:
            forget()
            embeddings.save(folder.path)
            return ["words.txt", *_embedding_files(embeddings)]

        folder.build("import", settings, make, inputs=[{"path": str(path.resolve()), **fingerprint(path)}])
    return embeddings

"""The exceptions of wordatoms; each message says what was given, what was expected and what to do next.

    WordatomsError
    ├── InputError          (also a ValueError)       a parameter or text that cannot be used
    │   └── VectorFileError                           a damaged file of vectors; names the line or byte
    ├── UnknownWordError    (also a KeyError)         a word outside the vocabulary, with the nearest spellings
    ├── ModelError          (also a ValueError)       a model folder that is incomplete, damaged or of another kind
    ├── DivergedError       (also an ArithmeticError) a training run whose loss became NaN or diverged
    ├── EngineError         (also a RuntimeError)     a cluster that cannot be reached or does not work
    └── MissingExtraError   (also an ImportError)     an optional dependency, with the command that installs it

On the command line each of them becomes one sentence and exit code 1.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Integral, Real
from pathlib import Path
from types import ModuleType
from typing import Any


class WordatomsError(Exception):
    """Base class of all errors that this package raises on purpose.

    Every message is a sentence that says what was given, what was expected and what to do next.

    Examples
    --------
    >>> import wordatoms as wa
    >>> try:
    ...     wa.sparse_code([[1.0, 0.0]], [[1.0, 0.0]], sparsity=0)
    ... except wa.WordatomsError as error:
    ...     print(type(error).__name__)
    InputError
    """

    def __str__(self) -> str:
        # KeyError would show the repr of its argument.
        return str(self.args[0]) if self.args else ""


class InputError(WordatomsError, ValueError):
    """A parameter or text that cannot be used."""


class VectorFileError(InputError):
    """A file of vectors that is damaged."""


class ModelError(WordatomsError, ValueError):
    """A model folder that is incomplete, damaged or of another kind."""


class DivergedError(WordatomsError, ArithmeticError):
    """A training run whose loss became NaN or diverged."""


class EngineError(WordatomsError, RuntimeError):
    """A cluster that cannot be reached, or that lost its tasks."""


class MissingExtraError(WordatomsError, ImportError):
    """An optional dependency that is not installed."""


class UnknownWordError(WordatomsError, KeyError):
    """One or more words outside the vocabulary."""

    def __init__(self, words: str | Sequence[str], known: Sequence[str], advice: str = "") -> None:
        super().__init__(words)
        self.words = (words,) if isinstance(words, str) else tuple(words)
        self.word = self.words[0]
        self._known, self._given_advice = known, advice

    def __str__(self) -> str:
        return f"{self._subject()} not among the {len(self._known):,} words of the vocabulary; {self._advice()}"

    def __reduce__(self) -> tuple[type[UnknownWordError], tuple[object, ...]]:
        return UnknownWordError, (
            self.words,
            self._known,
            self._given_advice,
        )  # for pickling, which would pass the message

    @cached_property
    def suggestions(self) -> list[str]:
        """The nearest spellings, searched only on demand because unknown words are often just skipped."""
        from difflib import get_close_matches  # only for this message

        return get_close_matches(self.word, self._known[:200_000], n=3, cutoff=0.75)

    def _subject(self) -> str:
        return f"'{self.word}' is" if len(self.words) == 1 else f"{', '.join(map(repr, self.words))} are"

    def _advice(self) -> str:
        if self._given_advice:
            return self._given_advice
        if len(self.words) > 1:
            return "leave them out or try other spellings."
        return f"did you mean {', '.join(self.suggestions)}?" if self.suggestions else "try another spelling."


def require_string(value: Any, what: str, instead: str = "pass one string") -> str:
    """Return a string; raise for a list and anything else that is no string."""
    if not isinstance(value, str):
        raise InputError(f"{what} is of type {type(value).__name__}; {instead}.")
    return value


def require_several(values: Any, what: str, each: str) -> None:
    """Raise if one string, or something that is no series, is given where several are expected."""
    if isinstance(values, str):
        raise InputError(f"{what} are one string, {values[:40]!r}; pass a list of {each}.")
    if not isinstance(values, Iterable):
        raise InputError(f"{what} are of type {type(values).__name__}; pass a list of {each}.")


def require_number(value: Any, what: str, least: float, most: float, *, whole: bool = False) -> None:
    """Raise an `InputError` unless a value is a number, or a whole number, between two bounds."""
    is_number = isinstance(value, Integral if whole else Real)
    if is_number and not isinstance(value, bool) and least <= value <= most:
        return
    shown = f"{value}" if isinstance(value, Real) else f"{value!r:.60}"
    raise InputError(f"{what} is {shown}; pass a {'whole ' if whole else ''}number from {least:,} to {most:,}.")


def require_texts(values: Any, what: str = "the texts") -> Iterator[Any]:
    """Return the texts of a list, a generator or a column (pandas, Arrow); a missing value is an empty text.

    One string, a table and a dictionary, whose items would be the names of its columns, are refused.
    """
    if isinstance(values, Mapping | bytes) or hasattr(values, "columns") or hasattr(values, "column_names"):
        raise InputError(f"{what} are a {type(values).__name__}; pass a list of texts, or one column of a table.")
    require_several(values, what, "texts")
    return map(_plain_value, values)


def _plain_value(value: Any) -> Any:
    """Return a value as Python has it; pandas and Arrow are recognised without being imported."""
    if hasattr(value, "as_py"):
        value = value.as_py()
    is_missing = value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
    return "" if is_missing else value


EXTRAS = {
    **dict.fromkeys(("joblib", "numba", "scipy", "sklearn", "zstandard"), "train"),
    **dict.fromkeys(("fastapi", "starlette", "uvicorn", "pydantic"), "explore"),
}
"""The extra that brings a package which whole rooms import; for others see where `require_extra` is called."""


TOO_OLD = {"gensim": (3, 14)}
"""Packages whose newest release cannot be installed on this version of Python or a newer one; see `pyproject.toml`."""


def require_extra(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or raise with the command that installs it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise missing_extra(module, extra) from error


def missing_extra(module: str | None, extra: str = "") -> MissingExtraError:
    """Return the error for a package that is not installed, with the command that installs it.

    Without an extra it is looked up; a package that no extra brings belongs to the installation itself.
    """
    package = (module or "a package").partition(".")[0]
    if package in TOO_OLD and sys.version_info >= TOO_OLD[package]:
        newest = ".".join(map(str, TOO_OLD[package]))
        return MissingExtraError(
            f"this needs {package}, which cannot be installed on Python {newest} or newer yet; use an older Python."
        )
    extra = extra or EXTRAS.get(package, "all")
    return MissingExtraError(
        f'this needs {package}, which is not installed; run: {_pip()} install "{_installed_from()}[{extra}]"'
    )


def _pip() -> str:
    """Return how pip of this very Python is called; in an activated environment it is just pip."""
    is_active = os.environ.get("VIRTUAL_ENV") and Path(os.environ["VIRTUAL_ENV"]) == Path(sys.prefix)
    return "pip" if is_active else f"{sys.executable} -m pip"


def _installed_from() -> str:
    """Return the name of this package, or the folder that it was installed from."""
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        origin = json.loads(distribution("wordatoms").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return "wordatoms"
    path = Path(url2pathname(urlsplit(origin.get("url", "")).path))
    return str(path) if "dir_info" in origin and (path / "pyproject.toml").is_file() else "wordatoms"

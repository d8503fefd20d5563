"""Answers as JSON, the schemas that describe them, and the errors sent instead of an answer.

Answers are the result classes of the library and of this package: dataclasses and named tuples. Both become JSON
objects with the names of their fields; numbers are rounded to the digits that the page shows. The schemas for the
OpenAPI description are derived from the same classes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, create_model

from wordatoms.errors import InputError, WordatomsError

N_DIGITS = 4
BAD_REQUEST, NOT_FOUND = 400, 404
PLAIN = frozenset({int, str, bool, type(None)})
"""Types of values that are their own JSON; an export has millions of them."""
LONGEST_SHOWN = 100
"""Characters of an unknown word that an error message repeats."""


# JSON


def to_json(answer: Any) -> bytes:
    """Compact JSON; lone surrogates, which a request may contain, become question marks."""
    text = json.dumps(to_plain(answer), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


def to_plain(value: Any) -> Any:
    """Dictionaries, lists, strings and rounded numbers."""
    kind: type = type(value)
    return value if kind in PLAIN else _converter(kind)(value)


@cache
def _converter(kind: type) -> Callable[[Any], Any]:
    if issubclass(kind, float):
        return lambda number: round(number, N_DIGITS)
    if names := record_fields(kind):
        return lambda record: {name: to_plain(getattr(record, name)) for name in names}
    if issubclass(kind, Mapping):
        return lambda items: {key: to_plain(value) for key, value in items.items()}
    if issubclass(kind, (list, tuple)):
        return lambda items: [item if type(item) in PLAIN else to_plain(item) for item in items]
    return lambda value: value


def record_fields(kind: Any) -> tuple[str, ...]:
    """The fields of a dataclass or named tuple; none for any other type."""
    if is_dataclass(kind):
        return tuple(each.name for each in fields(kind))
    return getattr(kind, "_fields", ())


# Schemas


@cache
def json_schema(hint: Any) -> Any:
    """The type of the JSON that a value of this type becomes; dataclasses and named tuples become pydantic models."""
    if names := record_fields(hint):
        hints = get_type_hints(hint)
        content: dict[str, Any] = {name: (json_schema(hints[name]), ...) for name in names}
        return create_model(hint.__name__, __config__=ConfigDict(extra="forbid"), __doc__=hint.__doc__, **content)
    origin, arguments = get_origin(hint), get_args(hint)
    if not arguments or origin is Literal:
        return hint
    if origin in (Union, UnionType):
        return reduce(or_, map(json_schema, arguments))
    return origin[tuple(map(json_schema, arguments))]


# Errors


class ApiError(Exception):
    """A question without an answer: an HTTP status and one sentence that says why."""

    def __init__(
        self, status: int, sentence: str, suggestions: list[str] | None = None, parts: list[str] | None = None
    ) -> None:
        super().__init__(sentence)
        self.status, self.suggestions, self.parts = status, suggestions, parts

    def record(self) -> dict[str, Any]:
        more = {"suggestions": self.suggestions, "parts": self.parts}
        return {"error": str(self), **{name: words for name, words in more.items() if words is not None}}

    @classmethod
    def of(cls, error: WordatomsError) -> ApiError:
        """An error of the library: a bad question, or something that this model does not have."""
        return cls(BAD_REQUEST if isinstance(error, InputError) else NOT_FOUND, str(error))


def unknown_word(word: str, n_words: int, suggestions: list[str], parts: list[str]) -> ApiError:
    advice = f"did you mean {', '.join(suggestions)}?" if suggestions else "try another spelling."
    if parts and not suggestions:
        advice = f"its parts are: {', '.join(parts)}."
    shown = word if len(word) <= LONGEST_SHOWN else f"{word[:LONGEST_SHOWN]}…"
    sentence = f"'{shown}' is not among the {n_words:,} words of the vocabulary; {advice}"
    return ApiError(NOT_FOUND, sentence, suggestions, parts)

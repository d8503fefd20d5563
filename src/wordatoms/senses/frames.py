"""Results as tables of pandas, an optional dependency.

A result has one row, or several if it is a collection itself: a disambiguation has a row for each sense, clusters for
each usage. Columns are the attributes of the result; lists of words are written as one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from wordatoms.errors import InputError, require_extra

if TYPE_CHECKING:
    from pandas import DataFrame

Row = dict[str, Any]
Item = TypeVar("Item")


class Framed:
    """A result that can be made a table."""

    def to_frame(self) -> DataFrame:
        """Return a pandas table of this result; see `wordatoms.to_frame`.

        Returns
        -------
        pandas.DataFrame
        """
        return to_frame(self)

    def _table_rows(self) -> list[Row]:
        """Return the rows of the table."""
        return [flat_row(self)]


class Results(list[Item]):
    """A list of results, which can be made a table.

    Parameters
    ----------
    iterable : iterable, optional
        The results.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().senses("tie").to_frame()[["atom", "label"]].head(2).values.tolist()
    [[259, 'ropes and knots'], [873, 'American playoffs and seasons']]
    """

    def to_frame(self) -> DataFrame:
        """Return a pandas table of these results; see `wordatoms.to_frame`.

        Returns
        -------
        pandas.DataFrame
        """
        return to_frame(self)


def to_frame(results: Any) -> DataFrame:
    """Return results as a pandas table: one answer of a model, or a list of them.

    Parameters
    ----------
    results : object or iterable of objects
        Anything a model answers: senses, candidates, atoms, nearest words, disambiguations, clusters, topics,
        comparisons, sentences, a tuning.

    Returns
    -------
    pandas.DataFrame
        A row for each result. A disambiguation has a row for each sense, clusters have one for each usage, topics for
        each document and atom, a comparison for each pair of senses, sentences for each sentence, a tuning for each
        trial.

    Raises
    ------
    MissingExtraError
        If pandas is not installed.

    Examples
    --------
    >>> import wordatoms as wa
    >>> frame = wa.to_frame(wa.load().near_words("tie", 2))
    >>> list(frame.columns), frame["word"].tolist()
    (['word', 'similarity'], ['tied', 'tying'])
    """
    pandas = require_extra("pandas", "pandas")
    if not isinstance(results, Framed) and hasattr(results, "to_frame") and not isinstance(results, Results):
        return results.to_frame()  # has a table of its own
    if _is_result(results):
        return pandas.DataFrame(_rows_of(results))
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        raise InputError(f"there is no table of a {type(results).__name__}; pass what a model answered.")
    return pandas.DataFrame([row for each in results for row in _rows_of(each)])


def _is_result(value: Any) -> bool:
    return is_dataclass(value) or hasattr(value, "_asdict")


def _rows_of(result: Any) -> list[Row]:
    if not _is_result(result):
        raise InputError(f"there is no row for a {type(result).__name__}; pass what a model answered.")
    return result._table_rows() if isinstance(result, Framed) else [flat_row(result)]


def flat_row(result: Any, **leading: Any) -> Row:
    """Return the attributes of a result as cells, after some others."""
    values = (
        result._asdict()
        if hasattr(result, "_asdict")
        else {field.name: getattr(result, field.name) for field in fields(result)}
    )
    return {**leading, **{name: cell(value) for name, value in values.items()}}


def cell(value: Any) -> Any:
    """Return a value for a table: words of a list between spaces, other things as they are."""
    if isinstance(value, Mapping):
        return " ".join(map(str, value))
    if not isinstance(value, tuple | list) or hasattr(value, "_asdict"):
        return value
    return " ".join(str(getattr(each, "word", each[0] if isinstance(each, tuple) else each)) for each in value)

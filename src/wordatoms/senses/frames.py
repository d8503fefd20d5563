"""Results as tables of pandas, an optional dependency, and as a few lines in a terminal.

A result has one row, or several if it is a collection itself: a disambiguation has a row for each sense, clusters for
each usage. Columns are the attributes of the result; lists of words are written as one text. In a notebook results are
shown by `wordatoms.senses.html`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

import numpy as np

from wordatoms.errors import InputError, require_extra
from wordatoms.tabular import Tabular

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table

Row = dict[str, Any]
Item = TypeVar("Item")

N_SHOWN = 10
"""Results of a list that its `repr` shows."""
N_BRIEF = 3
"""Items of an attribute that the `repr` of a result shows."""
LONGEST_TEXT = 60
"""Characters of a text in a `repr`."""


class Shown:
    """A result that notebooks show as HTML."""

    def _repr_html_(self) -> str:
        from wordatoms.senses.html import to_html  # only notebooks need it

        return to_html(self)


class Framed(Shown):
    """A result that can be made a table."""

    def __repr__(self) -> str:
        """Return the attributes that say something, without most items of long ones: a few lines."""
        values = [(field, getattr(self, field.name)) for field in fields(self)]  # type: ignore[arg-type]
        shown = {field.name: value for field, value in values if value is not field.default}
        return f"{type(self).__name__}({', '.join(f'{name}={brief(value)}' for name, value in shown.items())})"

    def to_frame(self) -> DataFrame:
        """Return a pandas table of this result; see `wordatoms.to_frame`.

        Returns
        -------
        pandas.DataFrame
        """
        return to_frame(self)

    def to_arrow(self) -> Table:
        """Return an Arrow table of this result; see `wordatoms.to_arrow`.

        Returns
        -------
        pyarrow.Table
        """
        return to_arrow(self)

    def _table_rows(self) -> list[Row]:
        """Return the rows of the table."""
        return [flat_row(self)]


class Results(list[Item], Shown):
    """A list of results, which can be made a table; notebooks show it as one.

    Parameters
    ----------
    iterable : iterable, optional
        The results.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.load().senses("tie").to_frame()[["atom", "label"]].head(2).values.tolist()
    [[259, 'fasten with rope or string'], [110, 'necktie']]
    """

    def __repr__(self) -> str:
        """Return the first results, one to a line."""
        left = [f"… {len(self) - N_SHOWN:,} more"] if len(self) > N_SHOWN else []
        return "[" + ",\n ".join([*map(repr, self[:N_SHOWN]), *left]) + "]"

    @overload
    def __getitem__(self, place: SupportsIndex, /) -> Item: ...
    @overload
    def __getitem__(self, place: slice, /) -> Results[Item]: ...
    def __getitem__(self, place: SupportsIndex | slice, /) -> Item | Results[Item]:
        """Return a result, or some of them as a list of the same kind."""
        found = super().__getitem__(place)
        return Results(found) if isinstance(place, slice) else found  # type: ignore[return-value, arg-type]

    def to_frame(self) -> DataFrame:
        """Return a pandas table of these results; see `wordatoms.to_frame`.

        Returns
        -------
        pandas.DataFrame
        """
        return to_frame(self)

    def to_arrow(self) -> Table:
        """Return an Arrow table of these results; see `wordatoms.to_arrow`.

        Returns
        -------
        pyarrow.Table
        """
        return to_arrow(self)


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
    if is_result(results):
        return pandas.DataFrame(rows_of(results))
    if isinstance(results, str | bytes | Mapping) or not isinstance(results, Iterable):
        raise InputError(f"there is no table of a {type(results).__name__}; pass what a model answered.")
    return pandas.DataFrame([row for each in results for row in rows_of(each)])


def to_arrow(results: Any) -> Table:
    """Return results as an Arrow table, for Polars, DuckDB, Parquet and other programs that read Arrow.

    Parameters
    ----------
    results : object or iterable of objects
        What `to_frame` takes.

    Returns
    -------
    pyarrow.Table
        The rows and columns of `to_frame`.

    Raises
    ------
    MissingExtraError
        If pandas or pyarrow is not installed.

    Examples
    --------
    >>> import wordatoms as wa
    >>> wa.to_arrow(wa.load().near_words("tie", 2)).column_names
    ['word', 'similarity']
    """
    if isinstance(results, Tabular):
        return results.to_arrow()
    table: Table = require_extra("pyarrow", "parquet").Table.from_pandas(to_frame(results), preserve_index=False)
    return table


def brief(value: Any) -> str:
    """Return a value for a `repr`: the first words of a list, a few digits of a number, the shape of an array."""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, str):
        return repr(value if len(value) <= LONGEST_TEXT else value[: LONGEST_TEXT - 1] + "…")
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, Mapping):
        value = tuple(value)
    if not isinstance(value, tuple | list) or hasattr(value, "_asdict"):
        return repr(value)
    shown = [_brief_item(item) for item in value[:N_BRIEF]]
    return f"[{', '.join([*shown, *([f'… {len(value) - N_BRIEF:,} more'] if len(value) > N_BRIEF else [])])}]"


def _brief_item(item: Any) -> str:
    """Return one item of a list: a sense by its label, a neighbour by its word."""
    if hasattr(item, "label"):
        number = getattr(item, "probability", getattr(item, "share", None))
        return brief(item.label) + ("" if number is None else f" {number:.3g}")
    return str(getattr(item, "word", None) or getattr(item, "form", None) or brief(item))


def is_result(value: Any) -> bool:
    """Tell whether a value is one answer, not a list of them."""
    return is_dataclass(value) or hasattr(value, "_asdict")


def rows_of(result: Any) -> list[Row]:
    """Return the rows of one result."""
    if not is_result(result):
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

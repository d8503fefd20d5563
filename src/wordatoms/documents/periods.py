"""Dates of documents, and the days, weeks, months, quarters, years and decades they fall into.

Dates are read in the forms that everybody reads alike: 2024-03-05, with a time after it or not, 2024/03/05, 20240305,
5.3.2024, and 2024-03 or 2024 where the period needs no more. Others, such as 3/5/2024, need their format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError, require_string

PERIODS = ("day", "week", "month", "quarter", "year", "decade")
PARTS = {"day": 3, "week": 3, "month": 2, "quarter": 2, "year": 1, "decade": 1}
"""How much of a date a period needs: year, month, day."""
NAMES = ("", "year", "month", "day")
FORMS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        r"(?P<year>\d{4})(?:([-/.])(?P<month>\d{1,2})(?:\2(?P<day>\d{1,2}))?)?(?:[T ]\d{1,2}(?::.*|h.*|Z)?)?",
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})(?:T\d.*)?",
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})",
    )
)
ADVICE = "write dates as 2024-03-05, or say their format (--time-format, in Python time_format)"


class Period(NamedTuple):
    """A period: its number, consecutive ones counted up, and its name, such as 2024-03 or 2024-Q1."""

    number: int
    name: str


def find_periods(dates: Iterable[Any], period: str, *, form: str | None = None) -> list[Period | None]:
    """Return the period of each date; None for a missing one. Rows are counted from 1 in errors."""
    check_period(period)
    if form is not None:
        require_string(form, "the format of the dates")
    known: dict[str, Period | None] = {}
    found: list[Period | None] = []
    for row, value in enumerate(dates, 1):
        key = str(value)
        if key not in known:
            known[key] = find_period(value, period, form=form, where=f"row {row:,}")
        found.append(known[key])
    return found


def check_period(period: str) -> None:
    if period not in PERIODS:
        raise InputError(f"'{period}' is no period; pass {', '.join(PERIODS[:-1])} or {PERIODS[-1]}.")


def find_period(value: Any, period: str, *, form: str | None = None, where: str = "the input") -> Period | None:
    """Return the period of a date; None for a missing one. What is a period already stays what it is."""
    if isinstance(value, Period):
        return value
    if is_missing(value):
        return None
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    parts = _date_parts(value, form, where)
    if len(parts) < PARTS[period]:
        raise InputError(f"the date '{value}' in {where} has no {NAMES[len(parts) + 1]}; take a longer period.")
    return _PERIOD_OF[period](_to_date(parts))


def _to_date(parts: tuple[int, ...]) -> date:
    """Return the first day of a year, a month or a day."""
    year, month, day = (*parts, 1, 1)[:3]
    return date(year, month, day)


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, NaT, NA, or an empty text."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or str(value) in ("nan", "NaT", "<NA>")


def number_periods(periods: Sequence[Period | None]) -> tuple[list[Period], NDArray[np.int64]]:
    """Return the periods in their order, and the place of each document's among them; -1 for none."""
    ordered = sorted({period for period in periods if period is not None})
    places = {period: place for place, period in enumerate(ordered)}
    return ordered, np.array([-1 if each is None else places[each] for each in periods], np.int64)


def _date_parts(value: Any, form: str | None, where: str) -> tuple[int, ...]:
    """Return year, month and day, as far as they are given."""
    if isinstance(value, date):  # datetime and pandas.Timestamp are dates
        return value.year, value.month, value.day
    text = str(value).strip()
    try:
        if form is not None:
            read = datetime.strptime(text, form)
            return read.year, read.month, read.day
        match = next(match for each in FORMS if (match := each.fullmatch(text)))
        parts = tuple(int(match[name]) for name in ("year", "month", "day") if match[name] is not None)
        _to_date(parts)
    except (ValueError, StopIteration, re.error):
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        wanted = f"a date in the format {form}" if form is not None else "a date"
        advice = "check it" if form is not None else ADVICE
        raise InputError(f"'{shown}' in {where} is not {wanted}; {advice}.") from None
    return parts


def _week(day: date) -> Period:
    year, week, _ = day.isocalendar()
    return Period((day.toordinal() - 1) // 7, f"{year}-W{week:02}")  # day 1 was a Monday


_PERIOD_OF: dict[str, Callable[[date], Period]] = {
    "day": lambda day: Period(day.toordinal(), day.isoformat()),
    "week": _week,
    "month": lambda day: Period(12 * day.year + day.month - 1, f"{day.year:04}-{day.month:02}"),
    "quarter": lambda day: Period(4 * day.year + (day.month - 1) // 3, f"{day.year:04}-Q{(day.month - 1) // 3 + 1}"),
    "year": lambda day: Period(day.year, f"{day.year:04}"),
    "decade": lambda day: Period(day.year // 10, f"{day.year // 10:03}0s"),
}

"""Dates and the periods they fall into."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordatoms.documents.periods import PERIODS, Period, find_periods, number_periods
from wordatoms.errors import InputError


@pytest.mark.parametrize(
    "written",
    [
        *("2024-03-05", "2024-3-5", "2024/03/05", "20240305", "5.3.2024", "05. 03. 2024", "2024-03-05T10:20:30Z"),
        *("2024-03-05 10:20:30.5+01:00", date(2024, 3, 5), datetime(2024, 3, 5, 23), np.datetime64("2024-03-05")),
    ],
)
def test_one_day_in_many_forms(written: object) -> None:
    names = [find_periods([written], period)[0] for period in PERIODS]
    assert [each.name for each in names if each] == ["2024-03-05", "2024-W10", "2024-03", "2024-Q1", "2024", "2020s"]


@given(day=st.dates(), period=st.sampled_from(PERIODS))
def test_numbers_of_periods_follow_each_other(day: date, period: str) -> None:
    if day == date.max:
        return
    one, next_one = find_periods([day, day + timedelta(1)], period)
    assert one is not None
    assert next_one is not None
    assert next_one.number - one.number in (0, 1)
    assert (one.number == next_one.number) == (one.name == next_one.name)


def test_missing_dates_have_no_period() -> None:
    missing = [None, "", "  ", float("nan"), np.datetime64("NaT")]
    assert find_periods(missing, "day") == [None] * 5
    places = number_periods([Period(5, "e"), None, Period(3, "c")])
    assert [each.name for each in places[0]] == ["c", "e"]
    assert places[1].tolist() == [1, -1, 0]


def test_pandas_knows_more_kinds_of_missing() -> None:
    pandas = pytest.importorskip("pandas")
    assert find_periods([pandas.NaT, pandas.NA, pandas.Timestamp("2024-12-31")], "year")[:2] == [None, None]


@pytest.mark.parametrize(
    "written", ["3/5/2024", "2024-13-01", "2024-02-30", "yesterday", "0000-01-01", "２０２４-01-01", "9" * 500]
)
def test_no_date_is_one_sentence_with_the_row(written: str) -> None:
    with pytest.raises(InputError, match=r"in row 2 is not a date; write dates as 2024-03-05") as error:
        find_periods(["2024-01-01", written], "month")
    assert len(str(error.value)) < 200


def test_a_format_of_ones_own() -> None:
    assert find_periods(["3/25/2024"], "month", form="%m/%d/%Y") == [Period(24290, "2024-03")]
    with pytest.raises(InputError, match="is not a date in the format %d/%m/%Y"):
        find_periods(["3/25/2024"], "month", form="%d/%m/%Y")

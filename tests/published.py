"""Tests that need the data sets, which do not come with the program."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., object])


def needs_data(test: Test) -> Test:
    """Skip where WORDATOMS_DATA does not name the folder of the data sets; `pytest -m data` runs these alone."""
    is_absent = "WORDATOMS_DATA" not in os.environ
    return pytest.mark.data(pytest.mark.skipif(is_absent, reason="WORDATOMS_DATA does not name the data sets")(test))


def data_folder() -> Path:
    return Path(os.environ["WORDATOMS_DATA"])

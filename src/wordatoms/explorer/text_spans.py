"""Offsets in a text as the page counts them: in UTF-16 code units, like JavaScript."""

from __future__ import annotations

from itertools import accumulate

_LAST_OF_ONE_UNIT = "\uffff"


def utf16_offsets(text: str) -> list[int]:
    """The number of code units before each character of a text, and before its end."""
    return [0, *accumulate(2 if character > _LAST_OF_ONE_UNIT else 1 for character in text)]

"""Parse rows of vector files, `word 0.1 -2.3e-05 …`, from bytes to numbers.

Only plain rows are parsed here: a word without spaces, the right number of plain decimal numbers, spaces or tabs
between them. All other rows (spaces in words, very small or very long numbers, mistakes) are left to the caller, which
is slower but reports what is wrong.
"""

from __future__ import annotations

import numpy as np

from wordatoms.kernels import jit

_TAB, _RETURN, _SPACE, _PLUS, _MINUS, _POINT, _ZERO = 9, 13, 32, 43, 45, 46, 48
_LOWER_E, _UPPER_E = 101, 69
_FAILED = -1
_LARGEST = float(np.finfo(np.float32).max)
_FULL_MANTISSA = 10**17  # digits after the 18th are far below the precision of the result, and would overflow 64 bits
_POWERS_OF_TEN = 10.0 ** np.arange(23)  # powers that a double holds exactly: a product is rounded only once


@jit
def parse_rows(text, starts, stops, values, word_lengths):
    """Parse the row `text[starts[i]:stops[i]]` into `values[i]` and `word_lengths[i]` (-1 if it is not plain)."""
    for row in range(len(starts)):
        start, stop = starts[row], stops[row]
        while stop > start and text[stop - 1] in (_SPACE, _TAB, _RETURN):
            stop -= 1
        word_stop = start
        while word_stop < stop and not _is_space(text[word_stop]):
            word_stop += 1
        plain = word_stop > start and _parse_numbers(text, word_stop, stop, values[row])
        word_lengths[row] = word_stop - start if plain else _FAILED


@jit
def _is_space(byte):
    return byte in (_SPACE, _TAB)


@jit
def _parse_numbers(text, position, stop, values):
    """Parse numbers, each after spaces; return whether there are exactly as many as values."""
    for column in range(len(values)):
        before = position
        while position < stop and _is_space(text[position]):
            position += 1
        if position == before:
            return False
        values[column], position = _parse_number(text, position, stop)
        if position == _FAILED:
            return False
    return position == stop


@jit
def _parse_number(text, position, stop):
    """The number at a position and the position after it."""
    negative = position < stop and text[position] == _MINUS
    if position < stop and text[position] in (_MINUS, _PLUS):
        position += 1
    mantissa, power, position = _parse_mantissa(text, position, stop)
    exponent, position = _parse_exponent(text, position, stop)
    exponent += power
    if position == _FAILED or abs(exponent) >= len(_POWERS_OF_TEN):
        return 0.0, _FAILED
    scale = _POWERS_OF_TEN[abs(exponent)]
    value = mantissa * scale if exponent >= 0 else mantissa / scale
    if value > _LARGEST:
        return 0.0, _FAILED
    return -value if negative else value, position


@jit
def _parse_mantissa(text, position, stop):
    """Digits with or without a point: an integer, its power of ten, and the position after it."""
    mantissa, power, n_digits = 0, 0, 0
    behind_point = False
    while position < stop:
        byte = text[position]
        if _ZERO <= byte <= _ZERO + 9:
            n_digits += 1
            if mantissa < _FULL_MANTISSA:
                mantissa = mantissa * 10 + (byte - _ZERO)
                power -= behind_point
            else:
                power += not behind_point
        elif byte == _POINT and not behind_point:
            behind_point = True
        else:
            break
        position += 1
    return mantissa, power, position if n_digits else _FAILED


@jit
def _parse_exponent(text, position, stop):
    """The exponent at a position (0 if there is none), and the position after it."""
    if position in (_FAILED, stop) or text[position] not in (_LOWER_E, _UPPER_E):
        return 0, position
    position += 1
    negative = position < stop and text[position] == _MINUS
    if position < stop and text[position] in (_MINUS, _PLUS):
        position += 1
    first, exponent = position, 0
    while position < stop and _ZERO <= text[position] <= _ZERO + 9 and exponent < 1000:
        exponent = exponent * 10 + (text[position] - _ZERO)
        position += 1
    if position == first:
        return 0, _FAILED
    return -exponent if negative else exponent, position

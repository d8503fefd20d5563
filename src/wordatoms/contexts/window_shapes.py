"""The size of windows, and windows without their targets: what questions need without reading a text.

Left out: finding windows in a text (`wordatoms.contexts.windows`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError

LARGEST_WINDOW = 1000


def check_window(window: int) -> None:
    if not 1 <= window <= LARGEST_WINDOW:
        raise InputError(f"window is {window:,}; pass 1 to {LARGEST_WINDOW:,} words on each side.")


def without_targets(windows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return windows without the words in the middle: (n, 2 * window + 1) to (n, 2 * window)."""
    return np.delete(windows, windows.shape[1] // 2, axis=1)

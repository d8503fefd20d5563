"""A text of planted discourses, long enough to tune on."""

from __future__ import annotations

from itertools import product

import numpy as np

N_DISCOURSES, N_WORDS = 11, 100
"""More than a thousand words, because more frequent ones than one in a thousand make no pseudowords."""
WORDS = ["".join(word) for word in product("bdfgklmnprt", "aeiou", "bdfgklmnprt", "ao")][: N_DISCOURSES * N_WORDS]


def planted_text(seed: int, n_lines: int = 3300) -> str:
    """Lines of one discourse, a fifth of the words from anywhere."""
    rng = np.random.default_rng(seed)
    own = np.arange(n_lines)[:, None] % N_DISCOURSES * N_WORDS + rng.integers(N_WORDS, size=(n_lines, 20))
    rows = np.where(rng.random(own.shape) < 0.2, rng.integers(len(WORDS), size=own.shape), own)
    return "\n".join(" ".join(WORDS[row] for row in line) for line in rows)

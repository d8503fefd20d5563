"""Short names for atoms, made from their nearest words: *trousers, blouse, waistcoat*."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

N_WORDS = 3
_SAME_STEM = 0.7
"""Two words that share this much of the longer one from its start say the same thing twice."""


def make_label(nearest: Sequence[str]) -> str:
    """The nearest words of an atom, one of each stem."""
    chosen: list[str] = []
    for word in nearest:
        if not any(_same_stem(word, other) for other in chosen):
            chosen.append(word)
        if len(chosen) == N_WORDS:
            break
    return ", ".join(chosen)


def _same_stem(word: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return shared >= _SAME_STEM * max(len(word), len(other))

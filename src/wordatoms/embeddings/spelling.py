"""How a vocabulary spells a word that a person typed."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence


def find_spelling(
    word: str, known: Container[str], tokenize: Callable[[str], Sequence[str]] | None = None
) -> str | None:
    """Return the word as typed, in lower case, or as its only token (“tie” is tie), whichever is known first."""
    if word in known:
        return word
    if (lower := word.lower()) in known:
        return lower
    tokens = tokenize(word) if tokenize else ()
    return tokens[0] if len(tokens) == 1 and tokens[0] in known else None

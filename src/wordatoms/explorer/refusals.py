"""Questions that cannot be answered: one sentence, and the status that goes with it."""

from __future__ import annotations

from typing import Any

from wordatoms.errors import InputError, WordatomsError

BAD_REQUEST, NOT_FOUND = 400, 404
LONGEST_SHOWN = 100
"""Letters of an unknown word that are shown."""


class Refusal(Exception):
    """A question that has no answer, and why."""

    def __init__(self, status: int, sentence: str, **more: Any) -> None:
        super().__init__(sentence)
        self.status, self.more = status, more

    def record(self) -> dict[str, Any]:
        return {"error": str(self), **self.more}

    @classmethod
    def of(cls, error: WordatomsError) -> Refusal:
        """What the library would not do: a wrong question, or something that this model does not have."""
        return cls(BAD_REQUEST if isinstance(error, InputError) else NOT_FOUND, str(error))


def unknown_word(word: str, n_words: int, suggestions: list[str]) -> Refusal:
    advice = f"did you mean {', '.join(suggestions)}?" if suggestions else "try another spelling."
    shown = word if len(word) <= LONGEST_SHOWN else f"{word[:LONGEST_SHOWN]}…"
    sentence = f"'{shown}' is not among the {n_words:,} words of the vocabulary; {advice}"
    return Refusal(NOT_FOUND, sentence, suggestions=suggestions)

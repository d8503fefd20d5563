"""Labels of the atoms of items: the words that the texts nearest to an atom share, more than the collection does.

A word counts once per text, and a text once however often it is repeated. A word in c of n examples of an atom, and in
a share q of the collection, scores c · log((c / n) / q): words in many examples that are rare elsewhere. The
collection is represented by some thousands of its texts, evenly spaced.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.labels import make_label
from wordatoms.embeddings.items import ItemTexts
from wordatoms.text.tokenizer import Tokenizer

SAMPLED_TEXTS = 20_000
"""Texts that the shares of words in the collection are taken from."""
READ_CHARACTERS = 5000
"""Characters of a text that are read."""
LEAST_SHARED = 2
"""Examples that a word of a label is in."""
MOST_COMMON = 0.25
"""A word in a larger share of the collection is passed over, however many examples it is in."""
SHORTEST, LONGEST = 3, 30
"""Letters of a word of a label, unless it is in a script without an alphabet."""
TEXTS_AT_ONCE = 1000
NO_WORDS = "no words"
"""Label of an atom whose examples have none."""

_TOKENIZER = Tokenizer()


def label_by_texts(texts: ItemTexts, nearest: NDArray[np.int32]) -> tuple[str, ...]:
    """Label atoms, given the rows of the items nearest to each; without shared words by those of the nearest item."""
    shares = _collection_shares(texts)
    return tuple(_label([_words(text) for text in dict.fromkeys(texts.of(rows))], shares) for rows in nearest.tolist())


def _collection_shares(texts: ItemTexts) -> dict[str, float]:
    """Return the share of the sampled texts that each word is in."""
    step = -(-len(texts) // SAMPLED_TEXTS)
    rows = range(0, len(texts), step)
    counts: Counter[str] = Counter()
    for start in range(0, len(rows), TEXTS_AT_ONCE):
        for text in texts.of(rows[start : start + TEXTS_AT_ONCE]):
            counts.update(_words(text))
    return {word: count / len(rows) for word, count in counts.items()}


def _label(examples: Sequence[frozenset[str]], shares: dict[str, float]) -> str:
    counts = Counter(word for words in examples for word in words)
    least = min(shares.values(), default=1.0)

    def score(word: str) -> float:
        return counts[word] * log(counts[word] / len(examples) / shares.get(word, least))

    shared = [word for word in counts if counts[word] >= min(LEAST_SHARED, len(examples)) and score(word) > 0]
    found = [word for word in shared if shares.get(word, 0) <= MOST_COMMON] or shared
    candidates = found or [*next((words for words in examples if words), ())]
    ranked = sorted(candidates, key=lambda word: (-score(word), word))
    return make_label(ranked) or NO_WORDS


def _words(text: str) -> frozenset[str]:
    """Return the words of a text that may be in a label."""
    return frozenset(word for word in _TOKENIZER.tokens(text[:READ_CHARACTERS]) if _is_telling(word))


def _is_telling(word: str) -> bool:
    return (SHORTEST <= len(word) <= LONGEST or not word.isascii()) and not any(map(str.isdigit, word))

"""Table 2: do induced embeddings A·u_w come close to the vectors of words that A has not seen? (Section 4)

The words of the test are those with enough contexts in the text: the averages of rare words are mostly noise. A third
of them is held out, A is fitted to the others with equal weights, and the held-out words are scored: the cosine of
v_w with A·u_w, with u_w itself (no map), and the relative error ‖v_w − A·u_w‖ / ‖v_w‖. This is done for growing parts
of the text, for SIF and plain averages, with the word itself left out of its contexts or in, and with the common
direction kept or removed.

The paper does not say whether the word itself is in its window. With it, u_w holds a share of v_w and the cosine is
inflated, so the headline leaves it out. Memory: 16 bytes per word and dimension for each amount of text, and what
`wordatoms.contexts.averages` takes for both averages.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.averages import ContextSums, context_sums
from wordatoms.contexts.induced_map import cosines, enough_contexts, fit_matrix, hold_out
from wordatoms.contexts.sif import DEFAULT_A, SIF, p_words, remove_direction
from wordatoms.contexts.windows import sample_windows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.text.corpus import Corpus

PAPER = {
    "cosine": {"250k paragraphs": 0.94, "500k paragraphs": 0.95, "750k paragraphs": 0.96, "1M paragraphs": 0.96},
    "cosine_without_map": 0.58,
}
MIN_CONTEXTS = 1000
FEWEST_WORDS = 10

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class InducedScore:
    """One line of the table: means over the held-out words."""

    text: float
    """Share of the text."""
    n_contexts: int
    """Of all words."""
    average: str
    """SIF or plain."""
    target: str
    """Whether the word is out of its contexts or in."""
    common: str
    """Whether the common direction is kept or removed."""
    cosine: float
    without_map: float
    """The cosine of v_w with u_w itself."""
    relative_error: float


@dataclass(frozen=True)
class WordScore:
    """A held-out word: its contexts in the whole text, and its cosines with and without A."""

    word: str
    n_contexts: int
    cosine: float
    without_map: float


@dataclass(frozen=True)
class InducedResult(TaskResult):
    lines: tuple[InducedScore, ...]
    words: tuple[WordScore, ...]
    """The held-out words for the headline setting: the whole text, SIF, target out, common direction kept."""
    n_fitted: int
    min_contexts: int
    """The minimum number of contexts of the words in the test."""
    asked_contexts: int
    """The minimum that was asked for; it is lowered if too few words reach it."""

    def find(
        self, *, text: float = 1.0, average: str = "SIF", target: str = "out", common: str = "kept"
    ) -> InducedScore:
        """One line of the table; by default the headline."""
        wanted = (text, average, target, common)
        return next(line for line in self.lines if (line.text, line.average, line.target, line.common) == wanted)

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(line) for line in self.lines]

    @property
    def verdict(self) -> str:
        out, inside, plain = self.find(), self.find(target="in"), self.find(average="plain", target="in")
        is_needed = all(line.cosine > line.without_map for line in (out, inside, plain))
        return (
            f"The paper reports a cosine of 0.94 to 0.96 with A and 0.58 without (GloVe); here {_pair(out)} with the "
            f"word left out of its contexts, {_pair(inside)} with it in, {_pair(plain)} with it in plain averages: "
            f"that A is needed {'holds here too' if is_needed else 'does not hold here'}."
        )

    @property
    def note(self) -> str:
        if self.min_contexts >= self.asked_contexts:
            return ""
        return (
            f"too few words have {self.asked_contexts:,} contexts; words with {self.min_contexts:,} or more were used"
        )

    def to_json(self) -> dict[str, Any]:
        headline = self.find()
        return {
            "scores": {
                "cosine": headline.cosine,
                "relative_error": headline.relative_error,
                "cosine_target_in": self.find(target="in").cosine,
                "n_held_out": len(self.words),
                "n_fitted": self.n_fitted,
                "min_contexts": self.min_contexts,
                "table": self.rows(),
            },
            "baselines": {"without_map": headline.without_map},
            "paper": PAPER,
            "verdict": self.verdict,
            "items": [asdict(word) for word in self.words],
        }


def evaluate_induced(
    embeddings: Embeddings,
    corpus: Corpus,
    *,
    window: int = 10,
    a: float = DEFAULT_A,
    n_amounts: int = 4,
    min_contexts: int = MIN_CONTEXTS,
    random_state: int = 0,
    **reading: Any,
) -> InducedResult:
    """Score induced embeddings on held-out words, for `n_amounts` growing parts of a text.

    `reading` goes to the passes over the text: tokenizer, work, run. Where fewer than two words per
    dimension have `min_contexts` contexts, words with fewer are included.
    """
    if n_amounts < 1 or min_contexts < 1:
        raise InputError(f"n_amounts is {n_amounts} and min_contexts {min_contexts}; both must be 1 or more.")
    sampling = {name: value for name, value in reading.items() if name != "work"}
    windows = sample_windows(corpus, embeddings.words, window=window, random_state=random_state, **sampling)
    test: _Test | None = None
    lines: list[InducedScore] = []
    words: list[WordScore] = []
    for average, sif in (("SIF", SIF(embeddings, p_words(embeddings), a)), ("plain", _plain(embeddings))):
        amounts = _growing(corpus, sif, n_amounts, window=window, **reading)
        test = test or _Test.of(embeddings, amounts[-1].n_contexts, min_contexts, random_state)
        directions = {
            target: sif.fit_common_direction(windows, include_target=target == "in") for target in ("out", "in")
        }
        lines += [line for amount in amounts for line in _lines(test, amount, amounts[-1], average, directions)]
        words = words or test.word_scores(amounts[-1].outside, amounts[-1].n_contexts)
    assert test is not None
    n_fitted = int(test.fitted.sum())
    return InducedResult(tuple(_sorted(lines)), tuple(words), n_fitted, test.min_contexts, min_contexts)


@dataclass(frozen=True)
class _Amount:
    """The average contexts of all words in a part of the text."""

    outside: Vectors
    inside: Vectors
    n_contexts: NDArray[np.int64]

    @classmethod
    def of(cls, sums: ContextSums) -> _Amount:
        return cls(sums.averages(), sums.averages(include_target=True), sums.n_contexts)


def _plain(embeddings: Embeddings) -> SIF:
    return SIF(embeddings, p_words(embeddings), math.inf)


def _growing(corpus: Corpus, sif: SIF, n_amounts: int, **reading: Any) -> list[_Amount]:
    """Averages over growing parts of the text; sums are exact, so each part is read once."""
    vectors = sif.weighted_vectors()
    parts = (
        context_sums(part, sif.embeddings.words, vectors, outside=True, inside=True, **reading)
        for part in split_corpus(corpus, n_amounts)
    )
    return [_Amount.of(sums) for sums in accumulate(parts)]


def split_corpus(corpus: Corpus, n_parts: int) -> list[Corpus]:
    """Consecutive shards in parts of about the same size; fewer parts where there are fewer shards."""
    ends = np.cumsum([shard.n_bytes for shard in corpus.shards])
    middles = ends - np.array([shard.n_bytes for shard in corpus.shards]) / 2
    numbers = np.minimum(middles * n_parts / max(int(ends[-1]), 1), n_parts - 1).astype(int)
    return [
        Corpus(tuple(shard for shard, own in zip(corpus.shards, numbers, strict=True) if own == number), corpus.files)
        for number in np.unique(numbers)
    ]


@dataclass(frozen=True)
class _Test:
    """Which words are fitted and which are held out."""

    embeddings: Embeddings
    fitted: NDArray[np.bool_]
    held: NDArray[np.bool_]
    min_contexts: int

    @classmethod
    def of(cls, embeddings: Embeddings, n_contexts: NDArray[np.int64], min_contexts: int, random_state: int) -> _Test:
        enough = enough_contexts(n_contexts, embeddings.dim, most=min_contexts)
        candidates = np.asarray(n_contexts >= enough)
        held = hold_out(candidates, random_state)
        if candidates.sum() < FEWEST_WORDS:
            raise InputError(
                f"{int(candidates.sum())} words of the model have contexts in the text, {enough:,} or more each, "
                "too few to hold some out; pass a longer text or a lower min_contexts."
            )
        return cls(embeddings, candidates & ~held, held, enough)

    def induced(self, averages: Vectors) -> NDArray[np.float64]:
        """A·u_w of the held-out words."""
        matrix = fit_matrix(averages, self.embeddings.vectors, self.fitted.astype(np.float64))
        return np.asarray(averages[self.held].astype(np.float64) @ matrix.T)

    @cached_property
    def truth(self) -> Vectors:
        return self.embeddings.vectors[self.held]

    def scores(self, averages: Vectors) -> dict[str, float]:
        induced = self.induced(averages)
        lengths = np.linalg.norm(self.truth, axis=1)
        errors = np.linalg.norm(induced - self.truth, axis=1)[lengths > 0] / lengths[lengths > 0]
        return {
            "cosine": float(cosines(induced, self.truth).mean()),
            "without_map": float(cosines(averages[self.held], self.truth).mean()),
            "relative_error": float(errors.mean()),
        }

    def word_scores(self, averages: Vectors, n_contexts: NDArray[np.int64]) -> list[WordScore]:
        with_map, without = cosines(self.induced(averages), self.truth), cosines(averages[self.held], self.truth)
        rows = np.flatnonzero(self.held)
        return [
            WordScore(self.embeddings.words[row], int(n_contexts[row]), float(cosine), float(plain))
            for row, cosine, plain in zip(rows, with_map, without, strict=True)
        ]


def _lines(
    test: _Test, amount: _Amount, whole: _Amount, average: str, directions: dict[str, Vectors]
) -> Iterator[InducedScore]:
    total = int(amount.n_contexts.sum())
    share = round(total / int(whole.n_contexts.sum()), 3)
    for target, averages in (("out", amount.outside), ("in", amount.inside)):
        yield InducedScore(share, total, average, target, "kept", **test.scores(averages))
        without = remove_direction(averages, directions[target])
        yield InducedScore(share, total, average, target, "removed", **test.scores(without))


def _pair(line: InducedScore) -> str:
    return f"{line.cosine:.2f} and {line.without_map:.2f}"


def _sorted(lines: list[InducedScore]) -> list[InducedScore]:
    """Sorted by amount of text, the headline first in each."""
    return sorted(lines, key=lambda line: (line.text, line.average != "SIF", line.target != "out", line.common))

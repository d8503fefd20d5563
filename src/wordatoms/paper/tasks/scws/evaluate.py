"""Table 8: the similarity of words in context, on the set of Huang et al. 2012 (SCWS, Section 6.2).

SCWS has 2,003 pairs of words, each word marked in a text with <b> and </b>, and the ratings of their similarity by ten
people. The score is Spearman's correlation of a method's similarities with the mean ratings. Over all pairs, unanswered
pairs get the mean of the method's other answers, so that all methods are ranked on the same pairs; a second score
covers only the answered pairs. 241 pairs consist of the same word twice, and differ only in their contexts; they are
also scored separately. The baseline compares spellings.

Left out: the methods, and how they treat unknown words (`wordatoms.paper.tasks.scws.methods`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from wordatoms.contexts.usages import TextTokens, Usage
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import (
    BY_PAPER,
    MethodsResult,
    NamedMethod,
    are_equal,
    check_methods,
    coverage,
    filled_with_mean,
    spearman,
)
from wordatoms.paper.tasks.datasets import join_contractions, parse_number, read_fields, task_folder
from wordatoms.paper.tasks.similarity.evaluate import spelling_similarity
from wordatoms.text.files import printable
from wordatoms.text.tokenizer import Tokenizer

PAPER = {
    "GloVe cosine": 0.573,
    "skip-gram cosine": 0.622,
    "Huang 2012": 0.657,
    "Neelakantan 2014": 0.567,
    "Mu 2016": 0.637,
    "paper": 0.652,
}
"""Table 8: baselines, competitors, and the paper's own method (with induced embeddings)."""
PAPER_DRAFT = {
    "paper, without A": 0.397,
    "paper, GloVe vectors": 0.584,
    "induced cosine": 0.6248,
    "whitened induced cosine": 0.6516,
}
"""Drafts of that table, from comments in the paper's source: other vectors, and cosines without context."""
AGREEMENT = 0.02
"""Correlations that differ by at most this agree."""
_N_FIELDS = 18
_MARKED = re.compile(r"<b>((?:(?!<b>).)*?)</b>", re.DOTALL)


@dataclass(frozen=True)
class ScwsPair:
    """Two words in context."""

    id: str
    word1: str
    pos1: str
    word2: str
    pos2: str
    usage1: Usage
    usage2: Usage
    rating: float
    """The mean of ten people's ratings, 0 to 10."""

    @property
    def same_word(self) -> bool:
        return self.word1.lower() == self.word2.lower()


@dataclass(frozen=True)
class Method(NamedMethod):
    similarity: Callable[[ScwsPair], float | None]
    """None if the method has no answer."""


@dataclass(frozen=True)
class ScwsScore:
    """The similarities of all pairs by one method; a score is None if there is nothing to rank."""

    method: Method
    pairs: tuple[ScwsPair, ...]
    similarities: tuple[float | None, ...]

    @cached_property
    def row(self) -> dict[str, Any]:
        same = [pair.same_word for pair in self.pairs]
        return {
            "spearman_all_pairs": self._among([True] * len(same)),
            "spearman": spearman(self.similarities, self._ratings),
            "coverage": coverage(self.similarities),
            "same_word": self._among(same),
            "different_words": self._among([not each for each in same]),
        }

    def _among(self, kept: Sequence[bool]) -> float | None:
        """The score over some of the pairs, unanswered ones at the mean; None if all answers to them are equal."""
        if are_equal(_only(self.similarities, kept)):
            return None
        return spearman(_only(filled_with_mean(self.similarities), kept), self._ratings)

    @cached_property
    def _ratings(self) -> list[float]:
        return [pair.rating for pair in self.pairs]


@dataclass(frozen=True)
class ScwsResult(MethodsResult):
    pairs: tuple[ScwsPair, ...]
    scores: tuple[ScwsScore, ...]
    """The given methods first, then the baseline."""

    def rows(self) -> list[dict[str, Any]]:
        published = {"paper": PAPER, "paper draft": PAPER_DRAFT}
        return self.table_rows(
            {
                role: {name: {"spearman_all_pairs": value} for name, value in values.items()}
                for role, values in published.items()
            }
        )

    @property
    def verdict(self) -> str:
        """The paper's figure, its method here, and our first method."""
        cosines = f"cosine of GloVe {PAPER['GloVe cosine']:.3f}, of skip-gram {PAPER['skip-gram cosine']:.3f}"
        paper = f"Table 8 of the paper reports {PAPER['paper']:.3f} ({cosines})"
        found = [("its method reaches", self.with_role(BY_PAPER)), ("ours reaches", self.with_role("ours"))]
        ranked = [(what, each[0]) for what, each in found if each and each[0].row["spearman_all_pairs"] is not None]
        if not ranked:
            return f"{paper}; no method of ours was ranked."
        return f"{paper}; {'; '.join(_describe(what, score) for what, score in ranked)}."

    def to_json(self) -> dict[str, Any]:
        return {
            "pairs": len(self.pairs),
            **self.scores_json(),
            "paper": {"table_8": PAPER, "draft": PAPER_DRAFT},
            "verdict": self.verdict,
            "items": [
                {
                    "id": pair.id,
                    "rating": pair.rating,
                    "same_word": pair.same_word,
                    "similarity": {each.method.name: each.similarities[index] for each in self.scores},
                }
                for index, pair in enumerate(self.pairs)
            ],
        }


def evaluate_scws(pairs: Sequence[ScwsPair], methods: Sequence[Method]) -> ScwsResult:
    """Score each method and the baseline."""
    if not pairs:
        raise InputError("there are no pairs to rank; pass two or more.")
    spelling = Method("spelling", "baseline", lambda pair: spelling_similarity(pair.word1, pair.word2))
    chosen = check_methods([*methods, spelling])
    return ScwsResult(tuple(pairs), tuple(_score(tuple(pairs), method) for method in chosen))


def _score(pairs: tuple[ScwsPair, ...], method: Method) -> ScwsScore:
    similarities = [method.similarity(pair) for pair in pairs]
    for pair, value in zip(pairs, similarities, strict=True):
        if value is not None and not isfinite(value):
            raise InputError(
                f"the method '{method.name}' gave {value} for the pair {pair.id}; return a finite number or None."
            )
    return ScwsScore(method, pairs, tuple(None if value is None else float(value) for value in similarities))


def _describe(what: str, found: ScwsScore) -> str:
    score = found.row["spearman_all_pairs"]
    answers = f"answers {found.row['coverage']:.0%} of the pairs"
    return f"{what} {score:.3f} over all pairs here ({answers}) and {_judge(score)}"


def _judge(value: float) -> str:
    if abs(value - PAPER["paper"]) <= AGREEMENT:
        return "agrees"
    return "is higher" if value > PAPER["paper"] else "is lower"


def _only(similarities: Sequence[float | None], kept: Sequence[bool]) -> list[float | None]:
    return [value if keep else None for value, keep in zip(similarities, kept, strict=True)]


def read_scws(data: Path, tokenizer: Tokenizer | None = None) -> tuple[ScwsPair, ...]:
    """Read all pairs from `ratings.txt`, its folder, or the folder that contains `scws`."""
    data = Path(data)
    path = data if data.is_file() else task_folder(data, "scws") / "ratings.txt"
    name = printable(str(path))
    tokenizer = tokenizer or Tokenizer()
    pairs: dict[str, ScwsPair] = {}
    for number, fields in read_fields(path, "\t"):
        pair = _parse_pair(fields, tokenizer, f"{name}:{number}")
        if pair.id in pairs:
            raise InputError(f"{name}:{number}: the id {pair.id} occurs twice; list each pair once.")
        pairs[pair.id] = pair
    if not pairs:
        raise InputError(f"{name} is empty; expected lines of {_N_FIELDS} fields, separated by tabs.")
    return tuple(pairs.values())


def _parse_pair(fields: Sequence[str], tokenizer: Tokenizer, where: str) -> ScwsPair:
    if len(fields) != _N_FIELDS:
        raise InputError(f"{where}: expected {_N_FIELDS} fields separated by tabs but found {len(fields)}.")
    number, word1, pos1, word2, pos2, context1, context2, mean = (field.strip() for field in fields[:8])
    if not (number and word1 and word2):
        raise InputError(f"{where}: the id or a word is empty; expected `id word1 pos1 word2 pos2 …`.")
    rating = parse_number(mean)
    if rating is None:
        raise InputError(f"{where}: expected the mean rating in field 8 but found {mean[:40]!r}.")
    usage1, usage2 = (_parse_context(context, tokenizer, where) for context in (context1, context2))
    return ScwsPair(number, word1, pos1, word2, pos2, usage1, usage2, rating)


def _parse_context(context: str, tokenizer: Tokenizer, where: str) -> Usage:
    """The usage marked in a context; the word may have several tokens, such as *mother-in-law*."""
    parts = _MARKED.split(context)
    if len(parts) != 3:
        found = "none" if len(parts) == 1 else len(parts) // 2
        raise InputError(f"{where}: expected one word between <b> and </b> in each context but found {found}.")
    parts = [*map(join_contractions, parts)]
    before, target, after = map(tokenizer.tokens, parts)
    if not target:
        raise InputError(f"{where}: there is no word between <b> and </b>; download the file again.")
    text = TextTokens(" ".join(parts), tokenizer, (*before, *target, *after))
    return Usage(text, len(before), len(target))

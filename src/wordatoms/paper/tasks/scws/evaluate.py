"""Table 8: the similarity of words in context, on the set of Huang et al. 2012 (SCWS, Section 6.2).

2,003 pairs of words, each word in a text and marked there with <b> and </b>, and how similar ten people found them.
The score is Spearman's correlation of a method's similarities with the mean ratings: over all pairs, those that the
method does not answer at the mean of its other answers, so that all methods are ranked on the same pairs; and over the
pairs it answers. 241 pairs are of one word twice: there, only the contexts can tell; they are scored apart as well.
The baseline knows only spelling.

Left out: the methods themselves, and what they do about words they do not know.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from wordatoms.contexts.usages import Usage
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import NamedMethod, TaskResult, check_methods, coverage, filled_with_mean, spearman
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
"""From drafts of that table, in comments of the paper's source: other vectors, and cosines without context."""
AGREEMENT = 0.02
"""Correlations this near are said to agree."""
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
    """The mean of what ten people said, 0 to 10."""

    @property
    def same_word(self) -> bool:
        return self.word1.lower() == self.word2.lower()


@dataclass(frozen=True)
class Method(NamedMethod):
    similarity: Callable[[ScwsPair], float | None]
    """None where the method has no answer."""


@dataclass(frozen=True)
class ScwsScore:
    """What one method says about all pairs; a score is None where there is nothing to rank."""

    method: Method
    pairs: tuple[ScwsPair, ...]
    similarities: tuple[float | None, ...]

    @cached_property
    def row(self) -> dict[str, Any]:
        filled = filled_with_mean(self.similarities)
        same = [pair.same_word for pair in self.pairs]
        return {
            "spearman_all_pairs": self._spearman(filled),
            "spearman": self._spearman(self.similarities),
            "coverage": coverage(self.similarities),
            "same_word": self._spearman(_only(filled, same)),
            "different_words": self._spearman(_only(filled, [not each for each in same])),
        }

    def _spearman(self, similarities: Sequence[float | None]) -> float | None:
        return spearman(similarities, [pair.rating for pair in self.pairs])


@dataclass(frozen=True)
class ScwsResult(TaskResult):
    pairs: tuple[ScwsPair, ...]
    scores: tuple[ScwsScore, ...]
    """The given methods first, then the baseline."""

    def rows(self) -> list[dict[str, Any]]:
        measured = [{"method": each.method.name, "role": each.method.role, **each.row} for each in self.scores]
        blank = dict.fromkeys(measured[0])
        others = {"paper": PAPER, "paper draft": PAPER_DRAFT}
        return measured + [
            {**blank, "method": name, "role": role, "spearman_all_pairs": value}
            for role, values in others.items()
            for name, value in values.items()
        ]

    @property
    def verdict(self) -> str:
        """The first method of ours against the paper's."""
        beside = f"the cosine of GloVe {PAPER['GloVe cosine']:.3f}, of skip-gram {PAPER['skip-gram cosine']:.3f}"
        paper = f"Table 8 of the paper reports {PAPER['paper']:.3f} ({beside})"
        ours = next((each.row for each in self.scores if each.method.role == "ours"), None)
        if ours is None or ours["spearman_all_pairs"] is None:
            return f"{paper}; no method of ours was ranked."
        return (
            f"{paper}; ours is {ours['spearman_all_pairs']:.3f} over all pairs, of which it answers "
            f"{ours['coverage']:.0%}: it {_judge(ours['spearman_all_pairs'])}."
        )

    def _described(self, *roles: str) -> dict[str, Any]:
        return {
            each.method.name: {"role": each.method.role, **each.row}
            for each in self.scores
            if each.method.role in roles
        }

    def to_json(self) -> dict[str, Any]:
        return {
            "pairs": len(self.pairs),
            "scores": self._described("ours", "competitor"),
            "baselines": self._described("baseline"),
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
    """Rank the pairs by each method, and by the baseline."""
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
                f"the method '{method.name}' gave {value} for the pair {pair.id}; give a finite number or None."
            )
    return ScwsScore(method, pairs, tuple(None if value is None else float(value) for value in similarities))


def _judge(value: float) -> str:
    if abs(value - PAPER["paper"]) <= AGREEMENT:
        return "agrees"
    return "is higher" if value > PAPER["paper"] else "is lower"


def _only(similarities: Sequence[float], kept: Sequence[bool]) -> list[float | None]:
    return [value if keep else None for value, keep in zip(similarities, kept, strict=True)]


def read_scws(data: Path, tokenizer: Tokenizer | None = None) -> tuple[ScwsPair, ...]:
    """All pairs, from `ratings.txt`, its folder or the folder that holds `scws`."""
    data = Path(data)
    path = data if data.is_file() else task_folder(data, "scws") / "ratings.txt"
    name = printable(str(path))
    tokenizer = tokenizer or Tokenizer()
    pairs: dict[str, ScwsPair] = {}
    for number, fields in read_fields(path, "\t"):
        pair = _parse_pair(fields, tokenizer, f"{name}:{number}")
        if pair.id in pairs:
            raise InputError(f"{name}:{number}: the id {pair.id} stands on two lines; give each pair once.")
        pairs[pair.id] = pair
    if not pairs:
        raise InputError(f"{name} is empty; expected lines of {_N_FIELDS} fields between tabs.")
    return tuple(pairs.values())


def _parse_pair(fields: Sequence[str], tokenizer: Tokenizer, where: str) -> ScwsPair:
    if len(fields) != _N_FIELDS:
        raise InputError(f"{where}: expected {_N_FIELDS} fields between tabs but found {len(fields)}.")
    number, word1, pos1, word2, pos2, context1, context2, mean = (field.strip() for field in fields[:8])
    if not (number and word1 and word2):
        raise InputError(f"{where}: the id or a word is empty; expected `id word1 pos1 word2 pos2 …`.")
    rating = parse_number(mean)
    if rating is None:
        raise InputError(f"{where}: expected the mean rating in field 8 but found {mean[:40]!r}.")
    usage1, usage2 = (_parse_context(context, tokenizer, where) for context in (context1, context2))
    return ScwsPair(number, word1, pos1, word2, pos2, usage1, usage2, rating)


def _parse_context(context: str, tokenizer: Tokenizer, where: str) -> Usage:
    """The text around the marks and the word between them, which may be several tokens: *mother-in-law*."""
    parts = _MARKED.split(context)
    if len(parts) != 3:
        found = "none" if len(parts) == 1 else len(parts) // 2
        raise InputError(f"{where}: expected one word between <b> and </b> in each context but found {found}.")
    before, target, after = (tokenizer.tokens(join_contractions(part)) for part in parts)
    if not target:
        raise InputError(f"{where}: there is no word between <b> and </b>; get the file again.")
    return Usage((*before, *target, *after), len(before), len(target))

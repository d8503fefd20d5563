"""Table 4: how near is a word's vector to the span of its senses, as WordNet describes them (test 2)?

The text of a sense is its definition and its examples; its vector is the SIF vector of that text, mapped by A. The
score is the cosine of the angle between the word's vector and the span of the vectors of all its senses. Any set of
vectors spans something, and vectors of texts have much in common, so the baseline is the same cosine with the same
number of senses of other words. The words are those of SemEval-2010 task 14, from its file names: `nouns/air.n.xml`.

The paper's protocol is to apply A itself, as Section 4.1 learns it (`wordatoms.paper.tasks.induced.paper_map`), and to
keep the word where it occurs in its own examples. A text of a dozen words is a single context, though, and A is made
for averages of many: our way is the map for single contexts (`InducedMap.for_one_context`) at the noise of the model.
The word brings its own vector into the span, so both are also measured with the word and its inflected forms left out,
which is our stricter test. The paper does not say which part of speech is meant: a vector covers all of them, so all
senses of the spelling are used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF
from wordatoms.contexts.usages import target_forms
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.sn import complete_vectors
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.paper.tasks.wsi.data import word_files
from wordatoms.paper.wordnet import Synset, WordNet
from wordatoms.parallel import one_blas_thread
from wordatoms.text.tokenizer import Tokenizer

PAPER = {"glove": 0.72, "skipgram": 0.73, "sn": 0.76}
"""Table 4, by method."""
AGREEMENT = 0.05
"""Cosines that differ by no more than this count as equal."""

Vectors = NDArray[np.float32]


class Target(NamedTuple):
    """A word to test, and its part of speech in SemEval-2010."""

    word: str
    pos: str


class Variant(NamedTuple):
    """One way to make the vectors of senses."""

    mapped_by: str | None = "model"
    """A of the "model", its map for "one context", A as in the "paper", or None for no map."""
    with_word: bool = False
    """Whether the word counts where it occurs in its own examples."""
    all_parts: bool = True
    """Whether senses of all parts of speech are taken."""


PAPER_WAY, OUR_WAY = "word kept, A of Section 4.1", "word kept, one-context map"
STRICT, OUR_STRICT = "word left out", "word left out, one-context map"
VARIANTS = {
    PAPER_WAY: Variant("paper", with_word=True),
    OUR_WAY: Variant("one context", with_word=True),
    "word kept, A without the word": Variant(with_word=True),
    "word kept, without A": Variant(None, with_word=True),
    STRICT: Variant(),
    OUR_STRICT: Variant("one context"),
    f"{STRICT}, without A": Variant(None),
    f"{STRICT}, its part of speech": Variant(all_parts=False),
}
"""The paper's protocol, our way, and the alternatives."""


class WordSpan(NamedTuple):
    """A word and the span of its senses."""

    word: str
    pos: str
    n_senses: int
    cosine: float
    cosine_random: float
    """The cosine with the span of the same number of senses of other words."""


@dataclass(frozen=True)
class WordNetResult(TaskResult):
    method: str
    spans: Mapping[str, tuple[WordSpan, ...]]
    """By name of the variant."""
    missing: tuple[str, ...]
    """Words that the model or WordNet does not know."""

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "senses": name,
                "words": len(spans),
                "per_word": fmean(span.n_senses for span in spans),
                "cosine": fmean(span.cosine for span in spans),
                "paper": PAPER.get(self.method) if name in (PAPER_WAY, OUR_WAY) else None,
                "random_senses": fmean(span.cosine_random for span in spans),
            }
            for name, spans in self.spans.items()
        ]

    @property
    def verdict(self) -> str:
        cosines = {row["senses"]: row["cosine"] for row in self.rows()}
        random = {row["senses"]: row["random_senses"] for row in self.rows()}
        names = {PAPER_WAY: "its way", OUR_WAY: "ours", STRICT: "the word left out", OUR_STRICT: "the same, ours"}
        shown = "; ".join(
            f"{what} {cosines[name]:.2f} (senses of other words {random[name]:.2f})"
            for name, what in names.items()
            if name in cosines
        )
        paper = PAPER.get(self.method)
        if paper is None:
            return f"Table 4 of the paper has no {self.method} vectors (others: 0.72 to 0.76); {shown}."
        return f"Table 4 of the paper reports {paper:.2f}; {shown}."

    def to_json(self) -> dict[str, Any]:
        rows = {row["senses"]: row for row in self.rows()}
        scores = ("words", "per_word", "cosine")
        return {
            "method": self.method,
            "scores": {name: {key: row[key] for key in scores} for name, row in rows.items()},
            "baselines": {"random_senses": {name: row["random_senses"] for name, row in rows.items()}},
            "paper": {"cosine": PAPER.get(self.method)},
            "verdict": self.verdict,
            "missing": list(self.missing),
            "items": [{"senses": name, **span._asdict()} for name, spans in self.spans.items() for span in spans],
        }


def read_targets(data: Path) -> list[Target]:
    """The words of SemEval-2010 task 14, from the names of its files."""
    names = sorted(path.name.split(".") for path in word_files(data))
    return [Target(word, pos) for word, pos, _ in names]


def evaluate_wordnet(
    embeddings: Embeddings,
    induced_map: InducedMap,
    wordnet: WordNet,
    targets: Sequence[Target],
    *,
    noise: float = 0.0,
    paper_map: InducedMap | None = None,
    tokenizer: Tokenizer | None = None,
    n_random: int = 20,
    random_state: int = 0,
) -> WordNetResult:
    """The cosine of each word with the span of its senses, and with `n_random` spans of other words' senses.

    `noise` is that of a single context, and `paper_map` the A of Section 4.1; without it, or without the moments that
    single contexts need, the ways that need them are left out. It maps complete vectors (SN's with the direction of log
    frequency).
    """
    if n_random < 1:
        raise InputError(f"n_random is {n_random}; pass 1 or more.")
    senses = {target: wordnet.synsets(target.word) for target in targets}
    known = [target for target in targets if senses[target] and target.word in embeddings]
    if len({target.word for target in known}) < 2:
        raise InputError(
            f"{len(known)} of the {len(targets)} words are known to both the model and WordNet; two are needed, "
            "because the baseline uses the senses of other words."
        )
    matrices: dict[str | None, Vectors | None] = {None: None, "model": induced_map.matrix}
    if induced_map.moments is not None:
        matrices["one context"] = induced_map.for_one_context(noise)
    maker = _SenseVectors(induced_map.sif(embeddings, tokenizer), matrices)
    makers = dict.fromkeys(matrices, maker)
    if paper_map is not None:
        makers["paper"] = _SenseVectors(
            paper_map.sif(complete_vectors(embeddings), tokenizer), {"paper": paper_map.matrix}
        )
    known_senses = {target: senses[target] for target in known}
    spans = {
        name: _evaluate_variant(makers[variant.mapped_by], variant, known_senses, n_random, random_state)
        for name, variant in VARIANTS.items()
        if variant.mapped_by in makers
    }
    return WordNetResult(embeddings.method, spans, tuple(target.word for target in targets if target not in known))


@dataclass(frozen=True, eq=False)
class _SenseVectors:
    """From senses to vectors."""

    sif: SIF
    matrices: Mapping[str | None, Vectors | None]

    def make(self, target: Target, senses: Sequence[Synset], variant: Variant) -> Vectors:
        """The vectors of the senses whose texts have known words, (n, dim)."""
        chosen = [sense for sense in senses if variant.all_parts or sense.pos == target.pos]
        tokens = [self.sif.tokenizer.tokens("\n".join([sense.definition, *sense.examples])) for sense in chosen]
        if not variant.with_word:
            forms = target_forms(target.word, self.sif.tokenizer)
            tokens = [[token for token in text if token not in forms] for text in tokens]
        found = self.sif.vectors(tokens)
        vectors = found.vectors[~found.is_empty]
        matrix = self.matrices[variant.mapped_by]
        with one_blas_thread():
            return vectors if matrix is None else np.asarray(vectors @ matrix.T)


def _evaluate_variant(
    maker: _SenseVectors,
    variant: Variant,
    senses: Mapping[Target, Sequence[Synset]],
    n_random: int,
    random_state: int,
) -> tuple[WordSpan, ...]:
    vectors = {target: maker.make(target, synsets, variant) for target, synsets in senses.items()}
    pool = np.concatenate([*vectors.values()])
    owners = np.repeat([target.word for target in vectors], [len(each) for each in vectors.values()])
    rng = np.random.default_rng(random_state)
    spans = []
    for target, own in vectors.items():
        if not len(own):
            continue
        word_vector = maker.sif.embeddings[target.word]
        others = pool[owners != target.word]
        drawn = [rng.choice(len(others), min(len(own), len(others)), replace=False) for _ in range(n_random)]
        random = fmean(span_cosine(word_vector, others[rows]) for rows in drawn)
        spans.append(WordSpan(*target, len(own), span_cosine(word_vector, own), random))
    return tuple(spans)


def span_cosine(vector: NDArray[Any], spanning: NDArray[Any]) -> float:
    """The cosine of the angle between a vector (dim,) and the span of others (n, dim); 0 where either is zero."""
    vector, spanning = vector.astype(np.float64), spanning.astype(np.float64)
    with one_blas_thread():
        _, values, directions = np.linalg.svd(spanning, full_matrices=False)
        basis = directions[values > max(spanning.shape) * np.finfo(np.float32).eps * values.max(initial=0)]
        inside = float(np.linalg.norm(basis @ vector))
    length = float(np.linalg.norm(vector))
    return min(inside / length, 1.0) if length > 0 else 0.0

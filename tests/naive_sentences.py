"""The obvious way to representative sentences: the singular vectors of the plain matrix of each sentence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import SIF, p_words
from wordatoms.senses.model import SenseModel
from wordatoms.text.sentence_splitter import split_sentences
from wordatoms.text.tokenizer import Tokenizer

ALIKE = 0.6


class Shown(NamedTuple):
    score: float
    line: int
    text: str


def score(vectors: NDArray[np.float64], atom: NDArray[np.float64], rank: int) -> float:
    """The cosine between an atom and the first principal directions of some vectors."""
    _, values, directions = np.linalg.svd(vectors, full_matrices=False)
    kept = directions[:rank][values[:rank] > 1e-5 * values[0]]
    return float(np.linalg.norm(kept @ atom) / np.linalg.norm(atom))


def sentences(
    model: SenseModel, word: str, text: str, *, n: int, rank: int, a: float, include_target: bool, shortest: int
) -> list[tuple[int, list[Shown]]]:
    """For each sense of a word without forms its atom and its best sentences."""
    weights = SIF(model.embeddings, p_words(model.embeddings), a).weights.astype(np.float64)
    atoms = {sense.atom: model.atoms.vectors[sense.atom].astype(np.float64) for sense in model.senses(word)}
    listed: dict[int, list[tuple[Shown, list[str]]]] = {atom: [] for atom in atoms}
    for number, line in enumerate(text.split("\n"), 1):
        for sentence in split_sentences(line):
            tokens = Tokenizer().tokens(sentence)
            words = sorted(w for w in tokens if w in model.embeddings and (include_target or w != word))
            if word not in tokens or not shortest <= len(words) <= 60:
                continue
            rows = [model.row(w) for w in words]
            vectors = weights[rows, None] * model.embeddings.vectors[rows].astype(np.float64)
            scores = {atom: score(vectors, vector, rank) for atom, vector in atoms.items()}
            best = max(scores, key=lambda atom: scores[atom])
            listed[best].append((Shown(scores[best], number, sentence), words))
    return [(atom, choose(found, n)) for atom, found in listed.items()]


def choose(found: list[tuple[Shown, list[str]]], n: int) -> list[Shown]:
    # The same words in another sentence give the same score up to rounding: the first in the text comes first.
    ranked = sorted(found, key=lambda each: (-round(each[0].score, 9), each[0].line))
    chosen: list[tuple[Shown, set[str]]] = []
    for shown, words in ranked:
        if all(len(set(words) & other) < ALIKE * len(set(words) | other) for _, other in chosen):
            chosen.append((shown, set(words)))
    return [shown for shown, _ in chosen[:n]]

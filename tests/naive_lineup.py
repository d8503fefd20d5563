"""Algorithm 1 of the paper as it is written, one step after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def score(atom: np.ndarray, word: np.ndarray, sense: np.ndarray, atoms: np.ndarray, words: np.ndarray) -> float:
    """score(a, L) = s(a, L) − s_A^L + s(w, L) − s_V^L."""
    mean_atoms = sum(float(other @ sense) for other in atoms) / len(atoms)
    mean_words = sum(float(other @ sense) for other in words) / len(words)
    return float(atom @ sense) - mean_atoms + float(word @ sense) - mean_words


def list_vector(related: Sequence[str], vectors: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> np.ndarray:
    """The SIF vector of a list of words."""
    known = [word for word in related if word in vectors]
    return sum((weights[word] * vectors[word] for word in known), np.zeros(len(next(iter(vectors.values()))))) / len(
        known
    )


def choose(
    own_atoms: np.ndarray, word: np.ndarray, senses: np.ndarray, atoms: np.ndarray, words: np.ndarray, t: int
) -> list[int]:
    """The places of at most t senses, the best first."""
    best: dict[int, float] = {}
    for atom in own_atoms:
        scores = [score(atom, word, sense, atoms, words) for sense in senses]
        for place in sorted(range(len(senses)), key=lambda place: -scores[place])[:2]:
            best[place] = max(best.get(place, -np.inf), scores[place])
    return sorted(best, key=lambda place: -best[place])[:t]


def choose_exactly(
    own_atoms: np.ndarray, word: np.ndarray, senses: np.ndarray, atoms: np.ndarray, words: np.ndarray, t: int
) -> list[int]:
    """The places of exactly t senses: the candidates, then the other senses by their largest score."""
    chosen = choose(own_atoms, word, senses, atoms, words, len(senses))
    left = [place for place in range(len(senses)) if place not in chosen]
    largest = {place: max(score(atom, word, senses[place], atoms, words) for atom in own_atoms) for place in left}
    return (chosen + sorted(left, key=lambda place: -largest[place]))[:t]

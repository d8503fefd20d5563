"""A text of four planted discourses, with its words, atoms and windows: pseudowords are drawn from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from samples import as_corpus
from wordatoms.atoms.atoms import Atoms, describe_atoms
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap, learn_map
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.windows import windows_of_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.tuning.pseudowords import PseudowordSet, draw_pseudowords

N_DISCOURSES, N_PLAIN, DIM, WINDOW = 4, 8, 8, 5
WORDS = [f"{'abcd'[discourse] * 3}{'stuvwxyz'[word]}" for discourse in range(N_DISCOURSES) for word in range(N_PLAIN)]
DISCOURSE = np.repeat(np.arange(N_DISCOURSES), N_PLAIN)


def planted_text(n_lines: int = 400) -> str:
    """Each line of one discourse, a quarter of its words from anywhere."""
    rng = np.random.default_rng(8)
    lines = []
    for line in range(n_lines):
        own = rng.choice(np.flatnonzero(np.equal(DISCOURSE, line % N_DISCOURSES)), 14)
        rows = np.where(rng.random(14) < 0.25, rng.integers(len(WORDS), size=14), own)
        lines.append(" ".join(WORDS[row] for row in rows))
    return "\n".join(lines)


def planted_vectors() -> Embeddings:
    rng = np.random.default_rng(9)
    vectors = np.eye(N_DISCOURSES, DIM)[DISCOURSE] + rng.normal(scale=0.03, size=(len(WORDS), DIM))
    return Embeddings(WORDS, vectors.astype(np.float32), counts=np.arange(140, 140 - len(WORDS), -1))


class World:
    """A text of four discourses, its words and atoms, and the windows of all words."""

    def __init__(self, folder: Path) -> None:
        self.embeddings = planted_vectors()
        corpus = as_corpus(planted_text(), folder)
        self.windows = windows_of_words(corpus, WORDS, range(len(WORDS)), n_windows=60, window=WINDOW)
        sif = SIF(self.embeddings, p_words(self.embeddings))
        averages = [sif.window_vectors(self.windows.of(row)).vectors.mean(axis=0) for row in range(len(WORDS))]
        n_contexts = 200 - np.arange(len(WORDS)) % N_PLAIN  # the frequent words of every discourse decide on the map
        self.contexts = ContextAverages(np.stack(averages), n_contexts, WINDOW)
        self.induced_map: InducedMap = learn_map(self.contexts, sif, self.windows.windows[::7])
        vectors = np.eye(N_DISCOURSES, DIM, dtype=np.float32)
        codes = sparse_code(self.embeddings.unit_vectors, vectors, sparsity=2, threads=1)
        self.atoms: Atoms = describe_atoms(self.embeddings, vectors, codes)

    def draw(self, n_pseudowords: int = 8, **options: int) -> PseudowordSet:
        chosen = {"n_contexts": 12, **options}
        return draw_pseudowords(
            self.embeddings, self.contexts, self.induced_map, self.windows, n_pseudowords=n_pseudowords, **chosen
        )

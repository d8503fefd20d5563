"""Multi-sense skip-gram, MSSG and NP-MSSG (Neelakantan, Shankar, Passos and McCallum 2014).

Each word has sense vectors and, for each of them, the running mean of the contexts assigned to it. The windows of the
word are read one by one: the sense whose mean context is nearest (by cosine) is chosen, its mean is updated, and its
vector takes a step of skip-gram with negative sampling against the context words. MSSG has a fixed number of senses;
NP-MSSG adds a sense if the cosine with the nearest one is below `new_below`. The probability of a sense is inversely
proportional to the distance of the context from its mean.

Simplified: the context vectors are those of the trained embedding (its state "context", or the word vectors if it has
none) and are not trained; all senses start from the word's vector; and training makes a few passes over the sampled
windows of a word instead of the whole text. In the method's favour, the mean context of the text is subtracted before
contexts are compared; in trained vectors it would dominate the cosine, and the authors' threshold of −0.5 would never
add a sense. Frequent words are skipped at random in the steps, as word2vec does; in mean contexts their weight is the
probability that they are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.sif import SIF
from wordatoms.contexts.windows import WordWindows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.baselines.inventory import (
    Competitor,
    ContextMeans,
    Floats,
    Rows,
    WordSenses,
    check_at_least_one,
    learn_words,
    p_by_distance,
)
from wordatoms.senses.posterior import to_unit

NOISE_POWER = 0.75
NOISE_TABLE = 1 << 22
N_NEGATIVES = 5
SAMPLE = 1e-4
"""Words with a larger p(w) are skipped at random, more often the more frequent they are."""
LEARNING_RATE = 1.0
"""Initial rate, divided by the mean squared length of negative words; it decreases linearly to 0."""
SMALLEST_SQUARE = 1e-30


@dataclass(frozen=True)
class MultisenseSettings:
    n_senses: int = 3
    """Senses per word; with `new_below`, at most."""
    window: int = 5
    new_below: float | None = None
    """A sense is added if the cosine with the nearest mean context is below this; None for a fixed number."""
    learning_rate: float = LEARNING_RATE
    n_passes: int = 3
    """Passes over the windows of a word."""

    def __post_init__(self) -> None:
        check_at_least_one(n_senses=self.n_senses, window=self.window, n_passes=self.n_passes)
        if not 0 < self.learning_rate <= 10:
            raise InputError(f"learning_rate is {self.learning_rate}; pass a number above 0, up to 10.")
        if self.new_below is not None and not -1 <= self.new_below <= 1:
            raise InputError(f"new_below is {self.new_below}; pass a cosine, or None for a fixed number of senses.")


MSSG = MultisenseSettings()
NP_MSSG = MultisenseSettings(n_senses=10, new_below=-0.1)


@dataclass(frozen=True, eq=False, repr=False)
class Multisense(Competitor):
    """A trained vector for each sense."""

    def _p_filled(self, senses: WordSenses, contexts: Rows) -> NDArray[np.float64]:
        return p_by_distance(self.reader.means(contexts), senses.centres)


def learn_multisense(
    sif: SIF,
    windows: WordWindows,
    words: Sequence[str],
    settings: MultisenseSettings = MSSG,
    *,
    random_state: int = 0,
    threads: int = 1,
) -> Multisense:
    """Train the sense vectors of each word on its windows."""
    embeddings = sif.embeddings
    contexts = context_vectors(embeddings)
    reader = ContextMeans(embeddings, p_kept(sif), settings.window, _centred(contexts, sif))
    trainer = _Trainer(reader, settings, contexts, p_noise(embeddings), _shift(embeddings))
    learned = learn_words(
        words, trainer.learn, embeddings=embeddings, windows=windows, random_state=random_state, threads=threads
    )
    return Multisense(reader, learned)


def context_vectors(embeddings: Embeddings) -> Floats:
    """The vectors of words as context, (n_words, dim)."""
    found = embeddings.state.get("context", embeddings.vectors)
    if found.shape != embeddings.vectors.shape:
        raise InputError(f"the context vectors have shape {found.shape}; expected {embeddings.vectors.shape}.")
    return np.asarray(found, np.float32)


def p_kept(sif: SIF) -> Floats:
    """The probability that word2vec does not skip a word, (n_words,)."""
    ratio = SAMPLE / np.maximum(sif.p_word, np.finfo(float).tiny)
    return np.minimum(1, np.sqrt(ratio) + ratio).astype(np.float32)


def _centred(contexts: Floats, sif: SIF) -> Floats:
    """Context vectors minus the mean context of the text, which makes cosines comparable between embeddings."""
    weights = p_kept(sif) * sif.p_word
    return np.asarray(contexts - (weights @ contexts / weights.sum()).astype(np.float32))


def p_noise(embeddings: Embeddings) -> NDArray[np.float64]:
    """The probability with which each word is drawn as a negative word, (n_words,)."""
    powers = np.ones(len(embeddings)) if embeddings.counts is None else np.maximum(embeddings.counts, 1) ** NOISE_POWER
    return np.asarray(powers / powers.sum())


def _shift(embeddings: Embeddings) -> np.float32:
    """What is subtracted from inner products to make them the logits of negative sampling.

    Those of skip-gram are logits already and tend to PMI − log(number of negatives); those of other methods are PMI.
    """
    return np.float32(0 if embeddings.method == "skipgram" else np.log(N_NEGATIVES))


@dataclass(frozen=True, eq=False)
class _Trainer:
    """What the training of all words shares."""

    reader: ContextMeans
    settings: MultisenseSettings
    contexts: Floats
    """The context vectors, not centred as those of the reader are."""
    p_noise: NDArray[np.float64]
    shift: np.float32

    @cached_property
    def rate(self) -> float:
        squares = np.einsum("nd,nd->n", self.contexts, self.contexts, dtype=np.float64)
        return self.settings.learning_rate / max(float(self.p_noise @ squares), SMALLEST_SQUARE)

    @cached_property
    def noise(self) -> NDArray[np.int32]:
        """A table of words in proportion to `p_noise`, from which word2vec draws uniformly."""
        places = (np.arange(NOISE_TABLE) + 0.5) / NOISE_TABLE
        return np.searchsorted(np.cumsum(self.p_noise), places).clip(max=len(self.p_noise) - 1).astype(np.int32)

    def learn(self, sample: NDArray[np.int32], vector: Floats, rng: np.random.Generator) -> WordSenses | None:
        from wordatoms.kernels import multisense as kernel

        contexts = self.reader.of_windows(sample)
        contexts = np.tile(contexts[(contexts >= 0).any(axis=1)], (self.settings.n_passes, 1))
        if not len(contexts):
            return None
        means = self.reader.means(contexts)
        n_start, centres = self._start(means, rng)
        vectors = np.tile(vector, (len(centres), 1))
        rates = (self.rate * np.linspace(1, 0, len(contexts), endpoint=False)).astype(np.float32)
        chosen = np.empty(len(contexts), np.int64)
        below = np.float32(-2 if self.settings.new_below is None else self.settings.new_below)
        kept, negatives = self._draw(contexts, rng)
        kernel.learn_senses(
            kept, negatives, means, self.contexts, rates, self.shift, below, n_start, centres, vectors, chosen
        )
        sizes = np.bincount(chosen, minlength=len(centres))
        used = sizes > 0
        return WordSenses(vectors[used], to_unit(centres[used]), sizes[used] / sizes.sum())

    def _start(self, means: Floats, rng: np.random.Generator) -> tuple[int, Floats]:
        """The initial number of senses, and the centres, with room for senses that are added later."""
        if self.settings.new_below is not None:
            return 0, np.zeros((self.settings.n_senses, means.shape[1]), np.float32)
        seeds = rng.choice(len(means), min(self.settings.n_senses, len(means)), replace=False)
        return len(seeds), means[seeds]

    def _draw(self, contexts: Rows, rng: np.random.Generator) -> tuple[Rows, NDArray[np.int32]]:
        """The context words that are not skipped, and negative words for each."""
        is_kept = (contexts >= 0) & (rng.random(contexts.shape, np.float32) < self.reader.weights[contexts])
        drawn = rng.integers(NOISE_TABLE, size=(*contexts.shape, N_NEGATIVES), dtype=np.uint32)
        return np.where(is_kept, contexts, -1), self.noise[drawn]

"""Skip-gram with negative sampling: the paper's word2vec vectors, trained by gensim; and what CBOW shares with it.

gensim does the arithmetic. This module feeds it the text in steps of a few million words, decreases the learning rate
linearly over all steps, measures a loss after each step, and can continue after the last finished step. The vocabulary,
the downsampling of frequent words and the noise distribution come from the counts of the `Vocabulary`, whose order the
rows keep.

With one worker the same seed gives the same bytes. gensim's workers race for the vectors, so several of them are faster
but no two runs are alike. CBOW, the other architecture of word2vec, is `wordatoms.embeddings.trainers.cbow`. Left out:
hierarchical softmax and subwords.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import DivergedError, InputError, require_extra
from wordatoms.progress import TrainingCallback, TrainingReport
from wordatoms.storage.files import Array, Checkpoint

WORDS_PER_STEP = 4_000_000
"""Words per step: about half a minute of work, the most that an interrupted run repeats."""
WORDS_PER_SENTENCE = 10_000
"""gensim ignores the rest of longer sentences, so longer lines are cut."""
FINAL_RATE = 0.004
"""The final learning rate as a share of the initial one."""
NOISE_POWER = 0.75
"""Negative samples are drawn in proportion to their count to this power."""
N_PROBES = 2_000
"""Lines on which the loss is measured."""
PAIRS_PER_PROBE = 5
"""Pairs of words drawn from each of these lines."""

Model = Any
"""A gensim `Word2Vec`, which has no type hints."""


class Piece(NamedTuple):
    """A sequence of whole lines of the text, trained on in one step."""

    offset: int
    n_bytes: int
    n_words: int


class Probe(NamedTuple):
    """Words drawn once from the text, what each is predicted from, and noise words, on which the loss is measured."""

    inputs: NDArray[np.int64]
    """A neighbour of each word for skip-gram, all of them for CBOW, -1 for none, (n, n_inputs)."""
    words: NDArray[np.int64]
    noise: NDArray[np.int64]
    """Shape (n, negative)."""

    def loss(self, vectors: NDArray[np.float32], context: NDArray[np.float32]) -> float:
        """Mean loss of negative sampling over the words, noise words included."""
        is_input = (self.inputs >= 0)[:, :, None]
        sums = np.where(is_input, vectors[self.inputs], np.float32(0)).sum(axis=1)
        means = sums / is_input.sum(axis=1)
        true = np.einsum("nd,nd->n", means, context[self.words])
        false = np.einsum("nd,nkd->nk", means, context[self.noise])
        return float(np.mean(np.logaddexp(0, -true) + np.logaddexp(0, false).sum(axis=1), dtype=np.float64))


def train_skipgram(
    lines: Path,
    vocabulary: Vocabulary,
    *,
    dim: int = 300,
    epochs: int = 5,
    window: int = 5,
    negative: int = 5,
    sample: float = 1e-4,
    learning_rate: float = 0.05,
    workers: int = 1,
    random_state: int = 0,
    threads: int | None = None,
    checkpoint: Checkpoint | None = None,
    callback: TrainingCallback | None = None,
) -> Embeddings:
    """Train skip-gram vectors on a file of tokenised text: words between single spaces, a paragraph per line.

    The reported loss is the mean negative-sampling loss on pairs of words drawn once from the text.

    Parameters
    ----------
    sample
        Words more frequent than this share of the text are downsampled; 0 keeps all.
    workers
        Threads of gensim. With more than 1 the result differs from run to run.
    threads
        Accepted for uniformity, without effect: results must not depend on it.

    Returns
    -------
    Embeddings with the state "context": the output vectors, (n_words, dim).
    """
    return train_word2vec(is_skipgram=True, **locals())


def train_word2vec(
    lines: Path,
    vocabulary: Vocabulary,
    *,
    is_skipgram: bool,
    dim: int,
    epochs: int,
    window: int,
    negative: int,
    sample: float,
    learning_rate: float,
    workers: int,
    random_state: int,
    threads: int | None,  # noqa: ARG001
    checkpoint: Checkpoint | None,
    callback: TrainingCallback | None,
) -> Embeddings:
    """Train skip-gram or CBOW; the parameters are those of `train_skipgram`."""
    _check_at_least_one(dim=dim, epochs=epochs, window=window, negative=negative, workers=workers)
    _check_ranges(sample, learning_rate, random_state)
    pieces = _cut_text(lines, WORDS_PER_STEP)
    model = _new_model(
        vocabulary,
        sg=int(is_skipgram),
        vector_size=dim,
        window=window,
        negative=negative,
        sample=sample,
        alpha=learning_rate,
        workers=workers,
        seed=random_state,
    )
    probe = _draw_probe(lines, model, vocabulary, np.random.default_rng(random_state))
    rates = learning_rate * _rate_at_bounds(pieces * epochs)
    for step in range(_restore(model, checkpoint), len(pieces) * epochs):
        started = perf_counter()
        _train_piece(model, lines, pieces[step % len(pieces)], rates[step], rates[step + 1])
        _check_finite(model, step + 1, learning_rate)
        loss = probe.loss(model.wv.vectors, model.syn1neg)
        if checkpoint:
            checkpoint.save(step + 1, _state(model))
        if callback:
            callback(TrainingReport(step + 1, len(pieces) * epochs, loss, perf_counter() - started))
    state, method = {"context": model.syn1neg}, "skipgram" if is_skipgram else "cbow"
    return Embeddings(vocabulary.words, model.wv.vectors, vocabulary.counts, state, method, vocabulary.n_tokens)


def _check_at_least_one(**numbers: int) -> None:
    for name, value in numbers.items():
        if value < 1:
            raise InputError(f"{name} is {value}; pass 1 or more.")


def _check_ranges(sample: float, learning_rate: float, random_state: int) -> None:
    if not 0 <= sample < 1:
        raise InputError(f"sample is {sample}; pass a share of the text from 0 (keep all words) to below 1.")
    if not 0 < learning_rate < 1:
        raise InputError(f"learning_rate is {learning_rate}; pass a number between 0 and 1, such as 0.05.")
    if not 0 <= random_state < 2**32:
        raise InputError(f"random_state is {random_state}; gensim takes seeds from 0 to 4294967295.")


def _cut_text(lines: Path, words_per_piece: int) -> list[Piece]:
    """Cut the text at line ends into pieces of at least `words_per_piece` words, except for the last one."""
    pieces: list[Piece] = []
    offset = n_bytes = n_words = 0
    try:
        with lines.open("rb") as file:
            for line in file:
                n_bytes += len(line)
                n_words += len(line.split())
                if n_words >= words_per_piece:
                    pieces.append(Piece(offset, n_bytes, n_words))
                    offset, n_bytes, n_words = offset + n_bytes, 0, 0
    except OSError as error:
        raise InputError(f"the text {lines} cannot be read ({error.strerror}); pass a readable file.") from error
    if n_words:
        pieces.append(Piece(offset, n_bytes, n_words))
    if not pieces:
        raise InputError(f"the text {lines} has no words; pass tokenised text, one paragraph per line.")
    return pieces


def _new_model(vocabulary: Vocabulary, **settings: float) -> Model:
    """An untrained model with the words of the vocabulary, in its order."""
    word2vec = require_extra("gensim.models.word2vec", "skipgram")
    if len(vocabulary) < 2:
        raise InputError(f"the vocabulary has {len(vocabulary)} words; word2vec needs 2 or more.")
    # gensim's own sorting would order words of equal count differently
    model = word2vec.Word2Vec(ns_exponent=NOISE_POWER, min_count=0, sorted_vocab=0, **settings)
    model.build_vocab_from_freq(dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)))
    return model


def _draw_probe(lines: Path, model: Model, vocabulary: Vocabulary, rng: np.random.Generator) -> Probe:
    p_keep = model.wv.expandos["sample_int"] / 2**32
    rows = model.wv.key_to_index
    draw = _draw_pairs if model.sg else _draw_windows
    drawn: list[tuple[list[int], int]] = []
    for words in _random_lines(lines, rng):
        known = np.array([rows[word] for word in words if word in rows], dtype=np.int64)
        kept = known[rng.random(len(known)) < p_keep[known]]
        drawn += draw(kept, model.window, rng)
    if not drawn:
        raise InputError(
            f"none of {N_PROBES:,} lines drawn from {lines} has two neighbouring words of the vocabulary; "
            "pass the text that the vocabulary was counted on, tokenised in the same way."
        )
    inputs = np.array([around for around, _ in drawn], np.int64)
    targets = np.array([word for _, word in drawn], np.int64)
    p_noise = vocabulary.counts**NOISE_POWER
    noise = rng.choice(len(vocabulary), size=(len(drawn), model.negative), p=p_noise / p_noise.sum())
    return Probe(inputs, targets, noise)


def _random_lines(lines: Path, rng: np.random.Generator) -> Iterator[list[str]]:
    """The words of lines after random places of the text."""
    with lines.open("rb") as file:
        for offset in np.sort(rng.integers(lines.stat().st_size, size=N_PROBES)):
            file.seek(int(offset))
            file.readline()
            line = file.readline()
            if not line:  # the place was in the last line
                file.seek(0)
                line = file.readline()
            yield line.decode(errors="replace").split()


def _draw_pairs(line: NDArray[np.int64], window: int, rng: np.random.Generator) -> list[tuple[list[int], int]]:
    """Draw a few words from a line of rows, each with one of its neighbours."""
    if len(line) < 2:
        return []
    at = rng.integers(len(line) - 1, size=PAIRS_PER_PROBE)
    near = np.minimum(at + rng.integers(1, window + 1, size=PAIRS_PER_PROBE), len(line) - 1)
    return [([one], other) for one, other in zip(line[at].tolist(), line[near].tolist(), strict=True)]


def _draw_windows(line: NDArray[np.int64], window: int, rng: np.random.Generator) -> list[tuple[list[int], int]]:
    """Draw a few words from a line of rows, each with all of its neighbours, -1 beyond the ends of the line."""
    if len(line) < 2:
        return []
    padded = np.pad(line, window, constant_values=-1)
    places = rng.integers(len(line), size=PAIRS_PER_PROBE)
    around = np.delete(np.arange(2 * window + 1), window)
    return [(padded[place + around].tolist(), int(line[place])) for place in places.tolist()]


def _rate_at_bounds(pieces: list[Piece]) -> NDArray[np.float64]:
    """The share of the learning rate at the bounds of the pieces, linear in the number of words read."""
    done = np.cumsum([0] + [piece.n_words for piece in pieces])
    return np.asarray(1 - (1 - FINAL_RATE) * done / done[-1])


def _restore(model: Model, checkpoint: Checkpoint | None) -> int:
    """Restore the last finished step of an interrupted run; return the number of finished steps."""
    saved = checkpoint.load() if checkpoint else None
    # gensim does not check: with smaller arrays it would read beyond their end
    if saved is None or saved.arrays["vectors"].shape != model.wv.vectors.shape:
        return 0
    model.wv.vectors = np.ascontiguousarray(saved.arrays["vectors"])
    model.syn1neg = np.ascontiguousarray(saved.arrays["context"])
    # gensim draws integers only, so the generator's cached normal number need not be saved
    model.random.set_state(("MT19937", saved.arrays["random_keys"], int(saved.arrays["random_position"])))
    return saved.step


def _state(model: Model) -> dict[str, Array]:
    _, keys, position, *_ = model.random.get_state()
    return {
        "vectors": model.wv.vectors,
        "context": model.syn1neg,
        "random_keys": keys,
        "random_position": np.int64(position),
    }


def _train_piece(model: Model, lines: Path, piece: Piece, start_rate: float, end_rate: float) -> None:
    with lines.open("rb") as file:
        file.seek(piece.offset)
        text = file.read(piece.n_bytes)
    # Sentences instead of gensim's `corpus_file`, which is no faster, drops words at the end of a batch and uses a
    # wrong learning rate with several workers.
    rates = {"start_alpha": float(start_rate), "end_alpha": float(end_rate)}
    model.train(_sentences(text), total_words=piece.n_words, epochs=1, **rates)


def _sentences(text: bytes) -> Iterator[list[str]]:
    """The lines as lists of words. It must not raise: gensim would wait for ever on a reader that failed."""
    for line in text.split(b"\n"):
        words = line.decode(errors="replace").split()
        for start in range(0, len(words), WORDS_PER_SENTENCE):
            yield words[start : start + WORDS_PER_SENTENCE]


def _check_finite(model: Model, step: int, learning_rate: float) -> None:
    if not (np.isfinite(model.wv.vectors).all() and np.isfinite(model.syn1neg).all()):
        raise DivergedError(
            f"the vectors are infinite or NaN at step {step}; train again with a learning_rate below {learning_rate}."
        )

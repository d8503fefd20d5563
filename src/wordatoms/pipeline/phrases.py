"""Text, map and atoms → phrases with vectors of their own (`wordatoms.senses.phrases`).

Phrases are pairs of words that stand next to each other much more often than by chance: normalized pointwise mutual
information, by gensim, over a part of the text. Or they are given. The text is then read twice: to count them, and for
a random sample of the occurrences of each, from which its vector is induced by the map A. In a model whose words were
observed, the same occurrences show the senses of the phrases by use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.contexts.occurrences import sampled_occurrences
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.errors import InputError, require_extra
from wordatoms.parallel import one_blas_thread
from wordatoms.pipeline.map import model_text
from wordatoms.pipeline.phrase_uses import PhraseOccurrences, find_phrase_uses, narrowed, wanted_of_words
from wordatoms.pipeline.sources import as_input, digest, kept_parts, trusting_record
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.inventory import Inventory
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.phrases import Phrases
from wordatoms.senses.posterior import to_unit
from wordatoms.storage.folder import ModelFolder
from wordatoms.text.corpus import Corpus
from wordatoms.text.shards import read_blocks
from wordatoms.text.tokenizer import PHRASE_JOINT, Tokenizer

MOST_BYTES = 250_000_000
"""Bytes of text in which phrases are looked for, spread over all of it."""
LEAST_NPMI = 0.5
"""Of the two words of a phrase; 0 is chance, 1 is never one without the other."""
FUNCTION_WORDS = 1000
"""A phrase has none of the most frequent words, one in this many (60 of 60,000): *of the* is no phrase."""
SHORTEST = 3
"""Letters of a word in a phrase; shorter ones are mostly foreign articles and the numbers of kings and volumes."""
N_OCCURRENCES = 1000
NEVER = 1 << 50
"""A count of words whose occurrences are not wanted."""


@dataclass(frozen=True)
class PhraseSettings:
    """Which phrases get a vector.

    Parameters
    ----------
    given : tuple of str, default ()
        The phrases; by default they are found in the text.
    n_phrases : int, default 2000
        Maximum number of phrases that are found, the most frequent ones.
    min_count : int, default 100
        Phrases that occur less often get no vector.
    seed : int, default 0
        Seed of the sample of their occurrences.

    Examples
    --------
    >>> from wordatoms import PhraseSettings
    >>> PhraseSettings(given=("new york", "ice cream")).min_count
    100
    """

    given: tuple[str, ...] = ()
    n_phrases: int = 2000
    min_count: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("n_phrases", "min_count"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; pass 1 or more.")


def learn_phrases(
    folder: ModelFolder,
    settings: PhraseSettings | None = None,
    *,
    sources: Sequence[str | Path] = (),
    inventory: Inventory | None = None,
    force: bool = False,
    run: Run = DEFAULT_RUN,
) -> bool:
    """Learn vectors of phrases from their contexts.

    Parameters
    ----------
    folder : ModelFolder
        A model with the stages map and atomize.
    settings : PhraseSettings, optional
        Which phrases.
    sources : sequence of str or Path, optional
        The text, by default the one that was counted.
    inventory : Inventory, optional
        The senses that phrases are known to have, in a model whose words were observed; those of other phrases are
        found in the text.
    force : bool, default False
        Learn them again.
    run : Run, optional
        Threads, memory, engine and progress; none of them changes the result.

    Returns
    -------
    bool
        False if the model already has them.

    Examples
    --------
    >>> from wordatoms.pipeline.phrases import learn_phrases
    >>> from wordatoms.storage.folder import ModelFolder
    >>> learn_phrases(ModelFolder("my.model"))  # doctest: +SKIP
    True
    """
    settings = settings or PhraseSettings()
    folder.require_words()
    with folder.working():
        for stage in ("map", "atomize"):
            folder.require(stage, f"run: wordatoms {stage} {folder.path}")
        if inventory is not None and "observe" not in folder.stages:
            raise InputError(
                f"a list of senses needs a model whose words were observed; run: wordatoms observe {folder.path}, or "
                "leave the list out."
            )
        parts = ModelParts(folder.path)
        with model_text(folder, sources, run) as corpus:
            facts = _facts(folder, parts, settings, inventory, digest(corpus.files))
            if folder.is_done("phrases", facts, force=force):
                return False

            def make(forget: Callable[[], None]) -> list[str]:
                wanted = settings.given or find_phrases(corpus, parts, settings, run)
                learned = _learn(parts, corpus, wanted, settings, inventory, folder, run)
                with folder.staging() as staged:
                    learned.save(staged)
                    return folder.install(staged, forget)

            folder.build("phrases", facts, make, inputs=[as_input(file) for file in corpus.files])
    return True


def _facts(
    folder: ModelFolder, parts: ModelParts, settings: PhraseSettings, inventory: Inventory | None, text: str
) -> dict[str, Any]:
    with trusting_record():
        atoms = folder.stages["atomize"]["files"]["atoms.npy"]["sha256"]
        matrix = folder.stages["map"]["files"]["map-matrix.npy"]["sha256"]
    reading = parts.reading.record() if "observe" in folder.stages else None  # without senses by use, it has no part
    facts = {"atoms": atoms, "map": matrix, "reading": reading, "text": text}
    listed = {} if inventory is None else {"inventory": inventory.digest}
    return {**asdict(settings), "given": list(settings.given), **listed, **facts}


# --- which phrases


def find_phrases(corpus: Corpus, parts: ModelParts, settings: PhraseSettings, run: Run = DEFAULT_RUN) -> list[str]:
    """Return pairs of words that stand together more often than by chance, the most frequent first.

    Function words, numbers and very short words are in no phrase; nor are words outside the vocabulary.
    """
    phrases = require_extra("gensim.models.phrases", "skipgram")
    step = max(1, -(-corpus.n_bytes // MOST_BYTES))
    n_skipped = len(parts.words) // FUNCTION_WORDS
    skipped = {word for row, word in enumerate(parts.words) if row < n_skipped or not _may_be_part(word)}
    with run.progress.text_bar("phrases", n_bytes=corpus.n_bytes) as report:
        lines = _some_lines(corpus, parts.tokenizer, step, lambda n_bytes: report(n_bytes, 0))
        kept = ([word for word in line if word in parts.rows] for line in lines)
        statistics = phrases.Phrases(
            kept, min_count=max(settings.min_count // step, 2), threshold=LEAST_NPMI, scoring="npmi", delimiter=" "
        )
        pairs = statistics.export_phrases()
    counts = {pair: statistics.vocab[pair] for pair in pairs if skipped.isdisjoint(pair.split(" "))}
    if not counts:
        raise InputError(
            f"no two words stand together {settings.min_count} times and much more often than by chance; pass a "
            "smaller --min-count, or phrases of your own with --file."
        )
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[: settings.n_phrases]


def _may_be_part(word: str) -> bool:
    return len(word) >= SHORTEST and re.search(r"\d", word) is None


def _some_lines(corpus: Corpus, tokenizer: Tokenizer, step: int, on_read: Callable[[int], None]) -> Iterator[list[str]]:
    """Yield the words of one in `step` lines."""
    number = 0
    for shard in corpus.shards:
        for block in read_blocks(shard, on_read=on_read):
            for line in block.split(b"\n"):
                number += 1
                if number % step == 0:
                    yield tokenizer.words(line.decode())


# --- their vectors


def _learn(
    parts: ModelParts,
    corpus: Corpus,
    wanted: Sequence[str],
    settings: PhraseSettings,
    inventory: Inventory | None,
    folder: ModelFolder,
    run: Run,
) -> Phrases:
    tokenizer = replace(parts.tokenizer, phrases=tuple(sorted({*parts.tokenizer.phrases, *wanted})))
    joined = {PHRASE_JOINT.join(words): " ".join(words) for words in tokenizer.phrase_words}
    common: dict[str, Any] = {"tokenizer": tokenizer, "work": folder.work, "keep": kept_parts(folder), "run": run}
    counted = build_vocabulary(corpus, min_count=settings.min_count, max_words=None, **common)
    counts = dict(zip(counted.words, counted.counts.tolist(), strict=True))
    found = [word for word in joined if word in counts and word not in parts.rows]
    if not found:
        raise InputError(
            f"none of {len(wanted):,} phrases occurs {settings.min_count} times in the text; pass others, or a smaller "
            "--min-count."
        )
    found.sort(key=lambda word: (-counts[word], word))
    observed = "observe" in folder.stages and parts.embeddings.counts is not None
    of_words = wanted_of_words(np.asarray(parts.embeddings.counts), N_OCCURRENCES) if observed else NEVER
    with sampled_occurrences(
        corpus,
        [*parts.words, *found],
        np.array([of_words] * len(parts.words) + [counts[word] for word in found]),
        n_most=N_OCCURRENCES,
        window=max(parts.induced_map.window, parts.reading.window if observed else 0),
        random_state=settings.seed,
        **common,
    ) as occurrences:
        windows = (occurrences.of(len(parts.words) + number).windows for number in range(len(found)))
        induced = {
            number: vector for number, each in enumerate(windows) if (vector := _induced(parts, each)) is not None
        }
        phrases, vectors = [joined[found[number]] for number in induced], np.stack([*induced.values()])
        sparsity = int(folder.stages["atomize"]["settings"]["sparsity"])
        codes = sparse_code(to_unit(vectors), np.asarray(parts.atoms.vectors), sparsity=sparsity, threads=run.threads)
        if not observed:
            return Phrases(tuple(phrases), vectors, codes)
        own = [[parts.rows[word] for word in phrase.split(" ") if word in parts.rows] for phrase in phrases]
        basis = (occurrences.pieces, occurrences.n_words, occurrences.n_most, occurrences.window)
        sample = PhraseOccurrences(*basis, [*induced], own, len(parts.words), parts.reading.window)
        n_uses = [counts[found[number]] for number in induced]
        seeded: dict[str, Any] = {"inventory": inventory, "random_state": settings.seed, "run": run}
        uses = find_phrase_uses(parts, sample, phrases, vectors, n_uses, codes, **seeded)
    return Phrases(tuple(phrases), vectors, codes, uses)


def _induced(parts: ModelParts, windows: NDArray[np.int32]) -> NDArray[np.float32] | None:
    """Return A times the mean of the SIF vectors of contexts, (dim,), or None if they have no words.

    Other phrases in the contexts are left out.
    """
    sif = parts.induced_map.sif(parts.embeddings)
    near = narrowed(windows, parts.induced_map.window)
    known = np.where(near < len(parts.words), near, -1).astype(np.int32)
    with one_blas_thread():
        found = sif.window_vectors(np.insert(known, known.shape[1] // 2, -1, axis=1))
        if found.is_empty.all():
            return None
        return parts.induced_map.apply(found.vectors[~found.is_empty].mean(axis=0, dtype=np.float64))

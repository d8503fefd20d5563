"""Atoms beside the topics of latent Dirichlet allocation (LDA), as the paper's remark on topic models invites.

LDA (scikit-learn, online) is learned from paragraphs of a text. Topics and atoms are shown by ten words of one
vocabulary: the words in at least 20 and at most a tenth of these paragraphs that the model knows, the most frequent
ones first. A topic shows its most probable words, an atom its nearest words. Measured for all atoms, and for as many
atoms as there are topics, drawn at random:

- coherence: the mean NPMI of all pairs of the ten words in other paragraphs; a pair never seen together is -1;
- diversity: the share of different words among all words shown.

Whether a reader finds a name for a list cannot be computed: `benchmarks/topic_models.py` writes lists of both kinds
without their origin, and counts the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from wordatoms.documents.coherence import Lists, coherences, diversity
from wordatoms.errors import InputError
from wordatoms.senses.model import SenseModel
from wordatoms.text.tokenizer import Tokenizer

N_SHOWN = 10
FEWEST, MOST_SHARE = 20, 0.1
"""Limits for the number of paragraphs with a word of the vocabulary."""
SHORTEST = 30
"""Words in a paragraph."""
N_PARAGRAPHS = 40_000
N_WORDS = 10_000
N_TOPICS, N_PASSES = 200, 3
N_JUDGED = 20
"""Lists of each kind for a reader."""
TOPICS, AS_MANY, ALL_ATOMS = "topics of LDA", "as many atoms, drawn at random", "all atoms"


@dataclass(frozen=True)
class Comparison:
    """Numbers for each kind of lists, and lists of both kinds in random order, with their kind."""

    rows: dict[str, dict[str, float]]
    facts: dict[str, float]
    drawn: list[tuple[str, list[str]]]


def compare_topics(
    model: SenseModel,
    train: Sequence[Sequence[str]],
    held_out: Sequence[Sequence[str]],
    *,
    n_topics: int = N_TOPICS,
    n_passes: int = N_PASSES,
    n_words: int = N_WORDS,
) -> Comparison:
    """Learn topics from some paragraphs and compare them with a model's atoms in others."""
    vocabulary = make_vocabulary(train, set(model.words), n_words)
    if len(vocabulary) < N_SHOWN:
        raise InputError(f"only {len(vocabulary)} words are in {FEWEST} or more paragraphs; pass a longer text.")
    counts = count_words(train, vocabulary)
    started = perf_counter()
    topics = top_words(learn_topics(counts, n_topics, n_passes), vocabulary)
    seconds = perf_counter() - started
    vectors = model.learned_from
    atoms = top_words(model.atoms.vectors @ vectors.unit_vectors[vectors.find_rows(vocabulary)].T, vocabulary)
    chosen = np.random.default_rng(0).choice(len(atoms), min(len(topics), len(atoms)), replace=False)
    as_many = [atoms[place] for place in chosen]
    others = count_words(held_out, vocabulary)
    kinds = {TOPICS: topics, AS_MANY: as_many, ALL_ATOMS: atoms}
    facts = {
        "paragraphs": len(train),
        "held_out_paragraphs": len(held_out),
        "vocabulary": len(vocabulary),
        "seconds_of_lda": round(seconds, 1),
    }
    rows = {name: describe(lists, others, vocabulary) for name, lists in kinds.items()}
    return Comparison(rows, facts, shuffled(topics, as_many))


def long_paragraphs(lines: Iterable[str], limit: int = N_PARAGRAPHS) -> Iterator[list[str]]:
    """The words of the first paragraphs that are long enough."""
    tokenizer, n_read = Tokenizer(), 0
    for line in lines:
        tokens = tokenizer.tokens(line)
        if len(tokens) >= SHORTEST:
            yield tokens
            n_read += 1
            if n_read == limit:
                return


def make_vocabulary(paragraphs: Sequence[Sequence[str]], known: set[str], size: int) -> list[str]:
    """The words that are shown, the most frequent first."""
    counts: dict[str, int] = {}
    for tokens in paragraphs:
        for word in set(tokens):
            counts[word] = counts.get(word, 0) + 1
    usable = [word for word, n in counts.items() if FEWEST <= n <= MOST_SHARE * len(paragraphs) and word in known]
    return sorted(usable, key=lambda word: (-counts[word], word))[:size]


def count_words(paragraphs: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> csr_array:
    """How often each paragraph has each word."""
    numbers = {word: number for number, word in enumerate(vocabulary)}
    rows = [[numbers[word] for word in tokens if word in numbers] for tokens in paragraphs]
    starts = np.cumsum([0, *map(len, rows)])
    columns = np.fromiter((number for row in rows for number in row), np.int32, starts[-1])
    found = csr_array((np.ones(len(columns), np.int32), columns, starts), shape=(len(rows), len(vocabulary)))
    found.sum_duplicates()
    return found


def learn_topics(counts: csr_array, n_topics: int, n_passes: int) -> NDArray[np.float64]:
    """The weights of the words in each topic, (n_topics, n_words)."""
    from sklearn.decomposition import LatentDirichletAllocation

    lda = LatentDirichletAllocation(
        n_topics, learning_method="online", max_iter=n_passes, batch_size=1024, random_state=0, n_jobs=1
    )
    lda.fit(counts)
    return np.asarray(lda.components_)


def top_words(weights: NDArray[Any], vocabulary: Sequence[str]) -> Lists:
    """The words with the largest weights of each row."""
    places = np.argsort(-weights, axis=1, kind="stable")[:, :N_SHOWN]
    return [[vocabulary[place] for place in row] for row in places.tolist()]


def describe(lists: Lists, counts: csr_array, vocabulary: Sequence[str]) -> dict[str, float]:
    """Number, coherence and diversity of lists."""
    scores = coherences(lists, counts, vocabulary)
    quartiles = np.quantile(scores, [0.25, 0.5, 0.75])
    return {
        "lists": len(lists),
        "coherence": float(scores.mean()),
        **dict(zip(("lower_quartile", "median", "upper_quartile"), map(float, quartiles), strict=True)),
        "diversity": diversity(lists),
    }


def shuffled(topics: Lists, atoms: Lists) -> list[tuple[str, list[str]]]:
    """Lists of both kinds in random order, with their kind."""
    rng = np.random.default_rng(1)
    kinds = {"topic": topics, "atom": atoms}
    drawn = [
        (kind, lists[place])
        for kind, lists in kinds.items()
        for place in rng.choice(len(lists), min(N_JUDGED, len(lists)), replace=False)
    ]
    return [drawn[place] for place in rng.permutation(len(drawn))]

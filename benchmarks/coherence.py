"""Compare the words of topics with those of LDA, NMF and clusters of document vectors, on the same documents.

    python benchmarks/coherence.py CORPUS.txt HELD_OUT.txt --json docs/results/topic-coherence.json

Each line of at least 20 words is a document; as many as asked for are taken evenly from the files. All methods see the
same documents and may choose among the same words: those of the model that are in at least one in a thousand documents
and are no more frequent than one in a thousand words. The clusters are BERTopic-like: k-means on the document vectors
of the model, words by c-TF-IDF. Coherence is the mean NPMI of the pairs of the ten words of a topic in the corpus and
in the held-out documents; each method has as many topics as the level. A second run with another seed says how much of
the lists comes back.

One more row tells what comes from the topics and what from the choice of words: the clusters, with their words chosen
as ours are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.feature_extraction.text import TfidfTransformer

from common import make_parser, show
from wordatoms.documents.coherence import coherences, diversity
from wordatoms.documents.levels import TopicMap, find_topics, merge_shares
from wordatoms.documents.topic_words import SELDOM, TopicWords, centred, describe
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel, load
from wordatoms.senses.topics import Topics, WindowAtoms, read_documents

N_WORDS = 10
LEAST_WORDS = 20
"""Of a document."""
LEVELS = ("regions", "meta")
Lists = list[list[str]]


def read_lines(path: Path, n: int) -> list[str]:
    with path.open(encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if len(line.split()) >= LEAST_WORDS]
    return [lines[int(place * len(lines) / n)] for place in range(min(n, len(lines)))] if len(lines) > n else lines


class Collection:
    """Documents by words of the model."""

    def __init__(self, windows: WindowAtoms, texts: Sequence[str]) -> None:
        lexicon = windows.lexicon.for_reading()
        self.rows = [windows.known_rows(text, lexicon).copy() for text in texts]
        starts = np.cumsum([0, *map(len, self.rows)])
        shape = (len(texts), len(windows.sif.embeddings))
        self.counts = csr_matrix((np.ones(starts[-1]), np.concatenate(self.rows), starts), shape=shape)
        self.counts.sum_duplicates()

    def coherence(self, lists: Lists, words: Sequence[str]) -> float:
        used = sorted({word for each in lists for word in each})
        places = {word: place for place, word in enumerate(words)}
        columns = csr_array(self.counts[:, [places[word] for word in used]])
        return float(np.nanmean(coherences(lists, columns, used)))


def best_words(scores: NDArray[Any], vocabulary: Sequence[str]) -> Lists:
    return [[vocabulary[place] for place in np.argsort(-own, kind="stable")[:N_WORDS]] for own in scores]


def cluster_counts(k: int, seed: int, vectors: NDArray[Any], counts: Any) -> Any:
    labels = KMeans(k, n_init=1, random_state=seed).fit(vectors).labels_
    chosen = csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    return chosen @ counts


def clusters(k: int, seed: int, vectors: NDArray[Any], counts: Any, _weighted: Any) -> NDArray[Any]:
    """The c-TF-IDF of words in clusters of documents."""
    totals = cluster_counts(k, seed, vectors, counts).toarray()
    shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares * np.log(1 + totals.sum() / k / np.maximum(totals.sum(axis=0), 1)))


def document_vectors(windows: WindowAtoms, rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    sif = windows.sif
    weighted = sif.weighted_vectors()
    means = [weighted[own].mean(axis=0) if len(own) else np.zeros(weighted.shape[1]) for own in rows]
    vectors = windows.to_atoms(np.array(means, np.float32))
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def nmf(k: int, seed: int, _vectors: Any, _counts: Any, weighted: Any) -> NDArray[Any]:
    return np.asarray(NMF(k, init="nndsvda", random_state=seed).fit(weighted).components_)


def lda(k: int, seed: int, _vectors: Any, counts: Any, _weighted: Any) -> NDArray[Any]:
    return np.asarray(LatentDirichletAllocation(k, random_state=seed).fit(counts).components_)


METHODS = {"k-means": clusters, "NMF": nmf, "LDA": lda}


def fitted(
    make: Callable[..., NDArray[Any]],
    k: int,
    vectors: Any,
    counts: Any,
    weighted: Any,
    vocabulary: list[str],
    seed: int,
) -> Lists:
    return best_words(make(k, seed, vectors, counts, weighted), vocabulary)


def clusters_as_ours(
    k: int, vectors: Any, counts: Any, vocabulary: list[str], word_vectors: NDArray[Any], seed: int
) -> Lists:
    """The words of clusters chosen by the rule for the words of topics; a document counts once."""
    present = csr_matrix(counts).sign()
    found = describe(csr_matrix(cluster_counts(k, seed, vectors, present)), present, word_vectors, N_WORDS)
    return [[vocabulary[place] for place in own] for own in found if len(own) == N_WORDS]


def read(windows: WindowAtoms, texts: Sequence[str], seed: int) -> tuple[Topics, TopicWords]:
    """Nothing is random; another run uses another number of threads."""
    words = TopicWords(windows)
    found = read_documents(windows, texts, Run(threads=1 + seed), lambda _, part: words.add(part))
    return found, words


def our_words(runs: Sequence[tuple[Topics, TopicWords]], topics: TopicMap, seed: int) -> Lists:
    found, words = runs[seed]
    listed = words.top(topics, N_WORDS)
    occurring = np.flatnonzero(np.asarray(merge_shares(found, topics).matrix.sum(axis=0)).ravel())
    return [listed[place] for place in occurring if len(listed[place]) == N_WORDS]


def overlap(one: Lists, other: Lists) -> float:
    """The mean share of the words of a list that are in the list of the other run that is most like it."""
    sets = [set(each) for each in other]
    return float(np.mean([max(len(sets_of & set(each)) for sets_of in sets) / N_WORDS for each in one]))


def run(model: SenseModel, texts: Sequence[str], held_out: Sequence[str]) -> dict[str, Any]:
    windows = WindowAtoms.of_model(model, None, None, remove_common=True, scale=None)
    started = process_time()
    runs = [read(windows, texts, 0)]
    reading = process_time() - started
    runs.append(read(windows, texts, 1))
    corpus, other = Collection(windows, texts), Collection(windows, held_out)
    n_with = np.diff((corpus.counts > 0).tocsc().indptr)
    kept = np.flatnonzero((n_with >= SELDOM * len(texts)) & (windows.sif.p_word <= 1e-3))
    vocabulary = [model.words[row] for row in kept]
    counts = corpus.counts[:, kept]
    word_vectors = centred(windows.sif, kept)
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    vectors = document_vectors(windows, corpus.rows)
    result: dict[str, Any] = {
        "documents": len(texts), "held_out_documents": len(held_out), "vocabulary": len(vocabulary), "rows": []
    }  # fmt: skip

    def add(level: str, method: str, make: Callable[[int], Lists], seconds: float = 0.0) -> None:
        begun = process_time()
        lists = make(0)
        seconds += process_time() - begun
        again = overlap(lists, make(1))
        result["rows"].append({
            "level": level, "method": method, "topics": len(lists),
            "corpus": round(corpus.coherence(lists, model.words), 3),
            "held out": round(other.coherence(lists, model.words), 3),
            "diversity": round(diversity(lists), 2), "another seed": round(again, 2), "seconds": round(seconds, 1),
        })  # fmt: skip
        print(result["rows"][-1], flush=True)

    for level in LEVELS:
        topics = find_topics(model, level)
        k = int(np.count_nonzero(merge_shares(runs[0][0], topics).matrix.sum(axis=0)))
        add(level, "wordatoms", partial(our_words, runs, topics), reading)
        for name, make in METHODS.items():
            add(level, name, partial(fitted, make, k, vectors, counts, weighted, vocabulary))
        add(level, "k-means, our words", partial(clusters_as_ours, k, vectors, counts, vocabulary, word_vectors))
    return result


def main() -> None:
    parser = make_parser(__doc__, documents=20_000, held_out_documents=20_000)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("--model", help="a model with meta-atoms and regions (default: the bundled one)")
    given = parser.parse_args()
    texts, held_out = read_lines(given.corpus, given.documents), read_lines(given.held_out, given.held_out_documents)
    show(run(load(given.model), texts, held_out), given.json)


if __name__ == "__main__":
    main()

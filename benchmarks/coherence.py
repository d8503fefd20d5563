"""Compare the words of topics with those of LDA, NMF and clusters of document vectors, on the same documents.

    python benchmarks/coherence.py CORPUS.txt HELD_OUT.txt --json docs/results/topic-coherence.json

Each line is a document. All methods see the same documents and may choose among the same words: those of the model that
are in at least one in a thousand documents and are no more frequent than one in a thousand words. The clusters are
BERTopic-like: k-means on the document vectors of the model, words by c-TF-IDF. Coherence is the mean NPMI of the pairs
of the ten words of a topic in the corpus and in the held-out documents; each method has as many topics as the level.
A second run with another seed says how much of the lists comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
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
from wordatoms.documents.evidence import SELDOM, Evidence
from wordatoms.documents.levels import find_topics, merge_shares
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel, load
from wordatoms.senses.topics import WindowAtoms, read_documents

N_WORDS = 10
LEVELS = ("regions", "meta")
Lists = list[list[str]]


def read_lines(path: Path, n: int) -> list[str]:
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line in islice(file, n)]


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


def clusters(k: int, seed: int, vectors: NDArray[Any], counts: Any, _weighted: Any) -> NDArray[Any]:
    """The c-TF-IDF of words in clusters of documents."""
    labels = KMeans(k, n_init=1, random_state=seed).fit(vectors).labels_
    chosen = csr_matrix((np.ones(len(labels)), (labels, np.arange(len(labels)))), shape=(k, len(labels)))
    totals = (chosen @ counts).toarray()
    shares = totals / np.maximum(totals.sum(axis=1, keepdims=True), 1)
    return np.asarray(shares * np.log(1 + totals.sum() / k / np.maximum(totals.sum(axis=0), 1)))


def document_vectors(windows: WindowAtoms, rows: Sequence[NDArray[Any]]) -> NDArray[Any]:
    sif = windows.sif
    weighted = sif.weighted_vectors()
    means = [weighted[own].mean(axis=0) if len(own) else np.zeros(weighted.shape[1]) for own in rows]
    vectors = windows.to_atoms(np.array(means, np.float32))
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def nmf(k: int, seed: int, _vectors: Any, _counts: Any, weighted: Any) -> NDArray[Any]:
    return np.asarray(NMF(k, init="nndsvda", max_iter=100, random_state=seed).fit(weighted).components_)


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


def as_found(lists: Lists, _seed: int) -> Lists:
    """Nothing is random."""
    return lists


def overlap(one: Lists, other: Lists) -> float:
    """The mean share of the words of a list that are in the list of the other run that is most like it."""
    sets = [set(each) for each in other]
    return float(np.mean([max(len(sets_of & set(each)) for sets_of in sets) / N_WORDS for each in one]))


def run(model: SenseModel, texts: Sequence[str], held_out: Sequence[str]) -> dict[str, Any]:
    windows = WindowAtoms.of_model(model, None, None, remove_common=True, scale=None)
    evidence = Evidence(windows)
    started = process_time()
    found = read_documents(windows, texts, Run(threads=1), evidence.add)
    reading = process_time() - started
    corpus, other = Collection(windows, texts), Collection(windows, held_out)
    n_with = np.diff((corpus.counts > 0).tocsc().indptr)
    kept = np.flatnonzero((n_with >= SELDOM * len(texts)) & (windows.sif.p_word <= 1e-3))
    vocabulary = [model.words[row] for row in kept]
    counts = corpus.counts[:, kept]
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
        occurring = np.flatnonzero(np.asarray(merge_shares(found, topics).matrix.sum(axis=0)).ravel())
        k = len(occurring)
        words = evidence.top_words(topics)
        ours = [words[place] for place in occurring if len(words[place]) == N_WORDS]
        add(level, "wordatoms", partial(as_found, ours), reading)
        for name, make in METHODS.items():
            add(level, name, partial(fitted, make, k, vectors, counts, weighted, vocabulary))
    return result


def main() -> None:
    parser = make_parser(__doc__, documents=10_000, held_out_documents=20_000)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("held_out", type=Path)
    parser.add_argument("--model", help="a model with meta-atoms and regions (default: the bundled one)")
    given = parser.parse_args()
    texts, held_out = read_lines(given.corpus, given.documents), read_lines(given.held_out, given.held_out_documents)
    show(run(load(given.model), texts, held_out), given.json)


if __name__ == "__main__":
    main()

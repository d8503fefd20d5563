"""The words of topics: the obvious count, planted themes, long documents, few documents."""

from __future__ import annotations

from itertools import combinations
from math import log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

import wordatoms as wa
from lettered import discourse, lettered, lettered_model
from wordatoms.contexts.sif import SIF
from wordatoms.documents import topic_words
from wordatoms.documents.coherence import npmi
from wordatoms.documents.levels import find_topics
from wordatoms.documents.topic_words import TopicWords, describe
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel
from wordatoms.senses.topics import WindowAtoms, read_documents

Pair = tuple[str, str]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("words") / "model")


def gather(model: SenseModel, texts: list[str]) -> TopicWords:
    windows = WindowAtoms.of_model(model, 1, 1, remove_common=True, scale=None)
    words = TopicWords(windows)
    read_documents(windows, texts, Run(threads=1), lambda _, part: words.add(part))
    return words


def planted_texts(n: int, n_words: int = 12) -> list[str]:
    rng = np.random.default_rng(2)
    halves = [(rng.choice([3, 5, 9], 2), [rng.permutation(30)[:n_words] for _ in range(2)]) for _ in range(n)]
    return [" ".join(map(discourse, map(int, atoms), words)) for atoms, words in halves]


def stretches_of(model: SenseModel, texts: list[str], size: int) -> list[tuple[set[str], dict[int, float]]]:
    """The words of every stretch, and the shares of its document that its windows give to atoms."""
    found = []
    for text in texts:
        words = text.split()
        n_pieces = max(-(-len(words) // size), 1)
        pieces: list[tuple[set[str], dict[int, float]]] = [(set(), {}) for _ in range(n_pieces)]
        for place, word in enumerate(words):
            pieces[place * n_pieces // len(words)][0].add(word)
        starts = range(len(words) - 2)
        for start in starts:
            window = " ".join(words[start : start + 3])
            atom = wa.document_topics(model, [window], window=1).top_atoms(0)[0].atom
            own = pieces[(start + 1) * n_pieces // len(words)][1]
            own[atom] = own.get(atom, 0) + 1 / len(starts)
        found += pieces
    return found


def naive_words(
    stretches: list[tuple[set[str], dict[int, float]]],
    atom: int,
    order: tuple[str, ...],
    vectors: dict[str, NDArray[np.float64]],
) -> list[str]:
    """One word after the other."""
    every = sorted(set().union(*(words for words, _ in stretches)), key=order.index)
    atoms = {each for _, shares in stretches for each in shares}
    counts = {
        (each, word): sum(shares.get(each, 0) for words, shares in stretches if word in words)
        for each in atoms
        for word in every
    }
    total = sum(counts.values())

    def typical(word: str) -> float:
        of_topic = sum(counts[atom, each] for each in every)
        of_word = sum(counts[each, word] for each in atoms)
        lift = counts[atom, word] * total / of_topic / of_word if counts[atom, word] else 0
        return round(counts[atom, word] * log(max(lift, 1)), 9)

    def together(one: str, other: str) -> float:
        n_one, n_other = (sum(word in words for words, _ in stretches) for word in (one, other))
        n_both = sum(one in words and other in words for words, _ in stretches)
        p = (n_both - sqrt(n_both) / 2) / len(stretches)
        npmi = max(log(p * len(stretches) ** 2 / n_one / n_other) / -log(p), -1) if p > 0 else -1.0
        return npmi + float(vectors[one] @ vectors[other])

    scores = {word: typical(word) for word in every}
    candidates = sorted((word for word in every if scores[word] > 0), key=lambda word: -scores[word])
    pairs: dict[Pair, float] = {}
    for one, other in combinations(candidates, 2):
        pairs[one, other] = pairs[other, one] = together(one, other)
    sum_of_scores = sum(scores[word] for word in candidates)
    chosen: list[str] = []
    while len(chosen) < min(10, len(candidates)):
        rest = [word for word in candidates if word not in chosen]

        def fit(word: str) -> float:
            others = [other for other in candidates if other != word]
            if not chosen:
                mean = sum(pairs[word, other] * scores[other] / sum_of_scores for other in others)
            else:
                mean = sum(pairs[word, other] for other in chosen) / len(chosen)
            return round(scores[word] * max(mean, 1e-9), 9)

        chosen.append(max(rest, key=fit))
    return chosen


def naive_vectors(sif: SIF) -> dict[str, NDArray[np.float64]]:
    """Unit vectors around their mean in running text."""
    words, total = sif.embeddings.words, sum(sif.p_word)
    mean = sum(p / total * sif.embeddings[word].astype(float) for p, word in zip(sif.p_word, words, strict=True))
    around = {word: sif.embeddings[word] - mean for word in words}
    return {word: vector / np.linalg.norm(vector) for word, vector in around.items()}


@pytest.mark.parametrize("size", [400, 9])
def test_words_by_the_naive_count(model: SenseModel, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(topic_words, "STRETCH", size)
    texts = planted_texts(25)
    stretches = stretches_of(model, texts, size)
    words = gather(model, texts)
    found = words.top(find_topics(model))
    vectors = naive_vectors(words.windows.sif)
    largest = sorted(range(len(found)), key=lambda atom: -sum(own.get(atom, 0) for _, own in stretches))[:3]
    for atom in largest:
        assert len(found[atom]) == 10
        assert found[atom] == naive_words(stretches, atom, model.words, vectors)


def test_words_that_belong_together_are_chosen() -> None:
    """A topic has two themes that never meet, one of them a little more frequent; all words are equally typical."""
    rng = np.random.default_rng(0)
    present = np.zeros((1000, 60), np.float32)
    for row in present[:500]:
        theme = int(rng.random() < 0.45) * 15
        row[theme + rng.permutation(15)[:8]] = 1
    for row in present[500:]:
        row[30 + rng.permutation(30)[:8]] = 1
    topics = np.repeat([[1.0, 0.0], [0.0, 1.0]], 500, axis=0).T
    one, other = describe(csr_matrix(topics @ present), csr_matrix(present), np.zeros((60, 2), np.float32))
    assert {*one.tolist()} <= {*range(15)}
    assert {*other.tolist()} <= {*range(30, 60)}


def test_vectors_tell_what_documents_do_not() -> None:
    """All words of a topic are together equally often, but half of them have like vectors."""
    present = np.kron(np.eye(2), np.tile(1 - np.eye(20), (5, 1)))
    counts = np.kron(np.eye(2), np.ones(20)) * 95
    vectors = np.zeros((40, 41), np.float32)
    vectors[np.arange(40), np.arange(40) % 20] = 1
    vectors[10:20] = vectors[30:] = np.eye(41)[40]
    one, other = describe(csr_matrix(counts), csr_matrix(present), vectors, 5)
    assert {*one.tolist()} <= {*range(10, 20)}
    assert {*other.tolist()} <= {*range(30, 40)}


def test_a_word_that_one_document_repeats_is_no_word_of_a_topic(model: SenseModel) -> None:
    name = lettered("d5w20")
    texts = planted_texts(30)
    texts[0] = " ".join([texts[0], *[discourse(3, range(3)) + " " + name] * 200])
    three = model.senses(lettered("d3w0"))[0].atom
    assert name not in gather(model, texts).top(find_topics(model))[three]


def test_many_documents_are_thinned_out(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = planted_texts(64)
    monkeypatch.setattr(topic_words, "MOST_STRETCHES", 16)
    monkeypatch.setattr("wordatoms.senses.topics.GROUP_DOCUMENTS", 5)
    thinned = gather(model, texts)
    assert thinned.top(find_topics(model)) == gather(model, texts[::4]).top(find_topics(model))
    assert sorted({number for part in thinned._parts for number in part.documents.tolist()}) == [*range(0, 64, 4)]


@pytest.mark.parametrize("texts", [[""], ["", "zzz", "zzz zzz"]])
def test_no_words_at_all(model: SenseModel, texts: list[str]) -> None:
    words = gather(model, texts)
    assert not any(words.top(find_topics(model)))
    assert np.isnan(words.coherences([[]])).all()


def test_npmi_of_pairs() -> None:
    together = np.array([[4.0, 4.0, 0.0], [4.0, 4.0, 2.0], [0.0, 2.0, 4.0]])
    assert npmi(together, 8)[0, 1] == 1
    assert npmi(together, 8)[0, 2] == -1
    assert npmi(together, 8)[1, 2] == pytest.approx(0)
    assert npmi(np.full((2, 2), 8.0), 8)[0, 1] == 1
    assert npmi(together, 8, 1.0)[1, 2] < 0

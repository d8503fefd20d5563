"""The competitors: two planted topics told apart, numbers as the naive twins have them, the same for any threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_competitors as naive
from samples import as_corpus
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.usages import SenseInventory, Usage
from wordatoms.contexts.windows import WordWindows, windows_of_words
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError, UnknownWordError
from wordatoms.paper.baselines import grassmeans, inventory, multisense, nnse, prototypes
from wordatoms.paper.baselines.grassmeans import learn_grassmeans
from wordatoms.paper.baselines.inventory import Competitor
from wordatoms.paper.baselines.learning import LEARNED, learn_competitor, sample_word_windows
from wordatoms.paper.baselines.multisense import MSSG, NP_MSSG, MultisenseSettings, learn_multisense
from wordatoms.paper.baselines.nnse import learn_nnse
from wordatoms.paper.baselines.prototypes import HUANG, REISINGER_MOONEY, PrototypeSettings, learn_prototypes
from wordatoms.senses.posterior import to_unit
from wordatoms.storage.folder import ModelFolder

DIM, N_TOPIC, N_SHARED = 16, 20, 5
PSEUDOWORD, LONELY = "walk", "zq"
"""The pseudoword stands in lines of both topics, half of the time as *walked*; the other never."""


def _word(kind: int, number: int) -> str:
    letters = list(product("bcdf", "ghjk", "lmnp"))[number]
    return "xyz"[kind] + "".join(letters)


TOPICS = [[_word(topic, number) for number in range(N_TOPIC)] for topic in (0, 1)]
SHARED = [_word(2, number) for number in range(N_SHARED)]
WORDS = [*SHARED, *TOPICS[0], *TOPICS[1], PSEUDOWORD, "walked", LONELY]


def _directions(rng: np.random.Generator, *, non_negative: bool) -> np.ndarray:
    """One of each topic and one that all words share."""
    drawn = rng.normal(size=(3, DIM))
    return np.eye(DIM)[:3] if non_negative else drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def planted_embeddings(*, non_negative: bool = False) -> Embeddings:
    rng = np.random.default_rng(7)
    topics, shared = np.split(_directions(rng, non_negative=non_negative), [2])
    centres = np.concatenate([np.repeat(shared, N_SHARED, axis=0), np.repeat(topics, N_TOPIC, axis=0)])
    both = np.repeat(topics.mean(axis=0, keepdims=True), 3, axis=0)
    noise = rng.normal(scale=0.1, size=(len(WORDS), DIM))
    vectors = np.concatenate([centres, both]) + (np.abs(noise) if non_negative else noise)
    counts = np.array([*[20_000] * N_SHARED, *[2_000] * (len(WORDS) - N_SHARED)])
    state = {"context": (2 * vectors).astype(np.float32)}
    return Embeddings(WORDS, vectors.astype(np.float32), counts, state, "skipgram", 10_000_000)


def planted_line(topic: int, rng: np.random.Generator) -> list[str]:
    words = [*rng.choice(TOPICS[topic], 8), *rng.choice(SHARED, 6)]
    rng.shuffle(words)
    return [*words[:7], str(rng.choice([PSEUDOWORD, "walked"])), *words[7:]]


def planted_usages(n: int = 60) -> tuple[list[Usage], np.ndarray]:
    rng = np.random.default_rng(9)
    topics = rng.integers(2, size=n)
    return [Usage(planted_line(topic, rng), 7) for topic in topics], topics


@pytest.fixture(scope="module")
def sif() -> SIF:
    embeddings = planted_embeddings()
    return SIF(embeddings, p_words(embeddings))


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> WordWindows:
    rng = np.random.default_rng(8)
    text = "\n".join(" ".join(planted_line(line % 2, rng)) for line in range(400))
    rows = [WORDS.index(word) for word in (PSEUDOWORD, "walked", LONELY)]
    return windows_of_words(as_corpus(text, tmp_path_factory.mktemp("text")), WORDS, rows)


def planted_map() -> InducedMap:
    """A rotation, so that vectors which went through it can be recognised."""
    matrix = np.linalg.qr(np.random.default_rng(3).normal(size=(DIM, DIM)))[0].astype(np.float32)
    return InducedMap(matrix, np.eye(DIM, dtype=np.float32)[0], np.zeros((0, 21), np.int32))


def agreement(p: np.ndarray, topics: np.ndarray) -> float:
    """The share of usages whose likeliest sense is mostly of their topic."""
    labels = p.argmax(axis=1)
    return sum(np.bincount(topics[labels == label]).max() for label in np.unique(labels)) / len(topics)


# --- the planted topics


@pytest.mark.parametrize("name", LEARNED)
def test_two_topics_are_told_apart(sif: SIF, windows: WordWindows, name: str) -> None:
    learned: SenseInventory = learn_competitor(name, sif, windows, [PSEUDOWORD])
    usages, topics = planted_usages()
    p = learned.p_senses(PSEUDOWORD, usages)
    vectors = learned.sense_vectors(PSEUDOWORD)
    assert p.shape == (len(usages), len(vectors))
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert agreement(p, topics) > 0.95
    nearest = {
        sif.embeddings.nearest(vector, 1, exclude=[PSEUDOWORD, "walked", LONELY])[0].word[0] for vector in vectors
    }
    assert {"x", "y"} <= nearest


TWO_SENSES: dict[str, Callable[[SIF, WordWindows], Competitor]] = {
    "mixture": lambda sif, windows: learn_prototypes(sif, windows, [PSEUDOWORD], replace(REISINGER_MOONEY, n_senses=2)),
    "k-means": lambda sif, windows: learn_prototypes(sif, windows, [PSEUDOWORD], replace(HUANG, n_senses=2)),
    "grassmeans": lambda sif, windows: learn_grassmeans(sif, windows, [PSEUDOWORD], n_senses=2),
    "mssg": lambda sif, windows: learn_multisense(sif, windows, [PSEUDOWORD], replace(MSSG, n_senses=2)),
}


@pytest.mark.parametrize("name", TWO_SENSES)
def test_two_senses_are_the_two_topics(sif: SIF, windows: WordWindows, name: str) -> None:
    learned = TWO_SENSES[name](sif, windows)
    usages, topics = planted_usages()
    assert agreement(learned.p_senses(PSEUDOWORD, usages), topics) == 1
    np.testing.assert_allclose(learned.senses(PSEUDOWORD).shares, 0.5, atol=0.03)


def test_np_mssg_finds_the_number_of_senses(sif: SIF, windows: WordWindows) -> None:
    assert len(learn_multisense(sif, windows, [PSEUDOWORD], NP_MSSG).sense_vectors(PSEUDOWORD)) == 2
    never = replace(NP_MSSG, new_below=-1.0)
    assert len(learn_multisense(sif, windows, [PSEUDOWORD], never).sense_vectors(PSEUDOWORD)) == 1


def test_dimensions_of_nnse_are_the_topics() -> None:
    embeddings = planted_embeddings(non_negative=True)
    learned = learn_nnse(SIF(embeddings, p_words(embeddings)), [PSEUDOWORD], n_senses=2)
    usages, topics = planted_usages()
    assert learned.sense_vectors(PSEUDOWORD).argmax(axis=1).tolist() in ([0, 1], [1, 0])
    assert agreement(learned.p_senses(PSEUDOWORD, usages), topics) == 1


def test_dimensions_of_nnse_in_another_space(sif: SIF) -> None:
    embeddings = planted_embeddings(non_negative=True)
    learned = learn_nnse(SIF(embeddings, p_words(embeddings)), [PSEUDOWORD], n_senses=2, space=sif.embeddings)
    nearest = [sif.embeddings.nearest(vector, 5) for vector in learned.sense_vectors(PSEUDOWORD)]
    assert {"".join({found.word[0] for found in near}) for near in nearest} == {"x", "y"}


@pytest.mark.parametrize("name", ["huang", "grassmeans-2"])
def test_a_map_trains_the_senses_anew(sif: SIF, windows: WordWindows, name: str) -> None:
    rotation = planted_map()
    plain = learn_competitor(name, sif, windows, [PSEUDOWORD])
    mapped = learn_competitor(name, sif, windows, [PSEUDOWORD], induced_map=rotation)
    assert mapped.senses(PSEUDOWORD).centres.tobytes() == plain.senses(PSEUDOWORD).centres.tobytes()
    back = rotation.matrix.T @ mapped.sense_vectors(PSEUDOWORD).T
    cosines = [naive.cosine(a, b) for a, b in zip(back.T, plain.sense_vectors(PSEUDOWORD), strict=True)]
    assert min(cosines) > 0.8


# --- what all of them do alike


@pytest.mark.parametrize("name", LEARNED)
def test_same_bytes_with_any_threads_and_other_words(sif: SIF, windows: WordWindows, name: str) -> None:
    alone = learn_competitor(name, sif, windows, [PSEUDOWORD], random_state=4, threads=1)
    beside = learn_competitor(name, sif, windows, [LONELY, "walked", PSEUDOWORD], random_state=4, threads=3)
    for part in ("vectors", "centres", "shares"):
        found = [getattr(learned.senses(PSEUDOWORD), part).tobytes() for learned in (alone, beside)]
        assert found[0] == found[1]


@pytest.mark.parametrize("name", LEARNED)
def test_a_word_without_windows_has_its_vector_for_sense(sif: SIF, windows: WordWindows, name: str) -> None:
    learned = learn_competitor(name, sif, windows, [LONELY])
    assert learned.sense_vectors(LONELY).tolist() == [sif.embeddings[LONELY].tolist()]
    assert learned.p_senses(LONELY, planted_usages(3)[0]).tolist() == [[1]] * 3


@pytest.mark.parametrize("name", LEARNED)
def test_a_context_without_known_words_gives_the_shares(sif: SIF, windows: WordWindows, name: str) -> None:
    learned = learn_competitor(name, sif, windows, [PSEUDOWORD])
    p = learned.p_senses(PSEUDOWORD, [Usage([PSEUDOWORD], 0), Usage(["never", "seen", PSEUDOWORD, "before"], 2)])
    np.testing.assert_allclose(p, [learned.senses(PSEUDOWORD).shares] * 2)
    assert learned.p_senses(PSEUDOWORD, []).shape == (0, len(learned.sense_vectors(PSEUDOWORD)))


def test_words_that_were_not_learned(sif: SIF, windows: WordWindows) -> None:
    learned = learn_competitor("mssg", sif, windows, [PSEUDOWORD])
    assert repr(learned) == "Multisense(1 words, 3 senses)"
    assert (len(learned), PSEUDOWORD in learned, SHARED[0] in learned) == (1, True, False)
    with pytest.raises(InputError, match="not among the 1 learned words"):
        learned.sense_vectors(SHARED[0])
    with pytest.raises(UnknownWordError, match="'qwertz' is not among"):
        learned.p_senses("qwertz", [])
    with pytest.raises(UnknownWordError):
        learn_competitor("huang", sif, windows, ["qwertz"])


def test_words_of_which_a_form_is_known(sif: SIF) -> None:
    assert inventory.known_words(["qwertz", "walks", PSEUDOWORD], sif.embeddings) == ["walks", PSEUDOWORD]
    assert [WORDS[row] for row in inventory.form_rows("walk", sif.embeddings)] == ["walk", "walked"]


def test_bad_input(sif: SIF, windows: WordWindows) -> None:
    with pytest.raises(InputError, match="the method is 'lda'; pass one of reisinger-mooney"):
        learn_competitor("lda", sif, windows, [PSEUDOWORD])
    with pytest.raises(InputError, match="no windows were sampled for"):
        learn_competitor("huang", sif, windows, [SHARED[0]])
    with pytest.raises(InputError, match="one string"):
        learn_competitor("huang", sif, windows, PSEUDOWORD)
    with pytest.raises(InputError, match="sampled for other words"):
        learn_competitor("huang", sif, replace(windows, words_digest="0"), [PSEUDOWORD])
    with pytest.raises(InputError, match="10 words on each side, but the method looks at 11"):
        learn_grassmeans(sif, windows, [PSEUDOWORD], window=11)
    with pytest.raises(InputError, match="n_senses is 0"):
        learn_grassmeans(sif, windows, [PSEUDOWORD], n_senses=0)
    with pytest.raises(InputError, match="negative numbers"):
        learn_nnse(sif, [PSEUDOWORD])
    embeddings = replace(sif.embeddings, state={"context": np.ones((2, 2))})
    with pytest.raises(InputError, match="context vectors have shape"):
        learn_multisense(SIF(embeddings, sif.p_word), windows, [PSEUDOWORD])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PrototypeSettings(n_senses=0), "n_senses is 0"),
        (lambda: MultisenseSettings(n_passes=0), "n_passes is 0"),
        (lambda: MultisenseSettings(learning_rate=0), "learning_rate is 0"),
        (lambda: MultisenseSettings(new_below=2), "new_below is 2"),
    ],
)
def test_bad_settings(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


# --- the naive twins


contexts_of_words = st.lists(st.lists(st.integers(-1, len(WORDS) - 1), min_size=8, max_size=8), min_size=1, max_size=9)


@settings(deadline=None, max_examples=50)
@given(contexts_of_words)
def test_means_of_contexts(contexts: list[list[int]]) -> None:
    embeddings = planted_embeddings()
    sif = SIF(embeddings, p_words(embeddings))
    reader = inventory.ContextMeans(sif.embeddings, inventory.idf_weights(sif), 4, embeddings.vectors)
    expected = [naive.mean(context, embeddings.vectors, reader.weights) for context in contexts]
    np.testing.assert_allclose(reader.means(np.array(contexts, np.int32)), expected, rtol=1e-4, atol=1e-5)


def test_idf(sif: SIF) -> None:
    expected = [naive.idf(p, inventory.DOCUMENT_WORDS) for p in sif.p_word]
    np.testing.assert_allclose(inventory.idf_weights(sif), expected, rtol=1e-4)
    without_count = replace(sif, p_word=np.where(np.arange(len(WORDS)) == 3, 0, sif.p_word))
    assert inventory.idf_weights(without_count)[3] == inventory.idf_weights(sif).max()


def test_words_of_weight_zero_are_left_out(sif: SIF) -> None:
    weights = np.ones(len(WORDS), np.float32)
    weights[0] = 0
    reader = inventory.ContextMeans(sif.embeddings, weights, 1, sif.embeddings.vectors)
    assert reader.of_windows(np.array([[4, 0, 7, 1, -1]], np.int32)).tolist() == [[-1, 1]]
    usage = Usage([WORDS[0], "unknown", WORDS[5], WORDS[6]], 2)
    assert sorted(reader.of_usages([usage])[0].tolist()) == [-1, 6]


def test_clusters_stay_where_the_naive_step_puts_them() -> None:
    units = to_unit(np.random.default_rng(1).normal(size=(80, 5)))
    found = prototypes.cluster_directions(units, 4, np.random.default_rng(0))
    np.testing.assert_allclose(naive.cluster_step(units, found.centres), found.centres, atol=1e-5)
    assert found.fit == pytest.approx(np.mean((units @ found.centres.T).max(axis=1)), abs=1e-5)


def test_a_mixture_recovers_its_concentration() -> None:
    rng = np.random.default_rng(2)
    centres = to_unit(rng.normal(size=(2, 50)))
    units = to_unit(np.repeat(centres, 500, axis=0) + rng.normal(scale=0.1, size=(1000, 50)))
    found = prototypes.soften(units, prototypes.cluster_directions(units, 2, rng))
    assert np.abs(found.centres @ centres.T).max(axis=1).min() > 0.99
    assert found.concentration == pytest.approx(100, rel=0.3)  # 1 / variance
    np.testing.assert_allclose(found.shares, 0.5, atol=0.01)


@settings(deadline=None, max_examples=50)
@given(contexts_of_words)
def test_subspaces_of_contexts(contexts: list[list[int]]) -> None:
    vectors = np.random.default_rng(5).normal(size=(len(WORDS), DIM)).astype(np.float32)
    different = [list(dict.fromkeys(context)) for context in contexts]  # a word twice leaves the third direction open
    padded = np.array([context + [-1] * (8 - len(context)) for context in different], np.int32)
    bases = grassmeans.context_bases(padded, vectors)
    for basis, context in zip(bases, different, strict=True):
        np.testing.assert_allclose(basis.T @ basis, naive.projector(context, vectors, 3), atol=2e-3)


def test_the_line_of_one_cluster_is_the_first_eigenvector() -> None:
    rng = np.random.default_rng(6)
    common = rng.normal(size=DIM)
    vectors = (rng.normal(size=(200, DIM)) + common).astype(np.float32)
    bases = grassmeans.context_bases(rng.integers(200, size=(60, 6)).astype(np.int32), vectors)
    found = grassmeans.meeting_lines(bases, 1, rng)
    total = sum(basis.T.astype(float) @ basis for basis in bases)
    values, directions = np.linalg.eigh(total)
    assert abs(found.directions[0] @ directions[:, -1]) > 0.999
    assert found.fit == pytest.approx(values[-1] / 60, rel=1e-3)


def test_power_steps_never_lower_the_sum() -> None:
    rng = np.random.default_rng(6)
    vectors = rng.normal(size=(100, DIM)).astype(np.float32)
    bases = grassmeans.context_bases(rng.integers(100, size=(50, 5)).astype(np.int32), vectors)
    fits, directions = [], to_unit(rng.normal(size=(3, DIM)))
    for _ in range(10):
        lines, directions = grassmeans.power_step(bases, directions)
        fits.append(lines.fit)
    assert (np.diff(fits) > -1e-6).all()
    assert fits[-1] > fits[0]


def test_vectors_trained_anew_are_those_of_the_average_context(sif: SIF, windows: WordWindows) -> None:
    sample, p = windows.of(WORDS.index(PSEUDOWORD)), np.random.default_rng(1).dirichlet([1, 1, 1], 400)
    sample = np.concatenate([sample, np.full((1, 21), -1, np.int32)])  # an empty window counts for nothing
    contexts = sif.window_vectors(sample).vectors[:-1].astype(float)
    p = p[: len(sample)]
    averages = [np.average(contexts, axis=0, weights=weights) for weights in p[:-1].T]
    found = inventory.retrained_vectors(p, sample, sif, planted_map())
    np.testing.assert_allclose(found, np.array(averages) @ planted_map().matrix.T, atol=1e-5)


@pytest.mark.parametrize(("n_start", "new_below"), [(2, -2.0), (0, 0.2)])
def test_the_pass_of_multisense(n_start: int, new_below: float) -> None:
    from wordatoms.kernels import multisense as kernel

    rng = np.random.default_rng(11)
    contexts = rng.normal(size=(30, 6)).astype(np.float32)
    words = rng.integers(-1, 30, size=(40, 4)).astype(np.int32)
    negatives = rng.integers(0, 30, size=(40, 4, 3)).astype(np.int32)
    means = rng.normal(size=(40, 6)).astype(np.float32)
    rates = np.linspace(0.1, 0, 40).astype(np.float32)
    start = rng.normal(size=6).astype(np.float32)
    expected = naive.multisense(
        words.tolist(),
        negatives.tolist(),
        means,
        contexts,
        rates.tolist(),
        0.5,
        new_below,
        [*means[:n_start]],
        4,
        start,
    )
    centres, vectors, chosen = np.zeros((4, 6), np.float32), np.tile(start, (4, 1)), np.empty(40, np.int64)
    centres[:n_start] = means[:n_start]
    room = 4 if new_below > -1 else n_start
    n_senses = kernel.learn_senses(
        words,
        negatives,
        means,
        contexts,
        rates,
        np.float32(0.5),
        np.float32(new_below),
        n_start,
        centres[:room],
        vectors,
        chosen,
    )
    assert chosen.tolist() == expected[2]
    np.testing.assert_allclose(centres[:n_senses], expected[0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(vectors[:n_senses], expected[1], rtol=1e-3, atol=1e-4)


def test_negatives_come_by_their_counts(sif: SIF) -> None:
    p = multisense.p_noise(sif.embeddings)
    assert p[0] / p[-1] == pytest.approx(10**0.75)
    assert p.sum() == pytest.approx(1)


def test_probabilities_of_nnse() -> None:
    embeddings = planted_embeddings(non_negative=True)
    sif = SIF(embeddings, p_words(embeddings))
    learned = learn_nnse(sif, [PSEUDOWORD], n_senses=3, smoothing=2.0)
    usage = planted_usages(1)[0][0]
    context = [WORDS.index(token) for place, token in enumerate(usage.tokens) if place != usage.position]
    mean = naive.mean(context, embeddings.vectors, inventory.idf_weights(sif))
    weights = nnse.pooled_vector(PSEUDOWORD, embeddings)
    heaviest = sorted(range(DIM), key=lambda d: -weights[d])[:3]
    raw = np.array([weights[d] * (mean[d] / mean.sum() + 2 / DIM) for d in heaviest])
    np.testing.assert_allclose(learned.p_senses(PSEUDOWORD, [usage])[0], raw / raw.sum(), rtol=1e-4)


def test_windows_of_a_model(tmp_path: Path) -> None:
    folder, embeddings = ModelFolder(tmp_path / "model", create=True), planted_embeddings()

    def make(_forget: Callable[[], None]) -> list[str]:
        embeddings.save(folder.path)
        return ["words.txt", "vectors.npy", "embeddings.json"]

    with folder.working():
        folder.build("import", {}, make)
    text = tmp_path / "text.txt"
    text.write_text(f"{SHARED[0]} walk {SHARED[1]}\nwalked {SHARED[2]}\n")
    found = sample_word_windows(folder, ["walk"], sources=[text], window=1)
    walk, walked = (WORDS.index(word) for word in ("walk", "walked"))
    assert sorted(found.pooled([walk, walked]).tolist()) == [[-1, walked, 2], [0, walk, 1]]
    with pytest.raises(InputError, match="one or more words"):
        sample_word_windows(folder, [], sources=[text])

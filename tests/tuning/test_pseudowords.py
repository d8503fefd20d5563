"""Two words written as one: which words, in which contexts, with which vector."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudowordworld import DIM, DISCOURSE, WINDOW, WORDS, World
from wordatoms.contexts.windows import WordWindows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.tuning.pseudowords import MOST_COSINE, MOST_RATIO, PseudowordSet, candidate_words, draw_pseudowords


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("pseudowords"))


# --- pseudowords


def test_pairs_are_unrelated_of_like_frequency_and_each_word_is_used_once(world: World) -> None:
    drawn = world.draw(10)
    assert len(drawn) == 10
    rows = [row for each in drawn.pseudowords for row in each.rows]
    assert len(rows) == len(set(rows))
    units, counts = world.embeddings.unit_vectors, world.embeddings.counts
    for first, second in (each.rows for each in drawn.pseudowords):
        assert units[first] @ units[second] < MOST_COSINE
        assert 1 / MOST_RATIO < counts[first] / counts[second] < MOST_RATIO
        assert DISCOURSE[first] != DISCOURSE[second]


def naive_windows(windows: WordWindows, rows: tuple[int, int], n_contexts: int) -> list[list[int]]:
    return [
        [-1 if row in rows else row for place, row in enumerate(window) if place != WINDOW]
        for target in rows
        for window in windows.of(target)[:n_contexts].tolist()
    ]


def test_contexts_of_the_first_word_then_of_the_second_without_both(world: World) -> None:
    for each in world.draw().pseudowords:
        assert each.windows.shape == (24, 2 * WINDOW)
        assert each.windows.dtype == np.int32
        assert each.windows.tolist() == naive_windows(world.windows, each.rows, 12)


def test_vector_is_the_map_of_the_joint_average(world: World) -> None:
    for each in world.draw().pseudowords:
        n_first, n_second = (int(world.contexts.n_contexts[row]) for row in each.rows)
        first, second = (world.contexts.averages[row].astype(float) for row in each.rows)
        joint = (n_first * first + n_second * second) / (n_first + n_second)
        assert np.allclose(each.vector, world.induced_map.matrix @ joint, atol=1e-4)


def test_atoms_of_a_pseudoword_are_those_of_its_words(world: World) -> None:
    drawn = world.draw()
    for each, weights in zip(drawn.pseudowords, drawn.weights(world.atoms), strict=True):
        assert {*weights} == {int(DISCOURSE[row]) for row in each.rows}
        assert all(weight > 0 for weight in weights.values())


def as_bytes(drawn: PseudowordSet) -> list[bytes]:
    return [part for each in drawn.pseudowords for part in (each.windows.tobytes(), each.vector.tobytes())]


def test_same_pseudowords_for_the_same_seed(world: World) -> None:
    assert as_bytes(world.draw(random_state=1)) == as_bytes(world.draw(random_state=1))
    assert as_bytes(world.draw(random_state=1)) != as_bytes(world.draw(random_state=2))


def test_halves_share_nothing(world: World) -> None:
    drawn = world.draw(7)
    choosing, checking = drawn.halves()
    assert (len(choosing), len(checking)) == (4, 3)
    rows = [each.rows for half in (choosing, checking) for each in half.pseudowords]
    assert sorted(rows) == sorted(each.rows for each in drawn.pseudowords)


def test_more_pseudowords_than_words(world: World) -> None:
    assert 2 <= len(world.draw(1000)) <= len(WORDS) // 2


def test_text_that_is_too_short(world: World) -> None:
    with pytest.raises(
        InputError, match=r"the text gives 0 pseudowords: 0 words have 1000 contexts in it.*longer text"
    ):
        world.draw(n_contexts=1000)


def test_words_that_are_all_related(world: World) -> None:
    alike = replace(world.embeddings, vectors=np.ones((len(WORDS), DIM), np.float32))
    with pytest.raises(InputError, match="two unrelated words of similar frequency make one; pass a longer text"):
        draw_pseudowords(alike, world.contexts, world.induced_map, world.windows, n_pseudowords=4, n_contexts=12)


# --- candidates


def vocabulary(words: list[str], counts: list[int], n_tokens: int | None = None) -> Embeddings:
    return Embeddings(words, np.ones((len(words), 2)), np.array(counts), n_tokens=n_tokens)


def drawn_words(embeddings: Embeddings, rows: NDArray[np.int64]) -> list[str]:
    return [embeddings.words[row] for row in rows]


def test_candidates_are_words_of_letters_that_are_not_too_frequent() -> None:
    words = ["the", "river", "it's", "of", "bank2", "shore", "1999", "été"]
    embeddings = vocabulary(words, [20_000, 90, 80, 70, 60, 50, 40, 30], n_tokens=100_000)
    rows = candidate_words(embeddings, 10)
    assert drawn_words(embeddings, rows) == ["river", "shore", "été"]
    assert rows.dtype == np.int64
    assert len(candidate_words(vocabulary(words, [9] * 8), 10)) == 0


def test_candidates_are_drawn_by_the_root_of_their_counts() -> None:
    words = [f"{a}{b}x" for a in "abcdefghij" for b in "abcdefghij"]
    embeddings = vocabulary(words, [100] * 50 + [1] * 50, n_tokens=10**7)
    draws = [candidate_words(embeddings, 10, random_state=seed) for seed in range(60)]
    share = np.mean([(rows < 50).mean() for rows in draws])
    assert 0.85 < share < 0.95  # ten to one, less a little because no word is drawn twice
    assert all((np.diff(rows) > 0).all() for rows in draws)
    assert draws[3].tolist() == candidate_words(embeddings, 10, random_state=3).tolist()


def test_candidates_have_been_counted() -> None:
    words = ["river", "shore", "choir"]
    counted = vocabulary(words, [1, 0, 1], n_tokens=10**6)
    assert drawn_words(counted, candidate_words(counted, 3)) == ["river", "choir"]
    assert len(candidate_words(vocabulary(words, [0, 0, 0], n_tokens=10**6), 3)) == 0


def test_one_pseudoword_is_refused_without_asking_for_more_text(world: World) -> None:
    with pytest.raises(InputError, match=r"^n_pseudowords is 1; pass 2 or more\.$"):
        world.draw(1)


def test_vectors_without_counts(world: World) -> None:
    bare = replace(world.embeddings, counts=None)
    with pytest.raises(InputError, match="without counts, and pseudowords need them; train a model from text"):
        draw_pseudowords(bare, world.contexts, world.induced_map, world.windows, n_pseudowords=4, n_contexts=12)
    with pytest.raises(InputError, match="without counts, and pseudowords need them; train a model from text"):
        candidate_words(Embeddings(["river"], np.ones((1, 2))), 1)

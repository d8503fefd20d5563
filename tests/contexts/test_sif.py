"""SIF vectors: the naive twin, defined answers for empty contexts, and a planted common direction."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_contexts as naive
from wordatoms.contexts.sif import SIF, first_direction, p_words, remove_direction
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError

WORDS = ["the", "tie", "spring", "bank", "cell"]
COUNTS = np.array([500, 30, 20, 10, 5])
EMBEDDINGS = Embeddings(WORDS, np.random.default_rng(0).normal(size=(5, 4)), COUNTS, n_tokens=1000)
token_lists = st.lists(st.lists(st.sampled_from([*WORDS, "zyx"]), max_size=9), max_size=6)


@pytest.fixture
def sif() -> SIF:
    return SIF(EMBEDDINGS, p_words(EMBEDDINGS))


@settings(deadline=None)
@given(token_lists, st.sampled_from([1e-3, 0.5, math.inf]), st.integers(1, 4))
def test_naive_twin(contexts: list[list[str]], a: float, batch_size: int) -> None:
    sif = SIF(EMBEDDINGS, p_words(EMBEDDINGS), a)
    p_word = dict(zip(WORDS, (COUNTS / 1000).tolist(), strict=True))
    finite = min(a, 1e12)
    expected = [naive.sif_vector(tokens, dict(EMBEDDINGS), p_word, finite) for tokens in contexts]
    found = sif.vectors(contexts)
    assert found.vectors.shape == (len(contexts), 4)
    assert np.allclose(found.vectors, np.reshape(expected, (-1, 4)), atol=1e-6)
    assert found.n_known.tolist() == [sum(token in EMBEDDINGS for token in tokens) for tokens in contexts]
    parts = list(sif.stream(contexts, batch_size=batch_size))
    assert b"".join(part.vectors.tobytes() for part in parts) == found.vectors.tobytes()
    assert all(len(part.vectors) <= batch_size for part in parts)


def test_a_text_is_the_same_as_its_tokens(sif: SIF) -> None:
    texts = ["The tie, the SPRING!", "bank\ncell"]
    tokens = [["the", "tie", "the", "spring"], ["bank", "cell"]]
    assert sif.vectors(texts).vectors.tobytes() == sif.vectors(tokens).vectors.tobytes()


def test_empty_contexts_are_zero_and_say_so(sif: SIF) -> None:
    found = sif.vectors([[], ["zyx"], ["tie"], "", "…"])
    assert found.is_empty.tolist() == [True, True, False, True, True]
    assert not found.vectors[[0, 1, 3, 4]].any()
    assert sif.vectors([]).vectors.shape == (0, 4)


def test_a_stream_need_not_end(sif: SIF) -> None:
    endless = (["tie", "bank"] for _ in itertools.count())
    first, second = itertools.islice(sif.stream(endless, batch_size=3), 2)
    assert len(first.vectors) == len(second.vectors) == 3


def around(sif: SIF, tokens: list[str], position: int, **options: Any) -> list[str]:
    (found,) = sif.around_each(tokens, [position], **options)
    return found


def test_words_around_a_position(sif: SIF) -> None:
    tokens = ["the", "zyx", "tie", "zyx", "spring", "bank", "zyx", "cell"]
    assert around(sif, tokens, 4, window=1) == ["tie", "bank"]
    assert around(sif, tokens, 4, window=1, include_target=True) == ["tie", "spring", "bank"]
    assert around(sif, tokens, 6, window=2) == ["spring", "bank", "cell"]  # the target itself is unknown
    assert around(sif, tokens, 4, window=9, length=2) == ["the", "tie", "cell"]
    assert around(sif, tokens, 0, window=2) == ["tie", "spring"]
    for position in (-1, 8):
        with pytest.raises(InputError, match="position is"):
            around(sif, tokens, position)


def test_many_places_of_one_line_took_a_scan_of_the_line_each(sif: SIF) -> None:
    class Counted(list[str]):
        n_scans = 0

        def __iter__(self) -> Iterator[str]:
            Counted.n_scans += 1
            return super().__iter__()

    tokens = Counted(np.random.default_rng(0).choice([*WORDS, "zyx"], 300).tolist())
    many = list(sif.around_each(tokens, range(300), window=3, include_target=True))
    assert Counted.n_scans == 1
    assert many == [around(sif, tokens, place, window=3, include_target=True) for place in range(300)]


@given(st.lists(st.sampled_from([*WORDS, "zyx"]), min_size=1, max_size=12), st.data())
def test_words_around_by_hand(tokens: list[str], data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(tokens) - 1))
    length = data.draw(st.integers(1, len(tokens) - position))
    window, inside = data.draw(st.integers(1, 5)), data.draw(st.booleans())
    parts = tokens[:position], tokens[position : position + length], tokens[position + length :]
    before, target, after = ([token for token in part if token in WORDS] for part in parts)
    sif = SIF(EMBEDDINGS, p_words(EMBEDDINGS))
    found = around(sif, tokens, position, window=window, length=length, include_target=inside)
    assert found == before[-window:] + target * inside + after[:window]


@pytest.mark.parametrize("n_tokens", ["many", [3], {}, -1, 10**400, 1.5])
def test_a_wrong_number_of_tokens_was_a_raw_error(n_tokens: Any) -> None:
    with pytest.raises(InputError, match="n_tokens of the vectors is"):
        p_words(Embeddings(WORDS, EMBEDDINGS.vectors, COUNTS, n_tokens=n_tokens))


def test_windows_as_rows(sif: SIF) -> None:
    windows = np.array([[-1, 1, 2, 3, 0], [-1, -1, 4, -1, -1]], np.int32)
    found = sif.window_vectors(windows)
    assert found.n_known.tolist() == [3, 0]
    assert found.vectors[0].tobytes() == sif.vectors([["tie", "bank", "the"]]).vectors[0].tobytes()
    inside = sif.window_vectors(windows, include_target=True)
    assert inside.vectors.tobytes() == sif.vectors([["tie", "spring", "bank", "the"], ["cell"]]).vectors.tobytes()
    with pytest.raises(InputError, match="the row 9"):
        sif.window_vectors(np.array([[9, 0, 1]], np.int32))


def test_probabilities_of_words() -> None:
    assert p_words(EMBEDDINGS).tolist() == (COUNTS / 1000).tolist()
    without_tokens = Embeddings(WORDS, EMBEDDINGS.vectors, COUNTS)
    assert np.allclose(p_words(without_tokens), COUNTS / COUNTS.sum())
    by_rank = p_words(Embeddings(WORDS, EMBEDDINGS.vectors))
    assert by_rank.sum() == pytest.approx(1)
    assert np.allclose(by_rank[0] / by_rank, [1, 2, 3, 4, 5])


def test_weights_fall_with_frequency(sif: SIF) -> None:
    assert np.allclose(sif.weights, 1e-3 / (1e-3 + COUNTS / 1000))
    assert SIF(EMBEDDINGS, p_words(EMBEDDINGS), math.inf).weights.tolist() == [1] * 5
    assert sif.weighted_vectors()[1].tolist() == (sif.weights[1] * EMBEDDINGS["tie"]).tolist()


def test_planted_common_direction() -> None:
    rng = np.random.default_rng(0)
    direction = np.array([0.6, 0.8, 0, 0], np.float32)
    vectors = rng.normal(1, 1, size=(400, 1)) * 5 * direction + 0.01 * rng.normal(size=(400, 4))
    found = first_direction(vectors.astype(np.float32))
    assert np.allclose(found, direction, atol=0.01)
    assert np.allclose(first_direction(-vectors.astype(np.float32)), -direction, atol=0.01)
    removed = remove_direction(vectors.astype(np.float32), found)
    assert np.abs(removed @ found).max() < 1e-5
    with pytest.raises(InputError, match="empty"):
        first_direction(np.zeros((3, 2), np.float32))


def test_common_direction_is_fitted_once_and_removed_on_request(sif: SIF) -> None:
    windows = np.random.default_rng(1).integers(5, size=(50, 5)).astype(np.int32)
    fitted = replace(sif, common_direction=sif.fit_common_direction(windows))
    assert fitted.common_direction is not None
    one, many = fitted.vectors([["tie"]], remove_common=True), fitted.vectors([["tie"], ["bank"]], remove_common=True)
    assert one.vectors[0].tobytes() == many.vectors[0].tobytes()
    assert abs(float(one.vectors[0] @ fitted.common_direction)) < 1e-6
    assert fitted.vectors([["tie"]]).vectors.tobytes() == sif.vectors([["tie"]]).vectors.tobytes()
    with pytest.raises(InputError, match="no common direction"):
        sif.vectors([["tie"]], remove_common=True)


def test_bad_parameters() -> None:
    p_word = p_words(EMBEDDINGS)
    for a in (0, -1, math.nan):
        with pytest.raises(InputError, match="a is"):
            SIF(EMBEDDINGS, p_word, a)
    for wrong in (p_word[:2], p_word + 1, p_word * np.nan):
        with pytest.raises(InputError, match="p_word"):
            SIF(EMBEDDINGS, wrong)
    with pytest.raises(InputError, match="common direction"):
        SIF(EMBEDDINGS, p_word, 1, np.ones(3, np.float32))
    with pytest.raises(InputError, match="one string"):
        SIF(EMBEDDINGS, p_word).vectors("tie")


def test_a_question_needs_numpy_only() -> None:
    code = """
import sys, numpy as np
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.contexts.sif import SIF, p_words
embeddings = Embeddings(["a", "b"], np.eye(2))
assert SIF(embeddings, p_words(embeddings)).vectors(["a b"]).n_known.tolist() == [2]
print(*sys.modules)
"""
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout.split()
    assert not {"numba", "scipy", "sklearn"} & {*loaded}

"""Context vectors against plain loops, the shares of their words, and settings that are checked."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from naive_posterior import WORDS, context_vector, context_words, world_embeddings, world_map
from wordatoms.contexts.reader import (
    BATCH_USAGES,
    PAPER_SETTINGS,
    TUNING,
    ContextReader,
    ReadingSettings,
    load_reading,
    make_reader,
)
from wordatoms.contexts.sif import SIF, p_words
from wordatoms.contexts.usages import Usage
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.errors import InputError, ModelError
from wordatoms.storage.folder import ModelFolder

EMBEDDINGS = world_embeddings()
MAP = world_map()
SMALL = ReadingSettings(a=1e-2, window=3)


def reader_with(**settings: float) -> ContextReader:
    return make_reader(EMBEDDINGS, MAP, replace(SMALL, **settings))


def words_of(rows: NDArray[np.int32]) -> list[str]:
    return [WORDS[row] if row >= 0 else "-" for row in rows]


token_lists = st.lists(st.sampled_from([*WORDS[:8], "bank", "banks", "unknown"]), min_size=1, max_size=14)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    tokens = draw(token_lists)
    position = draw(st.integers(0, len(tokens) - 1))
    return Usage(tokens, position, draw(st.integers(1, min(2, len(tokens) - position))))


# --- windows


def test_window_by_hand() -> None:
    tokens = ["cash", "loan", "unknown", "bank", "money", "banks", "the", "river", "shore", "boat", "song"]
    rows = reader_with(window=3).windows([Usage(tokens, 3), Usage(tokens, 5)], ["bank", "banks", "unknown"])
    assert words_of(rows[0]) == ["-", "cash", "loan", "money", "river", "shore"]
    assert words_of(rows[1]) == ["cash", "loan", "money", "river", "shore", "boat"]
    assert words_of(reader_with(window=2).windows([Usage(tokens, 3)])[0]) == ["cash", "loan", "money", "banks"]


def test_phrase_of_several_tokens_is_no_part_of_its_context() -> None:
    rows = reader_with(window=2).windows([Usage(["cash", "river", "boat", "song"], 1, 2)])
    assert words_of(rows[0]) == ["-", "cash", "song", "-"]


@given(st.lists(usages(), max_size=5), st.integers(1, 4), st.sampled_from([(), ("bank", "banks"), ("unknown",)]))
def test_windows_against_plain_loops(given_usages: list[Usage], window: int, leave_out: tuple[str, ...]) -> None:
    rows = reader_with(window=window).windows(given_usages, leave_out)
    assert rows.shape == (len(given_usages), 2 * window)
    for row, usage in zip(rows, given_usages, strict=True):
        around = context_words(usage, WORDS, window, leave_out)
        assert [word for word in words_of(row) if word != "-"] == [word for word, _ in around]


def test_middle_of_random_windows_is_left_out() -> None:
    assert without_targets(np.array([[1, 2, 3, 4, 5]], np.int32)).tolist() == [[1, 2, 4, 5]]


# --- vectors


@given(
    st.lists(usages(), min_size=1, max_size=5),
    st.sampled_from([0.0, 0.75, 2.0]),
    st.sampled_from([0.0, 0.5, 3.0]),
    st.sampled_from([1e-3, 0.1, math.inf]),
)
def test_vectors_against_plain_loops(given_usages: list[Usage], falloff: float, noise: float, a: float) -> None:
    reader = reader_with(falloff=falloff, noise=noise, a=a)
    vectors = reader.vectors(reader.windows(given_usages, ["bank", "banks"]))
    for vector, usage in zip(vectors, given_usages, strict=True):
        around = context_words(usage, WORDS, 3, ["bank", "banks"])
        naive = context_vector(around, EMBEDDINGS, MAP.for_one_context(noise), reader.settings)
        assert np.allclose(vector, naive, atol=1e-6)
        assert vector.any() == bool(around)


def test_the_papers_settings_give_the_map_of_the_sif_vector() -> None:
    tokens = ["cash", "river", "unknown", "bank", "loan", "song"]
    reader = make_reader(EMBEDDINGS, MAP, PAPER_SETTINGS)
    sif = SIF(EMBEDDINGS, p_words(EMBEDDINGS), PAPER_SETTINGS.a)
    expected = MAP.apply(sif.vectors([["cash", "river", "loan", "song"]]).vectors)
    assert np.allclose(reader.vectors(reader.windows([Usage(tokens, 3)])), expected, atol=1e-6)


@given(st.lists(usages(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_order_of_usages_is_the_order_of_vectors(given_usages: list[Usage], shuffle: object) -> None:
    order = list(range(len(given_usages)))
    shuffle.shuffle(order)  # type: ignore[attr-defined]
    reader = reader_with()
    vectors = reader.vectors(reader.windows(given_usages))
    shuffled = reader.vectors(reader.windows([given_usages[k] for k in order]))
    assert np.allclose(vectors[order], shuffled, atol=1e-6)


def test_more_usages_than_fit_in_a_batch() -> None:
    reader, rng = reader_with(), np.random.default_rng(0)
    windows = rng.integers(-1, len(WORDS), (BATCH_USAGES + 3, 6)).astype(np.int32)
    whole = reader.vectors(windows)
    assert np.allclose(whole[-3:], reader.vectors(windows[-3:]), atol=1e-6)
    assert whole.tobytes() == reader.vectors(windows).tobytes()


def test_no_usages_and_no_words() -> None:
    reader = reader_with()
    assert reader.vectors(reader.windows([])).shape == (0, EMBEDDINGS.dim)
    empty = reader.windows([Usage(["bank"], 0), Usage(["zyx", "bank", "zyx"], 1)])
    assert (empty == -1).all()
    assert not reader.vectors(empty).any()


def test_an_empty_context_between_full_ones() -> None:
    reader = reader_with()
    windows = reader.windows([Usage(["cash", "x"], 1), Usage(["x"], 0), Usage(["song", "x"], 1), Usage(["x"], 0)])
    vectors = reader.vectors(windows)
    assert vectors.any(axis=1).tolist() == [True, False, True, False]
    assert np.allclose(vectors[2], reader.vectors(windows[2:3])[0], atol=1e-6)


def test_nearer_words_count_more() -> None:
    weights = reader_with(falloff=1.0, a=math.inf).word_weights(np.array([[0, 1, 2, 3, 4, -1]], np.int32))
    assert weights[0].tolist() == pytest.approx([1 / 3, 1 / 2, 1, 1, 1 / 2, 0])


@given(usages())
def test_shares_of_words_add_up_to_the_products_of_the_context(usage: Usage) -> None:
    reader, directions = reader_with(), np.random.default_rng(2).normal(size=(4, EMBEDDINGS.dim)).astype(np.float32)
    (window,) = reader.windows([usage])
    shares = reader.shares(window, directions)
    assert shares.shape == (6, 4)
    assert not shares[window < 0].any()
    assert np.allclose(shares.sum(axis=0), directions @ reader.vectors(window[None])[0], atol=1e-5)


# --- settings


def bad(**settings: object) -> Callable[[], object]:
    return lambda: ReadingSettings(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a", "window", "falloff", "noise", "scale", "sense_share", "rest", "least_gain"])
@pytest.mark.parametrize("value", [math.nan, -1, "10", None, True])
def test_settings_that_are_no_numbers(name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^{name} is .*; pass .*\.$"):
        ReadingSettings(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (bad(scale=0), "scale is 0; pass a positive number"),
        (bad(scale=math.inf), "scale is inf"),
        (bad(window=0), "window is 0; pass 1 to"),
        (bad(a=0.0), r"a is 0\.0; pass a positive number, or infinity"),
        (bad(noise=math.inf), "noise is inf; pass 0 or a positive number"),
    ],
)
def test_settings_out_of_range(make: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_numbers_of_numpy_are_numbers() -> None:
    settings = ReadingSettings(window=np.int64(10), noise=np.float32(0.5))  # type: ignore[arg-type]
    assert settings == ReadingSettings(window=10, noise=0.5)
    assert json.loads(json.dumps(settings.record())) == settings.record()


def test_a_fraction_of_a_word_is_no_window() -> None:
    with pytest.raises(InputError, match=r"window is 10\.5; pass a whole number of words"):
        ReadingSettings(window=10.5)  # type: ignore[arg-type]


def test_settings_come_back_from_json() -> None:
    for settings in (ReadingSettings(), PAPER_SETTINGS, ReadingSettings(a=math.inf, window=7)):
        assert ReadingSettings.from_record(json.loads(json.dumps(settings.record(), allow_nan=False))) == settings
    assert ReadingSettings.from_record({}) == ReadingSettings()
    with pytest.raises(InputError, match="there is no setting 'kappa'; there are a, context_share"):
        ReadingSettings.from_record({"kappa": 3})


# --- files


def tuned(path: Path, content: bytes) -> ModelFolder:
    folder = ModelFolder(path, create=True)

    def make(_forget: Callable[[], None]) -> list[str]:
        (path / TUNING).write_bytes(content)
        return [TUNING]

    with folder.working():
        folder.build("tune", {}, make)
    return folder


def test_tuned_settings_are_read(tmp_path: Path) -> None:
    settings = ReadingSettings(noise=2.0, scale=10.0, a=math.inf)
    folder = tuned(tmp_path / "model", json.dumps({"settings": settings.record()}).encode())
    assert load_reading(folder) == settings
    assert load_reading(ModelFolder(tmp_path / "plain", create=True)) == ReadingSettings()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nothing",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"{}",
        b'{"settings": []}',
        b'{"settings": ""}',
        b'{"settings": {"kappa": 3}}',
        b'{"settings": {"scale": -3}}',
        b'{"settings": {"scale": NaN}}',
        b'{"settings": {"window": "wide"}}',
        b'{"settings": {"a": [1]}}',
        b'{"settings": {"window": 5.5}}',
        pytest.param(b'{"settings": {"scale": 1' + b"0" * 400 + b"}}", id="an integer beyond all floats"),
        pytest.param(b"[" * 100_000, id="brackets without end"),
    ],
)
def test_damaged_tuning_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = tuned(tmp_path / "model", content)
    with pytest.raises(ModelError, match=r"tuning\.json cannot be read \(.*\); tune the model again\.$"):
        load_reading(folder)


def test_missing_tuning_is_refused(tmp_path: Path) -> None:
    folder = tuned(tmp_path / "model", b"{}")
    (folder.path / TUNING).unlink()
    with pytest.raises(ModelError, match="tune the model again"):
        load_reading(folder)

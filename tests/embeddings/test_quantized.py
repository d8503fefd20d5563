"""Vectors in one byte per number."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from wordatoms.embeddings.quantized import SCALES, VECTORS, ByteVectors, load_rows, save_bytes, to_bytes
from wordatoms.errors import ModelError
from wordatoms.storage.files import save_array

ROWS = arrays(np.float32, st.tuples(st.integers(0, 6), st.integers(1, 5)), elements=st.floats(-1e6, 1e6, width=32))


@given(ROWS)
def test_no_number_moves_by_more_than_half_a_step(vectors: NDArray[np.float32]) -> None:
    found = to_bytes(vectors)
    errors = np.abs(found.expand().astype(np.float64) - vectors)
    assert (errors <= 0.5001 * found.scales[:, None] + np.finfo(np.float32).tiny).all()
    assert found.numbers.min(initial=0) >= -127  # as far down as up, so that signs are treated alike


@given(ROWS)
def test_what_bytes_hold_is_kept_exactly(vectors: NDArray[np.float32]) -> None:
    once = to_bytes(vectors).expand()
    np.testing.assert_allclose(to_bytes(once).expand(), once, rtol=1e-6)


def test_directions_hardly_turn() -> None:
    vectors = np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32)
    vectors[7] = 0
    found = to_bytes(vectors).expand()
    assert not found[7].any()
    kept = np.delete(np.arange(200), 7)
    lengths = np.linalg.norm(vectors[kept], axis=1) * np.linalg.norm(found[kept], axis=1)
    assert ((vectors[kept] * found[kept]).sum(axis=1) / lengths).min() > 0.998


def test_saved_and_loaded(tmp_path: Path) -> None:
    found = to_bytes(np.array([[1, -0.5], [0, 0], [3, 2]], np.float32))
    save_bytes(tmp_path, found)
    assert load_rows(tmp_path).tobytes() == found.expand().tobytes()


def test_some_rows_are_loaded_without_the_others(tmp_path: Path) -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32)
    for folder, whole in (("bytes", to_bytes(vectors).expand()), ("floats", vectors)):
        (tmp_path / folder).mkdir()
        if folder == "bytes":
            save_bytes(tmp_path / folder, to_bytes(vectors))
        else:
            save_array(tmp_path / folder / VECTORS, vectors)
        assert load_rows(tmp_path / folder, [7, 0, 7]).tobytes() == whole[[7, 0, 7]].tobytes()
        assert load_rows(tmp_path / folder, []).shape == (0, 4)
        with pytest.raises(ModelError, match="no such rows"):
            load_rows(tmp_path / folder, [9])


def test_rows_beyond_the_end_of_a_file_cut_short_are_refused(tmp_path: Path) -> None:
    save_bytes(tmp_path, to_bytes(np.ones((9, 4), np.float32)))
    save_array(tmp_path / SCALES, np.ones(3, np.float32))
    with pytest.raises(ModelError, match="get the model again"):
        load_rows(tmp_path, [7])
    content = (tmp_path / VECTORS).read_bytes()
    (tmp_path / VECTORS).write_bytes(content[:-10])
    with pytest.raises(ModelError, match="not a readable array"):
        load_rows(tmp_path, [8])


@pytest.mark.parametrize(
    "scales",
    [
        np.ones(3, np.float32),
        np.ones(2, np.float64),
        np.ones((2, 1), np.float32),
        np.ones((), np.float32),
        np.array([1, -1], np.float32),
    ],
)
def test_scales_that_do_not_fit_are_refused(scales: NDArray[np.float32], tmp_path: Path) -> None:
    save_bytes(tmp_path, ByteVectors(np.ones((2, 4), np.int8), np.ones(2, np.float32)))
    save_array(tmp_path / SCALES, scales)
    with pytest.raises(ModelError, match=r"vectors-scales\.npy holds"):
        load_rows(tmp_path)


def test_missing_scales_are_one_sentence(tmp_path: Path) -> None:
    save_array(tmp_path / VECTORS, np.ones((2, 4), np.int8))
    with pytest.raises(ModelError, match="is missing"):
        load_rows(tmp_path)

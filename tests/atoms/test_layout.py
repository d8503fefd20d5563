"""The map of the atoms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from wordatoms.atoms.layout import FILE, lay_out, load_layout
from wordatoms.errors import ModelError
from wordatoms.storage.files import save_array


def drawn_atoms(n: int, dim: int = 12, *, n_groups: int = 0, seed: int = 0) -> NDArray[np.float32]:
    """Unit vectors, in groups around common centres if asked."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(n, dim))
    if n_groups:
        vectors = 5 * rng.normal(size=(n_groups, dim))[np.arange(n) % n_groups] + 0.3 * vectors
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_atoms_of_one_group_lie_together() -> None:
    places = lay_out(drawn_atoms(120, n_groups=4))
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 9 * np.eye(120)
    nearest = distances.argmin(axis=1)
    assert (nearest % 4 == np.arange(120) % 4).mean() > 0.95


def test_the_same_places_on_any_number_of_threads() -> None:
    atoms = drawn_atoms(80)
    with threadpool_limits(limits=1):
        alone = lay_out(atoms)
    assert alone.tobytes() == lay_out(atoms).tobytes()


@settings(max_examples=12)
@given(st.integers(1, 14), st.integers(1, 5))
def test_any_number_of_atoms_has_places_within_the_frame(n: int, dim: int) -> None:
    places = lay_out(drawn_atoms(n, dim))
    assert places.shape == (n, 2)
    assert places.dtype == np.float32
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1


@pytest.mark.parametrize(
    "broken",
    [np.zeros((3, 2), np.float32), np.zeros((4, 3), np.float32), np.zeros((4, 2)), np.full((4, 2), np.nan, np.float32)],
)
def test_a_broken_layout_is_refused(broken: NDArray[np.float32], tmp_path: Path) -> None:
    save_array(tmp_path / FILE, broken)
    with pytest.raises(ModelError, match="expected finite float32 of shape"):
        load_layout(tmp_path, 4)

from __future__ import annotations

import numpy as np
import pytest

from wordatoms.atoms.choosing import OverlapPoint, best_size, default_sizes, overlap_point, sparsity_by_count
from wordatoms.atoms.learning import Run
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError


def embeddings_with_counts(counts: list[int] | None) -> Embeddings:
    return Embeddings(["a", "b", "c", "d"], np.eye(4), counts=None if counts is None else np.array(counts))


def test_overlap_point_is_the_mean_both_ways() -> None:
    first, second = np.eye(4, dtype=np.float32)[:2], np.eye(4, dtype=np.float32)[1:3]
    point = overlap_point([Run(first, np.ones(2, np.int64), 0.2), Run(second, np.ones(2, np.int64), 0.4)])
    assert point == OverlapPoint(2, 0.5, 1.0, pytest.approx(0.3))


def test_best_size_is_where_half_of_the_added_atoms_stop_coming_back() -> None:
    curve = [OverlapPoint(10, 0.9, 9, 0.5), OverlapPoint(20, 0.75, 15, 0.4), OverlapPoint(40, 0.6, 24, 0.3)]
    assert best_size(curve) == 20
    assert best_size(curve[:2]) == 20
    assert best_size(curve[:1]) == 10


def test_sparsity_grows_with_the_logarithm_of_the_count() -> None:
    assert sparsity_by_count(embeddings_with_counts([99999, 999, 99, 9]), 2, 6).tolist() == [6, 4, 3, 2]


def test_sparsity_of_equal_counts_is_the_fewest() -> None:
    assert sparsity_by_count(embeddings_with_counts([7, 7, 7, 7]), 2, 6).tolist() == [2, 2, 2, 2]


def test_sparsity_by_count_needs_counts() -> None:
    with pytest.raises(InputError, match="counts of these words are not known"):
        sparsity_by_count(embeddings_with_counts(None), 2, 6)
    with pytest.raises(InputError, match="from 6 to 2"):
        sparsity_by_count(embeddings_with_counts([4, 3, 2, 1]), 6, 2)


@pytest.mark.parametrize(
    ("n_words", "sizes"),
    [
        (50_000, (500, 1000, 1500, 2000, 3000, 4000)),
        (8_000, (500, 1000, 1500)),
        (600, (7, 15, 24, 40, 60, 120)),
        (5, (1,)),
    ],
)
def test_sizes_suit_the_vocabulary(n_words: int, sizes: tuple[int, ...]) -> None:
    assert default_sizes(n_words) == sizes

"""KSVD as scikit-learn's users expect it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import issparse

from naive_ksvd import planted
from wordatoms.atoms.ksvd import ksvd
from wordatoms.errors import InputError

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordatoms.atoms.estimator import KSVD


@parametrize_with_checks([KSVD(), KSVD(4, sparsity=2, nonnegative=True, sparse_output=False)])
def test_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return planted(200, 10, 8, 2)[0]


def small(**options: Any) -> KSVD:
    return KSVD(**{"n_components": 10, "sparsity": 2, "max_iter": 4, **options})


def test_attributes_are_those_of_the_function(rows: np.ndarray) -> None:
    estimator, result = small().fit(rows), ksvd(rows, n_atoms=10, sparsity=2, n_iterations=4)
    assert estimator.components_.tobytes() == result.atoms.tobytes()
    assert estimator.error_ == result.error
    assert estimator.errors_.tolist() == result.errors.tolist()
    assert estimator.n_replaced_.tolist() == result.n_replaced.tolist()
    assert estimator.n_iter_ == 4


def test_codes_are_sparse_unless_asked_otherwise(rows: np.ndarray) -> None:
    sparse = small().fit_transform(rows)
    assert issparse(sparse)
    assert sparse.shape == (200, 10)
    assert np.diff(sparse.indptr).max() <= 2
    np.testing.assert_array_equal(small(sparse_output=False).fit_transform(rows), sparse.toarray())


@pytest.mark.parametrize("sparse_output", [True, False])
def test_inverse_transform_reconstructs(rows: np.ndarray, sparse_output: bool) -> None:
    estimator = small(sparse_output=sparse_output, max_iter=20).fit(rows)
    back = estimator.inverse_transform(estimator.transform(rows))
    assert isinstance(back, np.ndarray)
    error = ((rows - back) ** 2).sum() / (rows**2).sum()
    assert estimator.error_ <= error < 1.2 * estimator.error_  # a fit keeps codes that are better than a pursuit's
    with pytest.raises(InputError, match="the codes have 3 columns, but there are 10 atoms"):
        estimator.inverse_transform(np.zeros((2, 3)))


def test_data_frames(rows: np.ndarray) -> None:
    pytest.importorskip("pandas")
    frame = small(sparse_output=False).set_output(transform="pandas").fit_transform(rows)
    assert list(frame.columns) == [f"ksvd{k}" for k in range(10)]


def test_sparsity_is_at_most_the_number_of_atoms(rows: np.ndarray) -> None:
    assert KSVD(3, sparsity=5, max_iter=2).fit_transform(rows).shape == (200, 3)


def test_seeds_and_threads(rows: np.ndarray) -> None:
    atoms = small(random_state=1).fit(rows).components_
    assert atoms.tobytes() == small(random_state=1, n_jobs=2).fit(rows).components_.tobytes()
    assert atoms.tobytes() != small(random_state=2).fit(rows).components_.tobytes()
    drawn = [small(random_state=np.random.RandomState(5)).fit(rows).components_.tobytes() for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_nonnegative_codes_and_callback(rows: np.ndarray) -> None:
    seen: list[int] = []
    estimator = small(nonnegative=True, callback=lambda iteration, _error, _seconds: seen.append(iteration))
    assert estimator.fit_transform(rows).min() >= 0
    assert seen == [1, 2, 3, 4]


def test_works_in_a_pipeline_and_can_be_cloned(rows: np.ndarray) -> None:
    pipeline = make_pipeline(StandardScaler(), small())
    assert clone(pipeline).fit(rows).transform(rows[:3]).shape == (3, 10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": "a"}, "n_atoms is 'a'; pass an integer"),
        ({"n_components": True}, "n_atoms is True"),
        ({"sparsity": None}, "sparsity is object"),
        ({"sparsity": 2.5}, "sparsity is float64"),
        ({"max_iter": 0}, "n_iterations is 0"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": 1.5}, r"random_state is 1\.5"),
    ],
)
def test_bad_parameters_were_raw_errors(rows: np.ndarray, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(**options).fit(rows)

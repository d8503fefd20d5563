"""KSVD as scikit-learn's users expect it."""

from __future__ import annotations

import errno
import os
from pathlib import Path
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
from wordatoms.atoms.minibatch import Learner


@parametrize_with_checks(
    [KSVD(), KSVD(4, sparsity=2, nonnegative=True, sparse_output=False), KSVD(batch_size=20, max_iter=3)]
)
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
        ({"n_components": "a"}, "n_components is 'a'; pass an integer"),
        ({"n_components": 0}, "n_components is 0; pass an integer of 1 or more"),
        ({"n_components": True}, "n_components is True"),
        ({"sparsity": None}, "sparsity is None"),
        ({"sparsity": 2.5}, r"sparsity is 2\.5"),
        ({"max_iter": 0}, "max_iter is 0"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"tol": -1}, "tol is -1; pass a share of the error"),
        ({"tol": "small"}, "tol is 'small'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": 1.5}, r"random_state is 1\.5"),
        ({"n_jobs": 0}, "n_jobs is 0; pass 1 or more"),
        ({"n_jobs": "2"}, "n_jobs is '2'; pass 1 or more"),
        ({"n_jobs": 1.5}, r"n_jobs is 1\.5; pass 1 or more"),
        ({"nonnegative": "no"}, "nonnegative is 'no'; pass True or False"),
        ({"keep_codes": 2}, "keep_codes is 2"),
        ({"warm_start": "no"}, "warm_start is 'no'"),
        ({"sparse_output": 5}, "sparse_output is 5"),
        ({"callback": 3}, "callback is 3; pass a function"),
        ({"checkpoint": 3}, "checkpoint is 3; pass the path"),
        ({"checkpoint": "state.npz"}, "checkpoint is given without batch_size"),
    ],
)
def test_bad_parameters_were_raw_errors(rows: np.ndarray, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(**options).fit(rows)


def test_score_is_the_share_that_is_explained(rows: np.ndarray) -> None:
    estimator = small(max_iter=10).fit(rows)
    back = estimator.inverse_transform(estimator.transform(rows))
    assert estimator.score(rows) == pytest.approx(1 - ((rows - back) ** 2).sum() / (rows**2).sum())
    assert estimator.score(np.zeros((3, 8))) == 1


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_more_atoms_than_samples_passed_silently(rows: np.ndarray, method: str) -> None:
    with pytest.raises(InputError, match="n_components is 50 but there are only 20 samples"):
        getattr(KSVD(50, max_iter=1), method)(rows[:20])


def test_names_of_features_and_of_components(rows: np.ndarray) -> None:
    estimator = small().fit(rows)
    assert estimator.n_features_in_ == 8
    assert estimator.get_feature_names_out().tolist() == [f"ksvd{k}" for k in range(10)]


@pytest.mark.parametrize("options", [{}, {"batch_size": 50}, {"nonnegative": True}])
def test_rows_of_zeros_are_coded_by_nothing(rows: np.ndarray, options: dict[str, Any]) -> None:
    padded = np.concatenate([np.zeros((5, 8)), rows, np.zeros((5, 8))])
    codes = small(**options).fit_transform(padded)
    assert codes[:5].nnz == codes[-5:].nnz == 0
    assert np.isfinite(codes.data).all()


def test_nan_in_the_millionth_row_of_a_file_is_named(tmp_path: Path) -> None:
    file = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.float16, (1_000_001, 4))
    file[:] = 1
    file[1_000_000, 2] = np.nan
    with pytest.raises(InputError, match="row 1000000 of X holds NaN or infinity; leave the row out"):
        KSVD(2, sparsity=1, batch_size=1000).fit(np.load(tmp_path / "rows.npy", mmap_mode="r"))


def interrupt_at(estimator: KSVD, n: int, error: BaseException, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the `n`-th batch fail; return the context in which it does."""
    learn, calls = Learner.learn, iter(range(1, 1000))

    def fail(*arguments: Any, **options: Any) -> Any:
        if next(calls) == n:
            raise error
        return learn(*arguments, **options)

    monkeypatch.setattr(Learner, "learn", fail)
    return estimator


@pytest.mark.parametrize("n", [1, 3, 6, 7, 10])  # of 4 batches in each of 3 passes
@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_an_interrupted_fit_resumes_with_the_same_bytes(
    rows: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n: int, error: BaseException
) -> None:
    options = {"batch_size": 50, "max_iter": 3, "checkpoint": tmp_path / "state.npz"}
    whole = small(batch_size=50, max_iter=3).fit(rows)
    with monkeypatch.context() as patch, pytest.raises(type(error)):
        interrupt_at(small(**options), n, error, patch).fit(rows)
    assert (tmp_path / "state.npz").exists() == (isinstance(error, KeyboardInterrupt) or n > 4)
    read: list[int] = []
    with monkeypatch.context() as patch:
        learn = Learner.learn
        patch.setattr(Learner, "learn", lambda *given, **named: read.append(1) or learn(*given, **named))
        resumed = small(**options).fit(rows)
    assert len(read) == 12 - (n - 1 if isinstance(error, KeyboardInterrupt) else (n - 1) // 4 * 4)
    assert resumed.components_.tobytes() == whole.components_.tobytes()
    assert resumed.errors_.tobytes() == whole.errors_.tobytes()
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_other_settings_or_rows_is_ignored(
    rows: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {"batch_size": 50, "max_iter": 3, "checkpoint": tmp_path / "state.npz"}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_at(small(**options), 6, KeyboardInterrupt(), patch).fit(rows)
    for other, changes in ((rows, {"sparsity": 3}), (2 * rows, {})):
        state = (tmp_path / "state.npz").read_bytes()
        found = small(**{**options, **changes}).fit(other)
        plain = small(batch_size=50, max_iter=3, **changes).fit(other)
        assert found.components_.tobytes() == plain.components_.tobytes()
        (tmp_path / "state.npz").write_bytes(state)


def test_a_disk_that_fills_while_the_state_is_saved(
    rows: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any, **_options: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("numpy.lib.format.write_array", full)
    with pytest.raises(OSError, match=r"No space left on device.*state\.npz"):
        small(batch_size=50, max_iter=3, checkpoint=tmp_path / "state.npz").fit(rows)
    assert not list(tmp_path.iterdir())


def test_half_precision_is_not_widened_to_double(rows: np.ndarray) -> None:
    estimator = small().fit(rows.astype(np.float16))
    assert estimator.components_.dtype == np.float32
    assert estimator.transform(rows[:3].astype(np.float16)).dtype == np.float32


@pytest.mark.parametrize("options", [{}, {"batch_size": 50}])
def test_the_row_with_nan_is_named(rows: np.ndarray, options: dict[str, Any]) -> None:
    broken = np.tile(rows, (30, 1))
    broken[4321, 3] = np.nan
    with pytest.raises(InputError, match="row 4321 of X holds NaN"):
        small(**options).fit(broken)
    with pytest.raises(InputError, match="row 4321 of X holds NaN"):
        small().fit(rows).transform(broken)


def test_warm_start_goes_on(rows: np.ndarray) -> None:
    estimator = small(max_iter=6, warm_start=True).fit(rows)
    first = estimator.error_
    assert estimator.fit(rows).errors_[0] <= first
    cold = small(max_iter=6).fit(rows)
    assert cold.errors_[0] > first


def test_tolerance_ends_early_and_by_its_rule(rows: np.ndarray) -> None:
    noisy = rows + 0.3 * np.random.default_rng(0).normal(size=rows.shape)
    estimator = small(max_iter=200, tol=0.01).fit(noisy)
    assert estimator.n_iter_ < 200
    errors, replaced = estimator.errors_[:-1], estimator.n_replaced_[:-1]  # the last iteration only improves
    falls = (errors[:-1] - errors[1:]) / errors[:-1]
    settled = (falls < 0.01) & (replaced[1:] == 0)
    assert settled[-1]
    assert not settled[:-1].any()


def test_partial_fit_follows_samples_that_change() -> None:
    rng = np.random.default_rng(0)
    before, after = (planted(6000, 20, 12, 2, seed=seed)[0] for seed in (0, 50))
    estimator = KSVD(20, sparsity=2)
    for _ in range(30):
        estimator.partial_fit(before[rng.choice(6000, 400)])
    assert estimator.score(before) > 0.9
    assert estimator.score(after) < 0.8
    for _ in range(120):
        estimator.partial_fit(after[rng.choice(6000, 400)])
    assert estimator.score(after) > 0.9
    assert estimator.n_iter_ == 150


def test_partial_fit_after_fit_starts_from_its_atoms(rows: np.ndarray) -> None:
    estimator = small(max_iter=15).fit(rows)
    before = estimator.score(rows)
    estimator.partial_fit(rows[:40])
    assert estimator.score(rows) > before - 0.02


def test_partial_fit_of_zeros_and_of_other_scales(rows: np.ndarray) -> None:
    estimator = small()
    for scale in (0.0, 1e-12, 1.0, 1e12, 0.0):
        estimator.partial_fit((rows * scale).astype(np.float32))
    np.testing.assert_allclose(np.linalg.norm(estimator.components_, axis=1), 1, rtol=1e-5)


def test_an_interrupted_partial_fit_leaves_the_atoms_as_they_were(
    rows: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wordatoms.atoms import minibatch

    estimator = small().partial_fit(rows)
    before, resumed = estimator.components_.tobytes(), clone(estimator).partial_fit(rows).partial_fit(rows)

    def interrupt(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(minibatch, "step_atoms", interrupt)
        with pytest.raises(KeyboardInterrupt):
            estimator.partial_fit(rows)
    assert estimator.components_.tobytes() == before
    assert estimator.partial_fit(rows).components_.tobytes() == resumed.components_.tobytes()


def test_batches_give_the_same_bytes_with_any_number_of_threads(rows: np.ndarray) -> None:
    one, two = (small(batch_size=60, n_jobs=jobs).fit(np.tile(rows, (5, 1))) for jobs in (1, 2))
    assert one.components_.tobytes() == two.components_.tobytes()
    assert one.errors_.tobytes() == two.errors_.tobytes()

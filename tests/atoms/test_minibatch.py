"""k-SVD by mini-batches: against a naive twin and full batches, on planted dictionaries, memory-mapped input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from naive_ksvd import naive_code, planted, random_atoms
from wordatoms.atoms.ksvd import ksvd
from wordatoms.atoms.minibatch import Learner, minibatch_ksvd, random_batches
from wordatoms.errors import InputError


def naive_step(X: np.ndarray, atoms: np.ndarray, inertia: np.ndarray, sparsity: int) -> tuple[np.ndarray, np.ndarray]:
    """Code a batch and move each atom once; the new atoms, and the squared weights that each had."""
    codes = np.array([naive_code(x, atoms, sparsity) for x in X])
    atoms, uses = atoms.copy(), np.zeros(len(atoms))
    for k in range(len(atoms)):
        users = np.flatnonzero(codes[:, k])
        weights = codes[users, k]
        uses[k] = weights @ weights
        if not len(users):
            continue
        without = X[users] - codes[users] @ atoms + np.outer(weights, atoms[k])
        direction = without.T @ weights + inertia[k] * atoms[k]
        atoms[k] = direction / np.linalg.norm(direction)
        codes[users, k] = without @ atoms[k]
    return atoms, uses


def learn(learner: Learner, X: np.ndarray, **options: Any) -> Learner:
    settings = {"sparsity": 3, "nonnegative": False, "threads": 1, "replace_atoms": False, **options}
    return learner.learn(X, **settings)[0]


def test_steps_equal_the_naive_ones() -> None:
    rows = planted(300, 20, 10, 3, noise=0.3)[0]
    atoms, inertia = random_atoms(20, 10, 7), np.zeros(20)
    learner = Learner.begin(atoms.copy())
    for t, start in enumerate(range(0, 300, 100), start=1):
        batch = rows[start : start + 100]
        learner = learn(learner, batch)
        atoms, uses = naive_step(batch, atoms, inertia, 3)
        inertia = (1 - 1 / t) ** 12 * inertia + uses
        np.testing.assert_allclose(learner.vectors, atoms, atol=1e-9)
        np.testing.assert_allclose(np.ldexp(learner.inertia, 2 * learner.exponent), inertia, atol=1e-9)


def test_a_third_of_the_passes_ends_near_the_error_of_full_batches() -> None:
    rows = planted(3000, 60, 24, 3, noise=0.2)[0].astype(np.float32)
    full = ksvd(rows, n_atoms=60, sparsity=3, n_iterations=24)
    for batch_size in (64, 128, 240):  # which end in different local minima, 0.997 to 1.043 times the full error
        batches = minibatch_ksvd(rows, n_atoms=60, sparsity=3, batch_size=batch_size, n_passes=8)
        assert batches.error < 1.06 * full.error


def test_planted_atoms_come_back_from_a_file_larger_than_the_memory(tmp_path: Path) -> None:
    """Learn from 250 MB in a process that may use 120 MB more than its imports and the first small problem."""
    atoms = random_atoms(40, 64, 3).astype(np.float32)
    path, rng = tmp_path / "X.npy", np.random.default_rng(0)
    X = np.lib.format.open_memmap(path, "w+", np.float32, (1_000_000, 64))
    for start in range(0, len(X), 50_000):
        chosen, weights = rng.integers(0, 40, (50_000, 2)), rng.uniform(1, 2, (50_000, 2, 1)).astype(np.float32)
        X[start : start + 50_000] = (weights * atoms[chosen]).sum(axis=1)
    X.flush()
    del X
    program = """
import sys, resource
import numpy as np
from wordatoms.atoms.estimator import KSVD
def fit(X): return KSVD(40, sparsity=2, batch_size=20_000, max_iter=1, n_jobs=1).fit(X)
fit(np.random.default_rng(0).normal(size=(60_000, 64)).astype(np.float32))
heap = lambda: int(open("/proc/self/status").read().split("RssAnon:")[1].split()[0])
before, most = heap(), 0
X = np.load(sys.argv[1], mmap_mode="r")
import threading
done = threading.Event()
def watch():
    global most
    while not done.wait(0.01): most = max(most, heap())
thread = threading.Thread(target=watch); thread.start()
atoms = fit(X).components_
done.set(); thread.join()
np.save(sys.argv[2], atoms)
print(most - before)
"""
    out = tmp_path / "atoms.npy"
    command = [sys.executable, "-c", program, str(path), str(out)]
    grown = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert grown < 120_000  # kilobytes; the file has 250,000
    assert (np.abs(np.load(out) @ atoms.T).max(axis=0) > 0.99).mean() > 0.7  # 0.8 after one pass


def test_batches_hold_every_row_once() -> None:
    X = np.arange(1003.0)[:, None]
    batches = list(random_batches(X, 100, np.random.default_rng(0)))
    assert len(batches) == 10
    assert sorted(np.concatenate(batches).ravel().tolist()) == X.ravel().tolist()
    assert max(map(len, batches)) <= 120


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_same_bytes_with_any_number_of_threads(dtype: Any) -> None:
    rows = planted(2000, 30, 12, 3, noise=0.1)[0].astype(dtype)
    results = [minibatch_ksvd(rows, n_atoms=30, sparsity=3, batch_size=500, n_passes=3, threads=t) for t in (1, 2, 3)]
    for result in results[1:]:
        assert result.atoms.tobytes() == results[0].atoms.tobytes()
        assert result.codes.weights.tobytes() == results[0].codes.weights.tobytes()


def test_the_last_error_is_that_of_the_result() -> None:
    rows = planted(500, 20, 8, 2, noise=0.1)[0]
    result = minibatch_ksvd(rows, n_atoms=20, sparsity=2, batch_size=100, n_passes=3)
    left = rows - result.codes.decode(result.atoms)
    assert result.error == pytest.approx((left**2).sum() / (rows**2).sum())
    assert len(result.errors) == 4


def test_unused_atoms_are_replaced_and_zeros_are_coded_by_nothing() -> None:
    rows = np.zeros((1000, 7))
    rows[:800, :6] = planted(800, 10, 6, 2)[0]
    start = np.concatenate([np.eye(7)[6:], np.pad(random_atoms(10, 6, 9), [(0, 0), (0, 1)])])  # no row has the first
    result = minibatch_ksvd(rows, n_atoms=11, sparsity=2, batch_size=200, n_passes=4, start=start)
    assert result.n_replaced[0] >= 1
    assert result.n_replaced[-1] == 0
    assert (result.codes.atoms[800:] == -1).all()


def test_zeros_only() -> None:
    result = minibatch_ksvd(np.zeros((50, 4), np.float32), n_atoms=3, sparsity=1, n_passes=2)
    assert result.error == 0
    assert np.isfinite(result.atoms).all()


def test_early_stop() -> None:
    rows = planted(600, 10, 6, 2)[0]
    result = minibatch_ksvd(rows, n_atoms=10, sparsity=2, batch_size=100, n_passes=100, tol=0.05)
    assert len(result.errors) < 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size is 0"),
        ({"n_passes": 0}, "n_passes is 0"),
        ({"sparsity": 7}, "sparsity is 7 but there are only 6 atoms"),
        ({"tol": 1.5}, r"tol is 1\.5"),
        ({"start": np.ones((2, 2))}, "start has the shape"),
    ],
)
def test_bad_input_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        minibatch_ksvd(np.ones((9, 4)), **{"n_atoms": 6, "sparsity": 2, **options})

"""k-SVD over shards: the same bytes on threads and on a cluster, also if a worker is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from clusters import running_cluster
from naive_ksvd import naive_code, planted, random_atoms
from wordatoms.atoms import shards
from wordatoms.atoms.ksvd import ksvd
from wordatoms.atoms.shards import ShardCoder, add_up, code_shards, find_shards, ksvd_on_shards, step
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.errors import EngineError, InputError
from wordatoms.run import DEFAULT_RUN, Run


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(shards, "ROWS_PER_SHARD", 150)
    rows = planted(900, 20, 12, 3, noise=0.05)[0]
    paths = [tmp_path / f"{k}.npy" for k in range(3)]
    for path, part in zip(paths, np.array_split(rows, [250, 400]), strict=True):
        np.save(path, part)
    return paths


def all_rows(paths: list[Path]) -> np.ndarray:
    return np.concatenate([np.load(path) for path in paths])


def test_sums_and_step_equal_the_naive_ones(paths: list[Path]) -> None:
    rows, atoms = all_rows(paths), random_atoms(20, 12, 5)
    codes = np.array([naive_code(row, atoms, 3) for row in rows])
    sums = add_up(ShardCoder(atoms, 3, False).sums, find_shards(paths), DEFAULT_RUN)
    np.testing.assert_allclose(sums.pairs.toarray(), codes.T @ codes, atol=1e-8)
    np.testing.assert_allclose(sums.products, codes.T @ rows, atol=1e-8)
    assert sums.loss == pytest.approx(((rows - codes @ atoms) ** 2).sum())
    expected = atoms.copy()
    for k in range(20):
        without = rows - codes @ expected + np.outer(codes[:, k], expected[k])
        expected[k] = without.T @ codes[:, k]
        expected[k] /= np.linalg.norm(expected[k])
    np.testing.assert_allclose(step(atoms, sums), expected, atol=1e-8)


def test_it_ends_near_the_error_of_one_machine(paths: list[Path]) -> None:
    found = ksvd_on_shards(paths, n_atoms=20, sparsity=3, n_iterations=25)
    whole = ksvd(all_rows(paths), n_atoms=20, sparsity=3, n_iterations=25)
    assert found.errors[-1] < 1.5 * whole.error
    assert found.errors[-1] < 0.7 * found.errors[0]


def test_an_interrupted_run_resumes_with_the_same_bytes(paths: list[Path], tmp_path: Path) -> None:
    def interrupt(iteration: int, _error: float, _seconds: float) -> None:
        if iteration == 2:
            raise KeyboardInterrupt

    settings = {"n_atoms": 20, "sparsity": 3, "n_iterations": 4}
    kept = tmp_path / "state.npz"
    with pytest.raises(KeyboardInterrupt):
        ksvd_on_shards(paths, **settings, checkpoint=kept, callback=interrupt)  # type: ignore[arg-type]
    seen: list[int] = []
    resumed = ksvd_on_shards(paths, **settings, checkpoint=kept, callback=lambda k, _e, _s: seen.append(k))  # type: ignore[arg-type]
    assert seen == [3, 4]
    assert resumed.atoms.tobytes() == ksvd_on_shards(paths, **settings).atoms.tobytes()  # type: ignore[arg-type]
    assert not kept.exists()


def test_codes_come_in_the_order_of_the_rows(paths: list[Path]) -> None:
    atoms = random_atoms(20, 12, 5)
    found = list(code_shards(paths, atoms, sparsity=3, run=Run(threads=2)))
    whole = sparse_code(all_rows(paths), atoms, sparsity=3)
    np.testing.assert_array_equal(np.concatenate([codes.atoms for codes in found]), whole.atoms)


def test_what_is_wrong_with_a_file_is_said(paths: list[Path], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.npy cannot be read as a \.npy file"):
        find_shards([*paths, tmp_path / "none.npy"])
    np.save(tmp_path / "wide.npy", np.ones((3, 13)))
    with pytest.raises(InputError, match="differ in the width"):
        find_shards([*paths, tmp_path / "wide.npy"])
    broken = np.load(paths[2])
    broken[200, 1] = np.nan
    np.save(paths[2], broken)
    with pytest.raises(InputError, match=r"2\.npy, from row 150: row 50 of X holds NaN"):
        ksvd_on_shards(paths, n_atoms=20, sparsity=3)
    with pytest.raises(InputError, match="n_atoms is 151"):
        ksvd_on_shards(paths[:1], n_atoms=151)


def test_a_killed_worker_changes_nothing_and_no_worker_is_one_sentence(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason='needs Dask: pip install "wordatoms[dask]"')
    from wordatoms.engine.dask import DaskEngine

    settings = {"n_atoms": 20, "sparsity": 3, "n_iterations": 3}
    expected = ksvd_on_shards(paths, **settings, run=Run(threads=1))  # type: ignore[arg-type]
    with (
        running_cluster(tmp_path / "cluster", 2) as cluster,
        DaskEngine(cluster.address, memory=1 << 30) as engine,
    ):
        engine.client.wait_for_workers(2, timeout=120)

        def kill_one(iteration: int, _error: float, _seconds: float) -> None:
            if iteration == 1:
                os.kill(cluster.workers.pop().pid, signal.SIGKILL)

        kept, on_cluster = tmp_path / "state.npz", Run(engine=engine)
        found = ksvd_on_shards(paths, **settings, run=on_cluster, callback=kill_one, checkpoint=kept)  # type: ignore[arg-type]
        assert found.atoms.tobytes() == expected.atoms.tobytes()
        assert found.errors.tobytes() == expected.errors.tobytes()
        monkeypatch.setattr("wordatoms.engine.dask.WAIT_SECONDS", 1)
        cluster.workers[0].kill()
        assert not kept.exists()
        with pytest.raises(EngineError, match=r"all workers of the scheduler at tcp://.* are gone; start some"):
            ksvd_on_shards(paths, **settings, run=on_cluster)  # type: ignore[arg-type]

"""What programs that learn sparse dictionaries find in the same rows with the same number of atoms per row.

    python benchmarks/learners.py ROWS.npy --test HELD-OUT.npy [--atoms 1000] [--sparsity 8] [--keep FOLDER]
                                  [--first N] [--limit 300] [--only NAME…] [--json FILE]

Ours and, if they are installed: SPAMS (`spams-bin`), scikit-learn, PyPI's `ksvd`, `dictlearn`, and a TopK sparse
autoencoder of `overcomplete`. Each program runs in a process of its own, with as many threads, and gets the passes
over the rows that `PASSES` says. A program that needs more than `--limit` processor seconds to learn is stopped, and
the result says so.

Time is that of learning alone, after a small run that compiles. Memory is the peak of the process without the rows.
Explained is 1 − ‖X − C·A‖² / ‖X‖² by plain OMP on the learned atoms, of the rows and of the held-out ones; of the
autoencoder also by its own encoder. An atom is dead if no row uses it, and has come back if the atoms learned from
another seed hold one with an absolute cosine above 0.9. `--keep` writes atoms and codes for `benchmarks/intrusion.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from time import perf_counter, process_time
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from common import describe_machine, git_commit, make_parser, show
from wordatoms.atoms.ksvd import ksvd, random_rows
from wordatoms.atoms.minibatch import learn_in_batches, relative_error
from wordatoms.atoms.sparse_coding import SparseCodes, sparse_code

PASSES = {
    "ours": 25,
    "ours_batches": 8,
    "spams_online": 8,
    "overcomplete_topk": 20,
    "scikit_learn_batches": 8,
    "dictlearn": 25,
    "pypi_ksvd": 25,
    "scikit_learn": 25,
}
SAME = 0.9
"""Absolute cosine from which an atom counts as having come back from another seed."""
SMALL_BATCH = 512


class Task(NamedTuple):
    """What each program is asked for."""

    n_atoms: int
    sparsity: int
    passes: int
    threads: int
    seed: int

    def start(self, rows: np.ndarray) -> np.ndarray:
        return random_rows(rows, self.n_atoms, self.seed)


class Learned(NamedTuple):
    atoms: np.ndarray
    encode: Callable[[np.ndarray], SparseCodes] | None = None
    """The program's own codes, where they are not those of a pursuit over the atoms."""


def ours(rows: np.ndarray, task: Task) -> Learned:
    options: dict[str, Any] = {"n_iterations": task.passes, "random_state": task.seed, "threads": task.threads}
    return Learned(ksvd(rows, n_atoms=task.n_atoms, sparsity=task.sparsity, **options).atoms)


def ours_batches(rows: np.ndarray, task: Task) -> Learned:
    learner, _ = learn_in_batches(
        rows,
        task.start(rows),
        sparsity=task.sparsity,
        batch_size=2 * task.n_atoms,
        n_passes=task.passes,
        tol=0.0,
        nonnegative=False,
        random_state=task.seed,
        threads=task.threads,
        callback=None,
    )
    return Learned(learner.turned().vectors)


def spams_online(rows: np.ndarray, task: Task) -> Learned:
    import spams

    learned = spams.trainDL(
        np.asfortranarray(rows.T),
        D=np.asfortranarray(task.start(rows).T),
        mode=spams.SPARSITY,
        lambda1=task.sparsity,
        batchsize=SMALL_BATCH,
        iter=task.passes * len(rows) // SMALL_BATCH,
        numThreads=task.threads,
        verbose=False,
    )
    return Learned(np.ascontiguousarray(learned.T))


def scikit_learn_penalty(rows: np.ndarray, start: np.ndarray, sparsity: int) -> float:
    """The largest penalty that gives as many atoms per row: it has no fixed sparsity while it learns."""
    from sklearn.decomposition import sparse_encode

    sample = rows[:100]
    penalties = np.abs(sample @ start.T).max() * 0.8 ** np.arange(1, 30)
    for penalty in penalties:
        codes = sparse_encode(sample, start, algorithm="lasso_lars", alpha=penalty)
        if np.count_nonzero(codes) >= sparsity * len(sample):
            return float(penalty)
    return float(penalties[-1])


def scikit_learn_batches(rows: np.ndarray, task: Task) -> Learned:
    from sklearn.decomposition import MiniBatchDictionaryLearning

    start = task.start(rows)
    options: dict[str, Any] = {"alpha": scikit_learn_penalty(rows, start, task.sparsity), "max_iter": task.passes}
    options |= {"batch_size": task.n_atoms, "tol": 0, "max_no_improvement": None, "dict_init": start}
    return Learned(MiniBatchDictionaryLearning(task.n_atoms, **options).fit(rows).components_)


def scikit_learn(rows: np.ndarray, task: Task) -> Learned:
    from sklearn.decomposition import DictionaryLearning, sparse_encode

    start = task.start(rows)
    alpha = scikit_learn_penalty(rows, start, task.sparsity)
    codes = sparse_encode(rows, start, algorithm="lasso_lars", alpha=alpha)
    options: dict[str, Any] = {"alpha": alpha, "max_iter": task.passes, "tol": 0}
    return Learned(DictionaryLearning(task.n_atoms, dict_init=start, code_init=codes, **options).fit(rows).components_)


def pypi_ksvd(rows: np.ndarray, task: Task) -> Learned:
    """It starts from singular vectors, with its own seed."""
    options: dict[str, Any] = {"max_iter": task.passes, "tol": 0, "transform_n_nonzero_coefs": task.sparsity}
    np.random.seed(task.seed)
    learner = import_pypi_ksvd().ApproximateKSVD(n_components=task.n_atoms, **options)
    return Learned(learner.fit(rows.astype(np.float64)).components_)


def dictlearn(rows: np.ndarray, task: Task) -> Learned:
    from dictlearn import DictionaryLearning

    start = task.start(rows).astype(np.float64)
    learner = DictionaryLearning(
        task.n_atoms, n_nonzero_coefs=task.sparsity, max_iter=task.passes, dict_init=start, random_state=task.seed
    )
    return Learned(learner.fit(rows.astype(np.float64)).components_)


def overcomplete_topk(rows: np.ndarray, task: Task) -> Learned:
    """A TopK sparse autoencoder, by the library's own training loop; its atoms are those of the decoder."""
    import torch

    sae = import_overcomplete_sae()
    torch.manual_seed(task.seed)
    torch.set_num_threads(task.threads)
    model = sae.TopKSAE(rows.shape[1], nb_concepts=task.n_atoms, top_k=task.sparsity)
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(rows))
    loader = torch.utils.data.DataLoader(dataset, batch_size=SMALL_BATCH, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = lambda x, x_hat, *_: ((x - x_hat) ** 2).mean()  # noqa: E731
    sae.train_sae(model, loader, loss, optimizer, nb_epochs=task.passes, monitoring=0)
    model.eval()

    def encode(some: np.ndarray) -> SparseCodes:
        with torch.no_grad():
            parts = [
                torch.topk(model.encode(part)[1], task.sparsity, dim=-1) for part in torch.from_numpy(some).split(4096)
            ]
        weights = np.concatenate([part.values.numpy() for part in parts])
        atoms = np.concatenate([part.indices.numpy() for part in parts]).astype(np.int32)
        return SparseCodes(np.where(weights == 0, -1, atoms).astype(np.int32), weights, task.n_atoms)

    return Learned(model.get_dictionary().detach().numpy(), encode)


LEARNERS: dict[str, tuple[str, Callable[[np.ndarray, Task], Learned]]] = {
    "ours": ("wordatoms", ours),
    "ours_batches": ("wordatoms", ours_batches),
    "spams_online": ("spams", spams_online),
    "overcomplete_topk": ("overcomplete", overcomplete_topk),
    "scikit_learn_batches": ("sklearn", scikit_learn_batches),
    "dictlearn": ("dictlearn", dictlearn),
    "pypi_ksvd": ("ksvd", pypi_ksvd),
    "scikit_learn": ("sklearn", scikit_learn),
}
"""The module that each program needs, and how it learns."""


# --- packages that need help to be imported


def find_package(name: str) -> ModuleSpec | None:
    """A package that is installed; a benchmark of the same name beside this file is not one."""
    here = Path(__file__).resolve().parent
    return PathFinder.find_spec(name, [path for path in sys.path if Path(path or ".").resolve() != here])


def import_pypi_ksvd() -> Any:
    spec = find_package("ksvd")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def import_overcomplete_sae() -> Any:
    """Its autoencoders without its models of images, which need torchvision, of which there may be no build."""
    if not find_spec("torchvision"):
        package, spec = ModuleType("overcomplete"), find_package("overcomplete")
        assert spec
        assert spec.submodule_search_locations
        package.__path__ = list(spec.submodule_search_locations)
        sys.modules["overcomplete"] = package
    from overcomplete import sae

    return sae


# --- measuring


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)


def measure_one(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one program in this process."""
    rows, test = np.load(options.rows)[: options.first or None], np.load(options.test)
    task = Task(options.atoms, options.sparsity, PASSES[name], options.threads, seed=0)
    learn = LEARNERS[name][1]
    learn(rows[: 2 * options.atoms], task._replace(passes=1))  # compiles
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(process_time()) + options.limit, most))
    wall, processor = perf_counter(), process_time()
    learned = learn(rows, task)
    wall, processor = perf_counter() - wall, process_time() - processor
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - rows.nbytes - test.nbytes
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    atoms = np.ascontiguousarray(learned.atoms, np.float32)
    code = partial(sparse_code, atom_vectors=atoms, sparsity=options.sparsity, threads=options.threads)
    codes = learned.encode(rows) if learned.encode else code(rows)
    n_users = np.bincount(codes.atoms[codes.atoms >= 0], minlength=len(atoms))
    result: dict[str, Any] = {
        "passes": task.passes,
        "seconds": wall,
        "processor_seconds": processor,
        "peak_bytes_beside_input": peak,
        "explained": 1 - relative_error(rows, atoms, code(rows)),
        "explained_of_held_out_rows": 1 - relative_error(test, atoms, code(test)),
        "dead_atoms": int((n_users == 0).sum()),
    }
    if learned.encode:
        result["explained_of_held_out_rows_by_its_encoder"] = 1 - relative_error(test, atoms, learned.encode(test))
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        np.save(options.keep / f"{name}.npy", atoms)
        codes.save(options.keep, name)
    other = unit_rows(np.ascontiguousarray(learn(rows, task._replace(seed=1)).atoms, np.float32))
    cosines = np.abs(unit_rows(atoms) @ other.T).max(axis=1)
    return {**result, "returned_from_another_seed": float((cosines > SAME).mean())}


def measure_in_process(name: str, options: argparse.Namespace) -> dict[str, Any]:
    module, _ = LEARNERS[name]
    if not find_package(module) and not find_spec(module):
        return {"not_installed": module}
    limits = {key: str(options.threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    limits["OMP_WAIT_POLICY"] = "PASSIVE"  # threads that wait for others would count as work
    command = [sys.executable, *sys.argv, "--one", name]
    found = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **limits})
    if found.returncode < 0:
        return {"passes": PASSES[name], "stopped_after_processor_seconds": options.limit}
    if found.returncode:
        return {"failed": found.stderr.splitlines()[-1]}
    result: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = make_parser(__doc__, threads=2, atoms=1000, sparsity=8, limit=300, first=0)
    parser.add_argument("rows", type=Path, help="a .npy file of vectors")
    parser.add_argument("--test", type=Path, required=True, help="a .npy file of held-out vectors")
    parser.add_argument("--keep", type=Path, help="folder for atoms and codes")
    parser.add_argument("--only", nargs="+", choices=LEARNERS, default=list(LEARNERS), help="programs, default all")
    parser.add_argument("--one", choices=LEARNERS, help="run one program in this process")
    options = parser.parse_args()
    if options.one:
        sys.stdout.write(json.dumps(measure_one(options.one, options)))
        return
    n_rows, dim = np.load(options.rows, mmap_mode="r")[: options.first or None].shape
    facts: dict[str, Any] = {"machine": describe_machine(), "commit": git_commit(), "threads": options.threads}
    facts |= {"n_rows": n_rows, "dim": dim, "n_atoms": options.atoms, "sparsity": options.sparsity}
    facts["limit_processor_seconds"] = options.limit
    for name in options.only:
        facts[name] = measure_in_process(name, options)
        show(facts, options.json)  # after each program: a later one may take long


if __name__ == "__main__":
    main()

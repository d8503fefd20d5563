"""Speed, memory and quality of sparse coding and k-SVD, compared with other packages and a lower bound.

    python benchmarks/ksvd.py [--model MODEL] [--repeat 5] [--learners [--vectors FILE]] [--json ksvd.json]

The lower bound is the matrix product X·Dᵀ, which OMP cannot avoid. SPAMS (`pip install spams-bin`), scikit-learn's
`orthogonal_mp_gram` and PyPI's `ksvd` are measured if they are installed, on the same vectors, in the same precision
and with the same number of threads. A package that is too slow runs on fewer rows and its time is scaled up, as the
result says. The programs take turns, and the best run of each counts. `--learners` compares only what the programs
learn from the same rows with the same sparsity, each in its own process and from two seeds, with scikit-learn's
mini-batches, ours, `dictlearn` and a TopK sparse autoencoder of `overcomplete`, which train as their libraries do.
Vectors come from a model, repeated with noise if it has too few, or from a planted dictionary. Memory is the peak of a
separate process, imports included.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from common import describe_machine, make_parser, show
from wordatoms.atoms.ksvd import ksvd
from wordatoms.atoms.minibatch import minibatch_ksvd
from wordatoms.atoms.sparse_coding import sparse_code

SPARSITY = 5
Runs = dict[str, Callable[[], object]]

PEAK_PROGRAM = """
import sys
import numpy as np
from wordatoms.atoms.ksvd import ksvd
rows = np.load(sys.argv[1])
ksvd(rows, n_atoms=int(sys.argv[2]), n_iterations=3, threads=int(sys.argv[3]))
status = open("/proc/self/status").read()
print(1024 * int(status.split("VmHWM:")[1].split()[0]) - rows.nbytes)
"""


def make_rows(model: Path | None, n_rows: int, dim: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    if model is None:
        atoms = rng.normal(size=(2000, dim))
        rows = sum(rng.normal(size=(n_rows, 1)) * atoms[rng.integers(0, 2000, n_rows)] for _ in range(SPARSITY))
        return (rows + rng.normal(size=(n_rows, dim))).astype(np.float32)
    vectors = np.load(model / "vectors.npy", mmap_mode="r")
    rows = np.array(vectors[np.arange(n_rows) % len(vectors)])
    again = rows[len(vectors) :]
    again += 0.1 * rows.std() * rng.standard_normal(again.shape, np.float32)
    return rows[rng.permutation(n_rows)]


def random_unit_rows(rows: np.ndarray, n: int, seed: int = 1) -> np.ndarray:
    chosen = rows[np.random.default_rng(seed).choice(len(rows), n, replace=False)]
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True)


def best_of_each(runs: Runs, repeat: int) -> dict[str, float]:
    """Seconds of the fastest run of each program; they take turns, after one run that compiles and warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeat + 1):
        for name, run in runs.items():
            started = perf_counter()
            run()
            seconds[name].append(perf_counter() - started)
    return {name: min(values[1:]) for name, values in seconds.items()}


# --- speed


def coding_runs(rows: np.ndarray, atoms: np.ndarray, threads: int) -> Runs:
    """The bare product, our OMP and SPAMS's."""
    out = np.empty((len(rows), len(atoms)), np.float32)
    runs: Runs = {
        "product": lambda: np.matmul(rows, atoms.T, out=out),
        "ours": lambda: sparse_code(rows, atoms, sparsity=SPARSITY, threads=threads),
    }
    if find_spec("spams"):
        import spams

        columns, dictionary = np.asfortranarray(rows.T), np.asfortranarray(atoms.T)
        runs["spams"] = lambda: spams.omp(columns, dictionary, L=SPARSITY, numThreads=threads)
    return runs


def scikit_learn_seconds(rows: np.ndarray, atoms: np.ndarray, n_sample: int) -> float | None:
    """Seconds of scikit-learn's OMP over all rows, scaled up from a sample."""
    if not find_spec("sklearn"):
        return None
    from sklearn.linear_model import orthogonal_mp_gram

    gram, products = atoms @ atoms.T, atoms @ rows[:n_sample].T
    run = best_of_each({"it": lambda: orthogonal_mp_gram(gram, products, n_nonzero_coefs=SPARSITY)}, 1)
    return run["it"] * len(rows) / n_sample


def measure_coding(rows: np.ndarray, atoms: np.ndarray, options: argparse.Namespace) -> dict[str, Any]:
    with threadpool_limits(options.threads, user_api="blas"):
        seconds = best_of_each(coding_runs(rows, atoms, options.threads), options.repeat)
        slow = scikit_learn_seconds(rows, atoms, options.slow_rows)
    result: dict[str, Any] = {f"{name}_seconds": value for name, value in seconds.items()}
    result["ours_over_product"] = seconds["ours"] / seconds["product"]
    if "spams" in seconds:
        result["times_faster_than_spams"] = seconds["spams"] / seconds["ours"]
    if slow is not None:
        result[f"scikit_learn_seconds_scaled_up_from_{options.slow_rows}_rows"] = slow
        result["times_faster_than_scikit_learn"] = slow / seconds["ours"]
    return result


def measure_training(rows: np.ndarray, product: float, options: argparse.Namespace) -> dict[str, Any]:
    result = ksvd(rows, n_atoms=options.atoms, n_iterations=options.iterations, threads=options.threads)
    iteration = float(result.seconds[1:].min())
    return {
        "iteration_seconds": iteration,
        "iteration_over_product": iteration / product,
        f"seconds_of_{options.iterations}_iterations": float(result.seconds.sum()),
        "errors": result.errors.tolist(),
        "n_replaced": result.n_replaced.tolist(),
    }


def iteration_seconds(rows: np.ndarray, n_atoms: int, options: argparse.Namespace) -> float:
    result = ksvd(rows, n_atoms=n_atoms, n_iterations=options.repeat + 1, threads=options.threads)
    return float(result.seconds[1:].min())


def measure_growth(rows: np.ndarray, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Seconds of an iteration with fewer rows and with fewer atoms."""
    shares = (4, 2, 1)
    by_rows = {str(len(rows) // k): iteration_seconds(rows[: len(rows) // k], options.atoms, options) for k in shares}
    by_atoms = {str(options.atoms // k): iteration_seconds(rows, options.atoms // k, options) for k in shares}
    return {"iteration_seconds_by_rows": by_rows, "iteration_seconds_by_atoms": by_atoms}


def peak_bytes_beside_input(rows: np.ndarray, options: argparse.Namespace) -> int:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, rows)
        command = [sys.executable, "-c", PEAK_PROGRAM, str(path), str(options.atoms), str(options.threads)]
        return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


# --- quality


def relative_error(rows: np.ndarray, atoms: np.ndarray) -> float:
    """Relative error of plain OMP with these atoms."""
    left = rows - sparse_code(rows, atoms, sparsity=SPARSITY).decode(atoms.astype(rows.dtype))
    return float((left.astype(np.float64) ** 2).sum() / (rows.astype(np.float64) ** 2).sum())


def spams_atoms(rows: np.ndarray, start: np.ndarray, threads: int, **options: Any) -> np.ndarray:
    """Atoms learned by SPAMS under the same constraint, from the same start."""
    import spams

    columns, dictionary = np.asfortranarray(rows.T), np.asfortranarray(start.T)
    constraint = {"mode": spams.SPARSITY, "lambda1": SPARSITY, "K": len(start), "verbose": False}
    learned = spams.trainDL(columns, D=dictionary, numThreads=threads, **constraint, **options)
    return np.ascontiguousarray(learned.T)


def measure_quality(rows: np.ndarray, n_atoms: int, options: argparse.Namespace) -> dict[str, Any]:
    start, n = random_unit_rows(rows, n_atoms), options.iterations
    common: dict[str, Any] = {"n_atoms": n_atoms, "n_iterations": n, "start": start, "threads": options.threads}
    free, kept = ksvd(rows, **common), ksvd(rows, keep_codes=True, **common)
    result: dict[str, Any] = {
        "n_rows": len(rows),
        "n_atoms": n_atoms,
        "iterations": n,
        "ours": free.error,
        "ours_by_plain_omp": relative_error(rows, free.atoms),
        "ours_codes_kept": kept.error,
        "ours_codes_kept_by_plain_omp": relative_error(rows, kept.atoms),
    }
    if find_spec("spams"):
        batch = spams_atoms(rows, start, options.threads, iter=n, batch=True)
        online = spams_atoms(rows, start, options.threads, iter=n * len(rows) // 512, batchsize=512)
        result |= {"spams_batch": relative_error(rows, batch), "spams_online": relative_error(rows, online)}
    return result


def import_pypi_ksvd() -> Any:
    """PyPI's package, which has the same name as this file; None if it is not installed."""
    elsewhere = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]
    spec = PathFinder.find_spec("ksvd", elsewhere)
    if spec is None or spec.loader is None:
        return None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measure_pypi_ksvd(pypi: Any, rows: np.ndarray, n_atoms: int, iterations: int, threads: int) -> dict[str, Any]:
    """PyPI's package and ours on a problem small enough for the former."""
    model = pypi.ApproximateKSVD(n_components=n_atoms, max_iter=iterations, transform_n_nonzero_coefs=SPARSITY)
    np.random.seed(0)
    with threadpool_limits(threads, user_api="blas"):
        seconds = best_of_each({"pypi": lambda: model.fit(rows.astype(np.float64))}, 1)["pypi"]
    ours = ksvd(rows, n_atoms=n_atoms, n_iterations=iterations, threads=threads)
    return {
        "n_rows": len(rows),
        "n_atoms": n_atoms,
        "iterations": iterations,
        "pypi_seconds": seconds,
        "ours_seconds": float(ours.seconds.sum()),
        "times_faster": seconds / float(ours.seconds.sum()),
        "pypi_error_by_plain_omp": relative_error(rows, model.components_),
        "ours_error": ours.error,
        "ours_error_by_plain_omp": relative_error(rows, ours.atoms),
    }


# --- learners side by side

LEARNERS = (
    "ours",
    "ours_batches",
    "spams_online",
    "scikit_learn_batches",
    "pypi_ksvd",
    "dictlearn",
    "overcomplete_topk",
)
SAME = 0.9
"""Absolute cosine from which an atom counts as having come back from another seed."""
LEARNER_PROGRAM = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
import numpy as np
import ksvd as benchmark
name, n_atoms, passes, threads = sys.argv[3], *map(int, sys.argv[4:7])
rows = np.load(sys.argv[2])
learn, again = (benchmark.make_learner(name, n_atoms, passes, threads, seed) for seed in (0, 1))
if learn is None:
    print("null")
    sys.exit()
learn(rows[: 2 * n_atoms])  # compiles
wall, processor = time.perf_counter(), time.process_time()
atoms = np.ascontiguousarray(learn(rows), np.float32)
wall, processor = time.perf_counter() - wall, time.process_time() - processor
peak = 1024 * int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) - rows.nbytes
codes = benchmark.sparse_code(rows, atoms, sparsity=benchmark.SPARSITY)
users = np.bincount(codes.atoms[codes.atoms >= 0], minlength=len(atoms))
explained = 1 - benchmark.relative_error(rows, atoms)
other = benchmark.unit_rows(np.ascontiguousarray(again(rows), np.float32))
returned = float((np.abs(benchmark.unit_rows(atoms) @ other.T).max(axis=1) > benchmark.SAME).mean())
facts = {"returned_from_another_seed": returned, "passes": passes, "seconds": wall}
facts |= {"processor_seconds": processor, "peak_bytes_beside_input": peak}
print(json.dumps(facts | {"explained": explained, "dead_atoms": int((users == 0).sum())}))
"""


def unit_rows(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-30)


def make_learner(
    name: str, n_atoms: int, passes: int, threads: int, seed: int
) -> Callable[[np.ndarray], np.ndarray] | None:
    """A function from rows to atoms; None if the program is not installed."""
    common: dict[str, Any] = {"n_atoms": n_atoms, "sparsity": SPARSITY, "threads": threads, "random_state": seed}
    if name == "ours":
        return lambda rows: ksvd(rows, n_iterations=passes, **common).atoms
    if name == "ours_batches":
        return lambda rows: minibatch_ksvd(rows, n_passes=passes, batch_size=n_atoms, **common).atoms
    if name == "spams_online" and find_spec("spams"):
        return lambda rows: spams_atoms(
            rows, random_unit_rows(rows, n_atoms, seed), threads, iter=passes * len(rows) // 512, batchsize=512
        )
    if name == "scikit_learn_batches" and find_spec("sklearn"):
        return lambda rows: scikit_learn_atoms(rows, n_atoms, passes, threads, seed)
    if name == "dictlearn" and find_spec("dictlearn"):
        return lambda rows: dictlearn_atoms(rows, n_atoms, passes, seed)
    if name == "overcomplete_topk" and find_spec("overcomplete"):
        return lambda rows: overcomplete_atoms(rows, n_atoms, passes, threads, seed)
    pypi = import_pypi_ksvd() if name == "pypi_ksvd" else None
    if pypi:
        return lambda rows: pypi_atoms(pypi, rows, n_atoms, passes, seed)
    return None


def pypi_atoms(pypi: Any, rows: np.ndarray, n_atoms: int, passes: int, seed: int) -> np.ndarray:
    np.random.seed(seed)
    learner = pypi.ApproximateKSVD(n_components=n_atoms, max_iter=passes, tol=0, transform_n_nonzero_coefs=SPARSITY)
    atoms: np.ndarray = learner.fit(rows.astype(np.float64)).components_
    return atoms


def dictlearn_atoms(rows: np.ndarray, n_atoms: int, passes: int, seed: int) -> np.ndarray:
    from dictlearn import DictionaryLearning

    start = random_unit_rows(rows, n_atoms, seed).astype(np.float64)
    learner = DictionaryLearning(n_atoms, n_nonzero_coefs=SPARSITY, max_iter=passes, dict_init=start)
    atoms: np.ndarray = learner.fit(rows.astype(np.float64)).components_
    return atoms


def overcomplete_atoms(rows: np.ndarray, n_atoms: int, passes: int, threads: int, seed: int) -> np.ndarray:
    """A TopK sparse autoencoder, by the library's own training loop; its atoms are those of the decoder."""
    import torch
    from overcomplete.sae import TopKSAE, train_sae

    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    model = TopKSAE(rows.shape[1], nb_concepts=n_atoms, top_k=SPARSITY)
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.from_numpy(rows)), batch_size=512, shuffle=True
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train_sae(model, loader, lambda x, x_hat, *_: ((x - x_hat) ** 2).mean(), optimizer, nb_epochs=passes, monitoring=0)
    atoms: np.ndarray = model.get_dictionary().detach().numpy()
    return atoms


def scikit_learn_atoms(rows: np.ndarray, n_atoms: int, passes: int, threads: int, seed: int) -> np.ndarray:
    """It has a penalty instead of a fixed sparsity while it learns: the largest that gives as many atoms per row."""
    from sklearn.decomposition import MiniBatchDictionaryLearning, sparse_encode

    start, sample = random_unit_rows(rows, n_atoms, seed), rows[:100]
    penalties = np.abs(sample @ start.T).max() * 0.8 ** np.arange(1, 30)
    n_used = (
        np.count_nonzero(sparse_encode(sample, start, algorithm="lasso_lars", alpha=penalty)) for penalty in penalties
    )
    alpha = next((a for a, n in zip(penalties, n_used, strict=True) if n >= SPARSITY * len(sample)), penalties[-1])
    options: dict[str, Any] = {"alpha": alpha, "batch_size": n_atoms, "max_iter": passes, "dict_init": start}
    learner = MiniBatchDictionaryLearning(n_atoms, tol=0, max_no_improvement=None, n_jobs=threads, **options)
    atoms: np.ndarray = learner.fit(rows).components_
    return atoms


def measure_learners(rows: np.ndarray, n_atoms: int, options: argparse.Namespace) -> dict[str, Any]:
    """Time, memory, explained share of the rows by plain OMP, and unused atoms, of each program in its own process."""
    passes = {"ours": 24, "overcomplete_topk": 100}
    result: dict[str, Any] = {"n_rows": len(rows), "dim": rows.shape[1], "n_atoms": n_atoms, "sparsity": SPARSITY}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, rows)
        for name in LEARNERS:
            numbers = map(str, (n_atoms, passes.get(name, 8), options.threads))
            command = [sys.executable, "-c", LEARNER_PROGRAM, str(Path(__file__).parent), str(path), name, *numbers]
            limits = {key: str(options.threads) for key in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
            found = subprocess.run(command, check=False, capture_output=True, text=True, env={**os.environ, **limits})
            lines = (found.stdout if found.returncode == 0 else found.stderr).splitlines()
            result[name] = json.loads(lines[-1]) if found.returncode == 0 else {"failed": lines[-1]}
    return result


# --- everything


def git_commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--abbrev=12"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "unknown"


def measure(options: argparse.Namespace) -> dict[str, Any]:
    rows = np.load(options.vectors) if options.vectors else make_rows(options.model, options.rows, options.dim)
    if options.learners:
        facts = {"machine": describe_machine(), "commit": git_commit(), "threads": options.threads}
        return {**facts, "learners": measure_learners(rows[: options.quality_rows], options.quality_atoms, options)}
    atoms = random_unit_rows(rows, options.atoms)
    coding = measure_coding(rows, atoms, options)
    result: dict[str, Any] = {
        "machine": describe_machine(),
        "commit": git_commit(),
        "vectors": options.model.name if options.model else "planted",
        "n_rows": len(rows),
        "dim": rows.shape[1],
        "n_atoms": options.atoms,
        "sparsity": SPARSITY,
        "threads": options.threads,
        "coding": coding,
        "training": measure_training(rows, coding["product_seconds"], options),
        "growth": measure_growth(rows, options),
        "peak_bytes_beside_input": peak_bytes_beside_input(rows, options),
        "quality": measure_quality(rows[: options.quality_rows], options.quality_atoms, options),
    }
    pypi = import_pypi_ksvd()
    if pypi:
        result["pypi_ksvd"] = measure_pypi_ksvd(pypi, rows[:1000], 100, 10, options.threads)
    return result


def main() -> None:
    sizes = {"rows": 60_000, "dim": 300, "atoms": 2000, "iterations": 25}
    smaller = {"quality_rows": 6000, "quality_atoms": 300, "slow_rows": 300}
    parser = make_parser(__doc__, threads=2, repeat=5, **sizes, **smaller)
    parser.add_argument("--model", type=Path, help="a model folder with vectors; planted ones by default")
    parser.add_argument("--vectors", type=Path, help="a .npy file of vectors instead of a model")
    parser.add_argument("--learners", action="store_true", help="only compare learners, each in its own process")
    options = parser.parse_args()
    show(measure(options), options.json)


if __name__ == "__main__":
    main()

"""Speed, memory and quality of sparse coding and k-SVD, compared with other packages and a lower bound.

    python benchmarks/ksvd.py [--model MODEL] [--repeat 5] [--vectors FILE] [--json ksvd.json]

The lower bound is the matrix product X·Dᵀ, which OMP cannot avoid. SPAMS (`pip install spams-bin`), scikit-learn's
`orthogonal_mp_gram` and PyPI's `ksvd` are measured if they are installed, on the same vectors, in the same precision
and with the same number of threads. A package that is too slow runs on fewer rows and its time is scaled up, as the
result says. The programs take turns, and the best run of each counts, by the clock and by processor time, which other
programs on the machine disturb less (OMP_WAIT_POLICY=PASSIVE keeps threads of SPAMS that wait from counting as work).
Vectors come from a model, repeated with noise if it has too few, or from a planted dictionary. Memory is the peak of a
separate process, imports included. What programs learn is compared by `benchmarks/learners.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from common import describe_machine, git_commit, make_parser, show
from learners import find_package, import_pypi_ksvd
from wordatoms.atoms.ksvd import ksvd
from wordatoms.atoms.minibatch import minibatch_ksvd
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.embeddings.embeddings import Embeddings

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
    vectors = Embeddings.load(model).vectors
    rows = np.asarray(vectors[np.arange(n_rows) % len(vectors)], np.float32)
    again = rows[len(vectors) :]
    again += 0.1 * rows.std() * rng.standard_normal(again.shape, np.float32)
    return rows[rng.permutation(n_rows)]


def random_unit_rows(rows: np.ndarray, n: int) -> np.ndarray:
    chosen = rows[np.random.default_rng(1).choice(len(rows), n, replace=False)]
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True)


class Seconds(NamedTuple):
    clock: float
    processor: float

    @classmethod
    def of(cls, run: Callable[[], object]) -> Seconds:
        clock, processor = perf_counter(), process_time()
        run()
        return cls(perf_counter() - clock, process_time() - processor)

    @classmethod
    def best(cls, times: list[Seconds]) -> Seconds:
        return cls(min(time.clock for time in times), min(time.processor for time in times))


def best_of_each(runs: Runs, repeat: int) -> dict[str, Seconds]:
    """The fastest run of each program; they take turns, after one run that compiles and warms up."""
    times: dict[str, list[Seconds]] = {name: [] for name in runs}
    for _ in range(repeat + 1):
        for name, run in runs.items():
            times[name].append(Seconds.of(run))
    return {name: Seconds.best(values[1:]) for name, values in times.items()}


def ratios(name: str, above: Seconds, below: Seconds) -> dict[str, float]:
    return {name: above.clock / below.clock, f"{name}_processor": above.processor / below.processor}


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
    return run["it"].clock * len(rows) / n_sample


def measure_coding(rows: np.ndarray, atoms: np.ndarray, options: argparse.Namespace) -> dict[str, Any]:
    with threadpool_limits(options.threads, user_api="blas"):
        seconds = best_of_each(coding_runs(rows, atoms, options.threads), options.repeat)
        slow = scikit_learn_seconds(rows, atoms, options.slow_rows)
    result: dict[str, Any] = {f"{name}_seconds": value.clock for name, value in seconds.items()}
    result |= {f"{name}_processor_seconds": value.processor for name, value in seconds.items()}
    result |= ratios("ours_over_product", seconds["ours"], seconds["product"])
    if "spams" in seconds:
        result |= ratios("times_faster_than_spams", seconds["spams"], seconds["ours"])
    if slow is not None:
        result[f"scikit_learn_seconds_scaled_up_from_{options.slow_rows}_rows"] = slow
        result["times_faster_than_scikit_learn"] = slow / seconds["ours"].clock
    return result


def measure_training(rows: np.ndarray, options: argparse.Namespace) -> dict[str, Any]:
    """All iterations, and the product after each of them, so that other programs on the machine disturb both alike."""
    out, atoms = np.empty((len(rows), options.atoms), np.float32), random_unit_rows(rows, options.atoms)
    processor, products, started = [], [], process_time()

    def multiply(*_: float) -> None:
        nonlocal started
        processor.append(process_time() - started)
        with threadpool_limits(options.threads, user_api="blas"):
            products.append(Seconds.of(lambda: np.matmul(rows, atoms.T, out=out)))
        started = process_time()

    ksvd(rows, n_atoms=options.atoms, n_iterations=1, threads=options.threads)  # compiles
    started = process_time()
    common: dict[str, Any] = {"n_atoms": options.atoms, "n_iterations": options.iterations, "threads": options.threads}
    result = ksvd(rows, callback=multiply, **common)
    iteration = Seconds(float(result.seconds[1:].min()), min(processor[1:]))
    return {
        "iteration_seconds": iteration.clock,
        "iteration_processor_seconds": iteration.processor,
        **ratios("iteration_over_product", iteration, Seconds.best(products)),
        f"seconds_of_{options.iterations}_iterations": float(result.seconds.sum()),
        f"processor_seconds_of_{options.iterations}_iterations": sum(processor),
        "errors": result.errors.tolist(),
        "n_replaced": result.n_replaced.tolist(),
    }


def measure_batches(rows: np.ndarray, n_atoms: int, options: argparse.Namespace) -> dict[str, Any]:
    """Errors and times of 8 passes in batches of several sizes, by those of 25 iterations without batches.

    The times include the final coding of all rows. One thread: handing small batches to several costs processor time.
    """
    common: dict[str, Any] = {"n_atoms": n_atoms, "sparsity": SPARSITY, "threads": 1}
    found: dict[str, Any] = {}

    def run(size: int) -> None:
        result = minibatch_ksvd(rows, batch_size=size, **common) if size else ksvd(rows, **common)
        found[str(size)] = result.error

    sizes = (0, n_atoms, 3 * n_atoms // 2, 2 * n_atoms)
    seconds = best_of_each({str(size): partial(run, size) for size in sizes}, options.repeat)
    whole = {"n_rows": len(rows), "n_atoms": n_atoms, "error": found["0"], "processor_seconds": seconds["0"].processor}
    batches = {
        name: {"error": found[name], **ratios("share_of_time", seconds[name], seconds["0"])}
        for name in map(str, sizes[1:])
    }
    return {**whole, "batches": batches}


def iteration_seconds(rows: np.ndarray, n_atoms: int, sparsity: int, options: argparse.Namespace) -> float:
    """Processor seconds of an iteration, the best of a few."""
    marks: list[float] = []
    common: dict[str, Any] = {"n_atoms": n_atoms, "sparsity": sparsity, "threads": options.threads}
    ksvd(rows, n_iterations=4, callback=lambda *_: marks.append(process_time()), **common)
    return float(np.diff(marks).min())


def measure_growth(rows: np.ndarray, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Processor seconds of an iteration with fewer rows, atoms and dimensions, and with more atoms per row."""

    def seconds(some: np.ndarray, n_atoms: int = options.atoms, sparsity: int = SPARSITY) -> float:
        return iteration_seconds(np.ascontiguousarray(some), n_atoms, sparsity, options)

    n_rows, dim = rows.shape
    whole = seconds(rows)
    return {
        "rows": {str(n): seconds(rows[:n]) for n in (n_rows // 4, n_rows // 2)} | {str(n_rows): whole},
        "atoms": {str(n): seconds(rows, n) for n in (options.atoms // 4, options.atoms // 2)}
        | {str(options.atoms): whole},
        "dimensions": {str(d): seconds(rows[:, :d]) for d in (dim // 4, dim // 2)} | {str(dim): whole},
        "sparsity": {str(SPARSITY): whole} | {str(n): seconds(rows, sparsity=n) for n in (2 * SPARSITY, 4 * SPARSITY)},
    }


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


def measure_pypi_ksvd(pypi: Any, rows: np.ndarray, n_atoms: int, iterations: int, threads: int) -> dict[str, Any]:
    """PyPI's package and ours on a problem small enough for the former."""
    model = pypi.ApproximateKSVD(n_components=n_atoms, max_iter=iterations, transform_n_nonzero_coefs=SPARSITY)
    np.random.seed(0)
    with threadpool_limits(threads, user_api="blas"):
        seconds = best_of_each({"pypi": lambda: model.fit(rows.astype(np.float64))}, 1)["pypi"].clock
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


# --- everything


def measure(options: argparse.Namespace) -> dict[str, Any]:
    rows = np.load(options.vectors) if options.vectors else make_rows(options.model, options.rows, options.dim)
    atoms = random_unit_rows(rows, options.atoms)
    result: dict[str, Any] = {
        "machine": describe_machine(),
        "commit": git_commit(),
        "vectors": source.name if (source := options.vectors or options.model) else "planted",
        "n_rows": len(rows),
        "dim": rows.shape[1],
        "n_atoms": options.atoms,
        "sparsity": SPARSITY,
        "threads": options.threads,
        "coding": measure_coding(rows, atoms, options),
        "training": measure_training(rows, options),
        "iteration_processor_seconds_by": measure_growth(rows, options),
        "peak_bytes_beside_input": peak_bytes_beside_input(rows, options),
        "batches": measure_batches(rows[: options.batch_rows], options.batch_atoms, options),
        "quality": measure_quality(rows[: options.quality_rows], options.quality_atoms, options),
    }
    if find_package("ksvd"):
        result["pypi_ksvd"] = measure_pypi_ksvd(import_pypi_ksvd(), rows[:1000], 100, 10, options.threads)
    return result


def main() -> None:
    sizes = {"rows": 60_000, "dim": 300, "atoms": 2000, "iterations": 25}
    smaller = {"quality_rows": 6000, "quality_atoms": 300, "slow_rows": 300, "batch_rows": 12_000, "batch_atoms": 400}
    parser = make_parser(__doc__, threads=2, repeat=5, **sizes, **smaller)
    parser.add_argument("--model", type=Path, help="a model folder with vectors; planted ones by default")
    parser.add_argument("--vectors", type=Path, help="a .npy file of vectors instead of a model")
    options = parser.parse_args()
    show(measure(options), options.json)


if __name__ == "__main__":
    main()

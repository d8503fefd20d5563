"""Cost of one pass of k-SVD by mini-batches over a file that is mapped and never loaded, against the bare product.

    python benchmarks/ksvd_scale.py [--rows 131072] [--dim 768] [--atoms 16384] [--sparsity 32] [--curve] [--json FILE]

The rows are planted (sums of random atoms with noise) and are written to a temporary file block by block. All times
are processor seconds of all threads, so that other programs on the machine count little. `product` is X·Dᵀ by blocks
of 1024 rows, the best of several blocks, times the number of blocks. Memory is the peak of what the process allocated
itself (RssAnon), imports included: pages of the mapped file belong to the system, which can drop them. `--curve`
measures coding instead, for a range of rows, atoms, dimensions and sparsities around a medium size.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time, sleep
from typing import Any

import numpy as np

from common import describe_machine, make_parser, show
from wordatoms.atoms.minibatch import Learner
from wordatoms.atoms.sparse_coding import Coder, sparse_code
from wordatoms.parallel import one_blas_thread

BLOCK = 1024
BATCHES = 1
"""Batches that are run; the others of the pass are like them."""


def allocated_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("RssAnon:")[1].split()[0])


@contextmanager
def watch_memory(peak: list[int]) -> Iterator[None]:
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            peak.append(allocated_bytes())
            sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def random_units(n: int, dim: int, rng: np.random.Generator) -> np.ndarray:
    vectors = rng.standard_normal((n, dim), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def planted_rows(atoms: np.ndarray, n_rows: int, sparsity: int, rng: np.random.Generator) -> np.ndarray:
    chosen = rng.integers(0, len(atoms), (n_rows, sparsity))
    weights = rng.standard_normal((n_rows, sparsity), np.float32) + 1
    rows = 0.05 * rng.standard_normal((n_rows, atoms.shape[1]), np.float32)
    for slot in range(sparsity):
        rows += weights[:, slot, None] * atoms[chosen[:, slot]]
    return rows


def write_rows(path: Path, atoms: np.ndarray, n_rows: int, sparsity: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    file = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, atoms.shape[1]))
    for start in range(0, n_rows, BLOCK):
        n = min(BLOCK, n_rows - start)
        file[start : start + n] = planted_rows(atoms, n, sparsity, rng)
    file.flush()
    return np.load(path, mmap_mode="r")


def seconds_of(function: Any) -> float:
    started = process_time()
    function()
    return process_time() - started


def product_seconds(rows: np.ndarray, atoms: np.ndarray, repeat: int) -> float:
    """Of all rows, from the best of several blocks."""
    out = np.empty((BLOCK, len(atoms)), np.float32)
    with one_blas_thread():
        blocks = [np.array(rows[k * BLOCK : (k + 1) * BLOCK]) for k in range(min(repeat, len(rows) // BLOCK))]
        each = [seconds_of(lambda block=block: np.matmul(block, atoms.T, out=out)) for block in blocks * 2]
    return min(each) * len(rows) / BLOCK


def measure_pass(options: argparse.Namespace) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    planted = random_units(options.atoms, options.dim, rng)
    with TemporaryDirectory(dir=options.folder) as folder:
        rows = write_rows(Path(folder) / "rows.npy", planted, options.rows, options.sparsity)
        vectors = planted + random_units(options.atoms, options.dim, rng)  # halfway learned
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        del planted
        product = product_seconds(rows, vectors, options.repeat)
        peak: list[int] = []
        step = {"sparsity": options.sparsity, "nonnegative": False, "threads": options.threads}
        learner, seconds, errors = Learner.begin(vectors), [], []
        learner.learn(np.array(rows[:16]), **step, replace_atoms=False)  # compiles
        with watch_memory(peak):
            gram = seconds_of(lambda: Coder.build(vectors, nonnegative=False, threads=options.threads))
            for k in range(min(BATCHES, len(rows) // options.batch)):
                started = process_time()
                batch = np.array(rows[k * options.batch : (k + 1) * options.batch])
                learner, found, _ = learner.learn(batch, **step, replace_atoms=False)
                seconds.append(process_time() - started)
                errors.append(found.error)
    rows_alone = (min(seconds) - gram) / options.batch * len(rows)
    return {
        "rows": options.rows,
        "dim": options.dim,
        "atoms": options.atoms,
        "sparsity": options.sparsity,
        "batch": options.batch,
        "batches_run": len(seconds),
        "product_seconds": product,
        "rows_over_product": rows_alone / product,
        "gram_over_product_of_all_rows": gram / product,
        "pass_over_product": (rows_alone + gram * len(rows) / options.batch) / product,
        "pass_over_product_with_batches_of_65536": (rows_alone + gram * len(rows) / 65_536) / product,
        "errors_of_batches": errors,
        "peak_allocated_bytes": max(peak),
        "gram_bytes": 2 * options.atoms**2,
    }


def measure_curve(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Processor seconds of coding around 8192 rows, 2000 atoms, 300 dimensions and sparsity 8."""
    middle = {"rows": 8192, "atoms": 2000, "dim": 300, "sparsity": 8}
    ranges = {"rows": (2048, 32768), "atoms": (500, 8000), "dim": (75, 1200), "sparsity": (2, 32)}
    sizes = [middle] + [{**middle, name: value} for name, values in ranges.items() for value in values]
    curve = []
    for size in sizes:
        atoms = random_units(size["atoms"], size["dim"], np.random.default_rng(0))
        rows = planted_rows(atoms, size["rows"], 8, np.random.default_rng(1))
        sparse_code(rows[:256], atoms, sparsity=size["sparsity"], threads=1)
        product = product_seconds(rows, atoms, options.repeat)
        coding = min(
            seconds_of(lambda n=size["sparsity"], a=atoms, r=rows: sparse_code(r, a, sparsity=n, threads=1))
            for _ in range(options.repeat)
        )
        curve.append({**size, "product_seconds": product, "coding_seconds": coding, "ratio": coding / product})
    return curve


def main() -> None:
    sizes = {"rows": 131_072, "dim": 768, "atoms": 16_384, "sparsity": 32, "batch": 32_768}
    parser = make_parser(__doc__, threads=2, repeat=3, **sizes)
    parser.add_argument("--curve", action="store_true", help="the cost of coding against each size")
    parser.add_argument("--folder", type=Path, help="where the temporary file is written")
    options = parser.parse_args()
    found = {"curve": measure_curve(options)} if options.curve else measure_pass(options)
    show({"machine": describe_machine(), "threads": options.threads, **found}, options.json)


if __name__ == "__main__":
    main()

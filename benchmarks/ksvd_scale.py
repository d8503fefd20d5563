"""Cost of one pass of k-SVD by mini-batches over a file that is mapped and never loaded, against the bare product.

    python benchmarks/ksvd_scale.py [--rows 131072] [--dim 768] [--atoms 16384] [--sparsity 32] [--curve] [--json FILE]

The rows are planted (sums of random atoms with noise) and are written to a temporary file block by block. The pass is
`KSVD(batch_size=…, max_iter=1).fit` over all of them, with its checks and from random rows of the file. `product` is
X·Dᵀ of all rows by blocks of 1024 on as many threads, half of it before and half of it after the pass. Processor
seconds of all threads are compared, because other programs on the machine count little there; wall seconds are given
too. Memory is the peak of what the process allocated itself during the pass (RssAnon), imports included: pages of the
mapped file belong to the system, which can drop them. `--curve` measures coding instead, for a range of rows, atoms,
dimensions and sparsities around a medium size.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time, sleep
from typing import Any

import numpy as np

from common import describe_machine, make_parser, show
from wordatoms import KSVD
from wordatoms.atoms.sparse_coding import row_blocks, sparse_code
from wordatoms.parallel import one_blas_thread, run_threads

BLOCK = 1024


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


def write_rows(path: Path, atoms: np.ndarray, n_rows: int, sparsity: int, threads: int) -> np.ndarray:
    file = np.lib.format.open_memmap(path, "w+", np.float32, (n_rows, atoms.shape[1]))

    def plant(block: slice) -> None:
        rng = np.random.default_rng((1, block.start))
        file[block] = planted_rows(atoms, block.stop - block.start, sparsity, rng)

    run_threads(plant, row_blocks(n_rows, BLOCK), threads)
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


class Clock:
    """Wall and processor seconds, added up over several stretches."""

    def __init__(self) -> None:
        self.wall = self.processor = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, processor = perf_counter(), process_time()
        yield
        self.wall, self.processor = self.wall + perf_counter() - wall, self.processor + process_time() - processor


def multiply(rows: np.ndarray, atoms: np.ndarray, blocks: list[slice], threads: int) -> None:
    memory = threading.local()

    def one(block: slice) -> None:
        if not hasattr(memory, "out"):
            memory.out = np.empty((BLOCK, len(atoms)), np.float32)
        np.matmul(rows[block], atoms.T, out=memory.out[: block.stop - block.start])

    with one_blas_thread():
        run_threads(one, blocks, threads)


def measure_pass(options: argparse.Namespace) -> dict[str, Any]:
    vectors = random_units(options.atoms, options.dim, np.random.default_rng(0))
    learner: dict[str, Any] = {"sparsity": options.sparsity, "n_jobs": options.threads, "max_iter": 1}
    with TemporaryDirectory(dir=options.folder) as folder:
        rows = write_rows(Path(folder) / "rows.npy", vectors, options.rows, options.sparsity, options.threads)
        KSVD(64, batch_size=64, **learner).fit(rows[:128])  # compiles
        blocks = row_blocks(len(rows), BLOCK)
        product, whole = Clock(), Clock()
        with product.running():
            multiply(rows, vectors, blocks[::2], options.threads)
        peak = [before := allocated_bytes()]
        with watch_memory(peak), whole.running():
            model = KSVD(options.atoms, batch_size=options.batch, **learner).fit(rows)
        with product.running():
            multiply(rows, vectors, blocks[1::2], options.threads)
    return {
        "rows": options.rows,
        "dim": options.dim,
        "atoms": options.atoms,
        "sparsity": options.sparsity,
        "batch": options.batch,
        "product_processor_seconds": product.processor,
        "pass_processor_seconds": whole.processor,
        "pass_over_product": whole.processor / product.processor,
        "product_wall_seconds": product.wall,
        "pass_wall_seconds": whole.wall,
        "pass_over_product_wall": whole.wall / product.wall,
        "error_of_the_pass": model.error_,
        "allocated_bytes_before": before,
        "peak_allocated_bytes": max(peak),
        "gram_bytes": 2 * options.atoms**2,
        "codes_bytes": 8 * options.rows * options.sparsity,
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

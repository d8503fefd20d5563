"""Speed of the SN and GloVe trainers, compared with a lower bound and the authors' C programs.

    python benchmarks/training.py COUNTS [--dim 300] [--threads 1] [--repeat 3] [--epochs 8] [--json training.json]

COUNTS is a model folder with counts, or a text to count. Prints pairs per second and thread for dividing the pairs into
blocks and for training; the ratio to the C programs; the ratio to the floor (reading and writing the vector of each
partner once, in the same order); and the seconds to reach the lowest loss of the algorithm of the C programs: AdaGrad
with one accumulator per number, over all pairs in both directions in random order. That algorithm is run here only for
its losses; its time is its number of epochs at the speed of the C program.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from common import best, describe_machine, make_parser, show
from wordatoms.counts.cooccurrence import Counts, count_pairs
from wordatoms.counts.vocabulary import build_vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.blocks import Blocks, cut_pairs
from wordatoms.embeddings.trainers.glove import train_glove
from wordatoms.embeddings.trainers.sn import WEIGHTINGS, train_sn
from wordatoms.kernels import jit, jit_fastmath
from wordatoms.progress import TrainingReport
from wordatoms.text.corpus import open_corpus

C_PAIRS_PER_SECOND = {"sn": 240e3, "glove": 82e3}
"""The C programs of the authors of SN and of GloVe, one thread, 300 dimensions, 7.9M pairs of 11,022 words of English
Wikipedia, on an idle machine of the kind this project is developed on (2 cores). They store each pair in both
directions, which count as one pair here. For SN it is the highest speed measured."""
TRAINERS: dict[str, Callable[..., Embeddings]] = {"sn": train_sn, "glove": train_glove}
REFERENCE_RATE = np.float32(0.05)


@jit
def touch_partners(vectors, bounds, partner):
    """The floor of a pass: read and write the vector of each partner once."""
    for at in range(bounds[0], bounds[-1]):
        row = vectors[partner[at]]
        for k in range(vectors.shape[1]):
            row[k] = -row[k]


@jit_fastmath
def reference_sn(rows, columns, log_x, f, vectors, squares, constant, rate):
    """An epoch of SN with one accumulator per number; constant is C and its accumulator. Returns the loss."""
    loss = 0.0
    for at in range(len(rows)):
        v, u, v_squares, u_squares = vectors[rows[at]], vectors[columns[at]], squares[rows[at]], squares[columns[at]]
        norm = np.float32(0)
        for k in range(len(v)):
            norm += (v[k] + u[k]) * (v[k] + u[k])
        error = norm + constant[0] - log_x[at]
        loss += f[at] * error * error
        for k in range(len(v)):
            gradient = np.float32(4) * f[at] * error * (v[k] + u[k])
            v[k] -= rate * gradient / np.sqrt(v_squares[k])
            u[k] -= rate * gradient / np.sqrt(u_squares[k])
            v_squares[k] += gradient * gradient
            u_squares[k] += gradient * gradient
        constant[0] -= rate * np.float32(2) * f[at] * error / np.sqrt(constant[1])
        constant[1] += (np.float32(2) * f[at] * error) ** 2
    return loss


@jit_fastmath
def reference_glove(rows, columns, log_x, f, vectors, squares, rate):
    """An epoch of GloVe with one accumulator per number; vectors end in (bias, 1), contexts in (1, bias)."""
    loss = 0.0
    n_words, dim = len(vectors) // 2, vectors.shape[1] - 2
    for at in range(len(rows)):
        w, c = vectors[rows[at]], vectors[n_words + columns[at]]
        w_squares, c_squares = squares[rows[at]], squares[n_words + columns[at]]
        product = np.float32(0)
        for k in range(len(w)):
            product += w[k] * c[k]
        error = product - log_x[at]
        loss += f[at] * error * error
        for k in range(len(w)):
            w_gradient, c_gradient = f[at] * error * c[k], f[at] * error * w[k]
            w[k] -= rate * w_gradient / np.sqrt(w_squares[k])
            c[k] -= rate * c_gradient / np.sqrt(c_squares[k])
            w_squares[k] += w_gradient * w_gradient
            c_squares[k] += c_gradient * c_gradient
        w[dim + 1] = c[dim] = np.float32(1)
    return loss


class Shuffled(NamedTuple):
    """All pairs of two different words, in both directions and random order."""

    rows: np.ndarray
    columns: np.ndarray
    log_x: np.ndarray
    f: np.ndarray


def shuffled_pairs(counts: Counts) -> Shuffled:
    rows = np.repeat(np.arange(len(counts), dtype=np.int32), np.diff(counts.indptr))
    apart = rows != counts.indices
    one, two, x = rows[apart], counts.indices[apart], counts.values[apart] / counts.unit
    order = np.random.default_rng(0).permutation(2 * len(x))
    log_x, f = np.log(x).astype(np.float32), np.minimum(1, (x / 100) ** 0.75).astype(np.float32)
    directions = (np.r_[one, two], np.r_[two, one], np.r_[log_x, log_x], np.r_[f, f])
    return Shuffled(*(array[order] for array in directions))


def reference_losses(method: str, counts: Counts, dim: int, epochs: int) -> list[float]:
    pairs = shuffled_pairs(counts)
    n_rows, width = (len(counts), dim) if method == "sn" else (2 * len(counts), dim + 2)
    vectors = (np.random.default_rng(0).random((n_rows, width), np.float32) - np.float32(0.5)) / (dim + 1)
    squares, constant = np.ones_like(vectors), np.array([0, 1], np.float32)
    if method == "sn":
        return [reference_sn(*pairs, vectors, squares, constant, REFERENCE_RATE) / len(pairs.f) for _ in range(epochs)]
    vectors[: len(counts), dim + 1] = vectors[len(counts) :, dim] = 1
    return [reference_glove(*pairs, vectors, squares, REFERENCE_RATE) / len(pairs.f) for _ in range(epochs)]


def cut(counts: Counts, threads: int) -> Blocks:
    is_fixed = np.zeros(len(counts), bool)
    options: dict[str, Any] = {"min_value": 0.0, "self_pairs": False, "is_fixed": is_fixed, "random_state": 0}
    return cut_pairs(counts, WEIGHTINGS["program"], threads=threads, **options)


def floor_seconds(blocks: Blocks, dim: int, repeat: int) -> float:
    """One pass over all blocks on one thread."""
    vectors = blocks.spread_vectors(np.ones((len(blocks.layout.row), dim), np.float32))
    groups = range(blocks.n_groups)

    def touch() -> None:
        for left in groups:
            for right in groups:
                touch_partners(vectors[blocks.rows(right)], blocks.segments(left, right), blocks.pairs.partner)

    touch()
    return best(touch, repeat)


def train(method: str, counts: Counts, dim: int, epochs: int, threads: int) -> list[TrainingReport]:
    reports: list[TrainingReport] = []
    TRAINERS[method](counts, dim=dim, epochs=epochs, threads=threads, callback=reports.append)
    return reports


def measure_method(
    method: str, counts: Counts, floor: float, n_pairs: int, options: argparse.Namespace
) -> dict[str, Any]:
    train(method, counts, options.dim, 1, options.threads)  # compiles
    reports = train(method, counts, options.dim, options.epochs, options.threads)
    seconds = min(report.seconds for report in reports)
    rate = n_pairs / seconds / options.threads
    reference = reference_losses(method, counts, options.dim, options.reference_epochs)
    goal, goal_epoch = min(reference), reference.index(min(reference)) + 1
    reached = next((report.step for report in reports if report.loss <= goal), None)
    ours = sum(report.seconds for report in reports[:reached]) if reached else None
    theirs = goal_epoch * n_pairs / C_PAIRS_PER_SECOND[method]
    return {
        "pairs_per_second_per_thread": rate,
        "ratio_to_c_program_per_thread": rate / C_PAIRS_PER_SECOND[method],
        "seconds_over_floor_per_thread": seconds * options.threads / (floor if method == "sn" else 2 * floor),
        "losses": [report.loss for report in reports],
        "seconds": sum(report.seconds for report in reports),
        "reference_losses": reference,
        "goal": goal,
        "epochs_to_goal": reached,
        "seconds_to_goal": ours,
        "seconds_of_c_program_to_goal": theirs,
        "times_faster_to_goal_per_thread": theirs / ours / options.threads if ours else None,
    }


def load_counts(path: Path, work: Path) -> Counts:
    if path.is_dir() and (path / "counts.json").exists():
        return Counts.load(path)
    corpus = open_corpus([path], work=work)
    return count_pairs(corpus, build_vocabulary(corpus, min_count=50), folder=work)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with TemporaryDirectory() as work:
        counts = load_counts(options.counts, Path(work))
        blocks = cut(counts, options.threads)
        cutting = best(lambda: cut(counts, options.threads), options.repeat)
        floor = floor_seconds(blocks, options.dim, options.repeat)
        return {
            "machine": describe_machine(),
            "threads": options.threads,
            "dim": options.dim,
            "n_words": len(counts),
            "n_pairs": blocks.n_pairs,
            "cut_pairs_per_second_per_thread": blocks.n_pairs / cutting / options.threads,
            "bytes_per_pair": sum(array.nbytes for array in blocks.pairs) / blocks.n_pairs,
            "floor_pairs_per_second": blocks.n_pairs / floor,
            **{method: measure_method(method, counts, floor, blocks.n_pairs, options) for method in options.methods},
        }


def main() -> None:
    parser = make_parser(__doc__, threads=1, repeat=3, dim=300, epochs=8, reference_epochs=5)
    parser.add_argument("counts", type=Path, help="a model folder with counts, or a text")
    parser.add_argument("--methods", nargs="+", choices=list(TRAINERS), default=list(TRAINERS))
    options = parser.parse_args()
    show(measure(options), options.json)


if __name__ == "__main__":
    main()

"""Compare numbers of atoms, sparsities, and a fixed sparsity with one that grows with word frequency.

    python benchmarks/atoms.py MODEL [--sizes 500,1000] [--sparsities 3,4] [--ranges 3-7] [--plot FILE] [--json FILE]

For each setting, k-SVD runs twice from different seeds. The benchmark reports the relative error, the overlap of the
atoms of the two runs, and how well the atoms decompose words whose senses are known. Such a word is a mixture of two
unrelated words, the rarer at least a quarter as frequent as the other: the sum of their vectors, each weighted by its
share of the occurrences, as in Theorem 2. A sense counts as found if the heaviest atom of its word is among the atoms
of the mixture. Noise is an atom of the mixture that neither word has. No test set is used.
"""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from common import make_parser, show
from wordatoms.atoms.learning import KSVDRun, learn_run, overlaps, sparsity_by_count
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.drawing.charts import Line, LineChart, write_charts
from wordatoms.embeddings.embeddings import Embeddings

N_MIXTURES = 5000
LARGEST_COSINE = 0.2
"""Two words with a smaller cosine count as unrelated."""


class Mixtures(NamedTuple):
    """Pairs of rows, and the vectors and counts of their mixtures."""

    rows: NDArray[np.intp]
    vectors: NDArray[np.float32]
    counts: NDArray[np.int64]


def make_mixtures(embeddings: Embeddings, seed: int = 0) -> Mixtures:
    rng, counts = np.random.default_rng(seed), embeddings.counts
    if counts is None:
        raise SystemExit("the model has no word counts; pass a model that was trained on text.")
    # Leave out function words and rare words.
    pairs = rng.integers(100, min(len(embeddings), 20_000), (20 * N_MIXTURES, 2))
    cosines = np.einsum("ij,ij->i", embeddings.unit_vectors[pairs[:, 0]], embeddings.unit_vectors[pairs[:, 1]])
    balanced = counts[pairs].min(axis=1) * 4 >= counts[pairs].max(axis=1)
    rows = pairs[(cosines < LARGEST_COSINE) & balanced][:N_MIXTURES]
    shares = counts[rows] / counts[rows].sum(axis=1, keepdims=True)
    vectors = np.einsum("is,isd->id", shares, embeddings.vectors[rows])
    return Mixtures(rows, vectors.astype(np.float32), counts[rows].sum(axis=1))


def recovery(embeddings: Embeddings, mixtures: Mixtures, run: KSVDRun, sparsity: Any) -> dict[str, float]:
    """The share of senses found, of mixtures with both senses found, and of atoms that are noise."""
    words = sparse_code(embeddings.vectors, run.atoms, sparsity=sparsity)
    limits = sparsity if isinstance(sparsity, int) else sparsity[mixtures.rows].max(axis=1)
    mixed = sparse_code(mixtures.vectors, run.atoms, sparsity=limits)
    heaviest = words.atoms[mixtures.rows, 0]
    shown = np.where(mixed.weights > 0, mixed.atoms, -1)
    found = (heaviest[:, :, None] == shown[:, None, :]).any(axis=2)
    of_words = np.where(words.weights > 0, words.atoms, -2)[mixtures.rows].reshape(len(shown), -1)
    noise = (shown >= 0) & ~(shown[:, :, None] == of_words[:, None, :]).any(axis=2)
    return {
        "senses_found": float(found.mean()),
        "both_found": float(found.all(axis=1).mean()),
        "noise": float(noise.sum() / (shown >= 0).sum()),
    }


def measure(embeddings: Embeddings, mixtures: Mixtures, name: str, n_atoms: int, sparsity: Any) -> dict[str, Any]:
    started = perf_counter()
    runs = [learn_run(embeddings, n_atoms=n_atoms, sparsity=sparsity, random_state=seed) for seed in range(2)]
    overlap = float(np.mean([share for *_, share in overlaps([run.atoms for run in runs])]))
    found = [recovery(embeddings, mixtures, run, sparsity) for run in runs]
    row = {
        "atoms": n_atoms,
        "sparsity": name,
        "error": float(np.mean([run.error for run in runs])),
        "overlap": overlap,
        "in_common": round(overlap * n_atoms),
        **{key: float(np.mean([each[key] for each in found])) for key in found[0]},
        "seconds": round((perf_counter() - started) / 2, 1),
    }
    print(json.dumps(row), flush=True)
    return row


def numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",") if part]


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sizes", type=numbers, default=[500, 1000, 1500, 2000, 3000, 4000])
    parser.add_argument("--sparsities", type=numbers, default=[2, 3, 4, 6, 8])
    parser.add_argument(
        "--ranges", default="2-8,3-7", help="ranges of a sparsity that grows with the logarithm of the count"
    )
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    embeddings = Embeddings.load(arguments.model)
    mixtures = make_mixtures(embeddings)
    rows = [measure(embeddings, mixtures, "5", size, 5) for size in arguments.sizes]
    rows += [measure(embeddings, mixtures, str(sparsity), 2000, sparsity) for sparsity in arguments.sparsities]
    for text in filter(None, arguments.ranges.split(",")):
        low, high = map(int, text.split("-"))
        rows.append(measure(embeddings, mixtures, text, 2000, sparsity_by_count(embeddings, low, high)))
    show({"model": arguments.model.name, "n_mixtures": len(mixtures.rows), "settings": rows}, arguments.json)
    if arguments.plot:
        curve = rows[: len(arguments.sizes)]
        measures = {
            "overlap": "overlap of two runs",
            "both_found": "both senses of a mixture found",
            "error": "relative error",
        }
        lines = {name: Line(arguments.sizes, [row[key] for row in curve]) for key, name in measures.items()}
        title = f"How many atoms? ({arguments.model.name}, sparsity 5)"
        write_charts(arguments.plot, [LineChart(title, "atoms", "share", lines)])


if __name__ == "__main__":
    main()

"""Compare a compact model with the full model it was made from: scores on every task, and loading time.

    python benchmarks/compact.py FULL COMPACT --data DIR [--seeds 3] [--json docs/results/compact.json]

Clusters depend on the start of k-means, so word sense induction is averaged over several seeds for both models.
Loading words, vectors, atoms and map is timed in separate processes after the imports; the best of several counts.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import fmean

import wordatoms as wa
from common import make_parser, show
from wordatoms.paper.tasks.lineup.data import load_testbed
from wordatoms.paper.tasks.lineup.evaluate import HEADLINE, evaluate_lineup
from wordatoms.paper.tasks.lineup.methods import atoms_method
from wordatoms.paper.tasks.scws.evaluate import evaluate_scws, read_scws
from wordatoms.paper.tasks.scws.methods import our_methods as scws_methods
from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy
from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity
from wordatoms.paper.tasks.wsi.data import read_semeval
from wordatoms.paper.tasks.wsi.evaluate import evaluate_wsi
from wordatoms.paper.tasks.wsi.methods import our_methods as wsi_methods

OPENING = """
import sys
import numpy, wordatoms.senses.model, wordatoms.contexts.induced_map
from time import perf_counter
import wordatoms as wa
started = perf_counter()
model = wa.load(sys.argv[1])
model.senses("tie"); model.embeddings; model.atoms; model.induced_map
print(perf_counter() - started)
"""
N_OPENINGS = 7


def measure(model: wa.SenseModel, data: Path, n_seeds: int) -> dict[str, float]:
    """The main score of each task."""
    similarity = evaluate_similarity(model.embeddings, data).to_json()["scores"]
    figures = {f"similarity, {name}": scores["spearman"] for name, scores in similarity.items()}
    figures["analogies"] = evaluate_analogy(model.embeddings, data).to_json()["scores"]["total"]["accuracy"]
    figures |= induction(model, data, n_seeds)
    pairs = read_scws(data, model.tokenizer)
    figures["similarity in context"] = evaluate_scws(pairs, scws_methods(model)).to_json()["scores"]["ours"]["spearman"]
    lineup = evaluate_lineup(load_testbed(None), {"ours": atoms_method(model)}).figures["ours"][HEADLINE]
    return {**figures, "lineup, precision": lineup.precision, "lineup, recall": lineup.recall}


def induction(model: wa.SenseModel, data: Path, n_seeds: int) -> dict[str, float]:
    """AVG with fixed k (mean over 2 to 5) and with automatic k, averaged over seeds."""
    words = read_semeval(data, model.tokenizer)
    runs = []
    for seed in range(n_seeds):
        ours = [method for method in wsi_methods(model, random_state=seed) if method.name.startswith("ours")]
        rows = evaluate_wsi(words, ours, random_state=seed).to_json()["scores"]
        runs.append({name: rows[name]["AVG"] for name in (method.name for method in ours)})
    fixed = [name for name in runs[0] if "auto" not in name]
    return {
        "word sense induction, k = 2 to 5": fmean(run[name] for run in runs for name in fixed),
        "word sense induction, k auto": fmean(run["ours, k auto"] for run in runs),
    }


def opening_seconds(path: Path) -> float:
    command = [sys.executable, "-c", OPENING, str(path)]
    return min(float(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(N_OPENINGS))


def main() -> None:
    parser = make_parser(__doc__, seeds=3)
    parser.add_argument("full", type=Path)
    parser.add_argument("compact", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    given = parser.parse_args()
    full, small = (measure(wa.load(path), given.data, given.seeds) for path in (given.full, given.compact))
    result = {
        "tasks": {
            task: {"full": full[task], "compact": small[task], "loss": (full[task] - small[task]) / full[task]}
            for task in full
        },
        "seeds": given.seeds,
        "opening_seconds": {"full": opening_seconds(given.full), "compact": opening_seconds(given.compact)},
        "n_bytes": sum(path.stat().st_size for path in given.compact.iterdir()),
    }
    show(result, given.json)


if __name__ == "__main__":
    main()

"""One table for several trained models: word similarity, analogies, and the time and memory of training.

    python benchmarks/health.py MODEL… --data DIR [--nearest tie spring bank]

Minutes and peak memory are those of the stage `embed`, as recorded in the manifest, which a compact model does not say;
counting is not included. MODEL may be "english", the bundled one. Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordatoms.cli.models import find_model
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.paper.tasks.similarity.analogy import evaluate_analogy
from wordatoms.paper.tasks.similarity.evaluate import evaluate_similarity
from wordatoms.storage.folder import ModelFolder

SETS = {"WS353": "EN-WS-353-ALL", "MEN": "EN-MEN-TR-3k", "SimLex": "EN-SIMLEX-999", "RG65": "EN-RG-65"}


def describe(model: Path, data: Path) -> list[str]:
    record = ModelFolder(model).stages["embed"]
    embeddings = Embeddings.load(model)
    similarity = evaluate_similarity(embeddings, data).to_json()["scores"]
    analogy = evaluate_analogy(embeddings, data).to_json()["scores"]["total"]
    return [
        f"`{record['settings']['method']}`",
        *(_rounded(similarity[name]["spearman"]) for name in SETS.values()),
        _rounded(analogy["accuracy"]),
        f"{record['seconds'] / 60:.1f}" if "seconds" in record else "–",
        f"{record['peak_memory'] / 1e9:.1f}" if "peak_memory" in record else "–",
    ]


def _rounded(score: float | None) -> str:
    """A score with three digits, or a dash if the model knows too few of the words."""
    return "–" if score is None else f"{score:.3f}"


def write_row(cells: list[str]) -> None:
    sys.stdout.write(f"| {' | '.join(cells)} |\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="+", type=lambda path: Path(find_model(path)))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--nearest", nargs="*", default=[])
    arguments = parser.parse_args()
    header = ["method", *SETS, "analogies", "minutes", "peak GB"]
    write_row(header)
    write_row(["---"] * len(header))
    for model in arguments.models:
        write_row(describe(model, arguments.data))
    for word in arguments.nearest:
        sys.stdout.write(f"\n**{word}**\n\n")
        for model in arguments.models:
            method = ModelFolder(model).stages["embed"]["settings"]["method"]
            nearby = ", ".join(near.word for near in Embeddings.load(model).nearest(word, 8))
            sys.stdout.write(f"- `{method}`: {nearby}\n")


if __name__ == "__main__":
    main()

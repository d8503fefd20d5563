"""How well do cosines of vectors tell, in text held out, words that occur together from words that do not?

    python benchmarks/held_out_pairs.py MODEL… --text HELD_OUT

Pairs of words that share a window of the held-out text, without the most frequent words, against the same words paired
at random, so that frequency gives nothing away. The score is the area under the ROC curve of the cosine (0.5 is
chance), for the vectors as they are and without the direction of log frequency. All models must have the same words.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.windows import sample_windows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers.sn import complete_vectors, without_frequency
from wordatoms.pipeline.map import model_text
from wordatoms.run import Run
from wordatoms.storage.folder import ModelFolder

N_WINDOWS, N_PLACES = 100_000, 8
MOST_FREQUENT = 200


def pairs_of(windows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Pairs of the middle word of each window with some of its neighbours."""
    middle = windows.shape[1] // 2
    places = np.random.default_rng(0).permutation(np.delete(np.arange(windows.shape[1]), middle))[:N_PLACES]
    ones = np.repeat(windows[:, middle], N_PLACES)
    others = windows[:, places].ravel()
    kept = (np.minimum(ones, others) >= MOST_FREQUENT) & (ones != others)
    return ones[kept], others[kept]


def score(embeddings: Embeddings, windows: NDArray[np.int32]) -> float:
    from sklearn.metrics import roc_auc_score

    ones, others = pairs_of(windows)
    shuffled = np.random.default_rng(1).permutation(others)
    unit = embeddings.unit_vectors
    cosines = [(unit[ones] * unit[each]).sum(axis=1) for each in (others, shuffled)]
    return float(roc_auc_score(np.repeat([1, 0], len(ones)), np.concatenate(cosines)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--text", required=True)
    given = parser.parse_args()
    run = Run(threads=1)
    words = Embeddings.load(given.models[0]).words
    with model_text(ModelFolder(given.models[0]), [given.text], run) as corpus:
        windows = sample_windows(corpus, words, n_windows=N_WINDOWS, random_state=1, run=run)
    sys.stdout.write("| vectors | as trained | without the direction of log frequency |\n|---|---|---|\n")
    for model in given.models:
        whole = complete_vectors(Embeddings.load(model))
        if whole.words != words:
            raise SystemExit(f"{model} has other words than {given.models[0]}; train them on the same text.")
        scores = (score(each, windows) for each in (whole, without_frequency(whole)))
        sys.stdout.write(f"| `{model.name}` | {' | '.join(f'{value:.3f}' for value in scores)} |\n")


if __name__ == "__main__":
    main()

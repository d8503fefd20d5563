"""Choose the window and the scale of `topics`: how well does the first half of a document predict the second?

    python benchmarks/topic_settings.py --train part-00.txt --held held-out.txt --json docs/results/topic-settings.json

Each window of the training paragraphs gives its words to its topics (the nearest atom, or probabilities with a scale),
which gives p(w|t). The topics of the first half of a held-out paragraph, θ, predict the words of the second half by
λ Σ θ_t p(w|t) + (1 − λ) p(w). Words more frequent than one in a thousand are not predicted. Every second held-out
paragraph chooses λ and the settings; the others give the figures of the report. Lower is better: bits per word, less
those of p(w) alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

import wordatoms as wa
from wordatoms.parallel import one_blas_thread
from wordatoms.senses.topics import WindowAtoms

WINDOWS = ((10, 10), (5, 10), (20, 10))
"""Known words on each side, and words from one window to the next: the same, so that all cost the same."""
SCALES: tuple[float | None, ...] = (None, 5.0, 10.0, 15.0, 20.0, 30.0)
MIXES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SHORTEST = 80
"""Known words of a paragraph."""
PRIOR = 200.0
"""Words of p(w) added to those of each topic."""
MOST = 30
"""Atoms of a window; those with smaller shares are left out."""


def read_paragraphs(paths: list[Path], windows: WindowAtoms, limit: int) -> list[NDArray[np.int32]]:
    """The known words of the first long paragraphs of each file, by their rows."""
    found = []
    for path in paths:
        n_left = limit // len(paths)
        with path.open(encoding="utf-8") as file:
            for line in file:
                rows = windows.known_rows(line, windows.lexicon)
                if len(rows) >= SHORTEST:
                    found.append(rows)
                    n_left -= 1
                if not n_left:
                    break
    return found


def cosines(windows: WindowAtoms, documents: list[NDArray[np.int32]]) -> tuple[NDArray, NDArray, NDArray[np.float32]]:
    """The document and the beginning of each window, and its cosines with all atoms."""
    blocks = list(windows._blocks(documents))
    owners, starts = (np.concatenate([block[place] for block in blocks]) for place in (0, 1))
    return owners, starts, np.concatenate([block[2] @ windows.atoms.T for block in blocks])


def shares(cosine: NDArray[np.float32], scale: float | None) -> csr_matrix:
    """The shares of atoms in each window."""
    n = len(cosine)
    if scale is None:
        return csr_matrix((np.ones(n), (np.arange(n), cosine.argmax(axis=1))), shape=cosine.shape)
    kept = np.argpartition(-cosine, MOST, axis=1)[:, :MOST]
    powers = np.exp(scale * (np.take_along_axis(cosine, kept, 1) - cosine.max(axis=1, keepdims=True)))
    powers /= powers.sum(axis=1, keepdims=True)
    return csr_matrix((powers.ravel(), kept.ravel(), np.arange(n + 1) * MOST), shape=cosine.shape)


def bags(windows: WindowAtoms, documents: list, owners: NDArray, starts: NDArray, n_words: int) -> csr_matrix:
    """The words of each window."""
    width = 2 * windows.window + 1
    rows = [documents[owner][start : start + width] for owner, start in zip(owners, starts, strict=True)]
    ends = np.cumsum([0, *map(len, rows)])
    return csr_matrix((np.ones(ends[-1]), np.concatenate(rows), ends), shape=(len(rows), n_words))


def measure(model: wa.SenseModel, train: list, held: list, window: int, step: int) -> list[dict]:
    windows = WindowAtoms.of_model(model, window, step, remove_common=True, scale=None)
    n_words = len(model.words)
    telling = windows.sif.weights >= 0.5
    owners, starts, near = cosines(windows, train)
    words = bags(windows, train, owners, starts, n_words)
    words = words.multiply(telling[None]).tocsr()
    unigram = np.asarray(words.sum(axis=0)).ravel() + 0.5 * telling
    unigram /= unigram.sum()
    firsts = [rows[: len(rows) // 2] for rows in held]
    seconds = [rows[len(rows) // 2 :][telling[rows[len(rows) // 2 :]]] for rows in held]
    held_owners, _, held_near = cosines(windows, firsts)
    found = []
    for scale in SCALES:
        counts = (shares(near, scale).T @ words).tocsr()
        totals = np.asarray(counts.sum(axis=1)).ravel()
        chosen = shares(held_near, scale)
        places = (held_owners, np.arange(len(held_owners)))
        mean = csr_matrix((np.ones(len(held_owners)), places), shape=(len(held), len(held_owners)))
        theta = (mean @ chosen).tocsr()
        theta = theta.multiply(1 / np.maximum(theta.sum(axis=1), 1e-12)).tocsr()
        weighted = theta.multiply(1 / (totals + PRIOR)[None]).tocsr()
        seen = (weighted @ counts).tocsr()  # Σ θ_t n(w, t) / (n(t) + prior)
        rest = np.asarray(weighted.sum(axis=1)).ravel() * PRIOR
        scores = np.zeros((len(held), len(MIXES)))
        plain = np.zeros(len(held))
        for row, own in enumerate(seconds):
            line = np.zeros(n_words)
            part = slice(seen.indptr[row], seen.indptr[row + 1])
            line[seen.indices[part]] = seen.data[part]
            p = line[own] + rest[row] * unigram[own]
            plain[row] = -np.log2(unigram[own]).sum()
            for place, mix in enumerate(MIXES):
                scores[row, place] = -np.log2(mix * p + (1 - mix) * unigram[own]).sum()
        n_own = np.array([len(own) for own in seconds])
        choosing = np.arange(len(held)) % 2 == 0
        best = int(scores[choosing].sum(axis=0).argmin())
        gain = [(scores[part, best].sum() - plain[part].sum()) / n_own[part].sum() for part in (choosing, ~choosing)]
        found.append(
            {
                "window": window,
                "step": step,
                "scale": scale,
                "mix": MIXES[best],
                "bits_chosen_on": round(gain[0], 4),
                "bits_reported_on": round(gain[1], 4),
                "topics_per_document": round(float(np.diff(theta.indptr).mean()), 1),
            }
        )
        print(json.dumps(found[-1]), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", nargs="+", type=Path, required=True)
    parser.add_argument("--held", nargs="+", type=Path, required=True)
    parser.add_argument("--paragraphs", type=int, default=1800)
    parser.add_argument("--held-paragraphs", type=int, default=900)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    model = wa.load()
    reader = WindowAtoms.of_model(model, None, None, remove_common=True, scale=None)
    started = perf_counter()
    train = read_paragraphs(arguments.train, reader, arguments.paragraphs)
    held = read_paragraphs(arguments.held, reader, arguments.held_paragraphs)
    with one_blas_thread():
        rows = [row for each in WINDOWS for row in measure(model, train, held, *each)]
    facts = {"paragraphs": len(train), "held_out_paragraphs": len(held), "seconds": round(perf_counter() - started)}
    if arguments.json:
        arguments.json.write_text(json.dumps({**facts, "rows": rows}, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""Choose how much the senses meant and the context count in the vector of a word in context, on pseudowords.

    python benchmarks/context_weights.py MODEL --train CORPUS/*.txt --held-out CORPUS/held/*.txt [--json FILE]

A pseudoword joins one to three unrelated words that a list of senses gives one sense each, with shares 6 : 3 : 1. Its
senses are looked for in the training text by their cues, as `wordatoms observe` does; then its vector in a held-out
context of one of its words is compared with that of another pseudoword. The score is Spearman's correlation of these
cosines with those of the words that are hidden; half of these are related. Contexts come as often
as they occur, or from each part alike. The weights are in `wordatoms.senses.by_use`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from common import make_parser, show
from pseudosenses import words_with_one_listed_sense
from wordatoms.contexts.occurrences import Occurrences, sampled_occurrences
from wordatoms.contexts.reader import make_reader
from wordatoms.paper.wordnet import WordNet
from wordatoms.parallel import one_blas_thread
from wordatoms.run import Run
from wordatoms.senses.inventory import read_inventory
from wordatoms.senses.listed import ListReader, find_listed_senses
from wordatoms.senses.observing import ANY_FORM, ListedSenses, context_sums, learn_background
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.posterior import softmax, to_unit
from wordatoms.senses.uses import LISTED_CALIBRATION
from wordatoms.text.corpus import open_corpus

SHARES = (0.6, 0.3, 0.1)
N_PARTS = (1, 1, 2, 3)
MOST_COSINE, N_RELATED = 0.3, 60
N_TRAIN = 300
SENSE_WEIGHTS, CONTEXT_WEIGHTS = (0.0, 0.3, 0.5, 0.7, 1.0, 2.0), (0.0, 0.15, 0.3, 0.5)

Vector = NDArray[np.float32]


class InContext(NamedTuple):
    """A pseudoword in a context: three vectors of length 1."""

    own: Vector
    meant: Vector
    context: Vector

    def sum(self, sense_weight: float, context_weight: float) -> Vector:
        return to_unit((self.own + sense_weight * self.meant + context_weight * self.context)[None])[0]


class Bench:
    def __init__(self, parts: ModelParts, rows: Sequence[int], train: Occurrences, held_out: Occurrences) -> None:
        self.train, self.held_out = train, held_out
        self.reader = make_reader(parts.embeddings, parts.induced_map, parts.reading)
        self.background = learn_background(self.reader, np.asarray(parts.atoms.vectors, np.float32), held_out)
        self.lists = ListReader(read_inventory("english"), parts.words, parts.rows, self.reader, self.background.mean)
        self.rows = np.array([row for row in rows if len(train.of(row).windows) and len(held_out.of(row).windows)])
        self.units = to_unit(np.asarray(parts.embeddings.vectors, np.float32))

    def compare(self, n: int, rng: np.random.Generator, *, alike: bool) -> Iterator[tuple[float, InContext, InContext]]:
        """Yield cosines of two hidden words, and the pseudowords that hide them in their contexts."""
        for number in range(n):
            first = int(rng.choice(self.rows))
            second = self._related(first, rng) if number % 2 else int(rng.choice(self.rows))
            pair = [self._hide(row, int(rng.choice(N_PARTS)), rng, alike=alike) for row in (first, second)]
            yield float(self.units[first] @ self.units[second]), *pair

    def _related(self, row: int, rng: np.random.Generator) -> int:
        nearest = np.argsort(-(self.units[self.rows] @ self.units[row]))
        return int(self.rows[nearest[rng.integers(1, N_RELATED)]])

    def _hide(self, row: int, n_parts: int, rng: np.random.Generator, *, alike: bool) -> InContext:
        rows = [row]
        while len(rows) < n_parts:
            other = int(rng.choice(self.rows))
            if (self.units[rows] @ self.units[other]).max() < MOST_COSINE:
                rows.append(other)
        shares = np.array(SHARES[:n_parts]) / sum(SHARES[:n_parts])
        hidden = int(rng.choice(n_parts, p=None if alike else shares))  # the part that the context is of
        shares = np.concatenate([shares[[hidden]], np.delete(shares, hidden)])
        own = to_unit((shares[:, None] * self.units[rows]).sum(axis=0)[None])[0]
        windows = self.held_out.of(row).windows
        u = self._evidence(_without(windows[[rng.integers(len(windows))]], rows))
        return InContext(own.astype(np.float32), self._meant(rows, shares, u), to_unit(u)[0])

    def _evidence(self, windows: NDArray[np.int32]) -> Vector:
        sums = context_sums(self.reader, windows, self.background.mean)
        least = LISTED_CALIBRATION.evidence * self.background.typical_length
        return np.asarray(sums / np.sqrt((sums**2).sum(axis=1, keepdims=True) + least**2), np.float32)

    def _meant(self, rows: Sequence[int], shares: NDArray[np.float64], u: Vector) -> Vector:
        vectors, prior = self._senses(rows, shares)
        length = float(np.linalg.norm(u))
        logits = LISTED_CALIBRATION.scale * u @ vectors.T
        p = softmax(logits + (1 - LISTED_CALIBRATION.yielding * length) * np.log(np.maximum(prior, 1e-3)))
        return to_unit(p @ vectors)[0].astype(np.float32)

    def _senses(self, rows: Sequence[int], shares: NDArray[np.float64]) -> tuple[Vector, NDArray[np.float64]]:
        sizes = np.maximum(np.rint(N_TRAIN * shares), 4).astype(int)
        found = [self.train.of(row).windows[:size] for row, size in zip(rows, sizes, strict=True)]
        units = to_unit(context_sums(self.reader, _without(np.concatenate(found), rows), self.background.mean))
        cues = np.concatenate([listed.cues for row in rows if (listed := self.lists((row,)))])
        names = tuple(map(str, range(len(cues))))
        equal, forms = np.full(len(units), 1 / len(units)), np.full(len(units), ANY_FORM)
        listed = ListedSenses(names, cues, np.full(len(cues), ANY_FORM))
        senses = find_listed_senses(units, forms, equal, listed, self.background)
        return senses.vectors, senses.shares / senses.shares.sum()


def _without(windows: NDArray[np.int32], rows: Sequence[int]) -> NDArray[np.int32]:
    return np.where(np.isin(windows, rows), -1, windows).astype(np.int32)


def scores(found: Sequence[tuple[float, InContext, InContext]]) -> dict[str, float]:
    """Return the correlation for each pair of weights."""
    hidden = [cosine for cosine, _, _ in found]
    return {
        f"{weights[0]:g} / {weights[1]:g}": round(
            float(spearmanr([a.sum(*weights) @ b.sum(*weights) for _, a, b in found], hidden).statistic), 4
        )
        for weights in product(SENSE_WEIGHTS, CONTEXT_WEIGHTS)
    }


def measure(given: Any) -> dict[str, Any]:
    parts, run = ModelParts(given.model), Run(threads=given.threads)
    counts = np.asarray(parts.embeddings.counts)
    rows = [*words_with_one_listed_sense(parts.words, read_inventory("english"), WordNet(given.wordnet))]
    wanted = np.full(len(counts), 1 << 50)  # so large a count means: hardly any occurrence of the word
    wanted[rows] = counts[rows]
    with TemporaryDirectory() as folder, one_blas_thread():
        work = Path(folder)
        common = {"window": parts.reading.window, "tokenizer": parts.tokenizer, "work": work, "run": run}
        train, held = (open_corpus(files, work=work, threads=given.threads) for files in (given.train, given.held_out))
        with (
            sampled_occurrences(train, parts.words, wanted, n_most=N_TRAIN, **common) as of_train,
            sampled_occurrences(held, parts.words, np.maximum(counts // 40, 1), n_most=60, **common) as of_held,
        ):
            bench = Bench(parts, rows, of_train, of_held)
            return {
                name: scores([*bench.compare(given.comparisons, np.random.default_rng(given.seed), alike=alike)])
                for name, alike in (("as often as they occur", False), ("each part alike", True))
            }


def main() -> None:
    parser = make_parser(__doc__, comparisons=2000, seed=0, threads=2)
    parser.add_argument("model", type=Path)
    parser.add_argument("--train", type=Path, nargs="+", required=True)
    parser.add_argument("--held-out", type=Path, nargs="+", required=True)
    parser.add_argument("--wordnet", type=Path)
    given = parser.parse_args()
    show(measure(given), given.json)


if __name__ == "__main__":
    main()

"""Table 3: is the vector of a pseudoword the sum of its two words' vectors that Theorem 2 predicts (test 1)?

Pairs of words are drawn at random, no word twice, and merged in the counts. The vectors of the pseudowords are trained
with the trainer of the model, with all other vectors fixed, and compared with f₁/(f₁+f₂)·v₁ + f₂/(f₁+f₂)·v₂. The
relative error is the paper's, of squared norms: ‖u − v‖² / ‖v‖². Three baselines show how much of a cosine is due to
the theorem: the more frequent word alone, the plain mean of both words, and the prediction for another pair.

The vectors of all words can also be retrained on the changed text and mapped back linearly (the footnote of
test 1, with skip-gram): `evaluate_retrained_pseudowords`.

If most words are merged, their vectors depend on each other and settle slowly. Then the pseudowords are first trained
on their co-occurrences with the fixed words alone, which gives them their place among these, and after that on all of
their pairs, in rounds of ten epochs, until a round lowers the loss by less than 1%.

`wordatoms.paper.tasks.pseudowords.coefficients` finds the sum that fits best without assuming the theorem, for pairs of
all frequencies too (a comment in the paper's source). SN's constant C is held fixed like the other words, and its
vectors are complete, with the direction of log frequency. Pseudowords as labelled contexts are in
`wordatoms.tuning.pseudowords`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.contexts.induced_map import cosines
from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.merge_words import Merging, draw_pairs, merge_counts, merge_lines
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.trainers import find_trainer, trainer_names
from wordatoms.embeddings.trainers.sn import complete_vectors
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.paper.tasks.pseudowords.coefficients import (
    CoefficientFits,
    fit_coefficients,
    fit_laws,
    squared_norms,
    weighted_sums,
)
from wordatoms.progress import TrainingReport
from wordatoms.storage.files import spill_folder

LARGEST_SHARE = 0.9
"""Share of the words that the paper's largest experiment merges."""
TOLERANCE = 0.01
"""Training has converged when a round of epochs lowers the loss by a smaller share."""
MOST_ROUNDS = 8
EPOCHS_PER_ROUND = 10
N_SPREAD_PAIRS = 100
"""Pairs of words of all frequencies, in the test that stands in a comment of the paper's source."""
AGREEMENT = 0.05
"""Cosines that differ by no more than this count as equal."""

Vectors = NDArray[np.float64]


class Learned(NamedTuple):
    """Trained pseudowords."""

    vectors: Vectors
    """(n_pairs, dim)"""
    alignment: float | None = None
    """If all words were retrained: mean cosine of the unmerged words, mapped back, with what they were."""
    losses: tuple[float, ...] = ()
    """The loss after each round of epochs."""


Learn = Callable[[Merging, int, bool], Learned]
"""Trains pseudowords from the words to merge and a seed; the last argument says to train until the loss settles."""


class PaperFigures(NamedTuple):
    relative_error: float
    cosine: float


PAPER = {
    "glove": {"10": PaperFigures(0.29, 0.91), "1000": PaperFigures(0.32, 0.91), "largest": PaperFigures(0.51, 0.77)},
    "sn": {"10": PaperFigures(0.32, 0.90), "1000": PaperFigures(0.63, 0.72), "largest": PaperFigures(0.67, 0.75)},
}
"""Table 3; its largest experiment has 30,000 pairs, about 90% of the words."""
PAPER_RETRAINED = {"relative_error": (0.20, 0.32), "cosine": (0.86, 0.92)}
"""The footnote's ranges for word2vec."""
PAPER_SPREAD = {"error": 0.06, "pearson": 0.73}
"""100 pairs of various frequencies (in a comment): the error of the best sum is less than 6%, and its coefficients have
this correlation with those of Theorem 2."""


class Pseudoword(NamedTuple):
    """A pair of words, the more frequent one first, and the scores of its pseudoword."""

    word1: str
    word2: str
    count1: int
    count2: int
    relative_error: float
    cosine: float
    """With the prediction of Theorem 2."""
    cosine_frequent: float
    """With the more frequent word."""
    cosine_mean: float
    """With the plain mean of both words."""
    cosine_other: float
    """With the prediction for another pair."""
    alpha: float
    """The best coefficients, in α·v₁ + β·v₂."""
    beta: float


class Run(NamedTuple):
    """Pseudowords that were merged and trained together."""

    n_pairs: int
    seed: int
    is_largest: bool
    alignment: float | None
    """If all words were retrained: mean cosine of the unmerged words, mapped back, with what they were."""
    losses: tuple[float, ...]
    """If training went on until the loss settled: the loss after each round of epochs."""
    pseudowords: tuple[Pseudoword, ...]

    def mean(self, measure: str) -> float:
        return fmean(getattr(pseudoword, measure) for pseudoword in self.pseudowords)


@dataclass(frozen=True)
class PseudowordsResult(TaskResult):
    method: str
    runs: tuple[Run, ...]
    coefficients: CoefficientFits
    spread: CoefficientFits | None = None
    """The coefficients of pairs of words of all frequencies, if that was measured."""

    @cached_property
    def groups(self) -> dict[int, list[Run]]:
        """The runs of each number of pairs."""
        ordered = sorted(self.runs, key=lambda run: run.n_pairs)
        return {n_pairs: list(runs) for n_pairs, runs in groupby(ordered, key=lambda run: run.n_pairs)}

    def paper(self, runs: Sequence[Run]) -> PaperFigures | None:
        name = "largest" if runs[0].is_largest else str(runs[0].n_pairs)
        return PAPER.get(self.method, {}).get(name)

    def rows(self) -> list[dict[str, Any]]:
        return [self._row(n_pairs, runs) for n_pairs, runs in self.groups.items()]

    def more_rows(self) -> list[dict[str, Any]]:
        """The coefficients by ratio of the frequencies."""
        return [asdict(each) for each in self.coefficients.bins]

    def _row(self, n_pairs: int, runs: Sequence[Run]) -> dict[str, Any]:
        def mean(measure: str) -> float:
            return fmean(run.mean(measure) for run in runs)

        paper = self.paper(runs)
        return {
            "pairs": n_pairs,
            "runs": len(runs),
            "rounds": max(len(run.losses) for run in runs) or None,
            "relative_error": mean("relative_error"),
            "paper_error": paper.relative_error if paper else None,
            "cosine": mean("cosine"),
            "deviation": pstdev([run.mean("cosine") for run in runs]),
            "paper_cosine": paper.cosine if paper else None,
            "frequent_word": mean("cosine_frequent"),
            "mean_of_both": mean("cosine_mean"),
            "other_pair": mean("cosine_other"),
        }

    @property
    def verdict(self) -> str:
        if self.method not in PAPER:
            low, high = PAPER_RETRAINED["cosine"]
            words = {True: "agrees", False: "differs"}
            ours = "; ".join(
                f"{row['cosine']:.2f} at {row['pairs']:,} pairs {words[low <= row['cosine'] <= high]}"
                for row in self.rows()
            )
            return f"the paper reports cosines from {low} to {high} for word2vec; ours, {ours}."
        compared = [_compare(row) for row in self.rows() if row["paper_cosine"] is not None]
        table = f"Table 3 of the paper: {'; '.join(compared)}; " if compared else ""
        return table + self.coefficients.verdict

    def to_json(self) -> dict[str, Any]:
        scores = ("runs", "relative_error", "cosine", "deviation")
        baselines = ("frequent_word", "mean_of_both", "other_pair")
        rows = {str(row["pairs"]): row for row in self.rows()}
        paper = {str(n_pairs): self.paper(runs) for n_pairs, runs in self.groups.items()}
        return {
            "method": self.method,
            "scores": {
                **{name: {key: row[key] for key in scores} for name, row in rows.items()},
                "coefficients": asdict(self.coefficients),
                **({"all_frequencies": asdict(self.spread)} if self.spread else {}),
            },
            "baselines": {key: {name: row[key] for name, row in rows.items()} for key in baselines},
            "paper": {
                **{name: figures._asdict() for name, figures in paper.items() if figures},
                **({"all_frequencies": PAPER_SPREAD} if self.spread else {}),
            },
            "losses": {str(run.n_pairs): run.losses for run in self.runs if run.losses},
            "verdict": self.verdict,
            "items": [
                {"pairs": run.n_pairs, "seed": run.seed, "alignment": run.alignment, **pseudoword._asdict()}
                for run in self.runs
                for pseudoword in run.pseudowords
            ],
        }


def _compare(row: Mapping[str, Any]) -> str:
    difference = row["cosine"] - row["paper_cosine"]
    word = "agrees" if abs(difference) <= AGREEMENT else "is higher" if difference > 0 else "is lower"
    return f"cosine {row['paper_cosine']:.2f} at {row['pairs']:,} pairs, ours {row['cosine']:.2f} {word}"


def evaluate_pseudowords(
    embeddings: Embeddings,
    counts: Counts,
    *,
    n_pairs: Sequence[int] = (10, 1000),
    n_runs: int = 5,
    largest: bool = False,
    n_spread: int = 0,
    min_count: int = 1,
    parameters: Mapping[str, Any] | None = None,
    random_state: int = 0,
    threads: int | None = None,
) -> PseudowordsResult:
    """Merge pairs of words in the counts, train the pseudowords alone, compare with Theorem 2.

    Parameters
    ----------
    embeddings
        Vectors by SN or GloVe, with the state of their trainer.
    n_pairs
        Numbers of pairs, for each of which there are `n_runs` runs, with the seeds `random_state`, + 1, …
    largest
        Add one run in which 90% of the words are merged, trained until the loss settles.
    n_spread
        Fit coefficients to this many pairs of words of all frequencies as well.
    min_count
        Rarer words are not drawn.
    parameters
        Parameters of the trainer, preferably those of the model. If few words are trained, 25 epochs come within 0.002
        of the best cosine and within 0.02 of the best relative error.
    """
    held = trainer_names(has="holds_words")
    if embeddings.method not in held:
        raise InputError(
            f"the vectors are by {embeddings.method}, which cannot hold some words and train others; pass a model by "
            f"{' or '.join(held)}, or one by {' or '.join(trainer_names(has='reads_text'))} with its text."
        )
    options: dict[str, Any] = {"parameters": parameters, "threads": threads}
    whole = complete_vectors(embeddings)

    def learn(merging: Merging, seed: int, converge: bool) -> Learned:
        return train_pseudowords(whole, counts, merging, converge=converge, random_state=seed, **options)

    sizes = _sizes(counts.vocabulary, n_pairs, n_runs, largest=largest, min_count=min_count)
    result = _evaluate(whole, counts.vocabulary, learn, sizes, min_count=min_count, random_state=random_state)
    if not n_spread:
        return result
    merging = draw_spread_pairs(counts.vocabulary, n_spread, random_state=random_state)
    trained = learn(merging, random_state, False).vectors
    both = whole.vectors[merging.pairs].astype(np.float64)
    return replace(result, spread=_fit_laws([(merging, trained, both, fit_coefficients(trained, both))]))


def draw_spread_pairs(vocabulary: Vocabulary, n_pairs: int, *, random_state: int = 0) -> Merging:
    """Draw disjoint pairs of words of all frequencies: the logarithm of the rank is uniform, the pairing random."""
    if not 2 <= 2 * n_pairs <= len(vocabulary):
        raise InputError(f"n_pairs is {n_pairs}; pass 1 to {len(vocabulary) // 2:,}.")
    rng = np.random.default_rng(random_state)
    p = 1 / np.arange(1, len(vocabulary) + 1)
    drawn = rng.permutation(rng.choice(len(vocabulary), 2 * n_pairs, replace=False, p=p / p.sum()))
    return Merging(vocabulary, np.sort(drawn.reshape(n_pairs, 2), axis=1))


def train_pseudowords(
    embeddings: Embeddings,
    counts: Counts,
    merging: Merging,
    *,
    converge: bool = False,
    parameters: Mapping[str, Any] | None = None,
    random_state: int = 0,
    threads: int | None = None,
) -> Learned:
    """Train pseudowords from the merged counts with all other words held; `converge` goes on until the loss settles."""
    settings = {**(parameters or {}), "dim": embeddings.dim, "random_state": random_state, "threads": threads}
    settings["fixed"] = ~merging.is_pseudoword
    if embeddings.method == "sn":
        settings |= {"fix_constant": True, "remove_frequency": False}
    merged = merge_counts(counts, merging, pseudowords_only=True)
    train = find_trainer(embeddings.method).train
    losses: list[float] = []
    if converge:
        anchored = _pairs_with_fixed(merged, merging.is_pseudoword)
        trained = train(anchored, start=embeddings, **settings) if anchored.n_pairs else embeddings
        while not _has_settled(losses):
            reports: list[TrainingReport] = []
            trained = train(merged, start=trained, callback=reports.append, **{**settings, "epochs": EPOCHS_PER_ROUND})
            losses.append(reports[-1].loss)
    else:
        trained = train(merged, start=embeddings, **settings)
    vectors = trained.vectors[merging.new_rows[merging.pairs[:, 0]]].astype(np.float64)
    return Learned(vectors, losses=tuple(losses))


def _has_settled(losses: Sequence[float]) -> bool:
    """Whether the last round lowered the loss by less than the tolerance, or there were enough rounds."""
    return len(losses) == MOST_ROUNDS or (len(losses) > 1 and losses[-1] > (1 - TOLERANCE) * losses[-2])


def _pairs_with_fixed(merged: Counts, is_pseudoword: NDArray[np.bool_]) -> Counts:
    """The counts without pairs of two pseudowords."""
    rows = np.repeat(np.arange(len(merged)), np.diff(merged.indptr))
    kept = ~(is_pseudoword[rows] & is_pseudoword[merged.indices])
    numbers = np.bincount(rows[kept], minlength=len(merged))
    return replace(
        merged,
        indptr=np.concatenate([[0], np.cumsum(numbers)]),
        indices=merged.indices[kept],
        values=merged.values[kept],
    )


def evaluate_retrained_pseudowords(
    embeddings: Embeddings,
    lines: Path,
    *,
    n_pairs: Sequence[int] = (10, 1000),
    n_runs: int = 1,
    min_count: int = 1,
    parameters: Mapping[str, Any] | None = None,
    random_state: int = 0,
) -> PseudowordsResult:
    """Merge pairs of words in the text, retrain all words on it, map them back, compare with Theorem 2.

    `lines` is the text of the embeddings: words between spaces, a paragraph per line. `parameters` are those of their
    trainer, which reads text.
    """
    if embeddings.counts is None or embeddings.n_tokens is None:
        raise InputError("the vectors come without counts of their words; pass a model trained on the text.")
    vocabulary = Vocabulary(embeddings.words, embeddings.counts, embeddings.n_tokens)

    def learn(merging: Merging, seed: int, _converge: bool) -> Learned:
        settings = {**(parameters or {}), "dim": embeddings.dim, "random_state": seed}
        trained = _retrain(embeddings.method, lines, merging, settings)
        return Learned(*align_pseudowords(embeddings, trained, merging))

    sizes = _sizes(vocabulary, n_pairs, n_runs, largest=False, min_count=min_count)
    return _evaluate(embeddings, vocabulary, learn, sizes, min_count=min_count, random_state=random_state)


def _retrain(method: str, lines: Path, merging: Merging, parameters: Mapping[str, Any]) -> Embeddings:
    with spill_folder(lines.parent) as folder:
        merge_lines(lines, merging, folder / "merged.txt")
        return find_trainer(method).train(folder / "merged.txt", merging.new_vocabulary, **parameters)


def align_pseudowords(before: Embeddings, after: Embeddings, merging: Merging) -> tuple[Vectors, float]:
    """Pseudowords of one space in another, by the linear map that fits the unmerged words best, and its mean cosine."""
    kept = np.flatnonzero(~merging.is_merged)
    if len(kept) <= before.dim:
        raise InputError(
            f"{len(kept):,} words are not merged, too few for a map of {before.dim} dimensions; merge fewer pairs."
        )
    old = before.vectors[kept].astype(np.float64)
    new = after.vectors.astype(np.float64)
    linear_map, *_ = np.linalg.lstsq(new[merging.new_rows[kept]], old, rcond=None)
    mapped = new @ linear_map
    alignment = cosines(mapped[merging.new_rows[kept]], old).mean()
    return mapped[merging.new_rows[merging.pairs[:, 0]]], float(alignment)


class _Size(NamedTuple):
    """A run to be made."""

    n_pairs: int
    number: int
    is_largest: bool


def _sizes(
    vocabulary: Vocabulary, n_pairs: Sequence[int], n_runs: int, *, largest: bool, min_count: int
) -> list[_Size]:
    if min(n_pairs, default=2) < 2:
        raise InputError(
            f"n_pairs is {min(n_pairs)}; pass 2 or more, because one baseline is the prediction for another pair."
        )
    if n_runs < 1 or not (n_pairs or largest):
        raise InputError(f"n_runs is {n_runs} and n_pairs {list(n_pairs)}; ask for one run or more.")
    sizes = [_Size(number, run, False) for number in n_pairs for run in range(n_runs)]
    n_words = int((vocabulary.counts >= min_count).sum())
    return [*sizes, _Size(max(int(LARGEST_SHARE * n_words) // 2, 2), 0, True)] if largest else sizes


def _evaluate(
    embeddings: Embeddings,
    vocabulary: Vocabulary,
    learn: Learn,
    sizes: Sequence[_Size],
    *,
    min_count: int,
    random_state: int,
) -> PseudowordsResult:
    if embeddings.words != vocabulary.words:
        raise InputError("the vectors and the counts have different words; pass those of one model.")
    runs, fits = [], []
    for size in sizes:
        seed = random_state + size.number
        merging = draw_pairs(vocabulary, size.n_pairs, min_count=min_count, random_state=seed)
        trained, alignment, losses = learn(merging, seed, size.is_largest)
        both = embeddings.vectors[merging.pairs].astype(np.float64)
        coefficients = fit_coefficients(trained, both)
        pseudowords = _compare_with_theorem(merging, trained, both, coefficients)
        runs.append(Run(size.n_pairs, seed, size.is_largest, alignment, losses, pseudowords))
        if not size.is_largest or len(sizes) == 1:  # there, neighbours are pseudowords, and the sum is no longer theirs
            fits.append((merging, trained, both, coefficients))
    return PseudowordsResult(embeddings.method, tuple(runs), _fit_laws(fits))


def _fit_laws(fits: Sequence[tuple[Merging, Vectors, Vectors, Vectors]]) -> CoefficientFits:
    counts = [merging.vocabulary.counts[merging.pairs] for merging, *_ in fits]
    trained, both, coefficients = (np.concatenate([fit[k] for fit in fits]) for k in (1, 2, 3))
    return fit_laws(trained, both, coefficients, np.concatenate(counts))


def _compare_with_theorem(
    merging: Merging, trained: Vectors, both: Vectors, coefficients: Vectors
) -> tuple[Pseudoword, ...]:
    counts = merging.vocabulary.counts[merging.pairs]
    predicted = weighted_sums(both, counts / counts.sum(axis=1, keepdims=True))
    measures = [
        squared_norms(trained - predicted) / squared_norms(predicted),
        cosines(trained, predicted),
        cosines(trained, both[:, 0]),
        cosines(trained, both.mean(axis=1)),
        cosines(trained, np.roll(predicted, 1, axis=0)),
        *coefficients.T,
    ]
    words = merging.vocabulary.words
    return tuple(
        Pseudoword(words[one], words[other], int(count1), int(count2), *map(float, values))
        for (one, other), (count1, count2), values in zip(
            merging.pairs, counts, zip(*measures, strict=True), strict=True
        )
    )

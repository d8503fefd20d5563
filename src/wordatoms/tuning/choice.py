"""Choice of the settings for reading contexts by pseudowords in held-out text.

The contexts of a pseudoword belong to one of two known words (`wordatoms.tuning.pseudowords`). Three questions:

- How well are contexts clustered by word? √(F·V) of two clusters, F over pairs and V the V-measure, chooses noise,
  falloff, window, a and rest (and atoms and sparsity, if several are given); the same with an automatic number of
  clusters, over contexts of two, three and four words, chooses the least gain of a further cluster.
- How well does u_c tell contexts apart? The area under the ROC curve of the similarities of pairs of contexts, same
  word against different words (0.5 is chance), chooses the scale.
- How well is the similarity of the hidden word to other words recovered? Spearman's correlation with the cosines of the
  original words chooses the shares of sense and context. Half of the comparisons are of a word as it is, because not
  all words are ambiguous, and a context must not spoil the vector of an unambiguous word.

Settings are changed one at a time, each to its best value, until a round changes nothing. One half of the pseudowords
decides; the other half gives the reported figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.atoms import Atoms
from wordatoms.contexts.induced_map import InducedMap
from wordatoms.contexts.reader import PAPER_SETTINGS, TUNED, ReadingSettings
from wordatoms.contexts.window_shapes import without_targets
from wordatoms.contexts.windows import WordWindows
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.senses.clustering import cluster_vectors, paired_f_score, v_measure
from wordatoms.senses.frames import Framed, Row, flat_row
from wordatoms.senses.posterior import Posterior, Weights, make_posterior, to_unit
from wordatoms.tuning.pseudowords import Pseudoword, PseudowordSet

GRID = {name: values for settings in TUNED.values() for name, values in settings.items()}
"""Values that are tried by default."""
MOST_ROUNDS = 3
N_NEAR = 10
"""One of this many nearest words is drawn for a comparison with a pseudoword."""

N_STARTS = 4
"""Starts of k-means: fewer than usual, because it runs for every value tried."""

Score = Callable[[ReadingSettings], float]
Represent = Callable[[Weights, NDArray[np.float32]], NDArray[np.float32]]
OnTrial = Callable[["Trial"], None]


class Trial(NamedTuple):
    """A value that was tried, and its score."""

    setting: str
    value: float
    measure: str
    score: float


Figures = dict[str, float]
"""Scores by measure."""


@dataclass(frozen=True, repr=False)
class TuningResult(Framed):
    """The chosen settings, the trials, and figures on the other half of the pseudowords."""

    settings: ReadingSettings
    trials: tuple[Trial, ...]
    chosen: Figures
    default: Figures
    """With the default settings."""
    paper: Figures
    """With contexts as the paper reads them."""
    without_atoms: Figures
    """With the chosen settings and plain context vectors; for words, plain cosines."""

    def _table_rows(self) -> list[Row]:
        """Return a row for each trial."""
        return [flat_row(trial) for trial in self.trials]

    def figures(self) -> dict[str, Figures]:
        """Return all figures by name."""
        return {
            "chosen": self.chosen,
            "default settings": self.default,
            "as in the paper": self.paper,
            "without atoms": self.without_atoms,
        }


class LabelledContexts(NamedTuple):
    """Contexts of two or more words treated as one, the word of each, and the atoms of all of them together."""

    windows: NDArray[np.int32]
    labels: NDArray[np.intp]
    weights: Weights


class Comparison(NamedTuple):
    """A word in a context, and another word in its own context."""

    pseudoword: int | None
    """Number of the pseudoword that hides the first word; None if it is not hidden."""
    word: int
    window: NDArray[np.int32]
    other: int
    other_window: NDArray[np.int32]
    similarity: float
    """Cosine of the two words."""


@dataclass(frozen=True, eq=False)
class Bench:
    """A model and pseudowords on which settings are measured."""

    embeddings: Embeddings
    induced_map: InducedMap
    atoms: Atoms
    pseudowords: PseudowordSet
    comparisons: tuple[Comparison, ...]

    @cached_property
    def _weights(self) -> list[Weights]:
        return self.pseudowords.weights(self.atoms)

    @cached_property
    def _weighted(self) -> list[LabelledContexts]:
        """Contexts of two words each."""
        pairs = zip(self.pseudowords.pseudowords, self._weights, strict=True)
        return [LabelledContexts(each.windows, _labels(each.windows, 2), weights) for each, weights in pairs]

    @cached_property
    def _joined(self) -> list[LabelledContexts]:
        """Contexts of two, three and four words in turn: of one pseudoword and the one after it."""
        following = [*self._weighted[1:], self._weighted[0]]
        pairs = enumerate(zip(self._weighted, following, strict=True))
        return [_join(first, second, 2 + number % 3) for number, (first, second) in pairs]

    def posterior(self, settings: ReadingSettings) -> Posterior:
        return make_posterior(self.embeddings, self.induced_map, self.atoms.vectors, settings)

    def measure(self, name: str, settings: ReadingSettings, *, with_atoms: bool = True) -> float:
        """Return one figure; without atoms, of plain context vectors and of words without contexts."""
        posterior = self.posterior(settings)
        if name == "similarity":
            return self._similarity(posterior if with_atoms else self.posterior(_without_shares(settings)))
        if name == "told apart by senses":
            return self._told_apart(posterior, posterior.sense_means if with_atoms else _plain)
        return self._put_together(posterior, posterior.views if with_atoms else _plain, "auto" if "auto" in name else 2)

    def figures(self, settings: ReadingSettings, *, with_atoms: bool = True) -> Figures:
        """Return all figures; see `measure`."""
        return {name: self.measure(name, settings, with_atoms=with_atoms) for name in TUNED}

    def _put_together(self, posterior: Posterior, represent: Represent, k: int | Literal["auto"]) -> float:
        """Return √(F·V) of clusters, F and V averaged over pseudowords first, as in word-sense induction."""
        items = self._weighted if k != "auto" else self._joined
        scores = []
        for windows, labels, weights in items:
            contexts = posterior.reader.vectors(_narrowed(windows, posterior.settings.window))
            gain = posterior.settings.least_gain
            found = cluster_vectors(represent(weights, contexts), k, n_starts=N_STARTS, least_gain=gain)
            scores.append((paired_f_score(labels, found), v_measure(labels, found)))
        return float(np.sqrt(np.prod(np.mean(scores, axis=0))))

    def _told_apart(self, posterior: Posterior, represent: Represent) -> float:
        """Return the mean area under the ROC curve of the similarities of pairs of contexts."""
        from sklearn.metrics import roc_auc_score

        areas = []
        for windows, labels, weights in self._weighted:
            contexts = posterior.reader.vectors(_narrowed(windows, posterior.settings.window))
            units = to_unit(represent(weights, contexts))
            first, second = np.triu_indices(len(units), 1)
            areas.append(roc_auc_score(labels[first] == labels[second], (units @ units.T)[first, second]))
        return float(np.mean(areas))

    def _similarity(self, posterior: Posterior) -> float:
        """Return Spearman's correlation of similarities in context with those of the hidden words."""
        from scipy.stats import spearmanr

        found = []
        for each in self.comparisons:
            other = self._known(posterior, each.other, each.other_window)
            found.append(float((self._meant(posterior, each) * other).sum()))
        return float(spearmanr(found, [each.similarity for each in self.comparisons]).statistic)

    def _meant(self, posterior: Posterior, each: Comparison) -> NDArray[np.float32]:
        if each.pseudoword is None:
            return self._known(posterior, each.word, each.window)
        vector, weights = self.pseudowords.pseudowords[each.pseudoword].vector, self._weights[each.pseudoword]
        return to_unit(posterior.in_context(vector, weights, self._context(posterior, each.window)))

    def _known(self, posterior: Posterior, row: int, window: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the vector of a word that is not hidden, in a context."""
        vector, weights = self.embeddings.vectors[row], self.atoms.codes.positive(row)
        return to_unit(posterior.in_context(vector, weights, self._context(posterior, window)))

    def _context(self, posterior: Posterior, window: NDArray[np.int32]) -> NDArray[np.float32]:
        return posterior.reader.vectors(_narrowed(window[None], posterior.settings.window))


def _plain(_weights: Weights, contexts: NDArray[np.float32]) -> NDArray[np.float32]:
    return to_unit(contexts)


def _without_shares(settings: ReadingSettings) -> ReadingSettings:
    return replace(settings, sense_share=0.0, context_share=0.0)


def make_bench(
    embeddings: Embeddings,
    induced_map: InducedMap,
    atoms: Atoms,
    pseudowords: PseudowordSet,
    windows: WordWindows,
    *,
    random_state: int = 0,
) -> Bench:
    """Return a bench whose pseudowords are compared with words near the one word, near the other, and random ones."""
    compare = _Comparer(embeddings, windows, np.random.default_rng(random_state))
    comparisons = [
        each for number, pseudoword in enumerate(pseudowords.pseudowords) for each in compare(number, pseudoword)
    ]
    return Bench(embeddings, induced_map, atoms, pseudowords, tuple(comparisons))


class _Comparer:
    """Draws the comparisons of a pseudoword."""

    def __init__(self, embeddings: Embeddings, windows: WordWindows, rng: np.random.Generator) -> None:
        self.rows = np.array([row for row in windows.targets if len(windows.of(row))])
        self.units = to_unit(embeddings.vectors[self.rows])
        self.windows, self.embeddings, self.rng = windows, embeddings, rng

    def __call__(self, number: int, pseudoword: Pseudoword) -> Iterator[Comparison]:
        cosines = self.units @ to_unit(self.embeddings.vectors[list(pseudoword.rows)]).T
        cosines[np.isin(self.rows, pseudoword.rows)] = -np.inf
        n_contexts = len(pseudoword.windows) // 2
        for hidden, word in enumerate(pseudoword.rows):
            for place in self._others(cosines):
                window = pseudoword.windows[hidden * n_contexts + int(self.rng.integers(n_contexts))]
                other, similarity = int(self.rows[place]), float(cosines[place, hidden])
                around = without_targets(self.rng.choice(self.windows.of(other))[None])[0]
                around = np.where(around == other, -1, around)  # a word is no evidence for itself
                for disguise in (number, None):
                    yield Comparison(disguise, word, window, other, around, similarity)

    def _others(self, cosines: NDArray[np.float32]) -> list[int]:
        usable = np.flatnonzero(np.isfinite(cosines[:, 0]))
        if not len(usable):
            raise InputError("there are no other words to compare pseudowords with; pass a longer text.")
        orders = [usable[np.argsort(-cosines[usable, hidden], kind="stable")] for hidden in (0, 1)]
        return [int(self.rng.choice(places)) for places in (*(order[:N_NEAR] for order in orders), usable)]


def choose_settings(
    bench: Bench,
    check: Bench,
    *,
    grid: Mapping[str, Sequence[float]] | None = None,
    start: ReadingSettings | None = None,
    on_trial: OnTrial | None = None,
) -> TuningResult:
    """Return the best settings on one bench, and their figures on another."""
    values = {**GRID, **(grid or {})}
    for name, given in values.items():
        if name not in GRID or not given:
            raise InputError(f"there are no values to choose for {name!r}; pass values for {', '.join(GRID)}.")
    trials: list[Trial] = []

    def climb(settings: ReadingSettings, names: Iterable[str], measure: str) -> ReadingSettings:
        climber = _Climber(measure, partial(bench.measure, measure), trials, on_trial)
        return climber.climb(settings, {name: values[name] for name in names})

    settings = _on_grid(start or ReadingSettings(), values)
    for measure, names in TUNED.items():
        settings = climb(settings, names, measure)
    paper = replace(PAPER_SETTINGS, scale=settings.scale)
    return TuningResult(
        settings,
        tuple(trials),
        check.figures(settings),
        check.figures(ReadingSettings()),
        check.figures(paper),
        check.figures(settings, with_atoms=False),
    )


def _on_grid(settings: ReadingSettings, values: Mapping[str, Sequence[float]]) -> ReadingSettings:
    """Move settings to the nearest values of the grid, so that no step makes them worse."""
    nearest: dict[str, Any] = {}
    for name, given in values.items():
        now = float(getattr(settings, name))
        nearest[name] = min(given, key=lambda value, now=now: abs(value - now))  # type: ignore[misc]
    return replace(settings, **nearest)


@dataclass
class _Climber:
    """Moves settings to their best values, one at a time."""

    measure: str
    score: Score
    trials: list[Trial]
    on_trial: OnTrial | None
    known: dict[ReadingSettings, float] = field(default_factory=dict)

    def climb(self, settings: ReadingSettings, values: Mapping[str, Sequence[float]]) -> ReadingSettings:
        """Move each setting to its best value, round after round."""
        for _ in range(MOST_ROUNDS):
            before = settings
            for name, given in values.items():
                tried = [replace(settings, **{name: value}) for value in given]  # type: ignore[arg-type]
                settings = max(tried, key=lambda each: self._try(each, name))
            if settings == before or len(values) == 1:
                break
        return settings

    def _try(self, settings: ReadingSettings, name: str) -> float:
        if settings not in self.known:
            self.known[settings] = self.score(settings)
        trial = Trial(name, getattr(settings, name), self.measure, self.known[settings])
        if trial not in self.trials:
            self.trials.append(trial)
            if self.on_trial:
                self.on_trial(trial)
        return self.known[settings]


def _labels(windows: NDArray[np.int32], n_words: int) -> NDArray[np.intp]:
    return np.repeat(np.arange(n_words), len(windows) // n_words)


def _join(first: LabelledContexts, second: LabelledContexts, n_words: int) -> LabelledContexts:
    """Join the contexts of one pseudoword with those of none, one or both words of another."""
    if n_words == 2:
        return first
    kept = second.labels < n_words - 2
    labels = np.concatenate([first.labels, 2 + second.labels[kept]])
    atoms = dict.fromkeys([*first.weights, *second.weights])
    weights = {atom: first.weights.get(atom, 0.0) + second.weights.get(atom, 0.0) for atom in atoms}
    return LabelledContexts(np.concatenate([first.windows, second.windows[kept]]), labels, weights)


def _narrowed(windows: NDArray[np.int32], window: int) -> NDArray[np.int32]:
    """Return the `window` words on each side of contexts that are at least as wide."""
    middle = windows.shape[1] // 2
    return windows[:, max(middle - window, 0) : middle + window]

"""The police lineup (Section 6.3, Figure 1): which of n lists of eight words are senses of this word?

Precision is the share of returned senses that are correct, recall the share of correct senses that are returned; both
are means over words, then over runs with different lineups. For an unknown word nothing is returned, which gives 0 and
0. All methods (`wordatoms.paper.tasks.lineup.methods`) see the same lineups. A method may have fewer than t candidates
and return fewer senses, which favours precision; so every method is also measured returning exactly t. Words have 3.5
senses on average, so t = 4 limits precision; the baselines are the best possible answers, random answers and the word's
vector without atoms.

Left out: answers of people (`wordatoms lineup play`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.paper.tasks.lineup.data import Lineups, Testbed, draw_lineups
from wordatoms.paper.tasks.lineup.methods import Scores, VectorMethod, answer_lineups, word_method

PAPER_N, PAPER_T = 20, 4
N_CHOSEN = (1, 2, 3, 4, 5, 6)
N_SHOWN = (20, 30, 40, 50, 60, 70)
PAPER = {"precision": 0.65, "recall": 0.75}
"""At n = 20, t = 4."""
PAPER_DROPS = {"glove": (2.3, 5.76), "cbow": (4.3, 9.9), "nnse": (25.0, 28.0)}
"""The loss of precision and recall with other vectors than SN, in points; that of CBOW is commented out."""
REFERENCE = "sn"
"""The paper's vectors, from which it counts losses."""
N_RUNS = 20
SHOWN_IN_EXAMPLE = 6
"""Senses in the paper's example."""
RANDOM, WORD_ONLY, BEST = "random", "word vector only", "best possible"

Answers = NDArray[np.intp]
"""Indices of senses, the best first, -1 for none, (n_lineups, n)."""


class Figures(NamedTuple):
    """Means over words and runs, and standard deviations over runs."""

    precision: float
    recall: float
    precision_std: float
    recall_std: float
    right: float
    """Correct senses per word."""


class Setting(NamedTuple):
    """The number of senses shown, and the number to choose."""

    n: int
    t: int


HEADLINE = Setting(PAPER_N, PAPER_T)


class WordItem(NamedTuple):
    """The choices for one word at the headline setting, as means over the runs."""

    word: str
    known: bool
    true: int
    returned: float
    correct: float
    found: tuple[float, ...]
    """The share of the runs in which each of its senses was found."""


@dataclass(frozen=True)
class LineupResult(TaskResult):
    testbed: str
    """The digest of the testbed."""
    n_words: int
    n_senses: int
    n_runs: int
    headline: Setting
    figures: Mapping[str, Mapping[Setting, Figures]]
    """By method; the verdict is about the first."""
    baselines: Mapping[str, Mapping[Setting, Figures]]
    items: Mapping[str, tuple[WordItem, ...]]
    """By method, one for each word."""
    kinds: Mapping[str, str]
    """The training method of the vectors of each; the paper reports the loss with other vectors than SN."""
    exact: Mapping[str, Figures]
    """By method and baseline, at the headline setting, returning exactly t senses."""
    ours: str
    """Our own variant."""
    by_run: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By method, precision and recall of each run at the headline setting."""

    @property
    def main(self) -> str:
        return next(iter(self.figures))

    @property
    def reference(self) -> str:
        """The paper's method with the paper's vectors, SN, if there are any, and else with the first ones."""
        return next((name for name, kind in self.kinds.items() if kind == REFERENCE), self.main)

    def rows(self) -> list[dict[str, Any]]:
        """Results at the headline setting; drops are points below the paper's vectors, or else the first ones."""
        return [self._row(name, curves) for name, curves in {**self.figures, **self.baselines}.items()]

    def _row(self, name: str, curves: Mapping[Setting, Figures]) -> dict[str, Any]:
        here, exact, base = curves[self.headline], self.exact[name], self.figures[self.reference][self.headline]
        kind = self.kinds.get(name, "")
        drops = PAPER_DROPS.get(kind) if kind != self.kinds[self.reference] else None
        is_other = name in self.figures and name != self.reference
        return {
            "method": name,
            "known": fmean(item.known for item in self.items[name]) if name in self.items else None,
            "precision": here.precision,
            "precision_std": here.precision_std,
            "recall": here.recall,
            "recall_std": here.recall_std,
            "right": here.right,
            "exact_precision": exact.precision,
            "exact_recall": exact.recall,
            "exact_right": exact.right,
            "drop": _points(base.precision - here.precision, base.recall - here.recall) if is_other else "",
            "paper": f"drop {drops[0]:g}/{drops[1]:g}" if drops else "0.65/0.75" if name == self.reference else "",
        }

    def more_rows(self) -> list[dict[str, Any]]:
        """Both panels of Figure 1: precision/recall of each method by n and t."""
        both = {**self.figures, **self.baselines}
        return [
            {
                "n": str(setting.n),
                "t": str(setting.t),
                **{
                    name: f"{curves[setting].precision:.3f}/{curves[setting].recall:.3f}"
                    for name, curves in both.items()
                },
            }
            for setting in self.figures[self.main]
        ]

    @property
    def verdict(self) -> str:
        theirs, ours = (self.figures[name][self.headline] for name in (self.reference, self.ours))
        word = self.baselines[WORD_ONLY][self.headline]
        reached = [getattr(theirs, name) >= PAPER[name] for name in PAPER]
        said = ("neither is", "one of them is", "both are")[sum(reached)]
        return (
            f"the paper reports precision 0.65 and recall 0.75 at n=20, t=4 on its own testbed; its method on our "
            f"testbed has {theirs.precision:.2f} and {theirs.recall:.2f} at n={self.headline.n}, t={self.headline.t}: "
            f"{said} reached. Our variant has {ours.precision:.2f} and {ours.recall:.2f}, the word's vector without "
            f"atoms {word.precision:.2f} and {word.recall:.2f}."
        )

    def gain(self, name: str, over: str) -> dict[str, dict[str, float]]:
        """The gain of a method over another in points, its standard deviation over runs, and the runs with a gain."""
        found = {}
        for measure in PAPER:
            pairs = zip(self.by_run[name][measure], self.by_run[over][measure], strict=True)
            gains = [100 * (one - other) for one, other in pairs]
            n_better = sum(each > 0 for each in gains)
            found[measure] = {"points": fmean(gains), "std": float(np.std(gains)), "runs_with_gain": n_better}
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "testbed": {
                "words": self.n_words,
                "senses": self.n_senses,
                "runs": self.n_runs,
                "digest": self.testbed,
            },
            "headline": self.headline._asdict(),
            "scores": {name: self._figures_json(curves) for name, curves in self.figures.items()},
            "baselines": {name: self._figures_json(curves) for name, curves in self.baselines.items()},
            "exactly_t": {name: figures._asdict() for name, figures in self.exact.items()},
            "ours": self.ours,
            "gain_of_ours": self.gain(self.ours, self.main),
            "paper": {**PAPER, "drops": {kind: list(drops) for kind, drops in PAPER_DROPS.items()}},
            "verdict": self.verdict,
            "known": {name: sum(item.known for item in items) for name, items in self.items.items()},
            "items": [{"method": name, **item._asdict()} for name, items in self.items.items() for item in items],
        }

    def _figures_json(self, curves: Mapping[Setting, Figures]) -> dict[str, Any]:
        by_setting = [{**setting._asdict(), **figures._asdict()} for setting, figures in curves.items()]
        return {**curves[self.headline]._asdict(), "curves": by_setting}


def _points(*differences: float) -> str:
    return "/".join(f"{100 * each:.1f}" for each in differences)


@dataclass(frozen=True)
class ShownLineup(TaskResult):
    """One lineup, as in the paper's example."""

    word: str
    senses: tuple[dict[str, Any], ...]

    def rows(self) -> list[dict[str, Any]]:
        return list(self.senses)

    def table(self) -> tuple[list[str], list[list[Any]]]:
        cells = [
            [
                each["sense"],
                "true" if each["true"] else "",
                "chosen" if each["chosen"] else "",
                " ".join(each["related"]),
            ]
            for each in self.senses
        ]
        return [self.word, "", "", "senses"], cells

    def to_json(self) -> dict[str, Any]:
        return {"word": self.word, "senses": self.rows()}


def show_lineup(
    testbed: Testbed, method: VectorMethod, word: str, *, n_shown: int | None, n_chosen: int, random_state: int
) -> ShownLineup:
    """Draw one lineup of a word and let a method choose; it shows six senses by default, or all senses of the word."""
    n = n_shown or max(SHOWN_IN_EXAMPLE, len(testbed[word]))
    drawn = draw_lineups(testbed, n, words=[word], random_state=random_state)
    chosen = answer_lineups(method.score_all(testbed), testbed, drawn)[0, :n_chosen]
    senses = enumerate(zip(drawn.senses[0], drawn.is_true[0], strict=True), 1)
    return ShownLineup(
        word,
        tuple(
            {"sense": number, "true": bool(true), "chosen": sense in chosen, "related": testbed.senses[sense].related}
            for number, (sense, true) in senses
        ),
    )


def evaluate_lineup(
    testbed: Testbed,
    methods: Mapping[str, VectorMethod],
    *,
    headline: Setting = HEADLINE,
    ours: str = "",
    n_runs: int = N_RUNS,
    random_state: int = 0,
) -> LineupResult:
    """Evaluate all methods on the same lineups: t = 1…6 with the n of the `headline`, and n = 20…70 with its t.

    The first method is compared with the paper, and its vectors without atoms are a baseline; `ours` is the name of our
    own variant, by default the first method.
    """
    if not methods:
        raise InputError("there are no methods to test; pass at least one.")
    if n_runs < 1:
        raise InputError(f"n_runs is {n_runs}; pass 1 or more.")
    settings = _settings(headline, testbed.most_shown)
    drawn = {
        n: [draw_lineups(testbed, n, random_state=(random_state, run)) for run in range(n_runs)]
        for n in dict.fromkeys(setting.n for setting in settings)
    }
    first = next(iter(methods.values()))
    takers = {**methods, WORD_ONLY: word_method(first.sif, remove_common=first.remove_common)}
    scores = {name: method.score_all(testbed) for name, method in takers.items()}
    answers = {name: _answer_all(method, scores[name], testbed, drawn) for name, method in takers.items()}
    answers[RANDOM] = {
        n: [each.senses for each in lineups] for n, lineups in drawn.items()
    }  # senses are shown in random order
    answers[BEST] = {n: [_best_answers(each) for each in lineups] for n, lineups in drawn.items()}
    figures = {
        name: {each: _measure(testbed, found[each.n], each.t) for each in settings} for name, found in answers.items()
    }
    filled = {
        name: [answer_lineups(scores[name], testbed, each, method.n_entering, fill=True) for each in drawn[headline.n]]
        for name, method in takers.items()
    }
    baselines = (WORD_ONLY, RANDOM, BEST)
    return LineupResult(
        testbed=testbed.digest,
        n_words=len(testbed),
        n_senses=len(testbed.senses),
        n_runs=n_runs,
        headline=headline,
        figures={name: figures[name] for name in methods},
        baselines={name: figures[name] for name in baselines},
        items={name: _word_items(testbed, answers[name][headline.n], headline.t) for name in methods},
        kinds={name: method.sif.embeddings.method for name, method in methods.items()},
        exact={
            name: _measure(testbed, filled.get(name, answers[name][headline.n]), headline.t)
            for name in (*methods, *baselines)
        },
        ours=ours or next(iter(methods)),
        by_run={name: _by_run(testbed, answers[name][headline.n], headline.t) for name in methods},
    )


def _settings(headline: Setting, most_shown: int) -> list[Setting]:
    """The settings of both panels of Figure 1, limited to the senses that the testbed has."""
    if headline.t < 1:
        raise InputError(f"t is {headline.t}; pass 1 or more.")
    by_t = [Setting(headline.n, t) for t in N_CHOSEN]
    by_n = [Setting(n, headline.t) for n in N_SHOWN if n <= most_shown]
    return sorted({headline, *by_t, *by_n})


def _answer_all(
    method: VectorMethod, scores: Sequence[Scores | None], testbed: Testbed, drawn: Mapping[int, Sequence[Lineups]]
) -> dict[int, list[Answers]]:
    return {
        n: [answer_lineups(scores, testbed, each, method.n_entering) for each in lineups]
        for n, lineups in drawn.items()
    }


def _best_answers(lineups: Lineups) -> Answers:
    """The correct senses first, then the others."""
    return np.take_along_axis(lineups.senses, np.argsort(~lineups.is_true, axis=1, kind="stable"), axis=1)


class Marks(NamedTuple):
    """Numbers of senses of each word in a run, (n_words,)."""

    returned: NDArray[np.intp]
    correct: NDArray[np.intp]
    true: NDArray[np.intp]

    @property
    def precision(self) -> NDArray[np.float64]:
        return self.correct / np.maximum(self.returned, 1)

    @property
    def recall(self) -> NDArray[np.float64]:
        return self.correct / self.true


def mark(testbed: Testbed, words: Sequence[str], answers: Answers) -> Marks:
    """Count the correct answers for each word."""
    numbers = np.array([testbed.number(word) for word in words])
    is_right = (answers >= 0) & (testbed.owners[answers] == numbers[:, None])
    true = np.array([len(testbed[word]) for word in words])
    return Marks((answers >= 0).sum(axis=1), is_right.sum(axis=1), true)


def _measure(testbed: Testbed, runs: Sequence[Answers], t: int) -> Figures:
    marks = [mark(testbed, tuple(testbed), answers[:, :t]) for answers in runs]
    precisions, recalls, right = (
        [float(getattr(each, name).mean()) for each in marks] for name in ("precision", "recall", "correct")
    )
    return Figures(fmean(precisions), fmean(recalls), float(np.std(precisions)), float(np.std(recalls)), fmean(right))


def _by_run(testbed: Testbed, runs: Sequence[Answers], t: int) -> dict[str, tuple[float, ...]]:
    marks = [mark(testbed, tuple(testbed), answers[:, :t]) for answers in runs]
    return {measure: tuple(float(getattr(each, measure).mean()) for each in marks) for measure in PAPER}


def _word_items(testbed: Testbed, runs: Sequence[Answers], t: int) -> tuple[WordItem, ...]:
    """The choices for each word, as means over the runs."""
    marks = [mark(testbed, tuple(testbed), answers[:, :t]) for answers in runs]
    returned, correct = (np.mean([each[part] for each in marks], axis=0) for part in (0, 1))
    found = np.mean([_is_own(testbed, answers[:, :t]) for answers in runs], axis=0)
    parts = np.split(found, np.flatnonzero(np.diff(testbed.owners)) + 1)
    return tuple(
        WordItem(
            word,
            bool(returned[number]),
            len(testbed[word]),
            float(returned[number]),
            float(correct[number]),
            tuple(parts[number].tolist()),
        )
        for number, word in enumerate(testbed)
    )


def _is_own(testbed: Testbed, answers: Answers) -> NDArray[np.bool_]:
    """Whether each sense of the testbed is among the answers for its own word, (n_senses,)."""
    senses = np.arange(len(testbed.senses))
    return np.asarray((answers[testbed.owners] == senses[:, None]).any(axis=1))

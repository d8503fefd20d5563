"""The police lineup (Section 6.3) as a game: a seed determines the word, the senses shown and the machine's answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordatoms.explorer.answers import BAD_REQUEST, ApiError
from wordatoms.explorer.cache import locked_cached_property
from wordatoms.paper.tasks.lineup.data import Lineups, Testbed, draw_lineups, load_testbed
from wordatoms.paper.tasks.lineup.evaluate import PAPER, PAPER_N, PAPER_T, mark
from wordatoms.paper.tasks.lineup.methods import Scores, answer_lineups, atoms_method
from wordatoms.senses.model import SenseModel

N_SHOWN = PAPER_N
HUMANS = (
    "The paper shows people's results in a figure without numbers; its machine does as well as non-native speakers."
)


class LineupPage(NamedTuple):
    """A word and the senses shown, each a list of words."""

    seed: int
    word: str
    n: int
    senses: list[tuple[str, ...]]


class Score(NamedTuple):
    """Precision and recall of a choice."""

    precision: float
    recall: float


class PaperScores(NamedTuple):
    """What the paper reports for its machine and for people."""

    machine: Score
    humans: str


PAPER_SCORES = PaperScores(Score(**PAPER), HUMANS)


@dataclass(frozen=True)
class Solution:
    """The numbers, from 1, of the word's own senses, and of the machine's candidates, best first."""

    true: list[int]
    ranked: list[int]
    paper: PaperScores


@dataclass(frozen=True)
class LineupAnswer(Solution):
    """The solution, and scores: the player's, the machine's with as many choices, and with up to four."""

    machine: list[int]
    machine4: list[int]
    you: Score
    machine_score: Score
    machine4_score: Score


class LineupAnswers:
    """The lineup with a model as the machine."""

    def __init__(self, model: SenseModel) -> None:
        self.model = model

    @locked_cached_property
    def testbed(self) -> Testbed:
        return load_testbed()

    @locked_cached_property
    def scores(self) -> list[Scores | None]:
        """The machine's scores of all senses for each word; slow, but the same for all lineups."""
        return atoms_method(self.model).score_all(self.testbed)

    @property
    def needs_scores(self) -> bool:
        return "scores" not in self.__dict__

    def lineup(self, seed: int, n: int) -> LineupPage:
        lineups = self._draw(seed, n)
        senses = [self.testbed.senses[sense].related for sense in lineups.senses[0].tolist()]
        return LineupPage(seed, lineups.words[0], n, senses)

    def _draw(self, seed: int, n: int) -> Lineups:
        words = list(self.testbed)
        word = words[int(np.random.default_rng(seed).integers(len(words)))]
        return draw_lineups(self.testbed, n, words=[word], random_state=[seed, n])

    def solution(self, seed: int, n: int) -> Solution:
        return self._solve(self._draw(seed, n))

    def _solve(self, lineups: Lineups) -> Solution:
        ranked = answer_lineups(self.scores, self.testbed, lineups)[0].tolist()
        numbers = {sense: number for number, sense in enumerate(lineups.senses[0].tolist(), 1)}
        true = (np.flatnonzero(lineups.is_true[0]) + 1).tolist()
        return Solution(true, [numbers[sense] for sense in ranked if sense >= 0], PAPER_SCORES)

    def answer(self, seed: int, n: int, chosen: Sequence[int]) -> LineupAnswer:
        """Compare a player's choice with the machine's."""
        if not chosen or len(set(chosen)) < len(chosen) or not all(1 <= number <= n for number in chosen):
            raise ApiError(BAD_REQUEST, f"'chosen' should be different numbers from 1 to {n}, separated by commas.")
        lineups = self._draw(seed, n)
        solution = self._solve(lineups)
        machine, machine4 = solution.ranked[: len(chosen)], solution.ranked[:PAPER_T]
        scores = (self._score(lineups, numbers) for numbers in (chosen, machine, machine4))
        return LineupAnswer(solution.true, solution.ranked, PAPER_SCORES, machine, machine4, *scores)

    def _score(self, lineups: Lineups, numbers: Sequence[int]) -> Score:
        senses = lineups.senses[0][np.array(numbers, np.intp) - 1] if numbers else np.array([-1])
        marks = mark(self.testbed, lineups.words, senses[None])
        return Score(float(marks.precision[0]), float(marks.recall[0]))

"""The police lineup (Section 6.3) as a game: a seed decides the word, the senses shown and the machine's answer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordatoms.explorer.once import made_once
from wordatoms.explorer.refusals import BAD_REQUEST, Refusal
from wordatoms.explorer.wordpages import Answer, rounded
from wordatoms.paper.tasks.lineup.data import Lineups, Testbed, draw_lineups, load_testbed
from wordatoms.paper.tasks.lineup.evaluate import PAPER, PAPER_T, mark
from wordatoms.paper.tasks.lineup.methods import Scores, answer_lineups, atoms_method
from wordatoms.senses.model import SenseModel

HUMANS = (
    "The paper gives people's results in a figure without numbers; its machine does as well as non-native speakers."
)


class TestPages:
    """The lineup with a model as the machine."""

    __test__ = False  # pytest would take the name for a test

    def __init__(self, model: SenseModel) -> None:
        self.model = model

    @made_once
    def testbed(self) -> Testbed:
        return load_testbed()

    @made_once
    def _scores(self) -> list[Scores | None]:
        """Of all words with all senses: what the machine thinks, whatever the lineup."""
        return atoms_method(self.model).score_all(self.testbed)

    def make_scores(self) -> None:
        """The slow part, once before the first answer."""
        _ = self._scores

    @property
    def need_scores(self) -> bool:
        return "_scores" not in self.__dict__

    def lineup(self, seed: int, n: int) -> Answer:
        lineups = self._draw(seed, n)
        senses = [list(self.testbed.senses[sense].related) for sense in lineups.senses[0].tolist()]
        return {"seed": seed, "word": lineups.words[0], "n": n, "senses": senses}

    def _draw(self, seed: int, n: int) -> Lineups:
        words = list(self.testbed)
        word = words[int(np.random.default_rng(seed).integers(len(words)))]
        return draw_lineups(self.testbed, n, words=[word], random_state=[seed, n])

    def solution(self, seed: int, n: int) -> Answer:
        """Which senses are the word's own, and the machine's candidates, the best first; counted from 1."""
        return self._solve(self._draw(seed, n))

    def _solve(self, lineups: Lineups) -> Answer:
        ranked = answer_lineups(self._scores, self.testbed, lineups)[0].tolist()
        numbers = {sense: number for number, sense in enumerate(lineups.senses[0].tolist(), 1)}
        return {
            "true": (np.flatnonzero(lineups.is_true[0]) + 1).tolist(),
            "ranked": [numbers[sense] for sense in ranked if sense >= 0],
            "paper": {"machine": PAPER, "humans": HUMANS},
        }

    def answer(self, seed: int, n: int, chosen: Sequence[int]) -> Answer:
        """A person's choice beside the machine's: as many as the person chose, and the paper's four."""
        if not chosen or len(set(chosen)) < len(chosen) or not all(1 <= number <= n for number in chosen):
            raise Refusal(BAD_REQUEST, f"'chosen' should be different numbers from 1 to {n}, with commas between them.")
        lineups = self._draw(seed, n)
        solution = self._solve(lineups)
        choices = {
            "you": list(chosen),
            "machine": solution["ranked"][: len(chosen)],
            "machine4": solution["ranked"][:PAPER_T],
        }
        scores = {who: self._score(lineups, numbers) for who, numbers in choices.items()}
        return {
            **solution,
            "machine": choices["machine"],
            "machine4": choices["machine4"],
            "you": scores["you"],
            "machine_score": scores["machine"],
            "machine4_score": scores["machine4"],
        }

    def _score(self, lineups: Lineups, numbers: Sequence[int]) -> Answer:
        senses = lineups.senses[0][np.array(numbers, np.intp) - 1] if numbers else np.array([-1])
        marks = mark(self.testbed, lineups.words, senses[None])
        return {name: rounded(float(getattr(marks, name)[0])) for name in PAPER}

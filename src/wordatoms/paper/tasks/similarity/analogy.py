"""Word analogies: *athens* is to *greece* as *baghdad* is to …? By 3CosAdd, on the questions of Google's set.

The answer is the word whose unit vector has the largest inner product with v_b − v_a + v_c, the three words
of the question left out. The baseline answers with the nearest word of c, which is often right by itself. The
paper reports no such figures for its embeddings; they measure the quality of the vectors before senses are sought.
Left out: other ways to answer (3CosMul, pair direction).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError
from wordatoms.paper.tasks.base import TaskResult
from wordatoms.paper.tasks.datasets import data_files, find_rows, read_fields
from wordatoms.parallel import resolve_threads, run_threads

_BLOCK_QUESTIONS = 256
"""Questions answered by one matrix product."""


class Question(NamedTuple):
    """a is to b as c is to d; the answers are None where one of the four words is unknown."""

    category: str
    a: str
    b: str
    c: str
    d: str
    answer: str | None = None
    nearest_to_c: str | None = None
    """The answer of the baseline."""


class AnalogyScore(NamedTuple):
    """The numbers of questions, of questions with known words, and of correct answers."""

    n_questions: int
    n_covered: int
    n_correct: int
    n_correct_baseline: int

    @property
    def coverage(self) -> float:
        return self.n_covered / self.n_questions

    @property
    def accuracy(self) -> float | None:
        """The accuracy over the covered questions; None if there are none."""
        return self.n_correct / self.n_covered if self.n_covered else None

    @property
    def accuracy_all_questions(self) -> float:
        return self.n_correct / self.n_questions

    @property
    def baseline(self) -> float | None:
        """The baseline's accuracy over the covered questions."""
        return self.n_correct_baseline / self.n_covered if self.n_covered else None


@dataclass(frozen=True)
class AnalogyResult(TaskResult):
    questions: tuple[Question, ...]

    @cached_property
    def scores(self) -> dict[str, AnalogyScore]:
        """Scores of all questions, of the semantic and the syntactic ones, and of each category."""
        groups: dict[str, list[Question]] = {"total": [], "semantic": [], "syntactic": []}
        for question in self.questions:
            kind = "syntactic" if question.category.startswith("gram") else "semantic"
            for group in dict.fromkeys(("total", kind, question.category)):
                groups.setdefault(group, []).append(question)
        return {name: _score(questions) for name, questions in groups.items() if questions}

    def rows(self) -> list[dict[str, Any]]:
        return [
            {
                "questions": name,
                "n": score.n_questions,
                "coverage": score.coverage,
                "accuracy": score.accuracy,
                "accuracy_all_questions": score.accuracy_all_questions,
                "nearest_to_c": score.baseline,
            }
            for name, score in self.scores.items()
        ]

    def to_json(self) -> dict[str, Any]:
        scores = ("n", "coverage", "accuracy", "accuracy_all_questions")
        return {
            "scores": {row["questions"]: {key: row[key] for key in scores} for row in self.rows()},
            "baselines": {"nearest_to_c": {row["questions"]: row["nearest_to_c"] for row in self.rows()}},
            "paper": {},
            "items": [question._asdict() for question in self.questions],
        }


def evaluate_analogy(
    embeddings: Embeddings, data: Path, *, max_words: int | None = None, threads: int | None = None
) -> AnalogyResult:
    """Answer the questions of files with `a b c d` on each line.

    The category of a question is the name of its file, or the last line `: category` before it. With
    `max_words` only that many words, the most frequent ones, are known and can be answers.
    """
    if max_words is not None:
        embeddings = _most_frequent(embeddings, max_words)
    questions = [question for path in data_files(data, "analogy/google") for question in read_questions(path)]
    columns = zip(*(question[1:5] for question in questions), strict=True)
    rows = np.stack([find_rows(embeddings, words) for words in columns], axis=1)
    covered = np.flatnonzero((rows >= 0).all(axis=1))
    answers = _answer(embeddings, rows[covered, :3], resolve_threads(threads))
    baseline = _nearest_to_c(embeddings, rows[covered, :3])
    for index, answer, nearest in zip(covered, answers, baseline, strict=True):
        a, b, c, d = (embeddings.words[row] for row in rows[index])
        questions[index] = Question(questions[index].category, a, b, c, d, embeddings.words[answer], nearest)
    return AnalogyResult(tuple(questions))


def read_questions(path: Path) -> list[Question]:
    """The questions of one file."""
    category, questions = path.stem, []
    for number, fields in read_fields(path):
        if fields[0] == ":" and len(fields) == 2:
            category = fields[1]
        elif len(fields) == 4:
            questions.append(Question(category, *fields))
        else:
            raise InputError(f"{path}:{number}: expected `a b c d` but found {' '.join(fields)[:60]!r}.")
    if not questions:
        raise InputError(f"{path} holds no questions; expected lines with `a b c d`.")
    return questions


def _score(questions: Sequence[Question]) -> AnalogyScore:
    covered = [question for question in questions if question.answer is not None]
    return AnalogyScore(
        n_questions=len(questions),
        n_covered=len(covered),
        n_correct=sum(question.answer == question.d for question in covered),
        n_correct_baseline=sum(question.nearest_to_c == question.d for question in covered),
    )


def _most_frequent(embeddings: Embeddings, max_words: int) -> Embeddings:
    if max_words < 1:
        raise InputError(f"max_words is {max_words}; pass 1 or more.")
    return Embeddings(embeddings.words[:max_words], embeddings.vectors[:max_words])


def _answer(embeddings: Embeddings, rows: NDArray[np.intp], threads: int) -> list[int]:
    """The row that answers each question a, b, c, (n_questions, 3), by 3CosAdd."""
    from threadpoolctl import threadpool_limits

    units = embeddings.unit_vectors

    def answer_block(start: int) -> list[int]:
        block = rows[start : start + _BLOCK_QUESTIONS]
        a, b, c = block.T
        scores = (units[b] - units[a] + units[c]) @ units.T
        np.put_along_axis(scores, block, -np.inf, axis=1)
        answers: list[int] = scores.argmax(axis=1).tolist()
        return answers

    # one thread for each product: its last bits, and so a close answer, must not depend on how it is shared
    with threadpool_limits(1, user_api="blas"):
        blocks = run_threads(answer_block, range(0, len(rows), _BLOCK_QUESTIONS), threads)
    return [answer for block in blocks for answer in block]


def _nearest_to_c(embeddings: Embeddings, rows: NDArray[np.intp]) -> list[str | None]:
    """The word nearest to c that is none of a, b, c: one of the three nearest."""
    words = embeddings.words
    third_words = [words[row] for row in np.unique(rows[:, 2])]
    nearest = dict(zip(third_words, embeddings.nearest_batch(third_words, n=3), strict=True))
    return [
        next((near.word for near in nearest[words[c]] if near.word not in (words[a], words[b])), None)
        for a, b, c in rows
    ]

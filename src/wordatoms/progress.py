"""Progress reports: callbacks for long jobs, and the line that shows them.

The library never prints. A trainer calls `callback(TrainingReport)`, a pass over text calls
`on_bytes(n_bytes, n_tokens)`; the command line shows both on standard error. At a terminal one line is written again
and again: the stage, the share of the step that is done, the share of the whole job, and the time left. Elsewhere, as
in the log of a batch job, a plain line is written now and then.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import NamedTuple

REFRESH = 0.2
"""Seconds between two updates of the line at a terminal."""
FIRST_LINE, NEXT_LINE = 30.0, 60.0
"""Seconds before the first line elsewhere, and between two of them."""
TELLING_SECONDS, TELLING_SHARE = 2.0, 0.01
"""The time left is a guess before this much time has passed and this share is done; it is not shown."""


class TrainingReport(NamedTuple):
    """A finished step (epoch or iteration) of a trainer."""

    step: int
    """Number of finished steps."""
    n_steps: int
    loss: float
    """Mean loss over the step."""
    seconds: float
    """Duration of the step."""


TrainingCallback = Callable[[TrainingReport], None]
TextCallback = Callable[[int, int], None]
"""Called from any thread with the bytes read and the tokens found since the last call."""
Costs = Callable[[int, int | None], Mapping[str, float]]
"""The expected seconds of each step, from the bytes of the text and the number of words, if that is known yet. Only
their ratios matter: the plan compares them with the time that the finished ones took."""


class Plan:
    """The stages of a long job, the steps of each, and how long they are expected to take.

    Parameters
    ----------
    stages : mapping of str to sequence of str
        The steps of each stage, in their order.
    costs : callable
        See `Costs`.
    clock : callable, optional
        Seconds that only rise.
    """

    def __init__(
        self, stages: Mapping[str, Sequence[str]], costs: Costs, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.stages, self.costs, self.clock = stages, costs, clock
        self.n_bytes, self.n_words = 0, None  # type: int, int | None
        self._shares = {step: 0.0 for steps in stages.values() for step in steps}
        self._current: _Pace | None = None
        self._skipped: set[str] = set()
        self._finished: set[str] = set()
        self._started = clock()

    def number(self, step: str) -> str:
        """Return "[2/5] " for a step of the second of five stages; other steps are of the stage that is under way."""
        stages = [*self.stages]
        own = [stage for stage in stages if step in self.stages[stage]]
        left = [stage for stage in stages if stage not in self._finished]
        stage = next(iter([*own, *left, stages[-1]]))
        return f"[{stages.index(stage) + 1}/{len(stages)}] "

    def know(self, *, n_bytes: int | None = None, n_words: int | None = None) -> None:
        """Take note of what the costs depend on."""
        self.n_bytes, self.n_words = max(self.n_bytes, n_bytes or 0), n_words or self.n_words

    def reach(self, step: str, share: float) -> None:
        """Take note of how much of a step is done; steps of no stage are ignored."""
        if step not in self._shares:
            return
        self._shares[step] = max(self._shares[step], min(share, 1.0))
        if self._current is None or self._current.step != step:
            self._current = _Pace(step, self._shares[step], self.clock())

    def finish(self, stage: str, *, made: bool) -> None:
        """Take note that a stage is finished, or was skipped because its result exists."""
        steps = self.stages[stage]
        self._finished.add(stage)
        if not made:
            self._skipped.update(steps)
        self._shares |= dict.fromkeys(steps, 1.0)

    @property
    def share(self) -> float:
        """The share of the job that is done, from 0 to 1."""
        costs = {step: cost for step, cost in self._costs().items() if step not in self._skipped}
        total = sum(costs.values())
        return sum(cost * self._shares[step] for step, cost in costs.items()) / total if total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """The expected time for the rest of the job; None if it is too early to tell.

        The costs are those of another machine, so they count in proportion to the time taken so far. A step that is
        under way tells its own pace, the more reliably the more of it is done.
        """
        guess = time_left(self.clock() - self._started, self.share)
        pace = self._current
        if guess is None or pace is None or not pace.first < self._shares[pace.step] < 1:
            return guess
        costs, done = self._costs(), self._shares[pace.step]
        rest = sum(cost * (1 - self._shares[step]) for step, cost in costs.items())
        own = (self.clock() - pace.began) * (1 - done) / (done - pace.first)
        expected = guess * costs[pace.step] * (1 - done) / rest if rest else 0.0
        return guess + done * (own - expected)

    def _costs(self) -> dict[str, float]:
        costs = self.costs(self.n_bytes, self.n_words)
        return {step: costs.get(step, 0.0) for step in self._shares}


class _Pace(NamedTuple):
    """The step that is under way, its share when it was first heard of, and when that was."""

    step: str
    first: float
    began: float


def time_left(elapsed: float, share: float) -> float | None:
    """Return the seconds that the rest takes if it goes on like this; None if it is too early to tell."""
    if elapsed < TELLING_SECONDS or share < TELLING_SHARE:
        return None
    return elapsed * (1 - share) / share


def format_time(seconds: float) -> str:
    """Return a time in words, rounded: 40 s, 3 min, 2 h 10 min."""
    if seconds < 7.5:
        return "a few seconds"
    if seconds < 57.5:
        return f"{5 * round(seconds / 5)} s"
    minutes = max(round(seconds / 60), 1)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


class Display:
    """The progress of a command on standard error: one line at a time.

    Parameters
    ----------
    plan : Plan, optional
        The job that the steps belong to: each gets the number of its stage, and the time left is that of the whole job.
    quiet : bool, default True
        Show nothing.
    prefix : str, optional
        What the line begins with; names the part of a larger job.
    """

    def __init__(self, plan: Plan | None = None, *, quiet: bool = True, prefix: str = "") -> None:
        self.plan, self.quiet, self.prefix = plan, quiet, prefix

    def with_plan(self, plan: Plan) -> Display:
        """Return the same display for the steps of a plan."""
        shown = copy(self)
        shown.plan = plan
        return shown

    @contextmanager
    def text_bar(self, step: str, *, n_bytes: int | None) -> Iterator[TextCallback]:
        """Show how much of a text has been read."""
        if self.plan:
            self.plan.know(n_bytes=n_bytes)
        with self._line(step, total=n_bytes) as line:

            def on_bytes(n_read: int, _n_tokens: int) -> None:
                line.advance(n_read)

            yield on_bytes

    @contextmanager
    def training_bar(
        self, step: str, *, detail: str = "", part: tuple[float, float] = (0.0, 1.0)
    ) -> Iterator[TrainingCallback]:
        """Show the steps of a trainer; `part` says from which share of the step to which its training goes."""
        with self._line(step, detail, part=part) as line:

            def callback(report: TrainingReport) -> None:
                line.total = report.n_steps
                line.advance(report.step - line.n)

            yield callback

    @contextmanager
    def item_bar(self, step: str, *, n_items: int) -> Iterator[Callable[[], None]]:
        """Show how many of a number of items are done; call the yielded function once for each."""
        with self._line(step, total=n_items) as line:

            def advance() -> None:
                line.advance(1)

            yield advance

    def title(self, step: str, detail: str = "") -> str:
        """Return what the line of a step begins with."""
        number = self.plan.number(step) if self.plan else ""
        return f"{self.prefix}{number}{step}{f', {detail}' if detail else ''}"

    @contextmanager
    def _line(
        self, step: str, detail: str = "", *, total: int | None = None, part: tuple[float, float] = (0.0, 1.0)
    ) -> Iterator[_Line]:
        line = _Line(self.title(step, detail), step, total, self.plan, part, quiet=self.quiet)
        try:
            yield line
            line.end()
        finally:
            line.clear()


class _Line:
    """The line of one step; threads may advance it at the same time."""

    def __init__(
        self, title: str, step: str, total: int | None, plan: Plan | None, part: tuple[float, float], *, quiet: bool
    ) -> None:
        self.title, self.step, self.total, self.plan, self.part = title, step, total, plan, part
        self.n = 0
        self._quiet, self._stream = quiet, sys.stderr
        self._is_terminal = not quiet and self._stream.isatty()
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._due = self._started + (0.0 if self._is_terminal else FIRST_LINE)
        self._width = 0
        self._show()

    def advance(self, n: int) -> None:
        with self._lock:
            self.n += n
            self._tell_plan()
            self._show()

    def end(self) -> None:
        """Count the step as done, whatever was reported of it."""
        with self._lock:
            self.n = self.total or self.n
            self._tell_plan(1.0)

    def clear(self) -> None:
        """Remove the line from the terminal."""
        with self._lock:
            if self._width:
                self._stream.write("\r" + " " * self._width + "\r")
                self._stream.flush()
                self._width = 0

    def _share(self) -> float | None:
        return min(self.n / self.total, 1.0) if self.total else None

    def _tell_plan(self, share: float | None = None) -> None:
        share = self._share() if share is None else share
        if self.plan and share is not None:
            first, last = self.part
            self.plan.reach(self.step, first + share * (last - first))

    def _show(self) -> None:
        now = time.monotonic()
        if self._quiet or now < self._due:
            return
        self._due = now + (REFRESH if self._is_terminal else NEXT_LINE)
        text = self._text(now)
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            text = text[:width]
            self._stream.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def _text(self, now: float) -> str:
        share = self._share()
        done = f" {share:.0%}" if share is not None else f" {self.n / 1e6:,.0f} MB" if self.n else ""
        left = time_left(now - self._started, share or 0.0)
        parts = [f"{self.title}{done}"]
        if self.plan:
            parts.append(f"{self.plan.share:.0%} of all")
            left = self.plan.seconds_left
        return "; ".join([*parts, *([f"{format_time(left)} left"] if left is not None else [])])


SILENT = Display()

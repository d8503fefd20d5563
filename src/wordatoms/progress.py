"""Progress reports: callbacks for long jobs, and the bars that show them at a terminal.

The library never prints. A trainer calls `callback(TrainingReport)`, a pass over text calls
`on_bytes(n_bytes, n_tokens)`; the command line shows both as progress bars.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tqdm import tqdm


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


class Display:
    """Progress bars of a command on standard error, one at a time and only at a terminal.

    Each bar is numbered by its position in `steps`, if given; `prefix` names the part of a larger job.
    """

    def __init__(self, steps: Sequence[str] = (), *, quiet: bool = True, prefix: str = "") -> None:
        self.steps, self.quiet, self.prefix = tuple(steps), quiet, prefix

    def with_steps(self, steps: Sequence[str]) -> Display:
        """The same display with its bars numbered in the order of `steps`."""
        shown = copy(self)
        shown.steps = tuple(steps)
        return shown

    @contextmanager
    def text_bar(self, step: str, *, n_bytes: int | None) -> Iterator[TextCallback]:
        """Show bytes of text with tokens per second and the time left."""
        with self._bar(step, total=n_bytes, unit="B", scale=True) as bar:
            n_seen = 0

            def on_bytes(n_read: int, n_tokens: int) -> None:
                nonlocal n_seen
                n_seen += n_tokens
                elapsed = bar.format_dict["elapsed"]
                if elapsed and n_seen:
                    bar.set_postfix_str(f"{bar.format_sizeof(n_seen / elapsed)} tokens/s", refresh=False)
                bar.update(n_read)

            yield on_bytes

    @contextmanager
    def training_bar(self, step: str, *, detail: str = "") -> Iterator[TrainingCallback]:
        """Show the steps of a trainer with the loss and the time left."""
        with self._bar(step, detail, total=None, unit="step", scale=False) as bar:

            def callback(report: TrainingReport) -> None:
                if bar.total is None:
                    bar.total = report.n_steps
                    bar.initial = bar.n = report.step - 1  # do not time the steps of an earlier run
                bar.set_postfix_str(f"loss {report.loss:.5g}", refresh=False)
                bar.update(1)

            yield callback

    @contextmanager
    def item_bar(self, step: str, *, n_items: int) -> Iterator[Callable[[], None]]:
        """Show a number of items; call the yielded function once for each."""
        with self._bar(step, total=n_items, unit="item", scale=False) as bar:

            def advance() -> None:
                bar.update(1)

            yield advance

    def title(self, step: str, detail: str = "") -> str:
        """Return the label of the bar of a step."""
        number = f"[{self.steps.index(step) + 1}/{len(self.steps)}] " if step in self.steps else ""
        return f"{self.prefix}{number}{step}{f', {detail}' if detail else ''}"

    def _bar(self, step: str, detail: str = "", *, total: int | None, unit: str, scale: bool) -> tqdm[Any]:
        from tqdm import tqdm  # slow to load

        return tqdm(
            total=total,
            unit=unit,
            unit_scale=scale,
            unit_divisor=1000,
            desc=self.title(step, detail),
            disable=self.quiet or not sys.stderr.isatty(),
            file=sys.stderr,
            dynamic_ncols=True,
            mininterval=0.2,
        )


SILENT = Display()

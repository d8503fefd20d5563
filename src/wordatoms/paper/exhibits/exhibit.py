"""What the report can show: an exhibit is a table or figure, from a model to numbers and from numbers to a section.

`run` computes and gives plain JSON; all the rest works on those numbers alone, so that a page can be made again, here
or elsewhere, without computing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wordatoms.paper.exhibits.blocks import Block, Figure
from wordatoms.paper.exhibits.inputs import Inputs

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Need:
    """Something that an exhibit cannot do without, or that it shows more with."""

    name: str
    how: str
    """How to get it, in one sentence."""
    is_met: Callable[[Inputs], bool]
    facts: Callable[[Inputs], Sequence[str]] = lambda _inputs: ()
    """What of it decides the numbers: digests of files, as a rule."""


@dataclass(frozen=True)
class Exhibit:
    name: str
    title: str
    about: str
    """What is measured, in two or three sentences."""
    run: Callable[[Inputs], Numbers]
    figures: Callable[[Numbers], list[Figure]]
    """The numbers of the paper with ours beside them; headlines are marked."""
    render: Callable[[Numbers], list[Block]]
    """All that comes after the figures."""
    why: Callable[[Numbers], str]
    """One line on why ours differs, or what it means."""
    needs: tuple[Need, ...] = ()
    helped_by: tuple[Need, ...] = ()
    """Without these there is less to show."""
    is_paper: bool = True
    """Whether the paper has it; else it is an addition."""
    reads_model: bool = True

    def missing(self, inputs: Inputs) -> list[Need]:
        return [need for need in self.needs if not need.is_met(inputs)]

    def lacking(self, inputs: Inputs) -> list[Need]:
        """What would show more."""
        return [need for need in self.helped_by if not need.is_met(inputs)]

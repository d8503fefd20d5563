"""An exhibit is a table or figure of the report: it computes numbers from a model, and renders a section from numbers.

`run` computes and returns plain JSON; everything else uses only those numbers, so that a page can be rendered again
without computing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wordatoms.paper.exhibits.blocks import Block, Figure
from wordatoms.paper.exhibits.inputs import Inputs

Numbers = dict[str, Any]


@dataclass(frozen=True)
class Need:
    """Something that an exhibit requires, or that adds to it."""

    name: str
    how: str
    """How to get it, in one sentence."""
    is_met: Callable[[Inputs], bool]
    facts: Callable[[Inputs], Sequence[str]] = lambda _inputs: ()
    """What decides the numbers, usually digests of files."""


@dataclass(frozen=True)
class Exhibit:
    name: str
    title: str
    about: str
    """What is measured, in two or three sentences."""
    run: Callable[[Inputs], Numbers]
    figures: Callable[[Numbers], list[Figure]]
    """The numbers of the paper compared with ours; headlines are marked."""
    render: Callable[[Numbers], list[Block]]
    """Everything after the figures."""
    why: Callable[[Numbers], str]
    """One or two sentences on why our numbers differ, or what they mean."""
    needs: tuple[Need, ...] = ()
    helped_by: tuple[Need, ...] = ()
    """Needs that are optional; more is shown if they are met."""
    is_paper: bool = True
    """Whether it is in the paper, or our addition."""
    reads_model: bool = True
    shareable: Callable[[Numbers], Numbers] = lambda numbers: numbers
    """What of the numbers may be published: no text of others."""

    by_model: Mapping[str, str] = field(default_factory=dict)
    """Which parts of the numbers have an entry for each method of vectors, and how its name is made from the method:
    `{"baselines": "cosine of {}"}`. The entries of models that are not at hand can be kept from an earlier result."""

    of_one_model: Mapping[str, str] = field(default_factory=dict)
    """Parts of the numbers that come from one other model, by the method of its vectors; None if it is not at hand."""

    def missing(self, inputs: Inputs) -> list[Need]:
        return [need for need in self.needs if not need.is_met(inputs)]

    def lacking(self, inputs: Inputs) -> list[Need]:
        """Unmet optional needs."""
        return [need for need in self.helped_by if not need.is_met(inputs)]

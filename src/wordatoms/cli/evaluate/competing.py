"""The paper's competitors beside a model: the options that ask for them, and how they are learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordatoms.cli.models import load_embeddings

if TYPE_CHECKING:
    from wordatoms.contexts.usages import SenseInventory
    from wordatoms.embeddings.embeddings import Embeddings
    from wordatoms.progress import Display
    from wordatoms.senses.model import SenseModel

Command = TypeVar("Command", bound=Callable[..., Any])
NNSE = "nnse"
OPTIONS = (
    click.option(
        "--competitors", is_flag=True, help="The paper's competitors beside it; reads the text of the model once."
    ),
    click.option("--text", multiple=True, help="Where the text of the model is now; may be repeated."),
    click.option("--nnse", metavar="MODEL", help="A model of NNSE vectors, as a further competitor."),
)


def competing(command: Command) -> Command:
    """The options of a command that also has `--seed` and `--threads`."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def asked_for(given: Mapping[str, Any]) -> list[str]:
    """The names of the competitors that the options ask for."""
    from wordatoms.paper.baselines import LEARNED

    return [*(LEARNED if given["competitors"] else ()), *([NNSE] if given["nnse"] else ())]


def learn_competitors(
    opened: SenseModel,
    words: Sequence[str],
    given: Mapping[str, Any],
    display: Display,
    *,
    space: Embeddings | None = None,
) -> dict[str, SenseInventory]:
    """The competitors that were asked for; with a `space`, the sense vectors of NNSE lie there, too."""
    from wordatoms.paper.baselines import learning
    from wordatoms.run import Run

    made: dict[str, SenseInventory] = {}
    if given["text"] and not given["competitors"]:
        raise click.UsageError("--text is the text that competitors learn from; pass --competitors as well.")
    if given["competitors"]:
        choices = {"sources": given["text"], "random_state": given["seed"]}
        made |= learning.learn_competitors(opened, words, **choices, run=Run(given["threads"], progress=display))
    if given["nnse"]:
        made[NNSE] = learning.nnse_competitor(opened, words, load_embeddings(given["nnse"]), space=space)
    return made

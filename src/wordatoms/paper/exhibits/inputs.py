"""What the report is made from: models, data sets, a text; and which of them are at hand.

Models are opened when they are first asked; whatever several exhibits need is computed once (`Inputs.once`). Nothing is
written to a model or to the data.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from wordatoms.errors import InputError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.model import SenseModel
from wordatoms.text.files import find_files

CORPUS = "corpus"
"""The folder of the text inside that of the data."""
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Inputs:
    model: SenseModel
    others: tuple[SenseModel, ...] = ()
    """Models of other methods on the same text, for the rows that the paper has for their vectors."""
    data: Path | None = None
    """Folder of the data sets."""
    text: tuple[str, ...] = ()
    source: str = ""
    """Where the text is from and under which licence; sentences are shown only where this is known."""
    wordnet: Path | None = None
    seed: int = 0
    run: Run = DEFAULT_RUN
    competitors: bool = True
    """Whether the paper's competitors are learned from the text."""
    nnse: SenseModel | None = None
    """NNSE vectors as a further competitor. `reproduce` finds them among the other models."""
    names: tuple[str, ...] = ()
    """The models as a command named them (`evaluate`), in their order. Then competitors are learned or it is an error;
    without names (`reproduce`) they are learned where that is possible."""
    arguments: tuple[str, ...] = ()
    """What the command line was given, to say how to do it again."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What was computed once."""

    @cached_property
    def models(self) -> dict[str, SenseModel]:
        """By the method of their vectors; of two with the same method the first."""
        found: dict[str, SenseModel] = {}
        for model in (self.model, *self.others):
            found.setdefault(model.embeddings.method, model)
        return found

    def only(self, model: SenseModel) -> Inputs:
        """The same inputs with one model."""
        return replace(self, model=model, others=())

    @property
    def method(self) -> str:
        """That of the model's vectors."""
        return self.model.embeddings.method

    @property
    def data_path(self) -> Path:
        """The data, for a task that cannot do without them."""
        assert self.data is not None
        return self.data

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` gives, made at the first call."""
        if name not in self.kept:
            self.kept[name] = make()
        made: Made = self.kept[name]
        return made

    def dataset(self, name: str) -> Path:
        """The folder of a data set, which need not exist."""
        return (self.data or Path()) / name

    def has_file(self, pattern: str) -> bool:
        """Whether the data hold such a file."""
        return self.data is not None and any(self.data.glob(pattern))

    @cached_property
    def text_files(self) -> list[Path]:
        return [Path(path) for path in find_files(self.text)] if self.text else []

    def command(self, name: str) -> str:
        """What to type to make one exhibit again."""
        return shlex.join(["wordatoms", "reproduce", name, *self.arguments])


def open_inputs(
    model: str | None = None,
    others: Sequence[str] = (),
    *,
    data: str | None = None,
    text: Sequence[str] = (),
    source: str = "",
    wordnet: str | None = None,
    seed: int = 0,
    run: Run = DEFAULT_RUN,
    competitors: bool = True,
) -> Inputs:
    """Find everything: without a model the one that comes with the program, without a text that inside the data."""
    if "-" in text:
        raise InputError("the text is read several times, so it cannot come from standard input; pass files.")
    if text:
        find_files(text)  # what is not there is said before anything is computed
    folder = Path(data) if data else None
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder} is no folder; pass the one that holds the data sets.")
    options = [("--model", model), *(("--with", other) for other in others), ("--data", data)]
    options += [*(("--text", each) for each in text), ("--source", source or None), ("--wordnet", wordnet)]
    options += [("--seed", str(seed) if seed else None)]
    given = [word for option, value in options if value is not None for word in (option, value)]
    inside = folder / CORPUS if folder else None
    return Inputs(
        _open(model),
        tuple(_open(other) for other in others),
        data=folder,
        text=tuple(text) or ((str(inside),) if inside and inside.is_dir() else ()),
        source=source,
        wordnet=Path(wordnet) if wordnet else None,
        seed=seed,
        run=run,
        competitors=competitors,
        arguments=(*given, *([] if competitors else ["--no-competitors"])),
    )


def _open(path: str | None) -> SenseModel:
    model = SenseModel(path)
    if {"embed", "import"}.isdisjoint(model.folder.stages):
        raise InputError(f"{model.path} has no vectors yet; run: wordatoms embed {model.path}")
    return model

"""The inputs of tasks and of the report: models, data sets and a text.

Results that several exhibits share are computed once (`Inputs.once`). Models and data are only read.
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
"""The subfolder of the data folder with the text."""
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Inputs:
    model: SenseModel
    others: tuple[SenseModel, ...] = ()
    """Models of other embedding methods on the same text, for the corresponding rows of the paper."""
    data: Path | None = None
    """The folder of the data sets."""
    text: tuple[str, ...] = ()
    source: str = ""
    """The source and licence of the text; its sentences are shown only if this is given."""
    wordnet: Path | None = None
    seed: int = 0
    run: Run = DEFAULT_RUN
    competitors: bool = True
    """Whether the paper's competitors are learned from the text."""
    nnse: SenseModel | None = None
    """NNSE vectors as another competitor; `reproduce` finds them among the other models."""
    names: tuple[str, ...] = ()
    """The models as named on the command line of `evaluate`, in order. With names, competitors that cannot be learned
    are an error; without names (`reproduce`) they are skipped."""
    arguments: tuple[str, ...] = ()
    """The arguments of the command line, to show how to repeat an exhibit."""
    kept: dict[str, Any] = field(default_factory=dict)
    """Results of `once`, by name."""

    @cached_property
    def models(self) -> dict[str, SenseModel]:
        """The models by the method of their vectors; the first of each method."""
        found: dict[str, SenseModel] = {}
        for model in (self.model, *self.others):
            found.setdefault(model.embeddings.method, model)
        return found

    def only(self, model: SenseModel) -> Inputs:
        """The same inputs with one model."""
        return replace(self, model=model, others=())

    @property
    def method(self) -> str:
        """The method of the model's vectors."""
        return self.model.embeddings.method

    @property
    def data_path(self) -> Path:
        """The data folder, for tasks that require one."""
        assert self.data is not None
        return self.data

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """The result of `make`, computed at the first call."""
        if name not in self.kept:
            self.kept[name] = make()
        made: Made = self.kept[name]
        return made

    def dataset(self, name: str) -> Path:
        """The folder of a data set, which may not exist."""
        return (self.data or Path()) / name

    def has_file(self, pattern: str) -> bool:
        """Whether the data folder has a file that matches a pattern."""
        return self.data is not None and any(self.data.glob(pattern))

    @cached_property
    def text_files(self) -> list[Path]:
        return [Path(path) for path in find_files(self.text)] if self.text else []

    def command(self, name: str) -> str:
        """The command that computes one exhibit."""
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
    """Open all inputs of tasks and exhibits.

    Parameters
    ----------
    model : str, optional
        Model folder; by default the bundled English model.
    others : sequence of str, optional
        Further models, for comparisons of embedding methods.
    data : str, optional
        Folder of the data sets.
    text : sequence of str, optional
        Text to read; by default that in the data folder.
    source : str, default ""
        Origin and licence of the text.
    wordnet : str, optional
        Folder of WordNet; by default its usual location.
    seed : int, default 0
        Random seed.
    run : Run, optional
        Threads, memory and progress.
    competitors : bool, default True
        Include the paper's competitors, which learn from the text.

    Returns
    -------
    Inputs

    Examples
    --------
    >>> from wordatoms.paper.exhibits.inputs import open_inputs
    >>> open_inputs(data="data")  # doctest: +SKIP
    """
    if "-" in text:
        raise InputError("the text is read several times and cannot come from standard input; pass files.")
    if text:
        find_files(text)  # raises for missing files before anything is computed
    folder = Path(data) if data else None
    if folder is not None and not folder.is_dir():
        raise InputError(f"{folder} is not a folder; pass the folder with the data sets.")
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

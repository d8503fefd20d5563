"""The exhibits of all tasks in the order of the report: those of the paper, then our additions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module

from wordatoms.errors import InputError
from wordatoms.paper.exhibits.exhibit import Exhibit
from wordatoms.paper.tasks.registry import FOLDERS

_FOUND: list[Exhibit] = [
    exhibit for folder in FOLDERS for exhibit in import_module(f"wordatoms.paper.tasks.{folder}.exhibit").EXHIBITS
]
EXHIBITS: dict[str, Exhibit] = {each.name: each for each in sorted(_FOUND, key=lambda each: not each.is_paper)}


def find_exhibits(names: Sequence[str]) -> list[Exhibit]:
    """The exhibits of these names in the order of the report; `7` means `table-7`, `figure-1` both panels."""
    wanted = {found for name in names for found in _matching(name)}
    return [exhibit for name, exhibit in EXHIBITS.items() if name in wanted]


def _matching(name: str) -> list[str]:
    plain = _plain(name)
    plain = f"table{plain}" if plain.isdigit() else plain
    found = [known for known in EXHIBITS if _plain(known) == plain]
    found = found or [known for known in EXHIBITS if plain == "figure1" and known.startswith("figure-1")]
    if not found:
        raise InputError(f"there is no exhibit '{name}'; pass some of {', '.join(EXHIBITS)}, or --all.")
    return found


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())

"""Digests of the inputs that decide the numbers of an exhibit: sources of the package, models, files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from wordatoms.senses.model import SenseModel
from wordatoms.storage.integrity import fingerprint

PACKAGE = Path(__file__).parents[2]
NOT_COMPUTING = (
    "cli/",
    "explorer/",
    "drawing/",
    "paper/report/page.py",
    "paper/report/tally.py",
    "paper/report/bundled.py",
    "paper/exhibits/blocks.py",
)
"""Sources that only show numbers."""
TASKS = "paper/tasks/"
_IMPORTED_TASK = re.compile(r"wordatoms\.paper\.tasks\.(\w+)")


@cache
def sources_digest(module: str) -> str:
    """The digest of the sources that a module of a task can use.

    These are all rooms of the package below `paper`, `paper` itself and the word lists of the lineup, without the tasks
    that the module does not import, directly or through others, and without what only shows numbers.
    """
    digest = hashlib.sha256()
    tasks = _tasks_behind(module)
    for path in sorted([*PACKAGE.rglob("*.py"), *(PACKAGE / "data").glob("*.tsv")]):
        name = path.relative_to(PACKAGE).as_posix()
        is_other_task = name.startswith(TASKS) and name.removeprefix(TASKS).partition("/")[0] not in tasks
        if not (name.startswith(NOT_COMPUTING) or is_other_task):
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _tasks_behind(module: str) -> set[str]:
    """The files and folders of `paper.tasks` that a module names, directly or through others; all if it is no task."""
    everything = {path.name for path in (PACKAGE / TASKS).iterdir()}
    found: set[str] = set()
    left = {*_IMPORTED_TASK.findall(module)} or {name.removesuffix(".py") for name in everything}
    while left:
        task = left.pop()
        name = f"{task}.py" if f"{task}.py" in everything else task
        found.add(name)
        for path in [PACKAGE / TASKS / name] if name.endswith(".py") else (PACKAGE / TASKS / name).glob("*.py"):
            named = {*_IMPORTED_TASK.findall(path.read_text("utf-8"))}
            left |= {each for each in named if each not in found and f"{each}.py" not in found}
    return found


def model_digest(model: SenseModel) -> str:
    """The digest of the manifest, which has the checksums of all files, and of the user's annotations."""
    digest = hashlib.sha256((model.path / "manifest.json").read_bytes())
    if "atomize" in model.folder.stages:
        notes = asdict(model.notes)
        digest.update(json.dumps({**notes, "hidden": sorted(notes["hidden"])}, sort_keys=True).encode())
    return digest.hexdigest()


def file_digests(paths: Iterable[Path]) -> list[str]:
    return [_file_digest(str(path), path.stat().st_mtime_ns) for path in paths]


@cache
def _file_digest(path: str, _changed: int) -> str:
    return str(fingerprint(Path(path))["sha256"])

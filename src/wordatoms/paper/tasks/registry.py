"""The registry of tasks, in the order of the report.

Each name is a folder. Its `__init__.py` has the tasks of `evaluate` (`TASKS`, none where the folder only shows
something), its `exhibit.py` the tables and figures of the report (`EXHIBITS`).
"""

from __future__ import annotations

from importlib import import_module

from wordatoms.paper.tasks.base import Task

FOLDERS = (
    "walk",
    "remarks",
    "centers",
    "induced",
    "pseudowords",
    "wordnet",
    "atoms",
    "wsi",
    "scws",
    "lineup",
    "similarity",
    "sentences",
    "topics",
)
TASKS: dict[str, Task] = {
    task.name: task for folder in FOLDERS for task in import_module(f"wordatoms.paper.tasks.{folder}").TASKS
}

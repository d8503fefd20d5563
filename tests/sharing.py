"""What the workers of pytest-xdist share: folders that take long to make are made by one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wordatoms.storage.locks import file_lock


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run have."""
    own = factory.getbasetemp()
    return own.parent if is_worker() else own


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that `make` fills, in the first worker that asks for it; tests must not change it."""
    folder, done = (shared_folder(factory) / each for each in (name, f"{name}.done"))
    with file_lock(folder.with_suffix(".lock")):
        if not done.exists():
            folder.mkdir()
            make(folder)
            done.touch()
    return folder

"""Digests of the inputs that decide the numbers of an exhibit: sources of the package, models, files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache, lru_cache
from pathlib import Path

from wordatoms.senses.model import SenseModel
from wordatoms.storage.integrity import fingerprint

PACKAGE = Path(__file__).parents[2]
NOT_COMPUTING = ("cli/", "explorer/", "paper/report/page.py", "paper/exhibits/charts.py", "paper/exhibits/blocks.py")
"""Sources that only show numbers."""


@lru_cache(maxsize=1)
def sources_digest() -> str:
    """The digest of the sources of the package, except those that only show numbers."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(NOT_COMPUTING):
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


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

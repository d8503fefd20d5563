"""A manifest that agrees with files that a test has changed: so that it is the readers who find out."""

from __future__ import annotations

from pathlib import Path

from wordatoms.storage.folder import read_manifest, write_manifest
from wordatoms.storage.integrity import fingerprint


def reseal(folder: Path) -> None:
    """Record the files of a model as they now are, and those that are gone no more."""
    manifest = read_manifest(folder)
    for record in manifest["stages"].values():
        record["files"] = {name: fingerprint(folder / name) for name in record["files"] if (folder / name).exists()}
    write_manifest(folder, manifest)

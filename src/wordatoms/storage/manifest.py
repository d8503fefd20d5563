"""The file `manifest.json` of a model: read with suspicion, written with a checksum of its own.

Left out: what the stages in it mean (`wordatoms.storage.folder`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordatoms.errors import ModelError
from wordatoms.storage.files import write_json
from wordatoms.storage.integrity import check_recorded
from wordatoms.storage.untrusted import read_json

FILE = "manifest.json"
FORMAT = 1
LARGEST = 1 << 29
"""Bytes: a manifest names every file of a text, twice."""
CHECKSUM = "checksum"
"""Of all the rest; those of older models have none."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder; that of a model without stages where there is none."""
    path = folder / FILE
    try:
        manifest: dict[str, Any] = read_json(path, LARGEST)
        known = manifest["format"] <= FORMAT
        if known:
            _check(manifest)
    except FileNotFoundError:
        return {"format": FORMAT, "stages": {}}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is damaged ({error}); train the model again into a new folder.") from error
    if not known:
        raise ModelError(f"{path} has format {manifest['format']}, newer than this program knows; upgrade wordatoms.")
    return manifest


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    write_json(folder / FILE, {**manifest, CHECKSUM: _checksum(manifest)})


def _check(manifest: dict[str, Any]) -> None:
    """Whether this is a manifest, as it was written; its checksum is taken out."""
    recorded = manifest.pop(CHECKSUM, None)
    if recorded is not None and recorded != _checksum(manifest):
        raise ValueError("it does not hold what was written")
    for record in manifest["stages"].values():
        _check_record(record)
    if not all(isinstance(name, str) and Path(name).name == name for name in manifest.get("outdated", ())):
        raise ValueError("'outdated' names no files of the model")


def _checksum(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _check_record(record: Any) -> None:
    needed = {"settings": dict, "files": dict, "program": str}
    for name, kind in {**needed, "seconds": int | float, "made": str}.items():  # the last two not in a compact model
        if (name in needed or name in record) and not isinstance(record[name], kind):
            raise TypeError(f"'{name}' is not of its kind")
    check_recorded(record["files"])

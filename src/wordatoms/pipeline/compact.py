"""A compact twin of a model: all that answers questions, in a tenth of the size.

Vectors go into bytes (`wordatoms.embeddings.quantized`), among which the neighbours of all words are found anew;
counts, average
contexts and the trainer's state, which only training needs, stay behind. The random windows that come with the map have
their words shuffled around the one in the middle: what is estimated from them hardly changes, and no piece of anybody's
text is handed on.

The manifest tells how each stage was made, without times, paths and seconds, so that the same model gives the same
bytes wherever and whenever it is made.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.neighbours import FILE as NEIGHBOURS
from wordatoms.embeddings.neighbours import MOST_WORDS, find_neighbours
from wordatoms.embeddings.quantized import SCALES, VECTORS, save_bytes, to_bytes
from wordatoms.errors import ModelError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.annotations import FILE as NOTES
from wordatoms.storage.files import load_array, save_array, write_json
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.integrity import fingerprint

LEFT_BEHIND = ("counts", "contexts", "state-", NEIGHBOURS)
"""Beginnings of the names of files that no question needs, or that are made anew."""
WINDOWS = "map-windows.npy"
PASSING = ("seconds", "made", "peak_memory")
"""Facts of a stage that differ from run to run."""


def compact(folder: ModelFolder, path: Path | str, *, force: bool = False, run: Run = DEFAULT_RUN) -> ModelFolder:
    """Write the compact twin of a model into a new folder; with `force` in place of a model that is there."""
    target = Path(path)
    _check(folder, target, force=force)
    folder.check(thorough=True)  # the twin has checksums of its own, which would hide what is broken
    twin = ModelFolder(target, create=True)
    with twin.working(), twin.staging() as made:
        stages = {name: _write_stage(folder, record, made) for name, record in folder.stages.items()}
        stages["atomize"]["files"] |= _write_neighbours(made, run)
        if (folder.path / NOTES).is_file():
            shutil.copyfile(folder.path / NOTES, made / NOTES)  # the atoms are the same
        twin.install_model(made, {"format": folder.manifest["format"], "compact": True, "stages": stages})
    return ModelFolder(target)


def _check(folder: ModelFolder, target: Path, *, force: bool) -> None:
    folder.require("atomize", f"run: wordatoms atomize {folder.path}")
    if folder.manifest.get("compact"):
        raise ModelError(f"{folder.path} is compact already; copy its folder.")
    if folder.stages["atomize"]["settings"].get("vectors") == "induced":
        raise ModelError(f"the atoms of {folder.path} are of induced vectors, which a compact model does not keep.")
    if target.exists() and target.resolve() == folder.path.resolve():
        raise ModelError(f"{target} is the model itself; pass another folder.")
    if ModelFolder(target, create=True).stages and not force:
        raise ModelError(f"{target} is there already; pass --force to replace it, or another folder.")


def _write_stage(folder: ModelFolder, record: Mapping[str, Any], made: Path) -> dict[str, Any]:
    """The files of a stage that answer questions, and its record."""
    names = [name for name in record["files"] if not name.startswith(LEFT_BEHIND)]
    for name in names:
        _write_file(folder, name, made)
    if VECTORS in names:
        names.append(SCALES)
    kept = {name: value for name, value in record.items() if name not in PASSING}
    return _without_paths({**kept, "files": {name: fingerprint(made / name) for name in names}})


def _write_file(folder: ModelFolder, name: str, made: Path) -> None:
    if name == VECTORS:
        save_bytes(made, to_bytes(Embeddings.load(folder.path).vectors))
    elif name == WINDOWS:
        save_array(made / name, _shuffled(load_array(folder.path / name)))
    elif name == "embeddings.json":
        write_json(made / name, {**json.loads((folder.path / name).read_bytes()), "state": []})
    else:
        shutil.copyfile(folder.path / name, made / name)


def _write_neighbours(made: Path, run: Run) -> dict[str, Any]:
    """Those of the vectors in bytes, which differ a little from those of the full ones."""
    embeddings = Embeddings.load(made)
    if len(embeddings) > MOST_WORDS:
        return {}
    find_neighbours(embeddings, threads=run.threads).save(made)
    return {NEIGHBOURS: fingerprint(made / NEIGHBOURS)}


def _shuffled(windows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The words around each target (n, 2 * window + 1) in another order, the target where it was."""
    middle = windows.shape[1] // 2
    around = np.random.default_rng(0).permuted(np.delete(windows, middle, axis=1), axis=1)
    return np.insert(around, middle, windows[:, middle], axis=1)


def _without_paths(record: dict[str, Any]) -> dict[str, Any]:
    """Files by their names alone: their folders are nobody's business, and differ from machine to machine."""
    named = {"inputs": [{**file, "path": Path(file["path"]).name} for file in record.get("inputs", [])]}
    settings = {**record["settings"]}
    if "from" in settings:
        settings["from"] = Path(settings["from"]).name
    return {**record, "settings": settings, **(named if "inputs" in record else {})}

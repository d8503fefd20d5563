"""A compact copy of a model, of about a tenth of the size, that answers the same questions.

Vectors are quantized to bytes (`wordatoms.embeddings.quantized`) and the neighbours of all words are found again among
them. Counts, average contexts and the trainer's state, which only training needs, are left out. The words of the
sampled windows are shuffled around the target: estimates from them hardly change, and no passage of the text is passed
on.

The manifest records how each stage was made, without times and paths, so that the same model always gives the same
bytes.
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
"""Prefixes of the names of files that no query needs, or that are made again."""
WINDOWS = "map-windows.npy"
PASSING = ("seconds", "made", "peak_memory")
"""Keys of a stage's record that differ from run to run."""


def compact(folder: ModelFolder, path: Path | str, *, force: bool = False, run: Run = DEFAULT_RUN) -> ModelFolder:
    """Write a compact copy of a model to a new folder; `force` replaces a model that exists there."""
    target = Path(path)
    _check(folder, target, force=force)
    folder.check(thorough=True)  # the copy has its own checksums, which would hide damage
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
        raise ModelError(f"{folder.path} is already compact; copy its folder.")
    if folder.stages["atomize"]["settings"].get("vectors") == "induced":
        raise ModelError(
            f"the atoms of {folder.path} were learned from induced vectors, which a compact model does not keep."
        )
    if target.exists() and target.resolve() == folder.path.resolve():
        raise ModelError(f"{target} is the model itself; pass another folder.")
    if ModelFolder(target, create=True).stages and not force:
        raise ModelError(f"{target} exists already; pass --force to replace it, or another folder.")


def _write_stage(folder: ModelFolder, record: Mapping[str, Any], made: Path) -> dict[str, Any]:
    """Write the files of a stage that queries need, and return its record."""
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
    """Find the neighbours among the quantized vectors, which differ slightly from those of the original ones."""
    embeddings = Embeddings.load(made)
    if len(embeddings) > MOST_WORDS:
        return {}
    find_neighbours(embeddings, threads=run.threads).save(made)
    return {NEIGHBOURS: fingerprint(made / NEIGHBOURS)}


def _shuffled(windows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Shuffle the words around each target in windows of shape (n, 2 * window + 1)."""
    middle = windows.shape[1] // 2
    around = np.random.default_rng(0).permuted(np.delete(windows, middle, axis=1), axis=1)
    return np.insert(around, middle, windows[:, middle], axis=1)


def _without_paths(record: dict[str, Any]) -> dict[str, Any]:
    """Reduce paths to file names: folders are private and differ between machines."""
    named = {"inputs": [{**file, "path": Path(file["path"]).name} for file in record.get("inputs", [])]}
    settings = {**record["settings"]}
    if "from" in settings:
        settings["from"] = Path(settings["from"]).name
    return {**record, "settings": settings, **(named if "inputs" in record else {})}

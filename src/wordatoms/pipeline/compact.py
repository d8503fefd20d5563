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
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordatoms.atoms.names import FILE as NAMES
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.neighbours import FILE as NEIGHBOURS
from wordatoms.embeddings.neighbours import MOST_WORDS, find_neighbours
from wordatoms.embeddings.quantized import SCALES, VECTORS, save_bytes, to_bytes
from wordatoms.errors import ModelError
from wordatoms.run import DEFAULT_RUN, Run
from wordatoms.senses.annotations import FILE as NOTES
from wordatoms.senses.parts import ModelParts
from wordatoms.senses.phrases import LIST as PHRASES
from wordatoms.senses.uses import DESCRIPTION as USES
from wordatoms.senses.uses import SCALES as USES_SCALES
from wordatoms.senses.uses import SenseUses
from wordatoms.storage.files import copy_file, load_array, save_array, write_json
from wordatoms.storage.folder import MANIFEST, ModelFolder
from wordatoms.storage.integrity import fingerprint

LEFT_BEHIND = ("counts", "contexts", "state-", NEIGHBOURS)
"""Prefixes of the names of files that no query needs, or that are made again."""
WINDOWS = "map-windows.npy"
CHANGED = {VECTORS, WINDOWS, "embeddings.json", NEIGHBOURS}
"""Files that are not copied as they are."""
PASSING = ("seconds", "made", "peak_memory")
"""Keys of a stage's record that differ from run to run."""


def compact(folder: ModelFolder, path: Path | str, *, force: bool = False, run: Run = DEFAULT_RUN) -> ModelFolder:
    """Write a compact copy of a model: quantized vectors, and nothing that only training needs.

    Without `force`, a complete copy of the same model stays as it is: a kill may have come just after it was written.

    Parameters
    ----------
    folder : ModelFolder
        A model with atoms: `ModelFolder(path)` from `wordatoms.storage.folder`.
    path : Path or str
        A new folder.
    force : bool, default False
        Replace a model that exists there.
    run : Run, optional
        Threads and progress.

    Returns
    -------
    ModelFolder
        The copy.

    Examples
    --------
    >>> from wordatoms.pipeline.compact import compact
    >>> from wordatoms.storage.folder import ModelFolder
    >>> compact(ModelFolder("my.model"), "small.model")  # doctest: +SKIP
    """
    target = Path(path)
    if not force and _is_copied(folder, target):
        copied = ModelFolder(target)
        if copied.work.exists():  # the process that wrote it was killed before it could remove its lock
            with copied.working():
                pass
        return copied
    _check(folder, target, force=force)
    folder.check(thorough=True)  # the copy has its own checksums, which would hide damage
    twin = ModelFolder(target, create=True)
    with twin.working(), twin.staging() as made:
        stages = {name: compact_stage(folder, record, made) for name, record in folder.stages.items()}
        stages["atomize"]["files"] |= _write_neighbours(made, run)
        for name in (NOTES, NAMES):
            if (folder.path / name).is_file():
                copy_file(folder.path / name, made / name)  # the atoms are the same
        folder.check_unchanged()  # the copy would be a mix of two models
        twin.install_model(made, {"format": folder.manifest["format"], "compact": True, "stages": stages})
    return ModelFolder(target)


def _is_copied(folder: ModelFolder, target: Path) -> bool:
    """Whether a folder is a valid compact copy of this model as it is now."""
    if not (target / MANIFEST).is_file():
        return False
    twin = ModelFolder(target)
    if not twin.manifest.get("compact") or [*twin.stages] != [*folder.stages] or _notes(twin) != _notes(folder):
        return False
    for name, record in folder.stages.items():
        facts, copied = record_facts(record), twin.stages[name]
        same = {
            file for file in copied["files"] if file in record["files"] and not file.startswith(("uses", "phrases"))
        } - {
            VECTORS,
            WINDOWS,
            "embeddings.json",
            NEIGHBOURS,
        }
        if {**facts, "files": 0} != {**copied, "files": 0}:
            return False
        if any(copied["files"][file]["sha256"] != record["files"][file]["sha256"] for file in same):
            return False
    # what is not copied as it is depends on files that are, and on the settings of its stage
    return not any(file.fault for file in twin.check_files(thorough=True))


def _notes(folder: ModelFolder) -> list[bytes]:
    """The names and annotations of a model, which its manifest does not list."""
    return [path.read_bytes() if path.is_file() else b"" for path in (folder.path / name for name in (NOTES, NAMES))]


def record_facts(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a stage in a compact model, without its files."""
    return _without_paths({name: value for name, value in record.items() if name not in (*PASSING, "files")})


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


def compact_stage(folder: ModelFolder, record: Mapping[str, Any], made: Path) -> dict[str, Any]:
    """Write the files of a stage that queries need, and return its record."""
    names = [name for name in record["files"] if not name.startswith(LEFT_BEHIND)]
    if USES in names:
        SenseUses.load(folder.path).save(made, compact=True)
        names.append(USES_SCALES)
    if PHRASES in names and (phrases := ModelParts(folder.path).phrases) is not None:
        names = phrases.save(made, compact=True)
    for name in names:
        if not name.startswith(("uses", "phrases")):
            _write_file(folder, name, made)
    if VECTORS in names:
        names.append(SCALES)
    return {**record_facts(record), "files": {name: fingerprint(made / name) for name in names}}


def _write_file(folder: ModelFolder, name: str, made: Path) -> None:
    if name == VECTORS:
        save_bytes(made, to_bytes(Embeddings.load(folder.path).vectors))
    elif name == WINDOWS:
        save_array(made / name, _shuffled(load_array(folder.path / name)))
    elif name == "embeddings.json":
        write_json(made / name, {**json.loads((folder.path / name).read_bytes()), "state": []})
    else:
        copy_file(folder.path / name, made / name)


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

"""A model as a folder in the layout of the Hugging Face hub, and back.

`model.safetensors` holds all arrays, `config.json` says what the model is and how each stage was made, `README.md` is
the model card, and words, labels and settings are the text files of the model folder. Counts and the trainer's state,
which only training needs, are left out; everything else answers as before.

An imported folder may come from a stranger: names of files are checked before anything is written, checksums are
compared, and the model is opened before it gets its place. The card is for people and is not read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wordatoms.atoms.names import FILE as NAMES
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.compact import record_facts
from wordatoms.pipeline.info import folder_facts
from wordatoms.senses.annotations import FILE as NOTES
from wordatoms.senses.model import SenseModel
from wordatoms.senses.reading import function_words
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.files import copy_file, new_folder, save_array, write_atomic, write_json
from wordatoms.storage.folder import FORMAT, ModelFolder, write_manifest
from wordatoms.storage.integrity import check_recorded, fingerprint
from wordatoms.storage.safetensors import map_safetensors, write_safetensors
from wordatoms.storage.untrusted import open_array, read_json

CONFIG, TENSORS, CARD = "config.json", "model.safetensors", "README.md"
MODEL_TYPE = "wordatoms"
LAYOUT = 1
"""Version of this layout."""
LICENCE, ABOUT = "LICENCE.txt", "card.json"
SUFFIXES = (".npy", ".txt", ".json", ".jsonl", ".safetensors")
"""Of the files of a model."""
BESIDE = (NAMES, NOTES, LICENCE, ABOUT)
"""Files of a model that its manifest does not list."""
ONLY_TRAINING = ("counts", "state-")
"""Prefixes of the names of files that no question needs."""
CONTEXTS = "contexts"


# --- export


def save_pretrained(
    model: SenseModel | Path | str, path: Path | str, *, license: str = "", force: bool = False
) -> Path:
    """Write a model in the layout of the Hugging Face hub.

    Parameters
    ----------
    model : SenseModel, Path or str
        A model with atoms, or its folder.
    path : Path or str
        A new folder.
    license : str, default ""
        Licence for the model card, in the spelling of the hub, such as "cc-by-sa-4.0"; by default that of the bundled
        model if it is this one, else "unknown".
    force : bool, default False
        Replace what was exported there before.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ModelError
        If the model has no atoms or is damaged.
    InputError
        If the folder exists and holds something else.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import wordatoms as wa
    >>> with TemporaryDirectory() as folder:
    ...     made = wa.save_pretrained(wa.load(), Path(folder, "hub"))
    ...     sorted(file.name for file in made.iterdir())[-4:]
    ['uses-names.txt', 'uses.json', 'vocabulary.json', 'words.txt']
    """
    folder = model.folder if isinstance(model, SenseModel) else ModelFolder(model)
    folder.require("atomize", f"run: wordatoms atomize {folder.path}")
    folder.check(thorough=True)
    path = Path(path)
    with new_folder(path, CONFIG, force=force, is_ours=lambda name: not name.startswith(".")) as work:
        names = [*_needed_files(folder), *(name for name in BESIDE if (folder.path / name).is_file())]
        arrays = {Path(name).stem: open_array(folder.path / name) for name in names if name.endswith(".npy")}
        write_safetensors(work / TENSORS, arrays, {"format": "np"})
        for name in names:
            if not name.endswith(".npy"):
                _copy_text(folder.path / name, work / name)
        files = {file.name: fingerprint(file) for file in sorted(work.iterdir())}
        facts = folder_facts(folder)
        write_json(work / CONFIG, {**_config(folder, facts), "files": files})
        folder.check_unchanged()
        with write_atomic(work / CARD) as card:
            card.write(model_card(SenseModel(folder.path), facts, license).encode())
    return path


def _needed_files(folder: ModelFolder) -> list[str]:
    """Return the names of the files that questions need."""
    is_induced = folder.stages["atomize"]["settings"].get("vectors") == "induced"
    unneeded = ONLY_TRAINING if is_induced else (*ONLY_TRAINING, CONTEXTS)
    names = [name for record in folder.stages.values() for name in record["files"]]
    return [name for name in names if not name.startswith(unneeded)]


def _copy_text(source: Path, target: Path) -> None:
    if source.name == "embeddings.json":  # the state of the trainer is not exported
        write_json(target, {**read_json(source), "state": []})
    else:
        copy_file(source, target)


def _config(folder: ModelFolder, facts: Mapping[str, Any]) -> dict[str, Any]:
    needed = {*_needed_files(folder)}
    stages = {
        name: {**record_facts(record), "files": [file for file in record["files"] if file in needed]}
        for name, record in folder.stages.items()
    }
    return {
        "model_type": MODEL_TYPE,
        "layout": LAYOUT,
        "format": folder.manifest["format"],
        **facts,
        "compact": bool(folder.manifest.get("compact")),
        "stages": stages,
    }


def model_card(model: SenseModel, facts: Mapping[str, Any], license: str = "") -> str:
    """Return the text of a model card, with its metadata in front."""
    is_bundled = model.path.resolve() == ENGLISH.resolve()
    license = license or ("cc-by-sa-4.0" if is_bundled else "unknown")
    about = read_json(model.path / ABOUT) if (model.path / ABOUT).is_file() else {}
    return f"""---
language: {json.dumps(model.language)}
license: {json.dumps(license)}
library_name: wordatoms
tags: [word-embeddings, word-senses, polysemy, sparse-coding]
---

# Word senses and discourse atoms

{about.get("text", "Word vectors, and the discourse atoms that their senses are made of.")} Every word is written as a
combination of a few of {len(model.atoms):,} atoms (Arora et al., *Linear Algebraic Structure of Word Senses, with
Applications to Polysemy*, TACL 2018).

## Use

```sh
pip install wordatoms
wordatoms import FOLDER -o my.model
wordatoms {_example(model)} --model my.model
```

## What it holds

| fact | value |
|---|---|
{_table(facts)}
{_section("Sources", [f"{name}, {n:,} words, {terms}" for name, n, terms in about.get("sources", [])])}
{_section("Limitations", about.get("limits", []))}
## How it was made

Settings of every stage are in `config.json`.
"""


def _example(model: SenseModel) -> str:
    """Return a question: about a frequent word with many senses, not a function word; or about the atoms of items."""
    if model.texts is not None:
        return "atoms"
    first = len(function_words(model))
    plain = [row for row, word in enumerate(model.words[: 20 * first + 10]) if row >= first and word.isalpha()]
    counts = {row: len(model.atoms.codes.positive(row)) for row in plain}
    return f"senses {model.words[max(counts, key=counts.__getitem__, default=0)]}"


def _table(facts: Mapping[str, Any]) -> str:
    def shown(value: Any) -> str:
        return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)

    return "".join(f"| {name.replace('_', ' ')} | {shown(value)} |\n" for name, value in facts.items())


def _section(heading: str, lines: list[str]) -> str:
    return f"## {heading}\n\n" + "".join(f"- {line}\n" for line in lines) if lines else ""


# --- import


def is_pretrained(path: Path | str) -> bool:
    """Tell whether a folder looks like an exported model."""
    return (Path(path) / CONFIG).is_file() and (Path(path) / TENSORS).is_file()


def from_pretrained(path: Path | str, to: Path | str, *, force: bool = False) -> SenseModel:
    """Make a model folder from a local folder in the layout of the Hugging Face hub.

    Parameters
    ----------
    path : Path or str
        A folder that `save_pretrained` wrote, perhaps on another machine. It is not trusted.
    to : Path or str
        The new model folder.
    force : bool, default False
        Replace a model that exists there.

    Returns
    -------
    SenseModel

    Raises
    ------
    ModelError
        If the folder is damaged, is inconsistent, or holds another kind of model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import wordatoms as wa
    >>> with TemporaryDirectory() as folder:
    ...     hub = wa.save_pretrained(wa.load(), Path(folder, "hub"))
    ...     len(wa.from_pretrained(hub, Path(folder, "my.model")).words)
    60000
    """
    source, target = Path(path), ModelFolder(to, create=True)
    config = _read_config(source)
    if target.stages and not force:
        raise ModelError(f"{target.path} exists already; pass --force to replace it, or another folder.")
    with target.working(), target.staging() as staged:
        stages = _stage_files(source, config, staged)
        manifest = {
            "format": config["format"],
            **({"compact": True} if config.get("compact") else {}),
            "stages": stages,
        }
        _try_model(staged, manifest, source)
        target.install_model(staged, manifest)
    return SenseModel(target.path)


def _read_config(source: Path) -> dict[str, Any]:
    """Read the configuration and check the names and sizes in it."""
    path = source / CONFIG
    if not is_pretrained(source):
        raise InputError(f"{source} has no {CONFIG} and {TENSORS}; pass a folder that wordatoms exported.")
    try:
        config: dict[str, Any] = read_json(path)
        if config["model_type"] != MODEL_TYPE:
            raise ModelError(f"{path} describes a model of type {config['model_type']!r}, not {MODEL_TYPE!r}.")
        if config["layout"] > LAYOUT or config["format"] > FORMAT:
            raise ModelError(f"{path} has a newer format than this program knows; upgrade wordatoms.")
        check_recorded(config["files"])
        listed = [name for stage in config["stages"].values() for name in stage["files"]]
        check_recorded({name: {"n_bytes": 0} for name in listed})
        for name in {*listed, *config["files"]}:
            if Path(name).suffix not in SUFFIXES or name.startswith((".", CONFIG)):
                raise ValueError(f"'{name}' is no file of a model")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path} is damaged ({error}); export the model again.") from error
    return config


def _stage_files(source: Path, config: Mapping[str, Any], staged: Path) -> dict[str, Any]:
    """Write the files of a model folder; return the records of its stages."""
    for name, recorded in config["files"].items():
        _check_file(source / name, recorded)
    try:
        arrays = map_safetensors(source / TENSORS)
    except ValueError as error:
        raise ModelError(f"{source / TENSORS} cannot be read ({error}); export the model again.") from error
    stages = {}
    for stage, record in config["stages"].items():
        for name in record["files"]:
            if not name.endswith(".npy"):
                _copy_listed(source, name, config, staged)
            elif Path(name).stem in arrays:
                save_array(staged / name, arrays[Path(name).stem])
            else:
                raise ModelError(f"{source / TENSORS} has no {Path(name).stem}; export the model again.")
        stages[stage] = {**record, "files": {name: fingerprint(staged / name) for name in record["files"]}}
    for name in BESIDE:
        if name in config["files"]:
            _copy_listed(source, name, config, staged)
    return stages


def _copy_listed(source: Path, name: str, config: Mapping[str, Any], staged: Path) -> None:
    if name not in config["files"]:
        raise ModelError(f"{source / CONFIG} has no checksum of {name}; export the model again.")
    copy_file(source / name, staged / name)


def _check_file(path: Path, recorded: Mapping[str, Any]) -> None:
    """Raise unless a file is there, ends, and is the one that was written."""
    if not path.is_file():  # a pipe or a device is none
        raise ModelError(f"{path} is missing, or is no file; export or download the model again.")
    if path.stat().st_size != recorded["n_bytes"] or fingerprint(path)["sha256"] != recorded.get("sha256"):
        raise ModelError(f"{path} is damaged (checksum mismatch); export or download the model again.")


def _try_model(staged: Path, manifest: Mapping[str, Any], source: Path) -> None:
    """Open every part of the model before it is installed."""
    write_manifest(staged, manifest)
    try:
        parts = SenseModel(staged).parts
        _ = parts.atoms, parts.meta_atoms, parts.layout, parts.neighbours, parts.uses, parts.phrases
        _ = parts.learned_from, parts.notes, parts.forms(parts.words[0]), parts.language, parts.tokenizer
        if "map" in manifest["stages"]:
            _ = parts.induced_map, parts.reading
    except ModelError as error:
        raise ModelError(str(error).replace(str(staged), str(source))) from error
    finally:
        (staged / "manifest.json").unlink(missing_ok=True)

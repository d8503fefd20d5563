"""A small model with everything that a model may have, and each of its files as a `hostile.Case`.

Somebody who makes a hostile model makes its checksums fit, and so does this: the manifest is written anew for each file
that is spoilt. Every question is asked, because one that ends in a sentence says nothing about the next.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from hostile import Case, attempt
from naive_posterior import build_stage, world_atoms, world_embeddings, world_map, world_model
from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.layout import FILE as LAYOUT
from wordatoms.atoms.layout import load_layout
from wordatoms.atoms.meta_atoms import MetaAtoms
from wordatoms.atoms.sparse_coding import SparseCodes
from wordatoms.contexts.averages import ContextAverages
from wordatoms.contexts.induced_map import InducedMap, load_induced_vectors
from wordatoms.contexts.inflection import FILE as FORMS
from wordatoms.contexts.inflection import ListedForms
from wordatoms.contexts.reader import load_reading
from wordatoms.contexts.windows import WordWindows
from wordatoms.counts.cooccurrence import Counts
from wordatoms.counts.vocabulary import Vocabulary
from wordatoms.embeddings.embeddings import Embeddings, open_words
from wordatoms.embeddings.neighbours import Neighbours, find_neighbours
from wordatoms.embeddings.quantized import SCALES, VECTORS, save_bytes, to_bytes
from wordatoms.pipeline.info import folder_facts
from wordatoms.senses.annotations import Notes
from wordatoms.senses.model import SenseModel, load
from wordatoms.storage.files import Checkpoint, save_array
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.integrity import fingerprint

TEXT = "The bank gave a loan of cash. A boat on the river near the banks, and a song."
N_ATOMS = 3


def make_model(path: Path) -> Path:
    """A model with all stages and all parts."""
    embeddings = world_embeddings()
    world_model(path, embeddings, induced_map=world_map())
    folder = ModelFolder(path)
    build_stage(folder, "atomize", lambda path: _save_parts(path))
    build_stage(folder, "map", lambda path: world_map().save(path))
    build_stage(
        folder, "tune", lambda path: (path / "tuning.json").write_text('{"settings": {"window": 5, "scale": 8}}')
    )
    Notes(load(path).atoms.fingerprint, {0: "finance"}, frozenset({2}), {"bank": (0, 1)}).save(path)
    _save_training_parts(path)
    _write_manifest(path)
    return path


def _save_parts(path: Path) -> None:
    embeddings = world_embeddings()
    atoms = world_atoms(embeddings)
    for name in (*path.glob("atoms*"), *path.glob("codes*")):
        name.unlink()
    atoms.save(path, embeddings.words)
    find_neighbours(embeddings, threads=1).save(path)
    codes = SparseCodes(np.array([[0], [1], [0]], np.int32), np.ones((N_ATOMS, 1), np.float32), 2)
    MetaAtoms(np.eye(2, atoms.dim, dtype=np.float32), codes, ("x", "y")).save(path)
    save_array(path / LAYOUT, np.zeros((N_ATOMS, 2), np.float32))
    (path / FORMS).write_text("bank\tbanks\nbanks\tbank\n")


def _save_training_parts(path: Path) -> None:
    """What only training reads: counts, contexts, windows of words and a checkpoint."""
    embeddings = world_embeddings()
    n_words = len(embeddings)
    assert embeddings.counts is not None
    vocabulary = Vocabulary(embeddings.words, embeddings.counts, 5000)
    starts, columns = np.array([0, *range(n_words)], np.int64), np.arange(1, n_words, dtype=np.int32)
    Counts(vocabulary, starts, columns, np.ones(n_words - 1, np.int64), 2, "flat", 1).save(path)
    ContextAverages(embeddings.vectors, np.full(n_words, 9, np.int64), 3).save(path)
    windows = np.array([[1, 0, 2], [-1, 3, 4]], np.int32)
    WordWindows(np.array([0, 3]), np.array([0, 1, 2]), np.array([5, 6], np.uint64), windows, 2, "digest").save(path)
    Checkpoint(path / "checkpoint.npz", {}).save(3, {"vectors": embeddings.vectors})


def _write_manifest(path: Path) -> None:
    """The manifest without the checksum of its own, as older models have it."""
    manifest = json.loads((path / "manifest.json").read_bytes())
    manifest.pop("checksum", None)
    settings = {"keep_case": False, "pretokenized": False, "phrases": ["new york"]}
    count = {"settings": settings, "files": {}, "program": "wordatoms"}
    (path / "manifest.json").write_text(json.dumps({**manifest, "stages": {**manifest["stages"], "count": count}}))


def model_cases(folder: Path) -> list[Case]:
    model = make_model(folder / "model")
    names = sorted(path.name for path in model.iterdir() if path.is_file())
    training = ("checkpoint", "contexts", "counts", "vocabulary", "word-windows")
    return [
        Case(
            name,
            (model / name).read_bytes(),
            partial(_spoilt, model / name, _load if name.startswith(training) else _ask),
        )
        for name in names
        if name != "atoms.txt"  # for people
    ]


def _spoilt(path: Path, read: Callable[[Path], None], content: bytes) -> None:
    """Put the content in the place of a file of the model, with a manifest that knows it, and read the model."""
    manifest = path.with_name("manifest.json")
    valid = {each: each.read_bytes() for each in (path, manifest)}
    path.write_bytes(content)
    try:
        if path != manifest:
            _vouch_for(path, manifest)
        read(path.parent)
    finally:
        for each, before in valid.items():
            each.write_bytes(before)


def _vouch_for(path: Path, manifest: Path) -> None:
    found = json.loads(manifest.read_bytes())
    for record in found["stages"].values():
        if path.name in record["files"]:
            record["files"][path.name] = fingerprint(path)
    manifest.write_text(json.dumps(found))


def _ask(path: Path) -> None:
    """All that a person may ask."""
    model = load(path)
    for question in QUESTIONS:
        attempt(partial(question, model))


QUESTIONS: tuple[Callable[[SenseModel], object], ...] = (
    lambda model: repr(model),
    lambda model: [model.senses(word, forms=True, n_nearest=40) for word in model.words[:3]],
    lambda model: model.senses("bank"),
    lambda model: model.candidates("bank"),
    lambda model: model.near_words("bank", 3),
    lambda model: model.embeddings.nearest("bank", 3),
    lambda model: [model.atom(atom) for atom in range(min(len(model.atoms), N_ATOMS))],
    lambda model: model.search("bank"),
    lambda model: model.disambiguate("bank", TEXT),
    lambda model: model.similarity("bank", "river", context1=TEXT),
    lambda model: model.cluster("bank", [TEXT, TEXT], k=1),
    lambda model: model.meta_atoms.members,
    lambda model: model.layout,
    lambda model: model.induced_map,
    lambda model: model.folder.check_files(thorough=True),
    lambda model: folder_facts(model.folder),
)


def _load(path: Path) -> None:
    """All that training goes on from."""
    for load_part in LOADERS:
        attempt(partial(load_part, path))


LOADERS: tuple[Callable[[Path], object], ...] = (
    lambda path: Counts.load(path).row_sums,
    ContextAverages.load,
    load_induced_vectors,
    WordWindows.load,
    lambda path: Checkpoint(path / "checkpoint.npz", {}).load(),
)


# Each file by itself, with what reads it and nothing else: many more of them in the same time


def part_cases(folder: Path) -> list[Case]:
    model = make_model(folder / "model")
    compact = Path(shutil.copytree(model, folder / "compact"))
    save_bytes(compact, to_bytes(load(model).embeddings.vectors))
    n_words, fingerprint_of_atoms = len(load(model).words), load(model).atoms.fingerprint
    readers: dict[str, Callable[[Path], object]] = {
        "manifest.json": lambda path: ModelFolder(path).check_files(),
        "embeddings.json|words.txt|vectors.npy": lambda path: Embeddings.load(path).unit_vectors,
        "atoms.json|atoms.npy|atoms-cosines.npy|atoms-nearest.npy|codes-*": Atoms.load,
        "atoms-layout.npy": partial(load_layout, n_atoms=N_ATOMS),
        "meta*": lambda path: MetaAtoms.load(path, N_ATOMS).members,
        "map*": lambda path: InducedMap.load(path).for_one_context(0.5),
        "contexts*": load_induced_vectors,
        "tuning.json": lambda path: load_reading(ModelFolder(path)),
        "notes.json": lambda path: Notes.load(path, fingerprint_of_atoms, N_ATOMS),
        "forms.txt": lambda path: ListedForms((path / FORMS).read_bytes()).of("banks"),
        "words.txt": lambda path: open_words(path).find("bank"),
        "neighbours.npy": partial(Neighbours.load, n_words=n_words),
        "counts*|vocabulary.json": lambda path: Counts.load(path).row_sums,
        "word-windows*": WordWindows.load,
        "checkpoint.npz": lambda path: Checkpoint(path / "checkpoint.npz", {}).load(),
    }
    places = [(path, read) for names, read in readers.items() for name in names.split("|") for path in model.glob(name)]
    places += [(compact / name, Embeddings.load) for name in (VECTORS, SCALES)]
    return [
        Case(f"{path.parent.name}/{path.name}", path.read_bytes(), partial(_replaced, path, read))
        for path, read in places
    ]


def _replaced(path: Path, read: Callable[[Path], object], content: bytes) -> object:
    before = path.read_bytes()
    path.write_bytes(content)
    try:
        return read(path.parent)
    finally:
        path.write_bytes(before)

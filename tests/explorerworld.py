"""A small world for the tests of the explorer: two models, a text and a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from naive_posterior import world_embeddings, world_map, world_model
from wordatoms.atoms.meta_atoms import make_meta_atoms
from wordatoms.explorer.service import Explorer
from wordatoms.senses.model import SenseModel, load

TEXT = (
    "The bank gave a loan of cash to the account of the singer. "
    "A boat on the river near the bank, by the water and the shore, in the flood.\n"
    "The choir and the opera sang a tune, a song of money and credit for the bank.\n"
)


def world_models(folder: Path) -> list[SenseModel]:
    """One with everything that an explorer can show, and one that reads no contexts and has a word of its own."""
    embeddings = world_embeddings()
    first = world_model(folder / "first", embeddings, induced_map=world_map())
    make_meta_atoms(first.embeddings, first.atoms, threads=1).save(first.path)
    words = ("owl" if word == "geese" else word for word in embeddings.words)
    second = world_model(folder / "second", replace(embeddings, words=tuple(words)), settings=None)
    return [load(first.path), load(second.path)]


def world_explorer(folder: Path) -> Explorer:
    text = folder / "text.txt"
    text.write_text(TEXT, "utf-8")
    report = folder / "report"
    report.mkdir()
    (report / "index.html").write_text("<p>a report</p>")
    (report / "secret.txt").write_text("secret")
    return Explorer(world_models(folder), corpus=[str(text)], report=report)

"""A small world for the tests of the explorer: two models, a text and a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from naive_posterior import world_embeddings, world_map, world_model
from wordatoms.atoms.meta_atoms import make_meta_atoms
from wordatoms.documents.index import DocumentIndex, IndexedDocument, build_index
from wordatoms.documents.periods import find_period
from wordatoms.explorer.service import Explorer
from wordatoms.senses.contextual_atoms import (
    Agreement,
    Coincidence,
    ContextualAtom,
    ContextualAtoms,
    ContextualExample,
    Share,
)
from wordatoms.senses.model import SenseModel, load

TEXT = (
    "The bank gave a loan of cash to the account of the singer. "
    "A boat on the river near the bank, by the water and the shore, in the flood.\n"
    "The choir and the opera sang a tune, a song of money and credit for the bank.\n"
)


FINANCE = "the bank gave a loan of money and cash and credit to the account of the bank."
RIVER = "A boat on the river near the shore, by the water and the bank, in the flood."
MUSIC = "The choir and the opera sang a tune, a song of the singer."


def world_documents() -> list[IndexedDocument]:
    """Forty documents of two groups in four months, one of them without a word that the model knows."""
    texts = [(FINANCE, RIVER, MUSIC)[number % 3] + f" Number {number}." for number in range(39)]
    groups, months = ("north", "south"), ("2024-01", "2024-02", "2024-03", "2024-05")
    dated = [find_period(months[number // 2 % 4], "month") for number in range(39)]
    found = [
        IndexedDocument(f"letter-{number}", text, groups[number % 2], date)
        for number, (text, date) in enumerate(zip(texts, dated, strict=True))
    ]
    return [*found, IndexedDocument("<b>empty</b>", "Xyzzy 𝔘 plugh.")]


def world_index(folder: Path, model: SenseModel) -> DocumentIndex:
    return build_index(model, world_documents(), folder, by="region", time="month", source="letters.csv")


def world_contextual(model: SenseModel) -> ContextualAtoms:
    """Two contextual atoms of an encoder: one in places of atom 1, one where our reading tells nothing."""
    text = "𝔘 a boat at the bank <b>"
    place = text.index("bank")
    shown = ContextualExample("bank", text, place, place + 4, 0.9, "river, shore")
    first = ContextualAtom(
        7, 5, (Share("bank", 4), Share("boat", 1)), 2, (Coincidence(1, "old name", 3, 0.6, 2.5),), (shown,)
    )
    other = ContextualAtom(2, 2, (Share("bank", 2),), 1, (), (replace(shown, sense=""),))
    pairs = Agreement(0.5, 0.25), Agreement(None, None)
    return ContextualAtoms(
        "minilm", model.atoms.fingerprint, ("bank", "boat"), 7, 5, 0.6, 0.1, 0.3, *pairs, (first, other)
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
    models = world_models(folder)
    documents = world_index(folder / "letters.csv.index", models[0])
    contextual = world_contextual(models[0])
    return Explorer(models, corpus=[str(text)], report=report, documents=documents, contextual=contextual)

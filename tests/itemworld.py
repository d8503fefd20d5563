"""Items whose atoms are known: the vectors of `planted`, each with a text about the subject of its atom."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from planted import N_ATOMS, N_PLAIN, planted_embeddings
from wordatoms.pipeline.atomize import AtomSettings, atomize
from wordatoms.pipeline.import_items import import_items
from wordatoms.storage.folder import ModelFolder

SUBJECTS = [f"{a}{b}" for a in ("sail", "rain", "corn", "drum", "gold") for b in ("storm", "house", "market", "road")]
assert len(SUBJECTS) == N_ATOMS
FILLERS = ("morning", "report", "people", "window", "answer", "letter")


def planted_texts() -> list[str]:
    """Every text names the subject of its first atom, and has function words and a filler that all subjects share."""
    n_rows = len(planted_embeddings())
    owners = [row // N_PLAIN if row < N_ATOMS * N_PLAIN else row - N_ATOMS * N_PLAIN for row in range(n_rows)]
    fillers = np.random.default_rng(3).choice(FILLERS, n_rows).tolist()
    return [
        f"{row} is the {filler} about the {SUBJECTS[owner]} of the year"
        for row, (owner, filler) in enumerate(zip(owners, fillers, strict=True))
    ]


def write_items(folder: Path) -> tuple[Path, Path]:
    """Write the vectors and the texts into files."""
    vectors, texts = folder / "items.npy", folder / "items.txt"
    np.save(vectors, planted_embeddings().vectors)
    texts.write_text("\n".join(planted_texts()) + "\n", "utf-8")
    return vectors, texts


def item_model(folder: Path) -> ModelFolder:
    """A model of the planted items, its atoms learned."""
    vectors, texts = write_items(folder)
    model = ModelFolder(folder / "items.model", create=True)
    import_items(vectors, model, texts=texts)
    atomize(model, AtomSettings(n_atoms=N_ATOMS, sparsity=2, n_restarts=3, n_iterations=10))
    return model

"""A file of word vectors → the embeddings of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.vector_files import read_vectors
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.integrity import fingerprint


def import_vectors(
    path: Path,
    folder: ModelFolder,
    *,
    format: str = "auto",
    words: Path | None = None,
    max_words: int | None = None,
    force: bool = False,
) -> Embeddings | None:
    """Make the embeddings of a model from a file of vectors; None if it already has them."""
    embeddings = read_vectors(path, format=format, words=words, max_words=max_words)
    content = hashlib.sha256(embeddings.vectors.tobytes() + "\n".join(embeddings.words).encode()).hexdigest()
    settings = {"format": format, "max_words": max_words, "vectors": content}
    with folder.working():
        if folder.is_done("import", settings, force=force):
            return None

        def make(forget: Callable[[], None]) -> list[str]:
            with folder.staging() as staged:
                embeddings.save(staged)
                return folder.install(staged, forget)

        folder.build("import", settings, make, inputs=[{"path": str(path.resolve()), **fingerprint(path)}])
    return embeddings

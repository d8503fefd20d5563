"""A file of word vectors → the embeddings of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, check_language
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.quantized import VECTORS
from wordatoms.embeddings.vector_files import read_vectors
from wordatoms.storage.files import release_pages
from wordatoms.storage.folder import ModelFolder
from wordatoms.storage.integrity import fingerprint

HASHED_ROWS = 1 << 12


def import_vectors(
    path: Path,
    folder: ModelFolder,
    *,
    format: str = "auto",
    words: Path | None = None,
    array: str | None = None,
    max_words: int | None = None,
    language: str = DEFAULT_LANGUAGE,
    force: bool = False,
) -> Embeddings | None:
    """Make a model from a file of word vectors.

    The vectors are written to the model's disk as they are read; only the words are held in memory.

    Parameters
    ----------
    path : Path
        GloVe text, word2vec text or binary, fastText .vec, .npy, .safetensors or .parquet.
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    format : str, default "auto"
        "glove", "word2vec", "word2vec-binary", "fasttext", "npy", "safetensors" or "parquet".
    words : Path, optional
        Word list of an .npy, .safetensors or .parquet file.
    array : str, optional
        Name of the tensor of a .safetensors file or of the column of a .parquet file; needed if there are several.
    max_words : int, optional
        Read only the first words.
    language : str, default "en"
        Code of the language, for inflected forms.
    force : bool, default False
        Replace the vectors that the model has.

    Returns
    -------
    Embeddings or None
        None if the model already had these vectors.

    Examples
    --------
    >>> from pathlib import Path
    >>> from wordatoms.pipeline.import_vectors import import_vectors
    >>> from wordatoms.storage.folder import ModelFolder
    >>> import_vectors(Path("vec.txt"), ModelFolder("my.model", create=True), language="de")  # doctest: +SKIP
    Embeddings(400,000 words, 300 dimensions, method 'imported')
    """
    facts: dict[str, Any] = {"format": format, "max_words": max_words}
    if (code := check_language(language)) != DEFAULT_LANGUAGE:
        facts["language"] = code
    with folder.working(), folder.staging() as staged:
        embeddings = read_vectors(
            path, format=format, words=words, array=array, max_words=max_words, to=staged / VECTORS
        )
        settings = {**facts, "vectors": vector_digest(embeddings)}
        if folder.is_done("import", settings, force=force):
            return None

        def make(forget: Callable[[], None]) -> list[str]:
            embeddings.save(staged, has_vectors=True)
            return folder.install(staged, forget)

        folder.build("import", settings, make, inputs=[{"path": str(path.resolve()), **fingerprint(path)}])
    return embeddings


def vector_digest(embeddings: Embeddings) -> str:
    """A hash of vectors and words, without a second copy of the vectors."""
    digest = hashlib.sha256()
    for start in range(0, len(embeddings), HASHED_ROWS):
        digest.update(np.ascontiguousarray(embeddings.vectors[start : start + HASHED_ROWS]).data)
        release_pages(embeddings.vectors)
    digest.update("\n".join(embeddings.words).encode())
    return digest.hexdigest()

"""A file of word vectors → the embeddings of a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from wordatoms.contexts.inflection import DEFAULT_LANGUAGE, check_language
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
    language: str = DEFAULT_LANGUAGE,
    force: bool = False,
) -> Embeddings | None:
    """Make a model from a file of word vectors.

    Parameters
    ----------
    path : Path
        GloVe text, word2vec text or binary, fastText .vec, or .npy.
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    format : str, default "auto"
        "glove", "word2vec", "word2vec-binary", "fasttext" or "npy".
    words : Path, optional
        Word list of an .npy file.
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
    embeddings = read_vectors(path, format=format, words=words, max_words=max_words)
    settings = {"format": format, "max_words": max_words, "vectors": _digest(embeddings)}
    if (code := check_language(language)) != DEFAULT_LANGUAGE:
        settings["language"] = code
    with folder.working():
        if folder.is_done("import", settings, force=force):
            return None

        def make(forget: Callable[[], None]) -> list[str]:
            with folder.staging() as staged:
                embeddings.save(staged)
                return folder.install(staged, forget)

        folder.build("import", settings, make, inputs=[{"path": str(path.resolve()), **fingerprint(path)}])
    return embeddings


def _digest(embeddings: Embeddings) -> str:
    """A hash of vectors and words, without a second copy of them."""
    digest = hashlib.sha256(np.ascontiguousarray(embeddings.vectors).data)
    digest.update("\n".join(embeddings.words).encode())
    return digest.hexdigest()

"""A file of vectors and the texts that they stand for → a model of items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.embeddings.items import FILE, check_counts, read_texts, save_texts
from wordatoms.embeddings.matrix_files import MatrixFile, open_matrix
from wordatoms.embeddings.quantized import VECTORS
from wordatoms.embeddings.vector_rows import RowFile
from wordatoms.errors import InputError
from wordatoms.pipeline.import_vectors import vector_digest
from wordatoms.storage.folder import ITEMS, ModelFolder
from wordatoms.storage.integrity import fingerprint


def import_items(
    vectors: Path | str,
    folder: ModelFolder,
    *,
    texts: Path | str | None = None,
    column: str | None = None,
    array: str | None = None,
    force: bool = False,
) -> Embeddings | None:
    """Make a model whose rows are texts, such as sentences or documents, from a file of vectors.

    Vectors and texts are written to the model's disk as they are read; only the names of the items are held in memory.

    Parameters
    ----------
    vectors : Path or str
        An .npy, .safetensors or .parquet file with a vector for each item.
    folder : ModelFolder
        The model's folder: `ModelFolder(path)` from `wordatoms.storage.folder`, with `create=True` for a new one.
    texts : Path or str, optional
        The texts in the order of the vectors: a text file with one on each line, or a table. By default they are in a
        column of the file of vectors, which is then .parquet.
    column : str, optional
        The column of the table with the texts.
    array : str, optional
        Name of the tensor or column with the vectors; needed if there are several.
    force : bool, default False
        Replace the items that the model has.

    Returns
    -------
    Embeddings or None
        The names of the items and their vectors; None if the model already had these items.

    Raises
    ------
    InputError
        If there is not one text for each vector, or a file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from wordatoms.pipeline.import_items import import_items
    >>> from wordatoms.storage.folder import ModelFolder
    >>> work = Path(tempfile.mkdtemp())
    >>> np.save(work / "vectors.npy", np.eye(2, 5))
    >>> _ = (work / "titles.txt").write_text("Rain\\nA spring day\\n")
    >>> folder = ModelFolder(work / "titles.model", create=True)
    >>> import_items(work / "vectors.npy", folder, texts=work / "titles.txt").words
    ('Rain', 'A spring day')
    """
    vectors, source = Path(vectors), Path(vectors if texts is None else texts)
    if texts is None and column is None:
        raise InputError(f"{vectors} has no texts; pass a file of texts, or the column of the table that has them.")
    matrix = open_matrix(vectors, array)
    facts = {"kind": ITEMS, "column": column, "array": array}
    with folder.working(), folder.staging() as staged:
        names = save_texts(staged, read_texts(source, column))
        check_counts(source, len(names), vectors, matrix.n_rows)
        embeddings = _copy_rows(matrix, names, staged / VECTORS)
        digests = {"vectors": vector_digest(embeddings), "texts": fingerprint(staged / FILE)["sha256"]}
        settings = {**facts, **digests}
        if folder.is_done("import", settings, force=force):
            return None

        def make(forget: Callable[[], None]) -> list[str]:
            embeddings.save(staged, has_vectors=True)
            return folder.install(staged, forget)

        files = dict.fromkeys([vectors, source])
        folder.build(
            "import", settings, make, inputs=[{"path": str(path.resolve()), **fingerprint(path)} for path in files]
        )
    return embeddings


def _copy_rows(matrix: MatrixFile, names: tuple[str, ...], to: Path) -> Embeddings:
    copy = RowFile(to, matrix.dim)
    for block in matrix.blocks():
        copy.append(block)
    return Embeddings(names, copy.close())
